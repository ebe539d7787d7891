"""The ranking of a target: which model, and how far to trust the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from benchmark_site import choices, compare_page, costs, own_page, samplepages
from benchmark_site.comparison import Plan
from benchmark_site.content import Board, Content, words
from benchmark_site.page import Page, Section
from benchmark_site.ranked import Ranked
from benchmark_site.render import model_doc, render, target_doc, test_doc
from common.core.display import percent
from common.reports.summary import beyond_chance
from common.reports.summary.standings import NO_COMMON

#: what a tier means, the first and the others
TIERS = ("may be the best", "not the best")
METHOD = "method/ranking"


def ranking(content: Content, target: str, plans: Sequence[Plan]) -> Page:
    """Page of a target."""
    page = Page(target_doc(target), content.label(target))
    boards = content.boards[target]
    page.html = render(
        "target.j2",
        description=content.description(target),
        boards=[{"anchor": board.name, "title": board.title} for board in boards],
        tools=choices.tools(content, [target]),
        samples=page.href(samplepages.doc(target)) if content.sample_datasets(target) else "",
        own=own_page.link(content, page, target),
        cost=page.href(costs.DOC),
    )
    page.sections = [_board(content, page, board) for board in boards]
    if plans:
        links = [{"href": page.href(plan.doc), "label": plan.title} for plan in plans]
        best = next((board for board in boards if len(board.scored) > 1), boards[0])
        links.append({"href": _any(page, best), "label": "Any two to five models"})
        page.sections.append(Section("compare", "Compare models", render("links.j2", links=links)))
    return page


def _any(page: Page, board: Board) -> str:
    """Address of the page for any models, with the best two of a board."""
    models = [("model", f"{board.name}/{model.id}") for model in board.scored[:2]]
    query = urlencode([("target", board.target), *models])
    return f"{page.href(compare_page.DOC)}#?{query}"


def _board(content: Content, page: Page, board: Board) -> Section:
    lines = [_line(page, board, ranked) for ranked in board.ranking]
    families = list(dict.fromkeys(board.families[test] for test in board.tests))
    standings = board.standings
    html = render(
        "ranking.j2",
        name=board.name,
        reason=standings.reason,
        disjoint=standings.reason == NO_COMMON,
        first=[line for line in lines if line["standing"] and line["standing"].tier == 1],
        best=next((line for line in lines if line["standing"]), None),
        compared=len(standings.compared),
        numbered=any(line.place and line.low == line.high for line in standings.lines),
        cells=standings.cells,
        floor=standings.floor_score,
        stale=_stale(board),
        families=[f for f in families if any(f in line.families for line in standings.lines)],
        both=len(content.boards[board.target]) > 1,
        label=f"{board.title}: ranking for {content.label(board.target)}",
        bodies=_bodies(lines),
    )
    trust = render("trust.j2", **_trust(content, page, board))
    counted = render(
        "counted.j2",
        chance=board.chance(),
        families=families,
        label=f"{board.title}: shares of passed cells for {content.label(board.target)}",
        bodies=_counted([_line(page, board, ranked) for ranked in board.counted]),
    )
    title = "Share as in the paper"
    return Section(
        board.name,
        board.title,
        html,
        [
            Section(f"{board.name}-trust", "How far can I trust this?", trust),
            Section(f"{board.name}-counted", title, counted),
            Section(
                f"{board.name}-tests", "Where models pass and fail", _tests(content, page, board)
            ),
        ],
    )


def _stale(board: Board) -> int:
    """How many cells of models have rows that are marked as stale; published ones never are."""
    if "stale" not in board.table:
        return 0
    rows = board.table[board.table["stale"] != ""]
    return len(rows[["model", "test", "dataset"]].drop_duplicates())


def _line(page: Page, board: Board, ranked: Ranked) -> dict[str, Any]:
    """Line of a ranking for the templates."""
    standing = ranked.standing
    floors = board.standings.floor
    return {
        "label": ranked.model.label,
        "href": page.href(model_doc(board.target, ranked.model)),
        "chance": ranked.model.chance,
        "standing": standing,
        "beyond": {
            family: beyond_chance(share, floors.get(family))
            for family, share in (standing.families if standing else {}).items()
        },
        "remark": standing.remark if standing else ranked.remark,
        "position": ranked.position,
        "counted_remark": ranked.remark,
        "total": ranked.total,
        "mean": ranked.mean,
        "families": ranked.families,
    }


def _bodies(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Parts of the table: a tier each, then what is outside."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    several = any(line["standing"] and (line["standing"].tier or 0) > 1 for line in lines)
    for line in lines:
        standing = line["standing"]
        if standing and standing.tier:
            meaning = TIERS[standing.tier > 1]
            title = f"Tier {standing.tier}: {meaning}" if several else "One tier"
        elif line["chance"]:
            title = "By chance"
        else:
            title = "" if standing and standing.score is not None else "Outside the ranking"
        parts.setdefault(title, []).append(line)
    return [
        {"title": title, "lines": entries, "outside": title in ("By chance", "Outside the ranking")}
        for title, entries in parts.items()
    ]


def _counted(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    parts = {
        "": [line for line in lines if line["position"]],
        "Outside the ranking": [line for line in lines if not line["position"]],
    }
    return [{"title": title, "lines": entries} for title, entries in parts.items() if entries]


def _trust(content: Content, page: Page, board: Board) -> dict[str, Any]:
    """Facts that say how much an order means."""
    judged, standings = board.judged, board.standings
    executed = [ranked.total.executed for ranked in judged] or [0]
    skipped = [ranked.total.skipped for ranked in judged] or [0]
    by_share = [line.model.label for line in board.counted if line.position == 1]
    compared = [line for line in board.ranking if line.standing and line.standing.tier]
    first = compared[0].model.label if compared else ""
    return {
        "made": standings,
        "tests": len(standings.tests),
        "same": [test for test, agreement in standings.tests.items() if not agreement.telling],
        "executed": (min(executed), max(executed)),
        "skipped": (min(skipped), max(skipped)),
        "errors": sum(ranked.total.errors for ranked in board.ranking),
        "full": [family for family, share in standings.floor.items() if share == 1],
        "floor": percent(standings.floor_score),
        "chance": [line.label for line in board.models if line.chance],
        "first": first,
        "by_share": [] if first in by_share or len(compared) < 2 else by_share,
        "below": sum((line.beyond or 0) < 0 for line in standings.compared),
        "method": page.href(METHOD) if METHOD in content.method_pages else "",
        "published": board.published,
    }


def _tests(content: Content, page: Page, board: Board) -> str:
    """Table of tests by models; tests that tell nothing are folded away."""
    standings = board.standings
    silent = {test for test, agreement in standings.tests.items() if not agreement.telling}
    if not standings.compared:
        silent = set()
    return render(
        "tests_of_board.j2",
        corner="Test",
        columns=[
            {
                "label": ranked.model.label,
                "href": page.href(model_doc(board.target, ranked.model)),
                "chance": ranked.model.chance,
            }
            for ranked in board.ranking
        ],
        label=f"Share of passed cells per test and model: {board.title}",
        groups=_rows(content, page, board, [t for t in board.tests if t not in silent]),
        silent=_rows(content, page, board, [t for t in board.tests if t in silent]),
        silent_number=len(silent),
        silent_cells=sum(standings.tests[test].cells for test in silent),
        cells=standings.cells,
        telling=standings.telling,
        compared=len(standings.compared),
    )


def _share(board: Board, ranked: Ranked, test: str) -> dict[str, Any] | None:
    """Share of a test as it enters the score; of the executed cells where there is no score."""
    tally = board.tally(ranked.model, test)
    if tally is None:
        return None
    standing = ranked.standing
    if standing is None or standing.score is None:
        unjudged = f"{tally.skipped} skipped, {tally.errors} in error"
        hint = f"no score; {tally.passed} of {tally.executed} executed cells passed, {unjudged}"
        return {"share": tally.share, "hint": hint, "href": ""}
    outcome = standing.tests.get(test)
    if outcome is None:
        return {"share": None, "hint": "no cell that the score counts", "href": ""}
    hint = f"{outcome.passed} of {outcome.cells} cells passed"
    hint += f", {outcome.unscored} without a verdict" if outcome.unscored else ""
    return {"share": outcome.share, "hint": hint, "href": ""}


def _rows(content: Content, page: Page, board: Board, tests: Sequence[str]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for test in tests:
        facts = content.tests[test]
        agreement = board.standings.tests.get(test)
        row = {
            "label": facts.title,
            "href": page.href(test_doc(board.target, test)),
            "cells": [_share(board, ranked, test) for ranked in board.ranking],
            "remark": f"{agreement.telling} of {agreement.cells} tell models apart"
            if agreement and board.standings.compared
            else "",
        }
        groups.setdefault(words(facts.family), []).append(row)
    return [{"title": title, "rows": rows} for title, rows in groups.items()]
