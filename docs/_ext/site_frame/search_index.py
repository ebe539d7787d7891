"""What the search knows of texts: titles, headings and words, never numbers or formulas.

Generated pages are added when all pages are known (:mod:`site_frame.listed`).
"""

from __future__ import annotations

import json
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from common.core import files
from site_frame import frames
from site_frame.head import SHORTEST, shorten
from site_frame.slots import SEARCHED

#: attribute of the environment that remembers headings and words of each page
MEMORY = "site_frame_words"
#: first folder of a page -> its name in lists of hits, and how much it comes before others
KINDS = {
    "method": ("Method", 12),
    "howto": ("How to", 6),
    "reference": ("Reference", 4),
    "results": ("Results", 0),
}
OTHER = ("", 2)
WORD = re.compile(r"[^\W\d_]{3,}")
#: stands where a text has something else
HOLE = "…"
#: words that tell no page from another
COMMON = frozenset(
    [
        "and",
        "are",
        "but",
        "for",
        "from",
        "has",
        "have",
        "into",
        "its",
        "not",
        "one",
        "only",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "was",
        "were",
        "which",
        "with",
        "you",
        "your",
        "all",
        "any",
        "can",
        "does",
        "each",
        "how",
        "more",
        "most",
        "other",
        "out",
        "over",
        "same",
        "than",
        "what",
        "when",
        "where",
        "who",
        "why",
        "will",
    ]
)


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Remember headings and words of a page that was read."""
    env = app.env
    memory = _memory(env)
    texts = [plain(node) for node in doctree.findall(_is_text)]
    long = [text for text in texts if len(text) >= SHORTEST]
    about = next((text for text in long if HOLE not in text), long[0] if long else "")
    words = {word.lower() for text in texts for word in WORD.findall(text)} - COMMON
    memory[env.docname] = {
        "about": shorten(about),
        "headings": headings(doctree),
        "words": " ".join(sorted(words)),
    }


def _is_text(node: nodes.Node) -> bool:
    return isinstance(node, nodes.paragraph | nodes.term | nodes.caption)


def plain(node: nodes.Node) -> str:
    """Text of a paragraph without formulas and markup of HTML, on one line."""
    if isinstance(node, nodes.math | nodes.raw) or _is_citation(node):
        return HOLE
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(plain(child) for child in node.children).replace("\n", " ")


def _is_citation(node: nodes.Node) -> bool:
    """Whether a node stands for authors and year, of which only the key is known yet."""
    return isinstance(node, addnodes.pending_xref) and node.get("refdomain") == "cite"


def headings(doctree: nodes.document) -> list[list[str]]:
    """Text and anchor of all headings but the title."""
    result = []
    for section in doctree.findall(nodes.section):
        if isinstance(section.parent, nodes.section) and isinstance(section[0], nodes.title):
            result.append([section[0].astext(), str(section["ids"][0])])
    return result


def forget(app: Sphinx, env: BuildEnvironment, doc: str) -> None:
    """Forget a page that changed or is gone."""
    _memory(env).pop(doc, None)


def merge(app: Sphinx, env: BuildEnvironment, docs: list[str], other: BuildEnvironment) -> None:
    """Take over what another process read."""
    theirs = _memory(other)
    _memory(env).update({doc: theirs[doc] for doc in docs if doc in theirs})


def write(app: Sphinx, fault: Exception | None) -> None:
    """Write the entries of all texts."""
    if fault is None and app.builder.format == "html":
        text = json.dumps(entries(app.env), ensure_ascii=False)
        files.write_text(frames.folder(app.doctreedir) / SEARCHED, text, only_changed=True)


def entries(env: BuildEnvironment) -> list[list[Any]]:
    """Address, kind, order, title, description, headings and words of each text."""
    memory = _memory(env)
    result = []
    for doc in sorted(env.found_docs & set(env.titles)):
        words = memory.get(doc, {"about": "", "headings": [], "words": ""})
        kind, order = KINDS.get(doc.split("/")[0], OTHER)
        title = env.titles[doc].astext()
        result.append(
            [f"{doc}.html", kind, order, title, words["about"], words["headings"], words["words"]]
        )
    return result


def _memory(env: BuildEnvironment) -> dict[str, dict[str, Any]]:
    if not hasattr(env, MEMORY):
        setattr(env, MEMORY, {})
    memory: dict[str, dict[str, Any]] = getattr(env, MEMORY)
    return memory
