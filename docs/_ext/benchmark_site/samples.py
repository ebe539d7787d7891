"""Samples of own runs that can be heard, on the pages of tests."""

from __future__ import annotations

import json
from typing import Any

from benchmark_site.content import Board, Content
from benchmark_site.media import FOLDER
from benchmark_site.page import Page, anchor
from benchmark_site.render import render
from common.spec import kinds

FORMAT = 2
#: class, symbol and word of an answer that is a word
RIGHT = ("p", "✓", "right")
WRONG = ("f", "✗", "wrong")
TITLE = "Listen to what changed most"


def place(board: Board) -> str:
    """Anchor of the samples of a board."""
    return anchor(board.name, "listen")


def of_test(content: Content, page: Page, board: Board, test: str) -> str:
    """The samples whose prediction changed most, dataset by dataset; empty if there are none."""
    entries = [
        _entry(content, page, board, entry)
        for dataset, entry in _read(content, board, test).items()
        if dataset in board.datasets
    ]
    parts = [entry for entry in entries if entry["conditions"]]
    if not parts:
        return ""
    samples = [
        s for part in parts for condition in part["conditions"] for s in condition["samples"]
    ]
    judged = any(state["mark"] for s in samples for a in s["answers"] for state in a["states"])
    return render("samples.j2", parts=parts, judged=judged)


def _read(content: Content, board: Board, test: str) -> dict[str, Any]:
    path = content.paths.media / board.target / f"listen_{test}.json"
    try:
        document = json.loads(path.read_text("utf-8"))
        return dict(document["datasets"]) if document["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _states(answer: dict[str, Any], truth: str) -> list[dict[str, str]]:
    """Answers before and after the change: what moved is bold, what is wrong is never green.

    Args:
        answer: ``before`` and ``after``
        truth: the right word; empty: there is none, as for numbers, which are never just right

    >>> answer = {"before": "joy", "after": "fear"}
    >>> [(state["css"], state["mark"]) for state in _states(answer, "joy")]
    [('p', '✓'), ('f moved', '✗')]
    >>> [(state["css"], state["mark"]) for state in _states(answer, "")]
    [('', ''), ('moved', '')]
    """
    states = []
    for text in (answer["before"], answer["after"]):
        css, mark, word = RIGHT if text == truth else WRONG
        moved = "moved" if text != answer["before"] else ""
        state = {"text": text, "css": moved, "mark": "", "word": ""}
        if truth:
            state = {"text": text, "css": f"{css} {moved}".strip(), "mark": mark, "word": word}
        states.append(state)
    return states


def _entry(content: Content, page: Page, board: Board, entry: dict[str, Any]) -> dict[str, Any]:
    labels = {model.id: model for model in board.models}
    target = content.benchmark.targets.get(board.target)
    is_word = target is not None and not kinds.of(target).is_number
    conditions = []
    for condition in entry["conditions"]:
        samples = []
        for sample in condition["samples"]:
            lines = [
                {
                    "label": labels[answer["model"]].label,
                    "chance": labels[answer["model"]].chance,
                    "states": _states(answer, sample["truth"] if is_word else ""),
                }
                for answer in sample["answers"]
                if answer["model"] in labels
            ]
            sounds = [
                {**sound, "src": page.file(f"{FOLDER}/{sound['src']}")}
                for sound in sample["sounds"]
            ]
            lines.sort(key=lambda line: line["chance"])
            samples.append({**sample, "answers": lines, "sounds": sounds})
        conditions.append({**condition, "samples": samples})
    source = entry["source"] if entry["source"].startswith(("https://", "http://")) else ""
    return {**entry, "source": source, "conditions": [c for c in conditions if c["samples"]]}
