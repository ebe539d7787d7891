"""Adapter for pipelines of scikit-learn in a ``.skops`` file.

The pipeline takes the features that the entry declares (``frontend``; frames are laid one after the other), or
the signals themselves, one row each. Scores are those of ``predict_proba``, else of ``decision_function``, else 1
for the class of ``predict``; their labels are ``classes_``. A file holds no code, but names types: other than
those that skops trusts must stand in ``params: {trusted: [...]}``. As some types run whatever a file says
(``functools.partial``), a list of them is code, which must be allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from . import declared, features, isolated, notes, synonyms
from .base import Batch, LoadOptions, foreign, permit, place
from .footprint import Footprint, size_of
from .outputs import Node, OutputPlace, wanted
from .torch_runtime import runtime

SCHEMA = "schema.json"
PARAMS = ("trusted",)
#: attributes of linear models and of networks that hold what was fitted
COEFFICIENTS = (("coef_", "intercept_"), ("coefs_", "intercepts_"))

#: it runs in a process of its own
ISOLATED = True


def content(entry: spec.Model, cache: Path | None) -> str:
    """Hash of the file."""
    return notes.content_digest(declared.file(entry, ".skops"), cache, place(entry, "path"))


def code(entry: spec.Model) -> str:
    """Types that the entry trusts."""
    names = entry.params.get("trusted")
    return f"{place(entry, 'params.trusted')}: types may run any code" if names else ""


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``."""
    declared.check_outputs(entry)
    return tuple(wanted(entry, targets))


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look whether the file is one of skops, without it."""
    _trusted(entry)
    offered(entry, targets, None)
    path, where = declared.file(entry, ".skops"), place(entry, "path")
    if SCHEMA not in declared.archive(path, where, "skops file"):
        raise ModelError(f"{where}: '{path.name}' is no skops file but another archive")


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> PipelineModel:
    """Load the pipeline, with trusted types only."""
    check(entry, targets)
    skops_io, _ = runtime(entry, ("skops.io", "sklearn"))
    pipeline = _pipeline(entry, skops_io)
    notes.keep(options.cache, _key(entry, options.cache), _weights(pipeline))
    labels = tuple(str(label) for label in getattr(pipeline, "classes_", ()))
    translated, news = synonyms.translated(entry, targets, labels)
    synonyms.tell(entry, news)
    nodes = (Node(declared.ONLY, labels, len(labels)),) if labels else ()
    return PipelineModel(entry, declared.places(translated, targets, nodes), pipeline, labels)


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """Coefficients of linear models and networks, and the size of the file.

    Of other estimators (trees, neighbours, kernels) scikit-learn has no such number.
    """
    size = size_of([declared.file(entry, ".skops")], place(entry, "path"))
    if entry.parameters is not None:
        return Footprint(None, size)
    weights = notes.recall(cache, _key(entry, cache))
    if weights is None:
        weights = isolated.once(counted_weights, entry)
        notes.keep(cache, _key(entry, cache), weights)
    return Footprint(weights or None, size)


def counted_weights(entry: spec.Model) -> int:
    """Number of coefficients; 0: none.

    Raises:
        MissingDependency: if skops is not installed
        ModelError: if the file cannot be read
    """
    skops_io, _ = runtime(entry, ("skops.io", "sklearn"))
    return _weights(_pipeline(entry, skops_io))


def _key(entry: spec.Model, cache: Path | None) -> str:
    return f"weights-{content(entry, cache)}"


def _weights(pipeline: Any) -> int:
    """Number of the coefficients of the last step and of its intercepts; 0 if it has none."""
    steps = getattr(pipeline, "steps", None)
    estimator = steps[-1][1] if steps else pipeline
    arrays: list[Any] = []
    for coefficients, intercepts in COEFFICIENTS:
        for name in (coefficients, intercepts) if hasattr(estimator, coefficients) else ():
            value = getattr(estimator, name, ())
            arrays += value if isinstance(value, list | tuple) else [value]
    return sum(map(np.size, arrays))


def _pipeline(entry: spec.Model, skops_io: Any) -> Any:
    """What the file holds, if all its types are trusted."""
    permit(entry, code(entry))
    path, where = declared.file(entry, ".skops"), place(entry, "path")
    with foreign(f"{where}: '{path.name}'"):
        strange = sorted(set(skops_io.get_untrusted_types(file=path)) - set(_trusted(entry)))
        if strange:
            raise ModelError(
                f"{where}: '{path.name}' holds types that are not trusted: {', '.join(strange)}. "
                f"If you trust them: 'params: {{trusted: [{', '.join(strange)}]}}'"
            )
        return skops_io.load(path, trusted=list(_trusted(entry)))


def _trusted(entry: spec.Model) -> tuple[str, ...]:
    for name in entry.params:
        if name not in PARAMS:
            raise unknown("parameter", name, PARAMS, place(entry, "params"))
    names = entry.params.get("trusted", [])
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{place(entry, 'params.trusted')}: expected a list of types")
    return tuple(names)


class PipelineModel:
    """A pipeline of scikit-learn.

    Args:
        entry: catalog entry
        choices: where the values of the targets are
        pipeline: what the file holds
        labels: its classes; empty: it gives numbers
    """

    needs_audio = True
    group_size = 1
    fingerprint = ""

    def __init__(
        self,
        entry: spec.Model,
        choices: Sequence[OutputPlace],
        pipeline: Any,
        labels: tuple[str, ...],
    ):
        self.targets = tuple(choice.target.id for choice in choices)
        self.sampling_rate = entry.sampling_rate
        self.batch_size = entry.batch_size or 1
        self.equal_length = entry.frontend is None or not entry.frontend.one_size
        self._choices, self._pipeline, self._labels = choices, pipeline, labels
        self._front_end = entry.frontend

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One call of the pipeline for all targets."""
        if self._front_end is None:
            rows = np.stack([signal[0] for signal in batch.signals])
        else:
            array = features.model_input(self._front_end, batch.signals, batch.sampling_rate)
            rows = array.reshape(len(batch), -1)
        values = self._scores(rows) if self._labels else np.asarray(self._pipeline.predict(rows))
        return {choice.target.id: choice.read(values, len(batch)) for choice in self._choices}

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        if hasattr(self._pipeline, "predict_proba"):
            return np.asarray(self._pipeline.predict_proba(rows))
        if hasattr(self._pipeline, "decision_function"):
            scores = np.asarray(self._pipeline.decision_function(rows))
            return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
        names = [str(name) for name in self._pipeline.predict(rows)]
        return np.array([[float(name == label) for label in self._labels] for name in names])
