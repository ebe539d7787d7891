from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.metrics.events.detection_rates import rates
from common.metrics.events.intersection_based import Confusion
from common.metrics.events.lists import EventList
from common.metrics.events.operating_points import (
    NO_CHOICE,
    Constraint,
    distinct,
    macro_f,
    select,
)

# three points of one class and an hour: tp 1, 2, 2 of 4; fp 0, 2, 6
COUNTS = np.zeros((3, 2, 3), dtype=int)
COUNTS[:, 0, 0] = [1, 2, 2]
COUNTS[:, 0, 2] = [0, 2, 6]
CONFUSION = Confusion(COUNTS, np.array([4, 2]), np.array([8.0, 4.0]), 3600.0)


def choose(kind: str, value: float, label: int = 0):
    found = rates(CONFUSION, alpha_ct=0.0, unit="hour")
    return select([Constraint(label, kind, value)], found, CONFUSION)[0]


@pytest.mark.parametrize(
    ("kind", "value", "point"),
    [
        ("tpr", 0.2, 0),
        ("tpr", 0.5, 1),  # the lowest rate of both
        ("tpr", 0.6, -1),
        ("fpr", 0.0, 0),
        ("efpr", 5.0, 1),
        ("efpr", 100.0, 1),  # the first of equally good ones
        ("fscore", 0.0, 1),
        ("tpr", 0.0, 0),  # the first without false alarms; doing nothing comes last
        ("fpr", -1.0, -1),
    ],
)
def test_choice(kind: str, value: float, point: int) -> None:
    assert choose(kind, value).point == point


def test_figures_of_the_choice() -> None:
    found = choose("tpr", 0.5)
    assert found.tpr == 0.5
    assert found.fpr == found.efpr == 2.0
    assert found.fscore == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))


def test_doing_nothing_may_be_best() -> None:
    found = rates(CONFUSION, alpha_ct=0.0, unit="hour")
    worse = found._replace(efpr=found.efpr + 1)
    assert select([Constraint(0, "tpr", 0.0)], worse, CONFUSION) == [NO_CHOICE]


def test_nothing_to_choose() -> None:
    missed = choose("fscore", 0.0, label=1)
    # doing nothing comes last among equally good points, so the first point is taken
    assert missed.point == 0 and missed.fscore == 0
    assert np.isnan(NO_CHOICE.tpr)
    with pytest.raises(ConfigError, match=r"unknown constraint 'tp'. Did you mean 'tpr'"):
        choose("tp", 0.5)


def test_macro_f_of_classes_without_hits() -> None:
    point = 1
    assert macro_f(CONFUSION, point=point).macro == pytest.approx(0.25)
    theirs = macro_f(CONFUSION, point=point, compatibility="psds_eval")
    assert theirs.macro == pytest.approx(0.5)
    assert np.isnan(theirs.classes[1])
    # without ground truth a class is left out by both
    counts = COUNTS.copy()
    counts[:, 1, 2] = 3
    known = CONFUSION._replace(counts=counts, events=np.array([4, 0]))
    assert macro_f(known, point=point).macro == pytest.approx(0.5)
    assert macro_f(CONFUSION, point=point, beta=2.0).classes[0] == pytest.approx(10 / (10 + 8 + 2))
    with pytest.raises(ConfigError, match="unknown compatibility"):
        macro_f(CONFUSION, compatibility="sed_eval")


def test_repeated_points() -> None:
    one = EventList([0, 1], [0, 0], [0.0, 1.0], [1.0, 2.0])
    more = EventList.concatenate([one[::-1], EventList([0], [0], [5.0], [5.0])])
    found = distinct([one, EventList.empty(), more, one[:1], EventList.empty()])
    assert found.kept == [0, 1, 3]
    assert found.repeated == [(2, 0), (4, 1)]
