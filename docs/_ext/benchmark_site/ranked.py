"""One line of a ranking, as pages and downloads show it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benchmark_site.sources import Model
from common.reports.summary import Standing
from common.results.tally import VerdictCounts


@dataclass(frozen=True)
class Ranked:
    """One line of a ranking.

    Args:
        position: place by the share of passed cells, equal for equal shares; None for models
            outside the ranking
        remark: why it stands outside
        model: the model
        total: verdicts of all tests
        mean: mean over tests of the share per test
        families: family -> mean over its tests
        standing: where it stands on the cells that all compared models have; None: not run
    """

    position: int | None
    remark: str
    model: Model
    total: VerdictCounts
    mean: Fraction | None
    families: dict[str, Fraction | None]
    standing: Standing | None = None
