"""Event lists, frame scores and durations from files: the only place that knows their formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...core.errors import DataError
from .checking import check_events
from .data_frames import (
    from_audformat,
    from_frame,
    read_audformat,
    read_parquet,
)
from .durations import durations_of_audio, read_durations
from .folders import look
from .frame_scores import NamedScores, read_scores, scores_from_frame
from .jams_files import read_jams
from .record_lists import holds_records, read_records
from .table import EventTable
from .text_lists import EXTENSIONS, RECORDS, read_text, split_lines

__all__ = [
    "EventTable",
    "NamedScores",
    "check_events",
    "durations_of_audio",
    "from_audformat",
    "from_frame",
    "read_audformat",
    "read_durations",
    "read_events",
    "read_pairs",
    "read_scores",
    "scores_from_frame",
]


def read_events(
    path: Path | str,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    layout: Sequence[str] | None = None,
) -> EventTable:
    """Read an event list of any format.

    ``.txt``, ``.ann``, ``.csv``, ``.tsv``, ``.lab`` and files without a known extension are
    text, ``.parquet`` is a table with a header, ``.jams`` one recording, ``.yaml``, ``.yml`` and
    ``.json`` are lists of records, which count in a folder if it has no other lists. In a folder
    each list is one recording, named as the list unless its rows name it; a table of durations among them is none.

    Args:
        path: file or folder
        delimiter: as for :func:`common.samples.event_lists.text_lists.read_text`
        header: as there
        decimal: as there
        layout: as there

    Returns:
        rows in the order of the file; of a folder, files sorted by name

    Raises:
        DataError: with file, row and rule, for what is no event
        MissingDependency: for parquet without pyarrow, and JAMS without jams
    """
    path = Path(path)
    options = {"delimiter": delimiter, "header": header, "decimal": decimal, "layout": layout}
    if path.is_dir():
        parts = look(path, (*EXTENSIONS, ".jams")).parts or look(path, RECORDS).parts
        if not parts:
            extensions = ", ".join((*EXTENSIONS, *RECORDS))
            raise DataError(f"{path}: holds no event list; extensions: {extensions}")
        return EventTable.concatenate([_of_recording(part, options) for part in parts])
    if path.suffix.lower() == ".parquet":
        return from_frame(read_parquet(path), str(path))
    if path.suffix.lower() == ".jams":
        return read_jams(path)
    if holds_records(path):
        return read_records(path)
    return read_text(path, **options)  # type: ignore[arg-type]


def _of_recording(path: Path, options: Mapping[str, object]) -> EventTable:
    table = read_events(path, **options)  # type: ignore[arg-type]
    if len(table):
        return table.named(file=path.stem)
    nan = float("nan")
    return EventTable.of([path.stem], [nan], [nan], [None], [1], str(path))


def read_pairs(path: Path | str) -> list[tuple[Path, Path]]:
    """Pairs of event lists: a text file with two columns, reference and estimate.

    Args:
        path: text file; paths in it are relative to its folder

    Returns:
        pairs in the order of the file

    Raises:
        DataError: for a line that does not hold two paths
    """
    path = Path(path)
    pairs = []
    for row in split_lines(path, delimiter=_pair_delimiter(path)):
        if len(row.fields) != 2:
            raise DataError(
                f"{path}: row {row.number}: expected two paths, found {len(row.fields)}"
            )
        reference, estimate = (path.parent / field for field in row.fields)
        pairs.append((reference, estimate))
    if not pairs:
        raise DataError(f"{path}: holds no pair")
    return pairs


def _pair_delimiter(path: Path) -> str:
    """The first delimiter that makes two fields of all lines."""
    for name in ("tab", "comma", "semicolon", "blank"):
        rows = split_lines(path, delimiter=name)
        if rows and all(len(row.fields) == 2 for row in rows):
            return name
    return "tab"
