"""Pages of a model, one per target, with tabs between them.

Each target is a page of its own: addresses, provenance and what a page is made from stay per
target, a page stays small, and a value that changes makes one page anew. The tabs are links, which
work without a script.
"""

from __future__ import annotations

import shlex
from typing import Any

from markupsafe import Markup

from benchmark_site import (
    compare_page,
    datasetpages,
    dose,
    event_details,
    media,
    modelcells,
    slices,
    versions,
)
from benchmark_site.content import Board, Content, words
from benchmark_site.export import badge_file, card_file, rows_file
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import model_doc, provenance_doc, render, target_doc, test_doc
from benchmark_site.sources import COST, FACTS, FOUNDATION, WEIGHTS, Model
from benchmark_site.tables import Source
from common.reports.summary import total

#: facts that stand above the scores
IDENTITY = (
    *(FACTS[key] for key in ("version", "author", "source")),
    WEIGHTS,
    FACTS["license"],
    *(COST[key] for key in ("parameters", "size", "rtf", "memory")),
)

#: title of the facts, which have files to download on a website
ABOUT = "Facts, downloads, badge and card"


def page(content: Content, target: str, model: Model, before: bytes = b"") -> Page:
    """Page of a model.

    Args:
        content: what the pages show
        target: the target
        model: the model
        before: content of a page file with all below the first lines, made of the same rows; empty:
            it is made now
    """
    title = f"{model.label}: {content.label(target).lower()}"
    page = Page(model_doc(target, model), title, before=before)
    boards = content.boards_of(target, model)
    page.html = render(
        "model.j2",
        label=model.label,
        boards=[
            {
                "name": board.name,
                "title": board.title,
                "total": total(board.tallies.get(model.id, {}).values()),
                "sure": board.scores.second(model.id),
                "standing": board.standing(model),
                "floor": board.standings.floor_score,
                "ranking": f"{page.href(target_doc(target))}#{board.name}",
                "compare": compare_page.address(page, target, [(board.name, model.id)]),
            }
            for board in boards
        ],
        chance=model.chance,
        published=model.published,
        built=_built(model),
        identity=_identity(model),
        elsewhere=_elsewhere(content, page, target, model),
    )
    if not before:
        page.sections = _sections(content, page, target, model)
    return page


def _sections(content: Content, page: Page, target: str, model: Model) -> list[Section]:
    """What does not depend on how other models did."""
    boards = content.boards_of(target, model)
    parts: list[Section] = []
    entries = modelcells.cells_of(boards, model)
    if entries:
        parts.append(modelcells.fails_most(content, page, model, entries))
        parts.append(modelcells.everything(content, page, model, entries))
        parts.append(Section("tests", "Tests", _tests(content, page, boards, model)))
    worse = slices.section(content, page, target, model)
    if worse:
        title = "Slices of the samples in which it is worse than elsewhere"
        worse.html = render("folded.j2", title=title, html=Markup(worse.html))
        parts.append(worse)
    parts.append(Section("about", "About the model", _facts(content, page, target, model)))
    past = versions.section(content, target, model)
    if past:
        past.html = render("folded.j2", title="How its versions did", html=Markup(past.html))
        parts.append(past)
    return parts


def _identity(model: Model) -> list[tuple[str, str, str]]:
    """What a reader asks first of a model: name, value, address."""
    facts = dict(model.facts)
    entries = [(label, facts[label], "") for label in IDENTITY if facts.get(label)]
    paper = facts.get(FOUNDATION["paper"])
    if paper:
        entries.append((FOUNDATION["paper"], paper, facts.get(FOUNDATION["link"], "")))
    return entries


def _built(model: Model) -> str:
    """Sentence on the network that a published model was built on; empty if nothing is known."""
    facts = dict(model.facts)
    network, developer, millions = (
        facts.get(FOUNDATION[key], "")
        for key in ("architecture", "developer", "parameters_million")
    )
    if not network:
        return ""
    size = f", about {millions} million parameters" if millions else ""
    return f"Built on {network} ({developer}{size})."


