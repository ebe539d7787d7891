"""What ``build.py summary`` prints: JSON for machines, text of at most 100 columns for people."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from ...core.display import percent
from ...results import published as published_results
from ...results.paper import paper_tables
from ...results.tally import counts, half_up, shares
from .ranks import add_scope, ranking
from .standings import Standings, standings
from .standings_text import (
    common_json,
    ranks_json,
    standings_note,
    standings_rows,
)

#: longest name of a model in a text
NAME_WIDTH = 34


def to_json(
    rows: pd.DataFrame,
    families: Mapping[str, str],
    published: bool,
    *,
    chance: Collection[str] = (),
    scopes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What ``summary --json`` prints; the structure is part of the interface.

    ``rows``: target, model, model_id, family, test, passed, failed, skipped, share; also
    ``errors`` where cells ended in an error, and ``scope`` if result rows have one.
    ``shares``: the same per model and block (``all`` or a family), with the pooled ``share``
    and ``mean_over_tests``. Shares are rounded once to four decimals and null if nothing was
    executed; the counts beside them are exact.

    ``ranks``: place, tier, rank interval and scores per model on common cells; ``common``: what
    they rest on (:mod:`common.reports.summary.standings`). Results with a scope each, and the published
    ones, are ranked apart.

    With ``published``: ``table6`` and ``table7``, digit by digit those of the paper, and
    beside them ``table6_exact`` (one rounding only), ``table6_counts`` (passed, executed,
    skipped and tests behind each share) and ``all_mean_over_tests`` (block *all* as the
    paper's text defines it).

    Args:
        rows: result rows of runs
        families: test -> family
        published: add the published results, to ``rows`` and as tables
        chance: names of chance models in ``rows``
        scopes: dataset -> scope of its ranking
    """
    tables: dict[str, Any] = {}
    ranks = _standings(_scoped(rows, scopes or {}), families, chance)
    if published:
        paper = published_results.load()
        theirs = _standings(paper.assign(scope="published"), families, published_results.chance())
        ranks = {key: [*ranks[key], *theirs[key]] for key in ranks}
        tables = paper_tables(paper, families, published_results.target_order())
        rows = pd.concat(
            [rows, paper.assign(scope="published")] if "scope" in rows else [rows, paper]
        )
    scoped = "scope" in rows
    verdicts = counts(rows, families)
    listed = verdicts.to_dict(orient="records")
    blocks = shares(verdicts).to_dict(orient="records")
    return {
        "rows": [{**_names(row, scoped, "family", "test"), **_counts(row)} for row in listed],
        "shares": [
            {
                **_names(row, scoped, "block"),
                **_counts(row),
                "mean_over_tests": _rounded(row["mean_over_tests"]),
            }
            for row in blocks
        ],
        **ranks,
        **tables,
    }


def _scoped(rows: pd.DataFrame, scopes: Mapping[str, str]) -> pd.DataFrame:
    """Rows with the scope of their ranking."""
    return (
        rows
        if "scope" in rows
        else add_scope(rows, {d: scopes.get(d, "") for d in rows["dataset"]})
    )


def _standings(
    rows: pd.DataFrame, families: Mapping[str, str], chance: Collection[str]
) -> dict[str, list[dict[str, Any]]]:
    """The keys ``ranks`` and ``common``."""
    ranks, common = [], []
    for (scope, target), target_standings in rankings(rows, families, chance=chance).items():
        ranks += ranks_json(target, scope, target_standings)
        common.append(common_json(target, scope, target_standings))
    return {"ranks": ranks, "common": common}


def rankings(
    rows: pd.DataFrame, families: Mapping[str, str], *, chance: Collection[str]
) -> dict[tuple[str, str], Standings]:
    """(scope, target) -> where the models stand.

    Args:
        rows: result rows with a column ``scope`` (:func:`common.reports.summary.ranks.add_scope`)
        families: test -> family
        chance: names of chance models
    """
    return {
        (str(scope), str(target)): standings(part, str(target), families, chance=chance)
        for (scope, target), part in rows.groupby(["scope", "target"])
    }


def _names(row: Mapping[Any, Any], scoped: bool, *more: str) -> dict[str, Any]:
    scope = {"scope": row["scope"]} if scoped else {}
    owner = {"target": row["target"], "model": row["model"], "model_id": row["model_version"]}
    return {**scope, **owner, **{name: row[name] for name in more}}


