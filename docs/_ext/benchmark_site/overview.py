"""The first page of the results: every target with its best models."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from benchmark_site import choices, compare_page, costs, datasetpages, dose, own_page, runpage
from benchmark_site.content import Board, Content, alike
from benchmark_site.export import overall
from benchmark_site.page import Page, Section
from benchmark_site.ranked import Ranked
from benchmark_site.render import ROOT, model_doc, render, target_doc
from common.reports.summary import Standing

#: so many models of a board are named
MOST = 3


def index(content: Content) -> Page:
    """First page: every target with its best models, and all shares at a glance."""
    page = Page(f"{ROOT}/index", "Results")
    has_report = content.paths.published_report.exists()
    page.html = render(
        "index.j2",
        targets=[_target(content, page, target) for target in content.boards],
        cells=len(content.table),
        compare=page.href(compare_page.DOC) if any(content.boards.values()) else "",
        cost=page.href(costs.DOC) if any(content.boards.values()) else "",
        own=page.href(own_page.DOC),
        datasets=page.href(datasetpages.INDEX) if len(content.table) else "",
        took=page.href(runpage.DOC) if has_report else "",
        data={name: page.file(f"data/{name}") for name in overall(content)},
        swept=dose.hidden(content),
        tools=choices.tools(content, list(content.boards), overview=True)
        if any(content.boards.values())
        else None,
    )
    for group in alike(content):
        name = group[0].name
        html = render("all_targets.j2", name=name, **_all_targets(content, page, group))
        page.sections.append(Section(name, f"{group[0].title}: all targets", html))
    return page


def _target(content: Content, page: Page, target: str) -> dict[str, Any]:
    return {
        "label": content.label(target),
        "href": page.href(target_doc(target)),
        "description": content.description(target),
        "boards": [_podium(page, board) for board in content.boards[target]],
    }


def _podium(page: Page, board: Board) -> dict[str, Any]:
    """The best models of a board, and how many more cannot be told from the first."""
    compared = [r for r in board.ranking if r.standing and r.standing.tier]
    named = (compared or board.judged)[:MOST]
    first = board.standings.tier(1)
    return {
        "title": board.title,
        "lines": [_line(page, board, ranked) for ranked in named],
        "first": len(first) if len(compared) > 1 else 0,
        "models": len(compared),
        "reason": "" if compared else board.standings.reason,
    }


def _line(page: Page, board: Board, ranked: Ranked) -> dict[str, Any]:
    """Model with its score; a place is shown only where it is sure."""
    standing = ranked.standing
    return {
        "place": standing.place if standing and standing.low == standing.high else None,
        "label": ranked.model.label,
        "href": page.href(model_doc(board.target, ranked.model)),
        "score": standing.score if standing else None,
    }


def _all_targets(content: Content, page: Page, boards: list[Board]) -> dict[str, Any]:
    """Table of models by targets: their scores, best mean first."""
    lines = [{r.model.id: r for r in board.ranking if not r.model.chance} for board in boards]

    def mean(name: str) -> Fraction:
        ranks = [line[name].standing for line in lines if name in line]
        scores = [standing.score for standing in ranks if standing and standing.score is not None]
        return sum(scores, Fraction()) / len(scores) if scores else Fraction(-1)

    names = {name: ranks[name].model.label for ranks in lines for name in ranks}
    rows = []
    for name in sorted(names, key=lambda name: (-mean(name), name)):
        entries = [
            _standing(page, board, ranks[name]) if name in ranks else None
            for board, ranks in zip(boards, lines, strict=True)
        ]
        rows.append({"label": names[name], "cells": entries})
    return {
        "label": f"Score per model and target: {boards[0].title}",
        "columns": [
            {"label": content.label(board.target), "href": page.href(target_doc(board.target))}
            for board in boards
        ],
        "rows": rows,
    }


def _standing(page: Page, board: Board, ranked: Ranked) -> dict[str, Any]:
    """Where a model stands on a target, and how many of its cells have a verdict."""
    standing = ranked.standing
    tier = standing.tier if standing and not board.standings.reason else None
    return {
        "share": board.score(ranked.model),
        "floor": board.standings.floor_score,
        "tier": tier,
        "ranks": rank_text(standing) if standing and tier else "",
        "executed": ranked.total.executed,
        "skipped": ranked.total.skipped,
        "hint": ranked.remark,
        "href": page.href(model_doc(board.target, ranked.model)),
    }


def rank_text(standing: Standing) -> str:
    """Rank interval as tables show it."""
    low, high = standing.low, standing.high
    return f"{low}" if low == high else f"{low}–{high}"
