"""What models answered in two states of one utterance, from the predictions of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...designs import design_of
from ...designs.paired import Paired
from ...designs.perturbed import Perturbed
from ...spec import Test
from ...spec.view import ORIGINAL

if TYPE_CHECKING:
    import pandas as pd


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


def compares(test: Test) -> bool:
    """Whether a test asks for the answers to two states of one recording."""
    return isinstance(design_of(test), Perturbed | Paired)


def comparisons(
    test: Test, samples: pd.DataFrame, values: Mapping[str, Any], used: Mapping[str, str]
) -> list[ConditionPair]:
    """All conditions of a test with the answers of a model.

    Args:
        test: a test that :func:`compares`
        samples: samples of a cell
        values: condition -> answers of its model, shape (N,)
        used: condition -> id of its perturbation
    """
    chosen: Any = design_of(test)
    if isinstance(chosen, Paired) and chosen.column:
        first = chosen.reference_in(samples)
        return [
            _compared(name, first, (ORIGINAL, ORIGINAL), pairs, values[ORIGINAL], values[ORIGINAL])
            for name, pairs in chosen.partners(samples).items()
        ]
    condition_pairs = (
        chosen.pairs if isinstance(chosen, Paired) else [(ORIGINAL, c) for c in chosen.changes]
    )
    rows = np.repeat(np.arange(len(samples))[:, None], 2, axis=1)
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
