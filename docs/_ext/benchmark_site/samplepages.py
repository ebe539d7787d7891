"""Page of a target that leads from its cells to their samples: worst first, heard and seen.

A table of samples lies in a script that the page loads when it is wanted
(:mod:`common.pages.listening.cell_samples`). Without scripts the page shows the worst samples of
each model.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from benchmark_site import datasetpages, event_details
from benchmark_site.columns import Samples
from benchmark_site.content import Board, Content
from benchmark_site.media import FOLDER
from benchmark_site.page import Page, slug
from benchmark_site.render import ROOT, model_doc, render
from benchmark_site.sources import Model
from benchmark_site.tables import Source, unheard
from common.core.display import number
from common.core.paths import TABLES
from common.reports.summary import Key, WideCell
from common.results import sample_tables
from common.results.sample_tables import EVENTS, NUMBER, PICTURE, SCALE, WORD
from common.spec.view import ORIGINAL

#: so many samples of a model and dataset are shown without scripts
WORST = 5


def doc(target: str) -> str:
    """Name of the page."""
    return f"{ROOT}/{slug(target)}/samples/index"


def of_test(content: Content, page: Page, board: Board, model: Model, test: str) -> Samples:
    """Addresses of the samples of the cells of a model in a test: on their page, or their timelines."""
    return unheard if board.published else _Heard(content, page, board.target, model, test)


@dataclass(frozen=True)
class _Heard:
    """Addresses of samples; arguments as of :func:`of_test`."""

    content: Content
    page: Page
    target: str
    model: Model
    test: str

    def __call__(self, score: WideCell, key: Key) -> str:
        rest = place(self.content, self.target, self.test, score.dataset, key)
        if rest:
            query = urlencode({"model": self.model.id, "test": self.test})
            return f"{self.page.href(doc(self.target))}#?{query}{rest}"
        if key.data not in self._timed:
            return ""
        timelines = event_details.timelines(self.test, key.data)
        return f"{self.page.href(model_doc(self.target, self.model))}#{timelines}"

    @cached_property
    def _timed(self) -> frozenset[str]:
        return event_details.timed(self.content, self.target, self.model, self.test)


def of_model(page: Page, target: str, model: Model) -> str:
    """Address of the samples of a model, to which a script adds the cells of a long table."""
    return f"{page.href(doc(target))}#?{urlencode({'model': model.id})}"


def place(content: Content, target: str, test: str, dataset: str, key: Key) -> str:
    """Rest of the address of the samples of a cell; empty if there are none."""
    entry = content.sample_datasets(target).get(dataset)
    if entry is None or entry["silent"] or test not in entry["tests"]:
        return ""
    condition = "" if key.condition == ORIGINAL else key.condition
    parts = {"data": key.data, "line": condition, "of": key.label}
    return "&" + urlencode({name: text for name, text in parts.items() if text}, quote_via=quote)


def page(content: Content, target: str) -> Page:
    """The page."""
    page = Page(doc(target), f"Samples: {content.label(target).lower()}")
    models = models_of(content, target)
    entries = {
        name: {**entry, **_about(content, name)}
        for name, entry in content.sample_datasets(target).items()
        if name in _places(content, target)
    }
    tables = {
        name: {}
        if entry["silent"]
        else sample_tables.read(content.paths.sample_table(target, name))
        for name, entry in entries.items()
    }
    config = {
        "target": target,
        "models": [
            [model.id, model.label, model.chance, page.href(model_doc(target, model))]
            for model in models
        ],
        "tests": _tests(content, target, entries),
        "data": [
            [*place, shown(tables[place[1]], [model.id for model in models], place[0], place[2])]
            for place in _data(content, page, target, entries)
        ],
        "media": page.file(FOLDER),
        "files": {
            name: page.file(f"{FOLDER}/{TABLES}/{target}/{name}.js")
            for name, entry in entries.items()
            if not entry["silent"]
        },
    }
    page.html = render(
        "listen.j2",
        config=json.dumps(config, ensure_ascii=False, separators=(",", ":")),
        parts=sorted(
            (_part(page, models, e, tables[name]) for name, e in entries.items()),
            key=lambda part: not part["lists"],
        ),
    )
    return page


def models_of(content: Content, target: str) -> list[Model]:
    """Own models of a target, best first."""
    ranked = [
        line.model
        for board in content.boards[target]
        if not board.published
        for line in board.ranking
    ]
    return sorted({m.id: m for m in ranked}.values(), key=lambda model: model.chance)


def _places(content: Content, target: str) -> dict[str, list[tuple[str, str]]]:
    """Test and name of the data of the own rows of each dataset."""
    places: dict[str, dict[tuple[str, str], None]] = {}
    for board in content.boards[target]:
        if not board.published:
            columns = [board.table[name].tolist() for name in ("dataset", "test", "data")]
            for dataset, test, data in zip(*columns, strict=True):
                places.setdefault(dataset, {})[test, data] = None
    return {dataset: list(pairs) for dataset, pairs in places.items()}


def _about(content: Content, dataset: str) -> dict[str, str]:
    """Name, licence and source of a dataset, as its entry says today."""
    entry = content.benchmark.datasets.get(dataset)
    source = entry.source if entry and entry.source.startswith(("https://", "http://")) else ""
    return {
        "label": content.dataset(dataset),
        "license": entry.license if entry else "",
        "source": source,
    }


def _tests(content: Content, target: str, entries: Mapping[str, Any]) -> list[list[str]]:
    """Id and title of the tests with samples, in the order of the pages."""
    heard = {test for entry in entries.values() for test in entry["tests"]}
    order = dict.fromkeys(test for board in content.boards[target] for test in board.tests)
    return [[test, content.tests[test].title] for test in order if test in heard]


def _data(content: Content, page: Page, target: str, entries: Mapping[str, Any]) -> list[list[str]]:
    """Test, dataset, data as result rows name them, and their name for readers, in the order of the tests."""
    places = _places(content, target)
    pairs = [
        (test, dataset, data)
        for test, _ in _tests(content, target, entries)
        for dataset in entries
        for other, data in sorted(places[dataset])
        if other == test and test in entries[dataset]["tests"]
    ]
    named = datasetpages.sources(content, page, ((data, dataset) for _, dataset, data in pairs))
    return [[*pair, _name(named[pair[2]])] for pair in pairs]


def _name(source: Source) -> str:
    return f"{source.label} ({source.part})" if source.part else source.label


def _part(
    page: Page, models: list[Model], entry: Mapping[str, Any], table: Mapping[str, Any]
) -> dict[str, Any]:
    """What is shown of a dataset without scripts."""
    lists = [
        {"label": model.label, "rows": rows}
        for model in models
        if table and model.id in table["answers"]
        if (rows := [_row(page, table, model.id, n) for n in worst(table, model.id)])
    ]
    room = {name: table.get(name) for name in ("total", "mb", "unheard")}
    return {
        **entry,
        **room,
        "here": bool(table),
        "annotated": bool(table) and (table["truth"] is not None or bool(lists)),
        "lists": lists,
        "sounds": len(table.get("sounds", ())),
    }


def losses(table: Mapping[str, Any], model: str) -> list[float | None]:
    """How wrong each answer of a model is, as in :mod:`common.pages.listening.sample_table`.

    >>> words = {"kind": "word", "labels": 2, "truth": [0, 1, 2, 1]}
    >>> losses({**words, "answers": {"cnn": [0, 0, 0, None]}}, "cnn")
    [0.0, 1.0, None, None]
    """
    if table["kind"] == EVENTS:
        return list(table["losses"][model])
    answers, truth = table["answers"][model], table["truth"]
    if table["kind"] == NUMBER:
        present = [value for value in answers if value is not None]
        middle = statistics.median(present) if present else 0
        truth = truth or [middle] * len(answers)
        return [
            None if a is None or t is None else abs(a - t)
            for a, t in zip(answers, truth, strict=True)
        ]
    truth = truth or [None] * len(answers)
    return [
        None if a is None or t is None or t >= table["labels"] else float(a != t)
        for a, t in zip(answers, truth, strict=True)
    ]


def shown(table: Mapping[str, Any], models: Sequence[str], test: str, data: str) -> list[int]:
    """Places of the models that have samples in a test on some data, in the line that opens first.

    Args:
        table: samples of the dataset; empty: there is none
        models: ids of models
        test: id of the test
        data: as result rows name it

    >>> table = {"kind": "word", "labels": 1, "truth": [0, 5], "answers": {"a": [0, 0], "b": [None, 0]},
    ...          "changes": {}, "tests": {"t": {"samples": None, "lines": [["d", "original", [], None]]}}}
    >>> shown(table, ["a", "b", "c"], "t", "d"), shown(table, ["a"], "t", "other"), shown({}, ["a"], "t", "d")
    ([0], [], [])
    """
    entry = table["tests"].get(test) if table else None
    line = next((each for each in entry["lines"] if each[0] == data), None) if entry else None
    if line is None:
        return []
    return [
        place
        for place, model in enumerate(models)
        if any(
            is_known and _inside(entry["samples"], n) and _inside(line[3], n)
            for n, is_known in enumerate(_known(table, f"{test}/{line[1]}", model))
        )
    ]


def _known(table: Mapping[str, Any], name: str, model: str) -> Iterable[bool]:
    """Whether it is known of each sample how bad it is.

    Args:
        table: samples of a dataset
        name: key of the change that is looked at, if there is one of that name
        model: id of the model
    """
    change = table["changes"].get(name)
    if change is None:
        return (
            (loss is not None for loss in losses(table, model)) if model in table["answers"] else ()
        )
    before = (change["before"] or table["answers"]).get(model, ())
    after = change["after"].get(model, ())
    return (None not in pair for pair in zip(before, after, strict=False))


def _inside(bits: str | None, place: int) -> bool:
    """Whether a sample belongs to a set, which has four samples in a letter; None has all."""
    return bits is None or bool(int(bits[place // 4], 16) >> (3 - place % 4) & 1)


def worst(table: Mapping[str, Any], model: str) -> list[int]:
    """Places of the samples with the largest errors."""
    ranked = [(-loss, place) for place, loss in enumerate(losses(table, model)) if loss]
    return [place for _, place in sorted(ranked)[:WORST]]


def _row(page: Page, table: Mapping[str, Any], model: str, place: int) -> dict[str, Any]:
    sound = table["heard"][""].get(str(place))
    src = table["sounds"][sound][0] if sound is not None else ""
    truth = "" if table["truth"] is None else text(table, table["truth"][place])
    return {
        "sample": table["samples"][place],
        "truth": truth,
        "answer": text(table, table["answers"][model][place]),
        "wrong": table["kind"] == WORD and bool(truth),
        "src": page.file(f"{FOLDER}/{src}") if src else "",
        "picture": page.file(f"{FOLDER}/{src.removesuffix('.flac')}{PICTURE}") if src else "",
    }


def text(table: Mapping[str, Any], value: Any) -> str:
    """Truth or answer as text; empty if there is none.

    >>> text({"kind": "number"}, 4561), text({"kind": "word", "words": ["joy"]}, 0)
    ('0.456', 'joy')
    >>> text({"kind": "events", "words": ["dog"]}, [[0.5, 1.25, 0]]), text({"kind": "events"}, [])
    ('dog 0.50 to 1.25 s', 'no event')
    """
    if value is None:
        return ""
    if table["kind"] == EVENTS:
        events = [f"{table['words'][at]} {on:.2f} to {off:.2f} s" for on, off, at in value]
        return "; ".join(events) or "no event"
    return number(value / SCALE, digits=3) if table["kind"] == NUMBER else table["words"][value]
