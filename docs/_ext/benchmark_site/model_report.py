"""A model as one HTML file, without a network: what its pages say, for all targets.

Nothing is said twice: the parts are those of the pages of the model. Links to other pages lead
nowhere in a single file, so only their texts stay; figures are part of the file.
"""

from __future__ import annotations

import base64
import io
import mimetypes
import posixpath
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, unquote

from benchmark_site import modelpages
from benchmark_site.content import Content
from benchmark_site.page import Page, Section, slug
from benchmark_site.sources import Model
from common.core import paths, policy
from common.core.registry import unknown
from common.pages.figure_files import drawn, webp

#: style sheets of the site that its parts need
STYLES = ("frame.css", "site.css", "events.css")
#: a file has at most so many bytes; figures have what the rest leaves
MOST = 5_000_000
#: what the frame around the parts may take
FRAME = 60_000
MEDIA = "extra/media/"
#: scale of figures where there is little room: still as wide as a page shows them
SMALL = 0.65
#: characters that stand for themselves in an address within quotation marks
PLAIN = " /:;=,.()'+-*!?@$[]|_~"
OWN = """
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
.scroll { max-height: none !important; }
.note-of-report { color: var(--pst-color-text-muted); }
nav.targets-of-report ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; padding: 0; }
section.target-of-report { border-top: 3px solid var(--line); margin-top: 3rem; padding-top: 1rem; }
@media print { details > summary { list-style: none; } body { padding: 0; max-width: none; } }
"""
#: what paper needs open: not the tables of hundreds of lines of which another one has the worst
FOLDED = re.compile(r'<details(?! class="notes many")')
LINK = re.compile(r'<a\b[^>]*?\bhref="(?!#|https?:)[^"]*"[^>]*>(.*?)</a>', re.S)
IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^"]*)"[^>]*>')
ALT = re.compile(r'\balt="([^"]*)"')
#: sounds, and data of scripts, of which a report has none
ACTIVE = re.compile(r"<(audio|script)\b.*?</\1>", re.S)
#: parts of a page that only a website has: whole ones, and links that are not the name of something
ONLINE = re.compile(
    r'<p class="(?:badge-line|downloads|chips|only-printed)">.*?</p>|<nav class="tabs".*?</nav>'
    r'|<a class="(?:online|hear)".*?</a>(?:, )?|<a class="numbers" href="(?!#)[^"]*">.*?</a>',
    re.S,
)
REGION = 'role="region" aria-label="'
NAMES = re.compile(r'(\b(?:id|for|aria-labelledby|aria-describedby)="|href="#)([^"]+)"')


def report(content: Content, name: str, *, opened: bool = False) -> str:
    """HTML of the report.

    Args:
        content: what the pages of the site show
        name: id of the model; an own model comes before a published one
        opened: whether what is folded is unfolded, as paper needs it

    Raises:
        ConfigError: if there is no such model
    """
    models = _models(content, name)
    pages = {target: modelpages.page(content, target, model) for target, model in models.items()}
    inner = {
        target: _inside(page, slug(target)).replace(
            REGION, f"{REGION}{escape(content.label(target))}: "
        )
        for target, page in pages.items()
    }
    room = MOST - FRAME - sum(len(html.encode()) for html in inner.values())
    figures = Figures(content.paths.media, [(pages[t], html) for t, html in inner.items()], room)
    parts, links = [], []
    for target, page in pages.items():
        place = slug(target)
        links.append(f'<li><a href="#{place}">{escape(content.label(target))}</a></li>')
        parts.append(
            f'<section class="target-of-report result-page" id="{place}">'
            f"<h2>{escape(content.label(target))}</h2>\n"
            f"{figures.within(inner[target], page)}</section>"
        )
    label = next(iter(models.values())).label
    note = f"Made by speechproof from the results of this model{_written(content, models)}; "
    note += "complete without a network."
    if figures.left_out:
        some = "1 figure is" if figures.left_out == 1 else f"{figures.left_out} figures are"
        note += f" {some} left out, because the file would be too large."
    sheets = [(paths.DOCS / "_static" / file).read_text("utf-8") for file in STYLES]
    style = "\n".join(["", *sheets]) + OWN
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{policy.element(policy.ALONE, style=style)}\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Test report: {escape(label)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<main class="bd-article">\n<h1>Test report: {escape(label)}</h1>\n'
        f'<p class="note-of-report">{note}</p>\n'
        f'<nav class="targets-of-report" aria-label="Targets"><ul>{"".join(links)}</ul></nav>\n'
        f"{chr(10).join(parts)}\n</main>\n</body>\n</html>\n"
    )
    return FOLDED.sub("<details open", text) if opened else text


