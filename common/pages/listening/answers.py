"""What models answered in two states of one utterance, from the predictions of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...designs import design_of
from ...designs.paired import Paired
from ...designs.perturbed import Perturbed
from ...spec import Target, Test, kinds
from ...spec.view import ORIGINAL, View


@dataclass(frozen=True)
class ConditionPair:
    """A condition and what it is compared with.

    Args:
        condition: the condition
        reference: what it is compared with
        perturbations: ids of the perturbations of reference and condition
        rows: rows of the reference and of the condition, shape (N, 2)
        before: answers to the reference, shape (N,)
        after: answers in the condition, shape (N,)
    """

    condition: str
    reference: str
    perturbations: tuple[str, str]
    rows: np.ndarray
    before: np.ndarray
    after: np.ndarray


def compares(test: Test, target: Target) -> bool:
    """Whether a test asks for the answers to two states of one utterance."""
    shown = not kinds.of(target).is_ragged  # as a number or a word
    return shown and isinstance(design_of(test), Perturbed | Paired)


def comparisons(test: Test, view: View, used: Mapping[str, str]) -> list[ConditionPair]:
    """All conditions of a test with the answers of a model.

    Args:
        test: a test that :func:`compares`
        view: samples and predictions of a cell
        used: condition -> id of its perturbation
    """
    chosen: Any = design_of(test)
    values = view.predictions
    if isinstance(chosen, Paired) and chosen.column:
        first = chosen.reference_in(view.samples)
        return [
            _compared(name, first, (ORIGINAL, ORIGINAL), pairs, values[ORIGINAL], values[ORIGINAL])
            for name, pairs in chosen.partners(view.samples).items()
        ]
    condition_pairs = (
        chosen.pairs if isinstance(chosen, Paired) else [(ORIGINAL, c) for c in chosen.changes]
    )
    rows = np.repeat(np.arange(len(view.samples))[:, None], 2, axis=1)
    return [
        _compared(
            name,
            base,
            (used.get(base, base), used.get(name, name)),
            rows,
            values[base],
            values[name],
        )
        for base, name in condition_pairs
        if base in values and name in values
    ]


def _compared(
    condition: str,
    base: str,
    perturbations: tuple[str, str],
    rows: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> ConditionPair:
    return ConditionPair(
        condition, base, perturbations, rows, before[rows[:, 0]], after[rows[:, 1]]
    )
