"""Slots of frames: places for what comes into a page when Sphinx is done."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

#: parts of the folder of what Sphinx wrote: frames of pages, patterns of frames, and what the search knows of texts
PAGES, PATTERNS, SEARCHED = "pages", "patterns", "searched.json"
#: around the content of a page; no text of a page can look like a slot, as its brackets are escaped
BEGIN, END = "<!--@begin-->", "<!--@end-->"
SLOT_IN_DATA = re.compile(rb"<!--@(page|file):([^>]*)-->")
#: slot for all of a page of results below its title
SLOT_OF_PAGE = "<!--@page:-->"
ABOUT = re.compile(r"<!--@about:([^>]*)-->")


def slot_of_file(name: str) -> str:
    """Slot for a file of the source folder with finished HTML.

    >>> slot_of_file("results/field.html")
    '<!--@file:results/field.html-->'
    """
    return f"<!--@file:{name}-->"


def slot_of_tags(properties: Mapping[str, str]) -> str:
    r"""Slot for the elements of the head that describe a page.

    >>> slot_of_tags({"title": "a > b"})
    '<!--@about:{"title": "a \\u003e b"}-->'
    """
    return f"<!--@about:{json.dumps(dict(properties)).replace('>', chr(92) + 'u003e')}-->"
