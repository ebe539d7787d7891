"""Tables of predictions of any tool: what is taken for what, and what is missing."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
import soundfile
import yaml

from common.cli.main import main
from common.models.importing.matching import match
from common.models.importing.values import scale_of, unit_of
from common.spec import Target

AROUSAL = Target(id="arousal", label="A", kind="regression", range=(0, 1))
FILES = ("wav/a1.wav", "wav/a2.wav", "more/b1.wav", "more/b2.wav")


@pytest.fixture
def catalog(tmp_path):
    """A catalog with a dataset of four files, one of which has two segments."""
    data = tmp_path / "data"
    rows = []
    for n, file in enumerate(FILES):
        (data / file).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(data / file, np.full(16000, 0.1), 8000)
        spans = [("0", "1"), ("1", "2")] if file == "wav/a2.wav" else [("", "")]
        rows += [f"{file},{a},{b},{'anger' if n % 2 else 'sadness'},0.{n}" for a, b in spans]
    text = "file,start,end,emotion,arousal\n" + "\n".join(rows) + "\n"
    (data / "metadata.csv").write_text(text)
    assert main(["import", str(data), "--as", "mine", "--to", str(tmp_path / "catalog")]) == 0
    return tmp_path / "catalog"


@pytest.fixture
def imports(catalog, tmp_path, capsys):
    """Imports a table; returns exit code, report, errors, entry, and rows of the clean table."""

    def run(text, *options, name="p.csv", dataset=True):
        (tmp_path / name).write_text(text)
        about = ("--dataset", "mine") if dataset else ()
        arguments = ["import-predictions", str(tmp_path / name), "--as", "told", *about]
        paths = ["--catalog", str(catalog), "--cache", str(tmp_path / "cache")]
        code = main([*arguments, "--to", str(catalog), *paths, "--json", *options])
        captured = capsys.readouterr()
        if code:
            return code, {}, captured.err, {}, []
        report = json.loads(captured.out[captured.out.index("{") :])
        (entry,) = yaml.safe_load((catalog / "models.yaml").read_text())
        with (catalog / "told.csv").open() as file:
            return code, report, captured.err, entry, list(csv.DictReader(file))

    return run


def test_names_percent_and_milliseconds(imports):
    code, report, _, entry, rows = imports(
        "utt;begin_ms;end_ms;Activation_pred;emo\n"
        "A1;;;85 %;ang\n"
        "C:\\x\\wav\\a2.flac;0;1000;20%;hap\n"
        "a2;1000;2000;20,5%;neu\n"
        "b1.wav;;;0%;sad\n"
    )
    assert code == 0
    assert [row["file"] for row in rows] == [
        "wav/a1.wav",
        "wav/a2.wav",
        "wav/a2.wav",
        "more/b1.wav",
    ]
    assert [(row["start"], row["end"]) for row in rows[1:3]] == [("0", "1"), ("1", "2")]
    assert [float(row["arousal"]) for row in rows] == [0.85, 0.2, 0.205, 0.0]
    assert {row["dataset"] for row in rows} == {"mine"}
    assert entry["outputs"] == {
        "arousal": {},
        "emotion": {
            "mapping": {"ang": "anger", "hap": "happiness", "neu": "neutral", "sad": "sadness"}
        },
    }
    assert report["missing"] == ["more/b2.wav"] and report["strangers"] == []
    assert "'Activation_pred' is percent" in report["notes"]
    assert "times are in ms, as the columns say" in report["notes"]
    assert "4 names of files written as in 'mine'" in report["notes"]


def test_what_was_imported_is_run(imports, catalog, tmp_path, capsys):
    text = "file,start,end,arousal\n" + "".join(
        f"{file},{span},0.{n}\n"
        for n, (file, span) in enumerate(
            [*((f, ",") for f in FILES if "a2" not in f), (FILES[1], "0,1"), (FILES[1], "1,2")]
        )
    )
    assert imports(text)[0] == 0
    options = ["--catalog", str(catalog), "--cache", str(tmp_path / "cache")]
    options += ["--output", str(tmp_path / "out"), "--workers", "1"]
    code = main(
        [
            "run",
            *options,
            "--model",
            "told",
            "--dataset",
            "mine",
            "--test",
            "correctness_regression",
        ]
    )
    assert code == 0 and "1 cell computed" in capsys.readouterr().out


def test_scores_of_classes_and_true_columns(imports):
    _, report, _, entry, rows = imports(
        "path,emotion,emotion_pred,prob_angry,prob_happy,prob_neutral,prob_sad,prob_fear\n"
        "wav/a1.wav,anger,sad,10,20,30,40,90\n"
    )
    assert rows[0]["emotion/angry"] == "10.0" and "emotion/fear" not in rows[0]
    mapping = {"angry": "anger", "happy": "happiness", "sad": "sadness"}
    assert entry["outputs"] == {"emotion": {"mapping": mapping}}
    assert "not used: emotion, emotion_pred" in report["notes"]
    assert len(report["missing"]) == 4


def test_the_predicted_column_wins(imports):
    rows = imports("file,label,prediction,arousal_true,pred_arousal\na1,sad,angry,0.9,0.1\n")[4]
    assert (rows[0]["emotion"], rows[0]["arousal"]) == ("angry", "0.1")
    text = "file,emotion,emotion_pred,arousal,arousal_hat,gold_valence\na1,sad,angry,0.9,0.1,0.2\n"
    (row,) = imports(text, "--force")[4]
    assert (row["emotion"], row["arousal"], "valence" in row) == ("angry", "0.1", False)


def test_other_classes_are_wrong_and_strange_ones_are_refused(imports):
    text = "file,emotion\na1,fearful\nb1,weird\n"
    code, _, errors, _, _ = imports(text)
    said = "unknown classes: weird. Say what each means with --map 'weird=CLASS', CLASS being one of anger, "
    assert code == 2 and said in errors
    _, report, _, entry, _ = imports(text, "--map", "weird=anger")
    assert entry["outputs"]["emotion"] == {"mapping": {"fearful": None, "weird": "anger"}}
    assert "no class of emotion, always wrong: fearful" in report["notes"]
    entry = imports(text, "--map", "weird=", "--force")[3]
    assert entry["outputs"]["emotion"]["mapping"] == {"fearful": None, "weird": None}


def test_scales(imports):
    entry = imports("file,valence\na1,-0.5\nb1,0.5\n")[3]
    assert entry["outputs"]["valence"] == {"scale": [-1.0, 1.0]}
    entry = imports("file,valence\na1,1.5\nb1,6\n", "--force")[3]
    assert entry["outputs"]["valence"] == {"scale": [1.0, 7.0]}
    entry = imports("file,valence\na1,1.5\nb1,6\n", "--force", "--scale", "0,10")[3]
    assert entry["outputs"]["valence"] == {"scale": [0.0, 10.0]}
    errors = imports("file,valence\na1,-30\nb1,600\n", "--force")[2]
    assert "values from -30 to 600 fit no known scale; state it with --scale LOW,HIGH" in errors


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0.2", "0.9"], (1.0, None, "0 to 1")),
        ([*["0.5"] * 30, "1.02"], (1.0, None, "0 to 1")),
        (["20", "95"], (100.0, None, "percent")),
        (["3", "4.5"], (1.0, (1.0, 5.0), "1 to 5")),
    ],
)
def test_a_scale_from_values(values, expected):
    assert scale_of(values, AROUSAL, "p.csv") == expected


def test_units_from_values():
    assert unit_of(["0", "1500"], ["1500", "3000"])[0] == "ms"
    assert unit_of(["0"], ["2000000000"])[0] == "ns"
    assert unit_of(["0", "1"], ["2", "4"])[0] == "s"
    assert unit_of([""], ["0 days 00:00:02"]) == ("s", "clocks")


def test_objects_with_too_many_names_are_refused(imports):
    text = "".join(f'{{"file": "a1", "c{n}": 0}}\n' for n in range(10_000))
    code, _, errors, _, _ = imports(text, name="p.jsonl")
    assert code == 2 and "p.jsonl: 10,001 columns, at most 10,000 are read\n" in errors


def test_names_of_columns_in_a_message_are_cut(imports):
    text = ",".join(f"column-{n}" for n in range(5000)) + "\n"
    assert len(imports(text)[2]) < 2000


def test_forms_of_tables(imports, tmp_path):
    objects = [{"file": "a1", "arousal": 0.5}, {"file": "b1", "arousal": 0.25}]
    text = "\n".join(json.dumps(item) for item in objects)
    for name, content in (
        ("p.jsonl", text),
        ("p.json", json.dumps(objects)),
        ("p.tsv", "file\tarousal\na1\t0.5\nb1\t0.25\n"),
        ("p.txt", "file|arousal\na1|0.5\nb1|0.25\n"),
    ):
        rows = imports(content, "--force", name=name)[4]
        assert [(row["file"], row["arousal"]) for row in rows] == [
            ("wav/a1.wav", "0.5"),
            ("more/b1.wav", "0.25"),
        ]


def test_without_a_dataset_names_stay(imports):
    _, report, _, _, rows = imports("file,arousal\nx\\y.wav,0.5\n", dataset=False)
    assert rows == [{"file": "x/y.wav", "start": "0", "end": "", "arousal": "0.5"}]
    assert report["missing"] == report["strangers"] == []


def test_one_row_is_not_several(imports):
    notes = imports("file,start,end,arousal\na1,0,2,0.5\n")[1]["notes"]
    assert "1 name of a file written as in 'mine'" in notes
    assert (
        "1 row with a time of end is taken for a whole file, which are the samples of 'mine'"
        in notes
    )


def test_rows_of_no_sample_are_told(imports):
    report = imports("file,arousal\na1,0.5\nother.wav,0.5\n")[1]
    assert report["strangers"] == ["other.wav"] and report["rows"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,arousal\nq,0.5\n", r"no row is about a sample of 'mine': the table has 'q', the"),
        (
            "file,arousal\na1,0.5\nwav/a1.wav,0.6\n",
            "p.csv: line 2 and line 3 are for the same sample: wav/a1.wav\n",
        ),
        (
            "file,start,end,arousal\nx,0,1,0.1\na2,0,1,0.5\n\na2,0,1.001,0.6\n",
            "p.csv: line 3 and line 5 are for the same sample: wav/a2.wav [0 s, 1 s]\n",
        ),
        ("file,arousal\n", "p.csv: has no rows\n"),
        ("file,arousal\na1,high\n", "column 'arousal': expected numbers, found 'high'"),
        ("x,y\n1,2\n", "no column of files; it has: x, y. Say which: --columns file=NAME"),
        ("file,y\na1,2\n", "no column for any of the targets arousal, dominance"),
        ("c," * 10_000 + "file\n", "p.csv: 10,001 columns, at most 10,000 are read\n"),
        ("file,start,end,arousal\na2,0,soon,1\n", "line 2: expected a time, found 'soon'"),
        ("file,arousal\n,0.5\n", "line 2: names no file"),
    ],
)
def test_faults_leave_nothing_behind(imports, catalog, text, message):
    code, _, errors, _, _ = imports(text)
    assert code == 2 and message in errors and errors.count("\n") == 1
    assert not (catalog / "models.yaml").exists() and not (catalog / "told.csv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,emotion\na,anger\na,anger\n", "line 2 and line 3 are for the same sample: a"),
        (
            "file,condition,emotion\na,x,anger\na,,anger\na,x,anger\n",
            "line 2 and line 4 are for the same sample: a (x)",
        ),
        (
            "file,condition,emotion\na,original,anger\na,,anger\n",
            "line 2 and line 3 are for the same sample: a",
        ),
        (
            "file,start,end,emotion\na,2,1,anger\n",
            "line 2: the end, 1 s, is not after the start, 2 s",
        ),
        ("file,emotion\n", "has no rows"),
    ],
)
def test_faults_of_a_table_without_dataset_name_its_line(imports, catalog, tmp_path, text, message):
    code, _, errors, _, _ = imports(text, dataset=False)
    assert (code, errors) == (2, f"error: {tmp_path / 'p.csv'}: {message}\n")
    assert not (catalog / "models.yaml").exists() and not (catalog / "told.csv").exists()


def test_ids_that_are_no_folder(imports, catalog):
    code, _, errors, _, _ = imports("file,arousal\na1,0.5\n", "--as", "CON")
    assert code == 2
    assert errors == (
        "error: --as CON: this id is the name of a device on Windows; choose another one\n"
    )


def test_options_that_are_wrong(imports):
    good = "file,arousal\na1,0.5\n"
    for options, message in [
        (("--columns", "valence=x"), "unknown column 'x'"),
        (("--columns", "loudness=arousal"), "unknown part of a prediction 'loudness'"),
        (("--map", "joy"), "--map joy: expected OLD=NEW"),
        (("--scale", "1"), "--scale 1: expected LOW,HIGH"),
    ]:
        assert message in imports(good, *options)[2]
    assert imports(good)[0] == 0
    assert "has a model 'told' already; --force replaces it" in imports(good)[2]


def test_columns_that_are_stated(imports):
    rows = imports("a,b,c\na1,0.5,x\n", "--columns", "file=a", "--columns", "valence=b")[4]
    assert (rows[0]["file"], rows[0]["valence"]) == ("wav/a1.wav", "0.5")


def test_names_that_may_be_several_files():
    samples = [("x/a.wav", 0, -1), ("y/a.wav", 0, -1)]
    assert match([(0, "a", 0, -1)], samples).ambiguous == ["a"]
    assert match([(0, "z/y/a", 0, -1)], samples).rows == {0: ("y/a.wav", 0, -1)}


def test_a_whole_file_with_its_length_is_the_whole_file():
    assert match([(0, "a", 0, 10**9)], [("a.wav", 0, -1)]).rows == {0: ("a.wav", 0, -1)}
    halves = [(0, "a", 0, 10**9), (1, "a", 10**9, 2 * 10**9)]
    assert match(halves, [("a.wav", 0, -1)]).strangers == ["a [0 s, 1 s]", "a [1 s, 2 s]"]
    middle = match([(0, "a", 10**9, 2 * 10**9)], [("a.wav", 0, -1)])
    assert not middle.rows and middle.strangers == ["a [1 s, 2 s]"]
    counts = [match([(0, "a", 0, end)], [("a.wav", 0, -1)]).stretched for end in (-1, 10**9)]
    assert counts == [0, 1]
    rounded = match([(0, "a", 1_001_000_000, 2_000_000_000)], [("a.wav", 10**9, 2 * 10**9)] * 1)
    assert rounded.rows == {0: ("a.wav", 10**9, 2 * 10**9)}


def test_scores_with_any_names(imports):
    table = "file,P(sad) %,P(hap) %,wut,n\na1,10 %,60 %,20 %,10 %\nb1,70,10,10,10\n"
    options = ["--columns", "emotion.anger=wut", "--columns", "emotion.neutral=n"]
    code, _, err, entry, rows = imports(table, *options)
    assert code == 0, err
    assert {k: rows[0][k] for k in rows[0] if k.startswith("emotion/")} == {
        "emotion/sad": "10.0",
        "emotion/hap": "60.0",
        "emotion/anger": "20.0",
        "emotion/neutral": "10.0",
    }
    assert entry["outputs"]["emotion"]["mapping"] == {"hap": "happiness", "sad": "sadness"}
    code, _, err, _, _ = imports(table, *options[:2], "--force", name="q.csv")
    assert code == 2 and "there is none for 'neutral': --columns emotion.neutral=NAME" in err
    code, _, err, _, _ = imports(table, "--columns", "emotion.angr=wut", "--force", name="q.csv")
    assert (
        code == 2 and "--columns emotion.angr: unknown class 'angr'. Did you mean 'anger'?" in err
    )
    code, _, err, _, _ = imports(table, "--columns", "arousal.anger=wut", "--force", name="q.csv")
    assert code == 2 and "unknown part of a prediction 'arousal.anger'" in err


def test_several_classes_in_one_option(imports):
    table = "file,emotion\na1,wut\nb1,ruhe\nb2,angst\n"
    code, _, err, entry, _ = imports(table, "--map", "wut=anger,ruhe=neutral , angst=")
    assert code == 0, err
    mapping = {"wut": "anger", "ruhe": "neutral", "angst": None}
    assert entry["outputs"]["emotion"]["mapping"] == mapping


@pytest.mark.parametrize("scale", ["5,1", "3,3", "nan,1", "0,inf"])
def test_scales_go_upwards(imports, scale):
    code, _, err, _, _ = imports("file,arousal\na1,3\n", "--scale", scale)
    assert code == 2
    assert f"--scale {scale}: LOW must be less than HIGH, as in --scale 1,7" in err


def test_the_catalog_that_is_written_is_read(catalog, tmp_path, capsys):
    (tmp_path / "p.csv").write_text("file,emotion\nwav/a1.wav,anger\n")
    words = ["import-predictions", str(tmp_path / "p.csv"), "--as", "told", "--dataset", "mine"]
    assert main([*words, "--to", str(catalog), "--cache", str(tmp_path / "cache")]) == 0
    assert "1 prediction" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["import", "import-predictions"])
def test_the_option_for_writing_is_named(catalog, tmp_path, capsys, command):
    (tmp_path / "p.csv").write_text("file,emotion\nwav/a1.wav,anger\n")
    path = tmp_path / ("data" if command == "import" else "p.csv")
    for folder, what in (("empty", "holds no catalog"), ("none", "no such folder")):
        (tmp_path / "empty").mkdir(exist_ok=True)
        place = tmp_path / folder
        assert main([command, str(path), "--catalog", str(place)]) == 2
        err = capsys.readouterr().err
        assert f"--catalog {place}: {what}" in err and f"--to {place}" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("file,emotion\na1,hap\nb1,sad\n", ("--map", "hap=hapiness"),
         "--map hap=hapiness: unknown class 'hapiness' of emotion. Did you mean 'happiness'? Known: anger, "
         "happiness, neutral, sadness"),
        ("file,emotion\na1,hap\n", ("--map", "hap=joy"), "--map hap=joy: unknown class 'joy' of emotion."),
        ("file,emotion\na1,hap\nb1,sad\n", ("--map", "happ=happiness"),
         "--map happ=happiness: unknown class 'happ' of the table. Did you mean 'hap'? Known: hap, sad"),
        ("file,emotion\na1,hap\n", ("--map", "joy="), "--map joy=: unknown class 'joy' of the table."),
        ("file,arousal\na1,0.5\n", ("--map", "joy=happiness"), "--map joy=happiness: the table has no classes"),
        ("file,emotion\na1,hap\n", ("--scale", "1,7"), "--scale 1,7: the table has no numbers of a target, only classes"),
    ],
)  # fmt: skip
def test_what_is_said_of_classes_and_numbers_must_be_there(
    imports, catalog, text, options, message
):
    code, _, errors, _, _ = imports(text, *options)
    assert code == 2 and message in errors and errors.count("\n") == 1
    assert not (catalog / "models.yaml").exists()


def test_classes_of_rows_that_are_left_out_may_be_mapped(imports):
    code, _, err, entry, _ = imports("file,emotion\na1,hap\nother,wut\n", "--map", "wut=anger")
    assert code == 0, err
    assert entry["outputs"]["emotion"]["mapping"] == {"hap": "happiness"}


@pytest.mark.parametrize("name", ["prediction", "predicted", "pred", "hyp", "Prediction", "y_pred"])
@pytest.mark.parametrize(
    ("target", "truth", "predicted"), [("emotion", "sad", "ang"), ("arousal", "0.9", "0.1")]
)
def test_a_column_that_says_it_is_predicted_wins(imports, name, target, truth, predicted):
    code, report, err, _, rows = imports(f"file,{target},{name}\na1,{truth},{predicted}\n")
    assert code == 0, err
    assert rows[0][target] == predicted
    assert (
        f"'{name}' rather than '{target}', whose name does not say that it is predicted"
        in report["notes"]
    )
    assert f"not used: {target}" in report["notes"]


def test_columns_that_may_both_be_predictions_are_refused(imports):
    table = "file,emotion,prediction\na1,sad,0.3\nb1,sad,0.4\n"
    code, _, err, _, _ = imports(table)
    assert code == 2 and err.count("\n") == 1
    assert (
        "'prediction' says that it is predicted, but its values are not known as those of emotion; say which "
        "column it is: --columns emotion=prediction, or --columns emotion=emotion" in err
    )
    assert imports(table, "--columns", "emotion=emotion")[4][0]["emotion"] == "sad"
    table = "file,arousal,valence,prediction\na1,0.1,0.2,0.3\n"
    code, _, err, _, _ = imports(table, "--force")
    assert code == 2 and err.count("\n") == 1
    assert "'prediction' may be of arousal or of valence; say which" in err
    (row,) = imports(table, "--columns", "valence=prediction,arousal=", "--force")[4]
    assert row["valence"] == "0.3" and "arousal" not in row


def test_a_second_target_that_may_be_an_annotation_is_refused(imports):
    table = "file,emotion,prediction,arousal\na1,sad,ang,0.3\n"
    code, _, err, _, _ = imports(table)
    assert code == 2 and err.count("\n") == 1
    assert (
        "'prediction' says that it is predicted, 'arousal' does not: --columns arousal=arousal takes it, "
        "--columns arousal= leaves it out" in err
    )
    (row,) = imports(table, "--columns", "arousal=")[4]
    assert row["emotion"] == "ang" and "arousal" not in row
    (row,) = imports(table, "--columns", "arousal=arousal", "--force")[4]
    assert (row["emotion"], row["arousal"]) == ("ang", "0.3")


def test_the_annotation_is_recognised(imports):
    rows = [
        *((FILES[n], "", "", "anger" if n % 2 else "sadness", n) for n in (0, 2, 3)),
        *((FILES[1], a, a + 1, "anger", 1) for a in (0, 1)),
    ]
    table = "file,start,end,emotion,arousal\n" + "".join(
        f"{file},{start},{end},{emotion[:3]},{10 * n} %\n" for file, start, end, emotion, n in rows
    )
    notes = imports(table)[1]["notes"]
    for target in ("emotion", "arousal"):
        assert (
            f"warning: '{target}' equals the annotation of 'mine' on all 5 samples; if it is no "
            f"prediction, say which column is: --columns {target}=NAME" in notes
        )
    notes = imports(table.replace("30 %", "35 %").replace("sad", "hap"), "--force")[1]["notes"]
    assert not any("equals the annotation" in note for note in notes)


def test_the_annotation_is_recognised_where_it_has_classes_that_do_not_count(imports, catalog):
    path = catalog.parent / "data" / "metadata.csv"
    path.write_text(path.read_text().replace("sadness", "boredom"))
    table = "file,emotion\nwav/a1.wav,boredom\nmore/b1.wav,boredom\nmore/b2.wav,anger\n"
    two = "file,start,end,emotion\n" + "".join(
        f"{file},,,{word}\n" for file, word in (line.split(",") for line in table.split()[1:])
    )
    two += "wav/a2.wav,0,1,anger\nwav/a2.wav,1,2,anger\n"
    notes = imports(two)[1]["notes"]
    assert any("'emotion' equals the annotation of 'mine' on all 5 samples" in n for n in notes)


def test_a_stated_scale_that_does_not_fit_is_told(imports):
    notes = imports("file,arousal\na1,3\nb1,7\n", "--scale", "1,3")[1]["notes"]
    assert any("warning: model 'told': arousal: values from 1 to 3 where its" in n for n in notes)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('"arousal": true', r"arousal.*expected numbers, found 'True'"),
        ('"arousal": 0.1, "arousal": 0.2', r"line 1: .*the key 'arousal' appears twice"),
        (
            '"anger": true, "happiness": 0, "neutral": 0, "sadness": 0',
            r"column 'anger': expected a number, found 'True'",
        ),
    ],
)
def test_truth_values_and_repeated_keys_are_no_predictions(imports, row, message):
    text = "\n".join(f'{{"file": "{file}", {row}}}' for file in FILES[2:])
    code, _, errors, _, _ = imports(text, name="p.jsonl")
    assert code == 2 and re.search(message, errors) and len(errors.splitlines()) == 1
