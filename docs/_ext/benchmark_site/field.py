"""The state of the field at a glance: families of tests, models and targets as one heat map."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from benchmark_site import comparison, own_page
from benchmark_site.content import FAMILIES, Board, Content, alike
from benchmark_site.page import Page
from benchmark_site.render import model_doc, render, target_doc
from benchmark_site.sources import Model
from common.reports.summary import Standing

#: how a reader tests an own model
TRY_IT = "howto/test_your_own_model"


def field(content: Content) -> str:
    """Heat map of each kind of results, with addresses as seen from the top of the site."""
    top = Page("index", "")
    return render(
        "field.j2",
        tables=tables(content),
        targets=[_link(content, top, target) for target in content.boards],
        compare=[
            _link(content, top, target, "compare")
            for target in content.boards
            if comparison.are_there(content, target)
        ],
        own=top.href(own_page.DOC),
        try_it=top.href(TRY_IT) if TRY_IT in content.method_pages else "",
    )


def tables(content: Content) -> list[dict[str, Any]]:
    """What the heat maps show.

    The published results come first: they are most of what is known. Results on other data
    have a table of their own, because shares mean something only beside shares on the same data.
    """
    top = Page("index", "")
    every = (
        _table(content, top, boards)
        for boards in sorted(alike(content), key=lambda boards: not boards[0].published)
    )
    return [table for table in every if table["models"]]


def _link(content: Content, page: Page, target: str, place: str = "") -> dict[str, str]:
    return {"label": content.label(target), "href": page.href(target_doc(target), place)}


def _table(content: Content, page: Page, boards: list[Board]) -> dict[str, Any]:
    """Lines of models by columns of families, one group of columns per target."""
    families = [
        [family for family in FAMILIES if any(family in s.families for s in board.standings.lines)]
        for board in boards
    ]
    shown = [(board, names) for board, names in zip(boards, families, strict=True) if names]
    models = {
        model.id: model
        for board, _ in shown
        for model in board.models
        if not model.chance and board.score(model) is not None
    }
    lines = {name: _line(page, shown, name) for name in models}
    order = sorted(lines, key=lambda name: (-_mean(lines[name]), models[name].label.lower()))
    return {
        "name": boards[0].name,
        "title": boards[0].title,
        "published": boards[0].published,
        "targets": [
            {
                "label": content.label(board.target),
                "href": page.href(target_doc(board.target)),
                "families": names,
                "alike": len(board.standings.tier(1)),
                "compared": len(board.standings.compared),
            }
            for board, names in shown
        ],
        "models": [{"label": models[name].label, "cells": lines[name]} for name in order],
        "chance": [
            cell for board, names in shown for cell in _cells(page, board, names, _floor(board))
        ],
    }


def _line(page: Page, shown: list[tuple[Board, list[str]]], name: str) -> list[dict[str, Any]]:
    """Cells of a model over all targets."""
    return [
        cell
        for board, families in shown
        for cell in _cells(page, board, families, _model(board, name))
    ]


def _cells(
    page: Page, board: Board, families: list[str], model: Model | None
) -> list[dict[str, Any]]:
    """One cell per family; without a share where the model has no score."""
    standing: Standing | None = board.standing(model) if model else None
    shares = standing.families if standing and standing.score is not None else {}
    return [
        {
            "share": shares.get(family),
            "text": hundredths(shares[family]) if family in shares else "",
            "href": page.href(model_doc(board.target, model)) if model else "",
            "begins": place == 0,
        }
        for place, family in enumerate(families)
    ]


def hundredths(share: Fraction) -> str:
    """Share in whole hundredths; 0 and 100 mean none and all.

    >>> hundredths(Fraction(999, 1000)), hundredths(Fraction(1)), hundredths(Fraction(1, 3))
    ('99', '100', '33')
    """
    nearest = int(100 * share + Fraction(1, 2))
    return str(nearest if share in (0, 1) else min(max(nearest, 1), 99))


def _model(board: Board, name: str) -> Model | None:
    return next((model for model in board.models if model.id == name), None)


def _floor(board: Board) -> Model | None:
    """The chance model that passes most, which the rankings of the board take for chance."""
    scored = [
        (score, model)
        for model in board.models
        if model.chance and (score := board.score(model)) is not None
    ]
    return max(scored, key=lambda entry: entry[0])[1] if scored else None


def _mean(cells: list[dict[str, Any]]) -> Fraction:
    shares = [cell["share"] for cell in cells if cell["share"] is not None]
    return sum(shares, Fraction()) / len(shares) if shares else Fraction(-1)
