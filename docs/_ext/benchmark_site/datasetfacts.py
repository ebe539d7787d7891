"""What the samples and the audio of a dataset are like, on its page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from benchmark_site import samplepages
from benchmark_site.cell_data import languages
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.render import render
from common.core.display import number
from common.results import dataset_facts
from common.results.dataset_facts import SILENT_DBFS, DatasetFacts, Durations
from common.spec import Dataset

#: seconds from which durations are shown as minutes and as hours
MINUTE, HOUR = 60.0, 3600.0


def languages_of(content: Content, entries: Iterable[Dataset]) -> set[str]:
    """Codes of the languages of samples that a run has described; empty if none states it."""
    described = (dataset_facts.read(entry.id, content.paths) for entry in entries)
    labels = (facts.labels.get("language", {}) for facts in described if facts is not None)
    return {languages()["codes"].get(code, code) for each in labels for code in each}


def sizes(content: Content, entries: Iterable[Dataset]) -> dict[str, str]:
    """Samples, speakers and duration of the largest part that a run has described; empty if there is none."""
    described = [
        (facts, entry)
        for entry in entries
        if (facts := dataset_facts.read(entry.id, content.paths)) is not None
    ]
    if not described:
        return {}
    facts, entry = max(described, key=lambda pair: pair[0].samples)
    part = f" ({entry.label or entry.id})" if len(described) > 1 else ""
    return {
        "Samples": _count(facts.samples) + part,
        "Speakers": _count(facts.speakers) if facts.speakers else "",
        "Duration": duration(facts.durations.total) if facts.durations is not None else "",
    }


def of_dataset(content: Content, page: Page, name: str, entries: Iterable[Dataset]) -> str:
    """HTML for all parts of a dataset that a run has described; empty if there are none.

    Args:
        content: what the pages show
        page: where they are shown
        name: the dataset as result rows name it
        entries: what the catalog says of it and its parts
    """
    parts = [
        _part(entry, facts, content.benchmark.targets)
        for entry in entries
        if (facts := dataset_facts.read(entry.id, content.paths)) is not None
    ]
    if not parts:
        return ""
    return render(
        "dataset_facts.j2",
        parts=parts,
        several=len(parts) > 1,
        silent_dbfs=number(SILENT_DBFS, digits=0),
        clips=[
            {"label": content.label(target), "href": page.href(samplepages.doc(target))}
            for target in content.boards
            if not content.sample_datasets(target).get(name, {"silent": True})["silent"]
        ],
    )


def _part(entry: Dataset, facts: DatasetFacts, targets: Collection[str]) -> dict[str, Any]:
    lines = [
        ("Samples", _count(facts.samples)),
        ("Audio files", _count(facts.files)),
        ("Sampling rate", _shares(facts.sampling_rates, "Hz")),
        ("Channels", _shares(facts.channels, "")),
    ]
    if facts.durations is not None:
        span = facts.durations
        lines += [
            ("Duration", duration(span.total)),
            ("Shortest, median, longest sample", _spread(span)),
        ]
    if facts.speakers:
        low, middle, high = facts.per_speaker
        samples = f"with {low:.0f} samples each"
        if low < high:
            samples = f"{low:.0f} to {high:.0f} samples each, median {number(middle, digits=1)}"
        lines.append(("Speakers", f"{_count(facts.speakers)}, {samples}"))
    for name, (count, mean, deviation) in facts.numbers.items():
        text = f"mean {number(mean)}, standard deviation {number(deviation)}"
        lines.append((name, f"{_count(count)} samples, {text}"))
    return {
        "label": entry.label or entry.id,
        "lines": lines,
        "histogram": list(_histogram(facts.durations)) if facts.durations is not None else [],
        "labels": [
            {"name": name, "rows": list(_bars(counts.items())), "open": name in targets}
            for name, counts in facts.labels.items()
            if len(counts) > 1
        ],
        "broken": facts.broken,
        "first_broken": facts.first_broken,
        "silent": facts.silent,
        "first_silent": [
            f"{file}, from {start:g} s" if start else file for file, start in facts.first_silent
        ],
    }


def duration(seconds: float) -> str:
    """A duration for people.

    >>> duration(0.25), duration(75.0), duration(5400.0)
    ('0.25 s', '1.2 min', '1.50 h')
    """
    if seconds >= HOUR:
        return f"{seconds / HOUR:.2f} h"
    if seconds >= MINUTE:
        return f"{seconds / MINUTE:.1f} min"
    return f"{seconds:.2f} s"


def _spread(span: Durations) -> str:
    return ", ".join(duration(value) for value in (span.shortest, span.median, span.longest))


def _histogram(span: Durations) -> Iterator[dict[str, Any]]:
    """Rows of the histogram; the last part is open unless nothing lies behind its width."""
    texts = []
    for place, edge in enumerate(span.edges):
        is_last = place + 1 == len(span.edges)
        texts.append(
            f"{edge:g} s and more" if is_last else f"{edge:g} to {span.edges[place + 1]:g} s"
        )
    yield from _bars(zip(texts, span.counts, strict=True))


def _bars(counts: Iterable[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    pairs = list(counts)
    total = sum(count for _, count in pairs)
    for text, count in pairs:
        yield {"text": text, "count": count, "share": Fraction(count, total)}


def _shares(counts: Mapping[int, int], unit: str) -> str:
    """Values with the number of files, unless all files have the same."""
    if len(counts) == 1:
        return f"{next(iter(counts))} {unit}".strip()
    return ", ".join(
        f"{value} {unit}".strip() + f" ({_count(count)} {'file' if count == 1 else 'files'})"
        for value, count in counts.items()
    )


def _count(value: int) -> str:
    return f"{value:,}".replace(",", "\u202f")
