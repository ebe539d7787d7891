from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.metrics.events.roc import (
    area,
    cross_trigger_curves,
    curve,
    curves,
    psd_roc,
    psds_of_roc,
)


def test_a_curve_ignores_worse_points() -> None:
    found = curve(np.array([10.0, 5.0, 5.0, 20.0]), np.array([0.3, 0.4, 0.2, 0.9]))
    assert found.x.tolist() == [0, 5, 10, 20]
    assert found.y.tolist() == [0, 0.4, 0.4, 0.9]
    assert found.at(np.array([0.0, 4.9, 5.0, 100.0])).tolist() == [0, 0, 0.4, 0.9]
    assert found.at(np.array([2.5, 15.0, 100.0]), linear=True).tolist() == [0.2, 0.65, 0.9]


def test_a_point_without_false_alarm_lifts_the_start() -> None:
    assert curve(np.array([0.0]), np.array([0.7])).at(np.zeros(1)).tolist() == [0.7]


def test_mean_and_deviation_over_classes() -> None:
    classes = curves(np.array([[10.0, 30.0, 1.0]]), np.array([[1.0, 0.5, np.nan]]))
    assert classes[2] is None
    roc = psd_roc(classes, alpha_st=1.0)
    assert roc.x.tolist() == [0, 10, 30]
    assert roc.mean.tolist() == [0, 0.5, 0.75]
    assert roc.std.tolist() == [0, 0.5, 0.25]
    assert roc.etpr.tolist() == [0, 0, 0.5]
    # from 30 on 0.5, carried on to 100
    assert psds_of_roc(roc, 100.0) == pytest.approx(0.7 * 0.5)
    assert psds_of_roc(psd_roc(classes, alpha_st=0.0), 20.0) == pytest.approx(0.5 * 0.5)


def test_largest_rate_that_was_found() -> None:
    roc = psd_roc(curves(np.array([[10.0], [40.0]]), np.array([[0.5], [1.0]])), alpha_st=0.0)
    assert psds_of_roc(roc, None) == pytest.approx(30 * 0.5 / 40)
    perfect = psd_roc(curves(np.array([[0.0]]), np.array([[1.0]])), alpha_st=0.0)
    assert np.isnan(psds_of_roc(perfect, None))
    assert psds_of_roc(perfect, 100.0) == 1


def test_no_class_with_ground_truth() -> None:
    roc = psd_roc(curves(np.array([[1.0]]), np.array([[np.nan]])), alpha_st=1.0)
    assert np.isnan(psds_of_roc(roc, 100.0))


def test_effective_rate_may_fall_but_not_below_zero() -> None:
    classes = curves(np.array([[0.0, 0.0], [50.0, 90.0]]), np.array([[0.5, 0.5], [1.0, 0.5]]))
    roc = psd_roc(classes, alpha_st=4.0)
    assert roc.etpr.tolist() == [0.5, 0.0, 0.0]


def test_parts_of_the_grid_do_not_show(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    classes = curves(rng.random((50, 4)), rng.random((50, 4)))
    whole = psd_roc(classes, alpha_st=1.0)
    monkeypatch.setattr("common.metrics.events.roc.CELLS", 7)
    assert psd_roc(classes, alpha_st=1.0).etpr.tolist() == whole.etpr.tolist()


def test_cross_trigger_curves() -> None:
    ctr = np.array([[[np.nan, 4.0], [2.0, np.nan]]])
    found = cross_trigger_curves(ctr, np.array([[0.5, 0.25]]))
    assert found[0][0] is None
    assert found[0][1] is not None and found[0][1].x.tolist() == [0, 4]
    assert found[1][0] is not None and found[1][0].y.tolist() == [0, 0.25]


def test_bad_settings() -> None:
    with pytest.raises(ConfigError, match="alpha_st: -1 is negative"):
        psd_roc([], alpha_st=-1)
    with pytest.raises(ConfigError, match="max_efpr: 0 is not above 0"):
        area(np.zeros(1), np.zeros(1), 0)
