"""Before a run, the embedded data of the selected cells are made, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common.core.errors import MissingDependency
from common.core.paths import Paths
from common.engine.plan import Filters, Planner
from common.samples import demo
from common.spec import load_benchmark

SUITE = """
title: Test
family: correctness
design: {against_truth: {}}
datasets: [%s]
regression:
  - {metric: ccc, above: 0.5}
description: For this test only.
"""


@pytest.fixture
def planner(tmp_path: Path) -> Planner:
    """A suite with two tests on embedded data besides the built-in ones."""
    suite = tmp_path / "catalog" / "suite"
    suite.mkdir(parents=True)
    for name, dataset in (("first", "one"), ("second", "other")):
        (suite / f"{name}.yaml").write_text(SUITE % dataset)
    entry = (
        "- {id: %s, name: %s, version: 1.0.0, adapter: audb, embedded: true, table: t,"
        " columns: {arousal: arousal}, tests: [%s]}\n"
    )
    first, second = demo.missing(tmp_path / "cache")[:2]
    text = entry % ("one", first, "first") + entry % ("other", second, "second")
    (tmp_path / "catalog" / "datasets.yaml").write_text(text)
    benchmark = load_benchmark([tmp_path / "catalog"])
    return Planner(benchmark, Paths(tmp_path / "out", tmp_path / "cache"))


def prepare(planner: Planner, filters: Filters) -> None:
    planner.prepare(filters, workers=1, progress=lambda done, total: None)


def test_only_the_data_of_the_selected_cells_are_made(
    planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []
    monkeypatch.setattr(demo, "ensure", lambda cache, names, **_: asked.append(set(names)))
    databases = {name: planner.benchmark.datasets[name].database for name in ("one", "other")}
    prepare(planner, Filters(tests=["first"]))
    prepare(planner, Filters(datasets=["other"], tests=["first", "second"]))
    prepare(planner, Filters(tests=["first"], targets=["emotion"]))
    assert asked == [{databases["one"]}, {databases["other"]}]
    prepare(planner, Filters())
    every = {d.database for d in planner.benchmark.datasets.values() if d.embedded}
    assert set(databases.values()) <= asked[2] <= every


def test_without_the_synthesiser_what_is_there_can_be_used(
    planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ensure(*_: Any, **__: Any) -> None:
        raise MissingDependency("no voice", "pip install voice")

    there, absent = (planner.benchmark.datasets[name] for name in ("one", "other"))
    monkeypatch.setattr(demo, "ensure", ensure)
    monkeypatch.setattr(demo, "missing", lambda cache, names: {absent.database} & set(names))
    monkeypatch.setattr("common.samples.datasets.availability", lambda *_, **__: "")
    monkeypatch.setattr("common.samples.datasets.fingerprint", lambda *_: "hash")
    prepare(planner, Filters(tests=["first", "second"]))
    assert planner.data(there) == ("hash", "")
    assert planner.data(absent) == ("", "no voice. Install it with: pip install voice")
