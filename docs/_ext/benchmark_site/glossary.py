"""What metrics mean, in a sentence: hints beside their names, which lead to the page on metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from benchmark_site.content import Content
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, anchor
from common.metrics import METRICS

#: page on metrics
PAGE = "method/metrics"
BEST = {"higher": "high is best", "lower": "low is best", "zero": "0 is best"}


class Term(NamedTuple):
    """A metric and what it means.

    Args:
        label: its name
        text: meaning, range, and which end of it is best
        href: where more stands; empty without such a page
    """

    label: str
    text: str
    href: str = ""


def place(metric: str) -> str:
    """Id of a metric in the page on metrics.

    >>> place("recall_per_bin")
    'metric--recall-per-bin'
    """
    return anchor("metric", metric)


@cache
def meaning(metric: str) -> str:
    """What a metric means, its range, and which end is best; empty if it is not registered.

    >>> meaning("uar")
    'Unweighted average recall: mean of the recall of all classes, however rare they are. From 0 to 1, high is best.'
    """
    if metric not in METRICS:
        return ""
    entry = METRICS.get(metric)
    first = (entry.function.__doc__ or entry.label).strip().split("\n")[0].replace("``", "")
    low, high = entry.bounds
    if math.isfinite(low) and math.isfinite(high):
        span = f"From {low:g} to {high:g}".replace("-", "\N{MINUS SIGN}")
    else:
        span = f"{low:g} and more" if math.isfinite(low) else "Any number"
    return f"{first.rstrip('.')}. {span}, {BEST[entry.direction]}."


def term(content: Content, page: Page, metric: str) -> Term | None:
    """A metric as a hint on a page; None if nothing is known about it."""
    text = meaning(metric)
    if not text:
        return None
    href = page.href(PAGE, place(metric)) if PAGE in content.method_pages else ""
    return Term(metric_names(metric)[0], text, href)


def terms(content: Content, page: Page, metrics: Iterable[str]) -> list[Term]:
    """Metrics as hints, each once."""
    every = (term(content, page, metric) for metric in dict.fromkeys(metrics))
    return [entry for entry in every if entry is not None]
