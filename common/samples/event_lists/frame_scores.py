"""Frame scores in files: text, parquet and numpy arrays, one recording a file or several."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.errors import ConfigError, DataError
from ...metrics.events.frames import FrameScores
from .columns import find_columns
from .data_frames import numbers, read_parquet
from .folders import look
from .table import posix
from .text_lists import refuse_longer, split_lines

if TYPE_CHECKING:
    import pandas as pd

#: extensions of files with scores
EXTENSIONS = (".tsv", ".csv", ".txt", ".parquet", ".npy", ".npz")
#: how far in s the end of a frame may be from the start of the next one
GAP_S = 1e-6
#: what numpy raises for an array or an archive of them that is damaged
DAMAGED = (
    *(OSError, ValueError, TypeError, EOFError, SyntaxError, tokenize.TokenError, MemoryError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
)


class NamedScores(NamedTuple):
    """Frame scores of recordings.

    Args:
        files: recordings, in the order of ``scores``
        labels: labels, in the order of the columns of ``scores``
        scores: the scores
    """

    files: tuple[str, ...]
    labels: tuple[str, ...]
    scores: FrameScores


class _Part(NamedTuple):
    """Scores of one recording: times has one entry more than values has rows."""

    file: str
    labels: tuple[str, ...]
    times: np.ndarray
    values: np.ndarray


def read_scores(
    path: Path,
    *,
    files: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    hop: float | None = None,
) -> NamedScores:
    """Read frame scores.

    * ``.tsv``, ``.csv``, ``.txt`` or ``.parquet``: columns onset, offset and one for each label,
      one row per frame; with a column filename several recordings, without it one
    * ``.npz``: arrays ``scores`` (frames, labels), ``labels``, and ``times`` (frames + 1) or
      ``onset`` and ``offset``; one recording
    * ``.npy``: scores (frames, labels) of one recording; needs ``labels`` and ``hop``
    * a folder: one such file per recording

    A file without the name of its recording is called as this, be it with or without extension.

    Args:
        path: file or folder
        files: recordings that may occur, to complete names without extension
        labels: labels in the wanted order; None: those of the first recording
        hop: length of a frame in s, where a file does not tell the times

    Returns:
        scores with recordings in the order found, folders sorted by name

    Raises:
        ConfigError: if labels or times are neither in the file nor given
        DataError: with file and row, for frames that do not follow each other or never end,
            missing or infinite scores, labels that differ between recordings, an empty table, or
            an archive whose times are no numbers or whose labels are no texts
        MissingDependency: for parquet without pyarrow
    """
    path = Path(path)
    if path.is_dir():
        paths = look(path, EXTENSIONS).parts
        if not paths:
            raise DataError(f"{path}: holds no scores; known extensions: {', '.join(EXTENSIONS)}")
    else:
        paths = [path]
    parts = [part for each in paths for part in _read(each, labels, hop)]
    return _joined(parts, path, files, labels)


def scores_from_frame(
    frame: pd.DataFrame, source: str = "table", *, file: str | None = None
) -> NamedScores:
    """Frame scores of a pandas table with onset, offset, one column per label, and filename.

    Args:
        frame: the table; rows of a recording follow each other in time
        source: name for messages
        file: the recording, for a table without the column filename

    Raises:
        DataError: as :func:`read_scores`
    """
    return _joined(list(_from_frame(frame, source, file)), Path(source), None, None)


def _read(path: Path, labels: Sequence[str] | None, hop: float | None) -> Iterable[_Part]:
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _from_frame(read_parquet(path), str(path), path.stem)
    if suffix in (".npy", ".npz"):
        return [_from_arrays(path, labels, hop)]
    if suffix in EXTENSIONS:
        return _from_frame(_text_frame(path), str(path), path.stem)
    raise DataError(f"{path}: known extensions of scores: {', '.join(EXTENSIONS)}")


def _text_frame(path: Path) -> pd.DataFrame:
    import pandas as pd

    rows = split_lines(path)
    if len(rows) < 2:
        raise DataError(f"{path}: holds no frame")
    refuse_longer(path, rows, shorter=False)
    cells = [row.fields for row in rows[1:]]
    return pd.DataFrame(cells, [row.number for row in rows[1:]], rows[0].fields, dtype=object)


def _from_frame(frame: pd.DataFrame, source: str, file: str | None) -> Iterable[_Part]:
    import pandas as pd

    if not len(frame):
        raise DataError(f"{source}: holds no frame")
    columns = find_columns(list(frame.columns))
    if columns is None or "onset" not in columns:
        header = ", ".join(map(str, frame.columns))
        raise DataError(f"{source}: no columns onset and offset. Found: {header}")
    key_columns = [columns[name] for name in ("file", "onset", "offset") if name in columns]
    places = [at for at in range(frame.shape[1]) if at not in key_columns]
    labels = tuple(str(frame.columns[at]) for at in places)
    if not labels:
        raise DataError(f"{source}: has no column with scores")
    scores = [
        numbers(frame.iloc[:, at], source, f"{frame.columns[at]} = ")
        for at in (columns["onset"], columns["offset"], *places)
    ]
    values = np.stack(scores, axis=1)
    if "file" in columns:
        names = frame.iloc[:, columns["file"]].astype(str).to_numpy()
    elif file is None:
        raise DataError(f"{source}: names no recording")
    else:
        names = np.full(len(frame), file, dtype=object)
    order = np.argsort(pd.factorize(names)[0], kind="stable")
    names, values, rows = names[order], values[order], frame.index.to_numpy()[order]
    starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
    for start, stop in zip(starts, [*starts[1:], len(names)], strict=True):
        part = values[start:stop]
        where = f"{source} (file '{names[start]}')"
        times = _times(part[:, 0], part[:, 1], where, rows[start:stop])
        yield _Part(posix(str(names[start])), labels, times, part[:, 2:])


def _times(onset: np.ndarray, offset: np.ndarray, where: str, rows: np.ndarray) -> np.ndarray:
    """Ends of all frames; refuses gaps, overlaps and frames without length."""
    apart = np.flatnonzero(~(np.abs(onset[1:] - offset[:-1]) <= GAP_S))
    if len(apart):
        at = int(apart[0])
        raise DataError(
            f"{where}: row {rows[at + 1]}: the frame starts at {onset[at + 1]:g} s, but the one"
            f" before ends at {offset[at]:g} s"
        )
    times = np.append(onset, offset[-1])
    lengths = np.diff(times)
    short = np.flatnonzero(~((lengths > 0) & np.isfinite(lengths)))
    if len(short) or times[0] < 0:
        at = int(short[0]) if len(short) else 0
        raise DataError(f"{where}: row {rows[at]}: {onset[at]:g} to {offset[at]:g} s is no frame")
    return times


def _from_arrays(path: Path, labels: Sequence[str] | None, hop: float | None) -> _Part:
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            arrays = {"scores": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    except DAMAGED as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    for name, member in arrays.items():
        # numpy gives the bytes of what does not begin like an array
        if not isinstance(member, np.ndarray):
            raise DataError(f"{path}: '{name}' is no array")
    if "scores" not in arrays:
        raise DataError(f"{path}: holds no array 'scores'. Found: {', '.join(arrays) or 'none'}")
    values = arrays["scores"]
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise DataError(f"{path}: scores of shape {values.shape}, expected (frames, labels)")
    if not len(values):
        raise DataError(f"{path}: holds no frame")
    names = _names(arrays, path) if "labels" in arrays else list(() if labels is None else labels)
    if len(names) != values.shape[1]:
        raise ConfigError(f"{path}: {len(names)} labels for {values.shape[1]} columns of scores")
    rows = np.arange(1, len(values) + 1)
    if "times" in arrays:
        ends = _moments(arrays, "times", 1, path)
        times = _times(ends[:-1], ends[1:], str(path), rows)
    elif {"onset", "offset"} <= set(arrays):
        onset, offset = (_moments(arrays, name, 0, path) for name in ("onset", "offset"))
        times = _times(onset, offset, str(path), rows)
    elif hop is not None and hop > 0:
        times = np.arange(len(values) + 1) * hop
    else:
        raise ConfigError(f"{path}: no times of frames; give the length of a frame (hop)")
    return _Part(path.stem, tuple(names), times, values)


def _names(arrays: Mapping[str, np.ndarray], path: Path) -> list[str]:
    """Names of the labels in an archive."""
    names = arrays["labels"]
    if names.ndim != 1 or names.dtype.kind not in "Uiu":
        raise DataError(
            f"{path}: labels of shape {names.shape} and type {names.dtype}, expected texts"
        )
    return [str(name) for name in names]


def _moments(arrays: Mapping[str, np.ndarray], name: str, more: int, path: Path) -> np.ndarray:
    """Times in an archive, in s: one for each frame, and some more."""
    moments, frames = arrays[name], len(arrays["scores"])
    if moments.shape != (frames + more,):
        raise DataError(f"{path}: {name} of shape {moments.shape} for {frames} frames")
    if moments.dtype.kind not in "fiu":
        raise DataError(f"{path}: {name} of type {moments.dtype}, expected numbers")
    return np.asarray(moments, np.float64)


def _joined(
    parts: Sequence[_Part],
    path: Path,
    files: Sequence[str] | None,
    labels: Sequence[str] | None,
) -> NamedScores:
    names = _completed([part.file for part in parts], path, files)
    classes = tuple(labels) if labels is not None else parts[0].labels
    columns = []
    for name, part in zip(names, parts, strict=True):
        if sorted(part.labels) != sorted(classes):
            other = ", ".join(sorted(set(part.labels) ^ set(classes)))
            raise DataError(f"{path}: '{name}' has other labels than expected: {other}")
        if np.isnan(part.values).any() or (part.values == np.inf).any():
            row = int(np.argmax((np.isnan(part.values) | (part.values == np.inf)).any(axis=1)))
            raise DataError(f"{path}: '{name}', frame {row + 1}: a score is NaN or infinite")
        order = [part.labels.index(label) for label in classes]
        columns.append((part.times, part.values[:, order]))
    return NamedScores(names, classes, FrameScores.from_files(columns))


def _completed(names: Sequence[str], path: Path, files: Sequence[str] | None) -> tuple[str, ...]:
    """Names as they stand in ``files``, where a name there has an extension more."""
    if files is not None:
        whole = set(files)
        stems: dict[str, list[str]] = {}
        for file in files:
            stems.setdefault(file.rsplit(".", 1)[0], []).append(file)
            stems.setdefault(Path(file).stem, []).append(file)
        full_names = []
        for name in names:
            options = sorted(set(stems.get(name, [])))
            if name not in whole and len(options) > 1:
                raise DataError(f"{path}: '{name}' is ambiguous: {' or '.join(options)}")
            full_names.append(name if name in whole or not options else options[0])
        names = full_names
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{path}: holds scores of '{name}' twice")
        seen.add(name)
    return tuple(names)
