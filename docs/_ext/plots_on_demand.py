"""Matplotlib's ``plot`` directive, loaded only if a page draws.

Importing matplotlib takes a good part of the time in which an otherwise unchanged site is
brought up to date.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DIRECTIVE = re.compile(r"^ *\.\. plot::", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the directive if it is used anywhere in the prose."""
    pages = Path(app.srcdir).rglob("*.rst")
    if any(DIRECTIVE.search(page.read_text("utf-8")) for page in pages):
        app.setup_extension("matplotlib.sphinxext.plot_directive")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
