"""Embedded default data and the embedded baseline model.

Nobody needs to own a speech corpus to see the program work: a small one is spoken by espeak-ng
on first use and published with audb into a repository in the cache folder, from where it is
loaded like any other dataset.

Reading order: ``emotion.yaml`` (the recipe), :mod:`~common.embedded.speech` (recipe ->
utterances), :mod:`~common.embedded.synthesis` and :mod:`~common.embedded.espeak_worker` (both
ends of the pipe to the synthesiser), :mod:`~common.embedded.acoustics` (what makes it
emotional), :mod:`~common.embedded.publish`; and for the model
:mod:`~common.embedded.features`, :mod:`~common.embedded.baseline` and
:mod:`~common.embedded.train_baseline`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import audb

#: name of the file-system audb repository with the embedded data
REPOSITORY = "embedded-data"


def ensure(
    cache: Path, *, workers: int, progress: Callable[[int, int], None] | None = None
) -> None:
    """Make and publish the embedded data unless they are there.

    Safe to call from several processes at once, to interrupt, and to call again.

    Args:
        cache: cache folder of the program
        workers: number of processes that speak at the same time; does not change the data
        progress: called with the number of files that are done and of all files

    Raises:
        MissingDependency: if the data are not there and the synthesiser is not installed
        OutputError: if the cache cannot be written
        DataError: if the synthesis fails
    """
    from common.embedded.publish import ensure_corpus

    ensure_corpus(cache, workers=workers, progress=progress)


def repository(cache: Path) -> audb.Repository:
    """The repository that :func:`ensure` publishes to, for ``audb.config.REPOSITORIES``."""
    import audb

    from common.embedded.publish import host

    return audb.Repository(REPOSITORY, str(host(cache)), "file-system")


def fingerprint() -> str:
    """Hash of the recipe and the code that the embedded data follow from.

    It says what :func:`ensure` would make, without making it, and changes when that does.
    """
    from common.embedded import publish

    return publish.fingerprint()
