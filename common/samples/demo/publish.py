"""Makes embedded corpora and publishes them with audb into the cache folder.

``<cache>/embedded/repo/<repository>/`` is the repository, a folder in it for each corpus;
``<corpus>.json`` beside it says from which recipe the corpus was made. Everything is built in a
temporary folder beside it and moved at the end, under a lock; what an interrupted run has left
is removed by the next one.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core import closure, files, leftovers, paths, provenance
from ...core.documents import parse_json
from ...core.errors import MissingDependency, OutputError
from . import REPOSITORY, synthesis
from .corpus import CorpusRecipe
from .rendering import RENDER, Counter, Progress, Rendering

DATABASE = "common.samples.demo.database"
BUILD = ".build-"


def host(cache: Path) -> Path:
    """Folder that holds the repository folder."""
    return paths.Paths(cache=cache).embedded / "repo"


def fingerprint(recipe: CorpusRecipe) -> str:
    """Hash of all that decides about the content of a corpus: recipe and code."""
    return provenance.digest(
        [recipe.content(), closure.code_of(*recipe.makers(), RENDER, DATABASE)]
    )


def ensure_corpora(
    cache: Path, recipes: Sequence[CorpusRecipe], *, workers: int, progress: Progress | None = None
) -> None:
    """Make and publish those corpora that are not there; see :func:`common.samples.demo.ensure`."""
    if progress is not None and not all(_marker(cache, one).exists() for one in recipes):
        progress(0, 0)  # at once: finding out what else is missing takes a second
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
            if todo:
                with tempfile.TemporaryDirectory(prefix=BUILD, dir=root) as build:
                    _make(cache, todo, Path(build), workers, progress)
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
    cache: Path,
    recipes: Sequence[CorpusRecipe],
    build: Path,
    workers: int,
    progress: Progress | None,
) -> None:
    """Render below ``build`` and publish each corpus while the next one is rendered."""
    plans = [(recipe, recipe.items()) for recipe in recipes]
    places = [build / recipe.id for recipe in recipes]
    for place in places:
        (place / "source").mkdir(parents=True)
    counter = Counter(sum(len(items) for _, items in plans), progress)
    sources = [place / "source" for place in places]
    with Rendering(list(zip(recipes, sources, strict=True)), workers, counter) as rendering:
        for number, ((recipe, items), place) in enumerate(zip(plans, places, strict=True)):
            rendering.wait(number)
            _publish(recipe, items, place, workers)
            _install(cache, recipe, place)


def _publish(recipe: CorpusRecipe, items: Sequence[Any], build: Path, workers: int) -> None:
    """Publish the files in ``source`` into ``repo``, both below ``build``."""
    import audb
    import audbackend

    source = build / "source"
    recipe.database(items).save(str(source))
    (build / "repo" / REPOSITORY).mkdir(parents=True)
    try:
        with leftovers.contained():
            audb.publish(
                str(source),
                recipe.version,
                audb.Repository(REPOSITORY, str(build / "repo"), "file-system"),
                archives={item.file: item.archive for item in items},
                previous_version=None,
                num_workers=workers,
                verbose=False,
            )
    except audbackend.BackendError as error:  # it wraps what the system refuses
        raise (error.exception if isinstance(error.exception, OSError) else error) from None
    shutil.rmtree(source)


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
