"""Building the website: gather its sources, call Sphinx, and do nothing if nothing changed.

``build/source`` holds the prose pages of ``docs/``, the generated pages, and the criteria and
media that prose pages refer to; ``build/html`` is the website. Pages are made from result
files only, so this needs no model, no dataset and none of the packages that these need.

What Sphinx remembers of a build are pickles, and loading a pickle can run any code. An output
folder may come from anybody, so they lie in the cache folder, which is the user's own.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import io
import json
import platform
import re
import shutil
import textwrap
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.core import files, paths, provenance
from common.core.documents import parse_json
from common.core.errors import BenchmarkError, OutputError
from common.core.mirror import contents, listing, mirror, remove_empty, stats
from common.core.paths import Paths
from common.spec import Benchmark

#: packages that decide about the pages
PACKAGES = (
    "docutils",
    "jinja2",
    "matplotlib",
    "pandas",
    "pydata-sphinx-theme",
    "sphinx",
    "sphinx-copybutton",
    "sphinx-design",
    "sphinxcontrib-bibtex",
)
STAMP = "site.json"
PLACE = "place.txt"
#: folder in the cache, with a folder for each website
MEMORY = "site"
#: files that the program itself writes among the pages of results
GENERATED = (".page", ".html", ".json")
#: parts of ``docs/`` that Sphinx reads where they are
SETTINGS = ("_ext", "_static", "_templates", "conf.py", "decisions")
#: beginnings of what is no page of Sphinx in the site
OTHERS = ("_", "data", "extra")
LEVEL = re.compile(r"(^|: )(WARNING|ERROR|CRITICAL|SEVERE): ")
LONGEST = 300
#: below so many pages, starting processes costs more than they save
PARALLEL_FROM = 1000
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Report:
    """What a build did.

    Args:
        built: False if everything was up to date
        pages: number of pages of the site
        removed: pages that are no longer part of it
        seconds: duration
    """

    built: bool
    pages: int = 0
    removed: list[str] = field(default_factory=list)
    seconds: float = 0.0


def build(folders: Paths, benchmark: Benchmark, *, workers: int = 1, force: bool = False) -> Report:
    """Bring ``build/html`` up to date.

    Args:
        folders: where results lie and where to build
        benchmark: catalog and suite, for names, labels and descriptions
        workers: processes for Sphinx, used from :data:`PARALLEL_FROM` pages on
        force: build from scratch

    Raises:
        OutputError: if Sphinx has a warning, with one line for each, or cannot go on
    """
    start = time.perf_counter()
    last = _stamp(folders)
    stale = _stale(folders, benchmark)
    if not force and last == _now(folders, benchmark, stale):
        return Report(built=False, seconds=time.perf_counter() - start)
    from common.results.criteria import write_criteria

    (folders.build / STAMP).unlink(missing_ok=True)
    if force or last.get("docs") != str(paths.DOCS) or last != _remembered(folders):
        _forget(folders)
    if force:
        for folder in (folders.source, folders.html):
            shutil.rmtree(folder, ignore_errors=True)
    _forget_others(folders)
    write_criteria(benchmark, folders)
    gather(folders, benchmark)
    pages = _sphinx(folders, benchmark, workers, stale)
    removed = _prune(folders, pages)
    mirror(folders.media, folders.html / "extra" / "media", link=True)
    now = json.dumps(_now(folders, benchmark, stale))
    files.keep(_memory(folders) / STAMP, now)
    files.write_text(folders.build / STAMP, now)
    return Report(True, len(pages), removed, time.perf_counter() - start)


def fingerprint(folders: Paths, benchmark: Benchmark) -> str:
    """Hash of everything that decides about the site.

    Texts count by their content, media by name, size and time, packages by their version.
    """
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    parts: list[Any] = [platform.python_version(), versions, repr(benchmark)]
    for folder in (paths.DOCS, paths.PACKAGE, paths.PUBLISHED, folders.method_tests):
        parts.append(contents(folder))
    parts.append(stats(folders.media))
    return _hash(parts)


def _output(folders: Paths) -> str:
    """Hash of names and sizes of the built site: a lost file is noticed."""
    return _hash(stats(folders.html, times=False))


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


#: key of a cell -> why its rows are stale
Stale = dict[str, dict[str, list[str]]]


def _stale(folders: Paths, benchmark: Benchmark) -> Stale:
    """Stale cells, which pages mark; they are never made again here."""
    from common.engine.staleness import stale

    return {
        str(key): {"reasons": list(why.reasons), "conditions": sorted(why.conditions)}
        for key, why in stale(benchmark, folders).items()
    }


def _now(folders: Paths, benchmark: Benchmark, stale: Stale) -> dict[str, str]:
    """What decides whether there is anything to do; ``docs`` tells checkouts apart."""
    inputs = _hash([fingerprint(folders, benchmark), stale])
    return {"inputs": inputs, "output": _output(folders), "docs": str(paths.DOCS)}


def _stamp(folders: Paths) -> dict[str, str]:
    """The same of the last build; empty if that did not end well."""
    return _read_stamp(folders.build / STAMP)


def _remembered(folders: Paths) -> dict[str, str]:
    """The same of the build that Sphinx remembers; another one if the output was moved."""
    return _read_stamp(_memory(folders) / STAMP)


def _read_stamp(path: Path) -> dict[str, str]:
    try:
        found = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _memory(folders: Paths) -> Path:
    """Where Sphinx keeps what it knows about the website of an output folder."""
    return folders.cache / MEMORY / provenance.digest(str(folders.output))


def _doctrees(folders: Paths) -> Path:
    return _memory(folders) / "doctrees"


def _forget_others(folders: Paths) -> None:
    """Let go of websites whose output folder is no longer there, and note where this one is."""
    for note in (folders.cache / MEMORY).glob(f"*/{PLACE}"):
        with contextlib.suppress(OSError, ValueError):
            if not Path(note.read_text("utf-8")).is_dir():
                shutil.rmtree(note.parent, ignore_errors=True)
    files.clear_way(_memory(folders) / PLACE, 2)
    files.keep(_memory(folders) / PLACE, str(folders.output))
    # of earlier versions, never read any more
    shutil.rmtree(folders.build / "doctrees", ignore_errors=True)


def gather(folders: Paths, benchmark: Benchmark) -> None:
    """Fill ``build/source`` with what prose pages consist of and refer to."""
    mirror(paths.DOCS, folders.source, skip=SETTINGS, keep=("results", "extra", "method-tests"))
    _remove_strangers(folders.source / "results")
    mirror(folders.method_tests, folders.source / "method-tests", deep=2)
    # matplotlib copies it after the pages are written; lying there before, it would get a
    # checksum in their heads, and a second build would differ from the first
    (folders.html / "_static" / "plot_directive.css").unlink(missing_ok=True)
    # copies: what a plot of a page writes there must not reach the originals
    mirror(
        folders.media,
        folders.source / "extra" / "media",
        skip=(*benchmark.targets, paths.SAMPLES),
    )


def _remove_strangers(results: Path) -> None:
    """Remove what is no page of ours: a page in another format may hold code for plots."""
    for path in listing(results):
        if path.suffix not in GENERATED:
            path.unlink()


def _sphinx(folders: Paths, benchmark: Benchmark, workers: int, stale: Stale) -> set[str]:
    """Run Sphinx in this process; returns the names of all documents."""
    from sphinx.application import Sphinx
    from sphinx.errors import ExtensionError, SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = io.StringIO()
    try:
        with patch_docutils(), docutils_namespace():
            app = Sphinx(
                srcdir=folders.source,
                confdir=paths.DOCS,
                outdir=folders.html,
                doctreedir=_doctrees(folders),
                buildername="html",
                confoverrides={
                    "benchmark": benchmark,
                    "benchmark_paths": folders,
                    "benchmark_stale": stale,
                },
                status=None,
                warning=warnings,
                warningiserror=True,
                parallel=workers if _many(folders) else 0,
            )
            app.build()
            found = set(app.env.found_docs)
    except ExtensionError as error:
        _forget(folders)
        cause = error.orig_exc
        if isinstance(cause, BenchmarkError | ModuleNotFoundError):
            raise cause from None
        raise
    except SphinxError as error:
        _forget(folders)
        raise OutputError(f"website: {error}") from None
    lines = _lines(warnings.getvalue(), folders)
    if lines:
        _forget(folders)
        raise OutputError("\n".join([f"website: {len(lines)} warnings of Sphinx", *lines]))
    return found


def _many(folders: Paths) -> bool:
    """Whether the last build left so many pages that several processes pay."""
    return sum(1 for path in listing(folders.source) if path.suffix == ".page") >= PARALLEL_FROM


def _forget(folders: Paths) -> None:
    """Make Sphinx read all pages again.

    It does not repeat a warning about a page that it knows, trusts what an interrupted build
    left behind, and remembers where the repository lay.
    """
    shutil.rmtree(_doctrees(folders), ignore_errors=True)


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
    """Remove pages that no document belongs to any more."""
    known = {f"{page}.html" for page in pages} | {"search.html", "genindex.html"}
    removed = []
    for path in listing(folders.html):
        name = path.relative_to(folders.html)
        if (
            path.suffix == ".html"
            and not name.parts[0].startswith(OTHERS)
            and name.as_posix() not in known
        ):
            path.unlink()
            removed.append(name.as_posix())
    remove_empty(folders.html)
    return removed
