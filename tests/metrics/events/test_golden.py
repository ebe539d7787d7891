"""Figures of the reference libraries, where their cases are at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from common.paths import REPOSITORY

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
