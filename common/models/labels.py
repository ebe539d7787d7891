"""Labels of models and labels of the suite, scales of models and ranges of targets."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from ..spec import kinds
from ..spec.kinds.classification import NO_SCORE

#: from which likeness on a label is offered for a name, and letters of a beginning that says enough
LEAST_ALIKE, SHORTEST = 0.55, 3


def positions(
    names: Sequence[str], labels: Sequence[str], mapping: Mapping[str, str | None]
) -> tuple[tuple[int, ...], ...] | None:
    """Positions of each name among mapped labels; None if a name is not there.

    >>> positions(["sad", "happy"], ["joy", "sad", "excited"], {"joy": "happy", "excited": "happy"})
    ((1,), (0, 2))
    """
    mapped = [mapping.get(label, label) for label in labels]
    groups = tuple(tuple(n for n, label in enumerate(mapped) if label == name) for name in names)
    return groups if all(groups) else None


def missing_labels(
    target: spec.Target, labels: Sequence[str], mapping: Mapping[str, str | None], where: str
) -> ModelError:
    """Error for labels that do not hold all classes of a target; offers what is near."""
    mapped = {mapping.get(label, label) for label in labels}
    needed = kinds.of(target).names(target)
    absent = [name for name in needed if name not in mapped]
    others = [label for label in labels if label not in needed]
    near = {name: _near(name, others) for name in absent}
    pairs = {label: name for name, label in near.items() if label}
    hint = ", ".join(f"{model}: {name}" for model, name in pairs.items())
    hint = f". Perhaps 'mapping: {{{hint}}}'" if hint else ""
    return ModelError(
        f"{where}: missing {', '.join(absent)}; the model has: {', '.join(labels) or 'no labels'}"
        + hint
    )


def _near(name: str, labels: Sequence[str]) -> str:
    """Label that may well be another spelling or a beginning of a name; empty if there is none.

    >>> _near("happiness", ["harp", "Hap"]), _near("anger", ["fear", "male"])
    ('Hap', '')
    """
    ranked = [(_alikeness(label.lower(), name.lower()), label) for label in labels]
    likeness, label = max(ranked, default=(0.0, ""))
    return label if likeness >= LEAST_ALIKE else ""


def _alikeness(label: str, name: str) -> float:
    """From 0 to 1: how alike two words are; 1 if one is how the other begins."""
    if label[:1] != name[:1]:
        return 0.0
    short, long = sorted((label, name), key=len)
    if len(short) >= SHORTEST and long.startswith(short):
        return 1.0
    return difflib.SequenceMatcher(None, label, name).ratio()


def check_scored(mapping: Mapping[str, str | None], where: str) -> None:
    """Refuse classes that are mapped to None where a model gives scores of all classes.

    Raises:
        ConfigError: if there is one
    """
    for label, name in mapping.items():
        if name is None:
            raise ConfigError(
                f"{where}.{label}: null is for models that name one class; leave it out here, as scores "
                "of labels outside the classes of the target are ignored anyway"
            )


def one_hot(
    target: spec.Target, names: np.ndarray, n: int, mapping: Mapping[str, str | None]
) -> np.ndarray:
    """Class names as scores: 1 for the class, 0 for the others.

    What is mapped to None is no class: the answer is wrong whatever the truth is.

    Args:
        target: a classification target
        names: class names, shape (N,)
        n: number of samples N
        mapping: model label -> label of the suite, or None

    Raises:
        ModelError: if the shape is another one or a name is none of the classes

    >>> answer = spec.Target(id="a", label="A", kind="classification", labels=("yes", "no"))
    >>> one_hot(answer, np.array(["no", "yes"]), 2, {})
    array([[0., 1.],
           [1., 0.]])
    """
    if names.shape != (n,):
        raise ModelError(
            f"target '{target.id}': expected {n} class name(s), found the shape {names.shape}"
        )
    scores = np.empty((n, len(target.labels)))
    for row, name in enumerate(names.tolist()):
        scores[row] = scores_of_class(target, str(name), mapping, f"target '{target.id}'")
    return scores


def scores_of_class(
    target: spec.Target, name: str, mapping: Mapping[str, str | None], where: str
) -> np.ndarray:
    """Scores of the classes of a target where a model names one; see :func:`one_hot`.

    Raises:
        ModelError: if it is none of the classes, with what can be done
    """
    label = mapping.get(name, name)
    if label is None:
        return np.full(len(target.labels), NO_SCORE)
    if label not in target.labels:
        raise ModelError(
            f"{unknown('label', label, target.labels, where)}. The entry of the model can map it, "
            f"'outputs: {{{target.id}: {{mapping: {{{name}: CLASS}}}}}}', or count it as a wrong "
            f"answer, 'mapping: {{{name}: null}}'"
        )
    return np.array([float(class_label == label) for class_label in target.labels])


def rescale(
    values: np.ndarray, scale: tuple[float, float] | None, target: spec.Target
) -> np.ndarray:
    """Map the range of the model's values linearly to the range of the target.

    >>> likert = spec.Target(id="a", label="A", kind="regression", range=(0, 1))
    >>> rescale(np.array([1.0, 4.0, 7.0]), (1, 7), likert)
    array([0. , 0.5, 1. ])
    """
    if scale is None:
        return values
    low, high = target.range or (0.0, 1.0)
    return low + (values - scale[0]) * ((high - low) / (scale[1] - scale[0]))
