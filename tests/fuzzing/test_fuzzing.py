"""Files of strangers are read, or refused in one line: files with drawn changes, and all that once were not.

``SPEECHPROOF_FUZZING=1000000 pytest tests/fuzzing`` draws so many cases, others each time. A file that
is found so belongs into ``corpus/``: a folder for the parser, in it one for the case with what differs
from the valid input.
"""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

from tests.fuzzing import oracle
from tests.fuzzing.mutation import edited, edits
from tests.fuzzing.parsers import PARSERS

#: cases of all parsers together
CASES = 10_000
LONG = os.environ.get("SPEECHPROOF_FUZZING")
WEIGHTS = sum(parser.weight for parser in PARSERS.values())
CORPUS = Path(__file__).parent / "corpus"
FOUND = sorted(path for path in CORPUS.glob("*/*") if path.is_dir())


def share(name: str) -> int:
    """Number of cases of a parser."""
    cases = int(LONG) if LONG else CASES
    return -(-cases * PARSERS[name].weight // WEIGHTS)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("name", PARSERS)
def test_a_valid_input_is_read(name: str, tmp_path: Path) -> None:
    parser = PARSERS[name]
    assert oracle.check(parser, tmp_path, parser.complete(parser.files())) == ""


@pytest.mark.parametrize("name", PARSERS)
def test_a_changed_input_is_read_or_refused(name: str, tmp_path: Path) -> None:
    parser = PARSERS[name]
    files = parser.files()
    paths = list(parser.changed or files)

    @hypothesis.settings(
        max_examples=share(name),
        derandomize=LONG is None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(path=st.sampled_from(paths), changes=edits(parser.kinds))
    def holds(path: str, changes: list) -> None:
        changed = {**files, path: edited(files[path], changes)}
        oracle.check(parser, tmp_path, parser.complete(changed))

    holds()


@pytest.mark.parametrize("case", FOUND, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_what_was_found_stays_mended(case: Path, tmp_path: Path) -> None:
    parser = PARSERS[case.parent.name]
    files = {p.relative_to(case).as_posix(): p.read_bytes() for p in case.rglob("*") if p.is_file()}
    oracle.check(parser, tmp_path, parser.complete({**parser.files(), **files}))
