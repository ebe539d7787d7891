"""Published results: nothing lost, every count of the source met, faults named."""

from __future__ import annotations

import csv
import importlib.util
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.core.errors import DataError
from common.core.paths import PUBLISHED, SUITE
from common.results import published
from common.spec import load_tests

COUNTED = {"pass": "passed", "fail": "failed", "skip": "skipped"}
SOURCES = [
    row["file"] for row in csv.DictReader((PUBLISHED / "sources.csv").read_text().splitlines())
]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return published.load()


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The script that packed the data."""
    spec = importlib.util.spec_from_file_location("published_make", PUBLISHED / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the published tables that a test may damage."""
    for path in PUBLISHED.glob("*.csv"):
        if path.name not in ("counts.csv", "fairness_simulation.csv", "sources.csv"):
            shutil.copy(path, tmp_path)
    return tmp_path


def replace(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), "utf-8")


# -- the data ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOURCES)
def test_source_file_can_be_written_again_byte_by_byte(make: ModuleType, name: str) -> None:
    file = next(row for row in make.sources() if row["file"] == name)
    assert make.digest(make.unpacked(file)) == file["sha256"]


def test_packing_the_unpacked_files_changes_nothing(make: ModuleType, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    make.unpack(source)
    target.mkdir()
    for name in ("models.csv", "sources.csv"):
        shutil.copy(PUBLISHED / name, target)
    make.HERE = target
    try:
        make.pack(source)
    finally:
        make.HERE = PUBLISHED
    for name in SOURCES:
        assert (target / name).read_bytes() == (PUBLISHED / name).read_bytes(), name


def test_files_stay_small_and_their_licence_is_with_them() -> None:
    sizes = {path.name: path.stat().st_size for path in PUBLISHED.iterdir() if path.is_file()}
    assert max(sizes.values()) < 1_500_000
    assert sum(sizes.values()) < 1_200_000
    text = (PUBLISHED / "README.md").read_text("utf-8")
    assert "Copyright (c) 2023-present audEERING GmbH and Contributors" in text
    assert "455c47ce" in text
    assert all(f"`{name}`" in text for name in sizes if name != "README.md")


def test_every_model_that_listens_says_what_it_was_built_on(rows: pd.DataFrame) -> None:
    foundations = published.foundations()
    assert set(foundations) == set(rows["model"]) - set(published.chance())
    for entry in foundations.values():
        assert entry["architecture"] and entry["developer"] and entry["paper"]
        assert entry["link"].startswith("https://arxiv.org/abs/")
        assert entry["parameters_million"] == "" or int(entry["parameters_million"]) > 0
        # one or more addresses; where the sizes of these differ, they are named
        addresses = entry["weights"].split()
        assert addresses and all(address.startswith("https://") for address in addresses)
        assert bool(entry["sizes"]) == (entry["parameters_million"] == "")


# -- rows -------------------------------------------------------------------------------------


def test_rows_have_the_columns_and_types_of_results(rows: pd.DataFrame) -> None:
    assert len(rows) == 25_464
    assert rows.dtypes.to_dict() == results.frame([]).dtypes.to_dict()
    assert list(rows) == list(results.COLUMNS)
    assert not rows.duplicated(
        ["target", "model", "test", "data", "condition", "metric", "label"]
    ).any()
    for column in ("test", "dataset", "dataset_version", "data", "condition", "criterion"):
        assert (rows[column] != "").all(), column
    for column in ("n", "reference_value", "ci_low", "ci_high"):
        assert rows[column].isna().all(), column


def test_verdicts_add_up_to_the_published_counts(rows: pd.DataFrame) -> None:
    expected = pd.read_csv(PUBLISHED / "counts.csv").set_index(["task", "model_id", "test"])
    found = rows.groupby(["target", "model_version", "test", "status"]).size().unstack(fill_value=0)
    assert len(expected) == len(found) == 756
    found = found.rename(columns=COUNTED).reindex(expected.index)
    wrong = found[(found != expected[list(found)]).any(axis=1)]
    assert wrong.empty, wrong


def test_values_are_those_of_the_score_tables(rows: pd.DataFrame) -> None:
    own = rows[(rows["model"] == "wavlm") & (rows["target"] == "valence")]
    with (PUBLISHED / "valence.csv").open(newline="") as file:
        expected = [line["54d9c66b-1.0.1"] for line in csv.DictReader(file)]
    assert ["" if np.isnan(v) else float(v) for v in own["value"]] == [
        float(v) if v else "" for v in expected
    ]


def test_one_model_has_one_name_for_dimensions_and_categories(rows: pd.DataFrame) -> None:
    own = rows[rows["model"] == "wavlm"].drop_duplicates(["target", "model_version"])
    assert dict(zip(own["target"], own["model_version"], strict=True)) == {
        "arousal": "54d9c66b-1.0.1",
        "dominance": "54d9c66b-1.0.1",
        "valence": "54d9c66b-1.0.1",
        "emotion": "cf69d616-1.0.0",
    }
    assert rows["model"].nunique() == 13


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (
            {"test": "fairness_sex", "metric": "ccc", "dataset": "iemocap"},
            {
                "data": {"iemocap-2.3.0-full"},
                "dataset_version": {"2.3.0"},
                "condition": {"female", "male"},
                "reference": {"all"},
                "label": {""},
                "criterion": {"|x| < 0.075"},
            },
        ),
        (
            {"test": "fairness_language", "metric": "relative_difference_per_bin"},
            {
                "condition": {"de", "en", "es", "fr", "it", "zh"},
                "label": {"(-inf, 0.25]", "(0.25, 0.5]", "(0.5, 0.75]", "(0.75, inf]"},
            },
        ),
        (
            {"test": "robustness_recording_condition"},
            {
                "metric": {"percentage_unchanged"},
                "condition": {"boundary", "mobile"},
                "reference": {"headset"},
                "criterion": {"> 0.8"},
            },
        ),
        (
            {"test": "robustness_small_changes", "condition": "additive-tone"},
            {"metric": {"percentage_unchanged"}, "reference": {"original"}, "label": {""}},
        ),
        (
            {"test": "correctness_speaker_ranking"},
            {
                "metric": {"spearmans_rho"},
                "condition": {"original"},
                "reference": {""},
                "criterion": {"|x| > 0.7"},
            },
        ),
    ],
)
def test_names_of_conditions_metrics_and_labels(
    rows: pd.DataFrame, where: dict[str, str], expected: dict[str, set[str]]
) -> None:
    own = rows[rows["target"] == "arousal"]
    for column, value in where.items():
        own = own[own[column] == value]
    assert len(own)
    assert {column: set(own[column]) for column in expected} == expected


