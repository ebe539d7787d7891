"""Loading of catalog and suite from YAML into the records of :mod:`common.spec.records`.

Every fault is a line of a :class:`~common.core.errors.ConfigError` that names file, place,
what was found and what is allowed; all entries are looked at before it is raised. Later catalogs may replace an entry of an earlier
one by using its id; two entries of one file may not share an id.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from ..core import names, paths
from ..core.documents import read_yaml
from ..core.errors import ConfigError
from ..core.registry import unknown
from .records import (
    Benchmark,
    Dataset,
    Entry,
    Model,
    Perturbation,
    Record,
    Target,
    Test,
)

R = TypeVar("R", bound=Entry)
#: as many faults are told at once
TOLD = 20
#: most entries of a file: a dataset is read in some milliseconds, and a check reads each
MOST_ENTRIES = 10_000
#: most targets, which each model and each test is looked at with
MOST_TARGETS = 1_000


#: what pydantic says of a wrong type -> what that is in YAML
_EXPECTED = {
    "dict_type": "expected key: value pairs",
    "mapping_type": "expected key: value pairs",
    "model_type": "expected key: value pairs",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "string_type": "expected text; put a number or a date in quotes",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "string_pattern_mismatch": "expected letters, digits, '.', '_' and '-', beginning with a letter or digit",
}


class _Faults:
    """Collects the faults of several entries, so that all of them are told at once."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Go on behind a fault."""
        try:
            yield
        except ConfigError as error:
            self._lines += map(str, error.args)

    def tell(self) -> None:
        """Raise what was collected, a line each; nothing if there is none."""
        if self._lines:
            more = len(self._lines) - TOLD
            raise ConfigError(*self._lines[:TOLD], *([f"and {more} more"] if more > 0 else []))


