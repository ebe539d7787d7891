from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError, DataError
from common.metrics.events.event_based import EventBased, match
from common.metrics.events.fitting import Collar, fitting_pairs
from common.metrics.events.lists import EventList

COLLAR = {"t_collar": 0.2, "percentage_of_length": 0.5}


def _fits(truth: tuple[float, float], prediction: tuple[float, float], **collar) -> bool:
    options = {**COLLAR, **collar}
    one, other = (EventList([0], [0], [on], [off]) for on, off in (truth, prediction))
    return len(fitting_pairs(one, other, Collar(**options)).truth) == 1


def test_limits_are_inclusive_and_exact() -> None:
    assert _fits((1.0, 5.0), (1.2, 5.0))
    assert not _fits((2.0, 5.0), (2.2, 5.0))
    assert _fits((2.0, 5.0), (2.2, 5.0), tolerance=1e-9)


def test_offset_may_be_off_by_either_limit() -> None:
    # a length of 4 s allows 2 s, one of 0.2 s the collar
    assert _fits((0.0, 4.0), (0.0, 6.0))
    assert not _fits((0.0, 4.0), (0.0, 6.1))
    assert _fits((1.0, 1.2), (1.0, 1.4))
    # the length of the reference counts, not that of the estimate
    assert not _fits((0.0, 1.0), (0.0, 9.0))
    assert not _fits((0.0, 4.0), (0.0, 4.3), percentage_of_length=0.0)


def test_onset_or_offset_only() -> None:
    assert _fits((0.0, 4.0), (0.1, 9.0), evaluate_offset=False)
    assert _fits((0.0, 4.0), (3.0, 4.1), evaluate_onset=False)
    assert not _fits((0.0, 4.0), (0.1, 9.0), evaluate_onset=False)


