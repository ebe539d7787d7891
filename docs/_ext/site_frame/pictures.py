"""Width and height of images, so that no text moves when they arrive.

All images but the first of a page are loaded when the reader comes near them.
"""

from __future__ import annotations

import posixpath
import re
import struct
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from common.pages.figure_files import drawn

#: begin of an element of an image, and the rest of it
BEGIN, REST = b"<img", re.compile(rb"(?!\w)([^>]*?)\s*(/?)>")
SOURCE, SIZED = re.compile(rb'\bsrc="([^"]*)"'), re.compile(rb"\b(width|height)=")
ROOT = re.compile(r"<svg\b[^>]*>")
LENGTH = r'\b{}="(\d{{1,9}}(?:\.\d*)?|\.\d+)(?:px)?"'
PNG = b"\x89PNG\r\n\x1a\n"


class Files:
    """Finds the file behind an address in a page, and notes which were looked for.

    Args:
        page: name of the page
        site: folder of the website
        media: figures and sounds, which come into the website later
    """

    def __init__(self, page: str, site: Path, media: Path):
        self._folder = posixpath.dirname(page)
        self._site, self._media = site, media
        self.seen: list[Path] = []

    def find(self, address: str) -> Path:
        """File of an address; it need not exist."""
        path = posixpath.normpath(posixpath.join(self._folder, unquote(address)))
        inside = path.startswith("extra/media/")
        file = (
            drawn(Path(self._media, path.removeprefix("extra/media/")))
            if inside
            else Path(self._site, path)
        )
        self.seen.append(file)
        return file


def sized(html: bytes, files: Files) -> bytes:
    """HTML whose images have a width, a height, and their time of loading."""
    start, *images = html.split(BEGIN)  # much faster than a search for the whole element
    parts, is_late = [start], False
    for image in images:
        rest = REST.match(image)
        if rest:
            parts += _complete(rest, files, is_late), image[rest.end() :]
            is_late = True
        else:
            parts += BEGIN, image
    return b"".join(parts)


def _complete(rest: re.Match[bytes], files: Files, is_late: bool) -> bytes:
    """Element of an image with its size, and its time of loading."""
    attributes, slash = rest.groups()
    source = SOURCE.search(attributes)
    if source and not SIZED.search(attributes):
        width, height = size(files.find(source[1].decode()))
        if width and height:
            attributes += b' width="%d" height="%d"' % (width, height)
    if is_late and b"loading=" not in attributes:
        attributes += b' loading="lazy"'
    return b"%b%b%b>" % (BEGIN, attributes, slash and b" /")


def size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, WebP or SVG in pixels; (0, 0) if unknown."""
    try:
        return _size(path, path.stat().st_mtime_ns)
    except (OSError, struct.error):  # not there, or cut off
        return 0, 0


@cache
def _size(path: Path, stamp: int) -> tuple[int, int]:
    with path.open("rb") as stream:
        begin = stream.read(2000)
    if begin.startswith(PNG):
        width, height = struct.unpack(">II", begin[16:24])
        return int(width), int(height)
    if begin[8:12] == b"WEBP":
        return _webp_size(begin)
    return svg_size(begin.decode("utf-8", "replace"))


def _webp_size(begin: bytes) -> tuple[int, int]:
    """Width and height of a WebP, by the kind of its first chunk: extended, lossless, lossy."""
    if begin[12:16] == b"VP8X":
        low = struct.unpack("<HBHB", begin[24:30])
        return low[0] + (low[1] << 16) + 1, low[2] + (low[3] << 16) + 1
    if begin[12:16] == b"VP8L":
        (bits,) = struct.unpack("<I", begin[21:25])
        return int(bits & 0x3FFF) + 1, int(bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", begin[26:30])
    return int(width & 0x3FFF), int(height & 0x3FFF)


def svg_size(text: str) -> tuple[int, int]:
    """Width and height of a drawing, rounded; (0, 0) if it has none.

    >>> svg_size('<svg xmlns="http://www.w3.org/2000/svg" width="90.4" height="20">')
    (90, 20)
    """
    root = ROOT.search(text)
    lengths = []
    for name in ("width", "height"):
        length = re.search(LENGTH.format(name), root[0]) if root else None
        lengths.append(round(float(length[1])) if length else 0)
    width, height = lengths
    return (width, height) if width and height else (0, 0)
