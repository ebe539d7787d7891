"""What is wrong with a bundle that a stranger sent: every file, every row, every sum.

No fault stops the search: all are listed. Nothing of a bundle is ever run, and nothing is written
outside a temporary folder before all of it was looked at.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import archives, files, leftovers
from ...core.documents import parse_json
from ...core.errors import BenchmarkError, DataError
from ...core.mirror import listing
from ...core.names import unusable
from ...core.paths import Paths
from ...core.wording import counted
from ...results import keys, population, tables
from ...results import sums as kept
from ...results.judge import judge
from ...results.manifest import Manifest
from ...spec import Benchmark, Criterion
from ...spec.records import ID_PATTERN, VERSION_PATTERN
from . import CELLS, FORMAT, INDEX, LARGEST, NAMES, ROWS, BundleFolders
from .recomputing import recompute

if TYPE_CHECKING:
    import pandas as pd

#: two ways to one score may differ by rounding
CLOSE = 1e-9
#: so many differing rows of a file are told one by one
EXAMPLES = 3


@dataclass
class BundleCheck:
    """What was found out about a bundle.

    Args:
        model: id and version
        targets: targets that it has results of
        rows: number of result rows
        from_sums: scores that were computed again from sums of speakers
        recomputed: rows on open data that were computed again from predictions
        faults: what is wrong, one line each
        notes: what could not be checked here, one line each
    """

    model: str = ""
    targets: list[str] = field(default_factory=list)
    rows: int = 0
    from_sums: int = 0
    recomputed: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Summary for people."""
        lines = [f"fault: {fault}" for fault in self.faults]
        lines += [f"note: {note}" for note in self.notes]
        count = len(self.faults)
        outcome = {0: "no fault", 1: "1 fault"}.get(count, f"{count} faults")
        if not self.model:
            return "\n".join([*lines, f"cannot be read as a bundle: {outcome}"])
        what = (
            f"{self.model}: {counted(self.rows, 'row')} of {', '.join(self.targets) or 'no target'}"
        )
        lines.append(
            f"{what}, {counted(self.from_sums, 'score')} computed again from sums, {counted(self.recomputed, 'row')} from "
            f"predictions: {outcome}"
        )
        return "\n".join(lines)


def check(
    benchmark: Benchmark,
    folders: Paths,
    bundle: Path,
    *,
    unpack: bool = False,
    force: bool = False,
    workers: int = 1,
) -> BundleCheck:
    """Look at a bundle.

    Args:
        benchmark: declarations
        folders: where open data are made and, with ``unpack``, where results go
        bundle: the archive
        unpack: whether results without a fault are put beside those of this machine
        force: whether they replace others of a model with the same id
        workers: parallel workers

    Raises:
        DataError: if it is no archive, or holds what no bundle holds
        OutputError: if results cannot be written
    """
    content = archives.unpacked(bundle, NAMES, LARGEST)
    checked = BundleCheck()
    index = _index(bundle, content)
    checked.faults += _listed(index, content)
    model = index.get("model")
    names = {name: model.get(name) for name in ("id", "version")} if isinstance(model, dict) else {}
    for (name, value), pattern in zip(names.items(), (ID_PATTERN, VERSION_PATTERN), strict=False):
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise DataError(f"{INDEX}: model.{name}: {value!r:.40} is no {name} of a model")
        if reason := unusable(value):
            raise DataError(f"{INDEX}: model.{name}: a name that {reason}")
    if not names:
        raise DataError(f"{INDEX}: model: expected id and version")
    checked.model = f"{names['id']} {names['version']}"
    with tempfile.TemporaryDirectory(prefix=leftovers.prefix()) as place:
        unpacked = BundleFolders(output=Path(place), cache=folders.cache)
        _write(content, unpacked, str(names["id"]))
        for target in sorted({name.split("/")[1] for name in content if name.startswith(ROWS)}):
            checked.targets.append(target)
            _target(benchmark, unpacked, target, names, checked)
        if not checked.targets:
            checked.faults.append(f"{ROWS}/: no results")
        if not checked.faults:
            recompute(benchmark, unpacked, str(names["id"]), checked, workers=workers)
            checked.notes += _unknown(benchmark, str(names["id"]))
    if unpack and not checked.faults:
        _unpack(content, folders, str(names["id"]), checked, force=force)
    return checked


def _unknown(benchmark: Benchmark, model: str) -> Iterator[str]:
    """What nobody can tell without the model."""
    yield f"that the predictions are those of '{model}' cannot be checked without the model"
    if model in benchmark.models:
        yield f"'{model}' is also the id of a model of the catalog ({benchmark.models[model].origin.name})"


