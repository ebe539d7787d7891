from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import ConfigError, DataError
from common.metrics.events import segment_counts as counting
from common.metrics.events.lists import EventList
from common.metrics.events.segment_based import SegmentBased
from common.metrics.events.segment_counts import segment_counts


def _active(onset: float, offset: float, resolution: float, *, decimals=None, length=None) -> list:
    """Segments in which one event is active."""
    found = []
    for at in range(40):
        probe = EventList([0], [0], [(at + 0.5) * resolution], [(at + 0.5) * resolution])
        counts = segment_counts(
            EventList([0], [0], [onset], [offset]),
            probe,
            1,
            1,
            time_resolution=resolution,
            lengths=None if length is None else np.array([length]),
            decimals=decimals,
        )
        if counts.tp.sum():
            found.append(at)
    return found


@pytest.mark.parametrize(
    ("onset", "offset", "segments"),
    [
        (0.0, 1.0, [0]),
        (0.9, 2.1, [0, 1, 2]),  # any touch
        (1.0, 1.0, []),  # a point on a boundary
        (1.5, 1.5, [1]),  # a point elsewhere
        (2.7, 2.3, []),  # ends before it starts
    ],
)
def test_segments_of_an_event(onset: float, offset: float, segments: list[int]) -> None:
    assert _active(onset, offset, 1.0) == segments


def test_quotient_is_that_of_floats() -> None:
    """0.3 / 0.1 is 2.9999999999999996."""
    assert _active(0.3, 0.4, 0.1) == [2, 3]
    assert _active(0.3, 0.4, 0.1, decimals=6) == [3]


def test_length_cuts_but_keeps_the_last_segment_whole() -> None:
    assert _active(0.5, 9.0, 1.0, length=2.5) == [0, 1, 2]


def test_by_hand(rows) -> None:
    """Four segments of 1 s.

    ========  =======  =======  ==  ==  ==
    segment   truth    output   tp  fn  fp
    ========  =======  =======  ==  ==  ==
    0         cat      dog      0   1   1   a substitution
    1         cat dog  dog      1   1   0   a deletion
    2         -        cat      0   0   1   an insertion
    3         -        -        0   0   0
    ========  =======  =======  ==  ==  ==
    """
    truth = rows(("a.wav", 0, 2, "cat"), ("a.wav", 1, 2, "dog"))
    prediction = rows(("a.wav", 0, 2, "dog"), ("a.wav", 2, 3, "cat"))
    pool = SegmentBased(["cat", "dog"], time_resolution=1)
    pool.add(["a.wav"], truth, prediction, lengths=[4])
    overall = pool.scores().overall
    assert overall["count"] == {
        **{"Nref": 3, "Nsys": 3, "Ntp": 1, "Ntn": 3, "Nfp": 2, "Nfn": 2},
        **{"S": 1, "D": 1, "I": 1},
    }
    assert overall["f_measure"]["f_measure"] == pytest.approx(1 / 3)
    assert overall["error_rate"] == pytest.approx(
        {
            "error_rate": 1.0,
            "substitution_rate": 1 / 3,
            "deletion_rate": 1 / 3,
            "insertion_rate": 1 / 3,
        }
    )
    assert overall["accuracy"]["accuracy"] == 4 / 8
    assert overall["accuracy"]["accuracy2"] == 1 / 5
    assert overall["accuracy"]["specificity"] == 3 / 5
    dog = pool.scores().class_wise["dog"]
    assert dog["count"] == {"Nref": 1, "Nsys": 2, "Ntp": 1, "Ntn": 2, "Nfp": 1, "Nfn": 0}
    assert dog["error_rate"] == {"error_rate": 1, "deletion_rate": 0, "insertion_rate": 1}


def test_class_that_is_never_output(rows) -> None:
    pool = SegmentBased(["cat", "dog"], time_resolution=1.0)
    pool.add(
        ["a.wav"],
        rows(("a.wav", 0, 1, "cat"), ("a.wav", 0, 1, "dog")),
        rows(("a.wav", 0, 1, "dog")),
    )
    assert pool.scores().class_wise_average["f_measure"]["f_measure"] == 0.5
    left_out = pool.scores(zero_score=False).class_wise_average["f_measure"]
    assert left_out == {"f_measure": 1.0, "precision": 1.0, "recall": 0.5}


def test_estimates_without_reference_have_no_rate() -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    pool.add(["a.wav"], EventList.empty(), EventList([0], [0], [0.0], [2.0]))
    assert pool.scores().overall["error_rate"]["error_rate"] == np.inf
    theirs = pool.scores(compatibility="sed_eval").overall["error_rate"]
    assert theirs["error_rate"] == pytest.approx(2 * 2.0**52)
    assert np.isnan(pool.scores().overall["f_measure"]["f_measure"])


def test_compatibility_turns_the_weights_of_balanced_accuracy(rows) -> None:
    pool = SegmentBased(["cat", "dog"], time_resolution=1.0)
    pool.add(["a.wav"], rows(("a.wav", 0, 2, "dog")), rows(("a.wav", 0, 1, "dog")))
    ours = pool.scores(factor=0.9).overall["accuracy"]
    theirs = pool.scores(factor=0.9, compatibility="sed_eval").overall["accuracy"]
    assert ours["balanced_accuracy"] == pytest.approx(0.9 * 0.5 + 0.1 * 1)
    assert theirs["balanced_accuracy"] == pytest.approx(0.1 * 0.5 + 0.9 * 1)


