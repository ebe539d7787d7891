"""Plots of prose pages: where they are drawn, and when they are drawn again.

The plot directive of matplotlib draws again when the text of a page has changed. A plot depends
on the drawing code and on the sounds and images it reads, too.

Many plots are drawn by several processes (:class:`DrawnAhead`).
"""

from __future__ import annotations

import re
from multiprocessing.process import BaseProcess
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from common.core import files, processes, provenance
from common.core.mirror import contents
from common.pages import identity

#: attribute of the environment that remembers what the plots of each page were made from
MEMORY = "benchmark_plots_of_pages"
#: directives that look for sounds
HEARD = re.compile(r"^ *\.\. (sound|made-of)::", re.M)
#: directives that draw
DRAWN = re.compile(r"^ *\.\. plot::", re.M)
#: setting: processes that draw; and the least number of plots that is worth them
WORKERS, FEWEST = "drawing_workers", 6
#: where simulated maxima, which a page draws, lie in the website
MAXIMA = ("_static", "chance-maxima.csv")


def place(app: Sphinx) -> None:
    """Keep drawings below the build folder.

    The directive repeats the way from the settings to the page below its own folder. With pages
    outside of the folder of the settings, that way leads up and out.
    """
    from matplotlib.sphinxext import plot_directive

    plot_directive.setup.confdir = str(app.srcdir)


class DrawnAhead:
    """Lets several processes draw the plots of pages, before these are read.

    A process reads some of the pages only for their plots, which the directive then finds. All that
    matters of a page, warnings too, comes from reading it again in the process of Sphinx, which reads the pages
    without plots meanwhile; so a process that fails costs time and nothing else.
    """

    def __init__(self) -> None:
        self._begun: list[BaseProcess] = []
        self._pages: set[str] = set()

    def begin(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Start the processes, and let Sphinx read the pages with plots last."""
        counts = {name: _plots(Path(env.doc2path(name))) for name in docnames}
        self._pages = {name for name, count in counts.items() if count}
        workers: int = app.config[WORKERS]
        if workers < 2 or not processes.can_fork() or sum(counts.values()) < FEWEST:
            return
        docnames.sort(key=lambda name: name in self._pages)
        shares: list[list[str]] = [[] for _ in range(workers)]
        for name in sorted(self._pages, key=lambda name: -counts[name]):
            min(shares, key=lambda share: sum(counts[other] for other in share)).append(name)
        self._begun = [processes.forked(_read, app, share) for share in filter(None, shares)]

    def wait(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Wait for all drawings before the first page with plots is read."""
        if not self._begun or docname not in self._pages:
            return
        begun, self._begun = self._begun, []
        for process in begun:
            process.join()
        if any(process.exitcode for process in begun):
            # one was killed, perhaps in the middle of a file
            for name in self._pages:
                _forget(app, name)


def _plots(page: Path) -> int:
    return len(DRAWN.findall(page.read_text("utf-8"))) if page.suffix == ".rst" else 0


def _read(app: Sphinx, names: list[str]) -> None:
    """Read pages for their plots; what is wrong with them is found again, and said, by the main process."""
    with logging.suppress_logging():
        for name in names:
            try:
                app.builder.read_doc(name, _cache=False)
            except Exception:
                return


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
        _forget(app, name)
    return stale


def _forget(app: Sphinx, name: str) -> None:
    """Remove the drawings of a page, which the directive would take."""
    page = Path(app.doctreedir).parent / "plot_directive" / name
    for path in page.parent.glob(f"{page.name}-[0-9]*"):
        path.unlink()
