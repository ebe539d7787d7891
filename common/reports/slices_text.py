"""Slices in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ..results.slices import CONFIRMED, TRIED, SliceRow
from .explain import sample_id
from .slices import Searched, SlicesReport


def content(report: SlicesReport) -> dict[str, Any]:
    """What was found, for a program; all slices that were tried are in the files."""
    return {
        "searched": [
            {
                "key": str(searched.key),
                "file": searched.path,
                "note": searched.note,
                "tried": len(searched.rows),
                "slices": [_plain(row) for row in searched.rows if row.status != TRIED],
            }
            for searched in report.searched
        ],
        "not_searched": report.not_searched,
    }


def _plain(row: SliceRow) -> dict[str, Any]:
    values = asdict(row)
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in values.items()
    }


def lines(report: SlicesReport, top: int) -> Iterator[str]:
    """What was found, for a person.

    Args:
        report: of the search
        top: most slices of a model and dataset
    """
    for searched in report.searched:
        yield from _of_cell(searched, top)
    if not report.searched and not report.not_searched:
        yield (
            "nothing to search: no chosen model has results of a test that compares its answers with annotations, sample by sample"
        )
    for name, reason in report.not_searched.items():
        yield f"not searched: {name}: {reason}"


def _of_cell(searched: Searched, top: int) -> Iterator[str]:
    key, rows = searched.key, searched.rows
    yield f"{key.target}, {key.model}, {key.dataset}: {counted(rows)}"
    if searched.note:
        yield f"  {searched.note}"
    confirmed = [row for row in rows if row.status == CONFIRMED]
    for row in confirmed[:top]:
        yield f"  {row.slice}"
        yield (
            f"    {row.loss} {row.error:.3g} there, {row.elsewhere:.3g} elsewhere: "
            f"+{row.difference:.3g} [{row.ci_low:.3g}, {row.ci_high:.3g}], q = {row.q:.2g}; "
            f"{row.n} samples of {row.speakers} speakers"
        )
        heard = [sample_id(clip.file, clip.start, clip.end) for clip in row.clips]
        yield f"    listen: {', '.join(heard)}"
    if len(confirmed) > top:
        yield f"  and {len(confirmed) - top} more"
    yield f"  written: {searched.path}"


def counted(rows: Sequence[SliceRow]) -> str:
    """How many slices were tried, found and confirmed, in a sentence.

    >>> counted([])
    'no slice is large enough to be tried'
    """
    if not rows:
        return "no slice is large enough to be tried"
    confirmed = sum(row.status == CONFIRMED for row in rows)
    hits = sum(row.status != TRIED for row in rows)
    tried = f"{len(rows)} slices tried" if len(rows) > 1 else "1 slice tried"
    return f"{tried}, {hits} found on half of the speakers, {confirmed} confirmed on the others"
