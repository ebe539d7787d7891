"""Names of metrics, and of datasets that stand side by side, where equal ones are told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchmark_site.content import Content, words
from common.metrics import METRICS
from common.reports.metric_names import name_of


def metric_names(metric: str) -> tuple[str, str]:
    """Name of a metric, and its abbreviation if it has one; its id in words where it is not registered."""
    if metric in METRICS:
        return name_of(metric)
    acronyms = {entry.id: entry.short for entry in METRICS if entry.short.isupper()}
    text = words(" ".join(acronyms.get(part, part) for part in metric.split("_")))
    return text, text


def dataset_names(content: Content, datasets: Iterable[str]) -> dict[str, str]:
    """Name of each of some datasets; what follows the name of the database tells equal ones apart."""
    labels = {dataset: content.dataset(dataset) for dataset in datasets}
    several = {label for label, number in Counter(labels.values()).items() if number > 1}
    return {
        dataset: f"{label}, {_rest(content, dataset)}" if label in several else label
        for dataset, label in labels.items()
    }


def _rest(content: Content, dataset: str) -> str:
    """Id of a dataset without the name of its database; with its version where nothing is left."""
    entry = content.benchmark.datasets.get(dataset)
    if entry is None:
        return dataset
    return dataset.removeprefix(entry.database).lstrip("-") or entry.version
