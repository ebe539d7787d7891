"""Numbers as people read them, on pages and in printed text. Files keep raw numbers.

A minus is a minus sign, not a hyphen; zero has no sign; and a value is never rounded onto, or
across, a bound that it does not equal, so that no verdict seems wrong. What differs from a bound by
the rounding of floats alone is shown as equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

MINUS = "\u2212"
#: more decimals are never shown
MOST = 12
#: difference that is rounding of floats: relative to a bound, and from a bound of 0
SAME, SAME_0 = 1e-12, 1e-15
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
#: a hyphen that stands for a minus: before a digit, and not within a word, id or date
_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
_ZERO = re.compile(rf"{MINUS}(0(?:\.0+)?)(?![\d.])")
#: the open ends of bins
_FIRST = re.compile(r"\(-inf,")
_LAST = re.compile(r"(\([−\-\d.∞]+), inf[\])]")
_LESS = re.compile(rf"(?<=\d) - ({MINUS}[\d.]+|[\d.]+)")


def number(value: float, criterion: str = "", digits: int = 3) -> str:
    """Value rounded for display, never onto a bound of the criterion that it does not equal.

    Args:
        value: the number
        criterion: rule whose bounds are kept apart from the value; empty: none
        digits: decimals, if they are enough for that

    >>> number(0.12345), number(-0.0001), number(-0.5), number(0.50004, "> 0.5")
    ('0.123', '0.000', '−0.500', '0.50004')
    >>> number(0.07500000000000001, "|x| < 0.075"), number(0.30004000000000003, "> 0.30004")
    ('0.075', '0.30004')
    """
    edges = bounds(criterion)
    text = f"{value:.{digits}f}"
    size = equal_bound(value, criterion) if edges else None
    size = abs(value) if size is None else size
    while edges and digits < MOST and _crossed(size, abs(float(text)), edges):
        digits += 1
        text = f"{value:.{digits}f}"
    return _minus(text)


@cache
def bounds(criterion: str) -> tuple[float, ...]:
    """Sizes of the numbers of a criterion.

    >>> bounds("0.2 < x < 0.4"), bounds("")
    ((0.2, 0.4), ())
    """
    return tuple(abs(float(bound)) for bound in NUMBER.findall(criterion))


def equal_bound(value: float, criterion: str) -> float | None:
    """Size of the bound that a value equals, at least but for the rounding of floats; None: it equals none.

    >>> equal_bound(-0.07500000000000001, "|x| < 0.075"), equal_bound(0.0751, "|x| < 0.075")
    (0.075, None)
    """
    near = (
        b for b in bounds(criterion) if math.isclose(abs(value), b, rel_tol=SAME, abs_tol=SAME_0)
    )
    return next(near, None)


def _crossed(value: float, shown: float, edges: tuple[float, ...]) -> bool:
    """Whether the shown value lies elsewhere than the value, as seen from a bound."""
    for bound in edges:
        if (value > bound) != (shown > bound) or (value < bound) != (shown < bound):
            return True
    return False


def shortened(text: str, most: int = 300) -> str:
    """A text of others for a message; what goes on without end is cut.

    >>> shortened("speech.wav"), shortened("aaaaaa", 3)
    ('speech.wav', 'aaa…')
    """
    return text if len(text) <= most else f"{text[:most]}…"


def signed(value: float, digits: int = 3) -> str:
    """Difference with its sign; zero has none.

    >>> signed(0.25), signed(-0.25, 1), signed(-0.0001)
    ('+0.250', '−0.2', '0.000')
    """
    text = number(value, digits=digits)
    return text if text.startswith(MINUS) or float(text) == 0 else f"+{text}"


def decimals(values: Iterable[float]) -> int:
    """Decimals for a column: 2 if that is all its values have, else 3.

    Published scores were rounded to two decimals; a third would claim what nobody knows.

    >>> decimals([0.5, 0.25]), decimals([0.5, 0.123]), decimals([])
    (2, 3, 2)
    """
    return 2 if all(round(v, 2) == v for v in values if not math.isnan(v)) else 3


def percent(share: Fraction | None) -> str:
    """Share as text with one decimal, rounded once, halves up.

    >>> percent(Fraction(363, 411)), percent(Fraction(-1, 40)), percent(None)
    ('88.3 %', '−2.5 %', 'none')
    """
    if share is None:
        return "none"
    tenths = (1000 * share + Fraction(1, 2)).__floor__()
    return f"{_minus(f'{tenths / 10:.1f}')} %"


def amount(n: float) -> str:
    """A number of things with three digits, and a prefix from ten thousand on.

    >>> amount(371), amount(6726.0), amount(94_371_712), amount(999_999), amount(1_270_000_000)
    ('371', '6,726', '94.4 M', '1 M', '1.27 G')
    """
    return f"{round(n):,}" if n < 10_000 else _prefixed(n).rstrip()


def size(n: int) -> str:
    """A number of bytes, in multiples of 1000.

    >>> size(0), size(361_514_041), size(7_804)
    ('0 B', '362 MB', '7.8 kB')
    """
    return f"{_prefixed(n)}B"


def duration(seconds: float) -> str:
    """A time with two digits.

    >>> duration(0.00012), duration(0.0124), duration(3.21), duration(75.2)
    ('0.12 ms', '12 ms', '3.2 s', '75 s')
    """
    return f"{digits(seconds)} s" if seconds >= 1 else f"{digits(1000 * seconds)} ms"


def digits(value: float, n: int = 2) -> str:
    """A number above zero with so many digits that count, and without an exponent.

    >>> digits(0.01234), digits(0.996), digits(123.4), digits(0.000045)
    ('0.012', '1', '123', '0.000045')
    """
    rounded = float(f"{value:.{n}g}")
    if not math.isfinite(rounded) or abs(rounded) >= 10**n:
        return f"{value:.0f}"
    places = n - 1 - math.floor(math.log10(abs(rounded))) if rounded else 0
    text = f"{rounded:.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _prefixed(n: float) -> str:
    value, prefixes = float(n), ["", "k", "M", "G", "T", "P"]
    while float(f"{value:.3g}") >= 1000 and len(prefixes) > 1:
        value /= 1000
        prefixes.pop(0)
    return f"{digits(value, 3)} {prefixes[0]}"


def tidy(text: str) -> str:
    """Numbers within a text by the same rules; ids and dates stay as they are.

    >>> tidy("(-0.00 - -0.03)"), tidy("accents-2.2.0"), tidy("-1.5 < x"), tidy("(-inf, 0.5]")
    ('(0.00 − (−0.03))', 'accents-2.2.0', '−1.5 < x', '(−∞, 0.5]')
    """
    if "inf" in text:
        text = _LAST.sub(r"\1, ∞)", _FIRST.sub(f"({MINUS}∞,", text))
    if "-" not in text:
        return text
    text = _ZERO.sub(r"\1", _HYPHEN.sub(MINUS, text))
    return _LESS.sub(
        lambda m: f" {MINUS} ({m[1]})" if m[1].startswith(MINUS) else f" {MINUS} {m[1]}", text
    )


def _minus(text: str) -> str:
    if text.startswith("-") and float(text) == 0:
        return text[1:]
    return text.replace("-", MINUS)
