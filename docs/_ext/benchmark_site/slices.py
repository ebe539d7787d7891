"""Section of a model's page: slices of the samples in which it is worse than elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmark_site.content import Content
from benchmark_site.media import FOLDER
from benchmark_site.page import Page, Section
from benchmark_site.render import render
from benchmark_site.sources import Model
from common.core import paths
from common.core.display import number, tidy
from common.core.errors import DataError
from common.reports.explain import sample_id
from common.results import slices
from common.results.slices import CONFIRMED, TRIED, Clip, SliceRow
from common.spec import kinds

TITLE = "Where it fails"
#: page that says how slices are found
HOWTO = "howto/find_where_it_fails"
#: why there are no slices where a sample has several answers
RAGGED = (
    '<p class="quiet">Groups of samples in which a model is worse are not searched for here: '
    "a recording has several events, found or missed, and not one error. "
    "The timelines of its tests show where events are missed.</p>"
)
#: at most so many confirmed slices of a dataset
MOST = 12


def section(content: Content, page: Page, target: str, model: Model) -> Section | None:
    """The slices of an own model, or the command that finds them; None for others."""
    entry = content.benchmark.targets.get(target)
    if model.published or model.chance or entry is None:
        return None
    if kinds.of(entry).is_ragged:
        return Section("slices", TITLE, RAGGED)
    parts = [
        _part(content, page, target, model, dataset, rows)
        for dataset, rows in _read(content, target, model)
    ]
    html = render(
        "slices.j2",
        parts=parts,
        target=target,
        model=model.id,
        howto=page.href(HOWTO) if HOWTO in content.method_pages else "",
    )
    return Section("slices", TITLE, html)


def _read(content: Content, target: str, model: Model) -> list[tuple[str, list[SliceRow]]]:
    tables = []
    folder = content.paths.method_tests / target / model.id / paths.SLICES
    for path in sorted(folder.glob("*.csv")):
        try:
            tables.append((path.stem, slices.read(path)))
        except DataError:
            continue  # a file of another layout is made again by the command
    return tables


def _part(
    content: Content, page: Page, target: str, model: Model, dataset: str, rows: list[SliceRow]
) -> dict[str, Any]:
    entry = content.benchmark.datasets.get(dataset)
    confirmed = [row for row in rows if row.status == CONFIRMED]
    others = [row for row in rows if row.status not in (CONFIRMED, TRIED)]
    manifest = content.manifests.get((target, model.id))
    cells = manifest.cells if manifest else {}
    old = any(row.cell != cells.get(f"{row.test}/{dataset}", {}).get("hash") for row in rows)
    names = {each.id: each.label for each in content.models(target) if not each.published}
    return {
        "label": (entry.label if entry else "") or dataset,
        "loss": rows[0].loss if rows else "",
        "tried": len(rows),
        "confirmed": [_line(page, row, names) for row in confirmed[:MOST]],
        "more": len(confirmed) - MOST,
        "others": [_line(page, row, names) for row in others[:MOST]],
        "old": old,
        "level": f"{100 * rows[0].level:g}" if rows else "",
    }


def _name(text: str) -> str:
    """A slice with the signs of a reader; its file has those of a keyboard.

    >>> _name("level: >= -21.7 dB"), _name("length: < 1 s")
    ('level: ≥ −21.7 dB', 'length: < 1 s')
    """
    return tidy(text.replace(">=", "≥").replace("<=", "≤"))


def _line(page: Page, row: SliceRow, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "slice": _name(row.slice),
        "error": number(row.error),
        "elsewhere": number(row.elsewhere),
        "difference": f"{'+' if row.difference > 0 else ''}{number(row.difference)}",
        "interval": f"{number(row.ci_low)} to {number(row.ci_high)}",
        "q": f"{row.q:.2g}" if row.q >= 0.001 else "< 0.001",
        "n": row.n,
        "speakers": row.speakers,
        "clips": [_clip(page, clip, names) for clip in row.clips],
    }


def _clip(page: Page, clip: Clip, names: Mapping[str, str]) -> dict[str, Any]:
    sound = clip.sound
    return {
        "name": sample_id(clip.file, clip.start, clip.end),
        "truth": clip.truth,
        "prediction": clip.prediction,
        "others": [
            {"label": names[name], "prediction": text}
            for name, text in clip.others
            if name in names
        ],
        "src": page.file(f"{FOLDER}/{sound.src}") if sound else "",
        "picture": page.file(f"{FOLDER}/{sound.picture}") if sound and sound.picture else "",
        "seconds": sound.seconds if sound else 0,
        "lufs": sound.lufs if sound else 0,
    }
