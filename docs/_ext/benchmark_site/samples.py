"""Samples of own runs that can be heard, on the pages of tests."""

from __future__ import annotations

import json
from typing import Any

from benchmark_site.content import Board, Content
from benchmark_site.media import FOLDER
from benchmark_site.page import Page, anchor
from benchmark_site.render import render

FORMAT = 2
TITLE = "Listen to what changed most"


def place(board: Board) -> str:
    """Anchor of the samples of a board."""
    return anchor(board.name, "listen")


def of_test(content: Content, page: Page, board: Board, test: str) -> str:
    """The samples whose prediction changed most, dataset by dataset; empty if there are none."""
    entries = [
        _entry(page, board, entry)
        for dataset, entry in _read(content, board, test).items()
        if dataset in set(board.table["dataset"])
    ]
    parts = [entry for entry in entries if entry["conditions"]]
    return render("samples.j2", parts=parts) if parts else ""


def _read(content: Content, board: Board, test: str) -> dict[str, Any]:
    path = content.paths.media / board.target / f"listen_{test}.json"
    try:
        document = json.loads(path.read_text("utf-8"))
        return dict(document["datasets"]) if document["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _entry(page: Page, board: Board, entry: dict[str, Any]) -> dict[str, Any]:
    labels = {model.id: model for model in board.models}
    conditions = []
    for condition in entry["conditions"]:
        samples = []
        for sample in condition["samples"]:
            lines = [
                {
                    "label": labels[answer["model"]].label,
                    "chance": labels[answer["model"]].chance,
                    "before": answer["before"],
                    "after": answer["after"],
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
