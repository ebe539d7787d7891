"""What is refused, with file, row and rule, and what is handled without an error."""

from __future__ import annotations

import pytest

from common.cli import main
from common.reports.events import sizes

#: what is wrong -> (truth, words, what the message must hold)
HEAD = "a.wav\t0.0\t2.0\tdog\n"
IN_TRUTH = {
    "onset after offset": (HEAD + "a.wav\t5\t4\tdog\n", "row 2", "onset after its offset"),
    "negative": (HEAD + "a.wav\t-1\t4\tdog\n", "row 2", "negative"),
    "beyond the duration": (HEAD + "a.wav\t9\t12\tdog\n", "row 2", "beyond the end"),
    "wholly beyond": (HEAD + "a.wav\t11\t12\tdog\n", "row 2", "beyond the end"),
    "without duration": (HEAD + "x.wav\t1\t2\tdog\n", "row 2", "--durations"),
    "duplicate": (HEAD + HEAD, "row 2", "second time"),
    "overlap": (HEAD + "a.wav\t1\t3\tdog\n", "row 2", "overlaps row 1"),
    "zero length inside": (HEAD + "a.wav\t1\t1\tdog\n", "row 2", "overlaps row 1"),
    "nan": (HEAD + "a.wav\tnan\t4\tdog\n", "row 2", "no time"),
    "infinite": (HEAD + "a.wav\t1\tinf\tdog\n", "row 2", "infinite"),
    "no number": (HEAD + "a.wav\tone\ttwo\tdog\n", "row 2", "no event"),
    "no recording": (HEAD + "4\t5\tdog\n", "row 2", "no recording"),
    "no times": ("file\tonset\toffset\tlabel\na.wav\t\t\tdog\n", "row 2", "neither onset nor"),
    "no label": (HEAD + "a.wav\t4\t5\n", "row 2", "no label"),
}


@pytest.mark.parametrize("fault", IN_TRUTH)
@pytest.mark.parametrize("where", ["truth", "estimate"])
def test_bad_events_are_refused_with_file_row_and_rule(folder, fault: str, where: str) -> None:
    text, row, rule = IN_TRUTH[fault]
    folder.write("bad.tsv.txt", text)
    if where == "truth":
        line = folder.refused("--estimate", "@est.txt", truth="bad.tsv.txt")
    else:
        line = folder.refused("--estimate", "@bad.tsv.txt")
    assert line.startswith(f"bad.tsv.txt: {row}"), line
    assert rule in line, line


def test_unknown_labels_are_refused_with_the_nearest_one(folder) -> None:
    folder.write("bad.txt", "a.wav\t1\t2\tdgo\n")
    line = folder.refused("--estimate", "@bad.txt")
    assert line.startswith("bad.txt: row 1")
    assert "'dgo'. Did you mean 'dog'?" in line
    assert "--unknown-labels" in line


def test_unknown_labels_can_be_left_out_or_evaluated(folder) -> None:
    folder.write("more.txt", "a.wav\t1\t2\tfox\na.wav\t0.1\t2.1\tdog\n")
    found = folder.json("--estimate", "@more.txt", "--unknown-labels", "ignore")
    assert found["systems"][0]["estimated_events"] == 1
    assert found["inputs"]["labels"] == ["cat", "dog"]
    found = folder.json("--estimate", "@more.txt", "--unknown-labels", "add")
    assert found["inputs"]["labels"] == ["cat", "dog", "fox"]
    assert found["systems"][0]["event_based"]["class_wise"]["fox"]["count"]["Nfp"] == 1


def test_an_annotation_without_class_is_refused(folder) -> None:
    folder.write("none.txt", "a.wav\nb.wav\nc.wav\n")
    folder.write("empty.txt", "")
    for truth in ("none.txt", "empty.txt"):
        assert "no labels: the truth has none" in folder.refused(
            "--estimate", "@empty.txt", truth=truth
        )


def test_named_labels_make_an_empty_truth_valid(folder) -> None:
    folder.write("empty.txt", "")
    words = ("--estimate", "@est.txt", "--event-label-list", "cat", "dog")
    (system,) = folder.json(*words, truth="empty.txt")["systems"]
    assert system["event_based"]["overall"]["error_rate"]["error_rate"] == "inf"
    assert system["event_based"]["overall"]["f_measure"]["recall"] is None
    assert system["event_based"]["overall"]["count"]["Nfp"] == 3
    assert system["psds"]["PSDS"]["value"] is None


