"""Scores as text: what stands in a cell of a table."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from benchmark_site.page import anchor
from common.core.display import MINUS, NUMBER, decimals, equal_bound, number, percent, tidy
from common.reports.summary import WideCell
from common.spec import Criterion
from common.uncertainty import is_decidable

#: status -> (class, symbol, word); colour is never the only sign
MARKS = {
    "pass": ("p", "✓", "pass"),
    "fail": ("f", "✗", "fail"),
    "skip": ("s", "–", "skipped"),
    "error": ("e", "!", "error"),
}
#: status of cells with a verdict
VERDICTS = ("pass", "fail")
#: second verdict that says nothing
DOUBT = "cannot tell"
#: said where the interval is wider than what the criterion allows
HOPELESS = "too few for any score to pass for certain"


class Cell(NamedTuple):
    """One cell, ready for a template.

    Args:
        css: class of the verdict
        text: value as text, empty if there is none
        mark: symbol of the verdict
        word: the verdict in words
        hint: value in full precision, reference
        n: number of samples as text, only where rows differ in it
        note: remark shown with the value
        why: letter of the footnote with the reason
        interval: 95 % interval as text
        doubt: the second verdict in words if it is not certain
        more: what the interval rests on and how far it reaches
        href: where it comes from
        hear: address of its samples
        reference: what it is compared with
    """

    css: str
    text: str
    mark: str
    word: str
    hint: str = ""
    n: str = ""
    note: str = ""
    why: str = ""
    interval: str = ""
    doubt: str = ""
    more: str = ""
    href: str = ""
    hear: str = ""
    reference: str = ""


def html(cell: Cell) -> str:
    """Cell of a table as HTML.

    Written here, not in a template: a page of a hundred models has ten thousand cells. Classes,
    words, letters and numbers are our own and hold nothing to escape.

    >>> html(Cell("p", "0.7", "✓", "pass", hint="<0.71>"))
    '<td class="p" title="&lt;0.71&gt;">0.7 <b>pass</b></td>'
    """
    parts = [f'<td class="{cell.css}"']
    add = parts.append
    if cell.hint:
        add(f' title="{_safe(cell.hint)}"')
    if cell.href and cell.text:
        add(f'><a class="from" href="{_safe(cell.href)}">{cell.text}</a>')
    else:
        add(f">{cell.text}")
    if cell.mark:
        add(f" <b>{cell.word}</b>")
    if cell.hear:
        add(f' <a class="hear" href="{_safe(cell.hear)}" aria-label="Its samples"></a>')
    if cell.why:
        add(f"<sup>{cell.why}</sup>")
    if cell.interval:
        add(f'<small class="ci">{cell.interval}</small>')
    if cell.doubt:
        add(f'<small class="q">{_safe(cell.doubt)}</small>')
    if cell.n:
        add(f"<small>n {cell.n}</small>")
    if cell.more:
        add(f'<small class="more-of-cell">{_safe(cell.more)}</small>')
    if cell.note:
        add(f"<small>{_safe(cell.note)}</small>")
    add("</td>")
    return "".join(parts)


def _safe(text: str) -> str:
    return str(escape(text))


MISSING = Cell("m", "", "", "no such cell")


def width(share: Fraction) -> str:
    """Share as a length in a style sheet.

    >>> width(Fraction(1, 3))
    '33.3%'
    """
    return f"{float(100 * share):.1f}%"


def bar(
    share: Fraction | None, wide: bool = False, chance: Fraction | None = None, none: str = "none"
) -> Markup:
    """Share as a bar with its number; written here, as pages of many models have thousands.

    Args:
        share: the share; None: there is none
        wide: whether the bar is a wide one
        chance: share of a chance model, which is marked; None: nothing is
        none: what is said where there is no share

    >>> bar(None)
    Markup('<span class="share none">none</span>')
    """
    if share is None:
        return Markup(f'<span class="share none">{none}</span>')
    mark = "" if chance is None else f'<i style="left:{width(chance)}"></i>'
    return Markup(
        f'<span class="share{" wide" if wide else ""}"><span class="bar">'
        f'<span style="width:{width(share)}"></span>{mark}</span>'
        f'<span class="num">{percent(share)}</span></span>'
    )


def count(n: int) -> str:
    r"""Number of samples with a narrow space between thousands.

    >>> count(12345)
    '12\u202f345'
    """
    return f"{n:,}".replace(",", "\u202f")


def criterion(rule: str, name: str) -> str:
    """Criterion as a formula about a named score.

    >>> criterion("> 0.5", "CCC"), criterion("|x| < 0.1", "Δ CCC")
    ('CCC > 0.5', '|Δ CCC| < 0.1')
    """
    if re.search(r"\bx\b", rule):
        return tidy(re.sub(r"\bx\b", name.replace("\\", r"\\"), rule))
    return tidy(f"{name} {rule}") if rule else name


def cell(
    row: WideCell,
    *,
    digits: int = 0,
    n: bool = False,
    why: str = "",
    origin: str = "",
    hear: str = "",
) -> Cell:
    """Cell of a score.

    Args:
        row: the score
        digits: decimals; 0: as many as the value has, two or three
        n: whether to show the number of samples
        why: letter of the footnote with the reason
        origin: address of what the scores of the test were made from, but for the dataset
        hear: address of its samples
    """
    href = f"{origin}--{anchor(row.dataset)}" if origin else ""
    css, mark, word = MARKS[row.status]
    if math.isnan(row.value):
        return Cell(css, "", mark, word, "", _n(row) if n else "", "", why, href=href)
    # what has an interval was computed here, so its digits are known
    digits = digits or (decimals([row.value]) if math.isnan(row.ci_low) else 3)
    text = number(row.value, row.criterion, digits)
    reference = _reference(row)
    return Cell(
        css,
        text,
        mark,
        word,
        _hint(row, text, reference),
        _n(row) if n else "",
        remark(row),
        why,
        _interval(row, digits),
        row.certain if row.certain == DOUBT else "",
        _more(row),
        href,
        hear,
        reference,
    )


def remark(row: WideCell) -> str:
    """What is to be known of a value."""
    bound = on_bound(row.value, row.criterion, row.status)
    return tidy("; ".join(filter(None, (bound, row.note)))) if bound or row.note else ""


def on_bound(value: float, criterion: str, status: str) -> str:
    """Remark on a score that equals a bound, which does not belong to the range.

    A verdict knows no rounding: what differs from a bound in the last digits of a float passes or fails.

    >>> on_bound(0.5, "> 0.5", "fail"), on_bound(0.1 + 0.2, "> 0.3", "pass"), on_bound(0.4, "> 0.5", "fail")
    ('equals the bound', 'equals the bound but for rounding', '')
    >>> on_bound(0.05, "> -0.05", "pass"), on_bound(-0.05, "|x| < 0.05", "fail")
    ('', 'equals the bound')
    """
    bound = equal_bound(value, criterion)
    if bound is None or status not in ("pass", "fail"):
        return ""
    numbers = map(float, NUMBER.findall(criterion))
    if "|" not in criterion and math.copysign(bound, value) not in numbers:
        return ""  # as large as the bound, but on the other side of zero
    return "equals the bound" if abs(value) == bound else "equals the bound but for rounding"


def _n(row: WideCell) -> str:
    return "" if row.n is None else count(row.n)


def _interval(row: WideCell, digits: int) -> str:
    """Ends of the interval with as many decimals as the value, at least two."""
    if math.isnan(row.ci_low) or math.isnan(row.ci_high):
        return ""
    ends = (number(end, row.criterion, max(digits, 2)) for end in (row.ci_low, row.ci_high))
    return " to ".join(ends)


def _more(row: WideCell) -> str:
    parts = []
    if row.clusters is not None:
        parts.append(f"{count(row.clusters)} {'cluster' if row.clusters == 1 else 'clusters'}")
    if not math.isnan(row.mde_above + row.mde_below):
        parts.append(f"mde {number(row.mde_above)} above, {number(row.mde_below)} below")
    if not can_pass(row):
        parts.append(HOPELESS)
    return ", ".join(parts)


def can_pass(row: Any) -> bool:
    """Whether any score could pass for certain with an interval as wide as that of a row."""
    if not row.certain or math.isnan(row.ci_low):
        return True
    rule = Criterion.of_text(row.criterion)
    return is_decidable(row.ci_low, row.value, row.ci_high, rule)


class Sure(NamedTuple):
    """Second verdicts, counted."""

    passes: int
    fails: int
    doubt: int

    @property
    def judged(self) -> int:
        """Number of scores with a second verdict."""
        return sum(self)


#: without any interval
UNKNOWN = Sure(0, 0, 0)


def sure(scores: Iterable[WideCell]) -> Sure:
    """Second verdicts of scores."""
    return counted(score.certain for score in scores)


def counted(verdicts: Iterable[str]) -> Sure:
    """Second verdicts, counted; an empty text is none.

    >>> counted(["passes", "", "cannot tell", "passes"])
    Sure(passes=2, fails=0, doubt=1)
    """
    counts = Counter(verdicts)
    return Sure(*(counts[name] for name in ("passes", "fails", DOUBT)))


def total(parts: Iterable[Sure]) -> Sure:
    """Sum of second verdicts.

    >>> total([Sure(1, 0, 2), Sure(0, 4, 1)]), total([])
    (Sure(passes=1, fails=4, doubt=3), Sure(passes=0, fails=0, doubt=0))
    """
    return Sure(*map(sum, zip(UNKNOWN, *parts, strict=True)))


def _hint(row: WideCell, text: str, reference: str) -> str:
    full = repr(float(row.value))
    shown = text.replace(MINUS, "-")
    if full == shown or float(shown) == row.value:
        return reference
    full = full.replace("-", MINUS)
    return f"{full}, {reference}" if reference else full


def _reference(row: WideCell) -> str:
    return "" if math.isnan(row.reference_value) else f"reference {number(row.reference_value)}"
