"""What a reader may choose on rankings: names for the tools that a script puts there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmark_site.cell_data import NOT_STATED, file_of, language_of, languages
from benchmark_site.content import FAMILIES, Board, Content, words
from benchmark_site.naming import dataset_names
from benchmark_site.population_data import has_sums, index_of

ORIGINS = {"published": "published", "own": "own runs"}

#: fewer kinds of choices than these are few
FEW = 4


def tools(content: Content, targets: Sequence[str], *, overview: bool = False) -> dict[str, Any]:
    """Values for ``board_tools.j2``: where cells lie, and what can be chosen.

    Args:
        content: what the pages show
        targets: those of the page
        overview: whether the page shows models by targets
    """
    boards = [board for target in targets for board in content.boards[target]]
    choices = _choices(content, boards)
    return {
        "cells": " ".join(f"{target}={file_of(target)}" for target in targets),
        "sums": " ".join(
            f"{target}={index_of(target)}" for target in targets if has_sums(content, target)
        ),
        "choices": json.dumps(choices, ensure_ascii=False),
        "overview": overview,
        # as many fit one line of a screen
        "few": sum(len(entries) > 1 for entries in choices.values()) < FEW,
    }


def _choices(content: Content, boards: Sequence[Board]) -> dict[str, list[list[str]]]:
    """Kind -> id, name and heading of each entry."""
    tests = list(dict.fromkeys(test for board in boards for test in board.tests))
    tests.sort(key=lambda test: _place(content.tests[test].family))
    families = sorted({content.tests[test].family for test in tests}, key=_place)
    datasets: set[str] = set()
    codes: set[str] = set()
    for board in boards:
        datasets |= board.datasets
        codes.update(language_of(*pair) for pair in board.parts)
    names = languages()["names"]
    here = dict.fromkeys("published" if board.published else "own" for board in boards)
    return {
        "family": [[family, words(family)] for family in families],
        "test": [
            [test, content.tests[test].title, words(content.tests[test].family)] for test in tests
        ],
        "dataset": sorted(
            ([name, label] for name, label in dataset_names(content, sorted(datasets)).items()),
            key=lambda entry: (entry[1].lower(), entry[0]),
        ),
        "language": [
            [code, names.get(code, NOT_STATED)]
            for code in sorted(codes, key=lambda code: names.get(code, "~"))
        ],
        "origin": [[name, ORIGINS[name]] for name in here],
    }


def _place(family: str) -> tuple[int, str]:
    order = {name: place for place, name in enumerate(FAMILIES)}
    return order.get(family, len(order)), family