def test_one_class_only_has_a_psds(folder) -> None:
    folder.write("one.txt", "a.wav\t0\t2\tdog\n")
    words = ("--estimate", "@one.txt", "--preset", "dcase-task4-2")
    (system,) = folder.json(*words, truth="one.txt")["systems"]
    assert system["psds"]["dcase-task4-2"]["value"] == 1.0


def test_an_empty_estimate_is_a_silent_system(folder) -> None:
    folder.write("empty.txt", "")
    (system,) = folder.json("--estimate", "@empty.txt")["systems"]
    assert system["event_based"]["overall"]["count"]["Nfn"] == 3
    assert system["event_based"]["class_wise_average"]["f_measure"]["f_measure"] == 0
    assert system["segment_based"]["overall"]["error_rate"]["error_rate"] == 1


def test_a_recording_that_an_estimate_does_not_name_was_found_silent(folder) -> None:
    folder.write("less.txt", "a.wav\t0.1\t2.1\tdog\n")
    (system,) = folder.json("--estimate", "@less.txt")["systems"]
    assert system["event_based"]["overall"]["count"] == {
        **{"Nref": 3.0, "Nsys": 1.0, "Ntp": 1.0, "Nsubs": 0.0, "Nfp": 0.0, "Nfn": 2.0}
    }


def test_events_that_end_a_little_late_are_noted(folder) -> None:
    folder.write("late.txt", "a.wav\t9\t10.3\tdog\n")
    found = folder.json("--estimate", "@late.txt")
    assert any("late.txt: row 1" in note and "10.3 s" in note for note in found["notes"])
    assert "beyond" in folder.refused("--estimate", "@late.txt", "--slack", "0.1")
    folder.json("--estimate", "@late.txt", "--slack", "0.1", "--outside", "ignore")


@pytest.mark.parametrize(("rule", "number"), [("allow", 2), ("merge", 1)])
def test_overlaps_and_copies_on_request(folder, rule: str, number: int) -> None:
    for text in (HEAD + HEAD, HEAD + "a.wav\t1\t2\tdog\n"):
        folder.write("twice.txt", text)
        found = folder.json("--estimate", "@twice.txt", "--overlap", rule)
        assert found["systems"][0]["estimated_events"] == number


def test_durations_that_are_none_are_refused(folder) -> None:
    for text, row in (
        ("filename\tduration\na.wav\tlong\n", "row 2"),
        ("filename\tduration\na.wav\t-1\n", "row 2"),
        ("filename\tduration\na.wav\tnan\n", "row 2"),
        ("filename\tduration\na.wav\n", "row 2"),
    ):
        folder.write("bad.tsv", text)
        line = folder.refused("--estimate", "@est.txt", durations="bad.tsv")
        assert line.startswith(f"bad.tsv: {row}"), line
    folder.write("empty.tsv", "")
    assert "empty" in folder.refused("--estimate", "@est.txt", durations="empty.tsv")
    line = folder.refused("--estimate", "@est.txt", durations="none.tsv")
    assert "no such file" in line


def test_without_durations_only_what_needs_none_is_scored(folder) -> None:
    line = folder.refused("--estimate", "@est.txt", durations=None)
    assert line.startswith("--durations: ") and "--metrics event_based" in line
    found = folder.json("--estimate", "@est.txt", "--metrics", "event_based", durations=None)
    (system,) = found["systems"]
    assert system["event_based"]["overall"]["count"]["Ntp"] == 1
    assert "psds" not in system and "segment_based" not in system


