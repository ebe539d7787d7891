"""``build.py import``: turn a folder into an entry of a catalog, without copying audio.

Known are folders with ``metadata.csv``, audformat databases, and original downloads whose file
names hold the labels (``conventions.yaml``). Every row is looked at, and what is wrong with the
data is reported in full, not only the first fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ... import spec
from ...core.errors import ConfigError
from ...core.files import write_bytes, write_text
from ...core.provenance import digest
from ...core.registry import unknown
from ...spec import Benchmark, Dataset, Target, kinds
from .. import datasets
from ..base import Samples
from ..event_lists.databases import HEADER
from ..folder_adapter import METADATA
from . import conventions, guessing
from .conventions import Layout
from .inspection import Inspection, inspect, several

#: corpora of a dataset that names none
PAPER = "paper"
_HEADER = "# Datasets of your own: pass this folder with --catalog\n"


def import_dataset(
    path: Path,
    name: str | None,
    format: str | None,
    to: Path,
    *,
    force: bool = False,
    corpora: str = PAPER,
    benchmark: Benchmark | None = None,
) -> Inspection:
    """Write an entry for a folder of audio into a catalog.

    The entry points to the folder; no audio is copied. Its version is made of the content, so
    that data that were changed and imported again count as new.

    Args:
        path: folder with ``metadata.csv``, audformat database, original download, or a CSV file
        name: id of the dataset; default: name of the folder
        format: folder, audformat or a layout of ``conventions.yaml``; default: found out
        to: catalog folder; its ``datasets.yaml`` is made or extended
        force: replace an entry of the same id
        corpora: set of noises and rooms that perturbations of these data draw from
        benchmark: declares targets and built-in datasets; default: the built-in one

    Returns:
        what was found in the data

    Raises:
        ConfigError: if the folder, the format, the corpora or the id is wrong, or the id is taken
        DataError: if the table cannot be used at all
        OutputError: if the catalog cannot be written
    """
    benchmark = benchmark or spec.load_benchmark()
    source = path.expanduser().resolve()
    if not source.exists():
        raise ConfigError(f"{path}: no such folder")
    if source.name in (METADATA, HEADER):
        source = source.parent
    stem = source.stem if source.is_file() else source.name
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", stem)
    catalog = to.expanduser().resolve() / "datasets.yaml"
    _check_id(catalog, name, force)
    chosen, others = _corpora(benchmark, corpora)
    layout = guessing.layout_of(format or guessing.detect(source))
    entry: dict[str, Any] = {"id": name, "version": "1.0.0", **_place(source, catalog)}
    with _kept(catalog.parent / f"{name}.csv", has_layout=layout is not None) as table:
        notes = _draft(entry, source, table, layout, format, _guessed(benchmark))
        labels = {t.id: t for t in benchmark.targets.values() if kinds.of(t).has_classes}
        samples = _refine(entry, catalog, labels)
        report = inspect(samples, entry, catalog, benchmark.targets)
        namesake = benchmark.datasets.get(name)
        if namesake is not None and namesake.builtin:
            notes.append(f"takes the place of the built-in dataset '{name}' with this catalog")
        entry.update(chosen)
        report.notes.extend([*notes, *others])
        if layout is None:
            entry.update(_rated(entry, source, list(benchmark.targets.values()), report))
        write_text(catalog, _extended(catalog, name, entry))
    return report


def _check_id(catalog: Path, name: str, force: bool) -> None:
    if not re.match(spec.ID_PATTERN, name):
        raise ConfigError(f"--as {name}: an id holds letters, digits, '.', '_' and '-' only")
    if name in spec.load_entries(Dataset, catalog, builtin=False) and not force:
        raise ConfigError(f"{catalog}: has a dataset '{name}' already; --force replaces it")


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


def _place(source: Path, catalog: Path) -> dict[str, Any]:
    """Path as in the entry: relative if the data lie beside the catalog, so both can move."""
    beside = catalog.parent.parent
    if source != beside and source.is_relative_to(beside):
        return {"adapter": "folder", "path": (Path("..") / source.relative_to(beside)).as_posix()}
    return {"adapter": "folder", "path": source.as_posix()}


@contextmanager
def _kept(table: Path, *, has_layout: bool) -> Iterator[Path]:
    """A table that is written beside the catalog; as it was before if importing fails."""
    before = table.read_bytes() if has_layout and table.exists() else None
    try:
        yield table
    except BaseException:
        if before is not None:
            write_bytes(table, before)
        elif has_layout:
            table.unlink(missing_ok=True)
        raise


def _guessed(benchmark: Benchmark) -> list[str]:
    """Targets that a column may hold; sound events stand in tables of their own."""
    return [target.id for target in benchmark.targets.values() if not kinds.of(target).is_ragged]


def _draft(
    entry: dict[str, Any],
    source: Path,
    table: Path,
    layout: Layout | None,
    format: str | None,
    targets: list[str],
) -> list[str]:
    """Fill the entry before anything was loaded; returns notes."""
    notes = []
    if layout is not None:
        text, strangers = guessing.layout_table(source, layout)
        if strangers:
            notes.append(several(strangers, "audio file", f"is not named as in '{layout.id}'"))
        write_text(table, text)
        fields = guessing.folder_entry(table, targets)
        fields |= {"table": table.name, "alias": "all"}
        fields |= {"license": layout.license, "cite": layout.cite}
    elif (format or guessing.detect(source)) == "audformat":
        fields, others = guessing.audformat_entry(source, targets)
        fields["adapter"] = "audformat"
        if others:
            notes.append(several(others, "table", "could be used too, with an entry of its own"))
    else:
        fields = guessing.folder_entry(source if source.is_file() else source / METADATA, targets)
    entry.update({key: value for key, value in fields.items() if value})
    return notes


def _rated(
    entry: Mapping[str, Any], source: Path, targets: list[Target], report: Inspection
) -> dict[str, Any]:
    """Ratings of single raters that were found."""
    if entry["adapter"] == "folder":
        source = source if source.is_file() else source / METADATA
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


def _extended(catalog: Path, name: str, entry: Mapping[str, Any]) -> str:
    """Text of the catalog with the entry, in the place of the one with its id if there is one.

    Everything else, comments included, stays as it is.
    """
    text = catalog.read_text("utf-8") if catalog.exists() else _HEADER
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    items = root.value if root is not None else []
    if root is not None and (not isinstance(root, yaml.SequenceNode) or root.flow_style):
        raise ConfigError(f"{catalog}: can only be extended if each entry begins with '- id:'")
    dumped = yaml.safe_dump(
        [dict(entry)], sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    indent = " " * (items[0].start_mark.column - 2 if items else 0)
    block = "".join(indent + line for line in dumped.splitlines(keepends=True))
    for item in items:
        if any(key.value == "id" and value.value == name for key, value in item.value):
            start, end = item.start_mark.index, _end(item)
            return text[:start] + block.strip()[2:] + text[end:]
    gap = "\n" if items else ""
    return f"{text.rstrip()}\n{gap}{block}"


def _end(node: yaml.Node) -> int:
    """Where the text of a node ends; marks of blocks lie behind the comments after them."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)
