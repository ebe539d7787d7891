"""Results of earlier versions of a model, kept when a new version is run.

``method-tests/<target>/<model>/versions/<version>/`` holds the rows and the manifest as they
were. Rankings and pages of tests know the newest results only; comparisons and the page of the
model read the others too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import results
from ..core import advice, files
from ..core.documents import parse_json
from ..core.errors import DataError
from ..core.paths import VERSIONS, Paths
from .manifest import FORMAT, Manifest

if TYPE_CHECKING:
    import pandas as pd


class KeptVersion(NamedTuple):
    """Results of one version of a model for one target.

    Args:
        target: id of the target
        model: id of the model
        version: version of the model
        folder: where they lie
        rows: its rows
        manifest: what they were made from
    """

    target: str
    model: str
    version: str
    folder: Path
    rows: pd.DataFrame
    manifest: Manifest


def keep(folders: Paths, target: str, model: str, version: str) -> None:
    """Copy the results of a model before those of a new version replace them.

    Args:
        folders: where results are
        target: id of the target
        model: id of the model
        version: version that the results belong to
    """
    source = folders.manifest(target, model)
    to = folders.version(target, model, version)
    for path in [*sorted(source.parent.glob("*.csv")), source]:
        if path.exists():
            files.write_bytes(to / path.name, path.read_bytes())


def current(folders: Paths, target: str, model: str) -> KeptVersion | None:
    """The newest results of a model; None if there are none that can be read.

    Raises:
        DataError: if they were written in a format that this program does not read
    """
    path = folders.manifest(target, model)
    if not path.exists():
        return None
    manifest = _manifest(path)
    rows = _rows(path.parent)
    return KeptVersion(
        target, model, str(manifest.model.get("version", "")), path.parent, rows, manifest
    )


def versions(folders: Paths, target: str, model: str) -> list[KeptVersion]:
    """Results of all versions of a model, oldest version first, the newest results last.

    A version has the rows that it made itself: what was not run again then is not counted.

    Raises:
        DataError: if results were written in a format that this program does not read
    """
    newest = current(folders, target, model)
    records = []
    for path in sorted(folders.versions(target, model).glob("*/manifest.json")):
        version = path.parent.name
        if newest is None or version != newest.version:
            records.append(_kept(target, model, version, path))
    records.sort(key=lambda record: order(record.version))
    return records + ([] if newest is None else [_own(newest)])


def _kept(target: str, model: str, version: str, path: Path) -> KeptVersion:
    manifest = _manifest(path)
    return _own(KeptVersion(target, model, version, path.parent, _rows(path.parent), manifest))


def _own(record: KeptVersion) -> KeptVersion:
    rows = record.rows[record.rows["model_version"] == record.version].reset_index(drop=True)
    return record._replace(rows=rows)


def order(version: str) -> tuple[tuple[int, Any], ...]:
    """Key by which versions are sorted: numbers as numbers, and a suffix comes before none.

    >>> sorted(["1.10.0", "1.9.0", "1.10.0-rc1"], key=order)
    ['1.9.0', '1.10.0-rc1', '1.10.0']
    """
    parts = re.findall(r"\d+|[A-Za-z]+", version)
    numbered: list[tuple[int, Any]] = [
        (2, int(part)) if part.isdigit() else (0, part) for part in parts
    ]
    return (*numbered, (1, ""))


def _manifest(path: Path) -> Manifest:
    manifest = Manifest.read(path)
    if manifest is None:
        raise DataError(unread(path))
    return manifest


def unread(path: Path) -> str:
    """Why a manifest that is there cannot be read, and the command that makes it again."""
    again = advice.command("run", "--model", _model_of(path))
    return f"{path}: {_why_unread(path)}; make it again with: {again}"


def _model_of(path: Path) -> str:
    """Model that a manifest belongs to; those of earlier versions lie two folders deeper."""
    folder = path.parent
    return folder.parent.parent.name if folder.parent.name == VERSIONS else folder.name


def _why_unread(path: Path) -> str:
    try:
        content = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return "is damaged: not valid JSON"
    written = content.get("format") if isinstance(content, dict) else None
    if written is None or written == FORMAT:
        return "is not a manifest of results"
    return f"written by another version of this program (format {written}, {FORMAT} is expected)"


def _rows(folder: Path) -> pd.DataFrame:
    import pandas as pd

    tables = [results.read_csv(path) for path in sorted(folder.glob("*.csv"))]
    tables = [table for table in tables if len(table)]
    return pd.concat(tables, ignore_index=True) if tables else results.frame([])
