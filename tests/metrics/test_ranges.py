from __future__ import annotations

import numpy as np
import pytest

from common.metrics import METRICS
from common.metrics.ranges import share_in_range

VALUES = np.array([0.2, 0.3, 0.45, 0.6, 0.9])


@pytest.mark.parametrize(
    ("low", "high", "share"),
    [(None, 0.45, 0.6), (0.3, 0.6, 0.6), (0.6, None, 0.4), (None, None, 1.0), (0.5, 0.5, 0.0)],
)
def test_both_ends_are_included(low, high, share) -> None:
    assert share_in_range(VALUES, low=low, high=high) == share


def test_empty_is_nan() -> None:
    assert np.isnan(share_in_range(np.array([]), low=0.3, high=0.6))


@pytest.mark.parametrize("name", ["low", "neutral", "high"])
def test_one_metric_per_range(name: str) -> None:
    function = METRICS.get(f"samples_in_expected_{name}_range").function
    assert function(VALUES, low=0.3, high=0.6) == 0.6
