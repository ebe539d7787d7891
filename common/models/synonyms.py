"""Names that models give to their outputs, and the words of the suite for them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from .. import spec
from ..spec import kinds
from .base import place
from .labels import positions
from .outputs import wanted

logger = logging.getLogger(__name__)


def known(labels: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the conventions of the program know about labels: column -> label -> its word.

    >>> known(["ang", "neutral"])["emotion"]
    {'ang': 'anger'}
    """
    from ..samples.importing import conventions

    rules = conventions.load()
    answer = {column: rules.mapping(column, labels) for column in rules.synonyms}
    for column, names in rules.columns.items():
        called = {label: column for label in labels if label != column and label.lower() in names}
        if called:
            answer.setdefault(column, {}).update(called)
    return {column: mapping for column, mapping in answer.items() if mapping}


def translated(
    entry: spec.Model, targets: Mapping[str, spec.Target], labels: Sequence[str]
) -> tuple[spec.Model, dict[str, dict[str, str]]]:
    """An entry whose outputs also map the labels that the conventions know.

    What the entry maps itself stays. Without ``outputs``, it gets those that the labels allow.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        labels: names of the outputs of the model in its order

    Returns:
        the entry, and for each target the labels that were mapped because of conventions
    """
    words = known(labels)
    outputs: dict[str, spec.Output] = {}
    news: dict[str, dict[str, str]] = {}
    for target, output in wanted(entry, targets).values():
        own_labels = output.labels or labels
        needed = kinds.of(target).names(target)
        source = known(own_labels) if output.labels else words
        new = {
            label: word
            for label, word in source.get(target.id, {}).items()
            if word in needed and label not in output.mapping and word not in own_labels
        }
        mapping = {**output.mapping, **new}
        if entry.outputs or positions(needed, own_labels, mapping):
            outputs[target.id] = output.model_copy(update={"mapping": mapping})
            if new:
                news[target.id] = new
    if not news:
        return entry, {}
    return entry.model_copy(update={"outputs": outputs}), news


def tell(entry: spec.Model, news: Mapping[str, Mapping[str, str]]) -> None:
    """Say which labels of a model were taken for which of the suite."""
    for target, mapping in news.items():
        pairs = ", ".join(f"{label} = {word}" for label, word in mapping.items())
        logger.warning(
            "%s: labels of the model taken for '%s': %s. State it: 'mapping' in outputs",
            place(entry),
            target,
            pairs,
        )
