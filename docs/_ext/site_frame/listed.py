"""Lists of all pages: ``sitemap.xml`` for search engines, and the index of our own search.

The index is a script, because a page that was opened from a disk may load scripts but no data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from common.core import files
from common.core.documents import compact_json
from site_frame import head, patterns
from site_frame.filling import Folders
from site_frame.slots import SEARCHED

#: files in the website
SITEMAP, INDEX = "sitemap.xml", "_static/search-index.js"


def write(folders: Folders, pages: Iterable[str], titles: Mapping[str, str], base: str) -> None:
    """Bring both lists up to date.

    Args:
        folders: where the parts of pages lie
        pages: names of all documents
        titles: of generated pages
        base: address of the website; empty if it has none
    """
    site = folders.site
    files.write_text(site / SITEMAP, sitemap(sorted(pages), base), only_changed=True)
    texts: list[list[Any]] = json.loads((folders.frames / SEARCHED).read_text("utf-8"))
    entries = searched(texts, titles)
    index = compact_json(entries).replace("<", "\\u003c")
    files.write_text(site / INDEX, f"window.searchIndex={index};\n", only_changed=True)


def sitemap(pages: Iterable[str], base: str) -> str:
    """Text of the list for search engines."""
    places = (escape(head.address(base, page)) for page in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "".join(f"<url><loc>{place}</loc></url>\n" for place in places)
        + "</urlset>\n"
    )


def searched(texts: Iterable[Sequence[Any]], titles: Mapping[str, str]) -> list[list[Any]]:
    """Address, kind, order, title, description, headings and words of each page.

    Args:
        texts: the same of texts
        titles: of generated pages
    """
    entries = {str(entry[0]): list(entry) for entry in texts}
    for page, title in titles.items():
        if page == patterns.TOP:
            continue  # it is a text
        place = f"{page}.html"
        entries[place] = [place, _kind(titles, page), 0, patterns.heading(title), "", [], ""]
    return [entries[place] for place in sorted(entries, key=lambda place: place[:-5])]


def _kind(titles: Mapping[str, str], page: str) -> str:
    """Where a page of results belongs: its target, if it is of one."""
    names = page.split("/")
    title = titles.get(f"{patterns.FOLDER}/{names[1]}/index") if len(names) > 2 else None
    return "Results" if title is None else f"Results, {patterns.heading(title)}"