def test_pairs_do_not_cross_files() -> None:
    truth, prediction = EventList([0], [0], [1.0], [2.0]), EventList([1], [0], [1.0], [2.0])
    assert len(fitting_pairs(truth, prediction, Collar(**COLLAR)).truth) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_collar": -0.1}, "t_collar: -0.1 is not 0 or more"),
        ({"percentage_of_length": float("nan")}, "percentage_of_length: nan is not 0 or more"),
        ({"evaluate_onset": False, "evaluate_offset": False}, "at least one of them must be true"),
    ],
)
def test_collars_out_of_range(options, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        EventBased(["dog"], **{**COLLAR, **options})


def test_unknown_matching() -> None:
    with pytest.raises(ConfigError, match=r"unknown matching 'optimum'. Did you mean 'optimal'"):
        EventBased(["dog"], **COLLAR, matching="optimum")
    with pytest.raises(ConfigError, match="unknown matching"):
        match(EventList.empty(), EventList.empty(), collar=Collar(**COLLAR), matching="best")


def test_by_hand(rows) -> None:
    truth = rows(
        ("a.wav", 0, 1, "cat"),
        ("a.wav", 2, 3, "cat"),
        ("a.wav", 5, 6, "dog"),
        ("b.wav", 0, 1, "dog"),
    )
    prediction = rows(
        ("a.wav", 0.1, 1, "cat"),  # right
        ("a.wav", 2, 3.1, "dog"),  # substitutes the second cat
        ("a.wav", 8, 9, "dog"),  # inserted
        ("b.wav", 5, 6, "dog"),  # inserted: the dog at this time is in another file
    )
    pool = EventBased(["cat", "dog"], **COLLAR)
    found = pool.add(["a.wav", "b.wav"], truth, prediction)
    assert (found.substituted.truth.tolist(), found.substituted.prediction.tolist()) == ([1], [1])
    overall = pool.scores().overall
    assert overall["count"] == {"Nref": 4, "Nsys": 4, "Ntp": 1, "Nsubs": 1, "Nfp": 2, "Nfn": 2}
    assert overall["error_rate"] == {
        "error_rate": 5 / 4,
        "substitution_rate": 1 / 4,
        "deletion_rate": 2 / 4,
        "insertion_rate": 2 / 4,
    }
    dog = pool.scores().class_wise["dog"]
    assert dog["count"] == {"Nref": 2, "Nsys": 3, "Ntp": 0, "Nfp": 3, "Nfn": 2}
    assert dog["error_rate"]["error_rate"] == 5 / 2
    assert pool.scores().class_wise_average["f_measure"]["f_measure"] == pytest.approx(1 / 3)
    per_file = pool.file_scores()
    assert per_file["count"]["Ntp"].tolist() == [1, 0]
    assert per_file["error_rate"]["error_rate"].tolist() == [1.0, 2.0]


def test_greedy_depends_on_the_order_of_references() -> None:
    early, late = EventList([0], [0], [1.0], [3.0]), EventList([0], [0], [1.5], [3.0])
    estimates = EventList([0, 0], [0, 0], [1.25, 1.75], [3.0, 3.0])
    options = {"t_collar": 0.25, "percentage_of_length": 0.5, "evaluate_offset": False}
    for first, second, hits in ((early, late, 2), (late, early, 1)):
        truth = EventList.concatenate([first, second])
        for matching, expected in (("greedy", hits), ("optimal", 2), ("sed_eval", 2)):
            pool = EventBased(["dog"], matching=matching, **options)
            pool.add(["a.wav"], truth, estimates)
            assert pool.scores().overall["count"]["Ntp"] == expected


def test_substitutions_do_not_depend_on_the_order() -> None:
    """The first reference fits both estimates, the second one the first estimate only."""
    truth = EventList([0, 0], [0, 0], [1.0, 0.8], [2.0, 2.0])
    estimates = EventList([0, 0], [1, 1], [0.9, 1.2], [2.0, 2.0])
    found = {}
    for matching in ("optimal", "sed_eval"):
        found[matching] = set()
        for order in ([0, 1], [1, 0]):
            pool = EventBased(["cat", "dog"], matching=matching, **COLLAR)
            pool.add(["a.wav"], truth[order], estimates)
            found[matching].add(pool.scores().overall["count"]["Nsubs"])
    assert found == {"optimal": {2.0}, "sed_eval": {1.0, 2.0}}


def test_labels_that_are_not_evaluated_count_overall_only(rows) -> None:
    truth = rows(("a.wav", 0, 1, "ant"), ("a.wav", 3, 4, "bee"), ("a.wav", 6, 7, "dog"))
    prediction = rows(("a.wav", 0, 1, "ant"), ("a.wav", 3, 4, "dog"))
    # both lists number "ant" first; "bee" has no estimate
    pool = EventBased(["cat", "dog"], **COLLAR)
    pool.add(["a.wav"], truth, prediction)
    assert pool.scores().overall["count"] == {
        **{"Nref": 3, "Nsys": 2, "Ntp": 1, "Nsubs": 1, "Nfp": 0, "Nfn": 1}
    }
    assert pool.scores().class_wise["dog"]["count"]["Nsys"] == 1
    assert set(pool.scores().class_wise) == {"cat", "dog"}


@pytest.mark.parametrize("zero_score", [True, False])
def test_empty_lists(rows, zero_score: bool) -> None:
    event = rows(("a.wav", 0, 1, "dog"))
    for truth, prediction, precision, recall, error in (
        (event[:0], event[:0], 0 if zero_score else np.nan, np.nan, 0),
        (event[:0], event, 0, np.nan, np.inf),
        (event, event[:0], 0 if zero_score else np.nan, 0, 1),
    ):
        pool = EventBased(["cat", "dog"], **COLLAR)
        pool.add(["a.wav"], truth, prediction)
        overall = pool.scores(zero_score=zero_score).overall
        assert overall["f_measure"]["precision"] == pytest.approx(precision, nan_ok=True)
        assert overall["f_measure"]["recall"] == pytest.approx(recall, nan_ok=True)
        expected = 0.0 if precision == recall == 0 else np.nan
        assert overall["f_measure"]["f_measure"] == pytest.approx(expected, nan_ok=True)
        assert overall["error_rate"]["error_rate"] == error


def test_copies_of_a_right_estimate_are_false(rows) -> None:
    event = rows(("a.wav", 0, 1, "dog"))
    pool = EventBased(["cat", "dog"], **COLLAR)
    pool.add(["a.wav"], event, EventList.concatenate([event] * 4))
    assert pool.scores().overall["count"]["Nfp"] == 3


def test_bad_times(rows) -> None:
    pool = EventBased(["cat", "dog"], **COLLAR)
    wrong = rows(("a.wav", 0, 1, "cat"), ("a.wav", 2, 1, "dog"))
    with pytest.raises(DataError, match=r"truth: file 'a.wav', event 2, 'dog': onset 2 s is after"):
        pool.add(["a.wav"], wrong, wrong[:0])
