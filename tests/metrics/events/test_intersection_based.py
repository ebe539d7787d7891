from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import ConfigError, DataError
from common.metrics.events import intersection_based
from common.metrics.events.criteria import Criteria, hits
from common.metrics.events.detection_rates import rates
from common.metrics.events.intersection_based import IntersectionBased
from common.metrics.events.lists import EventList


def confusion(truth, detections, criteria, *, durations=(10.0, 10.0, 10.0), labels=2, **options):
    """Counts of one operating point."""
    options = {"overlap": "allow", "outside": "ignore", **options}
    pool = IntersectionBased([str(n) for n in range(labels)], criteria, points=1, **options)
    files = [f"{number}.wav" for number in range(len(durations))]
    pool.add(files, truth, [detections], durations=durations)
    return pool.confusion()


def one(*events: tuple[float, float, int]) -> EventList:
    """Events (onset, offset, label) of the first file."""
    onset, offset, label = zip(*events, strict=True) if events else ((), (), ())
    return EventList([0] * len(events), label, onset, offset)


HALF = Criteria(0.5, 0.5, 0.3)


def test_one_detection_finds_many_events() -> None:
    truth = one((0, 2, 0), (3, 5, 0))
    assert confusion(truth, one((0, 5, 0)), HALF).counts[0].tolist() == [[2, 0, 0], [0, 0, 0]]


def test_many_detections_find_one_event() -> None:
    truth = one((0, 4, 0))
    assert confusion(truth, one((0, 1, 0), (2, 3, 0)), HALF).counts[0, 0].tolist() == [1, 0, 0]
    # fragments that do not cover enough find nothing, but are no errors either
    assert confusion(truth, one((0, 1, 0)), HALF).counts.sum() == 0


def test_detection_that_is_not_relevant_does_not_cover() -> None:
    """The long detection covers the event, but lies beside it for the most part."""
    truth = one((0, 4, 0))
    assert confusion(truth, one((0, 10, 0)), HALF).counts[0, 0].tolist() == [0, 0, 1]


def test_cross_triggers_count_once_per_class() -> None:
    truth = one((0, 1, 1), (2, 3, 1))
    counts = confusion(truth, one((0, 3, 0)), HALF).counts[0]
    assert counts.tolist() == [[0, 1, 1], [0, 0, 0]]
    # each third alone is enough, too; a touch is not
    assert confusion(truth, one((1, 2, 0)), Criteria(0.5, 0.5, 0.0)).counts[0, 0, 1] == 0


def test_a_relevant_detection_triggers_nothing_else() -> None:
    truth = one((0, 4, 0), (0, 4, 1))
    assert confusion(truth, one((0, 4, 0)), HALF).counts[0].tolist() == [[1, 0, 0], [0, 0, 0]]


def test_with_limits_of_zero_a_touch_is_not_enough() -> None:
    truth = one((0, 2, 0))
    zero = Criteria(0.0, 0.0, 0.0)
    assert confusion(truth, one((2, 3, 0)), zero).counts[0, 0].tolist() == [0, 0, 1]
    assert confusion(truth, one((1.9, 3, 0)), zero).counts[0, 0].tolist() == [1, 0, 0]


def test_events_without_length_do_not_count() -> None:
    truth = one((0, 2, 0), (5, 5, 0), (6, 6, 1))
    found = confusion(truth, one((0, 2, 0), (8, 8, 0)), HALF)
    assert found.events.tolist() == [1, 0]
    assert found.counts.sum() == 1


def test_copies_count_twice() -> None:
    truth, detection = one((0, 2, 0), (0, 2, 0)), one((5, 6, 0), (5, 6, 0))
    found = confusion(truth, EventList.concatenate([truth, detection]), HALF, overlap="error")
    assert found.counts[0, 0].tolist() == [2, 0, 2]
    assert found.events[0] == 2
    union = confusion(truth, EventList.concatenate([truth, detection]), HALF, overlap="merge")
    assert union.counts[0, 0].tolist() == [1, 0, 1]


def test_overlapping_events_are_refused_with_their_times() -> None:
    message = r"truth: file '0.wav', event 2, '0': 1 to 3 s overlaps event 1 \(0 to 2 s\)"
    with pytest.raises(DataError, match=message):
        confusion(one((0, 2, 0), (1, 3, 0)), one(), HALF, overlap="error")
    # before events without length are left out
    with pytest.raises(DataError, match="event 2, '0': 1 to 1 s overlaps"):
        confusion(one((0, 2, 0), (1, 1, 0)), one(), HALF, overlap="error")
    with pytest.raises(ConfigError, match="overlap: 'ignore' is none of error, merge, allow"):
        confusion(one(), one(), HALF, overlap="ignore")
    # touching is fine, and so are other labels
    confusion(one((0, 2, 0), (2, 3, 0), (1, 3, 1)), one(), HALF, overlap="error")


