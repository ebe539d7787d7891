"""Data folders of Kaldi and ESPnet: ``wav.scp``, ``utt2spk``, ``text``, ``segments`` and others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ....core.display import shortened
from ....core.errors import DataError
from ....core.files import is_file
from ..inspection import several
from ..reading import ImportedRows, Row
from ..request import ImportRequest
from ..table_files import read_text

SCP = "wav.scp"
SEGMENTS = "segments"
#: files that say something about each utterance, and what; other files that begin with utt2 name it
COLUMNS = {"utt2spk": "speaker", "text": "text", "utt2gender": "sex", "utt2lang": "language"}
#: about each speaker
OF_SPEAKERS = {"spk2gender": "sex"}
#: what is computed from the audio or is the other way round
_LEFT_OUT = frozenset(("utt2dur", "utt2num_frames", "utt2uniq", "utt2category"))
#: how many folders above the data folder relative paths are looked for: recipes run in one of them
ABOVE = 4


def is_kaldi(folder: Path) -> bool:
    """Whether a folder holds ``wav.scp``."""
    return (folder / SCP).is_file()


def read(request: ImportRequest) -> ImportedRows:
    """Rows of a data folder.

    Raises:
        DataError: if a file is missing or broken, or ``wav.scp`` holds commands
    """
    folder = request.source
    if not is_kaldi(folder):
        raise DataError(f"{folder}: holds no {SCP}")
    paths = _paths(folder, _pairs(folder / SCP, request.encoding))
    root = Path(os.path.commonpath([path.parent for path in paths.values()]))
    imported = ImportedRows([], root)
    if (folder / SEGMENTS).is_file():
        rows = _segments(folder / SEGMENTS, paths, root, request.encoding)
    else:
        rows = {name: {"file": _relative(path, root)} for name, path in paths.items()}
    for path in sorted(folder.iterdir()):
        column = COLUMNS.get(path.name) or (
            path.name[4:] if path.name.startswith("utt2") and path.name not in _LEFT_OUT else ""
        )
        if column and path.is_file():
            _add(rows, column, _pairs(path, request.encoding), path.name, imported)
    for name, column in OF_SPEAKERS.items():
        if (folder / name).is_file() and any("speaker" in row for row in rows.values()):
            of_speaker = _pairs(folder / name, request.encoding)
            labels = {key: of_speaker.get(row.get("speaker", ""), "") for key, row in rows.items()}
            _add(rows, column, labels, name, imported)
    imported.rows = list(rows.values())
    return imported


def _pairs(path: Path, encoding: str) -> dict[str, str]:
    """First word of each line -> the rest of it."""
    pairs: dict[str, str] = {}
    for number, line in enumerate(read_text(path, encoding).splitlines(), 1):
        name, _, rest = line.strip().partition(" ") if "\t" not in line else line.partition("\t")
        name, rest = name.strip(), rest.strip()
        if not name:
            continue
        if pairs.setdefault(name, rest) != rest:
            raise DataError(
                f"{path}: line {number}: '{name}' has two values: {pairs[name]!r:.60} and {rest!r:.60}"
            )
    if not pairs:
        raise DataError(f"{path}: is empty")
    return pairs


def _paths(folder: Path, entries: Mapping[str, str]) -> dict[str, Path]:
    """Utterance or recording -> its audio file."""
    places = [folder, *list(folder.parents)[:ABOVE]]
    paths: dict[str, Path] = {}
    base: Path | None = None
    for name, text in entries.items():
        if text.endswith("|") or text.startswith("|"):
            raise DataError(
                f"{folder / SCP}: {name}: is a command ({text:.60}); only paths are read: run it"
                " and write the path of its output"
            )
        if not text:
            raise DataError(f"{folder / SCP}: {name}: has no path")
        if "\0" in text:
            raise DataError(f"{folder / SCP}: {name}: no path has a NUL as {text!r:.60} does")
        if Path(text).is_absolute():
            paths[name] = Path(os.path.normpath(text))
            continue
        if base is None:
            base = next((place for place in places if is_file(place / text)), None)
        if base is None:
            looked = ", ".join(str(place) for place in places)
            raise DataError(
                f"{folder / SCP}: {name}: no file {shortened(text)}; looked in {looked}"
            )
        paths[name] = Path(os.path.normpath(base / text))
    return paths


def _segments(path: Path, paths: Mapping[str, Path], root: Path, encoding: str) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for name, rest in _pairs(path, encoding).items():
        parts = rest.split()
        if len(parts) != 3:
            raise DataError(
                f"{path}: {name}: expected recording, start and end, found {rest!r:.60}"
            )
        recording, start, end = parts
        if recording not in paths:
            raise DataError(f"{path}: {name}: recording '{recording}' is not in {SCP}")
        # a negative end stands for the end of the recording
        end = "" if end.startswith("-") else end
        rows[name] = {"file": _relative(paths[recording], root), "start": start, "end": end}
    return rows


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _add(
    rows: Mapping[str, Row],
    column: str,
    labels: Mapping[str, str],
    name: str,
    imported: ImportedRows,
) -> None:
    without = [key for key, row in rows.items() if not labels.get(key)]
    for key, row in rows.items():
        row[column] = labels.get(key, "")
    if without:
        imported.notes.append(several(without, "utterance", f"has nothing in {name}"))
