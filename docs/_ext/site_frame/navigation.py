"""Ways through the website: main pages, pages of a section, and the way up."""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from site_frame import patterns

#: sections whose pages are many; they are reached from their overviews
DEEP = patterns.FOLDER
#: attribute of the environment: titles and order of pages when they were written last
MEMORY = "site_frame_navigation"


def title(env: BuildEnvironment, doc: str) -> str:
    """Title of a document as plain text."""
    return env.titles[doc].astext() if doc in env.titles else ""


def parts(env: BuildEnvironment, doc: str) -> list[dict[str, Any]]:
    """Documents below one, by their table of contents: captions and names."""
    trees = env.tocs.get(doc, nodes.bullet_list()).findall(addnodes.toctree)
    return [
        {
            "caption": tree.get("caption") or "",
            "entries": [_entry(env, name) for _, name in tree["entries"] if name in env.titles],
        }
        for tree in trees
    ]


def around(env: BuildEnvironment, root: str, page: str) -> dict[str, Any]:
    """What the frame of a page links to.

    Args:
        env: what Sphinx knows about all pages
        root: the start page
        page: name of the page

    Returns:
        ``top`` (main pages), ``section`` and ``parts`` (pages beside this one), ``trail`` (the way up)
    """
    top = [entry for part in parts(env, root) for entry in part["entries"]]
    for entry in top:
        folder = entry["doc"].rpartition("/")[0]
        entry["here"] = page == entry["doc"] or bool(folder and page.startswith(f"{folder}/"))
    section = next((entry for entry in top if entry["here"]), None)
    if section is None:
        return {"top": top, "section": None, "parts": [], "trail": []}
    deep = section["doc"].startswith(f"{DEEP}/")
    beside = [] if deep else parts(env, section["doc"])
    return {"top": top, "section": section, "parts": beside, "trail": _trail(env, root, page)}


def _trail(env: BuildEnvironment, root: str, page: str) -> list[dict[str, Any]]:
    """Overviews above a page, the start page left out."""
    names = (name for name in patterns.above(page) if name in env.titles)
    return [_entry(env, name) for name in names if name != root]


def _entry(env: BuildEnvironment, doc: str) -> dict[str, Any]:
    return {"doc": doc, "title": title(env, doc)}


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages to be written again because names in their frames have changed."""
    root = app.config.root_doc
    top = [entry for part in parts(env, root) for entry in part["entries"]]
    sections = {entry["doc"]: parts(env, entry["doc"]) for entry in top}
    now = json.dumps([top, {d: p for d, p in sections.items() if not d.startswith(f"{DEEP}/")}])
    before = getattr(env, MEMORY, now)
    setattr(env, MEMORY, now)
    return sorted(env.found_docs) if before != now else []
