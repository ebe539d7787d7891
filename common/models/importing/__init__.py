"""``build.py import-predictions``: a table of predictions becomes an entry of a catalog.

Columns, units, scales, names of classes and of files are found out, and every guess is told. A clean
copy of the table is written beside ``models.yaml``; if anything is wrong, nothing is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import spec
from ...core.errors import ConfigError, DataError, ModelError
from ...core.files import write_text
from ...core.provenance import digest
from ...core.wording import counted
from ...samples import datasets
from ...samples.importing.catalog_text import write_entry
from ...samples.importing.inspection import several
from ...samples.importing.kept import kept
from ...samples.importing.request import check_id as check_name
from ...samples.importing.table_files import TextTable, read_table, to_csv
from ...spec import Benchmark
from ...spec.view import ORIGINAL
from .. import outside
from . import columns, comparing, matching, values
from .columns import Roles
from .matching import END, MatchedRows

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class PredictionReport:
    """What was found in a table.

    Args:
        entry: what was written to the catalog
        catalog: the file
        rows: number of rows that were kept
        notes: what was taken for what
        missing: samples of the dataset without prediction
        strangers: names that the dataset does not have
    """

    entry: dict[str, Any]
    catalog: Path
    rows: int = 0
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**vars(self), "catalog": str(self.catalog)}

    def text(self) -> str:
        """For people."""
        lines = [f"{self.entry['id']} {self.entry['version']}: {counted(self.rows, 'prediction')}"]
        lines += [f"  {note}" for note in self.notes]
        if self.missing:
            lines.append(f"  missing: {several(self.missing, 'sample', 'without prediction')}")
        if self.strangers:
            lines.append(f"  left out: {several(self.strangers, 'row', 'of no sample')}")
        place = shlex.quote(str(self.catalog.parent))
        lines.append(f"written to {self.catalog}; use it with --catalog {place}")
        return "\n".join(lines)


@dataclass(frozen=True)
class PredictionRequest:
    """What a user asks for.

    Args:
        path: the table
        name: id of the model; None: name of the file
        to: catalog folder
        dataset: id of the dataset that it is about; empty: names of files are not looked at
        columns: file, start, end, condition or a target -> column
        mapping: name of a class in the table -> class of the suite, None: no class
        scale: range of the numbers; None: found out
        encoding: of a text
        force: replace an entry of this id
    """

    path: Path
    name: str | None
    to: Path
    dataset: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    mapping: Mapping[str, str | None] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    encoding: str = ""
    force: bool = False


def import_predictions(
    request: PredictionRequest, benchmark: Benchmark, cache: Path
) -> PredictionReport:
    """Write an entry and a clean table into a catalog.

    Args:
        request: what is asked for
        benchmark: declares targets and datasets
        cache: cache folder of the program

    Raises:
        ConfigError: if something cannot be found out, or does not fit
        DataError: if the table or the dataset cannot be read
        ModelError: if two rows are for the same sample
    """
    name = request.name or re.sub(r"[^A-Za-z0-9._-]+", "-", request.path.stem)
    catalog = request.to.expanduser().resolve() / "models.yaml"
    check_id(catalog, name, request.force)
    table = read_table(request.path.expanduser(), request.encoding)
    roles = columns.find(table, benchmark.targets, request.columns)
    _check_stated(table, roles, request, benchmark)
    report = PredictionReport({}, catalog, notes=roles.lines())
    segments = _segments(table, roles, report)
    samples = None
    if request.dataset:
        dataset = benchmark.find("datasets", request.dataset, "--dataset")
        samples = datasets.load(dataset, cache, benchmark.targets).table
        segments = _matched(request.dataset, segments, samples, report)
    rows: dict[int, dict[str, str]] = {}
    for number, (file, start, end) in segments.items():
        times = {"start": _seconds(start), "end": "" if end == END else _seconds(end)}
        kept_cells = {key: table.rows[number][1][key] for key in roles.keep}
        rows[number] = {"file": file, **times, **kept_cells}
        if request.dataset:
            rows[number]["dataset"] = benchmark.datasets[request.dataset].database
    _check_rows(table, rows, segments)
    outputs = _outputs(table, roles, request, benchmark, rows, report)
    if samples is not None:
        report.notes += comparing.equal_annotations(
            rows, segments, samples, outputs, benchmark.targets, request.dataset
        )
    text = to_csv(rows.values())
    report.rows = len(rows)
    report.entry = {
        "id": name,
        "version": f"1.0.0-{digest(text)[:8]}",
        "adapter": "predictions",
        "path": f"{name}.csv",
        "outputs": outputs,
    }
    _write(report, text, catalog, benchmark)
    return report


def check_id(catalog: Path, name: str, force: bool) -> None:
    """Refuse an id that is none, or that a catalog has already."""
    check_name(name)
    if name in spec.load_entries(spec.Model, catalog, builtin=False) and not force:
        raise ConfigError(f"{catalog}: has a model '{name}' already; --force replaces it")


def _check_stated(
    table: TextTable, roles: Roles, request: PredictionRequest, benchmark: Benchmark
) -> None:
    """Refuse a meaning of classes or a range of numbers that the table does not have."""
    labels: dict[str, Iterable[str]] = {
        target: [row[column] for _, row in table.rows if row[column]]
        for target, column in roles.classes.items()
    }
    labels |= {target: scores.values() for target, scores in roles.scores.items()}
    values.check_stated(request.mapping, labels, benchmark.targets)
    if request.scale is not None and not roles.numbers:
        low, high = request.scale
        raise ConfigError(
            f"--scale {low:g},{high:g}: the table has no numbers of a target, only classes of "
            f"{', '.join(labels)}"
        )


def _write(report: PredictionReport, text: str, catalog: Path, benchmark: Benchmark) -> None:
    """Write table and entry; nothing stays if the adapter cannot read them."""
    from .. import check

    name = str(report.entry["id"])
    with kept(catalog.parent / f"{name}.csv"):
        write_text(catalog.parent / f"{name}.csv", text)
        entry = spec.parse(spec.Model, report.entry, catalog, name, builtin=False)
        check(entry, benchmark.targets)
        report.notes += [f"warning: {text}" for text in outside.of_table(entry, benchmark.targets)]
        report.notes += write_entry(catalog, name, report.entry)


def _segments(
    table: TextTable, roles: Roles, report: PredictionReport
) -> dict[int, tuple[str, int, int]]:
    """Row -> file, start and end in ns."""
    if not table.rows:
        raise DataError(f"{table.path}: has no rows")
    cells = [row for _, row in table.rows]
    starts = [row[roles.start] if roles.start else "" for row in cells]
    ends = [row[roles.end] if roles.end else "" for row in cells]
    unit = next(iter(roles.units.values()), "")
    if not unit and roles.end:
        unit, reason = values.unit_of(starts, ends)
        report.notes.append(f"times are in {unit} ({reason})")
    elif unit:
        report.notes.append(f"times are in {unit}, as the columns say")
    segments = {}
    for number, (where, row) in enumerate(table.rows):
        file = row[roles.file].replace("\\", "/")
        if not file:
            raise ConfigError(f"{table.path}: {where}: names no file")
        try:
            start = values.time_ns(starts[number], unit or "s") if starts[number] else 0
            end = values.time_ns(ends[number], unit or "s") if ends[number] else END
        except ValueError as error:
            raise ConfigError(f"{table.path}: {where}: expected a time, found '{error}'") from None
        segments[number] = (file, start, end)
    return segments


def _check_rows(
    table: TextTable,
    rows: Mapping[int, Mapping[str, str]],
    segments: Mapping[int, tuple[str, int, int]],
) -> None:
    """Refuse a segment that ends before it starts, and two rows for a sample."""
    first: dict[tuple[object, ...], str] = {}
    for number, row in rows.items():
        where, (file, start, end) = table.rows[number][0], segments[number]
        if end != END and end <= start:
            raise DataError(
                f"{table.path}: {where}: the end, {end / 1e9:g} s, is not after the start, {start / 1e9:g} s"
            )
        condition = row.get("condition", "")
        condition = "" if condition == ORIGINAL else condition
        key = (file, start, end, condition, row.get("dataset", ""))
        other = first.setdefault(key, where)
        if other != where:
            sample = matching.shown(file, start, end) + (f" ({condition})" if condition else "")
            raise ModelError(f"{table.path}: {other} and {where} are for the same sample: {sample}")


def _matched(
    name: str,
    segments: Mapping[int, tuple[str, int, int]],
    samples: pd.DataFrame,
    report: PredictionReport,
) -> dict[int, tuple[str, int, int]]:
    """Row -> its sample in a dataset."""
    keys = zip(*(samples[key].tolist() for key in ("file", "start", "end")), strict=True)
    matched: MatchedRows = matching.match(
        ((number, *segment) for number, segment in segments.items()), keys
    )
    if matched.ambiguous:
        raise ConfigError(
            f"{several(matched.ambiguous, 'name', 'may be several files')}; write more of the path"
        )
    if not matched.rows:
        first, sample = matched.strangers[:1], matched.missing[:1]
        raise ConfigError(
            f"no row is about a sample of '{name}': the table has '{''.join(first)}', the dataset "
            f"'{''.join(sample)}'"
        )
    if matched.changed:
        report.notes.append(
            f"{counted(matched.changed, 'name of a file', 'names of files')} written as in '{name}'"
        )
    if matched.stretched:
        stretched = counted(
            matched.stretched,
            "row with a time of end is taken for a whole file",
            "rows with a time of end are taken for whole files",
        )
        report.notes.append(f"{stretched}, which are the samples of '{name}'")
    report.missing, report.strangers = matched.missing, matched.strangers
    return matched.rows


def _seconds(time_ns: int) -> str:
    return f"{time_ns / 1e9:.9f}".rstrip("0").rstrip(".")


def _outputs(
    table: TextTable,
    roles: Roles,
    request: PredictionRequest,
    benchmark: Benchmark,
    rows: Mapping[int, dict[str, str]],
    report: PredictionReport,
) -> dict[str, Any]:
    """Fill in the values of all targets; returns what the entry says about them."""
    outputs: dict[str, Any] = {}
    for name, column in roles.numbers.items():
        texts = [table.rows[n][1][column] for n in rows]
        where = f"{table.path}: column '{column}'"
        divisor, scale, what = 1.0, request.scale, "as --scale says"
        if scale is None:
            filled = [text for text in texts if text]
            divisor, scale, what = values.scale_of(filled, benchmark.targets[name], where)
        report.notes.append(f"'{column}' is {what}")
        for row, text in zip(rows.values(), texts, strict=True):
            row[name] = repr(values.number(text) / divisor) if text else ""
        outputs[name] = {} if scale is None else {"scale": list(scale)}
    for name, column in roles.classes.items():
        texts = [table.rows[n][1][column] for n in rows]
        where = f"{table.path}: column '{column}'"
        target = benchmark.targets[name]
        mapping = values.classes_of(filter(None, texts), target, request.mapping, where)
        _tell(report, name, mapping)
        for row, text in zip(rows.values(), texts, strict=True):
            row[name] = text
        outputs[name] = {"mapping": mapping} if mapping else {}
    for name, labels in roles.scores.items():
        target = benchmark.targets[name]
        mapping = values.classes_of(labels.values(), target, request.mapping, str(table.path))
        used = {column: label for column, label in labels.items() if mapping.get(label, label)}
        mapping = {label: word for label, word in mapping.items() if word is not None}
        _tell(report, name, mapping)
        _scores(table, name, used, rows)
        outputs[name] = {"mapping": mapping} if mapping else {}
    return outputs


def _scores(
    table: TextTable, target: str, labels: Mapping[str, str], rows: Mapping[int, dict[str, str]]
) -> None:
    for number, row in rows.items():
        where, cells = table.rows[number]
        for column, label in labels.items():
            value = values.number(cells[column]) if cells[column] else None
            if value is not None and value != value:
                raise ConfigError(
                    f"{table.path}: {where}: column '{column}': expected a number, found "
                    f"'{cells[column]:.60}'"
                )
            row[f"{target}/{label}"] = "" if value is None else repr(value)


def _tell(report: PredictionReport, target: str, mapping: Mapping[str, str | None]) -> None:
    known_words = [f"{name} = {word}" for name, word in mapping.items() if word is not None]
    others = [name for name, word in mapping.items() if word is None]
    if known_words:
        report.notes.append(f"classes of {target}: {', '.join(known_words)}")
    if others:
        report.notes.append(f"no class of {target}, always wrong: {', '.join(others)}")


def parse_mapping(texts: Iterable[str]) -> dict[str, str | None]:
    """``OLD=NEW`` of the command line, several with commas; an empty NEW is no class.

    Raises:
        ConfigError: if it is something else

    >>> parse_mapping(["joy=happiness", "bored=,calm=neutral"])
    {'joy': 'happiness', 'bored': None, 'calm': 'neutral'}
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    pairs = [tuple(word.strip() for word in part.partition("=")) for part in parts]
    wrong = next((old for old, sign, _ in pairs if not sign or not old), None)
    if wrong is not None:
        raise ConfigError(f"--map {wrong}: expected OLD=NEW")
    return {old: new or None for old, _, new in pairs}
