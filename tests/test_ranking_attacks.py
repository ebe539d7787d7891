"""What a model answers, leaves out or breaks changes nothing for the others of a ranking."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from common.reports.summary import Standings, standings
from common.results import published

CHANCE = published.chance()
NEW = {"model": "new", "model_version": "1"}
OWN = ["test", "dataset", "metric", "data", "condition", "label"]


@cache
def valence() -> pd.DataFrame:
    rows = published.load()
    return rows[rows["target"] == "valence"]


def ranked(*parts: pd.DataFrame) -> Standings:
    return standings(pd.concat([valence(), *parts]), "valence", {}, chance=CHANCE, draws=100)


def copy_of(model: str) -> pd.DataFrame:
    rows = valence()
    return rows[rows["model"] == model].assign(**NEW)


def skipped(rows: pd.DataFrame, where: np.ndarray, cause: str) -> pd.DataFrame:
    """Rows without a verdict in some cells."""
    changed = rows.assign(
        value=rows["value"].mask(where), status=rows["status"].mask(where, "skip")
    )
    return changed.assign(cause=rows["cause"].mask(where, cause)) if "cause" in rows else changed


def others(made: Standings) -> list[tuple[str, object]]:
    """Order and scores of the published models."""
    return [(line.model, line.score) for line in made.lines if line.model != "new"]


def test_a_constant_model_takes_no_cells_away() -> None:
    before, new = ranked(), copy_of("CNN14")
    undefined = (new["status"] != "skip") & new["metric"].isin(
        ["ccc", "pcc", "spearmans_rho"]
    ) | new["test"].str.startswith("fairness")
    made = ranked(skipped(new, (undefined & (new["status"] != "skip")).to_numpy(), "model"))
    assert made.cells == before.cells
    assert others(made) == others(before)
    assert made.compared[-1].model == "new"


def test_who_skips_what_it_would_fail_does_not_rise() -> None:
    last = ranked().compared[-1].model
    new = copy_of(last)
    made = ranked(skipped(new, (new["status"] == "fail").to_numpy(), "model"))
    twin = {line.model: line for line in made.lines}
    assert twin["new"].score == twin[last].score
    assert others(made) == others(ranked())


@pytest.mark.parametrize(
    "test", ["correctness_regression", "fairness_sex", "robustness_small_changes"]
)
def test_an_error_is_not_passed_and_takes_no_cells_away(test: str) -> None:
    new = copy_of("wavlm")
    lost = new[new["test"] == test]
    broken = lost.drop_duplicates(["dataset", "metric"]).assign(
        condition="original", label="", value=np.nan, status="error", cause="model"
    )
    before, made = ranked(), ranked(pd.concat([new.drop(lost.index), broken]))
    assert made.cells == before.cells
    assert others(made) == others(before)
    twin = {line.model: line for line in made.lines}
    passed = int((lost["status"] == "pass").sum())
    assert twin["new"].common.passed == twin["wavlm"].common.passed - passed
    assert twin["new"].score < twin["wavlm"].score


@pytest.mark.parametrize("number", [1, 4])
def test_models_that_ran_on_a_part_of_the_data_stand_outside(number: int) -> None:
    new = copy_of("wavlm")
    part = new[new["dataset"] != "iemocap"]
    made = ranked(*(part.assign(model=f"new{n}") for n in range(number)))
    assert made.cells == ranked().cells
    assert [s for s in others(made) if not s[0].startswith("new")] == others(ranked())
    (first, *_) = [line for line in made.lines if line.model.startswith("new")]
    assert (first.score, first.place) == (None, None)
    assert "(test, dataset) pairs" in first.remark


def test_a_model_that_lacks_a_condition_stands_outside() -> None:
    new = copy_of("wavlm")
    there = (new["test"] == "robustness_small_changes").to_numpy()
    made = ranked(skipped(new, there, "not run"))
    assert made.cells == ranked().cells
    assert others(made) == others(ranked())
    (line,) = [line for line in made.lines if line.model == "new"]
    assert line.score is None and "pairs" in line.remark


def test_models_with_more_data_do_not_push_the_others_out() -> None:
    more = [
        pd.concat([copy_of("wavlm"), copy_of("wavlm").assign(dataset="extra")]).assign(model=name)
        for name in ("new1", "new2")
    ]
    made = ranked(*more)
    assert made.cells == ranked().cells
    assert len(made.compared) == 13


def test_a_class_that_only_one_model_predicts_counts_for_nobody() -> None:
    """It is not annotated: others have no row of it, and no model could pass."""
    new = copy_of("wavlm")
    more = new[new["metric"] == "precision_per_bin"].head(1).assign(label="unseen", status="fail")
    made = ranked(pd.concat([new, more]))
    assert made.cells == ranked().cells
