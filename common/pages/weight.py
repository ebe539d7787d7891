"""How much a page of the website loads, from its files alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

LOADED = re.compile(r'<(?:script|link)\b[^>]*(?:src|href)="([^"?#]+)')
IMAGE = re.compile(r'<img\b[^>]*\bsrc="([^"?#]+)"[^>]*>')
CONTENT = re.compile(r"<article\b.*</article>", re.S)
KILO = 1000


class Weight(NamedTuple):
    """Weight of a page in bytes, as it lies on a disk.

    Args:
        frame: what it loads before its content: the frame, styles and scripts
        page: the same with its content
        figures: the same with all of its figures
        requests: files that a browser asks for at once, the page among them
    """

    frame: int
    page: int
    figures: int
    requests: int


#: what a page may weigh at most
LIMITS = Weight(150 * KILO, 500 * KILO, 1500 * KILO, 15)


def weight(path: Path) -> Weight:
    """Weight of a page; figures that a browser loads when they come near are no requests.

    Args:
        path: file of the page, in the folder of the website

    Raises:
        FileNotFoundError: if the page names a file that is not there
    """
    html = path.read_text("utf-8")
    size, content = len(html.encode()), CONTENT.search(html)
    loaded = {path.parent / unquote(name) for name in LOADED.findall(html)}
    images = {path.parent / unquote(match[1]): match[0] for match in IMAGE.finditer(html)}
    files = _sizes(loaded)
    return Weight(
        frame=size + files - (len(content[0].encode()) if content else 0),
        page=size + files,
        figures=size + files + _sizes(images),
        requests=1
        + len(loaded.union(file for file, tag in images.items() if 'loading="lazy"' not in tag)),
    )


def _sizes(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)
