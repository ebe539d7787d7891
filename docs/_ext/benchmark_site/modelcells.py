"""All cells of a model in one table, and those in which it fails most."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmark_site import cells, datasetpages, glossary, provenance_pages, samplepages, tables
from benchmark_site.content import Board, Content, metric_names
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import render, test_doc
from benchmark_site.sources import Model
from common.core.display import decimals
from common.metrics import METRICS
from common.reports.summary import Key, WideCell
from common.spec import Criterion

#: so many tests are named in which a model fails most
MOST = 5


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
        for metric, lines in board.scores.get(model.id, {}).get(test, {}).items()
        for key, score in lines.items()
    ]


def excess(value: float, criterion: str, metric: str = "") -> float:
    """How far a score lies from the best one, as a multiple of what the criterion allows.

    More than 1 fails. The best score is the upper bound of a metric that must be above a threshold,
    0 for a change, for an error and within a range around it, and the middle of a range.

    >>> excess(0.25, "> 0.5"), excess(0.3, "< 0.1"), excess(-0.3, "|x| < 0.1"), excess(-0.2, "> -0.1", "change_ccc")
    (1.5, 3.0, 3.0, 2.0)
    """
    try:
        rule = Criterion.of_text(criterion.replace("|x| >", ">"))
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
        hear = samplepages.base(content, page, board, model, test)
        rest = samplepages.place(content, board.target, test, score.dataset, key) if hear else ""
        doc = page.href(test_doc(board.target, test))
        failed = counts[test, "fail"]
        lines.append(
            {
                "test": content.tests[test].title,
                "href": doc,
                "metric": title,
                "term": term and term._replace(label=title),
                "part": tables.part(key.condition, key.label, key.data),
                "source": named[key.data],
                "cell": cells.cell(score, digits=decimals([score.value]), n=True),
                "rule": tables.rule(metric, [score]) or short,
                "times": f"{excess(score.value, score.criterion, metric):.1f}",
                "failed": failed,
                "judged": failed + counts[test, "pass"],
                "sound": hear + rest if rest else "",
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


def _is_heard(content: Content, entry: ModelCell) -> bool:
    """Whether a reader can go on to the samples of a cell."""
    board, test, _, key, score = entry
    there = samplepages.place(content, board.target, test, score.dataset, key)
    return bool(there) and not board.published


def _row(place: int) -> str:
    return f"worst-{place}"


def everything(content: Content, page: Page, model: Model, entries: Sequence[ModelCell]) -> Section:
    """Section with the one table of all cells."""
    style = tables.Style([[entry.score] for entry in entries])
    marked = {id(entry.score): _row(n) for n, entry in enumerate(worst(entries), 1)}
    rows = list(_rows(content, page, model, entries, style, marked))
    tests = dict.fromkeys((entry.test, content.tests[entry.test].title) for entry in entries)
    html = render(
        "all_cells.j2",
        label=model.label,
        rows=rows,
        hear=samplepages.of_model(page, entries[0].board.target, model)
        if any(row["hear"] for row in rows)
        else "",
        tests=list(tests),
        has_n=any(entry.score.n is not None for entry in entries),
        intervals=any(row["cell"].interval for row in rows),
        notes=style.footnotes(),
        terms=glossary.terms(content, page, (entry.metric for entry in entries)),
        sure=cells.sure(entry.score for entry in entries),
    )
    return Section("all-cells", "All cells", html)


def _rows(
    content: Content,
    page: Page,
    model: Model,
    entries: Sequence[ModelCell],
    style: tables.Style,
    marked: dict[int, str],
) -> Iterator[dict[str, Any]]:
    values: dict[tuple[str, str], list[float]] = {}
    for entry in entries:
        if not math.isnan(entry.score.value):
            values.setdefault((entry.test, entry.metric), []).append(entry.score.value)
    digits = {key: decimals(numbers) for key, numbers in values.items()}
    texts = [_texts(entry) for entry in entries]
    orders = [_order(column) for column in zip(*texts, strict=True)]
    origins = {
        (entry.board.name, entry.test): provenance_pages.origin(
            page, entry.board, model, entry.test
        )
        for entry in entries
    }
    named = _sources(content, page, entries)
    before = ""
    for entry, columns in zip(entries, texts, strict=True):
        board, test, metric, _, score = entry
        name = anchor(test, metric)
        yield {
            "id": name if name != before else "",
            "worst": marked.get(id(score), ""),
            "tag": test,
            "test": content.tests[test].title,
            "texts": [(text, order[text]) for text, order in zip(columns, orders, strict=True)],
            "source": named[entry.key.data],
            "value": "" if math.isnan(score.value) else repr(score.value),
            "low": "" if math.isnan(score.ci_low) else f"{score.ci_low:.4g}",
            "n": score.n,
            "hear": entry.key.data if _is_heard(content, entry) else "",
            "cell": cells.cell(
                score,
                digits=digits.get((test, metric), 2),
                why=style.why(score),
                origin=origins[board.name, test],
            ),
        }
        before = name


def _texts(entry: ModelCell) -> tuple[str, str, str, str]:
    """Metric, data, part and rule."""
    key = entry.key
    part = tables.part(key.condition, key.label, key.data) or "all"
    rule = tables.rule(entry.metric, [entry.score])
    return metric_names(entry.metric)[1], key.data, part, rule


def _order(texts: Sequence[str]) -> dict[str, int]:
    """Place of each text in alphabetical order."""
    return {text: place for place, text in enumerate(sorted(set(texts)))}
