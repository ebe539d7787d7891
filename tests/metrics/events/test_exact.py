"""Frame scores at all thresholds, compared with events at each threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from common.core.errors import ConfigError, DataError, LengthError
from common.metrics.events import selection
from common.metrics.events.component_tree import component_tree, sequences
from common.metrics.events.criteria import Criteria
from common.metrics.events.event_based import EventBased
from common.metrics.events.exact_collar import ExactCollar
from common.metrics.events.exact_intersection import ExactIntersection
from common.metrics.events.exact_segment import ExactSegment
from common.metrics.events.fitting import Collar
from common.metrics.events.frames import FrameScores
from common.metrics.events.horizon import Horizon
from common.metrics.events.intersection_based import IntersectionBased
from common.metrics.events.lists import EventList
from common.metrics.events.presets import PSDS, PsdsSettings
from common.metrics.events.psds import psds_of_events, psds_of_scores
from common.metrics.events.roc import psds_of_roc
from common.metrics.events.segment_based import SegmentBased
from common.metrics.events.threshold_curve import auroc, best_f

LIMITS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])


def thresholds(scores: FrameScores) -> list[float]:
    """One below each distinct score."""
    return np.nextafter(np.unique(scores.values), -np.inf).tolist()


def durations(scores: FrameScores) -> np.ndarray:
    """End of the last frame of each file."""
    return scores.times[np.cumsum(scores.frames + 1) - 1]


@settings(max_examples=60)
@given(
    data=st.data(), limits=st.tuples(LIMITS, LIMITS, LIMITS), decimals=st.sampled_from([None, 6])
)
def test_psds_equals_that_of_all_thresholds(draw_from, names, data, limits, decimals) -> None:
    truth = data.draw(draw_from.events(apart=True))
    scores = data.draw(draw_from.scores())
    settings = PsdsSettings(
        Criteria(*limits, decimals=decimals),
        data.draw(st.sampled_from([0.0, 0.5])),
        data.draw(st.sampled_from([0.0, 1.0])),
        data.draw(st.sampled_from([None, 1000.0, 10_000.0])),
        "hour",
    )
    options = {"durations": durations(scores), "settings": settings}
    lists = [scores.events(threshold) for threshold in thresholds(scores)]
    exact = psds_of_scores(names.files, names.labels, truth, scores, **options)
    points = psds_of_events(names.files, names.labels, truth, lists, **options)
    assert exact.value == pytest.approx(points.value, abs=1e-9, nan_ok=True)
    assert exact.classes == pytest.approx(points.classes, abs=1e-9, nan_ok=True)


@settings(max_examples=60)
@given(data=st.data(), limits=st.tuples(LIMITS, LIMITS), frames=st.sampled_from([1, 5, 10_000]))
def test_counts_equal_those_at_each_threshold(draw_from, names, data, limits, frames) -> None:
    """Whatever the number of frames that are worked on together."""
    truth = data.draw(draw_from.events(apart=True))
    scores = data.draw(draw_from.scores())
    criteria = Criteria(*limits, None)
    pool = ExactIntersection(names.labels, criteria)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "FRAMES", frames)
        pool.add(names.files, truth, scores, durations=durations(scores))
    points = thresholds(scores)
    other = IntersectionBased(names.labels, criteria, points=len(points))
    lists = [scores.events(threshold) for threshold in points]
    other.add(names.files, truth, lists, durations=durations(scores))
    counts = other.confusion().counts
    for code, label in enumerate(names.labels):
        found = pool.curve(label)
        at = [found.at(threshold) for threshold in points]
        assert found.tp[at].tolist() == counts[:, code, code].tolist()
        assert found.fp[at].tolist() == counts[:, code, 2].tolist()


@pytest.mark.parametrize(("seed", "gtc"), [(4, 0.9), (49, 0.5), (89, 0.9), (119, 0.5)])
def test_coverage_that_just_reaches_its_limit(seed: int, gtc: float) -> None:
    """Steps up and down add up to a digit less than the overlaps themselves."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, (40, 1)) / 12
    scores = FrameScores(values, np.arange(41) * 0.1, [40])
    pick = (0.3, 0.5, 0.7, 0.1, 0.9).index(gtc)
    ends = [round(0.5 + rng.integers(5, 30) * 0.1, 1) for _ in range(pick + 1)]
    truth = EventList([0], [0], [0.5], [ends[-1]])
    criteria = Criteria(0.1, gtc, None)
    pool = ExactIntersection(["dog"], criteria)
    pool.add(["a"], truth, scores, durations=[4.0])
    points = thresholds(scores)
    other = IntersectionBased(["dog"], criteria, points=len(points))
    other.add(["a"], truth, [scores.events(at) for at in points], durations=[4.0])
    found = pool.curve("dog")
    at = [found.at(threshold) for threshold in points]
    assert found.tp[at].tolist() == other.confusion().counts[:, 0, 0].tolist()


