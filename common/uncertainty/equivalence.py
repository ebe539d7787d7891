"""Is a group treated fairly? An answer that may be "fair", "unfair" or neither."""

from __future__ import annotations

import math

from .permutation import Permuted

#: adjusted p values below this say that there is a difference
LEVEL = 0.05
UNFAIR, UNDECIDED, CANNOT_TELL = "unfair", "undecided", "cannot tell"


def fairness_of(value: float, low: float, high: float, permuted: Permuted, bound: float) -> str:
    """Verdict on a group from its interval and a permutation test.

    Args:
        value: score of the group
        low: lower end of its 95 % interval; NaN: there is none
        high: upper end
        permuted: outcome of the permutation test
        bound: largest absolute score that is allowed

    Returns:
        ``cannot tell`` if no arrangement of the speakers could be significant; ``fair within``
        the bound if the whole interval lies between minus and plus the bound; ``unfair`` if the
        groups differ significantly and the score lies on or beyond the bound; else ``undecided``

    >>> sure, open = Permuted(0.01, 0.0005), Permuted(0.4, 0.0005)
    >>> fairness_of(0.02, -0.01, 0.05, sure, 0.1), fairness_of(0.2, 0.08, 0.3, sure, 0.1)
    ('fair within 0.1', 'unfair')
    >>> fairness_of(0.2, -0.1, 0.5, open, 0.1), fairness_of(0.2, 0.1, 0.3, Permuted(0.3, 0.3), 0.1)
    ('undecided', 'cannot tell')
    """
    if permuted.smallest > LEVEL:
        return CANNOT_TELL
    if not math.isnan(low) and -bound < low and high < bound:
        return f"fair within {bound:g}"
    return UNFAIR if permuted.p_value < LEVEL and abs(value) >= bound else UNDECIDED
