"""A generated page: plain headings and finished HTML, without any markup language between.

A generated page lies in the source folder as a ``*.page`` file. Sphinx does not know of it:
:mod:`site_frame.filling` puts it into a frame.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, NamedTuple

from site_frame import page_file
from site_frame.relative import relative


@cache
def slug(name: str) -> str:
    """Part of a file name or anchor for any text; different names give different slugs.

    >>> slug("wavlm-1.0"), slug("../Evil name")
    ('wavlm-1.0', 'Evil-name-19c0fab7')
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:80]
    if plain and plain == name:
        return plain
    mark = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{plain}-{mark}" if plain else mark


@cache
def anchor(*names: str) -> str:
    """Anchor in a page for one or more ids.

    >>> anchor("ccc", "own")
    'ccc--own'
    """
    return "--".join(re.sub(r"[._]", "-", slug(name)) for name in names)


@dataclass
class Section:
    """A heading with finished HTML below it."""

    id: str
    title: str
    html: str = ""
    sections: list[Section] = field(default_factory=list)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Section:
        """Section of the entry of a page file."""
        parts = [cls.from_dict(part) for part in entry["sections"]]
        return cls(entry["id"], entry["title"], entry["html"].decode(), parts)


@dataclass
class Page:
    """One page.

    Args:
        doc: name of the document, for example ``results/index``
        title: heading, plain text
        html: what stands before the first section
        sections: the rest
        before: content of the page file whose sections are the rest, in place of ``sections``
    """

    doc: str
    title: str
    html: str = ""
    sections: list[Section] = field(default_factory=list)
    before: bytes = b""

    def href(self, doc: str, place: str = "") -> str:
        """Relative address of another document.

        >>> Page("results/a/index", "A").href("results/a/model/b", "top")
        'model/b.html#top'
        """
        return self.file(f"{doc}.html") + (f"#{place}" if place else "")

    def file(self, path: str) -> str:
        """Relative address of a file of the site.

        >>> Page("results/a/index", "A").file("data/results.csv")
        '../../data/results.csv'
        """
        return relative(path, posixpath.dirname(self.doc))

    @property
    def data(self) -> bytes:
        """Content of the page file."""
        if self.before:
            return page_file.renewed(self.before, self.title, self.html)
        sections = [asdict(section) for section in self.sections]
        return page_file.data(self.title, {"html": self.html, "sections": sections})


class Planned(NamedTuple):
    """A page that is made only where what it is made from has changed.

    Args:
        doc: name of the document
        inputs: what it is made from; None: it shows the whole target that it belongs to
        make: makes it
    """

    doc: str
    inputs: list[Any] | None
    make: Callable[[], Page]


def sections_of(page: bytes, names: Collection[str]) -> list[Section]:
    """Sections of a page file with one of these ids.

    >>> page = Page("a", "A", sections=[Section("b", "B", "<p>"), Section("c", "C")])
    >>> sections_of(page.data, ["b"]) == page.sections[:1]
    True
    """
    entries = page_file.content(page)["sections"]
    return [Section.from_dict(entry) for entry in entries if entry["id"] in names]
