"""Synthetic views for the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common.spec import Target
from common.spec.view import View

LABELS = ("anger", "happiness", "neutral", "sadness")
CLASSES = Target(id="emotion", label="Emotion", kind="classification", labels=LABELS)
DIMENSION = Target(id="arousal", label="Arousal", kind="regression", range=(0, 1))
TITLE = "msppodcast-2.6.1-emotion.dimensions.test-1.gold_standard"

#: options of every design at once; a figure takes what it knows
OPTIONS = {
    "column": "emotion",
    "ranges": {"low": [None, 0.45], "neutral": [0.3, 0.6], "high": [0.55, None]},
    "expected": {
        "anger": {"arousal": "high"},
        "happiness": {"dominance": "neutral"},
        "neutral": {"arousal": "neutral"},
        "sadness": {"arousal": "low"},
    },
    "unit": "speaker",
    "attribute": "sex",
    "context": "sentiment",
}


def build(kind: str, n: int, *, speakers: int = 6, labels: int = 4, seed: int = 0) -> View:
    """View of n samples whose predictions follow the truth loosely."""
    rng = np.random.default_rng(seed)
    speaker = rng.integers(speakers, size=n)
    classes = np.array(LABELS, dtype=object)[rng.integers(labels, size=n)]
    samples = pd.DataFrame(
        {
            "file": [f"{i}.wav" for i in range(n)],
            "start": 0,
            "end": -1,
            "arousal": np.clip(rng.normal(0.5, 0.18, n), 0, 1),
            "emotion": pd.Series(classes, dtype=object),
            "speaker": pd.Series([f"s{i}" for i in speaker], dtype=object),
            "sex": pd.Series([("female", "male")[i % 2] for i in speaker], dtype=object),
            "sentiment": pd.Series(
                [("negative", "neutral", "positive")[i] for i in rng.integers(3, size=n)],
                dtype=object,
            ),
        }
    )
    if kind == "regression":
        prediction = 0.25 + 0.5 * samples["arousal"].to_numpy() + rng.normal(0, 0.1, n)
        changed = prediction + rng.normal(0.02, 0.06, n)
        target = DIMENSION
    else:
        other = np.array(LABELS, dtype=object)[rng.integers(4, size=n)]
        prediction = np.where(rng.random(n) < 0.6, classes, other).astype(object)
        changed = np.where(rng.random(n) < 0.9, prediction, "neutral").astype(object)
        target = CLASSES
    conditions = {"original": prediction, "white-noise": changed}
    simulated = {"metric": "ccc", "criterion": "|x| < 0.9", "null": (0.1, 0.2, 0.2, 0.6)}
    rows = [
        {"condition": name, "value": value, "status": status}
        | (simulated if status != "skip" else {})
        for name, value, status in (
            ("clip", 0.99, "pass"),
            ("crop-end", 0.8, "fail"),
            ("gain", float("nan"), "skip"),
        )
    ]
    return View(target, samples, conditions, dataset="demo", rows=rows if n else ())


def replace(view: View, *, truth: Any = None, prediction: Any = None) -> View:
    """The view with another truth or other predictions in all conditions."""
    samples, predictions = view.samples.copy(), dict(view.predictions)
    dtype = float if view.target.kind == "regression" else object
    if truth is not None:
        samples[view.target.id] = pd.Series([truth] * len(samples), dtype=dtype)
    if prediction is not None:
        values = np.empty(len(samples), dtype=dtype)
        values[:] = prediction
        predictions = dict.fromkeys(predictions, values)
    return View(view.target, samples, predictions, dataset=view.dataset)


@pytest.fixture
def view() -> Callable[..., View]:
    return build


@pytest.fixture
def options() -> dict[str, Any]:
    return OPTIONS
