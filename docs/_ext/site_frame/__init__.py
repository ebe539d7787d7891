"""Sphinx extension for what stands around the content of every page.

Sizes of images, descriptions for search engines and previews, the page for lost readers, and the
list of all pages.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from site_frame import head, pictures, roles


def complete(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], tree: object
) -> None:
    """Complete a page that is about to be written."""
    body = context.get("body", "")
    context["body"] = roles.mended(pictures.sized(body, pictures.Files(app, pagename)))
    context["metatags"] = context.get("metatags", "") + head.tags(app.config, pagename, context)


def lost(app: Sphinx) -> list[Any]:
    """The page that a server shows in place of one that does not exist."""
    return [("404", {"title": "Page not found", "up": ""}, "404.html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done with each page, and the files of the whole site."""
    app.connect("html-page-context", complete)
    app.connect("html-collect-pages", lost)
    app.connect("build-finished", head.write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