def _unpack(
    content: Mapping[str, bytes], folders: Paths, model: str, checked: BundleCheck, *, force: bool
) -> None:
    """Put results beside those of this machine; other results of a model with this id are a fault."""
    results = {
        _place(folders, name, model): data
        for name, data in content.items()
        if name.startswith(f"{ROWS}/")
    }
    lost: list[Path] = []
    for folder in (folders.method_tests / target / model for target in checked.targets):
        others = [path for path in listing(folder) if path.read_bytes() != results.get(path)]
        if others and not force:
            checked.faults.append(
                f"{folder}: holds other results of a model with this id, which would be lost; "
                "rename it, or replace them with --force"
            )
        lost += others
    if checked.faults:
        return
    for path in lost:
        path.unlink()
    for path, data in results.items():
        files.write_bytes(path, data, only_changed=True)


def _index(bundle: Path, content: Mapping[str, bytes]) -> dict[str, Any]:
    if INDEX not in content:
        raise DataError(f"{bundle}: holds no {INDEX}, so it is no bundle")
    try:
        index = parse_json(content[INDEX].decode("utf-8"))
    except ValueError as error:
        raise DataError(f"{INDEX}: no JSON: {error}") from None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        stated = index.get("format") if isinstance(index, dict) else "none"
        raise DataError(f"{INDEX}: format '{stated!s:.20}'; this program reads format {FORMAT}")
    return index


def _listed(index: Mapping[str, Any], content: Mapping[str, bytes]) -> Iterator[str]:
    """Differences between what the index lists and what there is."""
    listed = index.get("files")
    if not isinstance(listed, dict):
        yield f"{INDEX}: files: expected a mapping of names to hashes"
        return
    for name in sorted({*listed, *content} - {INDEX}):
        if name not in content:
            yield f"{name:.100}: listed in {INDEX}, but missing from the bundle"
        elif name not in listed:
            yield f"{name}: in the bundle, but not listed in {INDEX}"
        elif hashlib.sha256(content[name]).hexdigest() != listed[name]:
            yield f"{name}: its hash is not the listed one"


def _write(content: Mapping[str, bytes], folders: Paths, model: str) -> None:
    for name, data in content.items():
        if name != INDEX:
            files.write_bytes(_place(folders, name, model), data)


def _place(folders: Paths, name: str, model: str) -> Path:
    """Where a file of a bundle belongs; results of a model have a folder of their own."""
    first, second, *rest = name.split("/")
    middle = [second, model] if first == ROWS else [second]
    return folders.output.joinpath(first, *middle, *rest)


def _target(
    benchmark: Benchmark,
    folders: Paths,
    target: str,
    model: Mapping[str, Any],
    checked: BundleCheck,
) -> None:
    """Check the results for one target."""
    path = folders.manifest(target, str(model["id"]))
    manifest = Manifest.read(path)
    if manifest is None or not all(
        CELLS.fullmatch(name) for name in (*manifest.cells, *manifest.not_run)
    ):
        checked.faults.append(
            f"{ROWS}/{target}/manifest.json: missing, damaged or of another format"
        )
        return
    where = f"{ROWS}/{target}"
    if target not in benchmark.targets:
        checked.faults.append(f"{where}: unknown target. Known: {', '.join(benchmark.targets)}")
        return
    if manifest.target != target or any(manifest.model.get(n) != v for n, v in model.items()):
        checked.faults.append(f"{where}/manifest.json: is of another target or model")
        return
    rows: dict[str, pd.DataFrame] = {}
    for file in sorted(path.parent.glob("*.csv")):
        try:
            rows[file.stem] = tables.read_csv(file)
        except DataError:
            checked.faults.append(f"{where}/{file.name}: cannot be read as result rows")
    fitting: dict[str, pd.DataFrame] = {}
    for test, table in rows.items():
        checked.rows += len(table)
        digest = hashlib.sha256((path.parent / f"{test}.csv").read_bytes()).hexdigest()
        if manifest.tables.get(test) != digest:
            checked.faults.append(f"{where}/{test}.csv: the manifest has another hash of it")
        misfits = list(_rows(table, target, test, model, manifest))
        beyond = list(_beyond_suite(benchmark, table, target, test))
        misfits += beyond
        if not beyond:
            fitting[test] = table
        checked.faults += [f"{where}/{test}.csv: {fault}" for fault in _shortened(misfits)]
    for test in sorted(set(manifest.tables) - set(rows)):
        checked.faults.append(f"{where}/{test}.csv: in the manifest, but missing from the bundle")
    _sums(folders, target, manifest, fitting, checked)


def _shortened(faults: list[str]) -> list[str]:
    more = [f"... and {len(faults) - EXAMPLES} more"] if len(faults) > EXAMPLES else []
    return [*faults[:EXAMPLES], *more]


