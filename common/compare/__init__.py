"""Two models, cell by cell, on the same samples: what got better, worse, or cannot be told.

=================================  ==========================================================
:mod:`~common.compare.sides`       what is compared: models, versions, folders of results
:mod:`~common.compare.pairs`       rows of both with the paired test of their difference
:mod:`~common.compare.gate`        which differences count: levels, sizes, allowances
:mod:`~common.compare.flips`       samples that only one of them gets right
:mod:`~common.compare.formats`     table, JSON, JUnit XML, Markdown
=================================  ==========================================================
"""

from common.compare.flips import flips
from common.compare.formats import FORMATS, text
from common.compare.gate import Rules, judged, load_rules
from common.compare.pairs import OUTCOMES, Comparison, Pair, compare
from common.compare.sides import Side, resolve

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
