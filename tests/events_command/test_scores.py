"""Figures of the command: right, complete, and the same in all forms."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
import soundfile

from common.cli import main
from common.core.paths import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "golden"


def test_figures_of_a_case_counted_by_hand(folder) -> None:
    (system,) = folder.json("--estimate", "@est.txt")["systems"]
    event = system["event_based"]
    # one hit; dog for cat at 5 s is a substitution; dog in b is missed, cat in c is invented
    assert event["overall"]["count"] == {
        **{"Nref": 3.0, "Nsys": 3.0, "Ntp": 1.0, "Nsubs": 1.0, "Nfp": 1.0, "Nfn": 1.0}
    }
    assert event["overall"]["error_rate"]["error_rate"] == pytest.approx(1)
    assert event["class_wise"]["dog"]["f_measure"]["f_measure"] == 0.5
    assert event["class_wise_average"]["f_measure"]["f_measure"] == 0.25
    segment = system["segment_based"]["overall"]["count"]
    # reference: 2 + 1 + 2 segments of dog, cat, dog; estimate: 3 of dog (0.1 to 2.1), 2 of dog, 1 of cat
    assert (segment["Nref"], segment["Nsys"], segment["Ntp"]) == (5, 6, 2)
    assert segment["Ntp"] + segment["Ntn"] + segment["Nfp"] + segment["Nfn"] == 30 * 2
    assert system["confusion"]["counts"] == {"cat": [0, 0, 1], "dog": [1, 1, 1]}
    # dog: 1 of 2 found; one false alarm in 30 s are 120 an hour, beyond the limit of 100
    assert system["psds"]["PSDS"]["class_wise"] == {"cat": 0.0, "dog": 0.0}
    (wider,) = folder.json("--estimate", "@est.txt", "--max-efpr", "240")["systems"]
    assert wider["psds"]["PSDS"]["class_wise"] == {"cat": 0.0, "dog": 0.25}
    assert wider["psds"]["PSDS"]["value"] == 0.125
    assert system["overview"]["intersection F"] == pytest.approx(2 / (2 + 2 + 2))


def test_underscores_are_dashes_and_words_of_other_tools_are_known(folder) -> None:
    dashes = ("--t-collar", "0.05", "--time-resolution", "0.5", "--evaluate-offset", "false")
    other = ("--t_collar", "0.05", "--segment_length", "0.5", "--evaluate_offset", "False")
    one = folder.json("--estimate", "@est.txt", *dashes)
    assert one == folder.json("--estimate", "@est.txt", *other)
    assert one["settings"]["time_resolution"] == 0.5
    assert one["settings"]["collar"]["evaluate_offset"] is False
    assert one["systems"][0]["event_based"]["overall"]["count"]["Ntp"] == 0


def test_presets_set_and_options_change_them(folder) -> None:
    words = ("--preset", "dcase-task4-1", "--preset", "dcase-task4-2", "--max-efpr", "50")
    found = folder.json("--estimate", "@est.txt", *words)["settings"]
    assert found["collar"]["percentage_of_length"] == 0.2
    first, second = (found["psds"][f"dcase-task4-{n}"] for n in (1, 2))
    assert (first["criteria"]["dtc"], first["criteria"]["cttc"], first["alpha_ct"]) == (
        0.7,
        None,
        0,
    )
    assert (second["criteria"]["dtc"], second["criteria"]["cttc"]) == (0.1, 0.3)
    assert (second["alpha_ct"], second["alpha_st"], second["max_efpr"]) == (0.5, 1, 50)
    assert found["f_criteria"]["dtc"] == 0.5


def test_compatibility_gives_the_figures_of_older_tools(folder) -> None:
    folder.write("dogs.txt", "a.wav\t0.1\t2.1\tdog\n")
    ours = folder.json("--estimate", "@dogs.txt")["systems"][0]
    theirs = folder.json(
        *("--estimate", "@dogs.txt", "--compatibility", "sed_eval"),
        *("--compatibility", "psds_eval-0.5"),
    )["systems"][0]
    macro = "class_wise_average"
    # cat is missed as a whole: 0 here, left out there
    assert ours["event_based"][macro]["f_measure"]["f_measure"] == pytest.approx(1 / 3)
    assert theirs["event_based"][macro]["f_measure"]["f_measure"] == pytest.approx(2 / 3)
    assert ours["overview"]["intersection F macro"] == pytest.approx(1 / 3)
    assert theirs["overview"]["intersection F macro"] == pytest.approx(2 / 3)


def test_systems_stand_side_by_side(folder) -> None:
    folder.write("other/est.txt", "a.wav\t0\t2\tdog\n")
    found = folder.json("--estimate", "@est.txt", "@other/est.txt")["systems"]
    assert [system["name"] for system in found] == [f"{folder.path.name}/est", "other/est"]
    named = folder.json("--estimate", "@est.txt", "@other/est.txt", "--name", "one", "two")
    assert [system["name"] for system in named["systems"]] == ["one", "two"]
    assert [s["event_based"] for s in named["systems"]] == [s["event_based"] for s in found]


# -- folders ---------------------------------------------------------------------------------


def test_folds_are_pooled_and_scored_once(folder) -> None:
    lines = (folder.path / "est.txt").read_text().splitlines(keepends=True)
    folder.write("folds/1.txt", "".join(lines[:2]))
    folder.write("folds/2.txt", lines[2])
    whole = folder.json("--estimate", "@est.txt")["systems"][0]
    found = folder.json("--estimate", "@folds")
    assert found["systems"][0]["kind"] == "folds"
    assert any("folds" in note for note in found["notes"])
    for family in ("segment_based", "event_based", "intersection_based", "psds"):
        assert found["systems"][0][family] == whole[family]


def test_lists_of_recordings_are_named_as_these(folder) -> None:
    for name, text in (("a", "0.1\t2.1\tdog\n5\t6.1\tdog\n"), ("b", ""), ("c", "4\t5\tcat\n")):
        folder.write(f"lists/{name}.ann", text)
    whole = folder.json("--estimate", "@est.txt")["systems"][0]
    found = folder.json("--estimate", "@lists")["systems"][0]
    assert found["kind"] == "recordings"
    assert found["event_based"] == whole["event_based"]


def test_points_make_a_psds_and_one_is_shown(folder) -> None:
    folder.write("points/at_0.3.txt", "a.wav\t0.1\t2.1\tdog\nb.wav\t1\t3\tdog\na.wav\t7\t8\tdog\n")
    folder.write("points/at_0.6.txt", "a.wav\t0.1\t2.1\tdog\n")
    folder.write("points/at_0.9.txt", "a.wav\t0.1\t2.1\tdog\n")
    found = folder.json("--estimate", "@points", "--max-efpr", "200")
    (system,) = found["systems"]
    assert (system["kind"], system["point"]) == ("points", "at_0.6")
    assert list(system["points"]) == ["at_0.3", "at_0.6", "at_0.9"]
    assert "points: at_0.9 repeats at_0.6" in found["notes"]
    # dog: 0.5 up to 120 false alarms an hour, then 1
    dog = (0.5 * 120 + 1.0 * 80) / 200
    assert system["psds"]["PSDS"]["class_wise"]["dog"] == pytest.approx(dog)
    other = folder.json("--estimate", "@points", "--point", "at_0.3")["systems"][0]
    assert other["estimated_events"] == 3
    assert "Known: at_0.3" in folder.refused("--estimate", "@points", "--point", "at_0.2")


# -- recordings ------------------------------------------------------------------------------


def test_durations_come_from_a_table_from_audio_or_as_a_number(folder) -> None:
    for name in "abc":
        path = folder.path / "audio" / "deep" / f"{name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, np.zeros(80_000), 8000)
    table = folder.json("--estimate", "@est.txt")
    audio = folder.json("--estimate", "@est.txt", durations="audio")
    number = folder.json("--estimate", "@est.txt", "--durations", "10", durations=None)
    assert table["systems"] == audio["systems"] == number["systems"]
    assert audio["inputs"]["duration_s"] == 30


def test_one_recording_needs_no_name(folder) -> None:
    folder.write("ref.lab", "0.0 2.0 dog\n5.0 6.0 cat\n")
    folder.write("sys.lab", "0.1 2.1 dog\n")
    words = ("--estimate", "@sys.lab", "--durations", "10")
    (system,) = folder.json(*words, truth="ref.lab", durations=None)["systems"]
    assert system["event_based"]["overall"]["count"]["Ntp"] == 1


def test_a_recording_without_events_counts_with_its_false_alarms(folder) -> None:
    with_c = folder.json("--estimate", "@est.txt")["systems"][0]
    folder.write("dur.tsv", "filename\tduration\na.wav\t10\nb.wav\t10\n")
    folder.write("truth.txt", "a.wav\t0.0\t2.0\tdog\na.wav\t5.0\t6.0\tcat\nb.wav\t1.0\t3.0\tdog\n")
    folder.write("est.txt", "a.wav\t0.1\t2.1\tdog\na.wav\t5.0\t6.1\tdog\n")
    without = folder.json("--estimate", "@est.txt")["systems"][0]
    figures = [s["event_based"]["overall"]["count"]["Nfp"] for s in (with_c, without)]
    assert figures == [1, 0]


# -- frame scores ----------------------------------------------------------------------------


def test_scores_give_exact_psds_best_thresholds_and_events(folder, scores) -> None:
    dog = [0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    faint = [0.1, 0.4, 0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    scores(a={"cat": [0.1] * 10, "dog": dog}, b={"dog": faint, "cat": [0.1] * 10})
    (system,) = folder.json("--scores", "@scores")["systems"]
    assert (system["kind"], system["point"]) == ("scores", "threshold 0.5")
    assert system["event_based"]["class_wise"]["dog"]["f_measure"]["recall"] == 0.5
    assert system["scores"]["psds"]["PSDS"]["class_wise"]["dog"] == 1.0
    assert system["psds"]["PSDS"]["class_wise"]["dog"] == 0.5
    best = system["scores"]["best"]["event_based"]["class_wise"]["dog"]
    assert best["f_measure"] == 1.0
    assert best["threshold"] == pytest.approx(0.25)
    assert system["scores"]["segment_auroc"]["dog"] == 1.0
    lower = folder.json("--scores", "@scores", "--threshold", "0.2")["systems"][0]
    assert lower["event_based"]["class_wise"]["dog"]["f_measure"]["f_measure"] == 1.0


def test_scores_belong_to_the_estimate_of_their_place(folder, scores) -> None:
    scores()
    (system,) = folder.json("--estimate", "@est.txt", "--scores", "@scores")["systems"]
    alone = folder.json("--estimate", "@est.txt")["systems"][0]
    assert system["name"] == "est"
    assert system["event_based"] == alone["event_based"]
    assert system["scores"]["best"]["event_based"]["macro_f"] == 0


def test_reading_scores_in_parts_changes_nothing(folder, scores, monkeypatch) -> None:
    from common.reports.events import scored

    rng = np.random.default_rng(1)
    scores(
        **{name: {k: rng.random(10).round(2).tolist() for k in ("cat", "dog")} for name in "abc"}
    )
    whole = folder.json("--scores", "@scores", "--preset", "dcase-task4-2")
    monkeypatch.setattr(scored, "CHUNK", 1)
    assert folder.json("--scores", "@scores", "--preset", "dcase-task4-2") == whole


# -- what comes out --------------------------------------------------------------------------


def test_json_is_the_same_by_report_and_by_option(folder) -> None:
    done = folder.run("--estimate", "@est.txt", "--report", "json")
    assert json.loads(done.out) == folder.json("--estimate", "@est.txt")
    folder.run("--estimate", "@est.txt", "--report", "json", "--out", "@scores.json")
    assert json.loads((folder.path / "scores.json").read_text()) == json.loads(done.out)


REFUSED = {
    ("html", "x.csv"): "--out x.csv: expected a name that ends in .html or .htm",
    ("html", "x"): "--out x: expected a name that ends in .html or .htm",
    ("json", "x.html"): "--out x.html: expected a name that ends in .json",
}


@pytest.mark.parametrize(("report", "name"), REFUSED)
def test_the_ending_of_a_report_says_what_it_holds(folder, report: str, name: str) -> None:
    line = folder.refused("--estimate", "@est.txt", "--report", report, "--out", f"@{name}")
    assert line == REFUSED[report, name]
    assert not (folder.path / name).exists()


@pytest.mark.parametrize(
    ("report", "name"), [("html", "x.HTM"), ("json", "x.JSON"), ("table", "x")]
)
def test_endings_of_reports_that_are_allowed(folder, report: str, name: str) -> None:
    words = ("--estimate", "@est.txt", "--report", report, "--out", f"@{name}")
    assert folder.run(*words).code == main.OK
    assert (folder.path / name).stat().st_size


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ("b.wav\t1\t3\tdog\n", "1 of 3 recordings has no annotated event"),
        ("", "2 of 3 recordings have no annotated event"),
    ],
)
def test_silent_recordings_are_counted(folder, more: str, note: str) -> None:
    folder.write("truth.txt", f"a.wav\t0\t2\tdog\n{more}")
    assert note in folder.json("--estimate", "@truth.txt")["notes"]


def test_the_table_shows_figures_and_classes(folder) -> None:
    done = folder.run("--estimate", "@est.txt")
    assert done.code == main.OK
    lines = done.out.splitlines()
    assert "3 recordings, 2 labels, 3 annotated events" in lines[0]
    assert any(line.split() == ["event", "F", "0.3333"] for line in lines)
    assert any(line.split()[:1] == ["dog"] for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_scores_of_recordings_are_written(folder) -> None:
    folder.json("--estimate", "@est.txt", "--per-file", "@files.csv")
    rows = list(csv.DictReader(io.StringIO((folder.path / "files.csv").read_text())))
    found = {(r["file"], r["family"], r["figure"]): r["value"] for r in rows}
    assert found["a.wav", "event_based", "count_Ntp"] == "1"
    assert found["b.wav", "event_based", "recall"] == "0.0"
    assert found["c.wav", "event_based", "recall"] == ""
    assert found["c.wav", "intersection_based", "count_Nfp"] == "1"
    assert float(found["a.wav", "intersection_based", "f_measure"]) == pytest.approx(2 / 4)
    total = sum(
        int(v) for (_, f, n), v in found.items() if (f, n) == ("segment_based", "count_Ntp")
    )
    assert total == 2


# -- figures of other tools ------------------------------------------------------------------


def golden(tool: str, name: str) -> dict:
    cases = json.loads((GOLDEN / tool / "figures.json").read_text("utf-8"))["cases"]
    (found,) = [case["figures"] for case in cases if case["id"] == name]
    return found


@pytest.fixture
def town(tmp_path) -> list[str]:
    """Words for the synthetic scene with ten operating points, of which the last is empty."""
    scene = json.loads((GOLDEN / "sound_events" / "scenes.json").read_text("utf-8"))["town"]
    (tmp_path / "points").mkdir()
    lists = {f"points/at_{n:02d}.tsv": rows for n, rows in enumerate(scene["points"], start=1)}
    for name, rows in {"truth.tsv": scene["truth"], **lists}.items():
        lines = ["filename\tonset\toffset\tevent_label", *("\t".join(map(str, r)) for r in rows)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    lines = ["filename\tduration", *(f"{f}\t{s}" for f, s in scene["durations"].items())]
    (tmp_path / "durations.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    words = ["events", "--json", "--truth", str(tmp_path / "truth.tsv")]
    words += ["--durations", str(tmp_path / "durations.tsv")]
    return [*words, "--estimate", str(tmp_path / "points"), "--point", "at_04"]


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("defaults", ()),
        ("scenario 1 of DCASE", ("--preset", "dcase-task4-1")),
        ("scenario 2 of DCASE", ("--preset", "dcase-task4-2")),
    ],
)
def test_psds_of_psds_eval(town, capsys, name: str, more) -> None:
    assert main.main([*town, "--metrics", "intersection_based", *more]) == main.OK
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    (found,) = system["psds"].values()
    assert found["value"] == pytest.approx(golden("psds_eval", name)["psds"], abs=1e-9)


def test_macro_f_of_psds_eval(town, capsys) -> None:
    words = ("--metrics", "intersection_based", "--compatibility", "psds_eval-0.5")
    assert main.main([*town, *words]) == main.OK
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    found = system["overview"]["intersection F macro"]
    assert found == pytest.approx(golden("psds_eval", "macro F")["macro_f"], abs=1e-9)


def test_tables_of_sed_eval(town, capsys) -> None:
    words = ("--metrics", "segment_based", "event_based", "--compatibility", "sed_eval")
    assert main.main([*town, *words, "--percentage-of-length", "0.5"]) == main.OK
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    names = {"segment_based": "segment 1 s, lengths", "event_based": "event 200 ms"}
    for family, name in names.items():
        for part, tables in golden("sed_eval", name).items():
            found = system[family][part]
            rows = tables.items() if part == "class_wise" else [(part, tables)]
            for label, each in rows:
                of = found[label] if part == "class_wise" else found
                for table, figures in each.items():
                    for figure, value in figures.items():
                        assert of[table][figure] == pytest.approx(value, abs=1e-9), figure


# -- layouts of lists ------------------------------------------------------------------------


def test_every_layout_gives_the_same_figures(folder) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        [("dog", 2.1, 0.1, "a.wav"), ("dog", 6.1, 5.0, "a.wav"), ("cat", 5.0, 4.0, "c.wav")],
        columns=["event_label", "offset", "onset", "filename"],
    )
    frame.to_parquet(folder.path / "est.parquet")
    frame.to_csv(folder.path / "header.csv", index=False)
    frame.to_csv(folder.path / "header.tsv", index=False, sep="\t")
    columns = ["filename", "onset", "offset", "event_label"]
    frame[columns].to_csv(folder.path / "bare.csv", index=False, header=False)
    frame[columns].to_csv(folder.path / "semicolon.lab", index=False, header=False, sep=";")
    frame[columns].to_csv(folder.path / "none", index=False, header=False, sep=" ")
    short = frame[columns].assign(filename=frame["filename"].str.removesuffix(".wav"))
    short.to_csv(folder.path / "short.txt", index=False, header=False, sep="\t")
    names = ["est.parquet", "header.csv", "header.tsv", "bare.csv", "semicolon.lab", "none"]
    whole = folder.json("--estimate", "@est.txt")["systems"][0]["event_based"]
    words = [f"@{name}" for name in [*names, "short.txt"]]
    found = folder.json("--estimate", *words, "--name", *"abcdefg")["systems"]
    assert [system["event_based"] for system in found] == [whole] * len(words)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of audformat, on pandas 3.1
def test_truth_may_be_a_folder_or_an_audformat_database(folder) -> None:
    import audformat
    import pandas as pd

    whole = folder.json("--estimate", "@est.txt")["systems"]
    for name, text in (("a", "0\t2\tdog\n5\t6\tcat\n"), ("b", "1\t3\tdog\n"), ("c", "")):
        folder.write(f"lists/{name}.txt", text)
    assert folder.json("--estimate", "@est.txt", truth="lists")["systems"] == whole
    database = audformat.Database("events")
    database.schemes["event"] = audformat.Scheme(labels=["cat", "dog"])
    index = audformat.segmented_index(["a.wav", "a.wav", "b.wav"], [0.0, 5.0, 1.0], [2.0, 6.0, 3.0])
    database["events"] = audformat.Table(index)
    database["events"]["event"] = audformat.Column(scheme_id="event")
    database["events"]["event"].set(pd.Series(["dog", "cat", "dog"], index=index))
    database.save(str(folder.path / "database"))
    words = ("--estimate", "@est.txt", "--table", "events")
    assert folder.json(*words, truth="database")["systems"] == whole
    assert "name its --table" in folder.refused("--estimate", "@est.txt", truth="database")
    assert "unknown table" in folder.refused(
        *("--estimate", "@est.txt", "--table", "event"), truth="database"
    )
