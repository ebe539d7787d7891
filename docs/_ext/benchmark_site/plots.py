"""Plots of prose pages: where they are drawn, and when they are drawn again.

The plot directive of matplotlib draws again when the text of a page has changed. A plot depends
on the drawing code and on the sounds and images it reads, too.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from common.core import files, provenance
from common.core.mirror import contents
from common.pages import identity

#: attribute of the environment that remembers what the plots of each page were made from
MEMORY = "benchmark_plots_of_pages"
#: directives that look for sounds
HEARD = re.compile(r"^ *\.\. (sound|made-of)::", re.M)
#: where simulated maxima, which a page draws, lie in the website
MAXIMA = ("_static", "chance-maxima.csv")


def place(app: Sphinx) -> None:
    """Keep drawings below the build folder.

    The directive repeats the way from the settings to the page below its own folder. With pages
    outside of the folder of the settings, that way leads up and out.
    """
    from matplotlib.sphinxext import plot_directive

    plot_directive.setup.confdir = str(app.srcdir)


def numbers(app: Sphinx, fault: Exception | None) -> None:
    """Put the numbers behind plots of prose into the website."""
    if fault is None and app.builder.format == "html":
        from common.uncertainty.simulation.table import KEPT

        files.write_text(Path(app.outdir, *MAXIMA), KEPT.read_text("utf-8"), only_changed=True)


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages whose plots, or whose sounds, were made from something else than what is there now."""
    media = contents(Path(app.srcdir) / "extra" / "media")
    before: dict[str, str] = getattr(env, MEMORY, {})
    now = {}
    for name in env.found_docs:
        path = Path(env.doc2path(name))
        if path.suffix == ".rst":
            text = path.read_text("utf-8")
            code = identity.plots_code(text)
            if code or HEARD.search(text):
                now[name] = provenance.digest([code, media])
    setattr(env, MEMORY, now)
    stale = [name for name, key in now.items() if before.get(name) != key]
    for name in stale:
        _forget(Path(app.doctreedir).parent / "plot_directive" / name)
    return stale


def _forget(page: Path) -> None:
    """Remove the drawings of a page, which the directive would take."""
    for path in page.parent.glob(f"{page.name}-[0-9]*"):
        path.unlink()