def _rows(
    table: pd.DataFrame, target: str, test: str, model: Mapping[str, Any], manifest: Manifest
) -> Iterator[str]:
    """What is wrong with the rows of a test."""
    expected = {"target": target, "model": model["id"], "test": test}
    for name, value in expected.items():
        others = set(table[name]) - {value}
        if others:
            yield f"column {name}: '{min(others)!s:.40}', expected '{value}'"
            return
    counts = {str(name): int(n) for name, n in table["dataset"].value_counts().items()}
    for dataset in sorted({*counts, *_datasets(manifest, test)}):
        noted = manifest.cells.get(f"{test}/{dataset}", {}).get("rows", 0)
        if noted != counts.get(dataset, 0):
            yield f"{dataset}: {counts.get(dataset, 0)} rows, the manifest says {noted}"
    if table.duplicated(["data", "metric", "label", "condition", "reference"]).any():
        yield "a row appears twice"
    for dataset in counts:
        failed = manifest.cells.get(f"{test}/{dataset}", {}).get("status") == "error"
        statuses = set(table["status"][table["dataset"] == dataset])
        if failed != ("error" in statuses) or (failed and len(statuses) > 1):
            state = "ended in an error" if failed else "is done"
            yield f"{dataset}: its rows say {', '.join(sorted(statuses))}, the manifest that it {state}"
    for row in table.to_dict("records"):
        fault = _row(row)
        if fault:
            yield f"{keys.row_key(row)}: {fault}"


def _beyond_suite(
    benchmark: Benchmark, table: pd.DataFrame, target: str, test: str
) -> Iterator[str]:
    """Rows that no test of the suite has, or that it judges by another criterion."""
    names = [entry.id for entry in benchmark.applicable(target)]
    if test not in names:
        yield f"unknown test. Known: {', '.join(names)}"
        return
    suite = benchmark.tests[test]
    for dataset, rows in table.groupby("dataset"):
        uses = suite.uses_on(benchmark.targets[target].kind, str(dataset))
        criteria = {use.metric: use.criterion for use in uses}
        for row in rows.to_dict("records"):
            criterion = criteria.get(str(row["metric"]))
            if criterion is None:
                yield f"{keys.row_key(row)}: unknown metric. Known: {', '.join(criteria)}"
            elif not criterion.is_simulated and str(row["criterion"]) != str(criterion):
                yield f"{keys.row_key(row)}: criterion {row['criterion']!s:.40}, that of the suite is {criterion}"


def _datasets(manifest: Manifest, test: str) -> set[str]:
    return {name.split("/", 1)[1] for name in manifest.cells if name.split("/", 1)[0] == test}


def _row(row: Mapping[Any, Any]) -> str:
    """What is wrong with a row in itself; empty if nothing is."""
    if row["status"] not in tables.STATUSES:
        return f"status '{row['status']!s:.20}'; known: {', '.join(tables.STATUSES)}"
    value = float(row["value"])
    for name in ("value", "ci_low", "ci_high"):
        if np.isinf(float(row[name])):
            return f"{name}: found {row[name]}, expected a finite number"
    if row["status"] in ("pass", "fail"):
        try:
            verdict = judge(value, Criterion.of_text(str(row["criterion"]))).status
        except ValueError as error:
            return str(error)
        if verdict != row["status"]:
            return f"{value:g} and the criterion {row['criterion']} give {verdict}, not {row['status']}"
    if float(row["ci_low"]) > float(row["ci_high"]):
        return "its interval ends before it begins"
    return ""


def _sums(
    folders: Paths,
    target: str,
    manifest: Manifest,
    rows: Mapping[str, pd.DataFrame],
    checked: BundleCheck,
) -> None:
    """Compute scores from sums of speakers and compare them with the rows."""
    model = str(manifest.model["id"])
    for name, noted in sorted(manifest.cells.items()):
        if "sums" not in noted:
            continue
        test, _, dataset = name.partition("/")
        where = f"{ROWS}/{target}/sums/{noted['sums']!s:.100}"
        path = folders.sums(target, model, test, dataset)
        if path.name != noted["sums"] or not path.is_file():
            checked.faults.append(f"{where}: in the manifest, but missing from the bundle")
            continue
        try:
            scores = kept.scores(kept.read(path))
        except BenchmarkError:
            checked.faults.append(f"{where}: cannot be read as sums")
            continue
        table = rows.get(test)
        entries = [] if table is None else table[table["dataset"] == dataset].to_dict("records")
        groups = population.groups_named(str(row["data"]) for row in entries)
        misfits = []
        for row in entries:
            score = _of_sums(row, groups[str(row["data"])], scores)
            if score is None or np.isnan(float(row["value"])):
                continue
            checked.from_sums += 1
            if not abs(score - float(row["value"])) <= CLOSE:
                misfits.append(f"{keys.row_key(row)}: {row['value']:g}, its sums give {score:g}")
        checked.faults += [f"{where}: {fault}" for fault in _shortened(misfits)]


def _of_sums(row: Mapping[Any, Any], group: str, scores: Mapping[Any, float]) -> float | None:
    """Score of a row from sums; None if they do not hold it."""
    for parts in population.sources(row, group):
        if all(part in scores for part in parts):
            first, *others = (scores[part] for part in parts)
            return first - sum(others)
    return None
