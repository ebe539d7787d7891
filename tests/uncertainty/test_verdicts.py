"""Wrong second verdicts: the simulation, its table, and what the method page says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from common.core import paths
from common.uncertainty.coverage import true_value
from common.uncertainty.verdict import ENOUGH
from common.uncertainty.verdicts import (
    COLUMNS,
    ERROR,
    EVENTS,
    RECORDINGS,
    SHARE,
    SIZES,
    TABLE,
    main,
    wrong,
)

FILE = paths.REPOSITORY / "extra" / "uncertainty" / "verdicts.csv"
PAGE = (paths.DOCS / "method" / "uncertainty.rst").read_text("utf-8")
ROWS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))


def passes(score: str, *, rare: bool = False) -> list[float]:
    """Wrong passes of a score with enough speakers, or of any number for other scores."""
    return [
        float(row["passes"])
        for row in ROWS
        if row["score"] == score
        and (row["population"] == "one in ten") == rare
        and (score != SHARE or int(row["speakers"]) >= ENOUGH)
    ]


def test_the_table_is_that_of_the_declared_populations() -> None:
    assert tuple(ROWS[0]) == COLUMNS
    declared = [(*case[:2], str(size.speakers)) for case in TABLE for size in SIZES]
    declared += [(*case[:2], str(size.speakers)) for case in EVENTS for size in RECORDINGS]
    assert [(row["score"], row["population"], row["speakers"]) for row in ROWS] == declared


def test_a_share_of_few_speakers_near_its_threshold_never_passes() -> None:
    few = [row for row in ROWS if row["score"] == SHARE and int(row["speakers"]) < ENOUGH]
    assert len(few) == 8 and {row["passes"] for row in few} == {"0.0"}


def test_the_page_says_what_was_measured() -> None:
    for line in FILE.read_text("utf-8").splitlines():
        assert f"\n   {line}\n" in PAGE, line
    text, share, error = " ".join(PAGE.split()), passes(SHARE), passes(ERROR)
    assert (
        f"For a share of unchanged predictions, {min(share):.1f} to {max(share):.1f} % pass wrongly"
        in text
    )
    assert f"For a mean absolute error, {min(error):.1f} to {max(error):.1f} % pass" in text
    assert f"up to {max(passes(ERROR, rare=True)):.0f} % do: no rule protects" in text
    sides = ("interval above", "interval below")
    psds = [float(row[side]) for row in ROWS if row["score"].startswith("PSDS") for side in sides]
    assert f"the interval is wrong in up to {max(psds):.0f} % of the cases" in text


@pytest.mark.parametrize("speakers", [0, 1])
def test_one_speaker_in_ten_lets_no_share_pass(speakers: int) -> None:
    """A third of the intervals from ten speakers lie above the true value; verdicts do not."""
    population = TABLE[3][2]
    size = SIZES[speakers]
    found = wrong(population, size, 0.9 * 0.995 + 0.1 * 0.55, 60, seed=0)
    assert found.above > (0.2, 0.03)[speakers]
    assert found.passes == 0


def test_every_population_has_a_true_value() -> None:
    for _, _, population in TABLE:
        true = true_value(population, SIZES[0], 0)
        found = wrong(population, SIZES[0], true, 2, seed=0)
        assert 0 < true < 1 and abs(found.score - true) < 0.3
    found = wrong(EVENTS[0][2], RECORDINGS[0], 0.49, 2, seed=0)
    assert abs(found.score - 0.49) < 0.3


def test_the_simulation_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from common.uncertainty import event_population
    from common.uncertainty import verdicts as module

    monkeypatch.setattr(module, "TABLE", TABLE[1:2])
    monkeypatch.setattr(module, "EVENTS", EVENTS[:1])
    monkeypatch.setattr(module, "RECORDINGS", RECORDINGS[:1])
    monkeypatch.setattr(event_population, "WHOLE", 100)
    texts = []
    for name in "ab":
        main([str(tmp_path / name), "--runs", "2"])
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1] and texts[0].startswith("score,population")
