"""What result pages of sound events show beside the scores, made by the run.

A test that compares sound events with their annotation leaves one JSON file per dataset beside
its figures: scores class by class with intervals, counts at many thresholds, curves, a confusion
matrix, and the events of some recordings. The site reads these files and computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...spec import Target, Test, kinds

FORMAT = 1
PREFIX = "events_"
#: design of the tests that have details
DESIGN = "against_truth"


def wanted(test: Test, target: Target) -> bool:
    """Whether a test has details: sound events against their annotation."""
    return kinds.of(target).is_ragged and test.design_name == DESIGN


def file_name(data: str) -> str:
    """Name of the file of a dataset, beside the figures of the test."""
    return f"{PREFIX}{data}.json"


def text(details: Mapping[str, Any]) -> str:
    """File content: the same values give the same bytes; NaN becomes null."""
    return json.dumps(_plain(details), ensure_ascii=False, separators=(",", ":")) + "\n"


def _plain(value: Any) -> Any:
    """Without NaN and infinity, and numbers with nine digits."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.9g}") if np.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
