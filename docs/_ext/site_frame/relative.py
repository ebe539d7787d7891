"""Addresses of files of the website as its pages name them."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from operator import eq
from urllib.parse import quote


@cache
def relative(path: str, folder: str) -> str:
    """Address of a file as seen from a folder; the pages of a target share theirs.

    Much faster than :func:`posixpath.relpath`, which asks the system where it is.

    Args:
        path: the file, below the top of the website
        folder: the same of the folder; empty for the top

    >>> relative("data/a b.csv", "results/arousal"), relative("index.html", "")
    ('../../data/a%20b.csv', 'index.html')
    >>> relative("results/arousal/model/a.html", "results/arousal")
    'model/a.html'
    """
    above, parts = folder.split("/") if folder else [], path.split("/")
    shared = sum(takewhile(bool, map(eq, above, parts[:-1])))
    return quote("/".join([".."] * (len(above) - shared) + parts[shared:]))
