"""Ends of intervals of shares and of mean errors, which cannot leave their range on one side.

An interval whose arms are about equal errs on one side there: the lower end of a share near 1 and
the upper end of a small error are too near. See docs/method/uncertainty.rst.
"""

from __future__ import annotations

import numpy as np

from .student import student


def logit_ends(
    share: np.ndarray, cases: np.ndarray, error: np.ndarray, freedom: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""95 % intervals of shares, by Student's t on the scale of the log odds.

    .. math:: \operatorname{logit} \tilde p \pm t_f \frac{e}{\tilde p (1 - \tilde p)}, \qquad
       \tilde p = \frac{p n + 1/2}{n + 1}

    as for shares in surveys of clusters :cite:p:`korn1998confidence`.

    Args:
        share: p, shape (V,)
        cases: n, shape (V,)
        error: standard error e of the share, shape (V,)
        freedom: f, degrees of freedom of the error, shape (V,)

    Returns:
        lower and upper ends in [0, 1]

    >>> ends = logit_ends(*(np.array([x]) for x in (0.95, 500, 0.02, 9)))
    >>> [end.round(3).tolist() for end in ends]
    [[0.88], [0.979]]
    """
    shrunk = (share * cases + 0.5) / (cases + 1)
    centre = np.log(shrunk / (1 - shrunk))
    arm = student(freedom) * error / (shrunk * (1 - shrunk))
    with np.errstate(over="ignore"):
        low, high = (1 / (1 + np.exp(-end)) for end in (centre - arm, centre + arm))
    return low, high


def half_count_variance(share: np.ndarray, cases: np.ndarray) -> np.ndarray:
    r"""Variance of a share from half counts that are added to its hits and misses alone.

    .. math:: \frac{1}{2} \frac{p^2 + (1 - p)^2}{n^2}

    >>> half_count_variance(np.array([0.5]), np.array([10.0])).tolist()
    [0.0025]
    """
    variance: np.ndarray = (share**2 + (1 - share) ** 2) / 2 / np.maximum(cases, 1) ** 2
    return variance


def log_ends(
    mean: np.ndarray, error: np.ndarray, freedom: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""95 % intervals of means of values that are never negative, by their logarithm.

    .. math:: m \exp\left(\pm t_f \frac{e}{m}\right)

    Speakers with large errors differ more from each other, so the interval reaches farther up
    than down.

    Args:
        mean: m, shape (V,)
        error: standard error e of the mean, shape (V,)
        freedom: f, degrees of freedom of the error, shape (V,)

    >>> low, high = log_ends(np.array([0.1]), np.array([0.01]), np.array([9]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0798], [0.1254])
    """
    with np.errstate(over="ignore"):
        factor = np.exp(student(freedom) * error / np.where(mean > 0, mean, 1.0))
        return mean / factor, np.where(mean > 0, mean * factor, 0.0)