@settings(max_examples=60)
@given(
    data=st.data(),
    collar=st.sampled_from([0.0, 0.1, 0.2, 0.45]),
    share=st.sampled_from([0.0, 0.2, 0.5]),
    onset=st.booleans(),
    offset=st.booleans(),
)
def test_matches_equal_those_at_each_threshold(
    draw_from, names, data, collar, share, onset, offset
) -> None:
    truth, scores = data.draw(draw_from.events()), data.draw(draw_from.scores())
    options = Collar(collar, share, onset or not offset, offset)
    pool = ExactCollar(names.labels, options, decimals=None)
    pool.add(names.files, truth, scores)
    for threshold in thresholds(scores):
        other = EventBased(
            names.labels,
            t_collar=collar,
            percentage_of_length=share,
            evaluate_onset=options.evaluate_onset,
            evaluate_offset=offset,
        )
        other.add(names.files, truth, scores.events(threshold))
        for label, expected in other.scores().class_wise.items():
            found = pool.curve(label)
            at = found.at(threshold)
            assert (found.tp[at], found.fp[at]) == (
                expected["count"]["Ntp"],
                expected["count"]["Nfp"],
            )
        best = pool.at(threshold)
        f = [other.scores().class_wise[label]["f_measure"]["f_measure"] for label in names.labels]
        ours = [label.f_measure for label in best.labels]
        assert ours == pytest.approx(f, nan_ok=True)


@settings(max_examples=60)
@given(data=st.data(), resolution=st.sampled_from([0.1, 0.25, 1.0]))
def test_segments_equal_those_at_each_threshold(draw_from, names, data, resolution) -> None:
    truth = data.draw(draw_from.events())
    scores = data.draw(draw_from.scores())
    truth = truth[truth.offset > truth.onset]
    length = durations(scores)
    pool = ExactSegment(names.labels, time_resolution=resolution)
    pool.add(names.files, truth, scores, durations=length)
    for threshold in thresholds(scores):
        other = SegmentBased(names.labels, time_resolution=resolution, decimals=6)
        other.add(names.files, truth, scores.events(threshold), lengths=length)
        for label, expected in other.scores().class_wise.items():
            found = pool.curve(label)
            at = found.at(threshold)
            assert found.tp[at] == expected["count"]["Ntp"]
            if resolution != 0.25:
                # on this grid ends of segments are no ends of frames of 0.15 s
                assert found.n_ref == expected["count"]["Nref"]


def test_best_threshold_lies_between_scores() -> None:
    scores = FrameScores(np.array([[0.2], [0.9], [0.4]]), np.arange(4.0), [3])
    pool = ExactCollar(["dog"], Collar(0.2, 0.2))
    pool.add(["a.wav"], EventList([0], [0], [1.0], [3.0]), scores)
    best = pool.best()
    assert best.macro == 1
    assert best.labels[0].threshold == pytest.approx(0.3)
    assert (pool.at(0.3).macro, pool.at(0.5).macro) == (1.0, 0.0)


def test_only_scores_above_a_threshold_are_detected() -> None:
    scores = FrameScores(np.array([[0.0], [0.5], [0.0]]), np.arange(4.0), [3])
    pool = ExactCollar(["dog"], Collar(0.2, 0.2))
    pool.add(["a.wav"], EventList([0], [0], [1.0], [2.0]), scores)
    for threshold, found in ((0.5, 0), (np.nextafter(0.5, 0), 1)):
        assert len(scores.events(threshold)) == found
        assert pool.at(threshold).macro == found


def test_label_without_events_has_no_f() -> None:
    scores = FrameScores(np.full((2, 2), 0.5), np.arange(3.0), [2])
    pool = ExactCollar(["cat", "dog"], Collar(0.2, 0.2))
    pool.add(["a.wav"], EventList([0], [0], [0.0], [2.0]), scores)
    best = pool.best()
    assert best.macro == 1 and np.isnan(best.labels[1].f_measure)
    never = best_f(pool.curve("cat"))._replace(threshold=0.25)
    assert best.labels[0].threshold == -np.inf and never.f_measure == 1