def test_classes_have_their_own_metrics(rows: pd.DataFrame) -> None:
    own = rows[rows["target"] == "emotion"]
    metrics = own.groupby("test")["metric"].unique().map(set)
    assert metrics["correctness_speaker_ranking"] == {"class_proportion_spearmans_rho"}
    assert metrics["robustness_small_changes"] == {"percentage_unchanged_classes"}
    assert set(own["label"]) == {"", "anger", "happiness", "neutral", "sadness"}


def test_metrics_and_thresholds_are_those_of_the_suite() -> None:
    """Published and own results share metrics; thresholds differ in the sign of rho only."""
    suite = load_tests(SUITE)
    mapping = pd.read_csv(PUBLISHED / "metrics.csv", keep_default_na=False)
    kinds = dict(pd.read_csv(PUBLISHED / "tasks.csv")[["task", "kind"]].to_numpy())
    rules = published.thresholds()
    rules["kind"] = rules["task"].map(kinds)
    rules = rules.merge(
        mapping, left_on=["kind", "test", "metric"], right_on=["kind", "test", "published"]
    )
    names = {"dimensions": "regression", "categories": "classification"}
    for (kind, test), part in rules.groupby(["kind", "test"]):
        if test in suite:
            found = {(use.metric, use.criterion.threshold) for use in suite[test].uses(names[kind])}
            expected = zip(part["metric_y"], part["threshold"], strict=True)
            assert {(name, f"{bound:g}") for name, bound in expected} == found, (kind, test)


def test_skipped_cells_say_why(rows: pd.DataFrame) -> None:
    skipped = rows[rows["status"] == "skip"]
    assert len(skipped) == 3324
    assert (skipped["reason"] != "").all()
    assert (rows.loc[rows["status"] != "skip", "reason"] == "").all()
    own = skipped[skipped["test"] == "fairness_accent"]["reason"].unique()
    assert list(own) == ["fewer than 4 predictions of all accents lie in this bin"]


def test_annotations_stand_with_their_scores(rows: pd.DataFrame) -> None:
    own = rows[rows["note"].str.startswith("(")]
    assert len(own) == 4320
    assert set(own["test"]) == {"fairness_linguistic_sentiment"}
    assert own["value"].notna().all()
    first = own[(own["model"] == "CNN14") & (own["label"] == "(0.25, 0.5]")].iloc[0]
    assert (first["condition"], first["note"]) == ("negative-sentiment", "(0.01 - -0.00)")


def test_the_two_cells_that_pass_with_a_reversed_ranking_are_marked(rows: pd.DataFrame) -> None:
    own = rows[rows["note"] == published.NEGATIVE_RHO]
    assert [tuple(row) for row in own[["model", "dataset", "label", "value"]].to_numpy()] == [
        ("CNN14", "meld", "happiness", -0.77),
        ("random-categorical", "msppodcast", "anger", -0.94),
    ]


