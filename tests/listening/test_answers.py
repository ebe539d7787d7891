"""Which answers are compared, of perturbations and of devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.pages.listening.answers import ConditionPair, compares, comparisons
from common.spec import load_benchmark

BENCHMARK = load_benchmark()


def found(test: str, samples: pd.DataFrame, values: dict[str, Any]) -> list[ConditionPair]:
    assert compares(BENCHMARK.tests[test])
    used = {"upward-tilt": "upward-tilt", "downward-tilt": "downward-tilt"}
    return comparisons(BENCHMARK.tests[test], samples, values, used)


def table(**columns: Any) -> pd.DataFrame:
    files = [f"{n}.wav" for n in range(4)]
    return pd.DataFrame({"file": files, "start": 0, "end": -1, **columns})


def test_a_change_of_the_input_is_compared_with_the_original() -> None:
    before = np.array(["anger"] * 4, dtype=object)
    after = np.array(["anger", "sadness", "anger", "anger"], dtype=object)
    given = {"original": before, "upward-tilt": after}
    (one,) = found("robustness_spectral_tilt", table(), given)  # no other tilt was run
    assert (one.reference, one.condition) == ("original", "upward-tilt")
    assert one.perturbations == ("original", "upward-tilt")
    assert (one.before.tolist(), one.after.tolist()) == (before.tolist(), after.tolist())


def test_recordings_of_an_utterance_are_paired() -> None:
    samples = table(device=["headset", "mobile", "headset", "mobile"], speaker=[1, 1, "b", "b"])
    samples["text"] = "same"
    given = {"original": np.array([0.1, 0.2, 0.5, 0.9])}
    (one,) = found("robustness_recording_condition", samples, given)
    assert (one.reference, one.condition) == ("headset", "mobile")
    assert one.rows.tolist() == [[0, 1], [2, 3]]
    assert one.before.tolist() == [0.1, 0.5]
    assert one.after == pytest.approx([0.2, 0.9])


def test_other_tests_compare_nothing() -> None:
    assert not compares(BENCHMARK.tests["correctness_regression"])
