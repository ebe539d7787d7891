"""Two models, cell by cell, on the same samples: what got better, worse, or cannot be told.

=================================  ==========================================================
:mod:`~common.reports.compare.sides`       what is compared: models, versions, folders of results
:mod:`~common.reports.compare.pairs`       rows of both with the paired test of their difference
:mod:`~common.reports.compare.gate`        which differences count: levels, sizes, allowances
:mod:`~common.reports.compare.flips`       samples that only one of them gets right
:mod:`~common.reports.compare.formats`     table, JSON, JUnit XML, Markdown
=================================  ==========================================================
"""

from .flips import flips
from .formats import FORMATS, text
from .gate import Rules, judged, load_rules
from .pairs import OUTCOMES, Comparison, Pair, compare
from .sides import Side, resolve

__all__ = [
    "FORMATS",
    "OUTCOMES",
    "Comparison",
    "Pair",
    "Rules",
    "Side",
    "compare",
    "flips",
    "judged",
    "load_rules",
    "resolve",
    "text",
]
