"""Plots of prose pages: where they are drawn, and when they are drawn again.

The plot directive of matplotlib draws again when the text of a page has changed. A plot depends
on the drawing code and on the sounds and images it reads, too.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from common.core import paths
from common.core.mirror import contents

#: attribute of the environment that remembers what the plots were made from
MEMORY = "benchmark_plots"
DIRECTIVE = ".. plot::"


def place(app: Sphinx) -> None:
    """Keep drawings below the build folder.

    The directive repeats the way from the settings to the page below its own folder. With pages
    outside of the folder of the settings, that way leads up and out.
    """
    from matplotlib.sphinxext import plot_directive

    plot_directive.setup.confdir = str(app.srcdir)


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages whose plots were made from something else than what is there now."""
    source = Path(app.srcdir)
    inputs = [contents(folder) for folder in (paths.PACKAGE, source / "extra" / "media")]
    now = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    if getattr(env, MEMORY, "") == now:
        return []
    setattr(env, MEMORY, now)
    shutil.rmtree(Path(app.doctreedir).parent / "plot_directive", ignore_errors=True)
    pages = [Path(env.doc2path(name)) for name in env.found_docs]
    drawn = {page for page in pages if page.suffix == ".rst" and DIRECTIVE in page.read_text()}
    return [name for name in env.found_docs if Path(env.doc2path(name)) in drawn]
