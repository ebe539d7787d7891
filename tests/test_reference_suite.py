"""Importing the reference suite: its folders become published results, tests and entries."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from common.cli.main import main
from common.core.errors import ConfigError, DataError
from common.core.paths import DOCS, PUBLISHED
from common.reports.reference import import_reference, scores
from common.results import published
from common.spec import load_benchmark

KEY = ["target", "model_version", "test", "metric", "data", "condition", "label"]
CNN14, WAVLM_CAT, CNN14_CAT = "1543ec32-1.0.3", "cf69d616-1.0.0", "6d83a25c-1.0.1"
RESULTS = "docs/results/test"
#: a tree in the layout of the reference; the numbers are published ones
TREE = {
    f"arousal/{CNN14}/correctness_speaker_ranking/spearmans-rho.csv": """\
Data,Spearmans Rho
msppodcast-2.6.1-emotion.dimensions.test-1.gold_standard,0.9
msppodcast-2.6.1-emotion.dimensions.test-2.gold_standard,0.8
""",
    f"arousal/{CNN14}/fairness_sex/precision-per-bin-female.csv": """\
Data,"(-inf, 0.25]","(0.25, 0.5]","(0.5, 0.75]","(0.75, inf]"
iemocap-2.3.0-full,0.05,0.01,-0.04,
msppodcast-2.6.1-emotion.dimensions.test-1.gold_standard,,0.04,-0.01,0.01
""",
    f"arousal/{CNN14}/fairness_linguistic_sentiment/mean-shift-difference-neutral-sentiment.csv": """\
Data,Mean Shift Difference Neutral Sentiment,_Mean Shift Difference Neutral Sentiment
checklist-synth-1.0.0-words-in-context-de,-0.01,(-0.01 - 0.00)
checklist-synth-1.0.0-words-in-context-ja,0.01,(0.02 - 0.00)
""",
    f"emotion/{CNN14_CAT}/correctness_speaker_ranking/spearmans-rho.csv": """\
Data,anger,happiness,neutral,sadness
meld-1.3.1-emotion.categories.test.gold_standard,,-0.77,,
""",
    f"emotion/{WAVLM_CAT}/robustness_recording_condition/percentage-unchanged-predictions-recording-condition.csv": """\
