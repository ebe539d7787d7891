"""Answers of a cell go to the cache and come back, of perturbations and of devices."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.core.paths import Paths
from common.engine import answers
from common.spec import load_benchmark
from common.spec.view import View

BENCHMARK = load_benchmark()


def cell(test: str, target: str) -> Any:
    return SimpleNamespace(
        test=BENCHMARK.tests[test],
        target=BENCHMARK.targets[target],
        hash=f"{test}-{target}",
        conditions={"upward-tilt": "upward-tilt", "downward-tilt": "downward-tilt"},
    )


def kept(tmp_path: Path, of: Any, view: View) -> pd.DataFrame | None:
    folders = Paths(output=tmp_path, cache=tmp_path / "cache")
    answers.keep(folders, of, view)
    return answers.read(folders, of.hash)


def table(**columns: Any) -> pd.DataFrame:
    files = [f"{n}.wav" for n in range(4)]
    return pd.DataFrame({"file": files, "start": 0, "end": -1, **columns})


def test_perturbed_answers_come_back(tmp_path: Path) -> None:
    of = cell("robustness_spectral_tilt", "emotion")
    truth = np.array(["anger", None, np.nan, "sadness"], dtype=object)
    before = np.array(["anger"] * 4, dtype=object)
    after = np.array(["anger", "sadness", "anger", "anger"], dtype=object)
    view = View(of.target, table(emotion=truth), {"original": before, "upward-tilt": after})
    found = kept(tmp_path, of, view)
    assert found is not None
    assert [value if isinstance(value, str) else "" for value in found["truth"]] == [
        "anger", "", "", "sadness",
    ]  # fmt: skip
    (one,) = answers.comparisons(of.test, found)  # the other tilt was not run
    assert (one.reference, one.condition) == ("original", "upward-tilt")
    assert one.perturbations == ("original", "upward-tilt")
    assert one.after.tolist() == after.tolist()


def test_recordings_of_an_utterance_are_paired(tmp_path: Path) -> None:
    of = cell("robustness_recording_condition", "arousal")
    samples = table(device=["headset", "mobile", "headset", "mobile"], speaker=[1, 1, "b", "b"])
    samples["text"] = "same"
    view = View(of.target, samples, {"original": np.array([0.1, 0.2, 0.5, 0.9])})
    found = kept(tmp_path, of, view)
    assert found is not None and "truth" not in found
    (one,) = answers.comparisons(of.test, found)
    assert (one.reference, one.condition) == ("headset", "mobile")
    assert one.rows.tolist() == [[0, 1], [2, 3]]
    assert one.before.tolist() == [0.1, 0.5]
    assert one.after == pytest.approx([0.2, 0.9])


def test_other_tests_keep_nothing(tmp_path: Path) -> None:
    of = cell("correctness_regression", "arousal")
    view = View(of.target, table(arousal=0.5), {"original": np.full(4, 0.5)})
    assert kept(tmp_path, of, view) is None