def _elsewhere(content: Content, page: Page, target: str, model: Model) -> list[dict[str, Any]]:
    """The same model in all targets."""
    entries = [
        {
            "label": content.label(other),
            "href": page.href(model_doc(other, same)),
            "current": other == target,
        }
        for other, same in content.targets_of(model).items()
    ]
    return entries if len(entries) > 1 else []


def _not_run(content: Content, page: Page, model: Model) -> list[dict[str, str]]:
    """Datasets that were not there, with the tests that miss them."""
    lines: dict[tuple[str, str], list[str]] = {}
    for key, reason in model.not_run.items():
        test, _, dataset = key.partition("/")
        lines.setdefault((dataset, reason), []).append(test)
    suite = content.benchmark.tests
    titles = {
        key: ", ".join(suite[test].title if test in suite else test for test in sorted(tests))
        for key, tests in lines.items()
    }
    return datasetpages.not_run(content, page, titles)


def _facts(content: Content, page: Page, target: str, model: Model) -> str:
    facts = render(
        "facts.j2",
        facts=model.facts,
        csv=page.file(f"data/{rows_file(target, model)}"),
        schema=page.file("data/schema.json"),
        not_run=_not_run(content, page, model),
        provenance="" if model.published else page.href(provenance_doc(target, model)),
        card=page.file(f"data/{card_file(model)}"),
        badge=page.file(f"data/{badge_file(target, model)}"),
        label=model.label,
        report=f"python build.py report {shlex.quote(model.id)} --pdf",
    )
    return render("folded.j2", title=ABOUT, html=Markup(facts))


def _tests(content: Content, page: Page, boards: list[Board], model: Model) -> str:
    families: dict[str, list[dict[str, Any]]] = {}
    for test in dict.fromkeys(test for board in boards for test in board.tests):
        parts = [board for board in boards if board.tally(model, test)]
        if parts:
            family = words(content.tests[test].family)
            families.setdefault(family, []).append(_test(content, page, parts, model, test))
    return render(
        "model_tests.j2",
        families=[{"title": title, "tests": tests} for title, tests in families.items()],
        certain=any(
            part["sure"].judged
            for tests in families.values()
            for test in tests
            for part in test["parts"]
        ),
        detailed=any(
            test["groups"] or test["figures"] or test["events"] or test["doses"]
            for tests in families.values()
            for test in tests
        ),
    )


def _named(
    content: Content, page: Page, boards: list[Board], model: Model, test: str
) -> dict[str, Source]:
    """Names of the data of a test."""
    pairs = (
        (key.data, score.dataset)
        for board in boards
        for lines in board.scores.of_model(model.id)[test].values()
        for key, score in lines.items()
    )
    return datasetpages.sources(content, page, pairs)


def _test(
    content: Content, page: Page, boards: list[Board], model: Model, test: str
) -> dict[str, Any]:
    """What is known about a model in a test beside its scores."""
    facts = content.tests[test]
    target = boards[0].target
    method = f"method/{test}"
    metrics = [metric for board in boards for metric in board.scores.of_model(model.id)[test]]
    listed = not model.published
    return {
        "anchor": anchor("test", test),
        "title": facts.title,
        "description": facts.description,
        # shares mean something beside shares on the same data only
        "parts": [
            {
                "title": board.title,
                "tally": board.tally(model, test),
                "sure": board.scores.second(model.id, test),
            }
            for board in boards
        ],
        "side_by_side": page.href(test_doc(target, test)),
        "method": page.href(method) if method in content.method_pages else "",
        "cells": anchor(test, metrics[0]),
        "figures": media.of_model(
            content, page, target, model, test, _named(content, page, boards, model, test)
        )
        if listed
        else [],
        "events": Markup(event_details.of_model(content, page, target, model, test))
        if listed
        else "",
        "groups": [
            {
                "groups": groups,
                "title": f"{facts.title}: {board.title}",
                "method": content.uncertainty(page),
                "names": datasetpages.naming(content, board.datasets),
            }
            for board in boards
            if (groups := board.groups.get(model.id, test))
        ],
        "doses": Markup(dose.of_model(content, page, target, model, test)),
    }
