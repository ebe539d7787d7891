"""How certain a score is: clustered bootstrap, intervals, and a verdict that may be "cannot tell".

A design says with each score what it is computed of (:class:`Recipe`); everything else happens
here. Samples of one speaker resemble each other, so speakers are resampled, not samples. For
each metric a *statistic* turns the samples into sums per speaker; a resample is then a weighted
sum of speakers, and 1,000 of them are one matrix product.
"""

from common.uncertainty.bootstrap import Bootstrap
from common.uncertainty.breaking import Break, breaking_interval
from common.uncertainty.clusters import DRAWS, Clusters
from common.uncertainty.effect import Effects, cohens_h, hedges_g
from common.uncertainty.equivalence import fairness_of
from common.uncertainty.interval import METHODS, Interval
from common.uncertainty.multiple import benjamini_hochberg, benjamini_yekutieli
from common.uncertainty.paired import PairedDifference, mcnemar, nearer, paired
from common.uncertainty.permutation import PERMUTATIONS, Permuted, permuted
from common.uncertainty.recipe import Recipe, Term
from common.uncertainty.statistics import STATISTICS
from common.uncertainty.verdict import (
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
