"""What a ranking by the share of passed cells hides: a table for the published results."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from benchmark_site.content import Board, Content
from benchmark_site.page import Page
from benchmark_site.render import render, target_doc
from common.reports import summary

#: family of tests in which models that do not listen are looked at
FAMILY = "fairness"


#: counts of the published results of a target
Counts = Callable[[str], summary.Claims]


def claims(content: Content, counts: Counts) -> str:
    """Table with a column per target, with addresses as seen from the top of the site."""
    top = Page("index", "")
    columns = [_column(content, top, target, counts) for target in published(content)]
    return render(
        "claims.j2",
        columns=columns,
        changed=sum(column["found"].changed for column in columns),
        family=FAMILY,
    )


def published(content: Content) -> dict[str, Board]:
    """Boards of published results by targets."""
    return {
        target: board
        for target, boards in content.boards.items()
        for board in boards
        if board.published
    }


def counting(content: Content) -> Counts:
    """Counts of published results, made when they are first asked for."""
    boards = published(content)

    @cache
    def counted(target: str) -> summary.Claims:
        board = boards[target]
        return summary.claims(
            board.table,
            board.target,
            board.families,
            standings=board.standings,
            chance=[model.id for model in board.models if model.chance],
            family=FAMILY,
        )

    return counted


def _column(content: Content, page: Page, target: str, counts: Counts) -> dict[str, Any]:
    return {
        "label": content.label(target),
        "href": page.href(target_doc(target)),
        "found": counts(target),
    }
