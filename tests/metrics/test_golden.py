"""Figures of audmetric and scikit-learn for the synthetic samples of ``tests/golden``."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from common.core.paths import REPOSITORY
from common.metrics import METRICS

GOLDEN = REPOSITORY / "tests" / "golden"
SAMPLES = json.loads((GOLDEN / "samples" / "samples.json").read_text("utf-8"))
TOOLS = {
    tool: json.loads((GOLDEN / tool / "figures.json").read_text("utf-8"))
    for tool in ("audmetric", "scikit_learn")
}
#: parameters of the metrics that want some
OPTIONS = {"recall_per_bin": {"bins": 4, "min_count": 0}}
OPTIONS["precision_per_bin"] = OPTIONS["recall_per_bin"]
BY_LABEL = ("uar", "uap", "recall_per_class", "precision_per_class")

CASES = [
    (tool, kind, name, metric)
    for tool, content in TOOLS.items()
    for kind in ("classes", "values")
    for name, figures in content[kind].items()
    for metric in figures
]


def score(kind: str, name: str, metric: str) -> Any:
    """What this program says: a number, or numbers by class or bin."""
    given = SAMPLES[kind][name]
    dtype = object if kind == "classes" else float
    arrays = (np.array(given[side], dtype=dtype) for side in ("truth", "prediction"))
    options = dict(OPTIONS.get(metric, {}))
    if metric in BY_LABEL:
        options["labels"] = tuple(SAMPLES["labels"])
    return METRICS.get(metric).function(*arrays, **options)


@pytest.mark.parametrize(("tool", "kind", "name", "metric"), CASES)
def test_figures_of_other_tools(tool: str, kind: str, name: str, metric: str) -> None:
    found, expected = score(kind, name, metric), TOOLS[tool][kind][name][metric]
    if isinstance(expected, list):  # bins have other names there
        found = list(found.values())
    assert found == pytest.approx(expected, rel=0, abs=1e-9)


def test_each_tool_has_its_cases() -> None:
    assert {tool: sum(case[0] == tool for case in CASES) for tool in TOOLS} == {
        "audmetric": 4 * 4 + 4 * 3,
        "scikit_learn": 4 * 5 + 4 * 3,
    }
