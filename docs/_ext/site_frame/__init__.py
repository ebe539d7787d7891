"""Sphinx extension for the frame of every page: what stands around the content.

Navigation, descriptions for search engines and previews, sizes of images, the page for lost readers,
and what the search knows of texts. A page loads our own style and scripts only.

Sphinx writes frames; :mod:`site_frame.filling` makes pages of them and needs no Sphinx, which is
therefore imported where Sphinx asks for it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def no_other_search(app: Sphinx) -> None:
    """Let Sphinx make no search of its own."""
    app.builder.search = False  # type: ignore[attr-defined]


def complete(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], tree: object
) -> None:
    """Complete the frame of a page that is about to be written."""
    from common.core import policy
    from site_frame import head, navigation, patterns, roles, slots, tables

    context["policy"] = partial(policy.element, policy.PAGE)
    if body := tables.boxed(roles.mended(context.get("body", ""))):
        context["body"] = f"{slots.BEGIN}{body}{slots.END}"
    properties = head.properties(app.config, pagename, context)
    context["metatags"] = slots.slot_of_tags(properties)
    context["navigation"] = navigation.around(app.env, app.config.root_doc, pagename)
    if pagename in patterns.NAMES:
        context["navigation"]["trail"] = patterns.trail()
    for kind in ("css_files", "script_files"):
        context[kind] = [file for file in context[kind] if _is_ours(app, file.filename)]


def _is_ours(app: Sphinx, address: Any) -> bool:
    """Whether a file is one of ``docs/_static``."""
    name = str(address).rpartition("/")[2]
    folders = app.config.html_static_path
    return any(Path(app.confdir, folder, name).is_file() for folder in folders)


def more_pages(app: Sphinx) -> list[Any]:
    """The search, what a server shows in place of a page that does not exist, and patterns."""
    from site_frame import patterns

    return [
        ("search", {"title": "Search"}, "search.html"),
        ("404", {"title": "Page not found"}, "404.html"),
        *patterns.pages(),
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done with each page, and the files of the whole site."""
    from site_frame import navigation, patterns, search_index
    from site_frame.folded import Folded
    from site_frame.frames import FrameBuilder

    app.add_builder(FrameBuilder, override=True)
    app.add_directive("dropdown", Folded)
    app.connect("builder-inited", no_other_search)
    app.connect("doctree-read", search_index.collect)
    app.connect("env-purge-doc", search_index.forget)
    app.connect("env-merge-info", search_index.merge)
    app.connect("env-updated", navigation.outdated)
    app.connect("html-page-context", complete)
    app.connect("html-collect-pages", more_pages)
    app.connect("build-finished", patterns.settle)
    app.connect("build-finished", search_index.write)
    return {"env_version": 3, "parallel_read_safe": True, "parallel_write_safe": True}
