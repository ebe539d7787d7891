"""Rows -> counts, shares, rankings, tables per test, and what ``build.py summary`` prints.

====================================  ==============================================
:mod:`~common.reports.summary.ranks`          positions by share of passed cells
:mod:`~common.reports.summary.outcomes`       which cells a ranking counts
:mod:`~common.reports.summary.standings`      the score of a model, tiers
:mod:`~common.reports.summary.leave_one_out`  which models differ, rank intervals
:mod:`~common.reports.summary.rank_simulation` how often that errs
:mod:`~common.reports.summary.claims`         what a share of cells hides
:mod:`~common.reports.summary.wide`           the cells of a test, all models side by side
:mod:`~common.reports.summary.report`         JSON and text
====================================  ==============================================

Knows result rows and the published results; neither engine nor models. Verdicts are counted in
:mod:`common.results.tally`, Tables VI and VII of the paper made again in :mod:`common.results.paper`.
"""

from ...results.paper import (
    all_mean_over_tests,
    table6,
    table6_counts,
    table6_exact,
    table7,
)
from ...results.tally import (
    VerdictCounts,
    counts,
    family_of,
    half_up,
    mean_over_tests,
    shares,
    total,
)
from .claims import Claims, claims
from .conclusions import LEVEL, Conclusions, conclusions
from .model_score import Outcome, beyond_chance, score
from .paper_text import paper_text
from .ranks import add_scope, ranking
from .report import rankings, text, to_json
from .standings import Standing, Standings, standings
from .wide import (
    Key,
    Matrix,
    ModelColumn,
    Scores,
    WideCell,
    WideRow,
    matrices,
    matrix,
    scores_of,
    wide_rows,
)

__all__ = [
    "LEVEL",
    "Claims",
    "Conclusions",
    "Key",
    "Matrix",
    "ModelColumn",
    "Outcome",
    "Scores",
    "Standing",
    "Standings",
    "VerdictCounts",
    "WideCell",
    "WideRow",
    "add_scope",
    "all_mean_over_tests",
    "beyond_chance",
    "claims",
    "conclusions",
    "counts",
    "family_of",
    "half_up",
    "matrices",
    "matrix",
    "mean_over_tests",
    "paper_text",
    "ranking",
    "rankings",
    "score",
    "scores_of",
    "shares",
    "standings",
    "table6",
    "table6_counts",
    "table6_exact",
    "table7",
    "text",
    "to_json",
    "total",
    "wide_rows",
]
