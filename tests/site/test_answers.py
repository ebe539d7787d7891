"""Answers of models to samples that can be heard: right and wrong ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmark_site import samples
from benchmark_site.page import Page

from common.spec import load_benchmark

CELL = re.compile(r"<td( class=\"([^\"]*)\")?>(.*?)</td>")


def cells(folder: Path, target: str, truth: str, before: str, after: str) -> list[tuple[str, str]]:
    """Class and content of the two answers of a model."""
    (folder / target).mkdir()
    answers = [{"model": "m", "before": before, "after": after}]
    sample = {"sample": "a.wav", "truth": truth, "sounds": [], "answers": answers}
    condition = {"label": "Noise", "reference": "Original", "samples": [sample]}
    data = {"label": "Mine", "license": "", "source": "", "silent": "x", "conditions": [condition]}
    text = json.dumps({"format": samples.FORMAT, "datasets": {"mine": data}})
    (folder / target / "listen_t.json").write_text(text)
    content: Any = SimpleNamespace(
        benchmark=load_benchmark(), paths=SimpleNamespace(media=folder), target=target
    )
    model = SimpleNamespace(id="m", label="M", chance=False)
    board: Any = SimpleNamespace(target=target, models=[model], datasets=frozenset({"mine"}))
    html = samples.of_test(content, Page(f"results/{target}/t", "T"), board, "t")
    return [(css, inside) for _, css, inside in CELL.findall(html)]


def test_a_wrong_answer_is_marked_as_wrong(tmp_path: Path) -> None:
    right, wrong = cells(tmp_path, "emotion", "anger", "anger", "sadness")
    assert right == ("p", 'anger <b role="img" aria-label="right">✓</b>')
    assert wrong == ("f moved", 'sadness <b role="img" aria-label="wrong">✗</b>')


def test_an_answer_that_becomes_right_is_right(tmp_path: Path) -> None:
    assert [css for css, _ in cells(tmp_path, "emotion", "anger", "sadness", "anger")] == [
        "f",
        "p moved",
    ]


def test_a_number_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    assert cells(tmp_path, "arousal", "0.25", "0.25", "0.31") == [("", "0.25"), ("moved", "0.31")]


def test_without_a_truth_nothing_is_judged(tmp_path: Path) -> None:
    assert [css for css, _ in cells(tmp_path, "emotion", "", "anger", "joy")] == ["", "moved"]


def test_what_moved_has_no_colour_of_its_own(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression")
    colors = page.eval_on_selector_all(
        ".answers tr:not(.chance) td", "cells => cells.map(cell => getComputedStyle(cell).color)"
    )
    assert len(colors) > 1 and len(set(colors)) == 1
