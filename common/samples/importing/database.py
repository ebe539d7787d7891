"""Imported data as an audformat database: header and one table; the audio stays where it is.

The rows are those of the CSV file that an import writes otherwise, with the names and labels of the
suite. Other programs load the database with ``audformat.Database.load``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...core.errors import AudioError, DataError
from ...spec import Target, kinds
from .. import audio
from ..base import KEYS, Samples
from ..entries import limits
from ..folder_adapter import MISSING, CsvTable
from .inspection import LONG, MANY, SEX, SPEAKER
from .reading import SPLIT

#: end of the name of the folder that holds the database
FOLDER = "-audformat"
#: key of the header: where the audio lies, relative to the database unless it is elsewhere
AUDIO = "audio"
#: name of the table with whole files, and of the one with segments
WHOLE, SEGMENTS = "files", "segments"
#: what the scheme of speakers says about each of them if the data do
OF_SPEAKERS = (SEX, "age", "language", "accent")
#: licence -> what it lets people do, by the words of audformat; the first that fits
_USAGE = (
    (re.compile(r"restricted", re.I), "restricted"),
    (re.compile(r"CC0|public domain", re.I), "unrestricted"),
    (re.compile(r"-NC", re.I), "research"),
    (re.compile(r"CC-BY|MIT|Apache|ODbL|BSD", re.I), "commercial"),
)
_SPLITS = {"train": "train", "dev": "dev", "devel": "dev", "validation": "dev", "test": "test"}


@dataclass(frozen=True)
class ImportedTable:
    """What a database is made of.

    Args:
        entry: of the catalog, complete; it reads the rows from ``table``
        samples: its sample table, regression targets still being the text of the data
        table: the CSV file with all columns
        targets: declares ranges and classes
    """

    entry: Mapping[str, Any]
    samples: Samples
    table: CsvTable
    targets: Mapping[str, Target]


def usage(license_: str) -> str:
    """What a licence lets people do, as audformat says it.

    >>> usage("CC-BY-NC-SA-4.0"), usage("CC0-1.0"), usage("CC-BY-4.0"), usage("unknown")
    ('research', 'unrestricted', 'commercial', 'other')
    """
    return next((word for pattern, word in _USAGE if pattern.search(license_)), "other")


def build(source: ImportedTable, folder: Path) -> Any:
    """The ``audformat.Database`` of imported rows.

    Args:
        source: the rows and what is said of them
        folder: where the database will lie; decides how its header names the folder of the audio
    """
    import audformat

    entry, samples = source.entry, source.samples
    db = audformat.Database(
        str(entry["id"]),
        source=str(entry.get("source", "")),
        usage=usage(str(entry.get("license", ""))),
        languages=_languages(samples.table),
        description=entry.get("description") or entry.get("label"),
        license=entry.get("license"),
        meta={
            "version": entry["version"],
            AUDIO: _beside(samples.root, folder),
            **{key: entry[key] for key in ("label", "cite") if entry.get(key)},
        },
    )
    files = samples.table["file"].unique().tolist()
    db.media["audio"] = _media(samples.root, files)
    db[name_of(samples)] = audformat.Table(_index(samples.table), media_id="audio")
    for name, column in _columns(source).items():
        _add(db, name_of(samples), name, column, source)
    _add_splits(db, name_of(samples), source)
    return db


def name_of(samples: Samples) -> str:
    """Name of the table."""
    whole = (samples.table["start"] == 0) & (samples.table["end"] == -1)
    return WHOLE if whole.all() else SEGMENTS


def refer(source: ImportedTable, folder: str, path: str) -> dict[str, Any]:
    """The entry, with the database in the place of the CSV file.

    Args:
        source: what the database was made of
        folder: of the database, as the entry names it
        path: of the audio, as the entry names it
    """
    entry = dict(source.entry)
    old = {key: entry.pop(key, None) for key in ("columns", "mapping", "path", "table")}
    start = {key: entry.pop(key) for key in ("id", "version", "adapter")}
    columns = {"columns": {name: name for name in old["columns"]}} if old["columns"] else {}
    place = {"path": folder, "audio": path, "table": name_of(source.samples)}
    return {**start, "adapter": "audformat", **place, **columns, **entry}


def save(db: Any, folder: Path) -> None:
    """Write header and table; equal data give equal bytes.

    Raises:
        DataError: if audformat cannot hold the data
    """
    try:
        db.save(str(folder), storage_format="csv")
    except (ValueError, TypeError, LookupError) as error:
        fault = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{folder}: audformat cannot hold these data: {fault}; {_OTHERWISE}"
        ) from None


_OTHERWISE = "--write csv writes a table instead"


def check_same(before: pd.DataFrame, after: pd.DataFrame, folder: Path) -> None:
    """Compare sample tables that are read from the rows of an import and from its database.

    Args:
        before: of the rows
        after: of the database; texts of numbers may be written in another way
        folder: of the database, for messages

    Raises:
        DataError: for the first value that differs
    """
    if list(before.columns) != list(after.columns) or len(before) != len(after):
        raise DataError(f"{folder}: holds other columns or rows than the data; {_OTHERWISE}")
    for name in before.columns:
        one, other = (table[name].to_numpy(dtype=object) for table in (before, after))
        differ = (one != other) & ~(pd.isna(one) & pd.isna(other))
        numbers = _numbers(one) if differ.any() else None
        if differ.any() and (numbers is None or numbers != _numbers(other)):
            row = int(np.argmax(differ))
            raise DataError(
                f"{folder}: row {row + 1} ({before['file'].iloc[row]}): {name} = {one[row]!r:.60} is"
                f" read again as {other[row]!r:.60}; {_OTHERWISE}"
            )


def _beside(place: Path, folder: Path) -> str:
    """Relative path of a place if it lies beside the catalog, so that both can move."""
    if place.is_relative_to(folder.parent.parent):
        return Path(os.path.relpath(place, folder)).as_posix()
    return place.as_posix()


def _languages(table: pd.DataFrame) -> list[str]:
    """Languages as ISO 639-3 codes; what is no name of a language is left out."""
    from audformat.utils import map_language

    codes = set()
    for name in table["language"].dropna().unique() if "language" in table else ():
        try:
            codes.add(map_language(str(name)))
        except ValueError:
            continue
    return sorted(code for code in codes if code)


def _media(root: Path, files: Sequence[str]) -> Any:
    """What all files have in common."""
    import audformat

    infos = []
    for file in files:
        try:
            infos.append(audio.info(root / file))
        except AudioError:  # a fault of the data, which the report of the import lists
            continue
    rates, channels = {info.sampling_rate for info in infos}, {info.channels for info in infos}
    endings = {Path(file).suffix.lower().removeprefix(".") for file in files}
    return audformat.Media(
        "audio",
        format=endings.pop() if len(endings) == 1 else None,
        sampling_rate=rates.pop() if len(rates) == 1 else None,
        channels=channels.pop() if len(channels) == 1 else None,
    )


def _index(table: pd.DataFrame) -> pd.Index:
    import audformat

    files = table["file"].tolist()
    whole = (table["start"] == 0) & (table["end"] == -1)
    if whole.all():
        return audformat.filewise_index(files)
    ends = [pd.NaT if end == -1 else pd.Timedelta(end, "ns") for end in table["end"].tolist()]
    starts = [pd.Timedelta(start, "ns") for start in table["start"].tolist()]
    return audformat.segmented_index(files, starts, ends)


def _columns(source: ImportedTable) -> dict[str, list[str | None]]:
    """Texts of all columns of the database: those of the suite, ratings, then all others."""
    table = source.samples.table
    columns = {str(name): _texts(table[name]) for name in table if name not in KEYS}
    entry = source.entry
    raw = {
        name: [None if value in MISSING else value for value in values]
        for name, values in source.table.columns.items()
        if name not in KEYS
    }
    for name, ratings in entry.get("ratings", {}).items():
        mapping = entry.get("mapping", {}).get(name, {})
        for column in (*ratings.get("columns", ()), *ratings.get("votes", {}).values()):
            columns[column] = [mapping.get(value, value) for value in raw[column]]
    used = {*entry.get("columns", {}).values(), *columns}
    for name, values in raw.items():
        if name not in used and set(values) != {None}:
            columns[name] = values
    for name in set(raw) & set(entry.get("columns", {})) - set(entry.get("columns", {}).values()):
        columns[f"{name}_original"] = raw[name]
    return columns


def _texts(values: pd.Series) -> list[str | None]:
    return [None if pd.isna(value) else str(value) for value in values]


def _numbers(values: Collection[object]) -> list[float | None] | None:
    """Texts as finite numbers; None if one is none."""
    try:
        numbers = [None if pd.isna(value) else float(str(value)) for value in values]  # type: ignore[call-overload]
    except ValueError:
        return None
    return numbers if all(n is None or np.isfinite(n) for n in numbers) else None


def _add(db: Any, table: str, name: str, values: list[str | None], source: ImportedTable) -> None:
    """A column with its scheme, and its rater if it holds ratings."""
    import audformat

    target, rater = _rated(name, source)
    numbers = _numbers(values) if target is not None and kinds.of(target).is_number else None
    votes = _numbers(values) if rater and target is None else None
    if numbers is not None and target is not None:
        owner = target.id
        low, high = limits(source.samples.dataset, owner) or target.range or (0.0, 1.0)
        inside = all(n is None or low <= n <= high for n in numbers)
        bounds = {"minimum": low, "maximum": high} if inside else {}
        db.schemes[name] = audformat.Scheme("float", description=target.label, **bounds)
    elif votes is not None:
        db.schemes[name] = audformat.Scheme("float", description="number of votes", minimum=0)
    else:
        db.schemes[name] = _scheme(name, values, target, source)
    if rater and rater not in db.raters:
        db.raters[rater] = audformat.Rater("vote" if votes is not None else "human")
    column = audformat.Column(scheme_id=name, rater_id=rater or None)
    db[table][name] = column
    column.set(next((v for v in (numbers, votes) if v is not None), values))


def _rated(name: str, source: ImportedTable) -> tuple[Target | None, str]:
    """Target that a column holds, and who rated; votes for classes are no values of the target."""
    for target, ratings in source.entry.get("ratings", {}).items():
        if name in ratings.get("columns", ()):
            number = re.search(r"\d+$", name)
            return source.targets[target], number[0] if number else name
        if name in ratings.get("votes", {}).values():
            return None, "votes"
    return source.targets.get(name), ""


def _scheme(
    name: str, values: Sequence[str | None], target: Target | None, source: ImportedTable
) -> Any:
    import audformat

    there = sorted({value for value in values if value is not None})
    if name == SPEAKER and there:
        return audformat.Scheme(labels=dict(_speakers(there, source.samples.table)))
    if target is not None and kinds.of(target).has_classes:
        others = [label for label in there if label not in target.labels]
        return audformat.Scheme(labels=[*target.labels, *others], description=target.label)
    if there and len(there) <= MANY and max(map(len, there)) <= LONG:
        return audformat.Scheme(labels=there)
    return audformat.Scheme("str")


def _speakers(names: Sequence[str], table: pd.DataFrame) -> Iterator[tuple[str, dict[str, str]]]:
    """Each speaker with what the data say of them without contradiction."""
    facts = [name for name in OF_SPEAKERS if name in table]
    groups = dict(iter(table.groupby(SPEAKER)))
    for name in names:
        stated = {fact: groups[name][fact].dropna().unique() for fact in facts}
        yield name, {fact: str(some[0]) for fact, some in stated.items() if len(some) == 1}


def _add_splits(db: Any, table: str, source: ImportedTable) -> None:
    """The parts of the corpus; a table that lies in one part says so."""
    import audformat

    parts = Counter(source.table.columns.get(SPLIT, ()))
    for part in sorted(part for part in parts if part not in MISSING):
        db.splits[part] = audformat.Split(_SPLITS.get(part.lower(), "other"))
    if len(parts) == 1 and len(db.splits) == 1:
        db[table].split_id = next(iter(db.splits))
