"""Scores of an explained cell in a population with other shares of speakers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from .. import results
from ..core.errors import ConfigError
from ..core.paths import Paths
from ..results import sums
from ..results.keys import CellKey
from ..results.population import groups_named, population_score, sources

FORM = "TRAIT=GROUP:SHARE[,GROUP:SHARE]"


def shares_of(texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Trait -> group -> share.

    Raises:
        ConfigError: if a text is of another form, or a share is no number from 0 to 1

    >>> shares_of(["sex=female:0.7", "language=de:0.6,en:0.3"])
    {'sex': {'female': 0.7}, 'language': {'de': 0.6, 'en': 0.3}}
    """
    shares: dict[str, dict[str, float]] = {}
    for text in texts:
        trait, _, groups = text.partition("=")
        for part in groups.split(","):
            name, _, number = part.rpartition(":")
            try:
                share = float(number)
            except ValueError:
                share = math.nan
            if not (trait and name and 0 <= share <= 1):
                raise ConfigError(f"--population: '{text}' is not {FORM} with shares from 0 to 1")
            shares.setdefault(trait, {})[name] = share
    return shares


def add_population(
    content: Mapping[str, Any], folders: Paths, cell: CellKey, shares: Mapping[str, Any]
) -> None:
    """Add to each explained row its score in the population, or None where none follows.

    Args:
        content: of an answer of :func:`common.reports.explain.explain`
        folders: where results are
        cell: the cell
        shares: trait -> group -> share

    Raises:
        ConfigError: if nothing is said of a trait or group in the cell
    """
    path = folders.sums(cell.target, cell.model, cell.test, cell.dataset)
    table = sums.read(path) if path.exists() else None
    if table is not None:
        _check(table, shares, path.name)
    rows = results.read_csv(folders.results(cell.target, cell.model, cell.test))
    groups = groups_named(rows.loc[rows["dataset"] == cell.dataset, "data"])
    all_scores = set() if table is None else set(sums.scores(table))
    for entry in content["rows"]:
        row = entry["row"]
        parts = next(
            (
                each
                for each in sources(row, groups.get(str(row["data"]), ""))
                if row["value"] is not None and all_scores.issuperset(each)
            ),
            None,
        )
        entry["population"] = None
        if table is not None and parts is not None:
            score = population_score(table, parts[0], shares, *parts[1:])
            entry["population"] = {
                name: None if isinstance(value, float) and math.isnan(value) else value
                for name, value in score._asdict().items()
                if name != "p"
            }


def _check(table: pd.DataFrame, shares: Mapping[str, Mapping[str, float]], name: str) -> None:
    for trait, groups in shares.items():
        column = f"{sums.ABOUT}{trait}"
        if column not in table:
            traits = [
                str(name).removeprefix(sums.ABOUT)
                for name in table
                if str(name).startswith(sums.ABOUT)
            ]
            raise ConfigError(
                f"{name}: unknown trait of speakers '{trait}'. Known: {', '.join(traits) or 'none'}"
            )
        present = sorted(table[column].dropna().unique())
        for group in groups:
            if group not in present:
                raise ConfigError(
                    f"{name}: no speaker has {trait} '{group}'. Known: {', '.join(map(str, present)) or 'none'}"
                )


def lines(content: Mapping[str, Any]) -> Iterator[str]:
    """Lines of text."""
    yield ""
    yield "in this population:"
    for entry in content["rows"]:
        score = entry["population"]
        if score is None:
            yield f"  {entry['key']}: does not follow from sums of speakers"
            continue
        interval = ""
        if score["low"] is not None:
            interval = (
                f", {score['low']:.4g} to {score['high']:.4g} (95 %, {score['speakers']} speakers)"
            )
        yield f"  {entry['key']}: {score['value']:.6g}{interval}"