Data,Percentage Unchanged Predictions Recording Condition
imda-nsc-read-speech-balanced-2.6.0-headset-boundary,
""",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(tmp_path / "ser-tests", {f"{RESULTS}/{name}": text for name, text in TREE.items()})


def listed(catalog: Path, name: str = "left-out") -> list[dict[str, str]]:
    with (catalog / "published" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def yaml_of(metrics: str, data: str = "  - {name: iemocap, version: 2.3.0}") -> str:
    return f"Data:\n{data}\n\nMetrics:\n{metrics}\n"


# -- results ----------------------------------------------------------------------------------


def test_a_miniature_tree_comes_back_as_published_rows(tmp_path: Path, tree: Path) -> None:
    import_reference(tree, tmp_path / "catalog")
    rows = published.load(tmp_path / "catalog" / "published").set_index(KEY)
    there = published.load().set_index(KEY)
    #: lines of the tree whose scores are those of the paper; the two below have empty fields
    same = [name for name in rows.index if name[1] == CNN14]
    assert len(same) == 2 + 8 + 2
    pd.testing.assert_frame_equal(rows.loc[same], there.loc[same])
    reversed_ranking = rows[rows["value"] == -0.77]
    assert list(reversed_ranking["note"]) == [published.NEGATIVE_RHO]
    pd.testing.assert_frame_equal(reversed_ranking, there.loc[reversed_ranking.index])
    assert set(rows["model"]) == {"CNN14", "wavlm"}


def test_all_scores_of_the_paper_come_back_row_by_row(tmp_path: Path) -> None:
    root = tmp_path / "ser-tests"
    notes = pd.read_csv(PUBLISHED / "annotations.csv", dtype=str, keep_default_na=False)
    notes = notes.set_index(["task", *published.CELL])
    for task in published.target_order():
        table = pd.read_csv(PUBLISHED / f"{task}.csv", dtype=str, keep_default_na=False)
        for model in table.columns[len(published.CELL) :]:
            for (test, metric), part in table.groupby(["test", "metric"], sort=False):
                folder = root / RESULTS / task / model / test
                folder.mkdir(parents=True, exist_ok=True)
                wide = part.pivot(index="data", columns="column", values=model)
                wide = wide.loc[part["data"].unique(), part["column"].unique()]
                keys = [(task, test, metric, d, c) for d in wide.index for c in wide]
                if keys[0] in notes.index:
                    for column in list(wide):
                        index = [(task, test, metric, data, column) for data in wide.index]
                        wide[f"_{column}"] = notes.reindex(index)[model].to_numpy()
                wide.fillna("").to_csv(folder / f"{metric}.csv", index_label="Data")
    report = import_reference(root, tmp_path / "catalog")
    pd.testing.assert_frame_equal(
        published.load(tmp_path / "catalog" / "published"), published.load()
    )
    assert report.rows == 25_464
    assert sum("A5" in why for why in report.verdicts) == 1
    assert not [item for item in report.left_out if item.what != "model"]


def test_a_cell_that_a_model_was_not_run_on_makes_no_row(tmp_path: Path, tree: Path) -> None:
    name = f"{RESULTS}/arousal/my-model-1.0.0/correctness_speaker_ranking/spearmans-rho.csv"
    data = "msppodcast-2.6.1-emotion.dimensions.test-2.gold_standard"
    write(tree, {name: f"Data,Spearmans Rho\n{data},0.65\n"})
    write(tree, {"docs/model_names.yml": "my-model-1.0.0: mine\n"})
    import_reference(tree, tmp_path / "catalog")
    rows = published.load(tmp_path / "catalog" / "published")
    own = rows[rows["model"] == "mine"]
    assert own[["model_version", "data", "value", "status"]].to_numpy().tolist() == [
        ["my-model-1.0.0", data, 0.65, "fail"]
    ]


def test_data_that_only_yaml_names_and_unknown_data(tmp_path: Path, tree: Path) -> None:
    name = f"{RESULTS}/arousal/{CNN14}/correctness_regression/mean-absolute-error.csv"
    write(tree, {name: "Data,Mean Absolute Error\nmine-1.0.0-dev,0.1\nother-1.0.0-x,0.2\n"})
    metrics = "  - {name: Mean Absolute Error, threshold: 0.1}"
    test = yaml_of(metrics, "  - {name: mine, version: 1.0.0, table: dev}")
    write(tree, {"test/arousal/correctness_regression.yaml": test})
    import_reference(tree, tmp_path / "catalog")
    rows = published.load(tmp_path / "catalog" / "published")
    own = rows[rows["dataset"] == "mine"]
    assert list(own["dataset_version"]) == ["1.0.0"] and list(own["status"]) == ["fail"]
    assert "other" not in set(rows["dataset"])
    reasons = {item["what"]: item["reason"] for item in listed(tmp_path / "catalog")}
    assert "its dataset is unknown" in reasons["data other-1.0.0-x"]
    assert "no dataset of the catalog is mine 1.0.0 dev" in reasons["Data[0]"]


def test_what_has_no_counterpart_is_listed(tmp_path: Path, tree: Path) -> None:
    folder = f"{RESULTS}/arousal/{CNN14}"
    write(
        tree,
        {
            f"{folder}/correctness_distribution/mean-value.csv": "Data,Mean Value\na-1,0.1\nb-1,0.2\n",
            f"{folder}/correctness_distribution/visualization_a.png": "",
            f"{folder}/model-params.csv": "Entry,Value\n",
            f"{RESULTS}/joy/m-1/t/x.csv": "Data,X\n",
            f"{RESULTS}/arousal/a b/t/x.csv": "Data,X\n",
            "comparison/arousal.yaml": f"- {{baseline: {CNN14}, candidates: [gone-1.0.0]}}\n",
        },
    )
    (tree / RESULTS / "arousal" / "link").symlink_to(tmp_path)
    import_reference(tree, tmp_path / "catalog")
    left_out = {
        item["place"]: (item["what"], item["reason"]) for item in listed(tmp_path / "catalog")
    }
    where = f"arousal/{CNN14}/correctness_distribution"
    assert left_out[f"{where}/mean-value.csv"][0] == "metric (2 scores)"
    assert left_out[f"{RESULTS}/{where}/visualization_a.png"][0] == "figure"
    assert left_out[f"{folder}/model-params.csv"][0] == "facts of the model"
    assert "no target of this name" in left_out[f"{RESULTS}/joy"][1]
    assert left_out[f"{RESULTS}/arousal/link"] == ("link", "links are not followed")
    assert "cannot be the name" in left_out[f"{RESULTS}/arousal/a b"][1]
    assert left_out["comparison/arousal.yaml"] == ("[0]", "no results of gone-1.0.0")
    assert "--networks names no folder" in left_out[CNN14][1]


def test_verdicts_that_differ_say_why(tmp_path: Path, tree: Path) -> None:
    name = f"{RESULTS}/arousal/{CNN14}/correctness_regression/pearson-correlation-coeff.csv"
    data = "iemocap-2.3.0-emotion.dimensions.test.gold_standard"
    write(tree, {name: f"Data,Pearson Correlation Coeff\n{data},\n"})
    import_reference(tree, tmp_path / "catalog")
    different = {
        (line["metric"], line["label"], line["value"]): line
        for line in listed(tmp_path / "catalog", "verdicts")
    }
    missing = different["pcc", "", "nan"]
    assert (missing["verdict"], missing["verdict_here"]) == ("fail", "skip")
    assert "A16" in missing["why"]
    turned = different["class_proportion_spearmans_rho", "happiness", "-0.77"]
    assert (turned["verdict"], turned["verdict_here"]) == ("pass", "fail")
    assert "A5" in turned["why"]


# -- tests and models -------------------------------------------------------------------------


def test_other_thresholds_and_data_become_tests(tmp_path: Path, tree: Path) -> None:
    metrics = (
        "  - {name: Concordance Correlation Coeff Female, threshold: 0.05}\n"
        "  - {name: Concordance Correlation Coeff Male, threshold: 0.05}\n"
        "  - {name: Precision Per Bin Female, threshold: 0.2}\n"
        "  - {name: Precision Per Bin Male, threshold: 0.1}\n"
        "  - {name: Recall Per Bin Female, threshold: {low: 1}}\n"
        "  - {name: Mean Absolute Error Female, threshold: 0.02}\n"
        "  - {name: Visualization}"
    )
    data = "  - {name: iemocap, version: 2.3.0, table: emotion.dimensions.test.gold_standard}"
    write(tree, {"test/arousal/fairness_sex.yaml": yaml_of(metrics, data)})
    write(tree, {"test/arousal/fairness_shoe_size.yaml": yaml_of("  - {name: X}")})
    catalog = tmp_path / "catalog"
    report = import_reference(tree, catalog)
    assert report.tests == ["fairness_sex"]
    builtin, test = (load_benchmark(c).tests["fairness_sex"] for c in ([], [catalog]))
    assert [str(use.criterion) for use in test.regression] == [
        "|x| < 0.05",
        *(str(use.criterion) for use in builtin.regression[1:]),
    ]
    assert test.bounds == "declared" and test.classification == builtin.classification
    assert set(test.datasets) - set(builtin.datasets) == {"iemocap-dimensions"}
    reasons = {item["what"]: item["reason"] for item in listed(catalog)}
    assert "several thresholds: 0.2" in reasons["precision_per_bin"]
    assert "one number" in reasons["Recall Per Bin Female"]
    assert "no such metric" in reasons["Mean Absolute Error Female"]
    assert "a figure" in reasons["Visualization"]
    assert reasons["test"] == "the suite has no test of this name"
    assert main(["check", "--catalog", str(catalog), "--cache", str(tmp_path / "cache")]) == 0


def test_thresholds_of_the_paper_change_no_test(tmp_path: Path) -> None:
    table = pd.read_csv(PUBLISHED / "thresholds.csv", dtype=str, keep_default_na=False)
    root = tmp_path / "ser-tests"
    for (task, test), part in table.groupby(["task", "test"]):
        names = zip(part["metric_name"], part["threshold"], strict=True)
        metrics = "\n".join(f"  - {{name: {name}, threshold: {bound}}}" for name, bound in names)
        write(root, {f"test/{task}/{test}.yaml": f"Data: []\nMetrics:\n{metrics}\n"})
    report = import_reference(root, tmp_path / "catalog")
    assert report.tests == [] and report.left_out == []
    assert len(list((root / "test").glob("*/*.yaml"))) > 50


def test_slugs_are_names_of_tables() -> None:
    table = pd.read_csv(PUBLISHED / "thresholds.csv", dtype=str)
    assert [scores.slug(name) for name in table["metric_name"]] == list(table["metric"])


# -- faults -----------------------------------------------------------------------------------

TABLE = f"{RESULTS}/arousal/{CNN14}/correctness_speaker_ranking/spearmans-rho.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: expected 'Data' and different columns, found ''"),
        ("data,X\n", r"line 1: expected 'Data'"),
        ("Data,X,X\n", r"line 1: expected 'Data' and different"),
        ("Data,X\na,1,2\n", r"line 2: 3 fields, but the header has 2"),
        ("Data,X\na,much\n", r"line 2, column X: 'much' is no number"),
        ("Data,X\na,inf\n", r"line 2, column X: 'inf' is no finite number"),
        ("Data,X\na,1\na,2\n", r"line 3: data 'a' appears twice"),
        ('Data,X\n"a,1\n', r"cannot be read as CSV"),
    ],
)
def test_a_broken_table_is_named_and_nothing_is_written(
    tmp_path: Path, tree: Path, text: str, message: str
) -> None:
    write(tree, {TABLE: text})
    with pytest.raises(DataError, match=message) as caught:
        import_reference(tree, tmp_path / "catalog")
    assert "spearmans-rho.csv" in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "catalog").exists()


@pytest.mark.parametrize("text", ["Data,X\na,much\n", "data,X\n", "Data,X\na,1,2\n"])
def test_a_broken_table_that_nobody_takes_is_left_out(
    tmp_path: Path, tree: Path, text: str
) -> None:
    place = f"arousal/{CNN14}/correctness_distribution/mean-value.csv"
    write(tree, {f"{RESULTS}/{place}": text})
    import_reference(tree, tmp_path / "catalog")
    assert place in [item["place"] for item in listed(tmp_path / "catalog")]


def test_a_name_with_a_blank_becomes_an_id_and_stays_a_label(
    tmp_path: Path, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree, {"docs/model_names.yml": f"{CNN14}: My  CNN\n{WAVLM_CAT}: '???'\n"})
    catalog = tmp_path / "catalog"
    assert main(["import-reference", str(tree), "--to", str(catalog)]) == 0
    printed = capsys.readouterr().out
    assert "model 'My CNN': its id is My-CNN" in printed
    assert "'???' cannot be the name of a model" in printed
    assert "the website does not show them" in printed
    rows = published.load(catalog / "published")
    assert set(rows.loc[rows["model_version"] == CNN14, "model"]) == {"My-CNN"}
    options = ["--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    assert main(["summary", "--catalog", str(catalog), *options]) == 0
    imported = capsys.readouterr().out.partition("Results in ")[2]
    assert "My CNN" in imported and "My-CNN" not in imported


def test_names_that_make_the_same_id_stay_apart(tmp_path: Path, tree: Path) -> None:
    other = "my-model-1.0.0"
    table = TREE[f"arousal/{CNN14}/correctness_speaker_ranking/spearmans-rho.csv"]
    write(
        tree,
        {
            f"{RESULTS}/arousal/{other}/correctness_speaker_ranking/spearmans-rho.csv": table,
            "docs/model_names.yml": f"{CNN14}: My CNN\n{other}: My-CNN\n",
        },
    )
    import_reference(tree, tmp_path / "catalog")
    labels = published.labels(tmp_path / "catalog" / "published")
    assert labels == {"My-CNN": "My CNN", f"My-CNN-{other}": f"My-CNN ({other})"}


def test_bytes_that_are_no_text_are_named(tmp_path: Path, tree: Path) -> None:
    (tree / TABLE).write_bytes(b"Data,X\n\xff,1\n")
    with pytest.raises(DataError, match=r"spearmans-rho\.csv: cannot be read as CSV in UTF-8"):
        import_reference(tree, tmp_path / "catalog")


def test_wrong_folders_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, message in (
        (tmp_path, "no results of the reference suite"),
        (tmp_path / "x", "no such folder"),
    ):
        assert main(["import-reference", str(path), "--to", str(tmp_path / "catalog")]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"error: {path}: {message}")
    assert not (tmp_path / "catalog").exists()


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("test/arousal/fairness_sex.yaml", "- x\n", r"expected 'Data' and 'Metrics'"),
        ("test/arousal/fairness_sex.yaml", "Data: x\nMetrics: []\n", r"Data: expected a list"),
        (
            "test/arousal/fairness_sex.yaml",
            "Data: []\nMetrics: [{name: 1}]\n",
            r"Metrics\[0\]\.name",
        ),
        ("test/arousal/fairness_sex.yaml", "Data: [\n", r"not valid YAML"),
        ("comparison/arousal.yaml", "- 1\n", r"expected baseline and candidates"),
        ("docs/model_names.yml", "- 1\n", r"expected 'id: name' lines"),
    ],
)
def test_broken_yaml_is_named(
    tmp_path: Path, tree: Path, file: str, text: str, message: str
) -> None:
    write(tree, {file: text})
    with pytest.raises(ConfigError, match=message) as caught:
        import_reference(tree, tmp_path / "catalog")
    assert Path(file).name in str(caught.value)


def test_an_earlier_import_is_replaced_only_by_force(tmp_path: Path, tree: Path) -> None:
    catalog = tmp_path / "catalog"
    import_reference(tree, catalog)
    with pytest.raises(ConfigError, match=r"published: already exists; --force replaces it"):
        import_reference(tree, catalog)
    before = {path.name: path.read_bytes() for path in (catalog / "published").iterdir()}
    import_reference(tree, catalog, force=True)
    assert {p.name: p.read_bytes() for p in (catalog / "published").iterdir()} == before


# -- the guide --------------------------------------------------------------------------------


def test_the_commands_of_the_guide_work(
    tmp_path: Path, tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (DOCS / "howto" / "migrate_from_the_reference_suite.rst").read_text("utf-8")
    commands = re.findall(r"^   \$ python build\.py (.*)$", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    tree.rename(tmp_path / "path-to")
    folders = ["--cache", str(tmp_path / "cache"), "--output", str(tmp_path / "out")]
    for command in commands[:3]:
        words = command.replace("path/to/ser-tests", "path-to").split()
        assert main([*words, *folders]) == 0, command
    printed = capsys.readouterr().out
    assert "17 scores of 2 models for arousal, emotion" in printed
    assert "Results in my-catalog/published" in printed
    assert main(["summary", "--json", "--catalog", "my-catalog", *folders]) == 0
    content = json.loads(capsys.readouterr().out)
    (imported,) = content["imported"].values()
    assert {row["model"] for row in imported["rows"]} == {"CNN14", "wavlm"}
