"""Metrics of sound events: hand-computed cases and what must hold for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from common.core.errors import DataError, LengthError
from common.metrics import METRICS, Metric
from common.metrics.events import EventBased, EventList, FrameScores, SegmentBased
from common.metrics.events.lists import merged
from common.metrics.events.recordings import SoundEvents
from common.metrics.reasons import why_undefined
from common.uncertainty import Bootstrap, Recipe, Term

LABELS = ("a", "b", "c")
HOP_S = 0.25
LENGTH_S = 4.0
PARAMS = {
    "time_resolution": 1.0,
    "t_collar": 0.2,
    "percentage_of_length": 0.2,
    "dtc": 0.5,
    "gtc": 0.5,
    "cttc": 0.3,
    "alpha_ct": 0.5,
    "alpha_st": 1.0,
    "max_efpr": 1000.0,
}
EVENTS = [metric for metric in METRICS if metric.kind == "events"]
COMPARING = [metric for metric in EVENTS if metric.takes == "pair"]
CHANGES = [metric for metric in EVENTS if metric.takes == "change"]
FAST = hypothesis.settings(max_examples=40, derandomize=True)


def params_of(metric: Metric) -> dict[str, Any]:
    return {name: PARAMS[name] for name in metric.keywords}


def values(metric: Metric, *arrays: SoundEvents) -> dict[str, float]:
    value = metric.function(*arrays, **params_of(metric))
    return dict(value) if isinstance(value, Mapping) else {"": value}


def events(n: int, rows: list[tuple[int, int, float, float]]) -> SoundEvents:
    """Events of n recordings, scored as a detector that is sure of them would."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    listed = merged(EventList(*(np.array(column) for column in columns)))
    frames = round(LENGTH_S / HOP_S)
    scores = np.zeros((n * frames, len(LABELS)))
    for file, label, onset, offset in zip(
        listed.file, listed.label, listed.onset, listed.offset, strict=True
    ):
        first, last = round(onset / HOP_S), round(offset / HOP_S)
        scores[file * frames + first : file * frames + last, label] = 1.0
    times = np.tile(np.arange(frames + 1) * HOP_S, n)
    found = FrameScores(scores, times, np.full(n, frames))
    return SoundEvents(LABELS, listed, np.full(n, LENGTH_S), found)


@st.composite
def recordings(draw: st.DrawFn, n: int) -> SoundEvents:
    """Events on a grid; those of one label do not touch, as events of one label that do are one."""
    last = round(LENGTH_S / HOP_S)
    rows = []
    for file in range(n):
        for label in range(len(LABELS)):
            borders = draw(st.lists(st.integers(0, last), max_size=6, unique=True).map(sorted))
            for start, end in zip(borders[::2], borders[1::2], strict=False):
                rows.append((file, label, start * HOP_S, end * HOP_S))
    return events(n, rows)


def test_figures_of_a_small_case() -> None:
    """One of two events is found with the right class, one with a wrong one; 4 s, two classes."""
    truth = events(1, [(0, 0, 0.0, 1.0), (0, 1, 2.0, 3.0)])
    prediction = events(1, [(0, 0, 0.0, 1.0), (0, 0, 2.0, 3.0)])
    assert values(METRICS.get("event_f"), truth, prediction)[""] == 0.5
    assert values(METRICS.get("event_error_rate"), truth, prediction)[""] == 0.5
    # a: 1 hit, 1 false alarm; b: missed; c does not occur
    per_class = values(METRICS.get("event_f_per_class"), truth, prediction)
    assert per_class["a"] == pytest.approx(2 / 3) and per_class["b"] == 0
    assert math.isnan(per_class["c"])
    assert values(METRICS.get("event_f_macro"), truth, prediction)[""] == pytest.approx(1 / 3)
    assert values(METRICS.get("segment_error_rate"), truth, prediction)[""] == 0.5
    # of four segments the third has other classes
    assert values(METRICS.get("unchanged_segments"), truth, prediction)[""] == 0.75


