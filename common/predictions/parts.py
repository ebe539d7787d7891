"""Files of a store of predictions: which there are, what they hold, and which are put together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..core import parquet

SUFFIX = ".parquet"
#: rows, and bytes on disk, from which on files are not put together
PART_ROWS, PART_BYTES = 1 << 17, 1 << 26


def parts_of(folder: Path) -> list[Path]:
    """Files with predictions of a store, by name."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def overlaps(part: Path, first: str, last: str) -> bool:
    """Whether a file may hold samples of recordings between two names; True if it does not say it."""
    ends = _ends(part)
    return ends is None or (ends.first <= last and ends.last >= first)


class _Ends(NamedTuple):
    """What a file says about itself: its first and last recording, and its size."""

    first: str
    last: str
    rows: int
    size_bytes: int


def _ends(part: Path) -> _Ends | None:
    """What is said at the end of a file, without reading it; None if it makes no sense.

    Raises:
        FileNotFoundError: if the file is gone
    """
    try:
        with parquet.opened(part, ["file"]) as file:
            metadata = file.metadata
        place = metadata.schema.names.index("file")
        chunks = [metadata.row_group(n).column(place) for n in range(metadata.num_row_groups)]
        kind = metadata.schema.column(place).physical_type
        if any(chunk.physical_type != kind for chunk in chunks):
            return None  # pyarrow (26.0) would abort if it were asked for statistics
        statistics = [chunk.statistics for chunk in chunks]
        first, last = min(one.min for one in statistics), max(one.max for one in statistics)
        text = isinstance(first, str) and isinstance(last, str)
        return _Ends(first, last, metadata.num_rows, part.stat().st_size) if text else None
    except FileNotFoundError:
        raise
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def groups_of(parts: Sequence[Path]) -> list[list[Path]]:
    """Files that are to be put together: neighbours, by their first recording, and not too many rows.

    Those that say nothing about themselves are read with the first ones, which sets them aside.
    """
    if len(parts) < 2:
        return []
    ends = {part: _ends(part) or _Ends("", "", 0, 0) for part in parts}
    groups: list[list[Path]] = [[]]
    rows = size_bytes = 0
    for part in sorted(parts, key=lambda part: (ends[part], part.name)):
        rows, size_bytes = rows + ends[part].rows, size_bytes + ends[part].size_bytes
        if groups[-1] and (rows > PART_ROWS or size_bytes > PART_BYTES):
            groups.append([])
            rows, size_bytes = ends[part].rows, ends[part].size_bytes
        groups[-1].append(part)
    return [sorted(group) for group in groups if len(group) > 1]
