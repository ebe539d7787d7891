"""Sums of each speaker: the scores of the rows again, and those of other weights."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from common.core.errors import DataError
from common.engine.kept import ALL
from common.metrics import METRICS
from common.results import read_csv, sums
from common.spec.view import ORIGINAL

SUITE = """
title: {test}
family: correctness
description: A test of the tests.
design: {design}
datasets: [tones]
classification:
- {{metric: uar, {rule}: 0.5}}
- {{metric: recall_per_class, {rule}: 0.5}}
regression:
- {{metric: ccc, {rule}: 0.5}}
- {{metric: pcc, {rule}: 0.5}}
"""
DESIGNS = {
    "own_truth": ("{against_truth: {}}", "above"),
    "own_groups": ("{by_group: {attribute: sex, min_group: 2}}", "within"),
}


@pytest.fixture
def folder(mini) -> Path:
    for test, (design, rule) in DESIGNS.items():
        mini.write(f"suite/{test}.yaml", SUITE.format(test=test, design=design, rule=rule))
    assert not mini.run(tests=tuple(DESIGNS)).errors
    return mini.root / "out" / "method-tests"


@pytest.mark.parametrize("target", ["emotion", "arousal"])
@pytest.mark.parametrize("test", DESIGNS)
def test_scores_of_rows_follow_from_the_sums(folder: Path, target: str, test: str) -> None:
    rows = read_csv(folder / target / "loud" / f"{test}.csv")
    rows = rows[rows["value"].notna()]
    found = sums.scores(sums.read(folder / target / "loud" / "sums" / f"{test}--tones.parquet"))
    checked = 0
    for row in rows.itertuples():
        if METRICS.get(row.metric).sums is None:
            continue
        label = "" if pd.isna(row.label) else row.label
        value = found[row.metric, row.condition, "", label]
        if row.condition != ORIGINAL:
            value -= found[row.metric, row.reference or ALL, "", label]
        assert value == pytest.approx(row.value, abs=1e-12)
        checked += 1
    assert checked == len(rows) > 1


def test_a_label_that_names_samples_is_a_state(mini) -> None:
    """The same metric of several emotions, each with sums of its own."""
    test = "correctness_consistency"
    assert not mini.run(tests=(test,), targets=("arousal",)).errors
    results = mini.root / "out" / "method-tests" / "arousal" / "loud"
    found = sums.scores(sums.read(results / "sums" / f"{test}--tones.parquet"))
    rows = read_csv(results / f"{test}.csv").dropna(subset="value")
    assert rows["label"].nunique() > 1
    for row in rows.itertuples():
        assert found[row.metric, row.label, "", ""] == pytest.approx(row.value, abs=1e-12)


def test_weights_are_copies_of_speakers(folder: Path) -> None:
    table = sums.read(folder / "emotion" / "loud" / "sums" / "own_truth--tones.parquet")
    assert table["speaker"].notna().all() and set(table["speaker_sex"]) == {"female", "male"}
    weights = np.random.default_rng(0).integers(0, 4, len(table))
    copies = table.loc[np.repeat(table.index, weights)].reset_index(drop=True)
    assert sums.scores(table, weights) == pytest.approx(sums.scores(copies), nan_ok=True)
    assert sums.scores(table, weights) != sums.scores(table)
    alone = sums.scores(table, (table["speaker"] == table["speaker"].iloc[0]).to_numpy())
    assert all(math.isnan(value) or 0 <= value <= 1 for value in alone.values())


def test_a_lost_file_is_made_again(mini, folder: Path) -> None:
    path = folder / "emotion" / "loud" / "sums" / "own_truth--tones.parquet"
    before = path.read_bytes()
    assert mini.run(tests=tuple(DESIGNS)).computed == 0
    path.unlink()
    assert mini.run(tests=tuple(DESIGNS)).computed == 1
    assert path.read_bytes() == before


def test_samples_are_those_of_each_speaker(mini, folder: Path) -> None:
    rows = pd.read_csv(mini.catalog / "tones" / "metadata.csv")
    table = sums.read(folder / "emotion" / "loud" / "sums" / "own_groups--tones.parquet")
    every = rows["speaker"].value_counts().sort_index()
    states = table[table["metric"] == "uar"].groupby("state")
    assert states.ngroups == 3
    for state, own in states:
        expected = every if state == ALL else every[rows.groupby("speaker")["sex"].first() == state]
        found = own.set_index("speaker")["samples"].sort_index()
        assert found.to_dict() == expected.to_dict()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pd.DataFrame({"metric": ["uar"]}).to_parquet(path)
    with pytest.raises(DataError, match=r"x\.parquet: column 'state' is missing"):
        sums.read(path)
    path.write_text("no parquet")
    with pytest.raises(DataError, match=r"x\.parquet: cannot be read as sums"):
        sums.read(path)
