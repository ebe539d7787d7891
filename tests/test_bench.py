"""Benchmarks run on what is declared today; how long they take is nobody's business here."""

from __future__ import annotations

import pytest

from common.cli.bench import command, fairness, uncertainty


def test_fairness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "SAMPLES", 20_000)
    monkeypatch.setattr(fairness, "ROWS", 30_000)
    found = fairness._measure()
    assert found["samples"] == 20_000
    assert found["rows"] > 1000


@pytest.mark.parametrize("speakers", [True, False])
def test_uncertainty(monkeypatch: pytest.MonkeyPatch, speakers: bool) -> None:
    monkeypatch.setattr(uncertainty, "SAMPLES", 2000)
    monkeypatch.setattr(uncertainty, "SPEAKERS", 100)
    assert uncertainty._measure(speakers)["intervals"] > 1000


def test_figures_have_their_units(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"all": 1.234, "one, ms per signal": 0.5, "times as fast": 3.0, "files": 7}
    monkeypatch.setattr(command, "_site", lambda workers: figures)
    lines: list[str] = []
    found = command.run("site", workers=1, say=lines.append)
    assert found.pop(command.ALL) >= 0 and found.pop(command.PEAK) > 10
    assert found == figures
    assert lines[:4] == [
        "all: 1.23 s",
        "one, ms per signal: 0.50",
        "times as fast: 3.00",
        "files: 7",
    ]
    assert [line.rpartition(":")[0] for line in lines[4:]] == [command.ALL, command.PEAK]
