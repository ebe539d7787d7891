"""What code a page belongs to, found from imports; see :mod:`common.core.closure`.

Pages call no metric: of metrics they show what these declare, so that counts by its value.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from ..core import closure, paths, provenance
from ..core.mirror import listing
from ..metrics import METRICS

#: variable with the address of the website; the picture in it that previews of links show
ADDRESS, PREVIEW = "SPEECHPROOF_URL", "preview.png"
#: from results and prose to HTML: our extensions of Sphinx, and what calls it
RENDERING = ("common.pages.rendering", *(path.stem for path in paths.extensions()))
#: from rows to the pages of results
RESULTS = "benchmark_site.pages"
#: a drawing of a prose page: its options, then Python after an empty line
PLOT = re.compile(r"^( *)\.\. plot::.*\n(?:\1 +\S.*\n)*\s*\n((?:(?:\1 +\S.*)?\n)+)", re.M)


def site_code() -> str:
    """Hash of the code that makes the website, the drawings of prose pages included."""
    texts = (path.read_text("utf-8") for path in listing(paths.DOCS) if path.suffix == ".rst")
    drawing = {module for text in texts for module in drawn_by(text)}
    return _digest(*RENDERING, *drawing)


def results_code() -> str:
    """Hash of the code that makes the pages of results from rows."""
    return _digest(RESULTS)


def plots_code(text: str) -> str:
    """Hash of the code that draws the plots of a prose page; empty if it has none."""
    return closure.code_of(*drawn_by(text)) if PLOT.search(text) else ""


def drawn_by(text: str) -> tuple[str, ...]:
    r"""Modules that the plots of a prose page use; Sphinx tells of a plot that is no Python.

    >>> drawn_by(".. plot::\n\n   from common.core.rng import generator\n   generator(1)\n")
    ('common.core.rng',)
    """
    modules: set[str] = set()
    for plot in PLOT.finditer(text):
        with contextlib.suppress(SyntaxError):
            modules |= set(closure.SOURCES.used_by(textwrap.dedent(plot[2])))
    return tuple(sorted(modules))


def _digest(*starts: str) -> str:
    declared = [list(_declared(metric)) for metric in METRICS]
    return provenance.digest([closure.code_of(*starts), declared])


def _declared(metric: Any) -> Iterator[list[Any]]:
    """Names and values of the fields of a metric that are no functions."""
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        if isinstance(value, str) or type(value) is tuple:
            yield [field.name, repr(value)]
