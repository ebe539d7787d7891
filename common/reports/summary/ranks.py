"""Who is ahead of whom, and who must not be compared with whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from ...results.tally import ALL, COUNTS, OWNER, counts, shares

#: remark of chance models
CHANCE = "chance model"


def add_scope(rows: pd.DataFrame, scopes: Mapping[str, str], default: str = "") -> pd.DataFrame:
    """Rows with a column ``scope``: what may be compared with what.

    A share on one set of data says nothing about a share on another, and neither do two
    shares by different rules: published verdicts were made from rounded scores. Callers
    therefore give the published rows, the embedded data and a user's data a scope each.

    Args:
        rows: result rows
        scopes: dataset -> scope
        default: scope of all other datasets; empty: every other dataset is its own scope

    >>> rows = pd.DataFrame({"dataset": ["a", "b"]})
    >>> list(add_scope(rows, {"a": "embedded data"})["scope"])
    ['embedded data', 'b']
    """
    scope = [scopes.get(name, default or name) for name in rows["dataset"]]
    return rows.assign(scope=pd.Series(scope, index=rows.index, dtype="str"))


def ranking(
    rows: pd.DataFrame,
    target: str,
    families: Mapping[str, str],
    *,
    chance: Collection[str] = (),
    scope: str | None = None,
    verdicts: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Models of a target, best first.

    Order: pooled share (passed / executed), then mean over tests, then name and version.
    Models with the same pooled share have the same position; the next one counts them all
    (1, 1, 3). Without a position, the reason in ``remark``, are chance models, which stand
    where their share puts them, and, at the end, models that were not judged on the same
    terms as the others of their scope: they lack a (test, dataset) pair that another one
    has, or some of their cells ended in an error.

    Args:
        rows: result rows; with a column ``scope`` (:func:`add_scope`) each scope is a
            ranking of its own
        target: the target
        families: test -> family
        chance: names of chance models
        scope: only this scope
        verdicts: what :func:`~common.results.tally.counts` gives of these rows, if it is known

    Returns:
        columns scope, position (Int64), model, model_version, chance, pairs, tests, passed,
        failed, skipped, errors, executed, share, mean_over_tests, one column per family
        with the mean over its tests, remark
    """
    target_rows = rows[rows["target"] == target]
    target_rows = target_rows if "scope" in target_rows else target_rows.assign(scope="")
    if scope is not None:
        target_rows = target_rows[target_rows["scope"] == scope]
    table = shares(counts(target_rows, families) if verdicts is None else verdicts)
    keys = [column for column in OWNER if column != "target"]
    parts = table[table["block"] != ALL]
    parts = parts.pivot(index=keys, columns="block", values="mean_over_tests").reset_index()
    table = table[table["block"] == ALL].drop(columns=["block", "target"])
    table["chance"] = table["model"].isin(list(chance))
    pairs = target_rows[[*keys, "test", "dataset"]].drop_duplicates()
    table = table.merge(pairs.groupby(keys).size().rename("pairs").reset_index(), on=keys)
    every = pairs[["scope", "test", "dataset"]].drop_duplicates()["scope"].value_counts()
    records = table.to_dict(orient="records")
    table["remark"] = pd.Series([_remark(r, int(every[r["scope"]])) for r in records], dtype="str")
    return _placed(table.merge(parts, on=keys), [str(name) for name in parts if name not in keys])


def _remark(row: Mapping[Any, Any], n_pairs: int) -> str:
    """Why a model has no position; empty if it has one."""
    if row["pairs"] < n_pairs:
        return f"has {row['pairs']} of {n_pairs} (test, dataset) pairs"
    if row["errors"]:
        return f"cells that ended in an error: {row['errors']}"
    if not row["executed"]:
        return "no cell was executed"
    return CHANCE if row["chance"] else ""


def _placed(table: pd.DataFrame, families: list[str]) -> pd.DataFrame:
    """Sorted models with their position."""
    table["last"] = ~table["remark"].isin(["", CHANCE])
    table = table.sort_values(
        ["scope", "last", "share", "mean_over_tests", "model", "model_version"],
        ascending=[True, True, False, False, True, True],
        ignore_index=True,
    )
    placed = table["share"].where(table["remark"] == "")
    position = placed.groupby(table["scope"]).rank(method="min", ascending=False)
    table["position"] = position.astype("Int64")
    first = ["scope", "position", "model", "model_version", "chance", "pairs", "tests"]
    numbers = [*COUNTS.values(), "executed", "share", "mean_over_tests"]
    return table[[*first, *numbers, *families, "remark"]]
