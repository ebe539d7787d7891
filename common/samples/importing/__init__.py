"""``build.py import``: turn a folder into an entry of a catalog, without copying audio.

Known are folders with ``metadata.csv``, audformat databases, original downloads of corpora
(:mod:`~common.samples.importing.layouts`) and other formats of tables and archives
(:mod:`~common.samples.importing.formats`). Every row is looked at, and what is wrong with the data is
reported in full, not only the first fault.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from ... import spec
from ...core.errors import ConfigError, DataError
from ...core.files import write_text
from ...core.names import same_folder
from ...core.provenance import digest
from ...core.registry import unknown
from ...spec import Benchmark, Dataset, Target, kinds
from .. import datasets
from ..base import KEYS, Samples
from ..event_lists.databases import HEADER
from ..folder_adapter import METADATA, CsvTable
from . import conventions, database, guessing, recognise
from .catalog_text import write_entry
from .inspection import Inspection, inspect, several
from .kept import kept
from .layouts import Layout
from .request import ALL, ImportRequest, check_id
from .table_files import to_csv

#: corpora of a dataset that names none
PAPER = "paper"
#: end of the name of a folder with audio that was part of a table or an archive
AUDIO_FOLDER = "-audio"
#: what the rows of data that do not lie in a table of their own are written as
CSV = "csv"
FORMS = (recognise.AUDFORMAT, CSV)


def import_dataset(
    path: Path,
    name: str | None,
    format: str | None,
    to: Path,
    *,
    layout: Path | None = None,
    columns: Mapping[str, str] | None = None,
    part: str = "",
    encoding: str = "",
    force: bool = False,
    corpora: str = PAPER,
    write: str = "",
    benchmark: Benchmark | None = None,
) -> Inspection:
    """Write an entry for data into a catalog, and the rows as an audformat database beside it.

    A ``metadata.csv`` that can be used as it is and a database are used where they lie. Audio is
    copied only out of archives and tables. The version of the entry is
    made of the content, so that data that were changed and imported again count as new. If
    anything is wrong, nothing is written.

    Args:
        path: folder, table or archive
        name: id of the dataset; default: name of the folder
        format: one of :data:`common.samples.importing.recognise.FORMATS`, or a layout of
            ``common/catalog/layouts/``; default: found out
        to: catalog folder; its ``datasets.yaml`` is made or extended
        layout: YAML of a layout of the user
        columns: name in the suite -> column of a table; the others are guessed
        part: part of a corpus, or ``all``; default: what the paper used
        encoding: of a table; default: UTF-8
        force: replace an entry of the same id
        corpora: set of noises and rooms that perturbations of these data draw from
        write: one of :data:`FORMS`; a database, also of a ``metadata.csv`` that could be used as it
            is, or a CSV file; default: a database if rows have to be written
        benchmark: declares targets and built-in datasets; default: the built-in one

    Returns:
        what was found in the data

    Raises:
        ConfigError: if the folder, the format, the corpora or the id is wrong, or the id is taken
        DataError: if the data cannot be used at all
        OutputError: if the catalog cannot be written
    """
    benchmark = benchmark or spec.load_benchmark()
    source = path.expanduser().resolve()
    if not source.exists():
        raise recognise.no_such_folder(path)
    if source.name in (METADATA, HEADER):
        source = source.parent
    stem = source.stem if source.is_file() else source.name
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", stem)
    catalog = to.expanduser().resolve() / "datasets.yaml"
    _check_id(catalog, name, force)
    chosen, others = _corpora(benchmark, corpora)
    audio = catalog.parent / f"{name}{AUDIO_FOLDER}"
    request = ImportRequest(source, audio, columns or {}, part, encoding)
    form = recognise.format_of(request, format, layout)
    recognise.check_options(request, form)
    entry: dict[str, Any] = {"id": name, "version": "1.0.0", "adapter": "folder"}
    entry["path"] = _path(source, catalog)
    table = _rows_place(catalog.parent, name, source)
    folder = catalog.parent / f"{name}{database.FOLDER}"
    in_place = form in (recognise.FOLDER, recognise.AUDFORMAT)
    as_database = _writes_database(form, write, in_place)
    written: tuple[Path, ...] = () if in_place and not as_database else (table, audio, folder)
    _check_places(source, written, folder)
    if in_place and as_database:
        written = (folder,)
    with kept(*written):
        notes, faults = _draft(entry, request, table, form, _guessed(benchmark))
        labels = {t.id: t for t in benchmark.targets.values() if kinds.of(t).has_classes}
        with _naming(_table(source, form), f"{catalog}: {name}"):
            samples = _refine(entry, catalog, labels)
        report = inspect(samples, entry, catalog, benchmark.targets)
        namesake = benchmark.datasets.get(name)
        if namesake is not None and namesake.builtin:
            notes.append(f"takes the place of the built-in dataset '{name}' with this catalog")
        entry.update(chosen)
        report.notes.extend([*notes, *others])
        report.faults.extend(faults)
        place = source if in_place else table
        entry.update(_rated(entry, place, list(benchmark.targets.values()), report))
        if not isinstance(form, Layout) and form != recognise.AUDFORMAT:
            report.notes.extend(guessing.unused(entry, place))
        if as_database:
            table_rows = CsvTable(place / METADATA if place.is_dir() else place, "")
            rows = database.ImportedTable(entry, samples, table_rows, benchmark.targets)
            entry = _database(rows, folder, catalog, faulty=bool(report.faults))
            report = replace(report, entry=entry)
            if not in_place:
                table.unlink()
        report.notes.extend(write_entry(catalog, name, entry))
    return report


def _rows_place(folder: Path, name: str, source: Path) -> Path:
    """CSV file for imported rows; a table is looked for among the data first, so none there has its name."""
    data = source.parent if source.is_file() else source
    names = chain([f"{name}.csv"], (f"{name}-rows{n or ''}.csv" for n in count()))
    return next(folder / each for each in names if data == folder or not (data / each).exists())


def _table(source: Path, form: str | Layout) -> Path:
    """What the rows of data stand in."""
    return source / METADATA if form == recognise.FOLDER and source.is_dir() else source


@contextmanager
def _naming(table: Path, entry: str) -> Iterator[None]:
    """Let what is wrong with rows name the table they stand in instead of an entry that is not there yet.

    Args:
        table: the table, or the data that it was made of
        entry: beginning of messages about the entry
    """
    try:
        yield
    except DataError as error:
        text = str(error).removeprefix(f"{entry}: ")
        if text.startswith(f"{entry}."):  # of a key of the entry
            key, _, reason = text.removeprefix(f"{entry}.").partition(": ")
            whole = f"table '{table.name}' "
            text = reason.removeprefix(whole) if key == "table" else f"{key}: {reason}"
        raise DataError(f"{table}: {text.removeprefix(f'{table}: ')}") from None


def _check_id(catalog: Path, name: str, force: bool) -> None:
    check_id(name)
    present = spec.load_entries(Dataset, catalog, builtin=False)
    pair = same_folder([*present, name])
    if pair is not None:
        raise ConfigError(
            f"{catalog}: has a dataset '{pair[0]}', which differs from '{name}' in upper and lower case only; "
            f"--as {pair[0]} --force replaces it, another id adds one"
        )
    if name in present and not force:
        raise ConfigError(f"{catalog}: has a dataset '{name}' already; --force replaces it")


def _writes_database(form: str | Layout, write: str, in_place: bool) -> bool:
    """Whether the rows become a database."""
    if write and write not in FORMS:
        raise unknown("form", write, FORMS, "--write")
    if form == recognise.AUDFORMAT:
        if write == CSV:
            raise ConfigError(
                "--write csv: the data are an audformat database, which is used as it is"
            )
        return False
    return write != CSV if write else not in_place


def _check_places(source: Path, written: Collection[Path], folder: Path) -> None:
    """Refuse to write over the data themselves, or over a folder that no import wrote."""
    for place in written:
        if source == place or source.is_relative_to(place):
            raise ConfigError(f"{source}: lies where the import would write; --as names another id")
    if folder in written and folder.exists() and not (folder / HEADER).is_file():
        raise ConfigError(
            f"{folder}: already exists and holds no {HEADER}; choose another id with --as"
        )


def _database(
    rows: database.ImportedTable, folder: Path, catalog: Path, *, faulty: bool
) -> dict[str, Any]:
    """Write the database and read it again; returns the entry that refers to it."""
    database.save(database.build(rows, folder), folder)
    entry = database.refer(rows, folder.name, _path(rows.samples.root, catalog))
    pair = [rows.entry, entry]
    targets = rows.targets
    if faulty:  # values of targets could not be loaded
        targets = {t.id: t for t in targets.values() if kinds.of(t).has_classes}
        pair = [{k: v for k, v in one.items() if k != "ratings"} for one in pair]
    before, after = (_load(one, catalog, targets) for one in pair)
    database.check_same(before.table, after.table, folder)
    return entry


def _corpora(benchmark: Benchmark, name: str) -> tuple[dict[str, str], list[str]]:
    """Corpora as in the entry, and a note on what was chosen."""
    sets = sorted({e.corpora for e in benchmark.perturbations.values() if e.corpora})
    if name not in (PAPER, *sets):
        raise unknown("set of corpora", name, (PAPER, *sets), "--corpora")
    if name == PAPER:
        return {}, []
    return {"corpora": name}, [
        f"noises and rooms of robustness tests: 'corpora: {name}' (--corpora {PAPER}: those of the "
        "paper, which must be fetched)"
    ]


def _path(place: Path, catalog: Path) -> str:
    """Path as in the entry: relative if the data lie in or beside the catalog, so both can move."""
    if place.is_relative_to(catalog.parent):
        return place.relative_to(catalog.parent).as_posix()
    beside = catalog.parent.parent
    if place != beside and place.is_relative_to(beside):
        return (Path("..") / place.relative_to(beside)).as_posix()
    return place.as_posix()


def _guessed(benchmark: Benchmark) -> list[str]:
    """Targets that a column may hold; sound events stand in tables of their own."""
    return [target.id for target in benchmark.targets.values() if not kinds.of(target).is_ragged]


def _draft(
    entry: dict[str, Any],
    request: ImportRequest,
    table: Path,
    form: str | Layout,
    targets: list[str],
) -> tuple[list[str], list[str]]:
    """Fill the entry before anything was loaded; returns notes and faults."""
    notes, faults = [], []
    source, fields = request.source, {}
    if form == recognise.FOLDER:
        place = source if source.is_file() else source / METADATA
        fields = guessing.folder_entry(place, targets, request.columns)
    elif form == recognise.AUDFORMAT:
        fields, others = guessing.audformat_entry(source, targets)
        fields["adapter"] = "audformat"
        if fields.get("audio"):
            notes.append(f"its header names another folder for the audio: {fields['audio']}")
        if others:
            notes.append(several(others, "table", "could be used too, with an entry of its own"))
    else:
        imported = recognise.read(request, form)
        write_text(table, to_csv(imported.rows))
        named = {name: c for name, c in request.columns.items() if name not in KEYS}
        fields = guessing.folder_entry(table, targets, named)
        fields |= {"path": _path(imported.root, table), "table": table.name, "alias": ALL}
        fields |= imported.fields
        scale = fields.get("scale", {})
        fields["scale"] = {name: scale[name] for name in scale if name in fields["columns"]}
        notes, faults = imported.notes, imported.faults
    entry.update({key: value for key, value in fields.items() if value})
    return notes, faults


def _rated(
    entry: Mapping[str, Any], source: Path, targets: list[Target], report: Inspection
) -> dict[str, Any]:
    """Ratings of single raters that were imported."""
    if entry["adapter"] == "folder" and source.is_dir():
        source = source / METADATA
    tables = guessing.table_columns(source, str(entry.get("table", "")), entry["adapter"])
    ratings = guessing.ratings(entry, tables, targets)
    if not ratings:
        return {}
    report.notes.append(f"ratings of single raters: {', '.join(ratings)}")
    return {"ratings": ratings}


def _refine(entry: dict[str, Any], catalog: Path, targets: Mapping[str, Target]) -> Samples:
    """Drop columns without any value, map synonyms, and set the version from the content."""
    samples = _load(entry, catalog, targets)
    rules = conventions.load()
    columns, mapping = {}, {}
    for column, source in entry.pop("columns", {}).items():
        labels = samples.table[column].dropna().unique().tolist()
        if labels:
            columns[column] = source
            mapping[column] = rules.mapping(column, labels)
    mapping = {column: renamed for column, renamed in mapping.items() if renamed}
    license_ = {"license": entry.pop("license", "")}
    for key, value in {"columns": columns, "mapping": mapping, **license_}.items():
        if value:
            entry[key] = value
    samples = _load(entry, catalog, targets)
    content = digest([samples.table.to_csv(index=False), samples.media_fingerprint])
    entry["version"] = f"1.0.0-{content[:8]}"
    return samples


def _load(entry: Mapping[str, Any], catalog: Path, targets: Mapping[str, Target]) -> Samples:
    dataset = spec.parse(Dataset, entry, catalog, str(entry["id"]), builtin=False)
    return datasets.load(dataset, Path(), targets)
