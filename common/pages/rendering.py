"""Rendering the website: gather its sources, call Sphinx, and remove what is no page any more.

``build/source`` holds the prose pages of ``docs/``, the generated pages, and the criteria and
media that prose pages refer to; ``build/html`` is the website. Pages are made from result
files only, so this needs no model, no dataset and none of the packages that these need.

Sphinx makes frames of texts and of the headings of generated pages. It is called only if these changed:
a value that changes fills a few frames anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..core import paths, provenance
from ..core.mirror import contents, listing, mirror, remove_empty, stats
from ..core.paths import Paths
from ..spec import Benchmark
from .framing import FILLED, FRAMES, FrameMaker, Progress, extension, faults, memory
from .own import FOLDER as OWN

#: files that the program itself writes among the pages of results
GENERATED = (".page", ".outline", ".html", ".json")
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
        workers: processes that make the pages of targets, and draw the plots of others; Sphinx
            uses them for all from :data:`common.pages.framing.PARALLEL_FROM` pages on
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
    begin = provenance.digest([texts, [name for name, _ in results], _media(folders)])
    with FrameMaker(folders, workers, begin, intact=intact) as frames:
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
            return _joined(folders, frames, workers, progress)
        finally:
            with faults(folders):
                finish()
            remove_empty(folders.html)


def _joined(
    folders: Paths, frames: FrameMaker, workers: int, progress: Progress
) -> tuple[set[str], list[str]]:
    """Put pages together from frames and what fills them; arguments and result as of :func:`render`."""
    filling = extension("site_frame.filling")
    places = filling.Folders(memory(folders) / FRAMES, folders.source, folders.html, folders.media)
    pages = frames.make(_outlines(folders), places, progress)
    present = pages.union(OWN_PAGES)
    filling.remove_others(places, present)
    frames.note(pages)
    removed = _prune(folders, present)
    filling.fill(places, present, memory(folders) / FILLED, workers=workers)
    mirror(folders.media, folders.html / "extra" / "media", link=True)
    return pages, removed


def _outlines(folders: Paths) -> list[list[str]]:
    """Headings of generated pages, which Sphinx reads besides texts."""
    source = folders.source
    return [
        [path.relative_to(source).as_posix(), provenance.file_digest(path)]
        for path in listing(source / "results")
        if path.suffix == ".outline"
    ]


def _media(folders: Paths) -> list[Any]:
    """What texts refer to: criteria and media."""
    return [contents(folders.source / "method-tests"), stats(folders.source / "extra")]


def gather(folders: Paths, benchmark: Benchmark) -> None:
    """Fill ``build/source`` with what prose pages consist of and refer to."""
    mirror(paths.DOCS, folders.source, skip=SETTINGS, keep=("results", "extra", "method-tests"))
    _remove_strangers(folders.source / "results")
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
    removed = []
    for path in listing(folders.html):
        name = path.relative_to(folders.html)
        if (
            path.suffix == ".html"
            and not name.parts[0].startswith(OTHERS)
            and name.as_posix() not in names
        ):
            path.unlink()
            removed.append(name.as_posix())
    return removed
