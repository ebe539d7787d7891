"""Opening audformat databases without running what lies in them.

audformat takes a table from its pickle if there is one, and loading a pickle can run any code; it
also refuses a pickle that is older than the table beside it, as it is after a plain copy. So
pickles are left aside: the tables themselves are read. All of them lie beside the header: a table whose
name leads to another folder is refused.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ...core import leftovers
from ...core.documents import read_yaml
from ...core.errors import ConfigError, DataError

HEADER = "db.yaml"
PICKLE = ".pkl"
#: what holds a table as well
TABLES = (".parquet", ".csv")


def open_database(root: Path) -> Any:
    """The ``audformat.Database`` of a folder, from its header and its parquet and CSV files.

    Args:
        root: folder with ``db.yaml``

    Raises:
        FileNotFoundError: if there is no header
        DataError: if the header goes beyond a limit or has a value of a wrong kind or a table in another
            folder, or a table is there as a pickle only
    """
    if (root / HEADER).is_file():
        try:
            header = read_yaml(root / HEADER)
        except ConfigError as error:
            raise DataError(str(error)) from None
        _check_names(header, str(root / HEADER))
    pickles = sorted(path for path in root.glob("db.*") if path.suffix.lower() == PICKLE)
    if not pickles:
        return _loaded(root, root)
    alone = [path for path in pickles if not _has_table(path)]
    if alone:
        raise DataError(
            f"{alone[0]}: a table that exists only as a pickle is not read, as a pickle may run code; "
            "save the database with storage_format='parquet' or 'csv'"
        )
    with tempfile.TemporaryDirectory(prefix=leftovers.prefix()) as folder:
        for path in root.glob("db.*"):
            if path.suffix in (".yaml", *TABLES):
                shutil.copy(path, folder)
        return _loaded(root, folder, load_data=True)


def _check_names(header: Any, where: str) -> None:
    """Refuse tables that do not lie beside the header, where pickles are looked for."""
    for field in ("tables", "misc_tables"):
        tables = header.get(field) if isinstance(header, dict) else None
        for name in tables if isinstance(tables, dict) else ():
            if any(mark in str(name) for mark in "/\\\0"):
                raise DataError(
                    f"{where}: {field}: '{name!s:.60}': a name of a table holds no slash or backslash"
                )


def _loaded(root: Path, place: Path | str, **options: Any) -> Any:
    """Database whose files lie in a place, which may be a copy of ``root``."""
    import audformat

    try:
        return audformat.Database.load(str(place), **options)
    except AssertionError:  # audformat says no more
        raise DataError(f"{root / HEADER}: an entry has no value, or one of a wrong kind") from None


def drop_pickles(folder: Path) -> None:
    """Remove pickles beside their tables in a cache; they only save some milliseconds."""
    for path in folder.glob(f"db.*{PICKLE}"):
        if _has_table(path):
            with contextlib.suppress(OSError):  # a cache that nobody may write to
                path.unlink()


def _has_table(pickle: Path) -> bool:
    return any(pickle.with_suffix(ending).is_file() for ending in TABLES)