def test_pools_give_the_same_figures() -> None:
    random = np.random.default_rng(0)
    rows = [
        (int(f), int(label), on * HOP_S, (on + n) * HOP_S)
        for f, label, on, n in zip(
            random.integers(0, 5, 60),
            random.integers(0, 3, 60),
            random.integers(0, 12, 60),
            random.integers(1, 5, 60),
            strict=True,
        )
    ]
    truth, prediction = events(5, rows[:30]), events(5, rows[20:])
    segments = SegmentBased(LABELS, time_resolution=1.0)
    segments.add(truth.files, truth.events, prediction.events, lengths=truth.durations)
    found = segments.scores()
    assert values(METRICS.get("segment_f"), truth, prediction)[""] == pytest.approx(
        found.overall["f_measure"]["f_measure"], abs=1e-12
    )
    assert values(METRICS.get("segment_error_rate"), truth, prediction)[""] == pytest.approx(
        found.overall["error_rate"]["error_rate"], abs=1e-12
    )
    matches = EventBased(LABELS, t_collar=0.2, percentage_of_length=0.2)
    matches.add(truth.files, truth.events, prediction.events)
    found = matches.scores()
    assert values(METRICS.get("event_f_macro"), truth, prediction)[""] == pytest.approx(
        found.class_wise_average["f_measure"]["f_measure"], abs=1e-12
    )
    assert values(METRICS.get("event_error_rate"), truth, prediction)[""] == pytest.approx(
        found.overall["error_rate"]["error_rate"], abs=1e-12
    )


def test_rows_repeat_and_renumber_recordings_and_scores() -> None:
    both = events(3, [(0, 0, 0.0, 1.0), (2, 1, 2.0, 3.0)])
    part = both[[2, 0, 2]]
    assert len(part) == 3
    assert part.events.file.tolist() == [0, 1, 2] and part.events.label.tolist() == [1, 0, 1]
    assert part.scores is not None
    again = part.scores.events(0.5)
    assert sorted(zip(again.file, again.label, again.onset, strict=True)) == [
        (0, 1, 2.0),
        (1, 0, 0.0),
        (2, 1, 2.0),
    ]
    assert len(both[np.zeros(3, dtype=bool)]) == 0


def test_nothing_to_compute_has_a_reason() -> None:
    silent, one = events(2, []), events(2, [(0, 0, 0.0, 1.0)])
    for metric in COMPARING:
        if metric.id != "unchanged_segments":
            assert all(math.isnan(v) for v in values(metric, silent, one).values()), metric.id
    assert why_undefined(silent, one) == "no annotated events"
    assert why_undefined(one, silent, label="b") == "no annotated events of b"
    bare = SoundEvents(LABELS, one.events, one.durations)
    assert math.isnan(values(METRICS.get("psds_1"), one, bare)[""])
    assert why_undefined(one, bare) == "no frame scores"


@pytest.mark.parametrize("metric", COMPARING, ids=lambda metric: metric.id)
class TestEveryComparison:
    @hypothesis.given(data=st.data())
    @FAST
    def test_bounds_order_and_perfection(self, metric: Metric, data: st.DataObject) -> None:
        n = data.draw(st.integers(1, 4))
        truth, prediction = data.draw(recordings(n)), data.draw(recordings(n))
        found, perfect = values(metric, truth, prediction), values(metric, truth, truth)
        low, high = metric.bounds
        for label, value in found.items():
            assert type(value) is float
            assert math.isnan(value) or low <= value <= high
            if not math.isnan(value):
                assert perfect[label] == pytest.approx(1 if metric.direction == "higher" else 0)
        order = data.draw(st.permutations(range(n)))
        other = values(metric, truth[order], prediction[order])
        assert found == pytest.approx(other, abs=1e-9, nan_ok=True)

    def test_recordings_must_be_the_same(self, metric: Metric) -> None:
        with pytest.raises((LengthError, DataError), match=r"length|files"):
            values(metric, events(1, [(0, 0, 0.0, 1.0)]), events(2, []))


