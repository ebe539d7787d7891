from __future__ import annotations

import numpy as np
import pytest

from common.metrics.reasons import why_undefined


@pytest.mark.parametrize(
    ("truth", "prediction", "reason"),
    [
        ([], [], "no samples"),
        ([0.1], [], "no samples"),
        ([0.1], [0.2], "fewer than 2 samples"),
        ([0.1, 0.2], [0.3, 0.3], "constant predictions"),
        ([0.1, 0.1], [0.3, 0.4], "constant annotations"),
        ([0.1, 0.1], [0.3, 0.3], "constant annotations and predictions"),
        ([0.1, 0.2], [0.3, 0.4], "not defined for these values"),
    ],
)
def test_numbers(truth, prediction, reason) -> None:
    assert why_undefined(np.array(truth), np.array(prediction)) == reason


def test_units_have_their_name() -> None:
    assert why_undefined(np.ones(1), np.ones(1), what="speakers") == "fewer than 2 speakers"


def test_bins_with_too_few_samples() -> None:
    reason = why_undefined(
        np.zeros(80), np.ones(80), label="(0.75, inf]", params={"bins": 4, "min_count": 67}
    )
    assert reason == "fewer than 67 samples in (0.75, inf]"


def test_classes() -> None:
    words = np.array(["a", "a"], dtype=object)
    assert why_undefined(np.array(["a", "b"], dtype=object), words) == "constant predictions"


def test_a_score_that_a_perfect_model_has_is_missing_because_of_the_model() -> None:
    from common.designs.base import score_pair
    from common.spec import Criterion, MetricUse

    def causes(metric: str, truth: list, prediction: list, **more) -> dict[str, str]:
        use = MetricUse(metric=metric, criterion=Criterion(above=0.5))
        found = score_pair(use, np.array(truth), np.array(prediction), **more)
        return {score.label: score.cause for score in found}

    assert causes("pcc", [0.1, 0.2, 0.3], [0.5, 0.5, 0.5]) == {"": "model"}
    assert causes("pcc", [0.5, 0.5, 0.5], [0.1, 0.2, 0.3]) == {"": "data"}
    assert causes("pcc", [0.5], [0.1]) == {"": "data"}
    assert causes("pcc", [0.1, 0.2, 0.3], [0.1, 0.2, 0.4]) == {"": ""}
    # of two predictions, both are the model's
    assert causes("pcc", [0.5, 0.5], [0.5, 0.5], annotated=False) == {"": "model"}
