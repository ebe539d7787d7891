"""Files of generated pages, which are read and written much faster than JSON.

The first line is the title. The second is the outline: how many characters stand before the first section,
and of each section its id, its title, and the same. After it comes the HTML of all parts in this order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

#: ending of the file of a page
PAGE = ".page"


def text(title: str, content: Mapping[str, Any]) -> str:
    """Text of the file of a page.

    Args:
        title: heading of the page
        content: ``html``, what stands before the first section, and ``sections``, the same with an ``id``
            and a ``title`` each
    """
    parts: list[str] = []
    lines = [json.dumps(part, ensure_ascii=False) for part in (title, _outline(content, parts))]
    return "\n".join([*lines, "".join(parts)])


def _outline(part: Mapping[str, Any], parts: list[str]) -> list[Any]:
    """Number of characters of a part and outlines of its sections; adds their HTML."""
    html = part["html"]
    parts.append(html)
    sections = [[each["id"], each["title"], *_outline(each, parts)] for each in part["sections"]]
    return [len(html), sections]


def read(path: Path) -> str:
    """Text of a file, with its line ends as they are: they are counted."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def titles(source: Path, pages: Iterable[str]) -> dict[str, str]:
    """Headings of pages, plain text.

    Args:
        source: folder of the files
        pages: names of the pages
    """
    headings = {}
    for page in pages:
        with Path(source, page + PAGE).open(encoding="utf-8") as file:
            headings[page] = json.loads(file.readline())
    return headings


def content(text: str) -> dict[str, Any]:
    r"""What stands below the title of a page.

    Raises:
        ValueError: if it is not the text of a whole page

    >>> part = {"id": "b", "title": "B", "html": "<p>\r\n", "sections": []}
    >>> content(text("A", {"html": "", "sections": [part]})) == {"html": "", "sections": [part]}
    True
    """
    _, outline, html = text.split("\n", 2)
    whole, end = _part(json.loads(outline), html, 0)
    if end != len(html):
        raise ValueError(f"a page of {end} characters has {len(html)}")
    return whole


def _part(outline: Sequence[Any], html: str, start: int) -> tuple[dict[str, Any], int]:
    """A part of a page, and where the next one begins."""
    length, sections = outline
    end = start + length
    part: dict[str, Any] = {"html": html[start:end], "sections": []}
    for name, title, *inner in sections:
        section, end = _part(inner, html, end)
        part["sections"].append({"id": name, "title": title, **section})
    return part, end
