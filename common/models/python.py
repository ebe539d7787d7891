"""Adapter for models in Python: ``entry: "module:factory"``.

The module lies in the folder of the catalog file or is installed. ``factory(**params)``
(with ``path=`` as well if the entry has a path) returns an object::

    class Mine:
        targets = ("arousal", "emotion")                  # or 'outputs' in the entry
        labels = {"emotion": ["sadness", "anger", ...]}   # order of the score columns
        batch_size = 8                                    # default 1
        parameters = 94_371_712                           # how many it has, if pages are to show it

        def predict(self, signals, sampling_rate):
            # signals: float32 arrays of shape (channels, samples), of any length
            return {"arousal": [...], "emotion": [[...], ...]}

A function ``predict(signals, sampling_rate)`` alone does as well. The answer holds, for each
target, one number per signal (regression), or one row of scores or one class name per signal
(classification); for sound events one matrix of scores (frames, labels) per signal, or one list
of (onset in s, offset in s, label), or a dictionary with ``scores`` (and ``times``, the frames + 1
borders in s, if frames are not as long as the target says) and ``events``. The object lives in a process of its own and
gets one call after the other; see :mod:`common.models.isolated`.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import paths
from ..core.errors import ConfigError, ModelError
from ..core.provenance import digest
from ..core.registry import unknown
from . import factories, isolated, notes, sources
from .base import Batch, LoadOptions, code_of_adapter, foreign, permit, place
from .footprint import Footprint, size_of
from .outputs import wanted
from .reading import reader

#: it runs in a process of its own, and gets one call after the other
ISOLATED = SERIAL = True
#: it runs what an entry names
code = code_of_adapter


def content(entry: spec.Model, cache: Path | None) -> list[Any]:
    """Hashes of the code, of ``path`` and of files that parameters name."""
    where = place(entry, "entry")
    module, _ = _split(entry)
    parts: list[Any] = [sources.digest(module, entry.origin.parent, where)]
    for field, path in _files(entry):
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            name = file.relative_to(path).as_posix()
            parts.append([field, name, notes.content_digest(file, cache, place(entry, field))])
    return parts


def _files(entry: spec.Model) -> list[tuple[str, Path]]:
    """Field -> file or folder that it names; parameters count if they name a file."""
    files = []
    if entry.path:
        path = entry.resolve(entry.path)
        if not path.exists():
            raise ModelError(f"{place(entry, 'path')}: no such file or folder: {entry.path}")
        files.append(("path", path))
    for name, value in entry.params.items():
        if isinstance(value, str) and value and "\0" not in value and len(value) < 1000:
            path = entry.resolve(value)
            if path.is_file():
                files.append((f"params.{name}", path))
    return files


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``; else those of the object, which is made once to ask."""
    if entry.outputs:
        return tuple(wanted(entry, targets))
    key = "object-" + digest([entry.entry, dict(entry.params), content(entry, cache)])
    stated = notes.recall(cache, key)
    if stated is None:
        stated = isolated.once(stated_targets, entry)
        notes.keep(cache, key, stated)
    return _offered(entry, targets, stated)


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> PythonModel:
    """Import the module and make the object."""
    instance = _create(entry)
    with foreign(f"{place(entry)}: the object"):
        model = PythonModel(entry, targets, instance)
        notes.keep(options.cache, _weights_key(entry, options.cache), _weights(instance))
    return model


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """What the object says of its ``parameters``, and the size of ``path`` and named files."""
    files = [
        file
        for _, path in _files(entry)
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.is_file()
    ]
    size = size_of(files, place(entry, "path")) if files else None
    if entry.parameters is not None:
        return Footprint(None, size)
    weights = notes.recall(cache, _weights_key(entry, cache))
    if weights is None:
        weights = isolated.once(stated_weights, entry)
        notes.keep(cache, _weights_key(entry, cache), weights)
    return Footprint(weights or None, size)


def stated_targets(entry: spec.Model) -> list[str]:
    """Targets that the object of an entry says it has.

    Raises:
        ModelError: if it cannot be made, or does not say so
    """
    instance = _create(entry)
    with foreign(f"{place(entry)}: the object"):
        return _stated(entry, instance)


def stated_weights(entry: spec.Model) -> int:
    """Number of parameters that the object of an entry says it has; 0: none.

    Raises:
        ModelError: if it cannot be made
    """
    return _weights(_create(entry))


def _weights_key(entry: spec.Model, cache: Path | None) -> str:
    return "weights-" + digest([entry.entry, dict(entry.params), content(entry, cache)])


