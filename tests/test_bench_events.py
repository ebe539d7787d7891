"""The benchmark of sound event metrics measures what it says; times are not tested."""

from __future__ import annotations

import subprocess
import sys

import pytest

from common.cli.bench import events
from common.core.errors import BenchmarkError

DATA = events.scenes(6, 3, 40, seed=1)


def test_scenes_are_the_same_each_time_and_hold_events() -> None:
    again = events.scenes(6, 3, 40, seed=1)
    assert (DATA.scores.values == again.scores.values).all()
    assert len(DATA.truth) > 10
    assert DATA.truth.offset.max() <= 10
    assert events.scenes(2, 3, 40, seed=1, first=7).files[0] == "scene00007.wav"


def test_every_case_runs_and_finds_events() -> None:
    lists = [DATA.scores.events(threshold) for threshold in (0.1, 0.3, 0.5, 0.7)]
    values = {name: case() for name, case in events._cases(DATA, lists).items()}
    assert values.keys() == events.TIMES.keys()
    assert all(0 < value <= 2 for value in values.values()), values
    assert values["exact psds 2"] >= values["psds 50 points"]


def test_peers_that_are_not_installed_are_left_out(monkeypatch) -> None:
    monkeypatch.setattr(events, "scenes", lambda *args, **options: DATA)
    monkeypatch.setattr(events, "_seconds", lambda case: case() and 0.5)
    found = events.bench_events(peers=sys.executable)
    assert set(events.TIMES) <= found.keys()
    assert found["segment"] == 0.5


def test_peers_that_fail_are_reported(monkeypatch) -> None:
    def fail(*args, **options):
        return subprocess.CompletedProcess(args, 1, "", "Traceback\nKeyError: 'x'\n")

    monkeypatch.setattr(events.subprocess, "run", fail)
    with pytest.raises(BenchmarkError, match="bench events: python: KeyError: 'x'"):
        events._peers(DATA, [], "python")
