r"""Figures from counts: one function each, for single numbers and for arrays of any shape.

Counts are true positives (tp), false positives (fp), false negatives (fn), true negatives (tn),
the number of reference items (:math:`N_\text{ref}` = tp + fn) and of system items
(:math:`N_\text{sys}` = tp + fp), be they segments or events. Definitions after Mesaros et al.
(2016).
"""

from __future__ import annotations

import numpy as np

#: added to denominators by sed_eval, which turns x/0 into about 4.5e15 x
SED_EVAL_EPSILON = float(np.spacing(1))


def divide(
    numerator: np.ndarray, denominator: np.ndarray, undefined: np.ndarray | float
) -> np.ndarray:
    """Quotient; ``undefined`` where the denominator is 0, without a warning."""
    numerator, denominator = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    result = np.array(np.broadcast_to(undefined, numerator.shape), dtype=np.float64)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def precision(tp: np.ndarray, n_sys: np.ndarray, *, zero_score: bool) -> np.ndarray:
    r"""Share of the system's items that are right, :math:`\text{tp} / N_\text{sys}`.

    Args:
        tp: true positives
        n_sys: items of the system
        zero_score: what a system without any item gets: 0 (True) or NaN (False)

    >>> precision([3, 0], [4, 0], zero_score=False).tolist()
    [0.75, nan]
    """
    return divide(tp, n_sys, 0.0 if zero_score else np.nan)


def recall(tp: np.ndarray, n_ref: np.ndarray) -> np.ndarray:
    r"""Share of the reference's items that are found, :math:`\text{tp} / N_\text{ref}`.

    NaN if there are none.
    """
    return divide(tp, n_ref, np.nan)


def f_measure(precision: np.ndarray, recall: np.ndarray, *, beta: float = 1.0) -> np.ndarray:
    r"""Weighted harmonic mean of precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    Args:
        precision: in [0, 1] or NaN
        recall: in [0, 1] or NaN
        beta: weight of the recall

    Returns:
        0 if both are 0; NaN if one is NaN

    >>> f_measure([0.5, 0.0, np.nan], [1.0, 0.0, 0.0]).tolist()
    [0.6666666666666666, 0.0, nan]
    """
    precision, recall = np.asarray(precision, np.float64), np.asarray(recall, np.float64)
    weighted = beta**2 * precision + recall
    return divide((1 + beta**2) * precision * recall, weighted, 0.0)


def f_of_counts(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, *, beta: float = 1.0) -> np.ndarray:
    r"""F-measure from counts.

    .. math:: F_\beta = \frac{(1+\beta^2)\,\text{tp}}{(1+\beta^2)\,\text{tp} + \beta^2\,\text{fn} + \text{fp}}

    Returns:
        NaN if there is neither a reference nor a system item

    >>> f_of_counts(2, 1, 1).item()
    0.6666666666666666
    """
    tp, fp, fn = (np.asarray(count, np.float64) for count in (tp, fp, fn))
    hits = (1 + beta**2) * tp
    return divide(hits, hits + beta**2 * fn + fp, np.nan)


def sensitivity(tp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    r"""True positive rate, :math:`\text{tp} / (\text{tp} + \text{fn})`; 0 without reference."""
    return divide(tp, np.add(tp, fn), 0.0)


def specificity(tn: np.ndarray, fp: np.ndarray) -> np.ndarray:
    r"""True negative rate, :math:`\text{tn} / (\text{tn} + \text{fp})`; 0 if both are 0."""
    return divide(tn, np.add(tn, fp), 0.0)


def accuracy(tp: np.ndarray, tn: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    r"""Share of right decisions, (tp + tn) / (tp + tn + fp + fn); 0 without any."""
    right = np.add(tp, tn)
    return divide(right, right + fp + fn, 0.0)


def accuracy2(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    """Accuracy that leaves out what both call inactive, tp / (tp + fp + fn); 0 without any.

    >>> accuracy2(2, 1, 1).item()
    0.5
    """
    return divide(tp, np.add(np.add(tp, fp), fn), 0.0)


def balanced_accuracy(
    sensitivity: np.ndarray, specificity: np.ndarray, *, factor: float
) -> np.ndarray:
    r"""Weighted mean of sensitivity and specificity.

    .. math:: \text{factor} \cdot \text{sensitivity} + (1 - \text{factor}) \cdot \text{specificity}

    as documented by sed_eval, whose code has the weights the other way round.

    >>> balanced_accuracy(1.0, 0.5, factor=0.9).item()
    0.95
    """
    sensitivity, specificity = np.asarray(sensitivity, np.float64), np.asarray(specificity)
    return np.asarray(factor * sensitivity + (1 - factor) * specificity)


def rate(errors: np.ndarray, n_ref: np.ndarray, *, epsilon: float = 0.0) -> np.ndarray:
    r"""Errors per reference item: rate of substitutions, deletions or insertions.

    .. math:: \text{errors} / N_\text{ref}

    Args:
        errors: number of errors
        n_ref: items of the reference
        epsilon: added to the denominator; :data:`SED_EVAL_EPSILON` gives sed_eval's figures

    Returns:
        without reference 0 if there is no error, else infinite

    >>> rate([1, 0, 2], [4, 0, 0]).tolist()
    [0.25, 0.0, inf]
    """
    errors = np.asarray(errors, np.float64)
    undefined = np.where(errors > 0, np.inf, 0.0)
    return divide(errors, np.asarray(n_ref, np.float64) + epsilon, undefined)


def mean_of_classes(values: np.ndarray) -> float:
    """Mean that leaves NaN out; NaN if nothing is left.

    >>> mean_of_classes(np.array([0.5, np.nan, 1.0]))
    0.75
    """
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
