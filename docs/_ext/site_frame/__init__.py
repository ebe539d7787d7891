"""Sphinx extension for the frame of every page: what stands around the content.

Navigation, descriptions for search engines and previews, sizes of images, the index of the search,
the page for lost readers, and the list of all pages. A page loads our own style and scripts only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from site_frame import head, navigation, pictures, roles, search_index, tables
from site_frame.folded import Folded

#: files that only pages with such a text need
WHERE_USED = {
    "events.css": 'class="events-details',
    "events.js": 'class="events-details',
    "export.js": "<table",
    "field.css": 'class="scroll field',
    "hints.js": '<table class="scores',
    "listen.css": 'class="listen',
    "listen.js": 'class="listen',
    "scoring.js": "data-cells=",
    "boards.css": "data-cells=",
    "boards.js": 'class="board-tools',
    "compare.js": 'class="compare-tools',
    "hear.css": 'class="listen-samples',
    "hear.js": 'class="listen-samples',
    "predictions.js": 'class="own-tools',
    "own.js": 'class="own-tools',
}


def no_other_search(app: Sphinx) -> None:
    """Let Sphinx make no search of its own."""
    app.builder.search = False  # type: ignore[attr-defined]


def complete(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], tree: object
) -> None:
    """Complete a page that is about to be written."""
    body = tables.boxed(roles.mended(context.get("body", "")))
    context["body"] = body = pictures.sized(body, pictures.Files(app, pagename))
    context["metatags"] = head.tags(app.config, pagename, context)
    context["navigation"] = navigation.around(app.env, app.config.root_doc, pagename)
    for kind in ("css_files", "script_files"):
        context[kind] = [file for file in context[kind] if _is_ours(app, file.filename, body)]


def _is_ours(app: Sphinx, address: Any, body: str) -> bool:
    """Whether a page loads a file: one of ``docs/_static`` that it uses."""
    name = str(address).rpartition("/")[2]
    if not any(Path(app.confdir, folder, name).is_file() for folder in app.config.html_static_path):
        return False
    return WHERE_USED.get(name, "") in body


def more_pages(app: Sphinx) -> list[Any]:
    """The search, and the page that a server shows in place of one that does not exist."""
    return [
        ("search", {"title": "Search"}, "search.html"),
        ("404", {"title": "Page not found"}, "404.html"),
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done with each page, and the files of the whole site."""
    app.add_directive("dropdown", Folded)
    app.connect("builder-inited", no_other_search)
    app.connect("doctree-read", search_index.collect)
    app.connect("env-purge-doc", search_index.forget)
    app.connect("env-merge-info", search_index.merge)
    app.connect("env-updated", navigation.outdated)
    app.connect("html-page-context", complete)
    app.connect("html-collect-pages", more_pages)
    app.connect("build-finished", head.write_sitemap)
    app.connect("build-finished", search_index.write)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