BAD_OPTIONS = {
    ("--time-resolution", "0"): "--time-resolution: expected a finite number above 0, found 0.0",
    ("--time-resolution", "nan"): "expected a finite number above 0, found nan",
    ("--beta", "-1"): "expected a finite number above 0, found -1.0",
    ("--threshold", "nan"): "--threshold: expected a number, found nan",
    ("--slack", "-1"): "--slack: expected a finite number of 0 or more, found -1.0",
    ("--max-efpr", "inf"): "--max-efpr: expected a finite number above 0, found inf",
    ("--factor", "2"): "--factor: 2.0 is not in [0, 1]",
    ("--t-collar", "-0.1"): "--t-collar: -0.1 is not 0 or more",
    ("--t_collar", "nan"): "--t-collar: nan is not 0 or more",
    ("--percentage-of-length", "-1"): "--percentage-of-length: -1.0 is not 0 or more",
    ("--tolerance", "-1"): "--tolerance: -1.0 is not 0 or more",
    ("--dtc-threshold", "1.5"): "--dtc-threshold: 1.5 is not in [0, 1]",
    ("--gtc", "nan"): "--gtc-threshold: nan is not in [0, 1]",
    ("--alpha-ct", "2"): "--alpha-ct: 2.0 is not in [0, 1]",
    ("--alpha-st", "-1"): "negative",
    ("--max-efpr", "0"): "--max-efpr: expected a finite number above 0, found 0.0",
    (
        "--duration-unit",
        "hours",
    ): "--duration-unit: unknown unit of time 'hours'. Did you mean 'hour'?",
    ("--event-matching-type", "optimum"): "Did you mean 'optimal'?",
    ("--preset", "dcase-task4"): "Known: dcase-task4-1, dcase-task4-2",
    ("--preset", "dcase-task4-1", "--alpha-ct", "0.5"): "--cttc-threshold",
    (
        "--evaluate-onset",
        "false",
        "--evaluate-offset",
        "false",
    ): "--evaluate-onset, --evaluate-offset: at least one of them must",
    ("--timelines", "-1"): "negative",
    ("--table", "events"): "truth.txt is no audformat database",
    ("--column", "label"): "truth.txt is no audformat database",
    ("--name", "one", "two"): "--name: 2 names for 1 system",
    ("--compatibility", "psds_eval-0.3", "--compatibility", "psds_eval-0.5"): "exclude",
}


@pytest.mark.parametrize("words", BAD_OPTIONS, ids=" ".join)
def test_options_out_of_range_are_refused(folder, words: tuple[str, ...]) -> None:
    assert BAD_OPTIONS[words] in folder.refused("--estimate", "@est.txt", *words)


def test_a_point_of_frame_scores_alone_is_refused(folder, scores) -> None:
    scores()
    line = folder.refused("--scores", "@scores", "--point", "0.5")
    assert line.startswith("--point 0.5: no system has several operating points")


def test_missing_files_are_refused(folder) -> None:
    assert "no such" in folder.refused("--estimate", "@none.txt")
    assert "no such" in folder.refused("--estimate", "@est.txt", truth="none.txt")
    assert "no such" in folder.refused("--scores", "@none")
    assert "--estimate, --scores" in folder.refused()
    (folder.path / "bare").mkdir()
    assert "holds no event list" in folder.refused("--estimate", "@bare")
    assert "holds neither audio" in folder.refused("--estimate", "@est.txt", durations="bare")
    assert "holds no scores" in folder.refused("--scores", "@bare")


def test_scores_must_be_of_the_recordings_and_labels(folder, scores) -> None:
    scores()
    (folder.path / "scores" / "b.tsv").unlink()
    assert "no scores of 'b.wav'" in folder.refused("--scores", "@scores")
    scores(a={"cat": [0.1] * 10})
    assert "no column for label 'dog'" in folder.refused("--scores", "@scores")
    scores(a={"cat": [0.1] * 10, "dog": [0.1] * 10, "fox": [0.1] * 10})
    assert "unknown label 'fox'" in folder.refused("--scores", "@scores")
    assert folder.json("--scores", "@scores", "--unknown-labels", "ignore")["systems"]
    scores(b={"cat": [0.1] * 9 + [float("nan")], "dog": [0.1] * 10})
    line = folder.refused("--scores", "@scores")
    assert line.startswith("scores/b.tsv: row 11"), line
    scores()
    folder.write("scores/x.tsv", (folder.path / "scores" / "a.tsv").read_text())
    assert "unknown recording 'x'" in folder.refused("--scores", "@scores")


def test_a_recording_in_two_folds_is_refused(folder) -> None:
    folder.write("folds/one.txt", "a.wav\t0.1\t2.1\tdog\n")
    folder.write("folds/two.txt", "a.wav\t5\t6\tcat\n")
    line = folder.refused("--estimate", "@folds", "--folder", "folds")
    assert line.startswith("folds/two.txt: row 1")
    assert "fold 'one'" in line


