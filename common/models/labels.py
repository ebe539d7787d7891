"""Labels of models and labels of the suite, scales of models and ranges of targets."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import numpy as np

from common import spec
from common.errors import ModelError


def positions(
    names: Sequence[str], labels: Sequence[str], mapping: Mapping[str, str]
) -> tuple[tuple[int, ...], ...] | None:
    """Positions of each name among mapped labels; None if a name is not there.

    >>> positions(["sad", "happy"], ["joy", "sad", "excited"], {"joy": "happy", "excited": "happy"})
    ((1,), (0, 2))
    """
    mapped = [mapping.get(label, label) for label in labels]
    groups = tuple(tuple(n for n, label in enumerate(mapped) if label == name) for name in names)
    return groups if all(groups) else None


def missing_labels(
    target: spec.Target, labels: Sequence[str], mapping: Mapping[str, str], where: str
) -> ModelError:
    """Error for labels that do not hold all classes of a target; offers what is near."""
    mapped = {mapping.get(label, label) for label in labels}
    needed = (target.id,) if target.kind == "regression" else target.labels
    absent = [name for name in needed if name not in mapped]
    pairs = {}
    for name in absent:
        near = difflib.get_close_matches(name, [x for x in labels if x not in needed], 1, 0.4)
        if near:
            pairs[near[0]] = name
    hint = ", ".join(f"{model}: {name}" for model, name in pairs.items())
    hint = f". Perhaps 'mapping: {{{hint}}}'" if hint else ""
    return ModelError(
        f"{where}: missing {', '.join(absent)}; the model has: {', '.join(labels) or 'no labels'}"
        + hint
    )


def one_hot(
    target: spec.Target, names: np.ndarray, n: int, mapping: Mapping[str, str]
) -> np.ndarray:
    """Class names as scores: 1 for the class, 0 for the others.

    Args:
        target: a classification target
        names: class names, shape (N,)
        n: number of samples N
        mapping: model label -> label of the suite

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
    mapped = [mapping.get(str(name), str(name)) for name in names.tolist()]
    strange = sorted({name for name in mapped if name not in target.labels})
    if strange:
        raise ModelError(
            f"target '{target.id}': unknown label '{strange[0]}'. "
            f"Known: {', '.join(target.labels)}. Give scores, or map it with 'mapping'"
        )
    scores = np.zeros((n, len(target.labels)))
    scores[np.arange(n), [target.labels.index(name) for name in mapped]] = 1.0
    return scores


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
