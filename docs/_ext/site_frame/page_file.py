"""Files of generated pages: the title on the first line, what stands below it on the second."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

#: ending of the file of a page
PAGE = ".page"


def text(title: str, content: Mapping[str, Any]) -> str:
    """Text of the file of a page.

    Args:
        title: heading of the page
        content: ``html``, what stands before the first section, and ``sections``
    """
    return "".join(f"{json.dumps(part, ensure_ascii=False)}\n" for part in (title, content))


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

    >>> content('"CCC"\n{"html": "", "sections": []}\n')
    {'html': '', 'sections': []}
    """
    parts: dict[str, Any] = json.loads(text.partition("\n")[2])
    return parts
