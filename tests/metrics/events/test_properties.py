"""What holds for all sound event metrics."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.metrics.events.criteria import Criteria
from common.metrics.events.event_based import EventBased
from common.metrics.events.exact_collar import ExactCollar
from common.metrics.events.exact_intersection import ExactIntersection
from common.metrics.events.exact_segment import ExactSegment
from common.metrics.events.fitting import Collar
from common.metrics.events.frames import FrameScores
from common.metrics.events.intersection_based import IntersectionBased
from common.metrics.events.lists import EventList
from common.metrics.events.operating_points import macro_f
from common.metrics.events.segment_based import SegmentBased

CRITERIA = Criteria(0.5, 0.5, 0.3)
FRAMES = np.round(np.arange(61) * 0.1, 6)
#: metric -> (pool, adds one part of the files, all its figures)
POOLS: dict[str, tuple[Callable[..., Any], Callable[..., None], Callable[[Any], Any]]] = {
    "segment": (
        functools.partial(SegmentBased, time_resolution=0.25),
        lambda pool, files, truth, found, _: pool.add(
            files, truth, found, lengths=[6.0] * len(files)
        ),
        lambda pool: pool.scores(),
    ),
    "event": (
        functools.partial(EventBased, t_collar=0.2, percentage_of_length=0.2),
        lambda pool, files, truth, found, _: pool.add(files, truth, found) and None,
        lambda pool: pool.scores(),
    ),
    "intersection": (
        functools.partial(IntersectionBased, criteria=CRITERIA, points=1, overlap="allow"),
        lambda pool, files, truth, found, _: pool.add(
            files, truth, [found], durations=[9.0] * len(files)
        ),
        lambda pool: pool.confusion(),
    ),
    "exact intersection": (
        functools.partial(ExactIntersection, criteria=CRITERIA, overlap="allow"),
        lambda pool, files, truth, _, scores: pool.add(
            files, truth, scores, durations=[6.0] * len(files)
        ),
        lambda pool: [
            pool.curves(),
            pool.roc(alpha_ct=0.5, alpha_st=1.0, max_efpr=None, unit="hour"),
        ],
    ),
    "exact collar": (
        functools.partial(ExactCollar, collar=Collar(0.2, 0.2)),
        lambda pool, files, truth, _, scores: pool.add(files, truth, scores),
        lambda pool: pool.curves(),
    ),
    "exact segment": (
        functools.partial(ExactSegment, time_resolution=0.25),
        lambda pool, files, truth, _, scores: pool.add(
            files, truth, scores, durations=[6.0] * len(files)
        ),
        lambda pool: pool.curves(),
    ),
}


def scores_of(prediction: EventList, files: list[int]) -> FrameScores:
    """Frame scores that rise with each estimated event that is active."""
    values = np.zeros((len(files) * 60, 2))
    for place, file in enumerate(files):
        for number in np.flatnonzero(prediction.file == file):
            begin, end = np.searchsorted(
                FRAMES, (prediction.onset[number], prediction.offset[number])
            )
            values[place * 60 + begin : place * 60 + min(end, 60), prediction.label[number]] += 0.2
    return FrameScores(values, np.tile(FRAMES, len(files)), [60] * len(files))


def evaluated(name: str, names, truth, prediction, parts: list[list[int]]) -> Any:
    """Figures of files that are added in parts, and merged."""
    make, add, figures = POOLS[name]
    pools = []
    for files in parts:
        code = {file: place for place, file in enumerate(files)}
        inside = [events[np.isin(events.file, files)] for events in (truth, prediction)]
        lists = [
            EventList(
                [code[file] for file in events.file], events.label, events.onset, events.offset
            )
            for events in inside
        ]
        pool = make(names.labels)
        add(pool, [names.files[file] for file in files], *lists, scores_of(prediction, files))
        pools.append(pool)
    return figures(functools.reduce(lambda one, other: one.merge(other), pools))


def same(one: Any, other: Any) -> bool:
    """Whether nested figures are equal, to the last digit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("name", POOLS)
