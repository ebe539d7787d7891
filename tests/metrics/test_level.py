"""A difference of two sets is the difference of its levels."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.metrics import METRICS

PARAMS = {"relative_difference_per_bin": {"bins": 4, "min_count": 5}}
DIFFERENCES = [metric for metric in METRICS if metric.level is not None]


def test_which_metrics_are_differences() -> None:
    assert sorted(metric.id for metric in DIFFERENCES) == [
        "mean_difference",
        "relative_difference_per_bin",
        "relative_difference_per_class",
    ]


@pytest.mark.parametrize("metric", DIFFERENCES, ids=lambda metric: metric.id)
def test_difference_of_levels(metric) -> None:
    rng = np.random.default_rng(0)
    labels = ("x", "y", "z")
    first, second = rng.random(60), rng.random(200)
    if metric.kind == "classification":
        first, second = (rng.choice(labels, n).astype(object) for n in (60, 200))
    params = PARAMS.get(metric.id, {})
    # the smallest count of a bin concerns the first set only
    free = {**params, **({"min_count": 0} if params else {})}
    value = metric.score(first, second, labels=labels, params=params)
    levels = [
        metric.level_of(first, labels=labels, params=params),
        metric.level_of(second, labels=labels, params=free),
    ]
    if not isinstance(value, dict):
        value, levels = {"": value}, [{"": level} for level in levels]
    for label, number in value.items():
        assert number == pytest.approx(levels[1][label] - levels[0][label], abs=1e-15)


def test_other_metrics_have_no_level() -> None:
    with pytest.raises(ConfigError, match="'ccc' is no difference of two sets"):
        METRICS.get("ccc").level_of(np.array([0.1, 0.2]))