def test_area_under_the_curve(rng) -> None:
    """As scikit-learn computes it; segments with equal scores count half."""
    values = np.round(rng.random((400, 1)), 1)
    active = np.flatnonzero(rng.random(400) < values[:, 0])
    truth = EventList(np.zeros(len(active)), np.zeros(len(active)), active, active + 1.0)
    pool = ExactSegment(["dog"], time_resolution=1.0)
    scores = FrameScores(values, np.arange(401.0), [400])
    pool.add(["a.wav"], truth, scores, durations=[400.0])
    labels = np.isin(np.arange(400), active)
    found = pool.curve("dog")
    assert auroc(found) == pytest.approx(roc_auc_score(labels, values[:, 0]), abs=1e-12)
    above = values[labels] > values[~labels].T
    assert auroc(found, linear=False) == pytest.approx(above.mean(), abs=1e-12)
    half = roc_auc_score(labels, values[:, 0], max_fpr=0.5)
    # scikit-learn rescales the partial area
    low, high = 0.5**2 / 2, 0.5
    expected = (2 * half - 1) * (high - low) + low
    assert auroc(found, max_fpr=0.5) * 0.5 == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ConfigError, match="max_fpr: 0 is not in"):
        auroc(found, max_fpr=0)


def _naive_nodes(values: list[float]) -> set[tuple[int, int, float]]:
    """All runs above all thresholds, with the highest threshold below which they are there."""
    found = {}
    for threshold in sorted(set(values)):
        above = [value >= threshold for value in values] + [False]
        start = None
        for at, on in enumerate(above):
            if on and start is None:
                start = at
            elif not on and start is not None:
                found[(start, at)] = threshold
                start = None
    return {(a, b, level) for (a, b), level in found.items()}


