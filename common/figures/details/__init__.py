"""What result pages of sound events show beside the scores, made by the run.

A test that compares sound events with their annotation leaves one JSON file per dataset beside
its figures: scores class by class with intervals, counts at many thresholds, curves, a confusion
matrix, and the events of some recordings. The site reads these files and computes nothing.
"""

from __future__ import annotations

from common.spec import Target, Test, kinds

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
