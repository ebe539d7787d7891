"""Event lists in JAMS files (JSON annotated music specification), where the library is present."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.documents import read_json
from ...core.errors import ConfigError, DataError, MissingDependency
from .table import EventTable, label_or_none, number

#: namespaces whose observations are events with a label
NAMESPACES = ("tag_open", "segment_open", "scaper", "sound_event", "tag_audioset", "tag_urbansound")


def read_jams(path: Path, *, annotation: int | None = None) -> EventTable:
    """Events of a JAMS file: one recording.

    Args:
        path: ``.jams`` file; the recording is named by its identifier ``filename``, its title,
            or else as the file
        annotation: number of the annotation, from 0, among those with events; None: the only
            one

    Returns:
        one row per observation; one row without times if there is none

    Raises:
        MissingDependency: if jams is not installed
        DataError: if it cannot be read, or holds several annotations and none is chosen
    """
    try:
        import jams  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise MissingDependency(f"{path}: needs jams", "pip install jams") from None
    try:
        content = jams.JAMS(**read_json(path))
    except ConfigError as error:
        reason = str(error).removeprefix(str(path)).lstrip(":, ")
        raise DataError(f"{path}: cannot be read: {reason}") from None
    except (ValueError, KeyError, TypeError, AttributeError, jams.JamsError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    parts = [part for part in content.annotations if part.namespace in NAMESPACES]
    if not parts:
        names = {str(part.namespace) for part in content.annotations}
        namespaces = ", ".join(sorted(names)) or "none"
        raise DataError(
            f"{path}: no annotation of events ({', '.join(NAMESPACES)}). Found: {namespaces}"
        )
    if annotation is None and len(parts) > 1:
        raise DataError(f"{path}: holds {len(parts)} annotations of events; choose one of them")
    if not 0 <= (annotation or 0) < len(parts):
        raise DataError(f"{path}: annotation {annotation} of {len(parts)}")
    observations = list(parts[annotation or 0].data)
    rows = list(enumerate(observations, start=1))
    file = _recording(content, path)
    if not observations:
        nan = float("nan")
        return EventTable.of([file], [nan], [nan], [None], [1], str(path))
    return EventTable.of(
        [file] * len(observations),
        [_seconds(path, row, each.time) for row, each in rows],
        [_seconds(path, row, each.time) + _seconds(path, row, each.duration) for row, each in rows],
        [_label(each.value) for each in observations],
        range(1, len(observations) + 1),
        str(path),
    )


def _recording(content: Any, path: Path) -> str:
    identifiers = content.file_metadata.identifiers or {}
    for name in (dict(identifiers).get("filename"), content.file_metadata.title):
        if name:
            return str(name)
    return path.stem


def _seconds(path: Path, row: int, value: Any) -> float:
    seconds = number(value)
    if seconds != seconds and not isinstance(value, float):
        raise DataError(f"{path}: row {row}: {value!r:.60} is no time in seconds")
    return seconds


def _label(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("label")
    return None if value is None else label_or_none(str(value).strip())