@given(
    parts=st.lists(
        st.lists(st.sampled_from([-np.inf, 0.0, 0.1, 0.2, 0.3, 0.9]), min_size=1, max_size=20),
        min_size=1,
        max_size=4,
    )
)
def test_tree_holds_the_runs_of_all_thresholds(parts: list[list[float]]) -> None:
    values = np.concatenate([np.array(part) for part in parts])
    frames = np.array([len(part) for part in parts])
    starts = np.concatenate([np.arange(len(part)) + 100.0 * n for n, part in enumerate(parts)])
    tree = component_tree(sequences(values, starts, starts + 1, frames))
    expected = {
        (a + 100 * n, b + 100 * n, level)
        for n, part in enumerate(parts)
        for a, b, level in _naive_nodes(part)
        if level > -np.inf
    }
    found = list(zip(tree.onset, tree.offset, tree.level, strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected
    for at, parent in enumerate(tree.parent):
        if parent < 0:
            assert tree.until[at] == -np.inf
        else:
            assert tree.until[at] == tree.level[parent] < tree.level[at]
            assert tree.onset[parent] <= tree.onset[at]
            assert tree.offset[parent] >= tree.offset[at]


def _scene(rng: np.random.Generator, n_files: int) -> tuple[EventList, FrameScores]:
    truth = EventList(
        np.arange(n_files), np.arange(n_files) % 2, rng.random(n_files), 1.5 + rng.random(n_files)
    )
    values = rng.random((n_files * 30, 2))
    for file, label, onset, offset in zip(
        truth.file, truth.label, truth.onset, truth.offset, strict=True
    ):
        values[file * 30 + int(onset * 10) : file * 30 + int(offset * 10), label] += rng.random()
    times = np.tile(np.arange(31) * 0.1, n_files)
    return truth, FrameScores(values, times, np.full(n_files, 30))


def test_horizon_changes_nothing_up_to_its_rate(rng) -> None:
    """Files in parts, so that early parts are looked through again."""
    names, labels = [f"{n}.wav" for n in range(60)], ["cat", "dog"]
    truth, scores = _scene(rng, 60)
    criteria = Criteria(0.3, 0.3, 0.3, 6)
    pools = [
        ExactIntersection(labels, criteria, horizon=horizon)
        for horizon in (None, Horizon(500.0, "hour", 180.0))
    ]
    for start in range(0, 60, 6):
        inside = (truth.file >= start) & (truth.file < start + 6)
        part = EventList(
            truth.file[inside] - start,
            truth.label[inside],
            truth.onset[inside],
            truth.offset[inside],
        )
        rows, times = slice(start * 30, start * 30 + 180), slice(start * 31, start * 31 + 186)
        few = FrameScores(scores.values[rows], scores.times[times], np.full(6, 30))
        for pool in pools:
            pool.add(names[start : start + 6], part, few, durations=np.full(6, 3.0))
    options = {"alpha_ct": 0.5, "alpha_st": 0.0, "max_efpr": 500.0, "unit": "hour"}
    whole, cut = (pool.roc(**options) for pool in pools)
    assert cut.x == pytest.approx(whole.x, abs=1e-9)
    assert cut.etpr == pytest.approx(whole.etpr, abs=1e-12)
    assert psds_of_roc(cut, 500.0) > 0
    sizes = [sum(len(level) for level, _ in pool._counts().output) for pool in pools]
    assert sizes[1] < sizes[0] / 2
    with pytest.raises(ConfigError, match="only rates up to the horizon of 500 per hour"):
        pools[1].roc(**{**options, "max_efpr": 501.0})
    with pytest.raises(ConfigError, match="only the ROC up to its rate is known"):
        pools[1].best()


def test_horizon_must_be_announced_rightly(rng) -> None:
    truth, scores = _scene(rng, 4)
    pool = ExactIntersection(
        ["cat", "dog"], Criteria(0.5, 0.5, None), horizon=Horizon(100.0, "hour", 24.0)
    )
    pool.add([*"abcd"], truth, scores, durations=[3.0] * 4)
    with pytest.raises(ConfigError, match="24 s were announced, but 12 s evaluated"):
        pool.roc(alpha_ct=0.0, alpha_st=0.0, max_efpr=100.0, unit="hour")


def test_single_precision_scores_stay_as_they_are() -> None:
    values = np.array([[0.1], [0.7], [0.3]], dtype=np.float32)
    scores = FrameScores(values, np.arange(4.0), [3])
    assert scores.values.dtype == np.float32
    pool = ExactIntersection(["dog"], Criteria(0.5, 0.5, None))
    pool.add(["a.wav"], EventList([0], [0], [1.0], [2.0]), scores, durations=[3.0])
    assert pool.curve("dog").level.tolist() == [np.inf, np.float32(0.7), np.float32(0.1)]


@pytest.mark.parametrize(
    ("values", "times", "frames", "error", "message"),
    [
        (np.zeros((2, 1)), np.arange(3.0), [3], LengthError, "for 3 frames"),
        (np.zeros((2, 1)), np.arange(4.0), [2], LengthError, "4 times for 2 frames of 1 files"),
        (np.array([[0], [np.nan]]), np.arange(3.0), [2], DataError, "frame 2, label 1: nan is no"),
        (
            np.array([[0], [np.inf]]),
            np.arange(3.0),
            [2],
            DataError,
            "file 1, frame 2, label 1: inf",
        ),
        (
            np.zeros((3, 1)),
            np.array([0, 1, 0.0, 1, 1]),
            [1, 2],
            DataError,
            "file 2, frame 2: times",
        ),
    ],
)
def test_bad_scores(values, times, frames, error, message: str) -> None:
    with pytest.raises(error, match=message):
        FrameScores(values, times, frames)


def test_bad_input() -> None:
    scores = FrameScores(np.zeros((2, 1)), np.arange(3.0), [2])
    pool = ExactIntersection(["dog"], Criteria(0.5, 0.5, None))
    none = EventList.empty()
    for files, truth, lengths, message in (
        (["a", "b"], none, [1.0, 1.0], "scores of 1 files for 2 files"),
        (["a"], none, [np.nan], "durations: file 'a': nan s is no duration"),
        (["a"], none, [1.0, 2.0], "durations: 2 for 1 files"),
        (["a"], EventList([0], [1], [0.0], [1.0]), [2.0], "label is not among"),
        (["a"], EventList([0, 0], [0, 0], [0.0, 1.0], [2.0, 3.0]), [2.0], "overlaps event 1"),
    ):
        with pytest.raises(DataError, match=message):
            pool.add(files, truth, scores, durations=lengths)
    with pytest.raises(DataError, match="scores of 1 labels for 2 labels"):
        ExactCollar(["cat", "dog"], Collar(0.2, 0.2)).add(["a"], none, scores)
    with pytest.raises(DataError, match="no file was evaluated"):
        pool.best()
    pool.add(["a"], none, scores, durations=[2.0])
    with pytest.raises(ConfigError, match="unknown label 'dogs'"):
        pool.curve("dogs")
    with pytest.raises(ConfigError, match="cross triggers were not counted"):
        pool.roc(alpha_ct=0.5, alpha_st=0.0, max_efpr=100.0, unit="hour")


def test_file_without_frames() -> None:
    values = np.array([[0.9, 0.1], [0.2, 0.8]])
    scores = FrameScores(values, np.array([0.0, 0.0, 1.0, 2.0, 0.0]), [0, 2, 0])
    truth = EventList([0, 1, 2], [0, 1, 0], [0.0, 1.0, 0.0], [1.0, 2.0, 1.0])
    for pool in (
        ExactIntersection(["cat", "dog"], Criteria(0.5, 0.5, 0.3)),
        ExactSegment(["cat", "dog"], time_resolution=1.0),
    ):
        pool.add([*"abc"], truth, scores, durations=[1.0, 2.0, 1.0])
        assert pool.curve("dog").tp[pool.curve("dog").at(0.5)] == 1
        assert pool.curve("cat").n_ref == 2


def test_presets() -> None:
    one, two = PSDS["dcase-task4-1"], PSDS["dcase-task4-2"]
    assert (one.criteria.dtc, one.criteria.gtc, one.alpha_ct, one.alpha_st) == (0.7, 0.7, 0, 1)
    assert (two.criteria.cttc, two.alpha_ct, two.max_efpr, two.unit) == (0.3, 0.5, 100, "hour")
