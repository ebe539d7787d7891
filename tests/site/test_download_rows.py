"""Rows of the downloads: whose they are, and in which order they stand."""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd
import pyarrow
import pytest
from benchmark_site import download_rows
from benchmark_site.cells import Sure
from benchmark_site.download_rows import HEAD, Owner
from benchmark_site.scores import BoardScores
from benchmark_site.sliced import NOWHERE, Sliced, rows_at

from common import results
from tests.site.conftest import rows_of

ONE, OTHER = Owner("run", "arousal", "alpha"), Owner("run", "arousal", "beta")


def table(*models: str, **entries: Any) -> pd.DataFrame:
    """A row of each model, in this order."""
    row = {**rows_of("alpha")[0], **entries}
    rows = [{**row, "model": name, "value": float(place)} for place, name in enumerate(models)]
    return results.frame(rows).assign(source="run", stale="")


def test_rows_of_an_owner_need_not_stand_in_succession() -> None:
    rows = table("alpha", "beta", "beta", "alpha")
    owned = download_rows.stretches(rows)
    assert owned == [(ONE, 0, 1), (OTHER, 1, 3), (ONE, 3, 4)]
    places = {owner: at.tolist() for owner, at in download_rows.places(owned).items()}
    assert places == {ONE: [0, 3], OTHER: [1, 2]}


@pytest.mark.parametrize("note", ["", "two\nlines", "a\u2028b, c", 'say "no"'])
@pytest.mark.parametrize("models", [("alpha",), ("alpha", "beta", "alpha")], ids=len)
def test_rows_are_written_in_their_order(models: tuple[str, ...], note: str) -> None:
    rows = table(*models, note=note)
    owned = download_rows.stretches(rows)
    lines = {
        owner: download_rows.csv_lines(download_rows.table_of(rows_at(rows, at)))
        for owner, at in download_rows.places(owned).items()
    }
    text = b"".join(download_rows.in_order(owned, lines)).decode()
    read = list(csv.DictReader(io.StringIO(text, newline=""), fieldnames=HEAD))
    assert [(row["source"], row["model"]) for row in read] == [("run", name) for name in models]
    assert [float(row["value"]) for row in read] == rows["value"].tolist()
    assert {row["note"] for row in read} == {note}


def test_rows_of_a_target_keep_their_order() -> None:
    rows = pd.concat([table("alpha", "beta"), table("alpha", target="valence"), table("beta")])
    owned = download_rows.stretches(rows)
    for target in ("arousal", "valence"):
        expected = rows[rows["target"] == target]
        pd.testing.assert_frame_equal(download_rows.of_target(rows, owned, target), expected)


def test_bytes_of_a_file_do_not_tell_how_its_rows_were_kept() -> None:
    """A website that was made bit by bit equals one that was made at once."""
    rows = table(*(f"model-{n % 40}" for n in range(3000)))
    notes = [f"{n} " * 200 for n in range(3000)]  # more than a page of parquet holds
    rows["note"] = pd.Series(notes, dtype="str")
    whole = download_rows.table_of(rows)
    pieces = [pyarrow.Table.from_pandas(whole.iloc[n : n + 700]) for n in range(0, 3000, 700)]
    in_pieces = pyarrow.concat_tables(pieces).to_pandas()
    assert pyarrow.Table.from_pandas(in_pieces)["model"].num_chunks > 1
    assert download_rows.parquet(in_pieces) == download_rows.parquet(whole)


def test_no_rows_are_no_owners() -> None:
    assert download_rows.stretches(table()) == []
    assert download_rows.columns_of(download_rows.table_of(table()))["rows"] == 0


def test_numbers_of_columns_are_plain() -> None:
    columns = download_rows.columns_of(download_rows.table_of(table("alpha", n=None)))["columns"]
    assert columns["n"] == [None] and columns["value"] == [0.0]
    counted = download_rows.columns_of(download_rows.table_of(table("alpha", n=7)))["columns"]
    assert counted["n"] == [7] and type(counted["n"][0]) is int


def test_rows_are_taken_out_where_they_are_looked_at() -> None:
    rows = table("beta", "alpha", "alpha", "beta")
    of_model = Sliced(rows, "model", ["value"])
    assert of_model.of("alpha")["value"].tolist() == [1.0, 2.0]
    assert of_model.of("beta")["value"].tolist() == [0.0, 3.0]
    assert list(of_model.of("nobody")) == ["value"] and of_model.of("nobody").empty
    assert rows_at(rows, NOWHERE).empty


def test_the_last_version_of_a_model_has_the_last_word() -> None:
    rows = table("alpha", "alpha").assign(model_version=["2.0", "1.0"], certain=["", "passes"])
    assert BoardScores(rows, "arousal", ["alpha"]).second("alpha").judged == 0
    rows = rows.assign(certain=["fails", "passes"])
    scores = BoardScores(rows, "arousal", ["alpha"])
    assert scores.second("alpha") == scores.second("alpha", rows["test"][0]) == Sure(0, 1, 0)
    assert scores.second("alpha", "no_such_test").judged == 0