def test_names_that_may_be_several_recordings_are_refused(folder) -> None:
    folder.write("dur.tsv", "filename\tduration\nx/a.wav\t10\ny/a.wav\t10\n")
    folder.write("truth.txt", "x/a.wav\t0\t1\tdog\n")
    folder.write("est.txt", "a\t0\t1\tdog\n")
    assert "is ambiguous: x/a.wav or y/a.wav" in folder.refused("--estimate", "@est.txt")


def test_wrong_usage_is_told_by_the_parser(capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.main(["events", "--truth", "x", "--report", "pdf"])
    assert stopped.value.code == main.USAGE
    assert "--report" in capsys.readouterr().err


@pytest.fixture
def lists(folder):
    """Folders of lists and scores, each with a table of durations among them."""
    for where in ("lists", "system"):
        folder.write(f"{where}/a.tsv", "onset\toffset\tevent_label\n0.5\t1.5\tdog\n")
        folder.write(f"{where}/b.tsv", "2.0\t3.0\tdog\n")
    scores = "onset\toffset\tdog\n0\t5\t0.8\n5\t10\t0.1\n"
    for name in "ab":
        folder.write(f"scores/{name}.tsv", scores)
    for where in ("lists", "system", "scores"):
        folder.write(
            f"{where}/durations.tsv", "filename\tscene\tduration\na.wav\tx\t10\nb.wav\tx\t10\n"
        )
    return folder


@pytest.mark.parametrize("durations", [None, "lists", "lists/durations.tsv"])
@pytest.mark.parametrize("kind", ["--estimate", "--scores"])
def test_a_table_of_durations_among_lists_is_none(lists, durations, kind: str) -> None:
    system = "@system" if kind == "--estimate" else "@scores"
    found = lists.json(kind, system, truth="lists", durations=durations)
    assert found["inputs"]["files"] == 2
    assert found["inputs"]["labels"] == ["dog"]
    told = [note for note in found["notes"] if "lengths of the recordings" in note]
    assert bool(told) == (durations is None)


def test_an_event_with_a_duration_is_no_table_of_durations(lists) -> None:
    lists.write(
        "system/a.tsv", "filename\tonset\toffset\tduration\tlabel\na.wav\t0.5\t1.5\t1.0\tdog\n"
    )
    lists.write(
        "system/b.tsv", "filename\tonset\toffset\tduration\tlabel\nb.wav\t2.0\t3.0\t1.0\tdog\n"
    )
    found = lists.json("--estimate", "@system", truth="lists")
    assert found["systems"][0]["estimated_events"] == 2


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (
            ("--estimate", "@dur.tsv"),
            {},
            "dur.tsv: is a table of durations (filename, duration) and",
        ),
        (("--estimate", "@est.txt"), {"truth": "dur.tsv"}, "'build.py events' takes it with --dur"),
        (
            ("--estimate", "@system"),
            {"durations": "lists/a.tsv"},
            "lists/a.tsv: has no column durat",
        ),
        (("--estimate", "@system"), {"durations": "empty"}, "holds neither audio (.wav, .flac,"),
        (("--estimate", "@only"), {}, "--estimate only: holds no event list"),
    ],
)
def test_durations_in_the_wrong_place_are_named(lists, words, options, message: str) -> None:
    (lists.path / "empty").mkdir()
    lists.write("only/durations.tsv", "filename,duration\na.wav,10\n")
    assert message in lists.refused(*words, **options)


def test_two_tables_of_durations_are_one_too_many(lists) -> None:
    lists.write("lists/more.csv", "file,length\na.wav,10\n")
    line = lists.refused("--estimate", "@system", truth="lists", durations=None)
    assert line == "--truth lists: holds 2 tables of durations: durations.tsv, more.csv"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--time-resolution", "1e-12"),
            "--time-resolution: segments of 1e-12 s are 3e+13 in 30 s",
        ),
        (("--decimals", "400"), "--decimals: expected 0 to 9, found 400"),
        (("--decimals", "-3"), "--decimals: expected 0 to 9, found -3"),
        (("--durations", ""), "--durations: is empty"),
        (("--durations", "-3"), "--durations -3: expected a finite length above 0"),
        (("--durations", "nan"), "--durations nan: expected a finite length above 0"),
        (("--durations", "1e999"), "--durations 1e999: expected a finite length above 0"),
        (("--durations", "3s"), "--durations 3s: there is no such file or folder"),
        (("--point", "foo"), "--point foo: no system has several operating points"),
    ],
)
def test_numbers_that_make_no_sense(folder, words, message: str) -> None:
    assert message in folder.refused("--estimate", "@est.txt", *words)


