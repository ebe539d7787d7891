"""What a ranking by the share of passed cells hides: a table for the published results."""

from __future__ import annotations

from typing import Any

from benchmark_site.content import Board, Content
from benchmark_site.page import Page
from benchmark_site.render import render, target_doc
from common.reports import summary

#: family of tests in which models that do not listen are looked at
FAMILY = "fairness"


def claims(content: Content) -> str:
    """Table with a column per target, with addresses as seen from the top of the site."""
    top = Page("index", "")
    boards = [
        board
        for target_boards in content.boards.values()
        for board in target_boards
        if board.published
    ]
    columns = [_column(content, top, board) for board in boards]
    return render(
        "claims.j2",
        columns=columns,
        changed=sum(column["found"].changed for column in columns),
        family=FAMILY,
    )


def _column(content: Content, page: Page, board: Board) -> dict[str, Any]:
    return {
        "label": content.label(board.target),
        "href": page.href(target_doc(board.target)),
        "found": counted(board),
    }


def counted(board: Board) -> summary.Claims:
    """Counts of a board of published results."""
    return summary.claims(
        board.table,
        board.target,
        board.families,
        standings=board.standings,
        chance=[model.id for model in board.models if model.chance],
        family=FAMILY,
    )