@pytest.mark.parametrize(
    ("detection", "message"),
    [
        (EventList([1], [0], [0.0], [1.0]), "the duration of the file is not known"),
        (EventList([0], [0], [10.0], [11.0]), r"10 to 11 s lies outside the recording \(10 s\)"),
        (EventList([0], [2], [0.0], [1.0]), "label is not among the evaluated labels"),
    ],
)
def test_detections_outside(detection: EventList, message: str) -> None:
    options = {"durations": (10.0, np.nan)}
    assert confusion(one(), detection, HALF, **options).counts.sum() == 0
    with pytest.raises(DataError, match=message):
        confusion(one(), detection, HALF, outside="error", **options)


@pytest.mark.parametrize(
    ("truth", "durations", "message"),
    [
        (one((2, 1, 0)), (10.0,), "onset 2 s is after offset 1 s"),
        (one((-1, 1, 0)), (10.0,), "onset -1 s is negative"),
        (one((0, 1, 2)), (10.0,), "label is not among the evaluated labels"),
        (one((0, 1, 0)), (-1.0,), "durations: file '0.wav': -1 s is negative"),
    ],
)
def test_bad_input(truth, durations, message: str) -> None:
    with pytest.raises(DataError, match=message):
        confusion(truth, one(), HALF, durations=durations)


def test_bad_options() -> None:
    for limits in ((1.1, 0, 0), (0, -0.1, 0), (0, 0, float("nan"))):
        with pytest.raises(ConfigError, match="is not in"):
            Criteria(*limits)
    with pytest.raises(ConfigError, match="points: no operating point"):
        IntersectionBased(["dog"], HALF, points=0)
    with pytest.raises(DataError, match="no labels: the truth has none"):
        IntersectionBased([], HALF, points=1)
    with pytest.raises(ConfigError, match="outside: 'warn'"):
        IntersectionBased(["dog"], HALF, points=1, outside="warn")
    with pytest.raises(ConfigError, match="2 lists of detections for 1 points"):
        pool = IntersectionBased(["dog"], HALF, points=1)
        pool.add(["a"], one(), [one(), one()], durations=[1.0])


def _naive(truth, detections, durations, n_labels, criteria) -> np.ndarray:
    """The definitions, event by event."""
    counts = np.zeros((n_labels, n_labels + 1), dtype=int)
    key = ("file", "label", "onset", "offset")
    gt, det = (
        [e for e in zip(*(getattr(x, k).tolist() for k in key), strict=True) if e[3] > e[2]]
        for x in (truth, detections)
    )

    def overlap(a, b):
        return min(a[3], b[3]) - max(a[2], b[2]) if a[0] == b[0] else 0.0

    def share(d, events, whole):
        parts = [overlap(d, e) / (whole[3] - whole[2]) for e in events if overlap(d, e) > 0]
        return sum(parts) if parts else -1.0

    def relevant(d):
        return share(d, [g for g in gt if g[1] == d[1]], d) >= criteria.dtc

    for g in gt:
        good = [d for d in det if d[1] == g[1] and relevant(d)]
        counts[g[1], g[1]] += share(g, good, g) >= criteria.gtc
    for d in det:
        if relevant(d):
            continue
        counts[d[1], n_labels] += d[2] < durations[d[0]] and d[3] > 0
        for c in range(n_labels):
            if c != d[1]:
                counts[d[1], c] += share(d, [g for g in gt if g[1] == c], d) >= criteria.cttc
    return counts


@given(
    data=st.data(),
    limits=st.tuples(*[st.sampled_from([0.0, 0.1, 0.45, 0.8, 1.0])] * 3),
    durations=st.sampled_from([(10.0, 10.0, 10.0), (1.0, 0.5, 0.2), (0.7, np.nan, 2.0)]),
)
def test_as_counted_one_by_one(draw_from, data, limits, durations) -> None:
    truth, detections = data.draw(draw_from.events()), data.draw(draw_from.events())
    criteria = Criteria(*limits)
    found = confusion(truth, detections, criteria, durations=durations)
    expected = _naive(truth, detections, durations, 2, criteria)
    # sums of three or more parts may be one digit off in the naive count
    apart = len(truth) < 3 or len(detections) < 3
    if apart or 1.0 not in limits:
        assert found.counts[0].tolist() == expected.tolist()


def test_detection_before_the_recording_is_no_false_positive() -> None:
    """The pools refuse negative times, the criteria do not."""
    early = one((-2, -1, 0), (-1, 1, 0))
    assert hits(one(), early, np.array([10.0]), 2, HALF).column.tolist() == [2]


