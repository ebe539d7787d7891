"""A generated page: plain headings and finished HTML, without any markup language between.

Generated pages lie in the source folder as ``*.page`` files (JSON). Their parser builds the
document tree directly, so no text of a heading or table can be taken for markup, and the
slow reading of tables is spared.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.parsers import Parser

SUFFIX = ".page"


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
        return cls(entry["id"], entry["title"], entry["html"], parts)


@dataclass
class Page:
    """One page.

    Args:
        doc: name of the document, for example ``results/index``
        title: heading, plain text
        html: what stands before the first section
        sections: the rest
        children: documents below this one in the navigation
    """

    doc: str
    title: str
    html: str = ""
    sections: list[Section] = field(default_factory=list)
    children: list[str] = field(default_factory=list)

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
        return quote(posixpath.relpath(path, posixpath.dirname(self.doc) or "."))

    def to_json(self) -> str:
        """Text of the page file."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=0) + "\n"


def sections_of(text: str) -> list[Section]:
    """Sections of a page file.

    >>> page = Page("a", "A", sections=[Section("b", "B", "<p>")])
    >>> sections_of(page.to_json()) == page.sections
    True
    """
    return [Section.from_dict(entry) for entry in json.loads(text)["sections"]]


class PageParser(Parser):
    """Docutils parser of ``*.page`` files."""

    supported = ("page",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Build the document tree of one page."""
        content: dict[str, Any] = json.loads(inputstring)
        section = _section(content, "page-top", content["doc"])
        section["classes"].append("result-page")
        document += section
        if content["children"]:
            section += _toctree(content["doc"], content["children"])


def heading(text: str) -> str:
    """Text of a heading without brackets of HTML tags.

    Sphinx's search shows headings as HTML, so a name in angle brackets would become a tag.

    >>> heading("a <b>")
    'a ‹b›'
    """
    return text.translate({ord("<"): "‹", ord(">"): "›"})


def _section(
    content: dict[str, Any], name: str, doc: str, place: tuple[int, ...] = ()
) -> nodes.section:
    title = nodes.title("", "", nodes.Text(heading(content["title"])))
    section = nodes.section("", title, ids=[name])
    if content["html"]:
        section += PageHtml("", doc=doc, place=place, classes=["no-search"])
    for number, part in enumerate(content["sections"]):
        section += _section(part, part["id"], doc, (*place, number))
    return section


class PageHtml(nodes.General, nodes.Element):
    """Finished HTML, named by its document and the place of its section in the page file.

    Sphinx holds the trees of all pages that it reads until it writes them, and there may be a
    thousand pages; so the HTML stays in the file until then.
    """


def visit_html(writer: Any, node: PageHtml) -> None:
    """Write the HTML of a node."""
    file = Path(writer.builder.srcdir, f"{node['doc']}{SUFFIX}")
    content = _content(file, file.stat().st_mtime_ns)
    for number in node["place"]:
        content = content["sections"][number]
    writer.body += [writer.starttag(node, "div", suffix=""), content["html"], "</div>"]
    raise nodes.SkipNode


@lru_cache(maxsize=1)
def _content(file: Path, changed: int) -> dict[str, Any]:
    """Content of the page file that is being written, which was changed at that time."""
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return content


def _toctree(parent: str, children: list[str]) -> nodes.Element:
    tree = addnodes.toctree(
        parent=parent,
        entries=[(None, child) for child in children],
        includefiles=list(children),
        maxdepth=1,
        caption=None,
        rawentries=[],
        rawcaption="",
        glob=False,
        hidden=True,
        includehidden=False,
        numbered=0,
        titlesonly=True,
    )
    return nodes.compound("", tree, classes=["toctree-wrapper"])
