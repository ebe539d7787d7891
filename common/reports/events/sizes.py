"""What is too large to be scored: the sizes of tables of counts follow from the lists, before anything is counted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError, DataError
from .inputs import Inputs, source_of_truth
from .settings import EventSettings

#: more segments than this, all recordings together, do not fit into memory
MOST_SEGMENTS = 10**8
#: most counts of one table; some tables of this size take 2 to 5 GB
MOST_COUNTS = 5 * 10**7
#: most segments of one recording, those of each label; a byte each
MOST_ACTIVE = 10**9


class _Table(NamedTuple):
    """A table that is about to be made: what it holds, its number of cells, and the most of them."""

    what: str
    cells: int
    most: int


def check_sizes(args: argparse.Namespace, inputs: Inputs, settings: EventSettings) -> None:
    """Refuse what would fill the memory.

    Args:
        args: options of the command line, which name the truth
        inputs: what is to be compared
        settings: what is to be computed

    Raises:
        ConfigError: if segments are too many for the length of the recordings
        DataError: if labels are too many for the recordings or the operating points
    """
    if inputs.durations is not None and "segment_based" in settings.metrics:
        number = float(inputs.durations.sum()) / settings.time_resolution
        if number > MOST_SEGMENTS:
            raise ConfigError(
                f"--time-resolution: segments of {settings.time_resolution:g} s are {number:.3g} in "
                f"{inputs.durations.sum():g} s of recordings, at most {MOST_SEGMENTS:g} are allowed"
            )
    for table in _tables(inputs, settings):
        if table.cells > table.most:
            raise DataError(
                f"{source_of_truth(args)}: {len(inputs.labels):,} labels make {table.cells:,} counts "
                f"({table.what}), at most {table.most:,} are allowed"
            )


def _tables(inputs: Inputs, settings: EventSettings) -> Iterator[_Table]:
    labels = len(inputs.labels)
    yield _Table("recordings x labels", len(inputs.files) * labels, MOST_COUNTS)
    if "intersection_based" in settings.metrics:
        points = max((len(system.points) for system in inputs.systems), default=1)
        counts = max(points, 1) * labels * (labels + 1)
        yield _Table("operating points x labels x labels", counts, MOST_COUNTS)
    if "segment_based" in settings.metrics and inputs.durations is not None and len(inputs.files):
        longest = float(np.nanmax(inputs.durations))
        segments = int(np.ceil(longest / settings.time_resolution))
        yield _Table("segments of the longest recording x labels", segments * labels, MOST_ACTIVE)
