"""How certain a score is: clustered bootstrap, intervals, and a verdict that may be "cannot tell".

A design says with each score what it is computed of (:class:`Recipe`); everything else happens
here. Samples of one speaker resemble each other, so speakers are resampled, not samples. For
each metric a *statistic* turns the samples into sums per speaker; a resample is then a weighted
sum of speakers, and 1,000 of them are one matrix product.
"""

from .bootstrap import Bootstrap
from .breaking import Break, breaking_interval
from .clusters import DRAWS, Clusters
from .effect import Effects, cohens_h, hedges_g
from .equivalence import fairness_of
from .interval import METHODS, Interval
from .multiple import benjamini_hochberg, benjamini_yekutieli
from .paired import PairedDifference, mcnemar, nearer, paired
from .permutation import PERMUTATIONS, Permuted, permuted
from .recipe import Recipe, Term
from .statistics import STATISTICS
from .verdict import (
    VERDICTS,
    is_decidable,
    verdict_on_share,
    verdict_with_power,
)

__all__ = [
    "DRAWS",
    "METHODS",
    "PERMUTATIONS",
    "STATISTICS",
    "VERDICTS",
    "Bootstrap",
    "Break",
    "Clusters",
    "Effects",
    "Interval",
    "PairedDifference",
    "Permuted",
    "Recipe",
    "Term",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "breaking_interval",
    "cohens_h",
    "fairness_of",
    "hedges_g",
    "is_decidable",
    "mcnemar",
    "nearer",
    "paired",
    "permuted",
    "verdict_on_share",
    "verdict_with_power",
]
