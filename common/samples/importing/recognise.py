"""Which format a folder or file is in, and its rows."""

from __future__ import annotations

import re
from pathlib import Path

from ...core.errors import ConfigError, DataError
from ..event_lists.databases import HEADER
from ..folder_adapter import METADATA, CsvTable
from . import layouts
from .conventions import AUDIO
from .formats import arrow, kaldi, matlab, shards, tables
from .layouts import Layout
from .reading import ImportedRows, read_download
from .request import ImportRequest
from .table_files import TABLES, read_table
from .tree import look

#: formats that are no layout: a table that is used where it lies, a database, and what
#: :mod:`common.samples.importing.formats` turns into a table
FOLDER, AUDFORMAT = "folder", "audformat"
READERS = {
    "table": tables.read,
    "kaldi": kaldi.read,
    "datasets": arrow.read,
    "webdataset": shards.read,
}
FORMATS = (FOLDER, AUDFORMAT, *READERS)
#: tables that may be used as they are
_TEXTS = (".csv", ".tsv", ".txt")
#: archives that have to be unpacked first
_ARCHIVES = (".zip", ".rar", ".7z", ".gz", ".bz2", ".xz")


def format_of(request: ImportRequest, name: str | None, layout: Path | None) -> str | Layout:
    """Format of the data: one of :data:`FORMATS`, or a layout.

    Args:
        request: where the data are
        name: format or layout that was asked for
        layout: file of a layout of the user

    Raises:
        ConfigError: if there is no such format, or the data are in none
        DataError: if a folder or table cannot be read
    """
    if layout is not None:
        if name is not None:
            raise ConfigError(
                "--layout cannot be used together with --format; leave one of them out"
            )
        return layouts.read_layout(layout.expanduser())
    if name in FORMATS:
        return name
    if name is not None:
        return layouts.find(name, FORMATS)
    return _of_file(request) if request.source.is_file() else _of_folder(request)


def read(request: ImportRequest, form: str | Layout) -> ImportedRows:
    """Rows of data that do not lie in a table or database of their own."""
    if not isinstance(form, Layout):
        return READERS[form](request)
    imported = read_download(look(request.source), form, request.part)
    if form.matlab is not None:
        matlab.convert(imported, form.matlab, request.audio)
    return imported


def check_options(request: ImportRequest, form: str | Layout) -> None:
    """Refuse options that mean nothing for a format.

    Raises:
        ConfigError: for the first of them
    """
    label = form.id if isinstance(form, Layout) else form
    if request.columns and (isinstance(form, Layout) or form == AUDFORMAT):
        raise ConfigError(f"--columns goes with tables, not with '{label}'")
    if (
        request.part
        and not (isinstance(form, Layout) and form.split)
        and form not in ("datasets", "table")
    ):
        raise ConfigError(f"--split goes with corpora that have parts, and '{label}' has none")
    if request.encoding and form not in ("table", "kaldi"):
        raise ConfigError(f"--encoding goes with tables, not with '{label}'")


def _of_file(request: ImportRequest) -> str:
    path = request.source
    ending = path.suffix.lower()
    if shards.shards(path):
        return "webdataset"
    if ending in _ARCHIVES:
        raise ConfigError(f"{path}: is an archive; unpack it and import the folder")
    if ending in arrow.ENDINGS and arrow.is_datasets(path):
        return "datasets"
    if ending not in TABLES:
        what = "one audio file; import its folder" if ending in AUDIO else "no table"
        raise ConfigError(f"{path}: is {what}. Tables end in {', '.join(TABLES)}")
    return _of_table(path, request)


def _of_table(path: Path, request: ImportRequest) -> str:
    """``folder`` if the table can be used as it is, else ``table``, which is written anew."""
    if request.encoding or "file" in request.columns or path.suffix.lower() not in _TEXTS:
        return "table"
    try:
        CsvTable(path, "")
        return FOLDER
    except DataError:  # in another encoding, or without a column 'file'
        columns = read_table(path).columns
        return "table" if request.key("file", columns) or "file" not in columns else FOLDER


def _of_folder(request: ImportRequest) -> str | Layout:
    folder = request.source
    if (folder / METADATA).is_file():
        return _of_table(folder / METADATA, request)
    if (folder / HEADER).is_file():
        return AUDFORMAT
    if any((folder / mark).is_file() for mark in arrow.MARKS):
        return "datasets"
    if kaldi.is_kaldi(folder):
        return "kaldi"
    if tables.table_of(folder) is not None:
        return "table"
    tree = look(folder)
    layout, near = layouts.detect(tree.files)
    if layout is not None or tables.tables_of(folder):
        return layout or "table"
    audio = tree.audio()
    if not audio and shards.shards(folder):
        return "webdataset"
    if not audio and arrow.is_datasets(folder):
        return "datasets"
    if not tree.files and not tree.faults():
        raise ConfigError(f"{folder}: is an empty folder")
    content = f"{len(audio)} audio files ({audio[0]}, ...)" if audio else "no audio"
    hint = f"; {near}" if near else ""
    fault = "; ".join(tree.faults())
    raise ConfigError(
        f"{folder}: holds {content}, neither {METADATA} nor {HEADER}, and the names are those of no"
        f" known corpus: {', '.join(layouts.known())}{hint}. --guess proposes a layout"
        + (f" ({fault})" if fault else "")
    )


def no_such_folder(path: Path) -> ConfigError:
    """Error for a path that is not there; tells how to get a corpus that was meant by its name."""
    layout = next((e for i, e in layouts.known().items() if _meant(path.name, i, e.label)), None)
    if layout is None:
        return ConfigError(f"{path}: no such folder")
    how = layout.obtain or f"It is free: {layout.source}."
    return ConfigError(
        f"{path}: no such folder. {layout.label} is never downloaded by import. {how}"
    )


def _meant(text: str, *names: str) -> bool:
    """Whether a text is one of the names of a corpus, however it is written.

    >>> _meant("MSP-Podcast", "msppodcast"), _meant("msp", "msppodcast")
    (True, False)
    """
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in (text, *names)]
    return plain[0] in plain[1:]


__all__ = [
    "AUDFORMAT",
    "FOLDER",
    "FORMATS",
    "check_options",
    "format_of",
    "no_such_folder",
    "read",
]
