"""Files of generated pages, which are read and written much faster than JSON.

The first line is the title. The second is the outline: how many bytes stand before the first section,
and of each section its id, its title, and the same. After it comes the HTML of all parts in this order.

HTML that is there already stays bytes from here to the finished page: a page of a hundred models is read,
put together and written without being decoded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

#: ending of the file of a page
PAGE = ".page"


def data(title: str, content: Mapping[str, Any]) -> bytes:
    """Content of the file of a page.

    Args:
        title: heading of the page
        content: ``html``, what stands before the first section, and ``sections``, the same with an ``id``
            and a ``title`` each
    """
    parts: list[bytes] = []
    outline = _outline(content, parts)
    return _joined(title, outline, *parts)


def renewed(page: bytes, title: str, html: str) -> bytes:
    """Content of the file of a page that has another title and another beginning, and the same sections.

    Args:
        page: content of its file
        title: heading
        html: what stands before the first section

    Raises:
        ValueError: as of :func:`content`

    >>> part = {"id": "b", "title": "B", "html": "<p>", "sections": []}
    >>> one, other = (data(title, {"html": title, "sections": [part]}) for title in ("a", "αβ"))
    >>> renewed(one, "αβ", "αβ") == other
    True
    """
    (size, sections), parts = _split(page)
    begin = html.encode()
    return _joined(title, [len(begin), sections], begin, parts[size:])


def _joined(title: str, outline: Sequence[Any], *parts: bytes) -> bytes:
    """Lines of a file, and the HTML of all parts."""
    lines = (json.dumps(line, ensure_ascii=False).encode() for line in (title, outline))
    return b"\n".join([*lines, b"".join(parts)])


def _split(page: bytes) -> tuple[Sequence[Any], bytes]:
    """Outline of a page, and the HTML of all parts; raises what :func:`content` raises."""
    _, line, html = page.split(b"\n", 2)
    outline = json.loads(line)
    if _size(outline) != len(html):
        raise ValueError(f"a page of {_size(outline)} bytes has {len(html)}")
    return outline, html


def _size(outline: Sequence[Any]) -> int:
    """Number of bytes of a part with its sections."""
    length, sections = outline
    size: int = length + sum(_size(inner) for _, _, *inner in sections)
    return size


def _outline(part: Mapping[str, Any], parts: list[bytes]) -> list[Any]:
    """Number of bytes of a part and outlines of its sections; adds their HTML."""
    html = part["html"].encode()
    parts.append(html)
    sections = [[each["id"], each["title"], *_outline(each, parts)] for each in part["sections"]]
    return [len(html), sections]


def titles(source: Path, pages: Iterable[str]) -> dict[str, str]:
    """Headings of pages, plain text.

    Args:
        source: folder of the files
        pages: names of the pages
    """
    headings = {}
    for page in pages:
        with Path(source, page + PAGE).open("rb") as file:
            headings[page] = json.loads(file.readline())
    return headings


def content(page: bytes) -> dict[str, Any]:
    r"""What stands below the title of a page, HTML as bytes.

    Raises:
        ValueError: if it is not the content of the file of a whole page

    >>> part = {"id": "b", "title": "B", "html": "<p>\r\n", "sections": []}
    >>> content(data("A", {"html": "", "sections": [part]}))["sections"]
    [{'id': 'b', 'title': 'B', 'html': b'<p>\r\n', 'sections': []}]
    """
    whole, _ = _part(*_split(page), 0)
    return whole


def _part(outline: Sequence[Any], html: bytes, start: int) -> tuple[dict[str, Any], int]:
    """A part of a page, and where the next one begins."""
    length, sections = outline
    end = start + length
    part: dict[str, Any] = {"html": html[start:end], "sections": []}
    for name, title, *inner in sections:
        section, end = _part(inner, html, end)
        part["sections"].append({"id": name, "title": title, **section})
    return part, end
