"""Texts of the website are plain English: no word order of another language, one word for one thing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from common.core.paths import DOCS

#: word orders that English does not have
FOREIGN = (
    r"\bCounted (?:are|is)\b",
    r"\bstands? beside\b",
    r"\bcounts? for nobody\b",
    r"\b[Tt]o (?:them|these|it) comes?\b",
    r"(?:^|[.:] )Who (?:lets|wants|has|needs|uses|gives|trains|compares)\b[^?]*?\.",
    r"(?:^|[.;:,] )(?:[Ww]hether|[Hh]ow [a-z]+)\b[^.?,;:]{3,90}\b(?:says|stands)\b",
    r"(?:^|[.:] )(?:Of each|Beside) [^.,]{3,60}(?:$|\b(?:stands?|are shown)\b)",
    r"\bcannot be told from\b",
)
#: other names for a cell, which is one number with a verdict
SYNONYMS = (
    r"\bscores? (?:has|have) no verdict\b",
    r"\bScores with a verdict\b",
    r"\bFilter lines\b",
)
FILES = sorted(
    path
    for folder, kinds in ((DOCS, ("*.rst", "*.j2")), (DOCS / "_static", ("*.js",)))
    for kind in kinds
    for path in folder.rglob(kind)
)
MARKUP = re.compile(r"<[^>]+>|\{[%#].*?[%#]\}")


def paragraphs(text: str) -> list[str]:
    """Parts between empty lines, each in one line, without tags."""
    return [" ".join(MARKUP.sub("", part).split()) for part in re.split(r"\n\s*\n|</p>", text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_texts_are_plain_english(path: Path) -> None:
    for part in paragraphs(path.read_text("utf-8")):
        for pattern in (*FOREIGN, *SYNONYMS):
            assert not re.search(pattern, part), f"{path}: {pattern} in {part!r}"


@pytest.mark.parametrize(
    "text",
    [
        "Who lets a model name emotions needs two things.",
        "Counted are cells only.",
        "The truth stands beside the prediction.",
        "Whether a difference is more than noise says another command.",
        "Samples are not drawn here; how certain each number is stands in its cell.",
        "Those are left out; to them come three more.",
        "A cell without data counts for nobody.",
    ],
)
def test_word_orders_of_another_language_are_noticed(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in FOREIGN)