@given(data=st.data())
def test_order_of_events_and_files_does_not_matter(draw_from, names, data, name: str) -> None:
    truth, prediction = data.draw(draw_from.events()), data.draw(draw_from.events())
    whole = evaluated(name, names, truth, prediction, [[0, 1, 2]])
    shuffled = [
        events[data.draw(st.permutations(range(len(events))))] if len(events) else events
        for events in (truth, prediction)
    ]
    files = data.draw(st.permutations([0, 1, 2]))
    assert same(whole, evaluated(name, names, *shuffled, [list(files)]))


@pytest.mark.parametrize("name", POOLS)
@given(data=st.data())
def test_merged_parts_are_one_pass(draw_from, names, data, name: str) -> None:
    truth, prediction = data.draw(draw_from.events()), data.draw(draw_from.events())
    whole = evaluated(name, names, truth, prediction, [[0, 1, 2]])
    for parts in ([[0], [1, 2]], [[2], [0], [1]]):
        assert same(whole, evaluated(name, names, truth, prediction, parts))


@given(data=st.data())
def test_a_perfect_estimate_scores_best(draw_from, names, data) -> None:
    truth = data.draw(draw_from.events(apart=True))
    if not len(truth):
        return
    for name in ("segment", "event"):
        perfect = evaluated(name, names, truth, truth, [[0, 1, 2]])
        assert perfect.overall["f_measure"]["f_measure"] == 1
        assert perfect.overall["error_rate"]["error_rate"] == 0
        other = evaluated(name, names, truth, data.draw(draw_from.events()), [[0, 1, 2]])
        assert other.overall["f_measure"]["recall"] <= 1
        assert other.overall["error_rate"]["error_rate"] >= 0
    confusion = evaluated("intersection", names, truth, truth, [[0, 1, 2]])
    assert macro_f(confusion).macro == 1
    assert confusion.counts.sum() == len(truth)


@given(data=st.data())
def test_counts_add_up(draw_from, names, data) -> None:
    truth, prediction = data.draw(draw_from.events()), data.draw(draw_from.events())
    for name in ("segment", "event"):
        found = evaluated(name, names, truth, prediction, [[0, 1, 2]])
        count = found.overall["count"]
        subs = count.get("Nsubs", 0)
        assert count["Ntp"] + count["Nfn"] + subs == count["Nref"]
        assert count["Ntp"] + count["Nfp"] + subs == count["Nsys"]
        for part in ("Nref", "Nsys", "Ntp"):
            assert count[part] == sum(c["count"][part] for c in found.class_wise.values())
        rates = found.overall["error_rate"]
        if count["Nref"]:
            total = sum(rates[f"{kind}_rate"] for kind in ("substitution", "deletion", "insertion"))
            assert rates["error_rate"] == pytest.approx(total)
    segments = evaluated("segment", names, truth, prediction, [[0, 1, 2]]).overall["count"]
    assert sum(segments[part] for part in ("Ntp", "Ntn", "Nfp", "Nfn")) == 3 * 24 * 2
    assert segments["S"] + segments["D"] == segments["Nfn"]
    assert segments["S"] + segments["I"] == segments["Nfp"]


@given(data=st.data())
def test_figures_of_files_belong_to_the_pooled_ones(draw_from, names, data) -> None:
    truth, prediction = data.draw(draw_from.events()), data.draw(draw_from.events())
    for make, options in (
        (SegmentBased, {"time_resolution": 0.5}),
        (EventBased, {"t_collar": 0.2, "percentage_of_length": 0.2}),
    ):
        pool = make(names.labels, **options)
        pool.add(names.files, truth, prediction)
        per_file, pooled = pool.file_scores()["count"], pool.scores().overall["count"]
        assert per_file.keys() == pooled.keys()
        for part, values in per_file.items():
            assert values.shape == (3,)
            assert values.sum() == pooled[part]
