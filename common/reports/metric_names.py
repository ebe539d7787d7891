"""Names of metrics as people read them: one name for each, and its abbreviation if it has one.

The registry keeps the names of the published tables, by which older results are found. Some of them
have two spellings there.
"""

from __future__ import annotations

from typing import NamedTuple

from ..metrics import METRICS

#: names of the published tables that are spelled otherwise here
SPELLED = {"Spearmans Rho": "Spearman's rho"}


class MetricName(NamedTuple):
    """What a metric is called.

    Args:
        full: its name
        short: its abbreviation, for formulas; its name if it has none
    """

    full: str
    short: str


def name_of(metric: str) -> MetricName:
    """What a registered metric is called.

    >>> name_of("ccc"), name_of("spearmans_rho").short
    (MetricName(full='Concordance Correlation Coeff', short='CCC'), "Spearman's rho")
    >>> name_of("recall_per_bin").full
    'Recall per Bin'
    >>> name_of("change_uar").full, name_of("change_segment_f_macro").full
    ('Change UAR', 'Change Segment-based Macro F-score')
    """
    entry = METRICS.get(metric)
    if entry.of:
        change = f"Change {name_of(entry.of).short}"
        return MetricName(change, change)
    full = SPELLED.get(entry.label, entry.label).replace(" Per ", " per ")
    return MetricName(full, entry.short if entry.short.isupper() else full)
