"""Bringing the website up to date: nothing is done if nothing changed that decides about it.

What decides is what :func:`_inputs` and :func:`_texts` look at: texts, results, media, and the code that
renders pages, found from imports (:mod:`common.pages.identity`).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import logging
import os
import platform
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..core import files, paths, processes
from ..core.documents import parse_json
from ..core.mirror import contents, stats
from ..core.paths import Paths
from ..results import altered
from ..results.criteria import write_criteria
from ..spec import Benchmark
from . import identity
from .framing import MEMORY, Progress, forget, memory
from .rendering import Stale, render, silent

logger = logging.getLogger(__name__)

#: packages that decide about the pages
PACKAGES = (
    "docutils",
    "jinja2",
    "matplotlib",
    "pandas",
    "sphinx",
    "sphinxcontrib-bibtex",
)
#: parts of ``docs/`` that are code, which counts by its closure, or no part of the website
NO_TEXT = ("_ext", "decisions")
STAMP = "site.json"
PLACE = "place.txt"


@dataclass
class BuildReport:
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


def build(
    folders: Paths,
    benchmark: Benchmark,
    *,
    workers: int = 1,
    force: bool = False,
    progress: Progress = silent,
) -> BuildReport:
    """Bring ``build/html`` up to date.

    Args:
        folders: where results lie and where to build
        benchmark: catalog and suite, for names, labels and descriptions
        workers: processes that make pages
        force: build from scratch
        progress: gets a stage, how much of it is done, and how much there is

    Raises:
        OutputError: if Sphinx has a warning, with one line for each, or cannot go on, or if a folder
            leads elsewhere
    """
    start = time.perf_counter()
    folders.stay_inside()
    last = _stamp(folders)
    write_criteria(benchmark, folders)
    listed = processes.beside(workers, partial(contents, folders.method_tests))
    noted = altered.manifests(folders)
    stale = _stale(folders, benchmark, noted)
    texts, results = _hash(_texts(benchmark)), listed()
    for remark in altered.remarks(folders, noted, dict(results)):
        logger.warning("%s", remark)
    inputs, output = _inputs(folders, texts, results, stale), _output(folders)
    if not force and last == _state(inputs, output):
        return BuildReport(built=False, seconds=time.perf_counter() - start)
    (folders.build / STAMP).unlink(missing_ok=True)
    if force or last.get("docs") != str(paths.DOCS) or last != _remembered(folders):
        forget(folders)
    if force:
        for folder in (folders.source, folders.html):
            shutil.rmtree(folder, ignore_errors=True)
    _forget_others(folders)
    pages, removed = render(
        folders,
        benchmark,
        workers=workers,
        stale=stale,
        results=results,
        texts=texts,
        intact=last.get("output") == output,
        progress=progress,
    )
    now = json.dumps(_state(inputs, _output(folders)))
    files.keep(memory(folders) / STAMP, now)
    files.write_text(folders.build / STAMP, now)
    return BuildReport(True, len(pages), removed, time.perf_counter() - start)


def _texts(benchmark: Benchmark) -> list[Any]:
    """What decides about the site besides results.

    Texts and templates count by their content, code by its closure, packages by their version.
    """
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    url = os.environ.get(identity.ADDRESS, "")
    parts: list[Any] = [url, platform.python_version(), versions, repr(benchmark)]
    parts += [identity.site_code(), contents(paths.DOCS, skip=NO_TEXT)]
    # tables beside the code, which its closure does not know
    parts.append([e for e in contents(paths.DOCS / "_ext") if not e[0].endswith(".py")])
    return parts


def _output(folders: Paths) -> str:
    """Hash of names and sizes of the built site: a lost file is noticed."""
    return _hash(stats(folders.html, times=False))


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _stale(folders: Paths, benchmark: Benchmark, noted: altered.Noted) -> Stale:
    """Stale cells, which pages mark; they are never made again here."""
    from ..engine.staleness import stale

    return {
        str(key): {"reasons": list(why.reasons), "conditions": sorted(why.conditions)}
        for key, why in stale(benchmark, folders, noted).items()
    }


def _inputs(folders: Paths, texts: str, results: Sequence[Sequence[str]], stale: Stale) -> str:
    """What the site is to be made from, read before it is made: later changes are seen next time.

    Args:
        folders: where media lie, which count by name, size and time
        texts: hash of :func:`_texts`
        results: name and hash of each file of own results
        stale: cells that pages mark
    """
    return _hash([texts, contents(paths.PUBLISHED), results, stats(folders.media), stale])


def _state(inputs: str, output: str) -> dict[str, str]:
    """What decides whether there is anything to do; ``docs`` tells checkouts apart."""
    return {"inputs": inputs, "output": output, "docs": str(paths.DOCS)}


def _stamp(folders: Paths) -> dict[str, str]:
    """The same of the last build; empty if that did not end well."""
    return _read_stamp(folders.build / STAMP)


def _remembered(folders: Paths) -> dict[str, str]:
    """The same of the build that Sphinx remembers; another one if the output was moved."""
    return _read_stamp(memory(folders) / STAMP)


def _read_stamp(path: Path) -> dict[str, str]:
    try:
        stamp = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _forget_others(folders: Paths) -> None:
    """Let go of websites whose output folder is no longer there, and note where this one is."""
    for note in (folders.cache / MEMORY).glob(f"*/{PLACE}"):
        with contextlib.suppress(OSError, ValueError):
            if not Path(note.read_text("utf-8")).is_dir():
                shutil.rmtree(note.parent, ignore_errors=True)
    files.clear_way(memory(folders) / PLACE, 2)
    files.keep(memory(folders) / PLACE, str(folders.output))
    # of earlier versions, never read any more
    shutil.rmtree(folders.build / "doctrees", ignore_errors=True)
