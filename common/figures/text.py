"""Small pieces of the alternative texts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..core import display
from ..core.wording import counted


def percent(share: float) -> str:
    """Share as a whole percentage; ``undefined`` if there is none.

    >>> percent(0.714), percent(float("nan"))
    ('71 %', 'undefined')
    """
    return f"{100 * share:.0f} %" if np.isfinite(share) else "undefined"


def number(value: float) -> str:
    """Value with two decimals and a minus sign, never ``−0.00``.

    >>> number(-0.001), number(0.456), number(-0.5)
    ('0.00', '0.46', '−0.50')
    """
    return display.number(float(value), digits=2) if np.isfinite(value) else "undefined"


def count(n: int, noun: str = "sample") -> str:
    """Number with its noun.

    >>> count(1), count(480)
    ('1 sample', '480 samples')
    """
    return counted(n, noun)


def listed(parts: Iterable[str]) -> str:
    """Parts as running text.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    parts = list(parts)
    return " and ".join(([", ".join(parts[:-1])] if len(parts) > 1 else []) + parts[-1:])


def spread(values: np.ndarray) -> str:
    """Mean and the range of the middle half of values."""
    if len(values) == 0:
        return "no values"
    low, high = np.quantile(values, [0.25, 0.75])
    return f"mean {number(values.mean())}, half of them {number(low)} to {number(high)}"
