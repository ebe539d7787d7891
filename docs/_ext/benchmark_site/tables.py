"""Score tables as data for the templates: lines, columns, cells and footnotes."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from benchmark_site import cells
from benchmark_site.cells import Cell
from benchmark_site.content import metric_names
from benchmark_site.glossary import Term
from common.core.display import decimals, tidy
from common.metrics import METRICS
from common.reports.summary import Key, Matrix, WideCell
from common.spec.view import ORIGINAL

#: address of the samples of a score
Samples = Callable[[WideCell, Key], str]


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
    """One line of a table; ``source`` is set where the line is all that a table has of a dataset."""

    label: str
    cells: list[Cell]
    n: str = ""
    source: Source | None = None

    @property
    def html(self) -> Markup:
        """Its cells as HTML."""
        return Markup("".join(map(cells.html, self.cells)))


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
    term: Term | None = None

    @property
    def rows(self) -> int:
        """Number of lines."""
        return sum(len(block.lines) for block in self.blocks)

    @property
    def is_long(self) -> bool:
        """Whether a reader opens it before it is shown."""
        return self.rows > LONG

    @property
    def failed(self) -> int:
        """Number of cells that fail."""
        every = (cell for block in self.blocks for line in block.lines for cell in line.cells)
        return sum(cell.css.startswith("f") for cell in every)


#: a table with more lines is folded
LONG = 40
#: what stands in one line: what it is about, where it belongs, its name, and a score per column
Raw = tuple[Key, str, str, Sequence[WideCell | None]]


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
    matrix: Matrix,
    columns: Sequence[Column],
    raters: Mapping[Key, WideCell] | None = None,
    sources: Mapping[str, Source] | None = None,
) -> Table:
    """Table of one metric with a column per model, and one of single raters if there are any.

    Args:
        anchor: id in the page
        matrix: scores by data and model
        columns: a column per model
        raters: scores of single raters
        sources: names of data
    """
    lines: list[Raw] = [
        (
            key,
            key.data,
            part(key.condition, key.label, key.data),
            [*row, _bare(raters.get(key))] if raters else row,
        )
        for key, row in zip(matrix.index, matrix.cells, strict=True)
    ]
    table = _table(
        anchor, matrix.metric, [*columns, RATER] if raters else columns, lines, sources or {}
    )
    table.sure = cells.sure(score for line in matrix.cells for score in line if score is not None)
    return table


def _bare(score: WideCell | None) -> WideCell | None:
    """Score of a rater without the remark, which stands above the table."""
    return score and score._replace(note="")


def rule(metric: str, scores: Iterable[WideCell]) -> str:
    """When a score passes, with the name of the metric.

    A metric of quality that is compared with a reference stands for its difference.
    """
    name = metric_names(metric)[1]
    criteria = {(score.criterion, bool(score.reference)) for score in scores if score.criterion}
    # a bound that is simulated for the samples at hand does not exist where nothing was scored
    settled = {pair for pair in criteria if not pair[0].endswith("simulated")}
    criteria = settled or criteria
    quality = metric in METRICS and METRICS.get(metric).direction != "zero"
    if quality and any(reference and text.startswith("|") for text, reference in criteria):
        name = f"Δ {name}"
    return ", or ".join(cells.criterion(text, name) for text in sorted({c for c, _ in criteria}))


def _table(
    anchor: str,
    metric: str,
    columns: Sequence[Column],
    lines: Sequence[Raw],
    sources: Mapping[str, Source],
) -> Table:
    scores = [score for *_, line in lines for score in line if score is not None]
    style = Style([line for *_, line in lines])
    blocks: dict[str, Block] = {}
    for key, data, label, line in lines:
        block = blocks.setdefault(data, Block(data, [], sources.get(data)))
        origins = [column.origin for column in columns]
        hear = [
            "" if score is None else column.samples(score, key)
            for column, score in zip(columns, line, strict=True)
        ]
        block.lines.append(Line(label, style.cells(line, origins, hear), style.n(line)))
    return Table(
        anchor=anchor,
        title=metric_names(metric)[0],
        rule=rule(metric, scores),
        columns=columns,
        blocks=_flat(list(blocks.values())),
        has_n=style.n_column,
        n_note=style.n_note,
        sure=cells.sure(scores),
        notes=style.footnotes(),
    )


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

    def __init__(self, lines: Sequence[Sequence[WideCell | None]]):
        scores = [score for line in lines for score in line if score is not None]
        values = [score.value for score in scores if not math.isnan(score.value)]
        self.digits = decimals(values)
        sizes = [{s.n for s in line if s is not None and s.n is not None} for line in lines]
        has_n = any(sizes)
        self.n_in_cells = any(len(size) > 1 for size in sizes)
        self.n_column = has_n and not self.n_in_cells
        self.n_note = "" if has_n else "n not published"
        self._reasons = letters(score.reason for score in scores if score.reason)

    def cells(
        self, line: Sequence[WideCell | None], origins: Sequence[str], hear: Sequence[str]
    ) -> list[Cell]:
        """Cells of a line; each with where its scores come from, and where its samples are."""
        return [
            cells.MISSING
            if score is None
            else cells.cell(
                score,
                digits=self.digits,
                n=self.n_in_cells,
                why=self.why(score),
                origin=origin,
                hear=samples,
            )
            for score, origin, samples in zip(line, origins, hear, strict=True)
        ]

    def n(self, line: Sequence[WideCell | None]) -> str:
        """Number of samples of a line."""
        sizes = {score.n for score in line if score is not None and score.n is not None}
        return cells.count(sizes.pop()) if self.n_column and sizes else ""

    def why(self, score: WideCell) -> str:
        """Letter of the footnote of a score; empty without one."""
        return self._reasons[score.reason][0] if score.reason else ""

    def footnotes(self) -> list[tuple[str, str, int]]:
        """Letter, reason and number of cells."""
        return [(letter, tidy(reason), n) for reason, (letter, n) in self._reasons.items()]


def letters(reasons: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Letter of each reason in alphabetical order, and how often it is named.

    >>> letters(["too few", "no voice", "too few"])
    {'no voice': ('a', 1), 'too few': ('b', 2)}
    """
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    return {reason: (letter(place), counts[reason]) for place, reason in enumerate(sorted(counts))}


def letter(place: int) -> str:
    """Name of a footnote.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    high, low = divmod(place, len(string.ascii_lowercase))
    return (letter(high - 1) if high else "") + string.ascii_lowercase[low]
