"""Standings as JSON and as plain text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...core import display
from ...results.tally import half_up
from .standings import Standing, Standings

#: decimals of shares in JSON
DIGITS = 4


def ranks_json(target: str, scope: str, standings: Standings) -> list[dict[str, Any]]:
    """One object per model: place, tier, rank interval, scores. Shares are rounded once."""
    return [
        {
            **({"scope": scope} if scope else {}),
            "target": target,
            "model": line.model,
            "model_id": line.version,
            "chance": line.chance,
            "place": line.place,
            "tier": line.tier,
            "rank_low": line.low,
            "rank_high": line.high,
            "score": _rounded(line.score),
            "beyond_chance": _rounded(line.beyond),
            "families": {name: _rounded(share) for name, share in line.families.items()},
            "common_passed": line.common.passed,
            "common_executed": line.common.cells,
            "common_unscored": line.common.unscored,
            "remark": line.remark,
        }
        for line in standings.lines
    ]


def common_json(target: str, scope: str, standings: Standings) -> dict[str, Any]:
    """What the standings of a target rest on."""
    return {
        **({"scope": scope} if scope else {}),
        "target": target,
        "cells": standings.cells,
        "pairs": standings.pairs,
        "datasets": standings.datasets,
        "telling": standings.telling,
        "passed_by_all": standings.passed,
        "failed_by_all": standings.failed,
        "chance": _rounded(standings.floor_score),
        "chance_families": {name: _rounded(share) for name, share in standings.floor.items()},
        "reason": standings.reason,
    }


def standings_rows(standings: Standings) -> list[tuple[str, ...]]:
    """Head and one line per model."""
    families = list(dict.fromkeys(name for line in standings.lines for name in line.families))
    head = ("tier", "ranks", "model", "passed", "score", "beyond")
    rows = [(*head, *(name[:11] for name in families))]
    for line in standings.lines:
        shares = (line.score, line.beyond, *(line.families.get(name) for name in families))
        cells = f"{line.common.passed}/{line.common.cells}"
        rows.append(
            (_tier(line), _ranks(line), line.model, cells, *(percent(share) for share in shares))
        )
    return rows


def standings_note(standings: Standings) -> str:
    """Sentence on what the lines rest on."""
    if standings.reason and not standings.cells:
        return standings.reason
    if not standings.compared:
        return f"{standings.cells} cells; {standings.reason}"
    sentence = f"{standings.cells} cells, {standings.telling} of them tell models apart"
    if not standings.floor:
        sentence += "; no chance model was run on them"
    return f"{sentence}\n{standings.reason}" if standings.reason else sentence


def percent(share: Fraction | None) -> str:
    """Share in percent, rounded once; a dash for none."""
    return "-" if share is None else display.percent(share)


def _tier(line: Standing) -> str:
    return "-" if line.tier is None else str(line.tier)


def _ranks(line: Standing) -> str:
    if line.low is None:
        return "-"
    return str(line.low) if line.low == line.high else f"{line.low}-{line.high}"


def _rounded(share: Fraction | None) -> float | None:
    return None if share is None else half_up(share, DIGITS)
