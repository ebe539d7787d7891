"""What models made of the cells of a ranking, beside a reading of the rules row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.metrics.reasons import DATA, MODEL, NOT_RUN
from common.reports.summary.outcomes import (
    BROKEN,
    CELL,
    ERROR,
    FAIL,
    OWNER,
    PASS,
    SCORE,
    SKIP,
    outcomes,
)

Row = Mapping[str, str]
JUDGED = (PASS, FAIL)


def some_rows(seed: int) -> pd.DataFrame:
    """Rows of up to three names for everything, with duplicates, errors, and causes that are not said."""
    draw = np.random.default_rng(seed)
    number = int(draw.integers(0, 60))
    rows = {
        name: draw.choice(list("abé")[: int(draw.integers(1, 4))], number)
        for name in (*CELL, *OWNER)
    }
    rows["status"] = draw.choice((PASS, FAIL, SKIP, ERROR), number, p=(0.4, 0.3, 0.2, 0.1))
    of_skipped = draw.choice(("", DATA, MODEL, NOT_RUN), number)
    of_errors = draw.choice(("", DATA, MODEL), number)
    rows["cause"] = np.select(
        [rows["status"] == SKIP, rows["status"] == ERROR], [of_skipped, of_errors], ""
    )
    return pd.DataFrame(rows).astype("str")


def named(row: Row, names: list[str]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)


def one_by_one(rows: list[Row]) -> dict[tuple[Any, Any], tuple[float | None, bool]]:
    """(cell, model) -> whether it is passed, None if it was not run, and whether there is a verdict."""
    judged = {named(row, CELL) for row in rows if row["status"] in JUDGED}
    rows = [
        {**row, "cause": MODEL if named(row, CELL) in judged else DATA}
        if row["status"] == SKIP and not row["cause"]
        else row
        for row in rows
    ]
    best: dict[tuple[Any, Any], tuple[float, bool]] = {}
    for row in rows:
        if row["status"] in JUDGED or (row["status"], row["cause"]) == (SKIP, MODEL):
            place = named(row, CELL), named(row, OWNER)
            passed, verdict = best.get(place, (0.0, False))
            best[place] = (
                max(passed, float(row["status"] == PASS)),
                verdict or row["status"] in JUDGED,
            )
    impossible = {named(r, CELL) for r in rows if (r["status"], r["cause"]) == (SKIP, DATA)}
    answered = {
        (named(row, SCORE), named(row, OWNER))
        for row in rows
        if row["status"] != ERROR and row["cause"] != NOT_RUN
    }
    broken = {
        (named(row, BROKEN), named(row, OWNER))
        for row in rows
        if row["status"] == ERROR and row["cause"] != DATA
    }
    models = {named(row, OWNER) for row in rows}
    table: dict[tuple[Any, Any], tuple[float | None, bool]] = {}
    for cell in {cell for cell, _ in best} - impossible:
        away = {model for model in models if (cell, model) not in best}
        if not any((cell[: len(SCORE)], model) in answered for model in away):
            for model in models:
                error = 0.0 if (cell[: len(BROKEN)], model) in broken else None
                table[cell, model] = best.get((cell, model), (error, False))
    return table


@pytest.mark.parametrize("part", range(4))
def test_outcomes_are_those_of_the_rules(part: int) -> None:
    filled = 0
    for seed in range(100 * part, 100 * (part + 1)):
        rows = some_rows(seed)
        table = outcomes(rows)
        expected = one_by_one(rows.to_dict("records"))
        found = {
            (cell, model): (None if np.isnan(passed) else passed, bool(verdict))
            for cell, *pairs in zip(
                table.passed.index, table.passed.to_numpy(), table.verdicts.to_numpy(), strict=True
            )
            for model, passed, verdict in zip(table.models, *pairs, strict=True)
        }
        assert found == expected, seed
        assert list(table.passed.index) == sorted(table.passed.index)
        assert table.models == sorted(set(table.models))
        filled += bool(expected)
    assert filled > 50
