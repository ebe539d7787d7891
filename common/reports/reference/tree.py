"""The folders of the reference suite, as values; nothing in them is run, and links are not followed."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...core.documents import read_yaml
from ...core.errors import ConfigError, DataError
from ...core.names import unusable
from ...core.wording import counted

RESULTS = Path("docs", "results", "test")
TESTS = Path("test")
COMPARISONS = Path("comparison")
NAMES = Path("docs", "model_names.yml")
#: largest table of results in bytes; those of the reference have some kilobytes
LARGEST = 2**24
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
#: a column of remarks bears the name of the column it belongs to, behind this
_REMARK = "_"


class LeftOut(NamedTuple):
    """Something that has no counterpart here: where it stands, what it is, and why."""

    place: str
    what: str
    reason: str


class Result(NamedTuple):
    """One number of the reference, as text; an empty text: it has none.

    A ``fault`` says why it, or the table that it would stand in, cannot be read: that matters only if the metric is taken.
    """

    target: str
    model: str
    test: str
    metric: str
    data: str
    column: str
    value: str
    remark: str
    fault: str = ""


@dataclass
class ReferenceTree:
    """What was read.

    Args:
        root: the folder
        results: numbers, in the order of folders, files and lines
        tests: target -> test -> content of its YAML
        names: id of a model -> its name, as a reader knows it
        comparisons: target -> ids of models that are compared, the first with the others
        left_out: what is no result
    """

    root: Path
    results: list[Result] = field(default_factory=list)
    tests: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    comparisons: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)

    def leave_out(self, place: Path | str, what: str, reason: str) -> None:
        """Note something that is not taken; a path is told from the folder."""
        text = place.relative_to(self.root).as_posix() if isinstance(place, Path) else place
        self.left_out.append(LeftOut(text, what, reason))


def read(root: Path, targets: Collection[str], compared: tuple[str, str]) -> ReferenceTree:
    """Read a clone of the reference suite, or its results alone.

    Args:
        root: the clone, or the folders of its results
        targets: names of targets
        compared: keys of a comparison in YAML: the first model, and the list of others

    Raises:
        ConfigError: if it is no such folder, or a YAML file cannot be read
    """
    if not root.is_dir():
        raise ConfigError(f"{root}: no such folder")
    tree = ReferenceTree(root)
    places = [
        place
        for part in (RESULTS, RESULTS.relative_to("docs"), TESTS, Path())
        for place in [root / part]
    ]
    results = next((place for place in places if any(_tables(place, targets))), None)
    tests = root / TESTS
    if results is not None:
        for folder in _entries(results, tree):
            if folder.name in targets and folder.is_dir():
                _read_target(folder, tree)
            elif results != root:
                tree.leave_out(folder, "results", _unknown("target", targets))
    if tests.is_dir() and tests != results:
        for folder in _entries(tests, tree):
            if folder.name in targets and folder.is_dir():
                tree.tests[folder.name] = _read_tests(folder, tree)
            else:
                tree.leave_out(folder, "tests", _unknown("target", targets))
    if not tree.results and not any(tree.tests.values()):
        raise ConfigError(
            f"{root}: no results of the reference suite: expected "
            f"{RESULTS.as_posix()}/TARGET/MODEL/TEST/METRIC.csv or {TESTS}/TARGET/TEST.yaml "
            f"with a target of {', '.join(targets)}"
        )
    _read_names(root / NAMES, tree)
    _read_comparisons(root / COMPARISONS, targets, compared, tree)
    return tree


def _unknown(what: str, names: Collection[str]) -> str:
    return f"no {what} of this name; known: {', '.join(names)}"


def _tables(folder: Path, targets: Collection[str]) -> Iterator[Path]:
    for target in targets:
        yield from (folder / target).glob("*/*/*.csv")


def _entries(folder: Path, tree: ReferenceTree) -> list[Path]:
    """What lies in a folder, by name, without hidden files; links and odd names are left out."""
    entries = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            tree.leave_out(path, "link", "links are not followed")
        elif path.is_dir() and (not _NAME.fullmatch(path.name) or unusable(path.name)):
            tree.leave_out(path, "folder", "its name cannot be the name of a model or test")
        else:
            entries.append(path)
    return entries


def _read_target(folder: Path, tree: ReferenceTree) -> None:
    for model in _entries(folder, tree):
        if not model.is_dir():
            tree.leave_out(model, "file", "no folder of a model")
            continue
        for test in _entries(model, tree):
            if not test.is_dir():
                tree.leave_out(test, "facts of the model", "results do not hold them")
                continue
            for path in _entries(test, tree):
                if path.suffix == ".csv" and path.is_file():
                    names = (folder.name, model.name, test.name, path.stem)
                    try:
                        tree.results += [Result(*names, *cell) for cell in _read_table(path)]
                    except DataError as error:
                        tree.results.append(Result(*names, "", "", "", "", str(error)))
                else:
                    reason = "figures are drawn from predictions, by a run"
                    tree.leave_out(path, "figure", reason if path.suffix == ".png" else "no table")


def _read_table(path: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Data, column, value, remark and fault of each cell of a table."""
    if path.stat().st_size > LARGEST:
        raise DataError(
            f"{path}: larger than {LARGEST // 2**20} MB; no table of the reference suite"
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as CSV in UTF-8: {error}") from None
    header = lines[0] if lines else []
    if header[:1] != ["Data"] or len(header) < 2 or len(set(header)) < len(header):
        raise DataError(
            f"{path}, line 1: expected 'Data' and different columns, found {','.join(header)!r:.80}"
        )
    columns = [name for name in header[1:] if not name.startswith(_REMARK)]
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        if len(line) != len(header):
            raise DataError(
                f"{path}, line {number}: {counted(len(line), 'field')}, but the header has {len(header)}"
            )
        cells = dict(zip(header, line, strict=True))
        data = cells["Data"]
        if not data or data in seen:
            raise DataError(
                f"{path}, line {number}: data '{data:.80}' {'appears twice' if data else 'has no name'}"
            )
        seen.add(data)
        for column in columns:
            value, fault = _number(cells[column])
            where = f"{path}, line {number}, column {column}: {fault}" if fault else ""
            yield data, column, value, cells.get(_REMARK + column, "").strip(), where


def _number(text: str) -> tuple[str, str]:
    """A number as it was written, empty if there is none; and why it is none, if something else stands there."""
    text = text.strip()
    try:
        number = float(text or "nan")
    except ValueError:
        return "", f"'{text:.40}' is no number"
    if math.isinf(number):
        return "", f"'{text:.40}' is no finite number"
    return "" if math.isnan(number) else text, ""


def _read_tests(folder: Path, tree: ReferenceTree) -> dict[str, Mapping[str, Any]]:
    tests = {}
    for path in _entries(folder, tree):
        if path.suffix not in (".yaml", ".yml"):
            tree.leave_out(path, "file", "no YAML of a test")
            continue
        content = read_yaml(path)
        if not isinstance(content, Mapping):
            raise ConfigError(f"{path}: expected 'Data' and 'Metrics', found {content!r:.60}")
        for name in ("Data", "Metrics"):
            items = content.get(name)
            if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
                raise ConfigError(f"{path}: {name}: expected a list of entries ('- name: ...')")
            for number, item in enumerate(items):
                if not isinstance(item.get("name"), str):
                    raise ConfigError(
                        f"{path}: {name}[{number}].name: expected text, found {item.get('name')!r:.60}"
                    )
        tests[path.stem] = content
    return tests


def short_name(name: str) -> str:
    """The name that models of dimensions and of categories share."""
    return name.removesuffix("-cat")


def id_of(name: str) -> str:
    """The name of a model as an id, which is part of addresses; empty if nothing of it can stand there.

    >>> id_of("wavlm-cat"), id_of(" My CNN (v2)"), id_of("???")
    ('wavlm-cat', 'My-CNN-v2', '')
    """
    text = re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")
    return text if _NAME.fullmatch(text) and not unusable(text) else ""


def _read_names(path: Path, tree: ReferenceTree) -> None:
    if not path.is_file() or path.is_symlink():
        return
    content = read_yaml(path) or {}
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: expected 'id: name' lines, found {content!r:.60}")
    for model, name in content.items():
        if not isinstance(name, str) or not id_of(short_name(name)):
            tree.leave_out(path, f"name of {model}", f"{name!r:.40} cannot be the name of a model")
        else:
            tree.names[str(model)] = " ".join(name.split())


def _read_comparisons(
    folder: Path, targets: Collection[str], compared: tuple[str, str], tree: ReferenceTree
) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    first, others = compared
    for path in _entries(folder, tree):
        if path.stem not in targets or path.suffix not in (".yaml", ".yml"):
            tree.leave_out(path, "comparisons", _unknown("target", targets))
            continue
        content = read_yaml(path) or []
        for number, item in enumerate(content if isinstance(content, list) else [content]):
            fields = item if isinstance(item, Mapping) else {}
            if not isinstance(fields.get(others), list) or not isinstance(fields.get(first), str):
                raise ConfigError(
                    f"{path}: [{number}]: expected {first} and {others}, found {item!r:.60}"
                )
            ids = (fields[first], *map(str, fields[others]))
            tree.comparisons.setdefault(path.stem, []).append(ids)
