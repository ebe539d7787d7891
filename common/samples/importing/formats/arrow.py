"""Folders of Hugging Face ``datasets``: Arrow files as its function save_to_disk writes them, and parquet with audio in it.

They are read with pyarrow; the package ``datasets`` is not needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ....core.documents import parse_json
from ....core.errors import ConfigError, DataError
from ....core.files import is_file
from ..inspection import several
from ..reading import SPLIT, ImportedRows, Row
from ..request import ImportRequest
from ..table_files import as_text
from .writing import write_audio

#: files that mark a folder of ``datasets``
INFO = "dataset_info.json"
MARKS = ("dataset_dict.json", INFO, "state.json")
ENDINGS = (".arrow", ".parquet")
#: names of parts in names of files, as on the hub: data/test-00000-of-00003.parquet
_PART = re.compile(r"(.+?)-\d{5}-of-\d{5}(?:-\w+)?")
#: files that ``datasets`` computes from others
_CACHE = re.compile(r"(cache|tmp)-.*")


def is_datasets(source: Path) -> bool:
    """Whether a folder or file is one of ``datasets``: marked as such, or a table with audio."""
    if source.is_dir() and any((source / mark).is_file() for mark in MARKS):
        return True
    files = data_files(source)
    return bool(files) and bool(_audio_column(_schema(files[0])))


def data_files(source: Path) -> list[Path]:
    """Arrow and parquet files, the parts in alphabetical order."""
    paths = [source] if source.is_file() else sorted(source.rglob("*"))
    return [
        path
        for path in paths
        if path.suffix.lower() in ENDINGS and path.is_file() and not _CACHE.match(path.name)
    ]


def read(request: ImportRequest) -> ImportedRows:
    """Rows of all files; audio in them is written into ``request.audio``.

    Raises:
        ConfigError: if there is no such part
        DataError: if a file is broken, or no column holds audio
    """
    paths = data_files(request.source)
    if not paths:
        raise DataError(f"{request.source}: holds no Arrow or parquet file")
    paths, notes = request.chosen({path: _part(path, request.source) for path in paths})
    imported = ImportedRows([], request.audio, notes=notes, fields=_about(request.source))
    for path in paths:
        part = _part(path, request.source)
        schema = _schema(path)
        audio = _audio_column(schema)
        if not audio:
            names = ", ".join(schema.names)
            raise DataError(f"{path}: no column holds audio (bytes and path): {names}")
        classes = _classes(schema)
        for number, values in enumerate(_rows(path), 1):
            row = _row(values, audio, classes)
            if part:
                row[SPLIT] = part
            where = f"{path}: row {number}"
            file = _written(values[audio], part, len(imported.rows), request, where, imported)
            if file:
                imported.rows.append({"file": file, **row})
    if not imported.rows:
        raise DataError(f"{request.source}: no row has audio: {'; '.join(imported.faults)}")
    return imported


def _about(source: Path) -> dict[str, Any]:
    """What its header says about the data: its licence, if it is a text."""
    folder = source if source.is_dir() else source.parent
    for path in (folder / INFO, *sorted(folder.glob(f"*/{INFO}"))):
        try:
            text = parse_json(path.read_text("utf-8"))["license"]
        except (OSError, ValueError, KeyError, TypeError, ConfigError):
            continue
        if isinstance(text, str) and text.strip():
            return {"license": " ".join(text.split())}
    return {}


def _part(path: Path, source: Path) -> str:
    """Part of the data that a file belongs to, empty if there is only one."""
    match = _PART.fullmatch(path.stem)
    if match and match[1] != "data":
        return match[1]
    folder = path.parent
    return "" if source.is_file() or folder == source or folder.name == "data" else folder.name


def _schema(path: Path) -> Any:
    import pyarrow
    import pyarrow.parquet

    try:
        if path.suffix.lower() == ".parquet":
            schema = pyarrow.parquet.read_schema(path)
        else:
            with pyarrow.OSFile(str(path)) as file:
                schema = _reader(file).schema
        # names that are no text are errors here
        _audio_column(schema)
        list(schema.names)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise DataError(_broken(path, error)) from None
    return schema


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        if path.suffix.lower() == ".parquet":
            # in this thread: common.core.parquet tells why. Few rows, as each may hold a recording
            with pyarrow.parquet.ParquetFile(path) as parquet:
                for batch in parquet.iter_batches(batch_size=64, use_threads=False):
                    yield from batch.to_pylist()
            return
        with pyarrow.OSFile(str(path)) as file:
            reader = _reader(file)
            count = getattr(reader, "num_record_batches", None)
            batches = reader if count is None else (reader.get_batch(n) for n in range(count))
            for batch in batches:
                batch.validate(full=True)  # offsets that lead elsewhere would be followed
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise DataError(_broken(path, error)) from None


def _reader(file: Any) -> Any:
    """``datasets`` writes streams; other programs write the file format."""
    from pyarrow import ipc

    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    return ipc.open_file(file) if is_file else ipc.open_stream(file)


def _broken(path: Path, error: Exception) -> str:
    return f"{path}: cannot be read (partial download?): {(str(error).splitlines() or [''])[0]}"


def _audio_column(schema: Any) -> str:
    """First column that holds encoded audio, empty if there is none."""
    import pyarrow

    for field in schema:
        if pyarrow.types.is_struct(field.type):
            names = {field.type.field(n).name for n in range(field.type.num_fields)}
            if {"bytes", "path"} <= names:
                return str(field.name)
    return ""


def _classes(schema: Any) -> dict[str, list[str]]:
    """Names of classes of columns that hold their numbers, as ``datasets`` writes them down."""
    text = (schema.metadata or {}).get(b"huggingface")
    try:
        features = parse_json(text)["info"]["features"] if text else {}
        return {
            name: list(feature["names"])
            for name, feature in features.items()
            if isinstance(feature, dict)
            and feature.get("_type") == "ClassLabel"
            and feature.get("names")
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _row(values: Mapping[str, Any], audio: str, classes: Mapping[str, list[str]]) -> Row:
    row: Row = {}
    for name, value in values.items():
        if name in (audio, "file") or isinstance(value, dict | list | bytes):
            continue
        names = classes.get(name)
        if names and isinstance(value, int):
            row[name] = names[value] if 0 <= value < len(names) else ""
        else:
            row[name] = as_text(value)
    return row


def _beside(source: Path, path: str) -> bytes:
    """Content of a file that a row names, empty if it is not there or outside of the folder."""
    top = source if source.is_dir() else source.parent
    place = (top / path).resolve()
    return place.read_bytes() if place.is_relative_to(top) and is_file(place) else b""


def _written(
    value: Any, part: str, number: int, request: ImportRequest, where: str, imported: ImportedRows
) -> str:
    """Path of the audio of a row, empty if there is none, which is told."""
    content = (value or {}).get("bytes")
    path = str((value or {}).get("path") or "")
    if not content and path:
        content = _beside(request.source, path)
    if not content:
        imported.faults.append(several([path or where], "row", "has no audio and is left out"))
        return ""
    stem = PurePosixPath(path.replace("\\", "/")).name or "audio"
    return write_audio(request.audio, f"{part}/{number:06d}-{stem}".lstrip("/"), content, where)
