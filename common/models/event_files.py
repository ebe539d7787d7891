"""Event lists and frame scores that exist already, for the adapter ``predictions``.

``path`` is an event list (a row per event with file, onset, offset, label; a row with a file alone
is a recording without events), or a file or folder with frame scores, in any form that
:mod:`common.samples.event_lists` reads. Each recording of the tests must be named; with
``params: {missing: silent}`` one that is not named has no events. Predictions on changed signals:
``params: {conditions: {white-noise: path}}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from .. import spec
from ..core import parquet
from ..core.errors import BenchmarkError, ConfigError, ModelError
from ..core.registry import unknown
from ..spec import kinds
from ..spec.view import ORIGINAL
from . import notes
from .base import Batch, SampleKey, place
from .labels import missing_labels, positions
from .outputs import reordered

PARAMS = ("conditions", "missing")
TEXT = (".csv", ".tsv", ".txt")
SCORES = (".npy", ".npz")


def is_meant(entry: spec.Model, targets: Mapping[str, spec.Target]) -> bool:
    """Whether an entry is about sound events: its ``outputs`` say so."""
    names = [
        name for name in entry.outputs if name in targets and kinds.of(targets[name]).is_ragged
    ]
    if names and len(entry.outputs) > 1:
        raise ConfigError(
            f"{place(entry, 'outputs')}: '{names[0]}' needs an entry of its own,"
            " as its files hold events"
        )
    return bool(names)


def paths_of(entry: spec.Model) -> dict[str, Path]:
    """Condition -> file or folder; the empty condition is the original.

    Raises:
        ConfigError: for an unknown parameter
        ModelError: if something is missing
    """
    for name in entry.params:
        if name not in PARAMS:
            raise unknown("parameter", name, PARAMS, place(entry, "params"))
    if entry.params.get("missing", "silent") != "silent":
        raise ConfigError(f"{place(entry, 'params.missing')}: can only be 'silent'")
    conditions = entry.params.get("conditions", {})
    if not isinstance(conditions, Mapping):
        raise ConfigError(f"{place(entry, 'params.conditions')}: expected condition: path")
    if not entry.path:
        raise ConfigError(f"{place(entry, 'path')}: missing; events or scores are needed")
    paths = {}
    for condition, text in {"": entry.path, **conditions}.items():
        path = entry.resolve(str(text))
        if not path.exists():
            raise ModelError(f"{place(entry)}: no such file or folder: {text}")
        paths["" if condition == ORIGINAL else str(condition)] = path
    return paths


def content(entry: spec.Model, cache: Path | None) -> list[Any]:
    """Hashes of all files."""
    parts = []
    for condition, path in paths_of(entry).items():
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            digest = notes.content_digest(file, cache, place(entry, "path"))
            parts.append([condition, file.relative_to(path.parent).as_posix(), digest])
    return parts


class EventFiles:
    """Looks events or frame scores up by the name of the recording.

    Args:
        entry: catalog entry with one target in ``outputs``
        targets: all targets of the suite
    """

    needs_audio = False
    batch_size = 65536
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, entry: spec.Model, targets: Mapping[str, spec.Target]):
        ((name, output),) = entry.outputs.items()
        self.targets: tuple[str, ...] = (name,)
        self.sampling_rate = entry.sampling_rate
        self._target, self._output = targets[name], output
        self._silent = "missing" in entry.params
        try:
            self._tables = {
                condition: self._read(entry, path) for condition, path in paths_of(entry).items()
            }
        except ModelError:
            raise
        except BenchmarkError as error:
            raise ModelError(f"{place(entry, 'path')}: {error}") from None

    def _read(self, entry: spec.Model, path: Path) -> dict[str, dict[str, Any]]:
        """Recording -> raw prediction."""
        if _holds_scores(path, [*self._target.labels, *self._output.mapping]):
            return self._scores(entry, path)
        return self._events(path)

    def _scores(self, entry: spec.Model, path: Path) -> dict[str, dict[str, Any]]:
        from ..samples import event_lists

        labels = self._output.labels or (self._target.labels if path.suffix == ".npy" else None)
        assert self._target.detection is not None
        hop = self._output.hop_s or self._target.detection.hop_s
        named = event_lists.read_scores(path, labels=labels, hop=hop)
        groups = positions(self._target.labels, named.labels, self._output.mapping)
        if groups is None:
            where = place(entry, f"outputs.{self._target.id}")
            raise missing_labels(self._target, named.labels, self._output.mapping, where)
        recordings, scores = {}, named.scores
        for number, (file, first, frames) in enumerate(
            zip(named.files, scores.first, scores.frames, strict=True)
        ):
            values = reordered(scores.values[first : first + frames], groups)
            times = scores.times[first + number : first + number + frames + 1]
            recordings[file] = {"scores": values, "times": times}
        return recordings

    def _events(self, path: Path) -> dict[str, dict[str, Any]]:
        from ..samples import event_lists

        table = event_lists.read_events(path)
        recordings: dict[str, dict[str, Any]] = {}
        for number, (file, onset, offset, label) in enumerate(table.rows()):
            if file is None:
                raise ModelError(f"{table.place(number)}: names no recording")
            rows = recordings.setdefault(file, {"events": []})["events"]
            if onset is None or offset is None or math.isnan(onset):
                continue
            label = self._output.mapping.get(str(label), label)
            if label is None:
                continue  # an event of a class that is not asked for
            if label not in self._target.labels:
                where = table.place(number)
                raise ModelError(
                    f"{unknown('label', str(label), self._target.labels, where)}. The entry of the "
                    f"model can map it or leave its events out: 'mapping: {{{label}: null}}'"
                )
            rows.append((onset, offset, label))
        return recordings

    def predict(self, batch: Batch) -> dict[str, Any]:
        """Events or scores of all recordings of a batch."""
        predictions: list[Any] = []
        used: dict[tuple[str, str], str] = {}
        for key in batch.keys:
            condition = "" if key.condition == ORIGINAL else key.condition
            if condition not in self._tables:
                names = ", ".join(name or ORIGINAL for name in self._tables)
                raise ModelError(
                    f"has no predictions for condition '{condition or ORIGINAL}'; it has: {names}"
                )
            name = self._name(key, self._tables[condition])
            if name is None:
                if not self._silent:
                    raise ModelError(
                        f"names no recording '{key.file}'; one without events needs a row with its"
                        " name alone, or 'params: {missing: silent}'"
                    )
                predictions.append({"events": []})
                continue
            if used.setdefault((condition, name), key.file) != key.file:
                raise ModelError(
                    f"'{name}' is ambiguous: '{used[condition, name]}' or '{key.file}'; write the whole path"
                )
            predictions.append(self._tables[condition][name])
        answer = np.empty(len(predictions), dtype=object)
        answer[:] = predictions
        return {self._target.id: answer}

    @staticmethod
    def _name(key: SampleKey, table: Mapping[str, Any]) -> str | None:
        """Name under which a recording stands there: whole, without extension or folder."""
        path = PurePosixPath(key.file)
        names = (key.file, str(path.with_suffix("")), path.name, path.stem)
        return next((name for name in names if name in table), None)


def _holds_scores(path: Path, labels: list[str]) -> bool:
    """Whether a file, or the first one of a folder, has a column of scores for a label."""
    from ..samples.event_lists.text_lists import split_lines

    if path.is_dir():
        extensions = (*TEXT, *SCORES, ".parquet")
        first = next((p for p in sorted(path.iterdir()) if p.suffix.lower() in extensions), None)
        return first is not None and _holds_scores(first, labels)
    if path.suffix.lower() in SCORES:
        return True
    if path.suffix.lower() == ".parquet":
        try:
            names = parquet.names(path)
        except (OSError, ValueError) as error:
            raise ModelError(f"{path.name} cannot be read: {error}") from None
    else:
        lines = split_lines(path) if path.suffix.lower() in TEXT else []
        names = list(lines[0].fields) if lines else []
    return bool({str(name).strip() for name in names} & set(labels))
