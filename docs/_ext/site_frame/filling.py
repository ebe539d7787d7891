"""Pages of the website: frames that Sphinx wrote, filled with what results change.

A frame has everything of a page that texts and titles decide; the frames of generated pages come from
patterns (:mod:`site_frame.patterns`). Sections, tables and figures of results
come into its slots, and what depends on them (descriptions, sizes of images, the scripts that a page
needs) is left open. A page is filled when its frame or what is put into it changed, without Sphinx.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from common.core import closure, display, files, processes, provenance
from common.core.mirror import listing, stat_of
from site_frame import head, page_file, patterns, pictures
from site_frame.page_file import PAGE
from site_frame.slots import ABOUT, BEGIN, END, PAGES, PATTERNS, SLOT_IN_DATA

#: where a script shows tables
LATER = b"data-cells="
#: files that only pages with one of such texts need
WHERE_USED = {
    "events.css": (b'class="events-details',),
    "events.js": (b'class="events-details',),
    "export.js": (b"<table", LATER),
    "field.css": (b'class="scroll field',),
    "hints.js": (b'<table class="scores', b"data-hint=", LATER),
    "listen.css": (b'class="listen',),
    "listen.js": (b'class="listen',),
    "scoring.js": (LATER,),
    "boards.css": (LATER,),
    "boards.js": (b'class="board-tools',),
    "compare.js": (b'class="compare-tools',),
    "hear.js": (b'class="listen-samples',),
    "predictions.js": (b'class="own-tools',),
    "own.js": (b'class="own-tools',),
}
LOADED = re.compile(
    r"\n<(?:link|script)\b[^>]*\b_static/(?P<name>[\w.-]+)[^>]*>(?:</script>)?(?=\n)"
)
#: from so many changed pages on, a second process pays
MANY = 20
ENDING = ".html"


class Folders(NamedTuple):
    """Where the parts of pages lie.

    Args:
        frames: what Sphinx wrote
        source: source folder of Sphinx, with the pages of results
        site: the website
        media: figures and sounds
    """

    frames: Path
    source: Path
    site: Path
    media: Path


def fill(
    folders: Folders,
    pages: Iterable[str],
    titles: Mapping[str, str],
    notes: Path,
    *,
    workers: int = 1,
) -> None:
    """Bring pages up to date with their frames and what is put into these.

    Args:
        folders: where the parts of pages lie
        pages: names of the pages
        titles: of generated pages
        notes: file that remembers what pages were made from
        workers: with more than one, another process fills half of many pages
    """
    code = closure.code_of(__name__)
    last = _noted(notes, code)
    notes.unlink(missing_ok=True)
    now = {name: last.get(name, []) for name in sorted(pages)}
    changed = [name for name, entry in now.items() if not _is_filled(folders, titles, name, entry)]
    other = changed[1::2]
    rest = processes.beside(
        workers if len(changed) >= MANY else 1, partial(_filled, folders, titles, other)
    )
    try:
        now |= _filled(folders, titles, changed[0::2])
    finally:
        now |= rest()
    content = {"code": code, "pages": now, "sum": provenance.digest(now)}
    files.write_text(notes, json.dumps(content))


def _is_filled(
    folders: Folders, titles: Mapping[str, str], name: str, entry: Sequence[Any]
) -> bool:
    """Whether a page is as it was left, and so is all that it was made from."""
    return (
        bool(entry)
        and _size(f"{folders.site}/{name}{ENDING}") == entry[0]
        and _titles(titles, name) == entry[1]
        and entry[2] == _stats(entry[2])
    )


def _titles(titles: Mapping[str, str], name: str) -> list[list[str]]:
    """Names and titles of the pages on the way to a generated page, its own as the last."""
    if name not in titles or name == patterns.TOP:
        return []
    return [[doc, titles[doc]] for doc in (*patterns.above(name), name) if doc in titles]


def _filled(
    folders: Folders, titles: Mapping[str, str], names: Iterable[str]
) -> dict[str, list[Any]]:
    """Fill pages; returns what each was made from."""
    entries: dict[str, list[Any]] = {}
    for name in names:
        way = _titles(titles, name)
        page, maker = Path(folders.site, name + ENDING), Filling(folders, name, way)
        files.write_bytes(page, maker.html, only_changed=True)
        entries[name] = [_size(str(page)), way, _stats(maker.read)]
    return entries


def forget_lost(folders: Folders) -> None:
    """Remove the frames of pages that are not there, so that Sphinx writes all that belongs to them."""
    for path in listing(folders.frames / PAGES):
        if not (folders.site / path.relative_to(folders.frames / PAGES)).exists():
            path.unlink()


def remove_others(folders: Folders, pages: Iterable[str]) -> None:
    """Remove frames of what is no page any more."""
    frames = {Path(folders.frames, PAGES, name + ENDING) for name in pages}
    for path in listing(folders.frames / PAGES):
        if path not in frames:
            path.unlink()


class Filling:
    """Puts one page together.

    Args:
        folders: where its parts lie
        name: name of the page
        way: names and titles of the pages on the way to a generated page, its own as the last
    """

    def __init__(self, folders: Folders, name: str, way: Sequence[Sequence[str]] = ()):
        self._folders, self._name, self._way = folders, name, way
        #: files that decide about the page
        self.read: list[str] = []

    @cached_property
    def html(self) -> bytes:
        """The page."""
        frame = self._frame()
        before, begin, rest = frame.partition(BEGIN)
        inside, _, after = rest.partition(END)
        body = inside.encode()
        if begin:
            images = pictures.Files(self._name, self._folders.site, self._folders.media)
            body = pictures.sized(SLOT_IN_DATA.sub(self._content, body), images)
            self.read += map(str, images.seen)
        else:
            before, after = frame, ""
        top, mark, middle = before.partition("</head>")
        top = ABOUT.sub(lambda match: head.tags(json.loads(match[1]), head.begin(body)), top)
        return b"".join([f"{_needed(top, body)}{mark}{middle}".encode(), body, after.encode()])

    def _content(self, slot: re.Match[bytes]) -> bytes:
        kind, place = (part.decode() for part in slot.groups())
        if kind == "page":
            path = self._folders.source / f"{self._name}{PAGE}"
            self.read.append(str(path))
            return below_title(page_file.content(path.read_bytes()))
        up = "../" * self._name.count("/")
        text = self._text(self._folders.source / place).replace('href="', f'href="{up}')
        return text.encode()

    def _frame(self) -> str:
        if not self._way:
            return self._text(self._folders.frames / PAGES / f"{self._name}{ENDING}")
        place = f"{patterns.name(self._name)}{ENDING}"
        pattern = self._text(self._folders.frames / PATTERNS / place)
        *steps, (_, title) = self._way
        return patterns.frame(pattern, self._name, title, steps)

    def _text(self, path: Path) -> str:
        self.read.append(str(path))
        return path.read_text("utf-8")


def below_title(content: Mapping[str, Any]) -> bytes:
    """HTML of the content of a page file: what stands before its first section, and all sections.

    >>> part = {"id": "b", "title": "B > -1", "html": b"", "sections": []}
    >>> print(below_title({"html": b"<p>", "sections": [part]}).decode(), end="")
    <div class="no-search"><p></div><section id="b">
    <h2>B &gt; −1<a class="headerlink" href="#b" title="Link to this heading">#</a></h2>
    </section>
    """
    return b"".join(_below(content, 1))


def _below(content: Mapping[str, Any], level: int) -> Iterator[bytes]:
    if content["html"]:
        yield from (b'<div class="no-search">', content["html"], b"</div>")
    for part in content["sections"]:
        yield _heading(part, level + 1).encode()
        yield from _below(part, level + 1)
        yield b"</section>\n"


def _heading(part: Mapping[str, Any], level: int) -> str:
    """Begin of a section as Sphinx writes those of texts."""
    place, title = escape(part["id"]), escape(display.tidy(part["title"]))
    link = f'<a class="headerlink" href="#{place}" title="Link to this heading">#</a>'
    return f'<section id="{place}">\n<h{level}>{title}{link}</h{level}>\n'


def _needed(top: str, body: bytes) -> str:
    """The head of a page without the files that its body does not need."""
    stands = cache(body.__contains__)  # several files are needed where the same text stands

    def needed(match: re.Match[str]) -> str:
        texts = WHERE_USED.get(match["name"])
        return match[0] if texts is None or any(map(stands, texts)) else ""

    return LOADED.sub(needed, top)


def _noted(notes: Path, code: str) -> dict[str, Any]:
    """What pages were made from; nothing if that cannot be told, or by other code."""
    try:
        content = json.loads(notes.read_text("utf-8"))
        whole = content["sum"] == provenance.digest(content["pages"])
        return dict(content["pages"]) if whole and content["code"] == code else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def _stats(names: Iterable[str]) -> dict[str, list[int]]:
    """Size and time of files; of those that are not there, that they are not."""
    return {name: _stat(name) for name in names}


def _stat(name: str) -> list[int]:
    try:
        stat = stat_of(name)
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


def _size(page: str) -> list[int]:
    return _stat(page)[:1]
