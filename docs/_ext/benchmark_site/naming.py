"""Names of metrics, and of datasets that stand side by side, where equal ones are told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from benchmark_site.content import Content, words
from common.metrics import METRICS
from common.reports.metric_names import name_of
from common.spec import Dataset


def metric_names(metric: str) -> tuple[str, str]:
    """Name of a metric, and its abbreviation if it has one; its id in words where it is not registered."""
    if metric in METRICS:
        return name_of(metric)
    acronyms = {entry.id: entry.short for entry in METRICS if entry.short.isupper()}
    text = words(" ".join(acronyms.get(part, part) for part in metric.split("_")))
    return text, text


def entry_of(content: Content, dataset: str) -> Dataset | None:
    """What the catalog says of a dataset of result rows, which may be one of its parts."""
    entries = content.benchmark.datasets
    parts = (entry for entry in entries.values() if entry.name == dataset)
    return entries.get(dataset) or next(parts, None)


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


def shown_as(content: Content, dataset: str) -> str:
    """Dataset whose page shows a dataset without results: itself, or what it is a part of; empty: none."""
    if _has_results(content, dataset):
        return dataset
    entry = entry_of(content, dataset)
    if entry is None or (entry.embedded and not _has_results(content, entry.database)):
        return ""
    return entry.database


def _has_results(content: Content, dataset: str) -> bool:
    return any(dataset in board.datasets for boards in content.boards.values() for board in boards)


def absent(content: Content, reasons: Mapping[str, str], test: str = "") -> list[list[str]]:
    """What was not run, why, and which page shows it.

    Args:
        content: what the pages show
        reasons: ``test/dataset`` -> reason
        test: the only test that counts; empty: all do
    """
    pairs = ((key.partition("/"), why) for key, why in reasons.items())
    return [
        [name, dataset, why, shown_as(content, dataset)]
        for (name, _, dataset), why in pairs
        if test in ("", name)
    ]
