"""The benchmark of what a run costs beside its model measures what it says; times are not tested."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from common.cli.bench import overhead
from common.core.errors import BenchmarkError


def test_the_signals_of_the_bare_loop_are_those_of_the_run() -> None:
    figures = overhead.bench_run(1, files=2, call_ms=0.1)
    assert figures["signals of 3 s"] == 2 * (1 + len(overhead.CONDITIONS))
    assert figures["run"] > figures["run: its predictions"] > figures["bare loop"] > 0
    rest = figures["run"] - figures["run: its predictions"]
    assert figures["run: what comes before and after them"] == rest > 0


def test_another_program_does_the_same_beside_it() -> None:
    """Or it is said what is not installed."""
    figures = overhead.bench_run(1, files=2, call_ms=0.1)
    if all(importlib.util.find_spec(name) for name in overhead.PEERS):
        assert figures["audinterface and auglib"] > 0
        assert figures["times as fast as audinterface and auglib"] > 0
    else:
        assert "pip install" in figures["audinterface and auglib"]


def test_another_program_that_fails(monkeypatch) -> None:
    def run(folder: Path, *more: object) -> dict[str, int]:
        (folder / overhead.DATASET / "metadata.csv").unlink(missing_ok=True)
        return {"calls": 1 + len(overhead.CONDITIONS)}

    monkeypatch.setattr(overhead, "PEERS", ())
    monkeypatch.setattr(overhead, "_run", run)
    monkeypatch.setattr(overhead, "_bare", lambda *args: 1.0)
    with pytest.raises(BenchmarkError, match="audinterface and auglib"):
        overhead.bench_run(1, files=1, call_ms=0.1)


def test_a_run_that_fails(monkeypatch) -> None:
    monkeypatch.setitem(overhead.CATALOG, "models.yaml", "- id: {model}\n")
    with pytest.raises(BenchmarkError, match=r"bench run: error: .*models\.yaml"):
        overhead.bench_run(1, files=1, call_ms=0.1)


def test_a_run_that_predicts_something_else(monkeypatch) -> None:
    monkeypatch.setattr(overhead, "_run", lambda *args: {"calls": 3})
    with pytest.raises(BenchmarkError, match="3 signals predicted instead of 4"):
        overhead.bench_run(1, files=1, call_ms=0.1)
