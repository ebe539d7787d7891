"""How far scores of groups differ by chance: thresholds of fairness tests from chance models.

A chance model gives every group the same predictions. So what its scores differ by is what a
fair model may show with as many samples, and a threshold belongs above it. Reading order:
:mod:`~common.uncertainty.simulation.setup` (what is simulated), :mod:`~common.uncertainty.simulation.scores` (counts
and sums to scores), :mod:`~common.uncertainty.simulation.linear` (scores whose distribution is computed),
:mod:`~common.uncertainty.simulation.nulls` (quantiles of 100,000 draws and more),
:mod:`~common.uncertainty.simulation.bounds` (thresholds for the samples at hand),
:mod:`~common.uncertainty.simulation.chance` (own draws for maxima), :mod:`~common.uncertainty.simulation.reference` (the
draws of the paper), :mod:`~common.uncertainty.simulation.table` (``build.py simulate``),
:mod:`~common.reports.alarms` (how often a fair model is called unfair).
"""

from .bounds import Bounds, next_step
from .setup import POINTS, SETUPS, Null, Setup

__all__ = ["POINTS", "SETUPS", "Bounds", "Null", "Setup", "next_step"]
