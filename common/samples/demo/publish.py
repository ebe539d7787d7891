"""Makes embedded corpora and publishes them with audb into the cache folder.

``<cache>/embedded/repo/<repository>/`` is the repository, a folder in it for each corpus;
``<corpus>.json`` beside it says from which recipe the corpus was made. Everything is built in a
temporary folder beside it and moved at the end, under a lock; what an interrupted run has left
is removed by the next one.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from ...core import closure, files, heap, paths, provenance
from ...core.documents import parse_json
from ...core.errors import DataError, MissingDependency, OutputError
from . import REPOSITORY, synthesis
from .corpus import CorpusRecipe

RENDER = "common.samples.demo.render"
DATABASE = "common.samples.demo.database"
BUILD = ".build-"

Progress = Callable[[int, int], None]


def host(cache: Path) -> Path:
    """Folder that holds the repository folder."""
    return paths.Paths(cache=cache).embedded / "repo"


def fingerprint(recipe: CorpusRecipe) -> str:
    """Hash of all that decides about the content of a corpus: recipe and code."""
    return provenance.digest([recipe.content(), closure.code_of(type(recipe), RENDER, DATABASE)])


def ensure_corpora(
    cache: Path, recipes: Sequence[CorpusRecipe], *, workers: int, progress: Progress | None = None
) -> None:
    """Make and publish those corpora that are not there; see :func:`common.samples.demo.ensure`."""
    if not missing(cache, recipes):
        return
    lacking = None
    for recipe in recipes:
        try:
            synthesis.require(recipe.synthesiser)
        except MissingDependency as error:
            lacking = error
    if lacking is not None:
        recipes = [recipe for recipe in recipes if not recipe.synthesiser]
        if not missing(cache, recipes):
            raise lacking
    root = host(cache).parent
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _lock(root / ".lock"):
            todo = missing(cache, recipes)  # another process may have been faster
            for left in root.glob(f"{BUILD}*"):
                shutil.rmtree(left, ignore_errors=True)
            plans = [(recipe, recipe.items()) for recipe in todo]
            counter = _Counter(sum(len(items) for _, items in plans), progress)
            for recipe, items in plans:
                with tempfile.TemporaryDirectory(prefix=BUILD, dir=root) as build:
                    _make(recipe, items, Path(build), workers, counter)
                    _install(cache, recipe, Path(build))
    except OSError as error:
        place = error.filename or root
        raise OutputError(f"{place}: cannot be written: {error.strerror or error}") from None
    if lacking is not None:
        raise lacking


def _lock(path: Path) -> Any:
    import filelock

    return filelock.FileLock(path)


def _marker(cache: Path, recipe: CorpusRecipe) -> Path:
    return host(cache) / f"{recipe.id}.json"


def missing(cache: Path, recipes: Sequence[CorpusRecipe]) -> list[CorpusRecipe]:
    """Recipes whose corpus is not there or was made from another version of them."""
    return [recipe for recipe in recipes if not _is_published(cache, recipe)]


def _is_published(cache: Path, recipe: CorpusRecipe) -> bool:
    try:
        marker = parse_json(files.read_kept(_marker(cache, recipe)) or "")
    except ValueError:
        return False
    there = (host(cache) / REPOSITORY / recipe.id).is_dir()
    current = isinstance(marker, dict) and marker.get("fingerprint") == fingerprint(recipe)
    return there and current


def _make(
    recipe: CorpusRecipe, items: Sequence[Any], build: Path, workers: int, counter: _Counter
) -> None:
    """Render and publish below ``build``."""
    import audb

    source = build / "source"
    source.mkdir()
    render_all(recipe, source, workers=workers, counter=counter)
    recipe.database(items).save(str(source))
    (build / "repo" / REPOSITORY).mkdir(parents=True)
    audb.publish(
        str(source),
        recipe.version,
        audb.Repository(REPOSITORY, str(build / "repo"), "file-system"),
        archives={item.file: item.archive for item in items},
        previous_version=None,
        num_workers=workers,
        verbose=False,
    )


def _install(cache: Path, recipe: CorpusRecipe, build: Path) -> None:
    """Move the corpus to its place; without its marker it does not count."""
    place = host(cache) / REPOSITORY / recipe.id
    marker = _marker(cache, recipe)
    marker.unlink(missing_ok=True)
    if place.exists():
        logging.getLogger(__name__).info("%s: made from an older recipe, replaced", recipe.id)
        place.rename(build / "old")
    # what audb has unpacked belongs to the old content
    shutil.rmtree(paths.Paths(cache=cache).audb / recipe.id, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    (build / "repo" / REPOSITORY / recipe.id).rename(place)
    content = {
        "fingerprint": fingerprint(recipe),
        "database": recipe.id,
        "version": recipe.version,
    }
    files.keep(marker, json.dumps(content, indent=1) + "\n")


def render_all(
    recipe: CorpusRecipe, folder: Path, *, workers: int, counter: _Counter | None = None
) -> None:
    """Write all audio files below ``folder`` with several processes.

    Raises:
        DataError: if one of them fails
    """
    shares = max(1, workers)
    counter = counter or _Counter(0, None)
    with contextlib.ExitStack() as stack:
        started = [_start(recipe, folder, share, shares, stack) for share in range(shares)]
        readers = [threading.Thread(target=counter.read, args=[p.stdout]) for p, _ in started]
        for reader in readers:
            reader.start()
            stack.callback(reader.join)
        for process, _ in started:
            stack.callback(process.terminate)  # ends what is left after a failure or Ctrl-C
        for process, complaint in started:
            if process.wait() != 0:
                raise DataError(f"{recipe.id}: cannot be made: {_last_line(complaint)}")


def _start(
    recipe: CorpusRecipe, folder: Path, share: int, shares: int, stack: contextlib.ExitStack
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Process that renders a share, and the file with its complaints."""
    complaint = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    source, place = str(recipe.origin.resolve()), str(folder.resolve())
    process = subprocess.Popen(
        [sys.executable, "-m", paths.imported(RENDER), source, place, str(share), str(shares)],
        stdout=subprocess.PIPE,
        stderr=complaint,
        cwd=paths.PACKAGE.parent,
        env=heap.environment(),
    )
    return stack.enter_context(process), complaint


class _Counter:
    """Counts finished files of several processes and tells about it."""

    def __init__(self, total: int, progress: Progress | None):
        self.total, self.progress, self.done = total, progress, 0
        self.lock = threading.Lock()

    def read(self, stream: IO[bytes]) -> None:
        for _ in stream:
            with self.lock:
                self.done += 1
                if self.progress is not None:
                    self.progress(self.done, self.total)


def _last_line(complaint: IO[bytes]) -> str:
    complaint.seek(0)
    lines = complaint.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "the process was killed"
