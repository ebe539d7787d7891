"""Rendering the website: gather its sources, call Sphinx, and remove what is no page any more.

``build/source`` holds the prose pages of ``docs/``, the generated pages, and the criteria and
media that prose pages refer to; ``build/html`` is the website. Pages are made from result
files only, so this needs no model, no dataset and none of the packages that these need.

Sphinx makes frames of texts and of the headings of generated pages. It is called only if these changed:
a value that changes fills a few frames anew.

What Sphinx remembers of a build are pickles, and loading a pickle can run any code. An output
folder may come from anybody, so they lie in the cache folder, which is the user's own.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core import files, paths, provenance
from ..core.documents import parse_json
from ..core.errors import BenchmarkError, OutputError
from ..core.mirror import contents, listing, mirror, remove_empty, stats
from ..core.paths import Paths
from ..spec import Benchmark
from .own import FOLDER as OWN

#: folder in the cache, with a folder for each website
MEMORY = "site"
#: files that the program itself writes among the pages of results
GENERATED = (".page", ".outline", ".html", ".json")
#: what is remembered of a website: frames, what they were made from, what pages were filled with
FRAMES, GIVEN, FILLED = "frames", "given.json", "filled.json"
#: pages that are no documents
OWN_PAGES = ("search", "404")
#: parts of ``docs/`` that Sphinx reads where they are
SETTINGS = ("_ext", "_static", "_templates", "conf.py", "docutils.conf", "decisions")
#: beginnings of what is no page of Sphinx in the site
OTHERS = ("_", "data", "extra")
LEVEL = re.compile(r"(^|: )(WARNING|ERROR|CRITICAL|SEVERE): ")
LONGEST = 300
#: below so many pages, starting processes costs more than they save
PARALLEL_FROM = 1000
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

#: takes a stage, how much of it is done, and how much there is
Progress = Callable[[str, int, int], None]
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
            uses them for all from :data:`PARALLEL_FROM` pages on
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
    with _faults(folders):
        finish = _extension("benchmark_site.making").make(
            folders,
            benchmark,
            workers=workers,
            stale=stale,
            results=results,
            cache=memory(folders),
            progress=progress,
        )
    try:
        return _joined(folders, texts, intact=intact, workers=workers, progress=progress)
    finally:
        with _faults(folders):
            finish()
        remove_empty(folders.html)


def _joined(
    folders: Paths, texts: str, *, intact: bool, workers: int, progress: Progress
) -> tuple[set[str], list[str]]:
    """Put pages together from frames and what fills them; arguments and result as of :func:`render`."""
    filling = _extension("site_frame.filling")
    places = filling.Folders(memory(folders) / FRAMES, folders.source, folders.html, folders.media)
    key = provenance.digest([texts, _given(folders)])
    pages = _remembered(folders, key)
    if pages is None or not intact:
        filling.forget_lost(places)
        (memory(folders) / GIVEN).unlink(missing_ok=True)
        pages = _sphinx(folders, workers, progress)
    present = pages.union(OWN_PAGES)
    filling.remove_others(places, present)
    note = {"key": key, "pages": sorted(pages), "frames": _frames(folders)}
    files.keep(memory(folders) / GIVEN, json.dumps(note))
    removed = _prune(folders, present)
    filling.fill(places, present, memory(folders) / FILLED, workers=workers)
    mirror(folders.media, folders.html / "extra" / "media", link=True)
    return pages, removed


def _extension(name: str) -> Any:
    """Module of our extensions of Sphinx, which lie beside the texts."""
    place = str(paths.DOCS / "_ext")
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(name)


def _given(folders: Paths) -> list[Any]:
    """What Sphinx reads besides texts: headings of generated pages, criteria, media."""
    source = folders.source
    outlines = [
        [path.relative_to(source).as_posix(), provenance.file_digest(path)]
        for path in listing(source / "results")
        if path.suffix == ".outline"
    ]
    return [outlines, contents(source / "method-tests"), stats(source / "extra")]


def _remembered(folders: Paths, key: str) -> set[str] | None:
    """Pages of which Sphinx made frames from what this key stands for; None: it has to look again.

    Frames that are not as they were left are made again, with all that Sphinx knows.
    """
    try:
        note = parse_json((memory(folders) / GIVEN).read_text("utf-8"))
        whole, is_same = note["frames"] == _frames(folders), note["key"] == key
        pages = set(note["pages"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    if not whole:
        forget(folders)
    return pages if whole and is_same else None


def _frames(folders: Paths) -> str:
    """Hash of names, sizes and times of all frames."""
    return provenance.digest(stats(memory(folders) / FRAMES))


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


def _sphinx(folders: Paths, workers: int, progress: Progress) -> set[str]:
    """Run Sphinx in this process; returns the names of all documents."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    # matplotlib copies it after the pages are written; lying there before, it would get a
    # checksum in their heads, and a second build would differ from the first
    (folders.html / "_static" / "plot_directive.css").unlink(missing_ok=True)
    warnings = io.StringIO()
    with _faults(folders), patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=folders.source,
            confdir=paths.DOCS,
            outdir=folders.html,
            doctreedir=doctrees(folders),
            buildername="html",
            status=None,
            warning=warnings,
            warningiserror=True,
            parallel=workers if _many(folders) else 0,
            confoverrides={"drawing_workers": workers},
        )
        _extension("site_frame.frames").tell(app, progress)
        app.build()
        documents = set(app.env.found_docs)
    lines = _lines(warnings.getvalue(), folders)
    if lines:
        forget(folders)
        raise OutputError(f"website: {len(lines)} warnings of Sphinx", *lines)
    return documents


@contextlib.contextmanager
def _faults(folders: Paths) -> Iterator[None]:
    """Forget what an interrupted build left behind, and say in one line what Sphinx says."""
    try:
        yield
    except Exception as error:
        from sphinx.errors import ExtensionError, SphinxError

        forget(folders)
        if isinstance(error, ExtensionError):
            cause = error.orig_exc
            if isinstance(cause, BenchmarkError | ImportError | OSError | MemoryError):
                raise cause from None
            raise
        if isinstance(error, SphinxError):
            raise OutputError(f"website: {error}") from None
        raise


def _many(folders: Paths) -> bool:
    """Whether the last build left so many pages that several processes pay."""
    return sum(1 for path in listing(folders.source) if path.suffix == ".page") >= PARALLEL_FROM


def forget(folders: Paths) -> None:
    """Make Sphinx read all pages again.

    It does not repeat a warning about a page that it knows, trusts what an interrupted build
    left behind, and remembers where the repository lay.
    """
    for folder in (doctrees(folders), memory(folders) / FRAMES):
        shutil.rmtree(folder, ignore_errors=True)
    for name in (GIVEN, FILLED):
        (memory(folders) / name).unlink(missing_ok=True)


def _lines(text: str, folders: Paths) -> list[str]:
    """Warnings, one line each, with paths as the writer of a page knows them."""
    warnings: list[str] = []
    for line in ESCAPES.sub("", text).replace(f"{folders.source}/", "docs/").splitlines():
        if LEVEL.search(line) or not warnings:
            warnings.append(line)
        else:
            warnings[-1] += f" {line.strip()}"
    return [textwrap.shorten(line, LONGEST, placeholder=" ...") for line in warnings]


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


def memory(folders: Paths) -> Path:
    """Where Sphinx keeps what it knows about the website of an output folder."""
    return folders.cache / MEMORY / provenance.digest(str(folders.output))


def doctrees(folders: Paths) -> Path:
    """What Sphinx knows about the pages."""
    return memory(folders) / "doctrees"