@pytest.mark.parametrize(
    ("limit", "most", "words", "message"),
    [
        (
            "MOST_COUNTS",
            8,
            (),
            "--truth truth.txt: 3 labels make 9 counts (recordings x labels), at most 8 are allowed",
        ),
        (
            "MOST_COUNTS",
            11,
            (),
            "--truth truth.txt: 3 labels make 12 counts (operating points x labels x labels), "
            "at most 11 are allowed",
        ),
        (
            "MOST_ACTIVE",
            59,
            ("--time-resolution", "0.5"),
            "--truth truth.txt: 3 labels make 60 counts (segments of the longest recording x labels), "
            "at most 59 are allowed",
        ),
    ],
)
def test_tables_of_counts_that_would_fill_the_memory(
    folder, monkeypatch, limit: str, most: int, words, message: str
) -> None:
    command = ("--estimate", "@est.txt", "--event-label-list", "fox", *words)
    monkeypatch.setattr(sizes, limit, most)
    assert folder.refused(*command) == message
    monkeypatch.setattr(sizes, limit, most + 1)
    if "recordings" not in message:  # there, the next table is too large by then
        assert folder.run(*command).code == main.OK


def test_more_labels_than_a_confusion_matrix_has_room_for_are_refused(folder) -> None:
    lines = [f"a.wav\t{n / 1000}\t{(n + 1) / 1000}\tlabel-{n}" for n in range(7100)]
    folder.write("truth.txt", "\n".join(lines) + "\n")
    line = folder.refused("--estimate", "@truth.txt")
    assert "7,100 labels make 50,417,100 counts (operating points x labels x labels)" in line
    assert line.endswith("at most 50,000,000 are allowed")
    counts = folder.run("--estimate", "@truth.txt", "--metrics", "event_based")
    assert counts.code == main.OK, counts.err


@pytest.mark.parametrize("matching", ["optimal", "greedy", "sed_eval"])
def test_a_recording_with_a_crowd_of_events_is_refused(folder, matching: str) -> None:
    lines = [f"c.wav\t0.0\t2.0\tlabel-{number}" for number in range(3200)]
    folder.write("truth.txt", "\n".join(lines) + "\n")
    words = ("--metrics", "event_based", "--matching", matching)
    line = folder.refused("--estimate", "@truth.txt", *words)
    assert line == (
        "file 'c.wav': 10,240,000 pairs of an annotated and an estimated event are near in time;"
        " at most 10,000,000 are compared"
    )


def test_an_event_list_without_header_is_no_table_of_durations(folder) -> None:
    folder.write("list.txt", "a.wav\t0\t2\tdog\n")
    line = folder.refused("--estimate", "@est.txt", durations="list.txt")
    assert line.startswith(
        "list.txt: row 1: expected a recording and its duration, found 'a.wav | 0"
    )
    folder.write("more.txt", "a.wav\t10\tkitchen\nb.wav\t10\tkitchen\nc.wav\t10\tkitchen\n")
    assert folder.json("--estimate", "@est.txt", durations="more.txt")["inputs"]["duration_s"] == 30


def test_a_broken_database_is_refused_in_one_line(folder) -> None:
    folder.write("db/db.yaml", "hello")
    line = folder.refused(
        "--estimate",
        "@est.txt",
        "--table",
        "x",
        truth="db",
        durations=None,
    )
    assert line.startswith("db: db.yaml or a table cannot be read: ")


@pytest.mark.parametrize("text", ["{}\n", "hello world\n", "x.wav\ny.wav\n"])
def test_a_list_of_nothing_that_is_evaluated_is_no_silent_system(folder, text: str) -> None:
    folder.write("other.txt", text)
    line = folder.refused("--estimate", "@other.txt")
    assert line.startswith("other.txt: row 1") and "is not evaluated, nor is any other" in line


def test_silent_recordings_that_are_not_evaluated_are_a_note(folder) -> None:
    folder.write("other.txt", "a.wav\t0.1\t2.1\tdog\nx.wav\n")
    found = folder.json("--estimate", "@other.txt")
    (note,) = [note for note in found["notes"] if "not evaluated" in note]
    assert note.endswith("other.txt: row 2 (file 'x.wav'): recording 'x.wav' is not evaluated")
