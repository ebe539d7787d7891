"""Sound for the website: examples for method pages, samples for result pages.

Everything that is heard is made here, by the run; the website only refers to the files.
"""

from __future__ import annotations

from common.listening import examples
from common.paths import Paths
from common.spec import Benchmark


def update(benchmark: Benchmark, folders: Paths) -> examples.Report:
    """Make the sound files that are missing or stale; see :mod:`common.listening.examples`."""
    return examples.update(benchmark, folders)
