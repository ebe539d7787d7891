"""False alarms among equal groups: the simulation, its table, and what the method page says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from common.core import paths
from common.uncertainty.findings import COLUMNS, LEVELS, SIZES, TABLE, findings, main

FILE = paths.REPOSITORY / "extra" / "uncertainty" / "findings.csv"
PAGE = (paths.DOCS / "method" / "uncertainty.rst").read_text("utf-8")
ROWS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))
NAMES = [name for name, _ in TABLE]


@pytest.mark.parametrize("size", SIZES[:3], ids=lambda size: f"{size.speakers} speakers")
def test_equal_groups_of_few_speakers_are_seldom_said_to_differ(size) -> None:
    """With the tail of the normal distribution, it were 26, 25 and 22 % of the runs."""
    levels, any_of = findings(TABLE[0][1], size, 60, seed=1)
    assert any_of <= 0.1
    for level, found in zip(LEVELS, levels, strict=True):
        assert found <= 1.3 * level


def test_the_table_is_that_of_the_declared_groups() -> None:
    assert tuple(ROWS[0]) == COLUMNS
    declared = [(name, str(size.speakers)) for name in NAMES for size in SIZES]
    assert [(row["score"], row["speakers"]) for row in ROWS] == declared


def test_measured_false_alarms_are_what_is_promised() -> None:
    """At most 5 % of runs, and what counting 1,000 runs leaves open."""
    for row in ROWS:
        assert float(row[COLUMNS[-1]]) <= 6.5, row
        for level in LEVELS:
            assert float(row[f"p < {level:g}"]) <= 100 * level * 1.2, row


def test_the_page_shows_the_table() -> None:
    for line in FILE.read_text("utf-8").splitlines():
        assert f"\n   {line}\n" in PAGE, line


def test_the_simulation_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from common.uncertainty import findings as module

    monkeypatch.setattr(module, "SIZES", SIZES[:1])
    texts = []
    for name in "ab":
        main([str(tmp_path / name), "--runs", "2"])
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1] and texts[0].count("\n") == 1 + len(TABLE)
