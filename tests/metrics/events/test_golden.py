"""Figures of the reference libraries, where their cases are at hand."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from common.core.paths import REPOSITORY

CASES = REPOSITORY.parent / "shared" / "sound-events"
ADAPTER = Path("tests") / "golden" / "sound_events_adapter.py"


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not part of the repository")
def test_all_cases_of_the_reference_libraries() -> None:
    done = subprocess.run(
        [sys.executable, CASES / "check_sed.py", CASES / "expected.json", ADAPTER],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "44/44 cases, 4942/4942 figures\n" in done.stdout


def test_labels_that_are_not_evaluated_are_compared_by_name() -> None:
    """sed_eval finds 3 of 4 events overall here: a wrong partner would take fox for dog."""
    spec = importlib.util.spec_from_file_location("sound_events_adapter", REPOSITORY / ADAPTER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ref = [
        ("a", 0.0, 1.0, "cat"),
        ("a", 2.0, 3.0, "dog"),
        ("a", 4.0, 5.0, "fox"),
        ("a", 6, 7, "fox"),
    ]
    est = [
        ("a", 0.0, 1.0, "cat"),
        ("a", 2.0, 3.0, "eel"),
        ("a", 4.0, 5.0, "fox"),
        ("a", 6, 7, "fox"),
    ]
    found = module.Adapter().event(ref, est, ["a"], ["cat"])
    assert found["overall"]["f_measure"]["f_measure"] == 0.75
    assert found["overall"]["error_rate"]["substitution_rate"] == 0.25
    assert found["class_wise"]["cat"]["f_measure"]["f_measure"] == 1