@pytest.mark.parametrize("metric", CHANGES, ids=lambda metric: metric.id)
def test_changes_are_differences_with_the_same_parameters(metric: Metric) -> None:
    truth = events(2, [(0, 0, 0.0, 1.0), (1, 1, 1.0, 3.0)])
    worse = events(2, [(0, 0, 0.0, 1.0), (1, 2, 1.0, 3.0)])
    assert metric.keywords == METRICS.get(metric.of).keywords
    before = values(METRICS.get(metric.of), truth, truth)[""]
    after = values(METRICS.get(metric.of), truth, worse)[""]
    assert values(metric, truth, truth, worse)[""] == pytest.approx(after - before)
    assert after < before


# -- intervals -------------------------------------------------------------------------------


def noisy(n: int, seed: int, errors: float) -> tuple[SoundEvents, SoundEvents]:
    random = np.random.default_rng(seed)
    rows = [(f, int(random.integers(3)), 1.0 * at, at + 0.75) for f in range(n) for at in (0, 2)]
    kept = [row for row in rows if random.random() > errors]
    wrong = [(f, (label + 1) % 3, 3.25, 4.0) for f, label, at, _ in rows if at == 0]
    kept += [row for row in wrong if random.random() < errors]
    return events(n, rows), events(n, kept)


@pytest.mark.parametrize("metric", EVENTS, ids=lambda metric: metric.id)
class TestIntervals:
    def test_resamples_are_those_of_the_metric_itself(self, metric: Metric) -> None:
        """Each resample equals the metric of the recordings that were drawn."""
        truth, prediction = noisy(12, 1, 0.3)
        arrays = (truth, prediction) if metric.takes == "pair" else (truth, truth, prediction)
        recipe = Recipe(Term(metric.id, arrays, params=params_of(metric)))
        codes = np.repeat(np.arange(6), 2)
        bootstrap = Bootstrap(codes, seed=0, draws=12)
        tolerance = 0.02 if "psds" in metric.id else 1e-12
        weights = bootstrap._clusters.weights.astype(int)
        for label in values(metric, *arrays):
            drawn = bootstrap.draws(recipe, label)
            for row, value in zip(weights, drawn, strict=True):
                rows = np.repeat(np.arange(12), row[codes])
                expected = values(metric, *(array[rows] for array in arrays))[label]
                if "psds_2" not in metric.id and metric.id != "psds":
                    assert value == pytest.approx(expected, abs=tolerance, nan_ok=True)
                else:  # weights of cross triggers are those of all recordings
                    assert value == pytest.approx(expected, abs=0.1, nan_ok=True)

    def test_interval_holds_the_score_and_no_nan(self, metric: Metric) -> None:
        truth, prediction = noisy(30, 2, 0.2)
        arrays = (truth, prediction) if metric.takes == "pair" else (truth, truth, prediction)
        recipe = Recipe(Term(metric.id, arrays, params=params_of(metric)))
        for label, value in values(metric, *arrays).items():
            found = Bootstrap(np.arange(30), seed=0).interval(recipe, label)
            assert found.low <= value <= found.high
            assert found.low < found.high
            assert found.clusters == 30


def test_intervals_cover_the_score_of_many_recordings() -> None:
    """95 % intervals of 40 recordings hold the score of 20,000 in about 95 % of the cases."""
    metric = METRICS.get("event_f_macro")
    everything = values(metric, *noisy(20_000, 0, 0.3))[""]
    held = 0
    for seed in range(1, 101):
        arrays = noisy(40, seed, 0.3)
        recipe = Recipe(Term(metric.id, arrays, params=params_of(metric)))
        found = Bootstrap(np.arange(40), seed=seed, draws=200).interval(recipe)
        held += found.low <= everything <= found.high
    assert 88 <= held <= 100
