"""The first page of the results and the ranking of each target."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from benchmark_site.cells import percent
from benchmark_site.comparison import Plan
from benchmark_site.content import Board, Content, Ranked, words
from benchmark_site.export import FILES
from benchmark_site.page import Page, Section
from benchmark_site.render import ROOT, model_doc, render, target_doc, test_doc

#: models this near to the first are as good as equal
NEAR = Fraction(1, 100)


def index(content: Content) -> Page:
    """First page: every target with its best models, and all shares at a glance."""
    page = Page(f"{ROOT}/index", "Results")
    page.children = [target_doc(target) for target in content.boards]
    page.html = render(
        "index.j2",
        targets=[_target(content, page, target) for target in content.boards],
        cells=len(content.table),
        data={name: page.file(f"data/{name}") for name in FILES},
    )
    boards: dict[str, list[Board]] = {}
    for found in content.boards.values():
        for board in found:
            boards.setdefault(board.name, []).append(board)
    for name, found in boards.items():
        html = render("matrix.j2", **_all_targets(content, page, found), sortable=True)
        page.sections.append(Section(name, f"{found[0].title}: all targets", html))
    return page


def cards(content: Content) -> str:
    """Targets with their best models, with addresses as seen from the top of the site."""
    top = Page("index", "")
    return render("cards.j2", targets=[_target(content, top, target) for target in content.boards])


def _target(content: Content, page: Page, target: str) -> dict[str, Any]:
    return {
        "label": content.label(target),
        "href": page.href(target_doc(target)),
        "description": content.description(target),
        "boards": [
            {
                "title": board.title,
                "lines": [_line(page, board, ranked) for ranked in _first(board)],
            }
            for board in content.boards[target]
        ],
    }


def _first(board: Board) -> list[Ranked]:
    """The first three places; without any place the models that were judged."""
    found = [ranked for ranked in board.ranked if (ranked.position or 0) <= 3]
    return found or board.judged[:3]


def _line(page: Page, board: Board, ranked: Ranked) -> dict[str, Any]:
    """Line of a ranking for the templates."""
    return {
        "position": ranked.position,
        "remark": ranked.remark,
        "chance": ranked.model.chance,
        "label": ranked.model.label,
        "href": page.href(model_doc(board.target, ranked.model)),
        "total": ranked.total,
        "mean": ranked.mean,
        "families": ranked.families,
    }


def _all_targets(content: Content, page: Page, boards: list[Board]) -> dict[str, Any]:
    """Table of models by targets: share of passed cells, best mean first."""
    lines = [{r.model.id: r for r in board.ranking if not r.model.chance} for board in boards]

    def mean(name: str) -> Fraction:
        shares = [found[name].total.share or Fraction() for found in lines if name in found]
        return sum(shares, Fraction()) / len(shares)

    names = {name: found[name].model.label for found in lines for name in found}
    rows = []
    for name in sorted(names, key=lambda name: (-mean(name), name)):
        entries: list[dict[str, Any] | None] = [
            {
                "tally": found[name].total,
                "href": page.href(model_doc(board.target, found[name].model)),
            }
            if name in found
            else None
            for board, found in zip(boards, lines, strict=True)
        ]
        rows.append({"label": names[name], "href": "", "cells": entries})
    return {
        "label": f"Share of passed cells per model and target: {boards[0].title}",
        "corner": "Model",
        "columns": [
            {
                "label": content.label(board.target),
                "href": page.href(target_doc(board.target)),
                "chance": False,
            }
            for board in boards
        ],
        "groups": [{"title": "", "rows": rows}],
    }


def ranking(content: Content, target: str, plans: Sequence[Plan]) -> Page:
    """Ranking of a target: which model, and how far to trust the order."""
    page = Page(target_doc(target), content.label(target))
    boards = content.boards[target]
    page.html = render(
        "target.j2",
        description=content.description(target),
        boards=[{"anchor": board.name, "title": board.title} for board in boards],
    )
    page.sections = [_board(content, page, board) for board in boards]
    tests = dict.fromkeys(test for board in boards for test in board.tests)
    page.children = [
        *(test_doc(target, test) for test in tests),
        *(model_doc(target, model) for model in content.models(target)),
        *(plan.doc for plan in plans),
    ]
    if plans:
        links = [{"href": page.href(plan.doc), "label": plan.title} for plan in plans]
        page.sections.append(Section("compare", "Compare models", render("links.j2", links=links)))
    return page


def _board(content: Content, page: Page, board: Board) -> Section:
    lines = [_line(page, board, ranked) for ranked in board.ranking]
    families = list(dict.fromkeys(board.families[test] for test in board.tests))
    html = render(
        "ranking.j2",
        name=board.name,
        best=[line for line in lines if line["position"] == 1],
        chance=board.chance(),
        both=len(content.boards[board.target]) > 1,
        families=families,
        label=f"{board.title}: ranking for {content.label(board.target)}",
        bodies=[
            {"title": title, "lines": found}
            for title, found in {
                "": [line for line in lines if line["position"]],
                "Outside the ranking": [line for line in lines if not line["position"]],
            }.items()
            if found
        ],
    )
    matrix = render("matrix.j2", **_all_tests(content, page, board), sortable=False)
    trust = render("trust.j2", **_trust(board))
    return Section(
        board.name,
        board.title,
        html,
        [
            Section(f"{board.name}-trust", "Can I trust that?", trust),
            Section(f"{board.name}-tests", "Where models pass and fail", matrix),
        ],
    )


def _trust(board: Board) -> dict[str, Any]:
    """Facts that say how much an order means."""
    places, judged = board.ranked, board.judged
    executed = [ranked.total.executed for ranked in judged] or [0]
    skipped = [ranked.total.skipped for ranked in judged] or [0]
    first = places[0].total.share or Fraction() if places else Fraction()
    by_mean = max(places, key=lambda ranked: ranked.mean or Fraction(), default=None)
    chance = [r for r in board.ranking if r.model.chance and r.total.executed]
    return {
        "models": len(judged),
        "tests": len(board.tests),
        "executed": (min(executed), max(executed)),
        "skipped": (min(skipped), max(skipped)),
        "errors": sum(ranked.total.errors for ranked in board.ranking),
        "close": sum(first - (ranked.total.share or 0) <= NEAR for ranked in places[1:]),
        "chance": [
            {
                "label": ranked.model.label,
                "share": percent(ranked.total.share),
                "full": [family for family, mean in ranked.families.items() if mean == 1],
            }
            for ranked in chance
        ],
        "other_first": by_mean.model.label if by_mean and by_mean.position != 1 else "",
        "name": board.name,
    }


def _all_tests(content: Content, page: Page, board: Board) -> dict[str, Any]:
    """Table of tests by models: share of passed cells."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for test in board.tests:
        facts = content.tests[test]
        found = [board.tally(ranked.model, test) for ranked in board.ranking]
        row = {
            "label": facts.title,
            "href": page.href(test_doc(board.target, test)),
            "cells": [{"tally": tally, "href": ""} if tally else None for tally in found],
        }
        groups.setdefault(words(facts.family), []).append(row)
    return {
        "label": f"Share of passed cells per test and model: {board.title}",
        "corner": "Test",
        "columns": [
            {
                "label": ranked.model.label,
                "href": page.href(model_doc(board.target, ranked.model)),
                "chance": ranked.model.chance,
            }
            for ranked in board.ranking
        ],
        "groups": [{"title": title, "rows": rows} for title, rows in groups.items()],
    }
