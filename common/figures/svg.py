"""Figures as SVG inside a page: no file, no font of its own, equal figures give equal text."""

from __future__ import annotations

import html
import io
import re
import warnings
from typing import TYPE_CHECKING

from . import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: text stays text, and names of parts depend on their content only
RC = {"svg.fonttype": "none", "svg.hashsalt": "speechproof"}


def to_svg(figure: Figure, alt: str, *, name: str = "") -> str:
    """The figure as an ``<svg>`` element that is as wide as its place in the page.

    Args:
        figure: drawn with :mod:`common.figures.style`
        alt: what a reader who cannot see it needs to know
        name: different for each figure of a page, so that ids in them are
    """
    import matplotlib as mpl

    out = io.StringIO()
    with style.applied(), mpl.rc_context(RC), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    body = text[text.index(">", text.index("<svg")) + 1 :].strip()
    box = re.search(r'viewBox="(0 0 ([\d.]+) [\d.]+)"', text)
    assert box is not None
    for unused in (r"<metadata>.*?</metadata>\s*", r"<defs>\s*<style.*?</style>\s*</defs>\s*"):
        body = re.sub(unused, "", body, flags=re.DOTALL)
    # names of groups repeat in each figure and are used by nothing
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    body = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{name}", body)
    # 96 pixels of a page are an inch, and 72 points
    width = float(box.group(2)) * 4 / 3
    return (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="{box.group(1)}"'
        f' style="width:100%;max-width:{width:.0f}px;height:auto;stroke-linejoin:round"'
        ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">\n'
        f"{body}"
    )
