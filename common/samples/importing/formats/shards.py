"""WebDataset: tar files in which all files of a sample have the same name before the first dot."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ....core.documents import parse_json
from ....core.errors import DataError
from ....core.wording import counted
from ..conventions import AUDIO
from ..inspection import several
from ..reading import ImportedRows, Row
from ..request import ImportRequest
from ..table_files import as_text
from .writing import safe, write_audio

#: endings of tar files
ENDINGS = (".tar", ".tar.gz", ".tgz")
#: endings of members that are one label -> its column
LABELS = {"cls": "cls", "txt": "text", "text": "text"}


def shards(source: Path) -> list[Path]:
    """Tar files of a folder, or the file itself."""
    if source.is_file():
        return [source] if source.name.lower().endswith(ENDINGS) else []
    return sorted(p for p in source.iterdir() if p.name.lower().endswith(ENDINGS) and p.is_file())


def read(request: ImportRequest) -> ImportedRows:
    """Rows of the samples in all shards; their audio is written into ``request.audio``.

    Raises:
        DataError: if there is no shard, one is cut off, or a path leads out of it
    """
    paths = shards(request.source)
    if not paths:
        raise DataError(f"{request.source}: holds no tar file")
    imported = ImportedRows([], request.audio)
    silent: list[str] = []
    for path in paths:
        stem = path.name[: path.name.lower().index(".t")]
        for key, row in _samples(path, stem, request).items():
            if "file" in row:
                imported.rows.append({"file": row.pop("file"), **row})
            else:
                silent.append(f"{path.name}/{key}")
    if silent:
        imported.faults.append(several(silent, "sample", "has no audio and is left out"))
    if not imported.rows:
        raise DataError(
            f"{request.source}: no sample in {counted(len(paths), 'tar file')} has audio"
        )
    return imported


def _samples(path: Path, stem: str, request: ImportRequest) -> dict[str, Row]:
    samples: dict[str, Row] = {}
    for name, content in _members(path):
        where = f"{path}: {name}"
        member = PurePosixPath(safe(name, str(path)))
        first, _, kind = member.name.partition(".")
        key = (member.parent / first).as_posix()
        row = samples.setdefault(key, {})
        kind = kind.lower()
        if f".{kind.rpartition('.')[2]}" in AUDIO:
            if "file" in row:
                raise DataError(f"{where}: sample '{key}' has two audio files")
            row["file"] = write_audio(request.audio, f"{stem}/{name}", content, where)
        elif kind == "json":
            row |= _object(content, where)
        elif kind in LABELS:
            row[LABELS[kind]] = _text(content, where)
    return samples


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isdir():
                    continue
                safe(member.name, str(path))
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is None:
                    raise DataError(f"{path}: '{member.name}' is a link or a device, not a file")
                content = stream.read()
                if len(content) != member.size:
                    raise DataError(f"{path}: '{member.name}' is cut off (partial download?)")
                yield member.name, content
    except (tarfile.TarError, EOFError, OSError) as error:
        fault = str(error) or type(error).__name__
        raise DataError(f"{path}: is no complete tar file (partial download?): {fault}") from None


def _object(content: bytes, where: str) -> Row:
    try:
        labels: Any = parse_json(content)
    except ValueError as error:
        raise DataError(f"{where}: is not valid JSON: {error}") from None
    if not isinstance(labels, dict):
        raise DataError(f"{where}: expected names and values, found {labels!r:.60}")
    return {
        name: as_text(value)
        for name, value in labels.items()
        if not isinstance(value, dict | list) and name != "file"
    }


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise DataError(f"{where}: is not UTF-8 text") from None
