"""Rendering the website: gather its sources, call Sphinx, and remove what is no page any more.

``build/source`` holds the prose pages of ``docs/``, the generated pages, and the criteria and
media that prose pages refer to; ``build/html`` is the website. Pages are made from result
files only, so this needs no model, no dataset and none of the packages that these need.

Sphinx makes frames of texts, and patterns of frames of all other pages. It is called only if texts, code or
what texts refer to changed: a value or a model more is none of its business.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..core import paths, provenance
from ..core.mirror import contents, listing, mirror, names_below, remove_empty, stats
from ..core.paths import Paths
from ..spec import Benchmark
from . import figure_files, identity
from .framing import FILLED, FRAMES, FrameMaker, Progress, extension, faults, memory
from .own import FOLDER as OWN

#: files that the program itself writes among the pages of results
GENERATED = (".page", ".html", ".json")
#: figures as the website has them
FIGURES = "figures"
#: pages that are no documents
OWN_PAGES = ("search", "404")
#: parts of ``docs/`` that Sphinx reads where they are
SETTINGS = ("_ext", "_static", "_templates", "conf.py", "docutils.conf", "decisions")
#: beginnings of what is no page of Sphinx in the site
OTHERS = ("_", "data", "extra")

#: key of a cell -> why its rows are stale
Stale = dict[str, dict[str, list[str]]]


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody is told."""


def render(
    folders: Paths,
    benchmark: Benchmark,
    *,
    workers: int,
    stale: Stale,
    results: Sequence[Sequence[str]],
    texts: str,
    intact: bool,
    progress: Progress,
) -> tuple[set[str], list[str]]:
    """Make all pages.

    Args:
        folders: where results lie and where to build
        benchmark: catalog and suite, for names, labels and descriptions
        workers: processes that make the pages of targets, and draw the plots of others
        stale: cells that pages mark
        results: name and hash of each file of own results
        texts: hash of the texts, templates and code of the website
        intact: whether the website is as it was left
        progress: gets a stage, how much of it is done, and how much there is

    Returns:
        names of all documents, and the pages that were removed

    Raises:
        OutputError: if Sphinx has a warning, with one line for each, or cannot go on
    """
    gather(folders, benchmark)
    filling = extension("site_frame.filling")
    places = filling.Folders(memory(folders) / FRAMES, folders.source, folders.html, folders.media)
    key = provenance.digest([texts, _media(folders)])
    with FrameMaker(folders, workers, key, intact=intact, places=places) as frames:
        with faults(folders):
            finish = extension("benchmark_site.making").make(
                folders,
                benchmark,
                workers=workers,
                stale=stale,
                results=results,
                cache=memory(folders),
                progress=progress,
            )
        try:
            return _joined(folders, frames, places, workers, progress)
        finally:
            with faults(folders):
                finish()
            remove_empty(folders.html)


def _joined(
    folders: Paths, frames: FrameMaker, places: Any, workers: int, progress: Progress
) -> tuple[set[str], list[str]]:
    """Put pages together from frames and what fills them; arguments and result as of :func:`render`."""
    filling, listed = extension("site_frame.filling"), extension("site_frame.listed")
    texts = frames.make(progress)
    filling.remove_others(places, texts.union(OWN_PAGES))
    frames.note(texts)
    titles = _titles(folders)
    pages = texts.union(titles)
    present = pages.union(OWN_PAGES)
    removed = _prune(folders, present)
    filling.fill(places, present, titles, memory(folders) / FILLED, workers=workers)
    listed.write(places, pages, titles, os.environ.get(identity.ADDRESS, ""))
    media = folders.html / "extra" / "media"
    figure_files.serve(folders.media, media, memory(folders) / FIGURES, workers)
    return pages, removed


def _titles(folders: Paths) -> dict[str, str]:
    """Name and title of all generated pages."""
    page_file = extension("site_frame.page_file")
    files = listing(folders.source / "results")
    names = [path.relative_to(folders.source).as_posix() for path in files]
    pages = [name.removesuffix(page_file.PAGE) for name in names if name.endswith(page_file.PAGE)]
    titles: dict[str, str] = page_file.titles(folders.source, pages)
    return titles


def _media(folders: Paths) -> list[Any]:
    """What texts refer to: criteria and media."""
    return [contents(folders.source / "method-tests"), stats(folders.source / "extra")]


def gather(folders: Paths, benchmark: Benchmark) -> None:
    """Fill ``build/source`` with what prose pages consist of and refer to."""
    _remove_strangers(folders.source / "results")
    mirror(paths.DOCS, folders.source, skip=SETTINGS, keep=("results", "extra", "method-tests"))
    mirror(folders.method_tests, folders.source / "method-tests", deep=2)
    # copies: what a plot of a page writes there must not reach the originals
    mirror(
        folders.media,
        folders.source / "extra" / "media",
        skip=(*benchmark.targets, paths.SAMPLES, paths.TABLES, OWN),
    )


def _remove_strangers(results: Path) -> None:
    """Remove what is no page of ours: a page in another format may hold code for plots."""
    for path in listing(results):
        if path.suffix not in GENERATED:
            path.unlink()


def _prune(folders: Paths, pages: Iterable[str]) -> list[str]:
    """Remove what is no page any more."""
    names = {f"{page}.html" for page in pages}
    html = (name for name in names_below(folders.html) if name.endswith(".html"))
    removed = [name for name in html if not name.startswith(OTHERS) and name not in names]
    for name in removed:
        (folders.html / name).unlink()
    return removed
