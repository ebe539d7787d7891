"""Which values of a model belong to which target: always by name, never by position alone.

A model has nodes (output nodes of a graph, keys of a dictionary, columns of a table); the
values of a node have labels. A regression target is the value with its name, or a node with
its name and one value. A classification target is a node whose labels hold all its classes;
labels outside the classes take no part in the decision.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from ..core.wording import counted
from ..spec import kinds
from .base import place, unmasked
from .labels import check_scored, missing_labels, positions, rescale

logger = logging.getLogger(__name__)

#: node that is looked at first when a model has several
PREFERRED = "logits"


@dataclass(frozen=True)
class Node:
    """Values that a model gives together.

    Args:
        name: name of the node
        labels: names of its values in its order; empty: they have none
        width: number of values; None: not known before the first call
        classes: names of the values in a label encoder beside the model, used for
            classification if ``labels`` do not fit
    """

    name: str
    labels: tuple[str, ...] = ()
    width: int | None = None
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OutputPlace:
    """Where the values of a target are.

    Args:
        target: the target
        node: name of the node
        columns: one group of positions for a regression target, one per class for a
            classification target; the largest value of a group counts
        width: number of values of the node
        scale: range of the model's values that is mapped to the range of the target
    """

    target: spec.Target
    node: str
    columns: tuple[tuple[int, ...], ...]
    width: int
    scale: tuple[float, float] | None = None

    def read(self, values: np.ndarray, n: int) -> np.ndarray:
        """Values of the target.

        Args:
            values: values of the node, shape (N, width); also (N,) if width is 1,
                and (width,) if N is 1
            n: number of samples N

        Returns:
            shape (N,) for regression, (N, number of classes) for classification; float64

        Raises:
            ModelError: if the shape is another one
        """
        array = np.asarray(unmasked(values))
        if kinds.of(self.target).is_ragged:
            return self._frames(array, n)
        if array.ndim == 1 and array.size == n * self.width and 1 in (n, self.width):
            array = array.reshape(n, self.width)
        if array.shape != (n, self.width):
            raise ModelError(
                f"target '{self.target.id}': output '{self.node}' has the shape {array.shape}, "
                f"expected ({n}, {self.width})"
            )
        try:
            # truth values, complex numbers, which would lose a part, and texts are none
            if array.dtype.kind not in "iufO":
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            first = array.flat[0]
            first = first.item() if isinstance(first, np.generic) else first
            raise ModelError(
                f"target '{self.target.id}': expected numbers, found {first!r:.60}"
            ) from None
        if kinds.of(self.target).is_number:
            return rescale(array[:, self.columns[0][0]], self.scale, self.target)
        return reordered(array, self.columns)

    def _frames(self, array: np.ndarray, n: int) -> np.ndarray:
        """Scores of frames, a matrix (frames, classes) for each sample."""
        if array.ndim == 2 and n == 1:
            array = array[None]
        if array.ndim != 3 or len(array) != n or array.shape[2] != self.width:
            raise ModelError(
                f"target '{self.target.id}': output '{self.node}' has the shape {array.shape}, "
                f"expected ({n}, frames, {self.width})"
            )
        matrices = np.empty(n, dtype=object)
        matrices[:] = [reordered(matrix, self.columns) for matrix in array]
        return matrices


def reordered(scores: np.ndarray, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """Scores with one column per class: the largest of those that are mapped to it.

    Args:
        scores: shape (N, values of the model)
        groups: positions of the values of each class
    """
    return np.stack([scores[:, list(group)].max(axis=1) for group in groups], axis=1)


def wanted(
    entry: spec.Model, targets: Mapping[str, spec.Target]
) -> dict[str, tuple[spec.Target, spec.Output]]:
    """Targets that an entry may offer: those of its ``outputs``, else all.

    Raises:
        ConfigError: if ``outputs`` names a target or class that does not exist
    """
    for name, output in entry.outputs.items():
        where = place(entry, f"outputs.{name}")
        if name not in targets:
            raise unknown("target", name, targets, place(entry, "outputs"))
        _check(output, targets[name], where)
    return {
        target.id: (target, entry.outputs.get(target.id, spec.Output()))
        for target in targets.values()
        if not entry.outputs or target.id in entry.outputs
    }


def _check(output: spec.Output, target: spec.Target, where: str) -> None:
    if output.scale is not None and not kinds.of(target).is_number:
        raise ConfigError(f"{where}.scale: only a regression target has a scale")
    if output.scale is not None and not output.scale[0] < output.scale[1]:
        raise ConfigError(f"{where}.scale: expected [low, high], found {list(output.scale)}")
    names = kinds.of(target).names(target)
    timed = {"hop_s": output.hop_s, "threshold": output.threshold, "median_s": output.median_s}
    settings = [name for name, value in timed.items() if value is not None]
    if settings and not kinds.of(target).is_ragged:
        raise ConfigError(f"{where}.{settings[0]}: only sound events have it")
    for name in ("threshold", "median_s"):
        rule = timed[name]
        if isinstance(rule, Mapping) and set(rule) != set(target.labels):
            wrong = min(set(rule) ^ set(target.labels))
            raise ConfigError(
                f"{where}.{name}: needs one number for each label; missing or unknown: {wrong}"
            )
    for name, label in output.mapping.items():
        if label is None and kinds.of(target).is_number:
            raise ConfigError(f"{where}.mapping.{name}: null is for classes and sound events")
        if label is not None and label not in names:
            raise unknown("label", label, names, f"{where}.mapping")


def choose(
    entry: spec.Model,
    targets: Mapping[str, spec.Target],
    nodes: Sequence[Node],
    *,
    warn: bool = False,
) -> tuple[OutputPlace, ...]:
    """Find the values of every target that a model offers, in the order of ``targets``.

    With ``outputs`` in the entry exactly those targets are offered; without, all that the
    names in the model allow; ``warn`` tells of targets that nearly are.

    Raises:
        ConfigError: if ``outputs`` of the entry names something that does not exist
        ModelError: if a declared target is not in the model, or the model offers none
    """
    choices = []
    for target, output in wanted(entry, targets).values():
        if kinds.of(target).is_ragged and not entry.outputs:
            continue  # that scores belong to frames cannot be told from their names
        candidates = _candidates(entry, target, output, nodes)
        choice = next(filter(None, (_match(target, output, n, entry) for n in candidates)), None)
        if choice is not None:
            _check_mapping(entry, output, choice, candidates)
            choices.append(choice)
        elif entry.outputs:
            _refuse(entry, target, output, candidates)
        elif warn:
            _warn(entry, target, candidates)
    if not choices:
        raise ModelError(
            f"{place(entry)}: none of the targets {', '.join(targets)} is among its outputs: "
            f"{_shown(nodes)}. Say with 'outputs' where they are"
        )
    return tuple(choices)


def _check_mapping(
    entry: spec.Model, output: spec.Output, choice: OutputPlace, candidates: Sequence[Node]
) -> None:
    """Find labels on the left of ``mapping`` that the model does not have."""
    node = next(node for node in candidates if node.name == choice.node)
    labels = [node.name, *node.labels, *node.classes]
    for label in output.mapping:
        if label not in labels:
            where = place(entry, f"outputs.{choice.target.id}.mapping")
            raise ModelError(str(unknown("label of the model", label, labels, where)))


def _candidates(
    entry: spec.Model, target: spec.Target, output: spec.Output, nodes: Sequence[Node]
) -> list[Node]:
    where = place(entry, f"outputs.{target.id}")
    ordered = sorted(nodes, key=lambda node: node.name != PREFERRED)
    if output.node:
        ordered = [node for node in nodes if node.name == output.node]
        if not ordered:
            names = [node.name for node in nodes]
            raise ModelError(str(unknown("node", output.node, names, where)))
    if not output.labels:
        return ordered
    if len(set(output.labels)) < len(output.labels):
        raise ConfigError(f"{where}.labels: a label appears twice: {', '.join(output.labels)}")
    fitting = [node for node in ordered if node.width in (None, len(output.labels))]
    if not fitting:
        raise ModelError(
            f"{where}.labels: {counted(len(output.labels), 'label')}, but the model has "
            + ", ".join(f"{counted(node.width or 0, 'value')} in '{node.name}'" for node in ordered)
        )
    if len(fitting) > 1 and fitting[0].name != PREFERRED:
        which = ", ".join(node.name for node in fitting)
        raise ModelError(f"{where}: say with 'node' to which of these the labels belong: {which}")
    return [Node(fitting[0].name, output.labels, len(output.labels))]


def _match(
    target: spec.Target, output: spec.Output, node: Node, entry: spec.Model
) -> OutputPlace | None:
    if kinds.of(target).is_number:
        if node.labels:
            groups = positions((target.id,), node.labels, output.mapping)
            if groups and len(groups[0]) > 1:
                where = place(entry, f"outputs.{target.id}.mapping")
                raise ConfigError(f"{where}: two values of '{node.name}' are mapped to the target")
            if groups:
                return OutputPlace(target, node.name, groups, len(node.labels), output.scale)
        named = target.id in (node.name, output.mapping.get(node.name)) or output.node == node.name
        if named and node.width in (None, 1) and len(node.labels) <= 1:
            return OutputPlace(target, node.name, ((0,),), 1, output.scale)
        return None
    for labels in (node.labels, node.classes):
        groups = positions(target.labels, labels, output.mapping)
        if groups:
            if kinds.of(target).has_classes:
                check_scored(output.mapping, place(entry, f"outputs.{target.id}.mapping"))
            return OutputPlace(target, node.name, groups, len(labels))
    return None


def _refuse(
    entry: spec.Model, target: spec.Target, output: spec.Output, candidates: Sequence[Node]
) -> None:
    where = place(entry, f"outputs.{target.id}")
    labelled = [node for node in candidates if node.labels]
    if len(labelled) == 1:
        raise missing_labels(target, labelled[0].labels, output.mapping, where)
    raise ModelError(
        f"{where}: not among the outputs of the model: {_shown(candidates)}. "
        "Name the values with 'labels'"
    )


def _warn(entry: spec.Model, target: spec.Target, candidates: Sequence[Node]) -> None:
    """Say that a model seems to be meant for a target but lacks some of its classes."""
    for node in candidates:
        labels = set(target.labels) & set(node.labels)
        if len(labels) > 1:
            where = place(entry, f"'{node.name}' is not used for target '{target.id}'")
            logger.warning("%s", missing_labels(target, node.labels, {}, where))


def _shown(nodes: Sequence[Node]) -> str:
    texts = []
    for node in nodes:
        unnamed = "? unnamed" if node.width is None else f"{node.width} unnamed"
        texts.append(f"{node.name} ({', '.join(node.labels) or unnamed})")
    return "; ".join(texts) or "none"
