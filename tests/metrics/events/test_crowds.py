"""Files are looked at in bunches, and a file with too many pairs is refused by its name."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import DataError
from common.metrics.events import crowds
from common.metrics.events.criteria import Criteria
from common.metrics.events.event_based import EventBased, match
from common.metrics.events.fitting import Collar, Pairs, fitting_pairs
from common.metrics.events.intersection_based import IntersectionBased, intersection_counts
from common.metrics.events.lists import EventList
from common.metrics.events.matching import MATCHINGS, greedy

COLLAR = Collar(0.3, 0.5)
CRITERIA = Criteria(0.5, 0.5, 0.3)
N_FILES = 40


def _events(rng: np.random.Generator, number: int = 300) -> EventList:
    """Events of files in no order; some files have none."""
    onset = np.round(rng.random(number) * 2, 1)
    return EventList(
        rng.integers(0, N_FILES, number) // 2 * 2,
        rng.integers(0, 3, number),
        onset,
        onset + np.round(rng.random(number), 1),
    )


def _moment(number: int) -> EventList:
    """Events of one file at the same moment."""
    return EventList([0] * number, [0] * number, [0.0] * number, [1.0] * number)


@pytest.fixture
def few(monkeypatch):
    """At most so many pairs at once, or of one file."""

    def limit(name: str, most: int) -> None:
        monkeypatch.setattr(crowds, name, most)

    return limit


@pytest.mark.parametrize("matching", list(MATCHINGS))
@pytest.mark.parametrize("most", [1, 50, 300])
def test_bunches_of_files_have_the_pairs_of_all(few, matching, most: int) -> None:
    rng = np.random.default_rng(most)
    truth, prediction = _events(rng), _events(rng)
    whole = match(truth, prediction, collar=COLLAR, matching=matching)
    assert len(whole.correct.truth) > 50 < len(whole.substituted.truth)
    few("PAIRS_AT_ONCE", most)
    parts = match(truth, prediction, collar=COLLAR, matching=matching)
    for one, other in zip(whole, parts, strict=True):
        for before, after in zip(one, other, strict=True):
            np.testing.assert_array_equal(before, after)
    direct = MATCHINGS[matching](
        fitting_pairs(truth, prediction, COLLAR), len(truth), len(prediction)
    )
    assert [len(part.truth) for part in direct] == [len(part.truth) for part in parts]


@pytest.mark.parametrize("most", [1, 50, 300])
def test_bunches_of_files_have_the_hits_of_all(few, most: int) -> None:
    rng = np.random.default_rng(most)
    truth, points = _events(rng), [_events(rng) for _ in range(3)]
    durations = np.where(np.arange(N_FILES) % 4, 3.0, np.nan)

    def counts():
        return intersection_counts(truth, points, durations, 3, criteria=CRITERIA)

    whole = counts()
    assert whole.hits.sum() > 200
    few("PAIRS_AT_ONCE", most)
    for before, after in zip(whole, counts(), strict=True):
        np.testing.assert_array_equal(before, after)


def test_no_events_make_no_pairs() -> None:
    none = EventList.empty()
    for truth, prediction in ((none, _moment(2)), (_moment(2), none), (none, none)):
        for matching in MATCHINGS:
            matches = match(truth, prediction, collar=COLLAR, matching=matching)
            assert [len(part.truth) for part in matches] == [0, 0]
        counts = intersection_counts(truth, [prediction], np.ones(1), 1, criteria=CRITERIA)
        assert counts.hits.sum() == len(prediction)  # false positives


def test_a_file_with_too_many_pairs_is_named(few) -> None:
    few("PAIRS_OF_FILE", 11)
    files = ["a.wav", "b.wav"]
    truth = EventList([0, *[1] * 3], [0] * 4, [0.0] * 4, [1.0] * 4)
    crowd = EventList([0, *[1] * 4], [0] * 5, [0.0] * 5, [1.0] * 5)
    message = (
        r"^file 'b\.wav': 12 pairs of an annotated and an estimated event are near in time;"
        r" at most 11 are compared$"
    )
    pool = EventBased(["dog"], t_collar=0.2, percentage_of_length=0.5)
    with pytest.raises(DataError, match=message):
        pool.add(files, truth, crowd)
    shares = IntersectionBased(["dog"], CRITERIA, points=2, overlap="allow")
    with pytest.raises(DataError, match=message):
        shares.add(files, truth, [EventList.empty(), crowd], durations=[1.0, 1.0])
    with pytest.raises(DataError, match=r"^recording 2: 12 pairs"):
        match(truth, crowd, collar=COLLAR, matching="optimal")
    few("PAIRS_OF_FILE", 12)
    pool.add(files, truth, crowd)
    # operating points are compared one by one, so their pairs do not add up
    shares.add(files, truth, [crowd, crowd], durations=[1.0, 1.0])
    assert shares.confusion().counts[:, 0, 0].tolist() == [4, 4]


def test_events_of_a_long_file_that_are_far_apart_are_no_pairs(few) -> None:
    few("PAIRS_OF_FILE", 11)
    onset = np.arange(10.0)
    truth = EventList([0] * 10, [0] * 10, onset, onset + 0.5)
    matches = match(truth, truth, collar=COLLAR, matching="optimal")
    assert len(matches.correct.truth) == 10


@pytest.mark.parametrize("seed", range(5))
def test_greedy_takes_a_crowd_in_the_order_of_the_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, prediction = np.nonzero(rng.random((60, 60)) < 0.8)
    pairs = Pairs(truth, prediction, rng.random(len(truth)) < 0.7)
    expected: list[list[tuple[int, int]]] = []
    free: list[set[int]] = [set(range(60)), set(range(60))]
    for some in (pairs.take(pairs.right), pairs):
        expected.append([])
        for pair in zip(some.truth.tolist(), some.prediction.tolist(), strict=True):
            if pair[0] in free[0] and pair[1] in free[1]:
                free[0].discard(pair[0])
                free[1].discard(pair[1])
                expected[-1].append(pair)
    found = greedy(pairs, 60, 60)
    for part, list_order in zip(found, expected, strict=True):
        assert list(zip(part.truth.tolist(), part.prediction.tolist(), strict=True)) == list_order
