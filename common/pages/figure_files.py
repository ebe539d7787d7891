"""Figures of runs on the website: a run keeps them as PNG, pages show them as lossless WebP, a third smaller."""

from __future__ import annotations

import io
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..core import files
from ..core.mirror import mirror, names_below
from ..core.provenance import file_digest

logger = logging.getLogger(__name__)

DRAWN, SHOWN = ".png", ".webp"
#: parts of the name of a figure below the folder of media: target, model, test, file
PARTS = 4
#: a figure of a run has a tenth of so many pixels; what has more is none, and may be made to fill the memory
MOST_PIXELS = 10_000_000


def is_figure(name: str) -> bool:
    """Whether a name below the folder of media is that of a figure of a run.

    >>> is_figure("arousal/mine/fairness_sex/visualization_a.png"), is_figure("scenes/a/b.png")
    (True, False)
    """
    return name.endswith(DRAWN) and name.count("/") == PARTS - 1


def shown(name: str) -> str:
    """Name of a figure on the website.

    >>> shown("visualization_emodb-1.4.1-emotion.png")
    'visualization_emodb-1.4.1-emotion.webp'
    """
    return name.removesuffix(DRAWN) + SHOWN


def drawn(path: Path) -> Path:
    """File behind an address of the website: that of the run where there is no other."""
    if path.suffix == SHOWN and not path.exists():
        return path.with_suffix(DRAWN)
    return path


def webp(png: bytes) -> bytes:
    """The same pixels as WebP.

    Raises:
        OSError, SyntaxError, ValueError: if it is no PNG, is damaged, or has too many pixels
    """
    from PIL import Image

    out = io.BytesIO()
    # of a file that others may have written, no other decoder is tried
    try:
        image = Image.open(io.BytesIO(png), formats=("PNG",))
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None
    with image:
        if image.width * image.height > MOST_PIXELS:
            raise ValueError(f"{image.width} x {image.height} pixels")
        image.convert("RGB").save(out, "WEBP", lossless=True, method=2)
    return out.getvalue()


def serve(media: Path, site: Path, cache: Path, workers: int) -> None:
    """Bring the media of the website up to date; each figure is converted once.

    Args:
        media: what a run has drawn and made to be heard
        site: its place in the website
        cache: keeps converted figures, named by the hash of the original
        workers: number of threads

    Raises:
        OutputError: if a file cannot be written
    """
    names = [name for name in names_below(media) if is_figure(name)]
    with ThreadPoolExecutor(workers) as pool:
        files_there = pool.map(lambda name: _converted(media / name, cache), names)
        converted = dict(zip(names, files_there, strict=True))
    mirror(
        media,
        site,
        link=True,
        place=lambda name: (shown(name), converted[name]) if name in converted else None,
    )
    for path in set(cache.glob(f"*{SHOWN}")) - set(converted.values()):
        path.unlink()


def _converted(path: Path, cache: Path) -> Path:
    """The figure as WebP; what cannot be converted stays as it is."""
    copy = cache / f"{file_digest(path)}{SHOWN}"
    if not copy.exists():
        try:
            files.write_bytes(copy, webp(path.read_bytes()))
        except (OSError, SyntaxError, ValueError) as error:
            logger.debug("%s: %s", path, error)
            return path
    return copy
