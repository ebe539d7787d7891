"""One page per dataset: what it is, which tests use it, and how models do on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import pandas as pd

from benchmark_site import datasetfacts
from benchmark_site.cell_data import NOT_STATED, language_of, languages
from benchmark_site.cells import VERDICTS
from benchmark_site.content import FAMILIES, Board, Content, alike, words
from benchmark_site.memory import digest
from benchmark_site.naming import dataset_names, entry_of, shown_as
from benchmark_site.page import Page, Planned, Section
from benchmark_site.render import ROOT, dataset_doc, model_doc, render, target_doc, test_doc
from benchmark_site.tables import Source
from common.spec import Dataset

INDEX = f"{ROOT}/dataset/index"
#: target and model -> passed and executed cells
Shares = dict[tuple[str, str], tuple[int, int]]
#: source and dataset -> how models do on it
Counts = dict[tuple[str, str], Shares]
#: columns that are looked at
USED = ("dataset", "dataset_version", "data", "test", "target", "n")
#: what the catalog says where nobody knows
UNKNOWN = ("", "unknown")


def _entries(content: Content, dataset: str) -> list[Dataset]:
    """The entry of a dataset, and those of its parts."""
    entries = content.benchmark.datasets.values()
    return [entry for entry in entries if dataset in (entry.id, entry.database)]


def label_of(content: Content, dataset: str) -> str:
    """Name of a dataset."""
    return content.dataset(dataset)


def links(content: Content, page: Page, datasets: Iterable[str]) -> list[dict[str, str]]:
    """Names and addresses of datasets, by name."""
    order = sorted(set(datasets), key=lambda name: (label_of(content, name).lower(), name))
    return [
        {"label": label_of(content, name), "href": page.href(dataset_doc(name))} for name in order
    ]


def not_run(
    content: Content, page: Page, missing: Mapping[tuple[str, str], str]
) -> list[dict[str, str]]:
    """Lines on datasets that were not there: names, addresses, reasons.

    Args:
        content: what the pages show
        page: where they are shown
        missing: dataset and reason -> who missed it
    """
    names = dataset_names(content, {dataset for dataset, _ in missing})
    return [
        {
            "id": dataset,
            "name": names[dataset],
            "href": page.href(dataset_doc(shown)) if (shown := shown_as(content, dataset)) else "",
            "reason": reason,
            "models": who,
        }
        for (dataset, reason), who in sorted(missing.items())
    ]


def sources(content: Content, page: Page, pairs: Iterable[tuple[str, str]]) -> dict[str, Source]:
    """Data -> name of its dataset, its part, and its page.

    Args:
        content: what the pages show
        page: where they are shown
        pairs: data and the dataset that it is a part of
    """
    return {
        data: Source(
            label_of(content, dataset),
            data.removeprefix(dataset).lstrip("-"),
            page.href(dataset_doc(dataset)),
        )
        for data, dataset in dict.fromkeys(pairs)
    }


def naming(content: Content, datasets: Iterable[str]) -> Callable[[str], str]:
    """Function that names data in words: their dataset, and which part of it they are.

    Args:
        content: what the pages show
        datasets: those that data may belong to
    """
    longest_first = sorted(datasets, key=len, reverse=True)

    def name(data: str) -> str:
        for dataset in longest_first:
            if data == dataset or data.startswith(f"{dataset}-"):
                part = data.removeprefix(dataset).lstrip("-")
                return ", ".join(filter(None, (label_of(content, dataset), part)))
        return data

    return name


def planned(content: Content) -> Iterator[Planned]:
    """All pages of datasets, the list of them first.

    There is one for each dataset with results, and for each of the catalog, but for demonstration data
    that were not used.
    """
    table = content.table[list(USED)].drop_duplicates()  # models share most of it
    groups = {str(name): rows for name, rows in table.groupby("dataset", sort=True)}
    groups |= dict.fromkeys(_unused(content, groups), table.iloc[:0])
    if not groups:
        return
    order = sorted(groups, key=lambda name: label_of(content, name).lower())
    index = _index(content, {name: groups[name] for name in order})
    yield Planned(INDEX, [index.data.decode()], lambda: index)
    counts = _counts(content)
    boards = alike(content)
    models = [
        digest(
            [
                [
                    board.target,
                    board.title,
                    [[m.id, m.label, m.chance, m.published] for m in board.models],
                ]
                for board in part
            ]
        )
        for part in boards
    ]
    for name in order:
        page = _page(content, name, groups[name])
        shown = [(part, _shares(part, name, counts)) for part in boards]
        lists = [[[*key, *pair] for key, pair in sorted(shares.items())] for _, shares in shown]
        here = [[name in board.datasets for board in part] for part in boards]
        inputs = [page.data.decode(), models, here, lists]
        yield Planned(page.doc, inputs, partial(_with_models, content, page, name, shown))


def _unused(content: Content, datasets: Collection[str]) -> list[str]:
    """Datasets of the catalog without results: as a whole where they have parts."""
    return list(
        dict.fromkeys(
            entry.database
            for entry in content.benchmark.datasets.values()
            if not entry.embedded and {entry.id, entry.database}.isdisjoint(datasets)
        )
    )


def _counts(content: Content) -> Counts:
    """Passed and executed cells of each model on each dataset."""
    names = ["source", "dataset", "target", "model"]
    executed = content.table[[*names, "status"]][content.table["status"].isin(VERDICTS)]
    groups = (executed["status"] == "pass").groupby([executed[name] for name in names], sort=False)
    table = groups.agg(["sum", "count"])
    numbers = zip(table["sum"].tolist(), table["count"].tolist(), strict=True)
    counts: Counts = {}
    for (source, dataset, target, model), pair in zip(table.index.tolist(), numbers, strict=True):
        counts.setdefault((source, dataset), {})[target, model] = pair
    return counts


def _shares(boards: list[Board], dataset: str, counts: Counts) -> Shares:
    """How models of some boards do on a dataset."""
    source = "published" if boards[0].published else "run"
    return counts.get((source, dataset), {})


def _index(content: Content, groups: dict[str, pd.DataFrame]) -> Page:
    page = Page(INDEX, "Datasets")
    rows = [
        {
            "label": label_of(content, name),
            "href": page.href(dataset_doc(name)),
            "language": _languages(content, name, rows),
            "license": _license(content, name),
            "samples": _samples(rows),
            "tests": rows["test"].nunique(),
        }
        for name, rows in groups.items()
    ]
    page.html = render("datasets.j2", rows=rows)
    return page


def _page(content: Content, dataset: str, rows: pd.DataFrame) -> Page:
    """Page without how models do."""
    page = Page(dataset_doc(dataset), label_of(content, dataset))
    entry = entry_of(content, dataset)
    facts = {
        "Version": _names(rows["dataset_version"]) if len(rows) else entry.version if entry else "",
        **datasetfacts.sizes(content, _entries(content, dataset)),
        "Language": _languages(content, dataset, rows),
        "License": _license(content, dataset),
        "Source": entry.source if entry else "",
        "Samples behind one cell, at most": f"{_samples(rows):,}".replace(",", "\u202f")
        if _samples(rows)
        else "",
        "Parts, as result files name them": _names(rows["data"]),
    }
    page.html = render(
        "dataset.j2",
        description=entry.description if entry and entry.id == dataset else "",
        facts=[(name, value) for name, value in facts.items() if value],
    )
    audio = datasetfacts.of_dataset(content, page, dataset, _entries(content, dataset))
    if audio:
        page.sections.append(Section("audio", "Samples and audio", audio))
    shown = _tests(content, page, rows) if len(rows) else _no_tests(content, dataset, bool(audio))
    page.sections.append(Section("tests", "Tests that use it", shown))
    return page


def _with_models(
    content: Content, page: Page, dataset: str, shown: Iterable[tuple[list[Board], Shares]]
) -> Page:
    """Page with how models do, before the tests that use the dataset."""
    *before, tests = page.sections
    parts = (
        (boards[0], _models(content, page, boards, dataset, shares)) for boards, shares in shown
    )
    sections = [
        Section(board.name, f"{board.title}: models", html) for board, html in parts if html
    ]
    return Page(page.doc, page.title, page.html, [*before, *sections, tests])


def _no_tests(content: Content, dataset: str, described: bool) -> str:
    """What a dataset without results is good for."""
    entries = _entries(content, dataset)
    names = {entry.id for entry in entries}
    changes = [
        change
        for change in content.benchmark.perturbations.values()
        if any(
            isinstance(value, Mapping) and value.get("dataset") in names
            for value in change.params.values()
        )
    ]
    return render(
        "dataset_unused.j2",
        described=described,
        changes=changes,
        commands=[
            f"python build.py {command} --dataset {entry.id}"
            for entry in entries
            if not entry.builtin
            for command in (("run",) if described else ("describe", "run"))
        ],
    )


def _models(content: Content, page: Page, boards: list[Board], dataset: str, shares: Shares) -> str:
    """Models by targets: the share of their executed cells on these data that they pass."""
    boards = [board for board in boards if dataset in board.datasets]
    if not boards or not shares:
        return ""
    shown = [board for board in boards if any(key[0] == board.target for key in shares)]
    models = {model.id: model for board in shown for model in board.models}
    lines = []
    for name, model in models.items():
        pairs = [shares.get((board.target, name)) for board in shown]
        judged = [pair for pair in pairs if pair]
        if not judged:
            continue
        share = Fraction(sum(pair[0] for pair in judged), sum(pair[1] for pair in judged))
        cells = [
            {
                "share": Fraction(*pair),
                "hint": f"{pair[0]} of {pair[1]} cells passed",
                "href": page.href(model_doc(board.target, model)),
            }
            if pair
            else None
            for board, pair in zip(shown, pairs, strict=True)
        ]
        row = {"label": model.label, "href": "", "cells": cells, "remark": ""}
        row["remark"] = "chance model" if model.chance else ""
        lines.append((model.chance, -share, model.label.lower(), row))
    if not lines:
        return ""
    lines.sort(key=lambda line: line[:3])
    return render(
        "dataset_models.j2",
        label=f"{boards[0].title}: shares of passed cells on {page.title}",
        corner="Model",
        columns=[
            {
                "label": content.label(board.target),
                "href": page.href(target_doc(board.target)),
                "chance": False,
            }
            for board in shown
        ],
        groups=[{"title": "", "rows": [line[3] for line in lines]}],
        sortable=True,
    )


def _tests(content: Content, page: Page, rows: pd.DataFrame) -> str:
    """Tests by families, each with its targets."""
    used = set(rows[["test", "target"]].drop_duplicates().itertuples(index=False, name=None))
    groups: dict[str, list[dict[str, Any]]] = {}
    order = {family: place for place, family in enumerate(FAMILIES)}
    facts = [content.tests[test] for test in sorted({test for test, _ in used})]
    for fact in sorted(facts, key=lambda fact: order.get(fact.family, len(order))):
        targets = [
            {"label": content.label(target), "href": page.href(test_doc(target, fact.id))}
            for target in content.boards
            if (fact.id, target) in used
        ]
        groups.setdefault(words(fact.family), []).append({"label": fact.title, "targets": targets})
    return render("dataset_tests.j2", groups=groups)


def _names(values: pd.Series) -> str:
    """Texts of a column, each once."""
    return ", ".join(sorted(set(values.unique().tolist()) - {""}))


def _languages(content: Content, dataset: str, rows: pd.DataFrame) -> str:
    """Languages that rows name, or else those of the samples, where a run has described them."""
    names = languages()["names"]
    codes = {language_of(dataset, data) for data in rows["data"].unique().tolist() or [dataset]}
    if not codes & names.keys():
        codes = datasetfacts.languages_of(content, _entries(content, dataset))
    return ", ".join(sorted(names[code] for code in codes if code in names)) or NOT_STATED


def _license(content: Content, dataset: str) -> str:
    entry = entry_of(content, dataset)
    text = entry.license if entry else ""
    return NOT_STATED if text in UNKNOWN else text


def _samples(rows: pd.DataFrame) -> int:
    """Largest number of samples behind a cell; 0 if no row says it."""
    numbers = rows["n"].dropna()
    return int(numbers.max()) if len(numbers) else 0
