"""All cells of a model in one table, and those in which it fails most."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmark_site import (
    cells,
    datasetpages,
    event_details,
    glossary,
    provenance_pages,
    samplepages,
    tables,
)
from benchmark_site.content import Board, Content
from benchmark_site.export import rows_file
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import render, test_doc
from benchmark_site.sources import Model
from common.core.display import decimals, tidy
from common.metrics import METRICS
from common.reports.summary import Key, WideCell
from common.spec import Criterion

#: so many tests are named in which a model fails most
MOST = 5
#: a remark with more characters stands below the table, once
SHORT = 20
#: beginning of a rule on the size of a score
SIZE = "|x| >"


class ModelCell(NamedTuple):
    """One score of a model and where it stands."""

    board: Board
    test: str
    metric: str
    key: Key
    score: WideCell


def cells_of(boards: Sequence[Board], model: Model) -> list[ModelCell]:
    """All cells of a model in the order of the pages."""
    return [
        ModelCell(board, test, metric, key, score)
        for board in boards
        for test in board.tests
        for metric, lines in board.scores.of_model(model.id).get(test, {}).items()
        for key, score in lines.items()
    ]


def excess(value: float, criterion: str, metric: str = "") -> float:
    """How far a score lies from the best one, as a multiple of what the criterion allows.

    More than 1 fails. The best score is the upper bound of a metric that must be above a threshold,
    0 for a change, for an error and within a range around it, and the middle of a range.

    >>> excess(0.25, "> 0.5"), excess(0.3, "< 0.1"), excess(-0.3, "|x| < 0.1"), excess(-0.2, "> -0.1", "change_ccc")
    (1.5, 3.0, 3.0, 2.0)
    """
    if criterion.startswith(SIZE):  # of published results: the sign does not count
        value, criterion = abs(value), criterion.removeprefix("|x| ")
    try:
        rule = Criterion.of_text(criterion)
    except ValueError:
        return 1.0
    entry = METRICS.get(metric) if metric in METRICS else None
    change = entry is not None and entry.takes == "change"
    if rule.between is not None:
        low, high = rule.between
        return round(abs(value - (low + high) / 2) / ((high - low) / 2), 9)
    bound = next(b for b in (rule.above, rule.below, rule.within) if b is not None)
    assert isinstance(bound, float)
    best = 0.0
    if rule.above is not None and not change:
        best = entry.bounds[1] if entry is not None else 1.0
    allowed = abs(bound - best)
    if not allowed or not math.isfinite(allowed):
        return 1.0
    return round(abs(value - best) / allowed, 9)


def worst(entries: Sequence[ModelCell]) -> list[ModelCell]:
    """The cell that fails most in each of the tests that have one, worst first."""
    failed = [e for e in entries if e.score.status == "fail" and not math.isnan(e.score.value)]
    failed.sort(key=lambda e: -excess(e.score.value, e.score.criterion, e.metric))
    first: dict[str, ModelCell] = {}
    for entry in failed:
        first.setdefault(entry.test, entry)
    return list(first.values())[:MOST]


def fails_most(content: Content, page: Page, model: Model, entries: Sequence[ModelCell]) -> Section:
    """Section of the tests in which a model fails most."""
    counts = Counter((entry.test, entry.score.status) for entry in entries)
    lines = []
    chosen = worst(entries)
    named = _sources(content, page, chosen)
    for place, entry in enumerate(chosen, 1):
        board, test, metric, key, score = entry
        title, short = metric_names(metric)
        term = glossary.term(content, page, metric)
        doc = page.href(test_doc(board.target, test))
        failed = counts[test, "fail"]
        lines.append(
            {
                "test": content.tests[test].title,
                "href": doc,
                "metric": title,
                "term": term,
                "part": tables.part(key.condition, key.label, key.data),
                "source": named[key.data],
                "cell": cells.cell(score, digits=decimals([score.value]), n=True),
                "rule": tables.rule(metric, [score]) or short,
                "times": f"{excess(score.value, score.criterion, metric):.1f}",
                "failed": failed,
                "judged": failed + counts[test, "pass"],
                "sound": samplepages.of_test(content, page, board, model, test)(score, key),
                "place": f"#{_row(place)}",
            }
        )
    judged = any(entry.score.status in ("pass", "fail") for entry in entries)
    return Section("fails-most", "Fails most", render("fails_most.j2", lines=lines, judged=judged))


def _sources(
    content: Content, page: Page, entries: Sequence[ModelCell]
) -> dict[str, tables.Source]:
    pairs = ((entry.key.data, entry.score.dataset) for entry in entries)
    return datasetpages.sources(content, page, pairs)


def _row(place: int) -> str:
    return f"worst-{place}"


def everything(content: Content, page: Page, model: Model, entries: Sequence[ModelCell]) -> Section:
    """Section with the one table of all cells."""
    notes = Notes(entry.score for entry in entries)
    marked = {id(entry.score): _row(n) for n, entry in enumerate(worst(entries), 1)}
    named = Named(content, page, model, entries)
    rows = list(_rows(content, page, entries, notes, marked, named))
    html = render(
        "all_cells.j2",
        label=model.label,
        file=f"data/{rows_file(entries[0].board.target, model)}",
        rows=rows,
        named=json.dumps(named.lists(), ensure_ascii=False, separators=(",", ":")),
        has_n=any(entry.score.n is not None for entry in entries),
        intervals=any(row["cell"].interval for row in rows),
        notes=notes.lines(),
        terms=glossary.terms(content, page, (entry.metric for entry in entries)),
        sure=cells.sure(entry.score for entry in entries),
    )
    return Section("all-cells", "All cells", html)


class Notes:
    """Why cells have no value, and long remarks on those that have one: each stands once below a table.

    Args:
        scores: cells of the table
    """

    def __init__(self, scores: Iterable[WideCell]):
        self._letters = tables.letters(text for score in scores if (text := self._of(score)))

    @staticmethod
    def _of(score: WideCell) -> str:
        return tidy(score.reason) or ("" if len(note := cells.remark(score)) <= SHORT else note)

    def beside(self, score: WideCell) -> str:
        """What stands beside the value."""
        return "" if self._of(score) else cells.remark(score)

    def letter(self, score: WideCell) -> str:
        """Letter of what is to be said of a cell; empty if there is nothing."""
        text = self._of(score)
        return self._letters[text][0] if text else ""

    def lines(self) -> list[tuple[str, str, int]]:
        """Letter, text and number of cells."""
        return [(letter, text, n) for text, (letter, n) in self._letters.items()]


class Named:
    """Tests and data of a long table, each once; its rows name their places in these lists.

    A script makes of them the addresses of samples and of what a score was made from.

    Args:
        content: what the pages show
        page: where the table stands
        model: the model
        entries: cells of the table
    """

    def __init__(self, content: Content, page: Page, model: Model, entries: Sequence[ModelCell]):
        self._content, self._page, self._model = content, page, model
        self._tests = {entry.test: entry.board for entry in entries}
        self._data = {(entry.key.data, entry.score.dataset): entry for entry in entries}
        self._test_places = {test: place for place, test in enumerate(self._tests)}
        self._data_places = {pair: place for place, pair in enumerate(self._data)}

    def of(self, entry: ModelCell) -> str:
        """Places of the test and the data of a cell."""
        data = self._data_places[entry.key.data, entry.score.dataset]
        return f"{self._test_places[entry.test]} {data}"

    def lists(self) -> dict[str, Any]:
        """The lists.

        ``tests``: id, title, and the beginning of the address of what its scores were made from;
        ``data``: name, the rest of that address, and the tests whose samples can be heard;
        ``hear``: the beginning of the address of samples; ``timelines``: where those of sound events
        are, by the places of test and data.
        """
        heard = {pair: self._heard(*pair) for pair in self._data}
        return {
            "tests": [
                [
                    test,
                    self._content.tests[test].title,
                    provenance_pages.origin(self._page, board, self._model, test),
                ]
                for test, board in self._tests.items()
            ],
            "data": [[data, anchor(dataset), heard[data, dataset]] for data, dataset in self._data],
            "hear": samplepages.of_model(self._page, self._target, self._model)
            if any(heard.values())
            else "",
            "timelines": {} if self._model.published else self._timelines(),
        }

    def _timelines(self) -> dict[str, str]:
        return {
            f"{at} {place}": f"#{event_details.timelines(test, data)}"
            for test, at in self._test_places.items()
            if (names := event_details.timed(self._content, self._target, self._model, test))
            for (data, _), place in self._data_places.items()
            if data in names
        }

    @property
    def _target(self) -> str:
        return next(iter(self._tests.values())).target

    def _heard(self, data: str, dataset: str) -> list[int]:
        """Places of the tests whose samples of some data a reader can go on to."""
        if self._model.published:
            return []
        key = self._data[data, dataset].key
        return [
            place
            for test, place in self._test_places.items()
            if samplepages.place(self._content, self._target, test, dataset, key)
        ]


def _rows(
    content: Content,
    page: Page,
    entries: Sequence[ModelCell],
    notes: Notes,
    marked: dict[int, str],
    named: Named,
) -> Iterator[dict[str, Any]]:
    values: dict[tuple[str, str], list[float]] = {}
    for entry in entries:
        if not math.isnan(entry.score.value):
            values.setdefault((entry.test, entry.metric), []).append(entry.score.value)
    digits = {key: decimals(numbers) for key, numbers in values.items()}
    sources = _sources(content, page, entries)
    before = data = ""
    for entry in entries:
        _, test, metric, key, score = entry
        name = anchor(test, metric)
        yield {
            "id": name if name != before else "",
            "worst": marked.get(id(score), ""),
            "of": named.of(entry),
            "test": content.tests[test].title,
            "metric": metric_names(metric)[0],
            "source": sources[key.data],
            "begins": key.data != data,
            "part": tables.part(key.condition, key.label, key.data) or "all",
            "rule": tables.rule(metric, [score]),
            "value": "" if math.isnan(score.value) else repr(score.value),
            "n": score.n,
            "why": notes.letter(score),
            "note": notes.beside(score),
            "cell": cells.cell(score, digits=digits.get((test, metric), 2)),
        }
        before, data = name, key.data
