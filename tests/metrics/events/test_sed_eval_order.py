"""Substitutions in the order of sed_eval, on scenes where the order decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from common.metrics.events import EventBased, EventList

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "sed_eval" / "matching.json").read_text("utf-8")
)
SCENES = GOLDEN["scenes"]


def counts(scene: dict[str, Any], matching: Any) -> list[int]:
    labels = GOLDEN["labels"]
    pool = EventBased(
        labels,
        t_collar=GOLDEN["t_collar"],
        percentage_of_length=GOLDEN["percentage_of_length"],
        matching=matching,
    )
    lists = (
        EventList.from_rows(
            [("a.wav", on, off, label) for on, off, label in scene[name]], ["a.wav"], labels
        )
        for name in ("reference", "estimate")
    )
    pool.add(["a.wav"], *lists)
    found = pool.scores().overall["count"]
    return [int(found[name]) for name in GOLDEN["counts"]]


def test_all_counts_are_those_of_sed_eval() -> None:
    assert len(SCENES) > 100
    for number, scene in enumerate(SCENES):
        assert counts(scene, "sed_eval") == scene["counts"], number


def test_the_own_matching_differs_in_substitutions_only() -> None:
    place = {name: number for number, name in enumerate(GOLDEN["counts"])}
    differing = 0
    for scene in SCENES:
        own, theirs = counts(scene, "optimal"), scene["counts"]
        for name in ("Nref", "Nsys", "Ntp"):
            assert own[place[name]] == theirs[place[name]]
        # of all maximum matchings the one that leaves most substitutions
        assert own[place["Nsubs"]] >= theirs[place["Nsubs"]]
        differing += own != theirs
    assert differing > 10


@pytest.mark.parametrize("matching", ["optimal"])
def test_the_own_matching_does_not_depend_on_the_order(matching: str) -> None:
    for scene in SCENES:
        turned = {name: scene[name][::-1] for name in ("reference", "estimate")}
        assert counts(turned, matching) == counts(scene, matching)
