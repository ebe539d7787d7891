"""What models return in Python or JSON, for each signal of a call, becomes arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ModelError
from ..spec import kinds
from .base import place, unmasked
from .labels import check_scored, missing_labels, one_hot, positions
from .outputs import OutputPlace


@dataclass(frozen=True)
class ValueReader:
    """Turns what a model gives for a target into numbers.

    Args:
        target: the target
        node: key of its values in an answer
        labels: names of scores in their order; empty: only names of classes can be read
        mapping: label of the model -> label of the suite, or None: no class
        scale: range of the model's values
    """

    target: spec.Target
    node: str
    labels: tuple[str, ...]
    mapping: Mapping[str, str | None]
    scale: tuple[float, float] | None

    def read(self, values: Any, n: int) -> np.ndarray:
        """Values of a target for N signals, as :meth:`common.models.base.LoadedModel.predict`.

        Raises:
            ModelError: if they are something else; truth values, which numpy would take for 0 and 1, are
        """
        refuse_truth_values(values, self.target)
        if kinds.of(self.target).is_ragged:
            return self._events(values, n)
        array = np.asarray(unmasked(values))
        if kinds.of(self.target).is_number:
            return OutputPlace(self.target, self.node, ((0,),), 1, self.scale).read(array, n)
        if array.dtype.kind in "OUST":
            return one_hot(self.target, array, n, self.mapping)
        return OutputPlace(self.target, self.node, self._groups(), len(self.labels)).read(array, n)

    def labelled(self, labels: Sequence[str]) -> ValueReader:
        """The same with other names of scores; raises ModelError if they do not hold all classes."""
        if positions(self.target.labels, labels, self.mapping) is None:
            raise missing_labels(self.target, labels, self.mapping, f"target '{self.target.id}'")
        return replace(self, labels=tuple(labels))

    def _groups(self) -> tuple[tuple[int, ...], ...]:
        if kinds.of(self.target).has_classes:
            check_scored(self.mapping, f"outputs.{self.target.id}.mapping")
        groups = positions(self.target.labels, self.labels, self.mapping)
        if groups is None:
            raise ModelError(
                f"target '{self.target.id}': scores without names; give the object "
                f"'labels = {{\"{self.target.id}\": [...]}}', or the entry "
                f"'outputs: {{{self.target.id}: {{labels: [...]}}}}'"
            )
        return groups

    def _events(self, values: Any, n: int) -> np.ndarray:
        """One matrix of scores, list of events or dictionary of them per signal."""
        if not isinstance(values, Sequence | np.ndarray) or len(values) != n:
            count = len(values) if isinstance(values, Sequence | np.ndarray) else "none"
            raise ModelError(f"target '{self.target.id}': expected {n} predictions, found {count}")
        answer = np.empty(n, dtype=object)
        for number, item in enumerate(values):
            parts = dict(item) if isinstance(item, Mapping) else {}
            if not parts:
                is_matrix = isinstance(item, np.ndarray) and item.ndim == 2
                parts = {"scores" if is_matrix else "events": item}
            if "scores" in parts:
                scores = np.asarray(unmasked(parts["scores"]))
                choice = OutputPlace(self.target, self.node, self._groups(), len(self.labels))
                parts["scores"] = choice.read(scores, 1)[0]
            if "events" in parts and self.mapping:
                rows = [tuple(row) for row in parts["events"]]
                named = [(*row[:2], self.mapping.get(row[2], row[2])) for row in rows]
                parts["events"] = [row for row in named if row[2] is not None]
            answer[number] = parts
        return answer


def refuse_truth_values(values: Any, target: spec.Target, label: str = "") -> None:
    """Refuse values that are true or false: numpy would take them for 1 and 0.

    Args:
        values: a value, or arrays, lists and mappings of values in each other
        target: what is predicted
        label: whose score it is; empty: not of one class

    Raises:
        ModelError: if there is one, with what is allowed
    """
    value = next(_truth_values(values), None)
    if value is not None:
        allowed = (
            "a number" if kinds.of(target).is_number or label else "names of classes or scores"
        )
        allowed = "events or scores" if kinds.of(target).is_ragged else allowed
        of = f", score of '{label}'" if label else ""
        raise ModelError(
            f"target '{target.id}'{of}: expected {allowed}, found the truth value {value}"
        )


def _truth_values(values: Any) -> Iterator[bool]:
    """Values that are true or false, however deep they lie."""
    if isinstance(values, bool | np.bool_):
        yield bool(values)
    elif isinstance(values, np.ndarray):
        if values.dtype.kind in "bO":
            yield from chain.from_iterable(map(_truth_values, values.flat))
    elif isinstance(values, Mapping):
        yield from chain.from_iterable(map(_truth_values, values.values()))
    elif isinstance(values, list | tuple):
        yield from chain.from_iterable(map(_truth_values, values))


def reader(entry: spec.Model, target: spec.Target, instance: Any = None) -> ValueReader:
    """How the values of a target are read.

    Args:
        entry: catalog entry
        target: the target
        instance: the model, whose ``labels`` name scores that the entry does not name

    Raises:
        ModelError: if labels stand twice, or do not hold all classes
    """
    output = entry.outputs.get(target.id, spec.Output())
    stated = getattr(instance, "labels", None)
    target_labels = stated.get(target.id, ()) if isinstance(stated, Mapping) else ()
    labels = output.labels or tuple(map(str, target_labels))
    if not kinds.of(target).is_number and labels:
        where = place(entry, f"labels of '{target.id}'")
        if len(set(labels)) < len(labels):
            raise ModelError(f"{where}: a label appears twice: {', '.join(labels)}")
        if positions(target.labels, labels, output.mapping) is None:
            raise missing_labels(target, labels, output.mapping, where)
    return ValueReader(target, output.node or target.id, labels, output.mapping, output.scale)