def test_no_function_is_called_row_by_row(rows: pd.DataFrame) -> None:
    calls: Counter[str] = Counter()

    def count(frame: Any, event: str, argument: object) -> None:
        if event == "call" and str(frame.f_globals.get("__name__", "")).startswith("common."):
            calls[frame.f_code.co_qualname] += 1

    sys.setprofile(count)
    try:
        published.load()
    finally:
        sys.setprofile(None)
    assert 0 < calls.total() < len(rows) / 2, calls.most_common(3)


def test_rows_are_the_same_without_pyarrow_strings(rows: pd.DataFrame) -> None:
    with pd.option_context("mode.string_storage", "python"):
        plain = published.load()
    for column in rows:
        pd.testing.assert_series_equal(plain[column].astype(rows[column].dtype), rows[column])


# -- verdicts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparison", "statuses"),
    [
        (">", "fail fail fail pass fail"),
        ("<", "pass pass fail fail fail"),
        ("abs <", "fail pass fail fail fail"),
        ("abs >", "pass fail fail pass fail"),
        (">, skip nan", "fail fail fail pass skip"),
        ("abs <, skip nan", "fail pass fail fail skip"),
    ],
)
def test_comparisons_are_strict_and_treat_missing_values_as_published(
    comparison: str, statuses: str
) -> None:
    values = np.array([[-0.6, 0.2, 0.5, 0.51, np.nan]])
    cells = pd.DataFrame({"comparison": [comparison], "threshold": [0.5], "missing": [""]})
    status, reason = published.verdicts(values, cells)
    assert status.tolist() == [statuses.split()]
    skips = comparison.endswith("skip nan")
    why = published.NO_VALUE if skips else published.NO_VALUE_FAILS
    assert reason.tolist() == [["", "", "", "", why]]


# -- the other tables -------------------------------------------------------------------------


def test_models_and_chance_models() -> None:
    table = published.models().set_index("model_id")
    assert len(table) == 24
    assert table.loc["cf69d616-1.0.0", "model"] == "wavlm"
    assert table["chance"].dtype == bool
    assert published.chance() == ("random-gaussian", "random-categorical")


def test_comparisons_name_published_models() -> None:
    table = published.comparisons()
    assert table.groupby("target").size().to_dict() == dict.fromkeys(
        ("arousal", "dominance", "valence", "emotion"), 3
    )
    known = set(published.models()["model_id"])
    assert all({row.baseline, *row.candidates} <= known for row in table.itertuples())


def test_data_rows_of_datasets_and_scores_are_the_same(rows: pd.DataFrame) -> None:
    names = ["target", "test", "data", "dataset", "dataset_version"]
    expected = published.datasets().rename(columns={"task": "target", "version": "dataset_version"})
    assert set(map(tuple, rows[names].to_numpy())) == set(map(tuple, expected[names].to_numpy()))


def test_order_of_addition_holds_every_target(rows: pd.DataFrame) -> None:
    assert sorted(published.target_order()) == sorted(rows["target"].unique())


# -- faults -----------------------------------------------------------------------------------


def test_missing_file_is_named(folder: Path) -> None:
    (folder / "valence.csv").unlink()
    with pytest.raises(DataError, match=r"valence\.csv: no such file"):
        published.load(folder)


def test_value_that_is_no_number_is_named(folder: Path) -> None:
    replace(folder / "emotion.csv", "anger,0.43,", "anger,high,", 1)
    with pytest.raises(DataError, match=r"emotion\.csv: .*'high'"):
        published.load(folder)


def test_unknown_comparison_lists_the_known_ones(folder: Path) -> None:
    replace(folder / "thresholds.csv", "abs >", "abs >=", 1)
    with pytest.raises(
        DataError, match=r"thresholds\.csv: unknown comparison 'abs >='. Known: >, <"
    ):
        published.load(folder)


def test_unknown_model_is_named(folder: Path) -> None:
    replace(folder / "models.csv", "54d9c66b-1.0.1", "54d9c66b-9.9.9")
    with pytest.raises(
        DataError, match=r"arousal\.csv: model 54d9c66b-1\.0\.1: not in models\.csv"
    ):
        published.load(folder)


@pytest.mark.parametrize(
    ("table", "old"),
    [
        ("thresholds.csv", "arousal,correctness_distribution,jensen-shannon-distance"),
        ("metrics.csv", "dimensions,correctness_distribution,jensen-shannon-distance"),
    ],
)
def test_cell_that_no_table_knows_is_named(folder: Path, table: str, old: str) -> None:
    replace(folder / table, old, old.replace("jensen-shannon", "other"))
    with pytest.raises(DataError, match=rf"{table}: nothing about .*jensen-shannon-distance"):
        published.load(folder)


def test_data_row_that_no_dataset_has_is_named(folder: Path) -> None:
    replace(folder / "datasets.csv", ",timit-1.4.1-files", ",timit-1.4.2-files")
    with pytest.raises(DataError, match=r"datasets\.csv: nothing about .*timit-1\.4\.1-files"):
        published.load(folder)
