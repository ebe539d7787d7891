"""Events for the tests: small random lists on a grid, where times often coincide."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import strategies as st

from common.metrics.events.frames import FrameScores
from common.metrics.events.lists import EventList

FILES = ["a.wav", "b.wav", "c.wav"]
LABELS = ["cat", "dog"]
GRID = 0.1


@st.composite
def _events(draw, *, apart: bool = False, max_size: int = 8) -> EventList:
    size = draw(st.integers(0, max_size))
    few = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    file = np.array(draw(few), dtype=int)
    label = np.array(draw(few), dtype=int) % 2
    steps = st.lists(st.integers(0, 12), min_size=size, max_size=size)
    onset = np.array(draw(steps), dtype=float)
    offset = onset + np.array(draw(steps), dtype=float)
    if apart:
        # one after the other, in the order drawn
        end = np.zeros((3, 2))
        for at in range(size):
            shift = end[file[at], label[at]] - min(onset[at], 3)
            onset[at], offset[at] = onset[at] + shift, offset[at] + shift + 1
            end[file[at], label[at]] = offset[at]
    return EventList(file, label, np.round(onset * GRID, 6), np.round(offset * GRID, 6))


@st.composite
def _scores(draw, *, levels: int = 6) -> FrameScores:
    hop = draw(st.sampled_from([0.1, 0.15]))
    files = []
    for _ in FILES:
        frames = draw(st.integers(1, 14))
        values = draw(st.lists(st.integers(0, levels), min_size=frames * 2, max_size=frames * 2))
        scores = np.array(values, dtype=float).reshape(frames, 2) / levels
        files.append((np.round(np.arange(frames + 1) * hop, 6), scores))
    return FrameScores.from_files(files)


@pytest.fixture(scope="session")
def draw_from() -> SimpleNamespace:
    """Strategies: ``events(apart=, max_size=)`` (apart: those of a file and label do not
    intersect) and ``scores(levels=)`` of the same three files and two labels."""
    return SimpleNamespace(events=_events, scores=_scores)


@pytest.fixture(scope="session")
def names() -> SimpleNamespace:
    """Names that the codes of drawn events point into."""
    return SimpleNamespace(files=FILES, labels=LABELS)


@pytest.fixture(scope="session")
def rows() -> Callable[..., EventList]:
    """Makes events from tuples (file, onset, offset, label)."""
    return lambda *events: EventList.from_rows(events, FILES, LABELS)


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in each test."""
    return np.random.default_rng(7)