@pytest.mark.parametrize("detections", [1, 2, 100])
def test_points_are_counted_apart(monkeypatch, detections: int) -> None:
    """However many detections are worked on together."""
    monkeypatch.setattr(intersection_based, "DETECTIONS", detections)
    truth = one((0, 2, 0))
    points = [one((0, 2, 0)), one(), one((5, 6, 0), (0, 2, 1))]
    pool = IntersectionBased(["cat", "dog"], HALF, points=3)
    pool.add(["a.wav", "b.wav"], truth, points, durations=[10.0, 10.0])
    found = pool.confusion().counts
    assert found[:, 0].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert found[:, 1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 1]]
    assert pool.confusion("b.wav").counts.sum() == 0
    assert pool.confusion("a.wav").counts.tolist() == found.tolist()
    with pytest.raises(DataError, match=r"file 'z.wav' is not among the 2 evaluated files"):
        pool.confusion("z.wav")


def test_rates_by_hand() -> None:
    counts = np.array([[[2, 3, 4], [0, 0, 0]]])
    found = rates(_counts(counts, events=[4, 1], seconds=[20.0, 10.0]), alpha_ct=0.5, unit="minute")
    assert found.tpr.tolist() == [[0.5, 0.0]]
    assert found.fpr[0].tolist() == [4 * 60 / 120, 0.0]
    assert found.ctr[0, 0, 1] == 3 * 60 / 10
    assert np.isnan(found.ctr[0, 0, 0])
    assert found.efpr[0, 0] == 2 + 0.5 * 18


def _counts(counts, events, seconds, duration=120.0):
    from common.metrics.events.intersection_based import Confusion

    return Confusion(np.asarray(counts), np.array(events), np.array(seconds), duration)


def test_mean_of_cross_triggers_is_over_other_classes_with_events() -> None:
    counts = np.zeros((1, 3, 4), dtype=int)
    counts[0, 0, 1] = 3
    all_known = _counts(counts, [1, 1, 1], [10.0, 10.0, 10.0])
    one_unknown = _counts(counts, [1, 1, 0], [10.0, 10.0, 0.0])
    options = {"alpha_ct": 1.0, "unit": "minute"}
    assert rates(all_known, **options).efpr[0, 0] == 18 / 2
    assert rates(one_unknown, **options).efpr[0, 0] == 18
    assert np.isnan(rates(one_unknown, **options).tpr[0, 2])
    # psds_eval 0.3 divides by all classes
    older = rates(all_known, **options, compatibility="psds_eval-0.3")
    assert older.efpr[0, 0] == 18 / 3


def test_one_class_has_no_cross_triggers() -> None:
    alone = _counts([[[1, 5]]], [2], [10.0])
    assert rates(alone, alpha_ct=1.0, unit="minute").efpr.tolist() == [[2.5]]
    older = rates(alone, alpha_ct=0.0, unit="minute", compatibility="psds_eval-0.5")
    assert np.isnan(older.efpr).all()


def test_bad_rates() -> None:
    alone = _counts([[[1, 5]]], [2], [10.0])
    with pytest.raises(ConfigError, match=r"alpha_ct: 1.5 is not in"):
        rates(alone, alpha_ct=1.5, unit="hour")
    with pytest.raises(ConfigError, match=r"unknown unit of time 'hours'. Did you mean 'hour'"):
        rates(alone, alpha_ct=0.0, unit="hours")
    with pytest.raises(ConfigError, match="unknown compatibility 'psds_eval'"):
        rates(alone, alpha_ct=0.0, unit="hour", compatibility="psds_eval")
    with pytest.raises(DataError, match="the recordings have none"):
        rates(alone._replace(duration=0.0), alpha_ct=0.0, unit="hour")


@given(data=st.data(), point=st.integers(0, 1))
def test_scores_of_files_are_those_of_their_counts(draw_from, names, data, point: int) -> None:
    pool = IntersectionBased(names.labels, Criteria(0.3, 0.3, 0.3), points=2, overlap="allow")
    lists = [data.draw(draw_from.events()) for _ in range(3)]
    pool.add(names.files, lists[0], lists[1:], durations=[9.0] * 3)
    found = pool.file_scores(point=point)
    for row, file in enumerate(names.files):
        counts = pool.confusion(file)
        tp, fp = int(np.trace(counts.counts[point])), int(counts.counts[point, :, -1].sum())
        fn = int(counts.events.sum()) - tp
        shown = [int(found["count"][name][row]) for name in ("Ntp", "Nfp", "Nfn", "Nref")]
        assert shown == [tp, fp, fn, tp + fn]
        f = found["f_measure"]["f_measure"][row]
        assert f == pytest.approx(2 * tp / (2 * tp + fp + fn)) if tp + fp + fn else np.isnan(f)


def test_scores_of_no_files_are_empty() -> None:
    pool = IntersectionBased(["dog"], Criteria(0.3, 0.3, None), points=1)
    assert len(pool.file_scores()["f_measure"]["f_measure"]) == 0