def test_nothing_at_all() -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    assert pool.scores().overall["count"]["Ntn"] == 0
    pool.add(["a.wav"], EventList.empty(), EventList.empty())
    overall = pool.scores(zero_score=False).overall
    assert np.isnan(overall["f_measure"]["f_measure"])
    assert overall["error_rate"]["error_rate"] == overall["accuracy"]["accuracy"] == 0
    no_labels = SegmentBased([], time_resolution=1.0)
    no_labels.add(["a.wav"], EventList.empty(), EventList.empty(), lengths=[5.0])
    assert no_labels.scores().class_wise == {}


def test_no_recording_at_all() -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    pool.add([], EventList.empty(), EventList.empty(), lengths=[])
    overall = pool.scores().overall
    assert np.isnan(overall["f_measure"]["f_measure"])
    assert overall["count"]["Nref"] == 0


def test_without_lengths_the_output_decides_how_long_a_file_is() -> None:
    truth, none = EventList([0], [0], [0.0], [1.0]), EventList.empty()
    for offset, segments in ((1.0, 1), (7.5, 8)):
        prediction = EventList([0], [0], [0.0], [offset])
        for lists in ((truth, prediction), (prediction, none)):
            counts = segment_counts(
                *lists, 1, 1, time_resolution=1.0, lengths=np.array([np.nan]), decimals=None
            )
            assert counts.segments.tolist() == [segments]


@pytest.mark.parametrize(
    ("prediction", "lengths", "message"),
    [
        (
            EventList([0], [1], [0.0], [1.0]),
            None,
            "prediction: file 'a.wav', event 1: label is not",
        ),
        (EventList([0], [0], [-1.0], [1.0]), None, "event 1, 'dog': onset -1 s is negative"),
        (EventList.empty(), [-1.0], "lengths: file 'a.wav': -1 s is negative"),
    ],
)
def test_bad_input(prediction, lengths, message: str) -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    with pytest.raises(DataError, match=message):
        pool.add(["a.wav"], EventList.empty(), prediction, lengths=lengths)
    assert pool.files == ()


def test_resolution_must_be_positive() -> None:
    pool = SegmentBased(["dog"], time_resolution=0)
    with pytest.raises(ConfigError, match="time_resolution: 0 is not above 0"):
        pool.add(["a.wav"], EventList.empty(), EventList.empty())


def test_a_file_counts_once() -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    pool.add(["a.wav"], EventList.empty(), EventList.empty())
    with pytest.raises(DataError, match=r"file 'a.wav' is evaluated twice"):
        pool.add(["a.wav"], EventList.empty(), EventList.empty())
    with pytest.raises(DataError, match=r"file 'b.wav' is evaluated twice"):
        pool.add(["b.wav", "b.wav"], EventList.empty(), EventList.empty())
    with pytest.raises(ConfigError, match="'dog' is named twice"):
        SegmentBased(["dog", "dog"], time_resolution=1.0)


def test_only_equal_pools_merge() -> None:
    pool = SegmentBased(["dog"], time_resolution=1.0)
    with pytest.raises(ConfigError, match=r"time_resolution is 1.0 here and 0.5 there"):
        pool.merge(SegmentBased(["dog"], time_resolution=0.5))
    with pytest.raises(ConfigError, match="pools differ in their kind or labels"):
        pool.merge(SegmentBased(["cat"], time_resolution=1.0))


def _naive(truth: EventList, prediction: EventList, n_segments: list[int], resolution: float):
    """The definition, segment by segment."""
    tp = fp = fn = subs = deletions = insertions = 0
    for file, number in enumerate(n_segments):
        for segment in range(number):
            on = []
            for events in (truth, prediction):
                first = np.floor(events.onset / resolution)
                last = np.ceil(events.offset / resolution) - 1
                inside = (events.file == file) & (first <= segment) & (segment <= last)
                on.append(set(events.label[inside].tolist()))
            hit, missed, false = len(on[0] & on[1]), len(on[0] - on[1]), len(on[1] - on[0])
            tp, fp, fn = tp + hit, fp + false, fn + missed
            subs += min(missed, false)
            deletions += max(0, missed - false)
            insertions += max(0, false - missed)
    return tp, fp, fn, subs, deletions, insertions


@given(
    data=st.data(),
    resolution=st.sampled_from([0.1, 0.25, 1.0]),
    cells=st.sampled_from([1, 9, 1000]),
)
def test_as_counted_one_by_one(draw_from, names, data, resolution: float, cells: int) -> None:
    """Whatever the number of cells that are looked at together."""
    truth, prediction = data.draw(draw_from.events()), data.draw(draw_from.events())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "CELLS", cells)
        counts = segment_counts(
            truth,
            prediction,
            3,
            2,
            time_resolution=resolution,
            lengths=np.array([1.0, np.nan, 2.0]),
            decimals=None,
        )
    found = (
        counts.tp.sum(),
        (counts.sys - counts.tp).sum(),
        (counts.ref - counts.tp).sum(),
        counts.substitutions.sum(),
        counts.deletions.sum(),
        counts.insertions.sum(),
    )
    assert found == _naive(truth, prediction, counts.segments.tolist(), resolution)
    assert len(names.files) == len(counts.segments)
