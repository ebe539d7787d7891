"""Score tables as data for the templates: lines, columns, cells and footnotes."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup, escape

from benchmark_site import cells
from benchmark_site.columns import (
    FAILED,
    Look,
    Rule,
    Samples,
    ScoreColumn,
    SideBySide,
    distinct,
    of_scores,
)
from benchmark_site.glossary import Term
from benchmark_site.naming import metric_names
from common.core.display import decimals, tidy
from common.metrics import METRICS
from common.reports.summary import Key, WideCell
from common.spec.view import ORIGINAL

#: names of so many characters are not broken into lines
UNBROKEN = 20


def unheard(score: WideCell, key: Key) -> str:
    """No address: there are no samples of a score."""
    return ""


@dataclass(frozen=True)
class Column:
    """One column: a model, a class or a bin.

    Args:
        label: heading
        href: address of the model
        muted: whether it is a chance model
        tag: name by which the reader hides it
        origin: address of what its scores were made from, but for the dataset
        samples: gives the address of the samples of a score; empty if there are none
    """

    label: str
    href: str = ""
    muted: bool = False
    tag: str = ""
    origin: str = ""
    samples: Samples = unheard

    @cached_property
    def head(self) -> Markup:
        """Its heading as HTML, which all tables of a page share."""
        css = ' class="chance"' if self.muted else ""
        tag = f' data-m="{escape(self.tag)}"' if self.tag else ""
        text = escape(self.label)
        if self.href:
            name = ' class="name"' if len(self.label) <= UNBROKEN else ""
            text = f'<a{name} href="{escape(self.href)}">{text}</a>'
        return Markup(f'<th scope="col"{css}{tag}>{text}</th>')


@dataclass(frozen=True)
class Source:
    """Where the samples of a line come from, in the words of a reader.

    Args:
        label: name of the dataset
        part: version and part of it
        href: address of its page
    """

    label: str
    part: str = ""
    href: str = ""


@dataclass
class Line:
    """One line of a table; ``source`` is set where the line is all that a table has of a dataset.

    Args:
        label: condition and class
        html: its cells
        n: number of samples, if it is the same in all cells
        source: its dataset
    """

    label: str
    html: Markup
    n: str = ""
    source: Source | None = None


@dataclass
class Block:
    """Lines of one part of the data; ``head`` is empty if each part has one line."""

    head: str
    lines: list[Line]
    source: Source | None = None


@dataclass
class Table:
    """A table of one metric.

    Args:
        anchor: id in the page
        title: name of the metric
        rule: when a cell passes
        columns: its columns
        blocks: its lines
        has_n: whether a column with the number of samples is shown
        n_note: remark about the number of samples
        sure: second verdicts of its scores
        notes: letter, text and count of cells of each footnote
        failed: number of cells that fail
        term: what its metric means
    """

    anchor: str
    title: str
    rule: str
    columns: Sequence[Column]
    blocks: list[Block]
    has_n: bool = False
    n_note: str = ""
    sure: cells.Sure = cells.UNKNOWN
    notes: list[tuple[str, str, int]] = field(default_factory=list)
    failed: int = 0
    term: Term | None = None

    @property
    def rows(self) -> int:
        """Number of lines."""
        return sum(len(block.lines) for block in self.blocks)

    @property
    def is_long(self) -> bool:
        """Whether a reader opens it before it is shown."""
        return self.rows > LONG


#: a table with more lines is folded
LONG = 40
#: what stands where a model has no such cell
MISSING = cells.html(cells.MISSING)


def part(condition: str, label: str = "", data: str = "") -> str:
    """Condition and class as text; empty for the whole of unchanged input.

    A condition with which the name of the data ends already is not repeated.

    >>> part("high-pitch", "anger"), part("original"), part("thai", "", "accents-2.2.0-thai")
    ('high-pitch · anger', '', '')
    """
    is_implied = condition in ("", ORIGINAL) or data.endswith(f"-{condition}")
    return " · ".join(text for text in ("" if is_implied else condition, tidy(label)) if text)


#: column of single raters
RATER = Column("One rater", muted=True, tag="one-rater")


def by_models(
    anchor: str,
    scores: SideBySide,
    columns: Sequence[Column],
    raters: Mapping[Key, WideCell] | None = None,
    sources: Mapping[str, Source] | None = None,
) -> Table:
    """Table of one metric with a column per model, and one of single raters if there are any.

    Args:
        anchor: id in the page
        scores: scores of each model
        columns: a column per model
        raters: scores of single raters
        sources: names of data
    """
    pairs = list(zip(columns, scores.columns, strict=True))
    if raters:
        bare = {k: raters[k]._replace(note="") for k in scores.index if k in raters}
        pairs.append((RATER, of_scores(bare)))  # the remark of a rater stands above the table
    filled = [score for _, score in pairs if score is not None]
    style = Style(filled)
    return Table(
        anchor=anchor,
        title=metric_names(scores.metric)[0],
        rule=rule_of(scores.metric, {rule for score in filled for rule in score.facts.rules}),
        columns=[column for column, _ in pairs],
        blocks=_blocks(scores.index, _lines(scores.index, pairs, style), style, sources or {}),
        has_n=style.n_column,
        n_note=style.n_note,
        sure=cells.total(score.facts.sure for score in scores.filled),
        notes=style.footnotes(),
        failed=sum(score.facts.verdicts.count(FAILED) for score in filled),
    )


def rule(metric: str, scores: Iterable[WideCell]) -> str:
    """When a score passes, with the name of the metric.

    A metric of quality that is compared with a reference stands for its difference.
    """
    return rule_of(metric, {(score.criterion, bool(score.reference)) for score in scores})


def rule_of(metric: str, rules: Iterable[Rule]) -> str:
    """When scores with some criteria pass, with the name of the metric."""
    name = metric_names(metric)[1]
    criteria = {pair for pair in rules if pair[0]}
    # a bound that is simulated for the samples at hand does not exist where nothing was scored
    settled = {pair for pair in criteria if not pair[0].endswith("simulated")}
    criteria = settled or criteria
    quality = metric in METRICS and METRICS.get(metric).direction != "zero"
    if quality and any(reference and text.startswith("|") for text, reference in criteria):
        name = f"Δ {name}"
    return ", or ".join(cells.criterion(text, name) for text in sorted({c for c, _ in criteria}))


def _lines(
    index: Sequence[Key], pairs: Sequence[tuple[Column, ScoreColumn | None]], style: Style
) -> list[Markup]:
    """Cells of each line as HTML."""
    columns: list[Sequence[str]] = []
    for column, score in pairs:
        if score is None:
            columns.append([MISSING] * len(index))
            continue
        html = score.html(style.look(score), column.origin, column.samples)
        if score.facts.lines.keys != index:
            by_key = dict(zip(score.facts.lines.keys, html, strict=True))
            html = [by_key.get(key, MISSING) for key in index]
        columns.append(html)
    return [Markup("".join(line)) for line in zip(*columns, strict=True)]


def _blocks(
    index: Sequence[Key], lines: Sequence[Markup], style: Style, sources: Mapping[str, Source]
) -> list[Block]:
    """Lines by the part of the data that they belong to."""
    blocks: dict[str, Block] = {}
    for key, html in zip(index, lines, strict=True):
        block = blocks.setdefault(key.data, Block(key.data, [], sources.get(key.data)))
        label = part(key.condition, key.label, key.data)
        block.lines.append(Line(label, html, style.n(key)))
    return _flat(list(blocks.values()))


def _flat(blocks: list[Block]) -> list[Block]:
    """One block without head if each has one line."""
    if any(len(block.lines) > 1 for block in blocks):
        return blocks
    for block in blocks:
        names = ("" if block.source else block.head, block.lines[0].label)
        block.lines[0].source = block.source
        block.lines[0].label = " · ".join(text for text in names if text)
    return [Block("", [block.lines[0] for block in blocks])]


class Style:
    """How the cells of one table are written: decimals, numbers of samples, footnotes."""

    def __init__(self, columns: Sequence[ScoreColumn]):
        # a table has as many decimals as the column that needs most
        self.digits = max((column.facts.digits for column in columns), default=decimals([]))
        self._sizes: dict[Key, set[int]] = {}
        for keys, _, sizes in distinct(columns):
            for key, size in zip(keys, sizes, strict=True):
                if size is not None:
                    self._sizes.setdefault(key, set()).add(size)
        self.n_in_cells = any(len(sizes) > 1 for sizes in self._sizes.values())
        self.n_column = bool(self._sizes) and not self.n_in_cells
        self.n_note = "" if self._sizes else "n not published"
        counts: Counter[str] = Counter()
        for column in columns:
            counts.update(column.facts.reasons)
        self._reasons = lettered(counts)

    def look(self, column: ScoreColumn) -> Look:
        """How the cells of a column are written."""
        letters = ((reason, self._reasons[reason][0]) for reason in column.facts.reasons)
        return Look(self.digits, self.n_in_cells, tuple(letters))

    def n(self, key: Key) -> str:
        """Number of samples of a line."""
        sizes = self._sizes.get(key)
        return cells.count(min(sizes)) if self.n_column and sizes else ""

    def footnotes(self) -> list[tuple[str, str, int]]:
        """Letter, reason and number of cells."""
        return [(letter, tidy(reason), n) for reason, (letter, n) in self._reasons.items()]


def letters(reasons: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Letter of each reason in alphabetical order, and how often it is named.

    >>> letters(["too few", "no voice", "too few"])
    {'no voice': ('a', 1), 'too few': ('b', 2)}
    """
    return lettered(Counter(reasons))


def lettered(counts: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """Letter of each reason in alphabetical order, beside how often it is named."""
    return {reason: (letter(place), counts[reason]) for place, reason in enumerate(sorted(counts))}


def letter(place: int) -> str:
    """Name of a footnote.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    high, low = divmod(place, len(string.ascii_lowercase))
    return (letter(high - 1) if high else "") + string.ascii_lowercase[low]
