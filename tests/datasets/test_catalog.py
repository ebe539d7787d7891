"""The built-in catalog against what was published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from common import spec
from common.core.paths import REPOSITORY
from common.samples import datasets
from common.spec import Dataset

PUBLISHED = REPOSITORY / "extra" / "published" / "datasets.csv"
PUBLIC = REPOSITORY / "tests" / "golden" / "audb" / "tables.csv"
CATALOG = {d.id: d for d in spec.load_benchmark().datasets.values() if d.builtin}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def serves(dataset: Dataset, row: dict[str, str]) -> bool:
    """Whether an entry gives the samples and columns of a row of the published configuration."""
    tables = tuple(row["tables"].split("|"))
    if row["compare_table"]:
        wanted = row["match_columns"].split("|")
        found = row["compare_table"] in dataset.tables and set(wanted) <= set(dataset.columns)
        return (dataset.database, dataset.version, dataset.tables[:1]) == (
            row["dataset"],
            row["version"],
            tables,
        ) and found
    alias = row["group"] if row["test"] == "fairness_language" else row["table_alias"]
    if (dataset.database, dataset.version, dataset.tables, dataset.alias) != (
        row["dataset"],
        row["version"],
        tables,
        alias,
    ):
        return False
    if row["column"] and dataset.columns[row["column"]].column != row["column"]:
        return False
    for name, prefix in (("speaker", "speaker"), ("sex", "sex")):
        if row[f"{prefix}_table"]:
            column = dataset.columns[name]
            found = (column.table, column.column, column.map)
            mapped = row.get(f"{prefix}_mapping", "") or ""
            if found != (row[f"{prefix}_table"], row[f"{prefix}_column"], mapped):
                return False
    return True


@pytest.mark.parametrize("name", CATALOG)
def test_entries_are_complete(name):
    dataset = CATALOG[name]
    datasets.check(dataset)
    assert dataset.adapter == "audb"
    assert dataset.label and dataset.license and dataset.description
    assert dataset.description.endswith(".")


def test_each_published_row_has_exactly_one_entry():
    for row in rows(PUBLISHED):
        found = [dataset.id for dataset in CATALOG.values() if serves(dataset, row)]
        assert len(found) == 1, (row, found)


def test_tests_of_correctness_use_the_entries_of_the_published_rows():
    benchmark = spec.load_benchmark()
    wanted: dict[str, set[str]] = {}
    for row in rows(PUBLISHED):
        (entry,) = (dataset.id for dataset in CATALOG.values() if serves(dataset, row))
        wanted.setdefault(row["test"], set()).add(entry)
    for name, entries in wanted.items():
        if name.startswith("correctness"):
            assert entries <= set(benchmark.tests[name].datasets), name


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("crema-d", "crema-d-1.2.0-emotion.categories.test.gold_standard"),
        ("emovo", "emovo-1.2.1-emotion.test"),
        ("iemocap-categories-full", "iemocap-2.3.0-full"),
        ("iemocap-dimensions", "iemocap-2.3.0-emotion.dimensions.test.gold_standard"),
        (
            "msppodcast-dimensions-test-2",
            "msppodcast-2.6.1-emotion.dimensions.test-2.gold_standard",
        ),
        ("mozillacommonvoice-zh", "mozillacommonvoice-10.1.0-zh"),
        ("checklist-synth", "checklist-synth-1.0.0-words-in-context"),
        ("imda-nsc-read-speech-balanced-headset", "imda-nsc-read-speech-balanced-2.6.0-headset"),
        ("timit", "timit-1.4.1-files"),
        ("emodb-public", "emodb-2.0.0-emotion.categories.test.gold_standard"),
    ],
)
def test_labels_of_the_data_in_results(name, label):
    assert CATALOG[name].data == label


def test_public_datasets_stand_there_as_in_the_public_repository():
    public: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows(PUBLIC):
        tables = public.setdefault((row["dataset"], row["version"]), {})
        tables[row["table"]] = set(row["columns"].split(";"))
    found = set()
    for dataset in CATALOG.values():
        tables = public.get((dataset.database, dataset.version))
        if tables is None:
            continue
        found.add(dataset.id)
        assert set(dataset.tables) <= set(tables), dataset.id
        for column in dataset.columns.values():
            last = column.otherwise or column
            for table in [last.table] if last.table else dataset.tables:
                assert not last.column or last.column in tables[table], dataset.id
    names = "air cough-speech-sneeze crema-d-public emodb-public musan ravdess-public"
    assert found == {*names.split(), "speech-accent-archive"}


def test_languages_are_the_same_in_the_joint_entry_and_the_single_ones():
    joint = CATALOG["mozillacommonvoice"]
    languages = joint.columns["language"].by_table
    singles = [d for d in CATALOG.values() if d.database == joint.id and d.id != joint.id]
    assert [table for d in singles for table in d.tables] == list(joint.tables)
    assert {t: d.columns["language"].value for d in singles for t in d.tables} == languages
