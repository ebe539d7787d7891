"""What is compared: ``ID``, ``ID@VERSION``, ``FOLDER`` or ``FOLDER:ID[@VERSION]``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ...core import advice
from ...core.errors import ConfigError
from ...core.paths import Paths
from ...core.registry import unknown
from ...results import history
from ...results.history import KeptVersion


class _Bare(Paths):
    """A folder that holds the result tables themselves."""

    @property
    def method_tests(self) -> Path:
        return self.output


@dataclass(frozen=True)
class Side:
    """Results of one version of one model.

    Args:
        model: id of the model
        version: its version
        folder: folder of results that was named; empty: the one of the run
        kept: target -> results
    """

    model: str
    version: str
    folder: str
    kept: dict[str, KeptVersion]

    @property
    def name(self) -> str:
        """What it is called in reports."""
        name = f"{self.model}@{self.version}" if self.version else self.model
        return f"{self.folder}:{name}" if self.folder else name

    @property
    def chance(self) -> bool:
        """Whether it is a chance model."""
        return any(snapshot.manifest.model.get("chance") for snapshot in self.kept.values())


def resolve(folders: Paths, baseline: str, candidate: str) -> tuple[Side, Side]:
    """Both sides of a comparison.

    Args:
        folders: where the results are that names without a folder mean
        baseline: what the candidate is compared with
        candidate: the other one

    Raises:
        ConfigError: if one of them has no results, or both are the same
        DataError: if results are of a format that this program does not read
    """
    texts = {"BASELINE": baseline, "CANDIDATE": candidate}
    parsed = {role: _parsed(folders, role, text) for role, text in texts.items()}
    first = _side(*parsed["BASELINE"], other=parsed["CANDIDATE"][3])
    second = _side(*parsed["CANDIDATE"], other=first.model)
    if {snapshot.folder for snapshot in first.kept.values()} & {
        k.folder for k in second.kept.values()
    }:
        raise ConfigError(f"BASELINE and CANDIDATE are both {first.name}: nothing to compare")
    return first, second


#: role, folder as it was named, folders, model, version
_Parsed = tuple[str, str, Paths, str, str]


def _parsed(folders: Paths, role: str, text: str) -> _Parsed:
    named, _, rest = text.rpartition(":")
    if Path(text).is_dir() and not _is_model(folders, text):
        named, rest = text, ""
    if named:
        if not Path(named).is_dir():
            raise ConfigError(f"{role} {text}: no such folder: {named}")
        paths = replace(folders, output=Path(named))
        if not paths.method_tests.is_dir():
            paths = _Bare(Path(named), folders.cache)
    else:
        paths, rest = folders, text
    model, _, version = rest.partition("@")
    return role, named, paths, model, version


def _is_model(folders: Paths, name: str) -> bool:
    return any(folders.method_tests.glob(f"*/{name}/manifest.json")) if "/" not in name else False


def _models(folders: Paths) -> dict[str, list[str]]:
    """Model -> targets with results."""
    models: dict[str, list[str]] = {}
    for path in sorted(folders.method_tests.glob("*/*/manifest.json")):
        models.setdefault(path.parent.name, []).append(path.parent.parent.name)
    return models


def _side(role: str, named: str, folders: Paths, model: str, version: str, *, other: str) -> Side:
    models = _models(folders)
    if not models:
        raise ConfigError(
            f"{role}: no results in {folders.method_tests}; make them with: {_maker(folders, named)}"
        )
    if not model:
        model = _only(role, folders, models, other)
    if model not in models and "/" in model:
        what = "is no folder with results" if Path(model).exists() else "no such folder"
        raise ConfigError(f"{role} {model}: {what}")
    if model not in models:
        raise unknown("model", model, models, role)
    snapshots: dict[str, KeptVersion] = {}
    seen: set[str] = set()
    for target in models[model]:
        newest = history.current(folders, target, model)
        entries = history.versions(folders, target, model)
        seen |= {item.version for item in entries}
        chosen = newest
        if version:
            chosen = next((item for item in entries if item.version == version), None)
        if chosen is not None:
            snapshots[target] = chosen
    if not snapshots:
        raise unknown(f"version of {model}", version, seen, role)
    versions = {item.version for item in snapshots.values()}
    return Side(model, versions.pop() if len(versions) == 1 else version, named, snapshots)


def _maker(folders: Paths, named: str) -> str:
    """Command that makes results where they were looked for."""
    return advice.command("run", *(("--output", folders.output) if named else ()))


def _only(role: str, folders: Paths, models: dict[str, list[str]], other: str) -> str:
    """The model that a folder without a name means: that of the other side, or the only one."""
    if other in models:
        return other
    listening = [
        model
        for model, targets in models.items()
        if (snapshot := history.current(folders, targets[0], model))
        and not snapshot.manifest.model.get("chance")
    ]
    if len(listening) != 1:
        raise ConfigError(
            f"{role} {folders.output}: say which model as FOLDER:ID, with one of: {', '.join(models)}"
        )
    return listening[0]
