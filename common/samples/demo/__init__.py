"""Embedded default data and the embedded baseline model.

Nobody needs to own a speech corpus to see the program work: small ones are spoken by espeak-ng
on first use and published with audb into a repository in the cache folder, from where they are
loaded like any other dataset.

Reading order: ``recipes/emotion.yaml`` (a recipe), :mod:`~common.samples.demo.speech` (what recipes
share), their kinds in :mod:`~common.samples.demo.acted`, :mod:`~common.samples.demo.reading` and
:mod:`~common.samples.demo.accents` (recipe -> utterances), :mod:`~common.samples.demo.synthesis` and
:mod:`~common.samples.demo.espeak_worker` (both ends of the pipe to the synthesiser),
:mod:`~common.samples.demo.acoustics` (cues become audible), :mod:`~common.samples.demo.publish`; and for
the model :mod:`~common.models.demo.features`, :mod:`~common.models.demo.baseline` and
:mod:`~common.models.demo.train_baseline`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import audb

#: name of the file-system audb repository with the embedded data
REPOSITORY = "embedded-data"


def ensure(
    cache: Path,
    names: Collection[str] | None = None,
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Make and publish embedded databases unless they are there.

    Safe to call from several processes at once, to interrupt, and to call again. A database is
    made again when its recipe has changed; the others stay.

    Args:
        cache: cache folder of the program
        names: databases that are needed; all if None
        workers: number of processes that speak at the same time; does not change the data
        progress: called with the number of files that are done and of all that have to be made

    Raises:
        ConfigError: for a name that is no embedded database
        MissingDependency: if data are not there and the synthesiser is not installed
        OutputError: if the cache cannot be written
        DataError: if the synthesis fails
    """
    from . import publish, recipes

    publish.ensure_corpora(cache, recipes.choose(names), workers=workers, progress=progress)


def missing(cache: Path, names: Collection[str] | None = None) -> list[str]:
    """Those of the databases that :func:`ensure` would have to make."""
    from . import publish, recipes

    return [recipe.id for recipe in publish.missing(cache, recipes.choose(names))]


def repository(cache: Path) -> audb.Repository:
    """The repository that :func:`ensure` publishes to, for ``audb.config.REPOSITORIES``."""
    import audb

    from .publish import host

    return audb.Repository(REPOSITORY, str(host(cache)), "file-system")