def _written(content: Content, models: Mapping[str, Model]) -> str:
    """When the results of a model were written last; empty for a published one."""
    paths = (content.paths.manifest(target, model.id) for target, model in models.items())
    times = [path.stat().st_mtime for path in paths if path.is_file()]
    if not times or any(model.published for model in models.values()):
        return ""
    return f", written on {datetime.fromtimestamp(max(times), UTC):%Y-%m-%d}"


def _models(content: Content, name: str) -> dict[str, Model]:
    """Target -> the model with that id."""
    every = [(target, model) for target in content.boards for model in content.models(target)]
    named = [(target, model) for target, model in every if model.id == name]
    if not named:
        raise unknown("model with results", name, {model.id for _, model in every}, "report")
    published = all(model.published for _, model in named)
    return {target: model for target, model in named if model.published == published}


class Figures:
    """Puts figures into the file, smaller ones where there is little room.

    Args:
        folder: where figures lie
        pages: pages with their HTML
        room: bytes that all figures may take
    """

    def __init__(self, folder: Path, pages: Sequence[tuple[Page, str]], room: int):
        self._folder = folder
        self._room = room
        self.left_out = 0
        sources = [(page, match[1]) for page, html in pages for match in IMAGE.finditer(html)]
        every = {file for page, source in sources if (file := self._file(page, source))}
        self._data = {file: data_uri(file) for file in sorted(every)}
        if sum(map(len, self._data.values())) > room:
            self._data = {file: data_uri(file, scale=SMALL) for file in self._data}

    def _file(self, page: Page, source: str) -> Path | None:
        """File of an image of a page; None if it is no figure of a run."""
        address = unquote(unescape(source))
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.doc), address))
        file = drawn(Path(self._folder, path.removeprefix(MEDIA)))
        return file if path.startswith(MEDIA) and file.is_file() else None

    def within(self, html: str, page: Page) -> str:
        """HTML of a page with its figures inside."""
        return IMAGE.sub(lambda match: self._embed(match[0], match[1], page), html)

    def _embed(self, tag: str, source: str, page: Page) -> str:
        """The element with the image inside, or its text where there is none."""
        text = ALT.search(tag)
        words = f"<em>Figure: {text[1] if text else source}</em>"
        file = self._file(page, source)
        if file is None:
            return words
        data = self._data[file]
        if len(data) > self._room:
            self.left_out += 1
            return words
        self._room -= len(data)
        return tag.replace(f'src="{source}"', f'src="{data}"')


def data_uri(file: Path, *, scale: float = 1) -> str:
    """Address that holds the content of an image, in the shortest form that we know.

    Args:
        file: the image
        scale: 1: as it is; less: smaller pixels, and not every detail
    """
    content = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if kind == "image/svg+xml":
        return f"data:{kind},{quote(content.decode(), safe=PLAIN)}"
    if kind == "image/png":
        kind, content = "image/webp", webp(content) if scale == 1 else _small(content, scale)
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _small(png: bytes, scale: float) -> bytes:
    """A smaller image, without every detail."""
    from PIL import Image

    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        picture = image.convert("RGB")
        size = tuple(max(1, round(scale * side)) for side in picture.size)
        picture.resize((size[0], size[1])).save(out, "WEBP", quality=40, method=2)
    return out.getvalue()


def _inside(page: Page, place: str) -> str:
    """All of a page but its title; its names do not meet those of other targets."""
    html = page.html + "".join(_section(section, 3) for section in page.sections)
    html = ONLINE.sub("", html).replace(modelpages.ABOUT, "Facts")
    html = LINK.sub(r"\1", html)
    html = ACTIVE.sub("", html)
    return NAMES.sub(lambda match: f'{match[1]}{place}--{match[2]}"', html)


def _section(section: Section, level: int) -> str:
    inner = "".join(_section(part, level + 1) for part in section.sections)
    head = f"<h{level}>{escape(section.title)}</h{level}>"
    return f'<section id="{section.id}">{head}\n{section.html}{inner}</section>\n'