def _counts(row: Mapping[Any, Any]) -> dict[str, Any]:
    errors = {"errors": row["errors"]} if row["errors"] else {}
    plain = {name: row[name] for name in ("passed", "failed", "skipped")}
    return {**plain, **errors, "share": _rounded(row["share"])}


def _rounded(share: float) -> float | None:
    return None if math.isnan(share) else half_up(Fraction(share), 4)


def text(
    rows: pd.DataFrame,
    families: Mapping[str, str],
    *,
    title: str = "",
    chance: Collection[str] = (),
    targets: Sequence[str] | None = None,
    tests: bool = False,
) -> str:
    """Rankings as plain text, at most 100 columns wide.

    Args:
        rows: result rows; a column ``scope`` separates rankings
        families: test -> family
        title: line above everything
        chance: names of chance models
        targets: targets to show in this order; all in alphabetical order by default
        tests: add the counts of every test

    Returns:
        lines with a final line end; a sentence if there are no results
    """
    blocks = [title] if title else []
    if rows.empty:
        return "\n\n".join([*blocks, "No results yet.\n"])
    for target in targets if targets is not None else sorted(rows["target"].unique()):
        table = ranking(rows, target, families, chance=chance)
        for scope, part in table.groupby("scope", sort=False):
            name = ", ".join(filter(None, (target, str(scope))))
            scope_rows = rows[rows["scope"] == scope] if "scope" in rows else rows
            blocks.append(
                _standings_text(name, standings(scope_rows, target, families, chance=chance))
            )
            blocks.append(
                _ranking_text(
                    _cut(f"{name}: shares as in the paper, all executed cells", 100), part
                )
            )
    if tests:
        blocks.append(_tests_text(counts(rows, families)))
    return "\n\n".join(blocks) + "\n\n" + LEGEND


LEGEND = """\
score: mean over families of the mean over tests, on the cells that data and suite fix.
beyond chance: (score - chance) / (1 - chance). tier: cannot be told apart from its first.
ranks: other tests and datasets; all of a table hold together with a probability of 95 %.
pooled: share as in the paper, passed / executed cells. mean: mean of the shares of the tests.
Skipped cells and errors are not executed; shares with other denominators compare badly.
"""


def _standings_text(title: str, target_standings: Standings) -> str:
    head, *lines = standings_rows(target_standings)
    named = [(*line[:2], _cut(line[2], 24), *line[3:]) for line in lines]
    remarks = [f"- {_cut(s.model)}: {s.remark}" for s in target_standings.lines if s.remark]
    return "\n".join(
        [title, standings_note(target_standings), *_aligned([head, *named], left={2}), *remarks]
    )


def _ranking_text(title: str, table: pd.DataFrame) -> str:
    head = ("", "model", "passed/executed", "skipped", "errors", "pooled", "mean")
    lines = [head]
    remarks = []
    for row in table.to_dict(orient="records"):
        position = "-" if pd.isna(row["position"]) else str(row["position"])
        name = _cut(row["model"])
        cells = f"{row['passed']}/{row['executed']}"
        both = (_percent(row["share"]), _percent(row["mean_over_tests"]))
        lines.append((position, name, cells, str(row["skipped"]), str(row["errors"]), *both))
        if row["remark"]:
            remarks.append(f"- {name}: {row['remark']}")
    return "\n".join([title, *_aligned(lines, left={1}), *remarks])


def _tests_text(table: pd.DataFrame) -> str:
    head = ("family", "test", "passed/executed", "skipped", "errors", "share")
    blocks = []
    for owner, part in table.groupby(["target", "scope", "model", "model_version"]):
        lines = [head]
        for row in part.to_dict(orient="records"):
            cells = f"{row['passed']}/{row['executed']}"
            numbers = (str(row["skipped"]), str(row["errors"]), _percent(row["share"]))
            lines.append((_cut(row["family"], 12), _cut(row["test"], 42), cells, *numbers))
        title = ", ".join(str(name) for name in owner if name)
        blocks.append("\n".join([_cut(title, 100), *_aligned(lines, left={0, 1})]))
    return "\n\n".join(blocks)


def _aligned(lines: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Columns padded to their longest entry; right-aligned but for those in ``left``."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if n in left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _cut(name: str, width: int = NAME_WIDTH) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else percent(Fraction(share))
