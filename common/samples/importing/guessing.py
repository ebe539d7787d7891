"""First draft of a catalog entry for a folder that somebody wants to import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...core.errors import ConfigError
from ...core.files import is_file
from ...core.registry import unknown
from ...spec import Target
from ..audformat_adapter import readable
from ..base import KEYS
from ..event_lists.databases import HEADER, open_database
from ..folder_adapter import METADATA, MISSING, CsvTable
from . import conventions
from .conventions import Conventions
from .database import AUDIO

#: names of columns that may hold any labels; what they are is seen from these
GENERAL = ("label", "labels", "class", "cls", "target")
#: so many columns that are not used are named
MOST = 8
#: columns of a table that state the licence of each sample
LICENSE_COLUMNS = ("licence", "license")


def folder_entry(
    table_file: Path, targets: Iterable[str], named: Mapping[str, str]
) -> dict[str, Any]:
    """Columns and licence of a folder with a CSV table.

    Args:
        table_file: the table
        targets: targets that a column may hold
        named: name in the suite -> column, as far as it was said

    Raises:
        ConfigError: if there is no such column
    """
    table = CsvTable(table_file, "")
    for name, column in named.items():
        if column not in table.columns:
            raise unknown("column", column, table.columns, f"--columns {name}")
    filled = [name for name, values in table.columns.items() if set(values) - MISSING]
    rules = conventions.load()
    columns = {
        name: named.get(name) or rules.column(name, (n for n in filled if n not in KEYS))
        for name in dict.fromkeys([*_names(rules, targets), *named])
    }
    for name in rules.synonyms:
        general = [n for n in filled if n.lower() in GENERAL and n not in columns.values()]
        if not columns[name]:
            fitting = (
                n for n in general if rules.share(name, set(table.columns[n]) - MISSING) > 0.5
            )
            columns[name] = next(fitting, "")
    stated = {
        value
        for name in LICENSE_COLUMNS
        for value in table.columns.get(name, ())
        if value not in MISSING
    }
    return {
        "columns": {name: column for name, column in columns.items() if column},
        "license": conventions.license_of(table_file.parent, stated),
    }


def audformat_entry(folder: Path, targets: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """Table, columns and licence of an audformat database, and other tables with labels."""
    if not (folder / HEADER).is_file():
        raise ConfigError(f"{folder}: holds no {HEADER}, so it is no audformat database")
    with readable(str(folder / HEADER)):
        db = open_database(folder)
    if not len(db.tables):
        raise ConfigError(f"{folder / HEADER}: has no tables")
    rules = conventions.load()
    target_names = list(targets)
    score = {
        name: sum(bool(rules.column(target, table.columns)) for target in target_names)
        for name, table in db.tables.items()
    }
    best = [name for name in score if score[name] == max(score.values())]
    table = next((n for n in best if "test" in n), max(best, key=lambda name: len(db[name])))
    entry = {
        "table": table,
        "columns": _audformat_columns(db, table, _names(rules, target_names), rules),
        "license": str(db.license or ""),
        "source": str(db.source or ""),
    }
    audio = db.meta.get(AUDIO)
    first = next(iter(db[table].files), "")
    if isinstance(audio, str) and not is_file(folder / first):
        entry["audio"] = str((folder / audio).resolve())
    return entry, [name for name in best if name != table]


def table_columns(source: Path, table: str, format: str) -> dict[str, list[str]]:
    """Columns of the tables of an import by name; the one with the samples first, called ``""``."""
    if format != "audformat":
        return {"": list(CsvTable(source, "").columns)}
    with readable(str(source / HEADER)):
        db = open_database(source)
    others = {name: list(db.tables[name].columns) for name in db.tables if name != table}
    return {"": list(db.tables[table].columns), **others}


def unused(entry: Mapping[str, Any], source: Path) -> list[str]:
    """Note on columns with values of a folder with a table that the entry does not use.

    Args:
        entry: the entry, with ratings
        source: the table, or its folder
    """
    table = source / METADATA if source.is_dir() else source
    entries = entry.get("columns", {}).values()
    used = {place["column"] if isinstance(place, Mapping) else place for place in entries}
    for ratings_of in entry.get("ratings", {}).values():
        used.update(ratings_of.get("columns", ()), ratings_of.get("votes", {}).values())
    used.update(KEYS, LICENSE_COLUMNS)
    columns = CsvTable(table, "").columns.items()
    rest = [name for name, texts in columns if name and name not in used and set(texts) - MISSING]
    if not rest:
        return []
    names = ", ".join(rest[:MOST]) + (f" and {len(rest) - MOST} more" if len(rest) > MOST else "")
    what = "column is" if len(rest) == 1 else "columns are"
    return [
        f"{len(rest)} {what} not used: {names} (--columns NAME=COLUMN says what a column holds)"
    ]


def _names(rules: Conventions, targets: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*targets, *rules.columns]))


def _audformat_columns(
    db: Any, table: str, names: Iterable[str], rules: Conventions
) -> dict[str, Any]:
    """Columns of the sample table, then of tables of whole files, then of label dictionaries."""
    others = [name for name, other in db.tables.items() if other.is_filewise and name != table]
    columns: dict[str, Any] = {}
    for name in names:
        for source in (table, *others):
            column = rules.column(name, db[source].columns)
            if column:
                place = {} if source == table else {"table": source}
                columns[name] = {**place, "column": column} if place else column
                break
    for name in names:
        for place in list(columns.values()) if name not in columns else ():
            place = place if isinstance(place, Mapping) else {"column": place}
            key = rules.column(name, _label_keys(db, place.get("table", table), place["column"]))
            if key and "map" not in place:
                columns[name] = {**place, "map": key}
                break
    return columns


def _label_keys(db: Any, table: str, column: str) -> list[str]:
    """Keys that the labels of the scheme of a column have, such as the sex of a speaker."""
    scheme_id = db[table].columns[column].scheme_id
    labels = None if scheme_id is None else db.schemes[scheme_id].labels
    if isinstance(labels, str):
        return list(db[labels].columns)
    entries = labels.values() if isinstance(labels, Mapping) else ()
    return list(dict.fromkeys(k for e in entries if isinstance(e, Mapping) for k in e))


def ratings(
    entry: Mapping[str, Any], tables: Mapping[str, Iterable[str]], targets: Iterable[Target]
) -> dict[str, Any]:
    """Ratings of single raters that columns are named after.

    Votes are columns ``votes_<class>``, one for each of two classes or more. Raters are columns
    ``<target>_1``, ``<target>_rater2`` and the like. A table that holds no samples is named.

    Args:
        entry: draft of the entry, with the targets that it has columns for
        tables: name of each table -> its columns, the one with the samples first, called ``""``
        targets: what can be rated
    """
    target_ratings: dict[str, Any] = {}
    for target in targets:
        if target.id not in entry.get("columns", {}):
            continue
        for table, names in tables.items():
            columns = list(names)
            votes = {label: f"votes_{label}" for label in target.labels}
            votes = {label: name for label, name in votes.items() if name in columns}
            pattern = re.compile(rf"{re.escape(target.id)}_?(rater)?_?\d+")
            raters = [name for name in columns if pattern.fullmatch(name)]
            source = {"table": table} if table else {}
            if len(votes) > 1:
                target_ratings[target.id] = {**source, "votes": votes}
            elif len(raters) > 1:
                target_ratings[target.id] = {**source, "columns": raters}
            else:
                continue
            break
    return target_ratings
