"""What the published results say about the conclusions of the paper, target by target.

The conclusions stand in words on a page; here is what can be counted for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...results.paper import Table
from ...uncertainty.multiple import benjamini_yekutieli
from .claims import Claims
from .standings import Standings

#: a relation is called certain below this q value
LEVEL = 0.05
#: fewer models have no order worth a p value
LEAST = 5


class Extreme(NamedTuple):
    """The models with the smallest or largest share, and that share."""

    models: tuple[str, ...]
    share: Fraction


class Conclusions(NamedTuple):
    """What there is to say about one target.

    Args:
        claims: counts of the whole target
        best: models with the largest mean CCC or UAR of Table VII
        value: that mean
        sentiment: share of the cells of the test of text sentiment that each model passes
        chance: the largest such share of a chance model; None: there is none
        rho: Spearman's rho over models between Table VII and that share; None: too few models
        q: its q value, adjusted for all targets
        fairness: family shares, the smallest and the largest; None: there is no such family
        fair_cells: cells of the fairness tests, and on how many of them models differ
    """

    claims: Claims
    best: tuple[str, ...]
    value: float
    sentiment: Mapping[str, Fraction]
    chance: Fraction | None
    rho: float | None
    q: float | None
    fairness: tuple[Extreme, Extreme] | None
    fair_cells: tuple[int, int]

    @property
    def is_shortcut(self) -> bool:
        """Whether models that answer better certainly pass fewer cells of text sentiment."""
        return self.rho is not None and self.rho < 0 and (self.q or 0) < LEVEL


def conclusions(
    claims_of: Mapping[str, Claims],
    headline: Table,
    families: Mapping[str, str],
    *,
    sentiment: str,
    family: str,
) -> dict[str, Conclusions]:
    """Count for each target.

    Args:
        claims_of: target -> :func:`common.reports.summary.claims` of its published rows
        headline: Table VII: model -> target -> mean CCC or UAR
        families: test -> family
        sentiment: test of text sentiment
        family: name of the family of fairness tests
    """
    relations = {
        target: _relation(claims.made, {m: v[target] for m, v in headline.items()}, sentiment)
        for target, claims in claims_of.items()
    }
    p = np.array([np.nan if relation is None else relation[1] for relation in relations.values()])
    q = dict(zip(relations, benjamini_yekutieli(p), strict=True))
    result = {}
    for target, claims in claims_of.items():
        means = {model: values[target] for model, values in headline.items()}
        highest = max(means.values(), default=float("nan"))
        relation = relations[target]
        result[target] = Conclusions(
            claims=claims,
            best=tuple(sorted(model for model, value in means.items() if value == highest)),
            value=highest,
            sentiment=_shares(claims.made, sentiment, chance=False),
            chance=max(_shares(claims.made, sentiment, chance=True).values(), default=None),
            rho=relation and relation[0],
            q=None if relation is None else float(q[target]),
            fairness=_extremes(claims.made, family),
            fair_cells=_cells(claims.made, families, family),
        )
    return result


def _shares(standings: Standings, test: str, *, chance: bool) -> dict[str, Fraction]:
    """Share of a test per model, on the cells of the ranking."""
    return {
        line.model: share
        for line in standings.lines
        if line.chance == chance and line.score is not None and test in line.tests
        if (share := line.tests[test].share) is not None
    }


def _relation(
    standings: Standings, means: Mapping[str, float], test: str
) -> tuple[float, float] | None:
    """Spearman's rho between means and shares over models, and its p value."""
    shares = _shares(standings, test, chance=False)
    models = [model for model in shares if model in means]
    if len(models) < LEAST:
        return None
    from scipy.stats import spearmanr

    rho, p = spearmanr([means[m] for m in models], [float(shares[m]) for m in models])
    return None if np.isnan(rho) else (float(rho), float(p))


def _extremes(standings: Standings, family: str) -> tuple[Extreme, Extreme] | None:
    shares = {
        line.model: line.families[family] for line in standings.compared if family in line.families
    }
    if not shares:
        return None
    return _named(shares, min(shares.values())), _named(shares, max(shares.values()))


def _named(shares: Mapping[str, Fraction], share: Fraction) -> Extreme:
    names: Sequence[str] = sorted(name for name, each in shares.items() if each == share)
    return Extreme(tuple(names), share)


def _cells(standings: Standings, families: Mapping[str, str], family: str) -> tuple[int, int]:
    parts = [
        agreement for test, agreement in standings.tests.items() if families.get(test) == family
    ]
    return sum(part.cells for part in parts), sum(part.telling for part in parts)