def _place(location: Iterable[Any]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def parse(record: type[R], content: Any, path: Path, place: str, *, builtin: bool) -> R:
    """Validate one entry; raises ConfigError for its first fault."""
    if not isinstance(content, Mapping):
        path_and_place = f"{path}: {place}" if place else str(path)
        raise ConfigError(f"{path_and_place}: expected key: value lines, found {content!r:.60}")
    try:
        return record.model_validate({**content, "origin": path, "builtin": builtin})
    except pydantic.ValidationError as error:
        raise ConfigError(f"{path}: {fault(record, place, error)}") from None


def fault(record: type[Record], place: str, error: pydantic.ValidationError) -> str:
    """First fault of a record in one line: where, what was found, what is allowed."""
    first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    where = _place([place, *first["loc"]] if place else first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        keys = [field.alias or name for name, field in record.model_fields.items()]
        keys = [name for name in keys if name not in ("origin", "builtin")]
        if len(first["loc"]) > 1:
            return f"{where}: unknown key '{key}'"
        near = difflib.get_close_matches(key, keys, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        return f"{where}: unknown key.{hint} Known: {', '.join(sorted(keys))}"
    if first["type"] == "missing":
        return f"{where}: missing"
    message = _EXPECTED.get(first["type"], first["msg"].removeprefix("Value error, "))
    if isinstance(first["input"], str) and re.fullmatch(r"\s*[+-]?\d*,\d+\s*", first["input"]):
        message += " with a decimal point"
    if first["type"] == "value_error" and isinstance(first["input"], Mapping):
        return (
            f"{where}: {message}" if where else message
        )  # a rule of the whole, which names the key
    return f"{where}: {message}, found {first['input']!r:.60}"


def load_entries(record: type[R], path: Path, *, builtin: bool = True) -> dict[str, R]:
    """Entries of one catalog file by id; an absent file holds none.

    Raises:
        ConfigError: for the first faults of the file, or if it has more entries than are read
    """
    if not path.exists():
        return {}
    content = read_yaml(path) or []
    if not isinstance(content, list):
        raise ConfigError(f"{path}: expected a list of entries ('- id: ...')")
    most = MOST_TARGETS if issubclass(record, Target) else MOST_ENTRIES
    if len(content) > most:
        raise ConfigError(f"{path}: {len(content):,} entries, at most {most:,} are read")
    entries: dict[str, R] = {}
    faults = _Faults()
    for n, item in enumerate(content):
        name = item.get("id") if isinstance(item, Mapping) else None
        place = f"{path.stem}[{n}]" + (f" ({name!s:.60})" if name else "")
        with faults.collecting():
            entry = parse(record, item, path, place, builtin=builtin)
            if entry.id in entries:
                raise ConfigError(f"{path}: {place}: id '{entry.id}' is used twice")
            entries[entry.id] = entry
    faults.tell()
    return entries


def load_tests(folder: Path, *, builtin: bool = True) -> dict[str, Test]:
    """Tests of a suite folder by id, the name of the file, in alphabetical order."""
    tests = {}
    faults = _Faults()
    for path in sorted(folder.glob("*.yaml")):
        with faults.collecting():
            content = read_yaml(path)
            if isinstance(content, Mapping):
                content = {"id": path.stem, **content}
            tests[path.stem] = parse(Test, content, path, "", builtin=builtin)
    faults.tell()
    return tests


#: files of a catalog, without their ending, and what they hold
CATALOG_FILES: Mapping[str, type[Entry]] = {
    "targets": Target,
    "datasets": Dataset,
    "models": Model,
    "perturbations": Perturbation,
}


def is_catalog(folder: Path) -> bool:
    """Whether a folder holds a file of a catalog, a test, or published results."""
    place = folder.expanduser()
    if (place / paths.PUBLISHED_NAME).is_dir():
        return True
    there = any((place / f"{name}.yaml").exists() for name in CATALOG_FILES)
    return there or any((place / "suite").glob("*.yaml"))


def load_benchmark(
    catalogs: Iterable[Path] = (), *, full: bool = False, allow_code: bool = False
) -> Benchmark:
    """Built-in catalog and suite with the user's catalogs on top.

    Args:
        catalogs: folders with ``models.yaml``, ``datasets.yaml``, ``perturbations.yaml``,
            ``targets.yaml`` and ``suite/*.yaml``, each optional
        full: whether data are taken whole of which there is a smaller part, too
        allow_code: whether models of the user's catalogs may run code that their entries name

    Raises:
        ConfigError: for all faults of entries and files, or for the first one between them
    """
    kinds = CATALOG_FILES
    merged: dict[str, dict[str, Any]] = {
        name: dict(load_entries(record, paths.CATALOG / f"{name}.yaml"))
        for name, record in kinds.items()
    }
    merged["tests"] = dict(load_tests(paths.SUITE))
    faults = _Faults()
    for folder in catalogs:
        if not folder.is_dir():
            raise ConfigError(f"--catalog {folder}: no such folder")
        if not is_catalog(folder):
            file_names = ", ".join(f"{name}.yaml" for name in kinds)
            raise ConfigError(f"--catalog {folder}: holds none of {file_names} or suite/*.yaml")
        for name, record in kinds.items():
            with faults.collecting():
                path = folder / f"{name}.yaml"
                merged[name].update(load_entries(record, path, builtin=False))
        with faults.collecting():
            merged["tests"].update(load_tests(folder / "suite", builtin=False))
    faults.tell()
    if full:
        merged["datasets"] = {k: entry.whole() for k, entry in merged["datasets"].items()}
    if allow_code:
        merged["models"] = {k: entry.allowed() for k, entry in merged["models"].items()}
    for name, entries in merged.items():
        _check_folders(name, entries)
    _check_folders("names of datasets", {e.database: e for e in merged["datasets"].values()})
    merged["perturbations"] = _with_variants(merged["perturbations"])
    return Benchmark.model_construct(None, **merged)


def _check_folders(what: str, entries: Mapping[str, Entry]) -> None:
    """Refuse ids of which some systems would make one folder."""
    pair = names.same_folder(entries)
    if pair is not None:
        first, second = pair
        raise ConfigError(
            f"{entries[second].origin}: {what}: '{first}' ({entries[first].origin}) and "
            f"'{second}' differ in upper and lower case only; some systems have one folder for both"
        )


def _with_variants(entries: Mapping[str, Perturbation]) -> dict[str, Perturbation]:
    """Entries of perturbations, variants completed by what they are variants of."""
    perturbations = {}
    variants: dict[tuple[str, str], str] = {}
    for name, entry in entries.items():
        if entry.variant_of:
            place = f"{entry.origin}: {name}.variant_of"
            if entry.variant_of not in entries:
                raise unknown("perturbation", entry.variant_of, entries, place)
            base = entries[entry.variant_of]
            if base.variant_of:
                raise ConfigError(f"{place}: '{base.id}' is a variant itself")
            other = variants.setdefault((base.id, entry.corpora), name)
            if other != name:
                raise ConfigError(f"{place}: '{other}' is that variant with the same corpora")
            entry = base.varied(entry)
        perturbations[name] = entry
    return perturbations