def _weights(instance: Any) -> int:
    """The number that an object says it has; 0: none, or something else under that name."""
    stated = getattr(instance, "parameters", None)
    return stated if type(stated) is int and stated > 0 else 0


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look for the factory in the source of its module; nothing of it is run."""
    module, factory = _split(entry)
    where = place(entry, "entry")
    source = sources.find(module, entry.origin.parent.resolve(), where)
    factories.check(source, factory, _arguments(entry), where)


def _arguments(entry: spec.Model) -> dict[str, Any]:
    """What the factory gets."""
    params = dict(entry.params)
    if entry.path:
        if "path" in params:
            raise ConfigError(f"{place(entry)}: has both 'path' and 'params.path'")
        params["path"] = str(entry.resolve(entry.path))
    return params


def _split(entry: spec.Model) -> tuple[str, str]:
    module, _, factory = entry.entry.partition(":")
    names = [*module.split("."), factory]
    if not all(name.isidentifier() for name in names):
        raise ConfigError(
            f"{place(entry, 'entry')}: expected \"module:factory\", found '{entry.entry}'"
        )
    return paths.imported(module) if entry.builtin else module, factory


def _create(entry: spec.Model) -> Any:
    permit(entry, code(entry))
    name, factory = _split(entry)
    where = place(entry, "entry")
    folder = entry.origin.parent.resolve()
    source = sources.find(name, folder, where)
    params = _arguments(entry)
    with foreign(f"{where}: '{entry.entry}'"), sources.importable(folder):
        importlib.invalidate_caches()
        module = importlib.import_module(name)
        loaded = Path(module.__file__ or "").resolve()
        if loaded != source.resolve():
            raise ModelError(
                f"{where}: a module '{name}' of another folder is loaded already; "
                f"rename {source.name}"
            )
        if not hasattr(module, factory):
            names = [n for n in vars(module) if not n.startswith("_")]
            raise ModelError(str(unknown(f"name in module '{name}':", factory, names, where)))
        return getattr(module, factory)(**params)


def _stated(entry: spec.Model, instance: Any) -> list[str]:
    """Targets that an object says it has."""
    stated = getattr(instance, "targets", None)
    if not isinstance(stated, (list, tuple, set, frozenset)) or not stated:
        raise ModelError(
            f"{place(entry)}: does not say what it predicts; give the object a list 'targets', "
            "or the entry 'outputs: {target: {}}'"
        )
    return sorted(map(str, stated))


def _offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], stated: Sequence[str]
) -> tuple[str, ...]:
    """Stated targets that the suite knows; a model may have more."""
    names = tuple(name for name in wanted(entry, targets) if name in stated)
    if not names:
        raise ModelError(
            f"{place(entry)}: none of its targets {', '.join(stated)} is in the suite: "
            f"{', '.join(targets)}"
        )
    return names


class PythonModel:
    """A model in Python; its calls are made one after the other.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        instance: what the factory returned
    """

    needs_audio = True
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(self, entry: spec.Model, targets: Mapping[str, spec.Target], instance: Any):
        predict = getattr(instance, "predict", instance)
        if not callable(predict):
            raise ModelError(
                f"{place(entry, 'entry')}: expected an object with 'predict' or a function, "
                f"found {type(instance).__name__}"
            )
        self._predict = predict
        self._folder = entry.origin.parent.resolve()
        self._lock = threading.Lock()
        self.sampling_rate = entry.sampling_rate
        self.batch_size = _batch_size(entry, instance)
        if entry.outputs:
            self.targets = tuple(wanted(entry, targets))
        else:
            self.targets = _offered(entry, targets, _stated(entry, instance))
        self._readers = [reader(entry, targets[name], instance) for name in self.targets]

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One call of the model."""
        with self._lock, sources.importable(self._folder):
            answer = self._predict([s.copy() for s in batch.signals], batch.sampling_rate)
        if not isinstance(answer, Mapping):
            raise ModelError(
                f"expected a dictionary target -> values, found {type(answer).__name__}"
            )
        values = {}
        for each in self._readers:
            if each.node not in answer:
                names = ", ".join(map(str, answer)) or "nothing"
                raise ModelError(f"no values for '{each.node}', found: {names}")
            values[each.target.id] = each.read(answer[each.node], len(batch))
        return values


def _batch_size(entry: spec.Model, instance: Any) -> int:
    size = entry.batch_size or getattr(instance, "batch_size", None) or 1
    if not isinstance(size, int) or size < 1:
        raise ModelError(f"{place(entry)}: expected a batch_size of at least 1, found {size!r}")
    return size
