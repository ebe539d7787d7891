"""Patterns of frames: Sphinx writes one for each depth of folders, and no frame for any generated page.

The frames of two pages of results differ in their titles, in the way up, and in how deep the pages lie.
So Sphinx need not know of these pages, and is not called when there is one more.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from common.core import display, files
from site_frame import head
from site_frame.relative import relative
from site_frame.slots import PAGES, PATTERNS, SLOT_OF_PAGE, slot_of_tags

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: folder of generated pages, and its only page that Sphinx knows
FOLDER, TOP = "results", "results/index"
#: generated pages lie so many folders deep at most
DEEPEST = 3
#: stand in a pattern for the title of a page, and for that of a page above it
TITLE, ABOVE = "@title@", "@above@"
#: what differs between pages
PLACES = re.compile(
    rf'(?P<step>\n<li><a href="[^"]*">{ABOVE}</a></li>)|<!--@about:(?P<about>[^>]*)-->|(?P<title>{TITLE})'
)
HEADING = (
    f'<section class="result-page" id="page-top">\n<h1>{TITLE}<a class="headerlink" href="#page-top" '
    f'title="Link to this heading">#</a></h1>\n{SLOT_OF_PAGE}</section>\n'
)


def name(doc: str) -> str:
    """Name of the pattern for a page.

    >>> name("results/arousal/model/cnn"), name("results/own")
    ('results/_/_/pattern', 'results/pattern')
    """
    return "/".join([FOLDER, *["_"] * (doc.count("/") - 1), "pattern"])


#: all patterns
NAMES = frozenset(name("/" * depth) for depth in range(1, DEEPEST + 1))


def above(doc: str) -> list[str]:
    """Overviews that may stand above a page, the nearest one last.

    >>> above("results/arousal/model/cnn")
    ['results/index', 'results/arousal/index', 'results/arousal/model/index']
    >>> above("results/arousal/index")
    ['results/index']
    """
    folders = doc.split("/")[:-1]
    names = ["/".join([*folders[: depth + 1], "index"]) for depth in range(len(folders))]
    return [name for name in names if name != doc]


def pages() -> Iterator[tuple[str, dict[str, Any], str]]:
    """What Sphinx is to write besides pages."""
    for place in sorted(NAMES):
        yield place, {"title": TITLE, "body": HEADING}, "page.html"


def trail() -> list[dict[str, str]]:
    """The way up in a pattern."""
    return [{"doc": TOP, "title": ABOVE}]


def settle(app: Sphinx, fault: Exception | None) -> None:
    """Put new patterns in place of those that differ, so that a pattern has the time of its last change."""
    from sphinx.errors import ExtensionError

    from site_frame import frames

    if fault is not None or app.builder.format != "html":
        return
    folder = frames.folder(app.doctreedir)
    for place in NAMES:
        written = folder / PAGES / f"{place}.html"
        text = written.read_text("utf-8")
        kinds = Counter(match.lastgroup for match in PLACES.finditer(text))
        if not (kinds["step"] == kinds["about"] == 1 and kinds["title"]):
            raise ExtensionError(f"the layout has another place for titles or the way up: {place}")
        files.write_text(folder / PATTERNS / f"{place}.html", text, only_changed=True)
        written.unlink()


def frame(pattern: str, doc: str, title: str, steps: Iterable[Sequence[str]]) -> str:
    """Frame of a generated page.

    Args:
        pattern: text of its pattern
        doc: name of the document
        title: its title
        steps: names and titles of the pages above it, the nearest one last
    """
    way = "".join(
        f'\n<li><a href="{relative(f"{up}.html", dirname(doc))}">{_shown(text)}</a></li>'
        for up, text in steps
    )
    texts = {
        "step": lambda _: way,
        "about": partial(_about, doc, title),
        "title": lambda _: _shown(title),
    }
    return PLACES.sub(lambda match: texts[match.lastgroup or ""](match), pattern)


def _shown(title: str) -> str:
    return str(escape(heading(title)))


def heading(title: str) -> str:
    """Text of a title as it is shown: without brackets of HTML tags, numbers as people read them.

    Lists of hits show titles, and a name in angle brackets looks like a tag.

    >>> heading("a <b> -1")
    'a ‹b› −1'
    """
    return display.tidy(title.translate({ord("<"): "‹", ord(">"): "›"}))


def _about(doc: str, title: str, slot: re.Match[str]) -> str:
    """Slot for the elements of the head that describe a page."""
    properties: dict[str, str] = json.loads(slot["about"])
    properties["title"] = " ".join(heading(title).split())
    if "url" in properties:
        base = properties["url"].removesuffix(head.address("", name(doc)))
        properties["url"] = head.address(base, doc)
    return slot_of_tags(properties)
