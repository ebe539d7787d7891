"""The benchmark of what a run costs beside its model measures what it says; times are not tested."""

from __future__ import annotations

import pytest

from common.cli.bench import overhead
from common.core.errors import BenchmarkError


def test_the_signals_of_the_bare_loop_are_those_of_the_run() -> None:
    figures = overhead.bench_run(1, files=2, call_ms=0.1)
    assert figures["signals of 3 s"] == 2 * (1 + len(overhead.CONDITIONS))
    assert figures["run"] > figures["bare loop"] > 0


def test_a_run_that_fails(monkeypatch) -> None:
    monkeypatch.setitem(overhead.CATALOG, "models.yaml", "- id: {model}\n")
    with pytest.raises(BenchmarkError, match=r"bench run: error: .*models\.yaml"):
        overhead.bench_run(1, files=1, call_ms=0.1)


def test_a_run_that_predicts_something_else(monkeypatch) -> None:
    monkeypatch.setattr(overhead, "_run", lambda *args: {"calls": 3})
    with pytest.raises(BenchmarkError, match="3 signals predicted instead of 4"):
        overhead.bench_run(1, files=1, call_ms=0.1)
