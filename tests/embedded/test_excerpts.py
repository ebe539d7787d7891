"""Parts of corpora: the same files under another name, and nothing that mixes the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from common.core import closure
from common.core.errors import ConfigError
from common.designs.selecting import Selector
from common.predictions.attributes import Context
from common.samples.base import Samples
from common.samples.demo import excerpt, publish, recipes, rendering
from common.spec import Benchmark, load_benchmark

SMALL = load_benchmark()
FULL = load_benchmark(full=True)
EMBEDDED = sorted(name for name, entry in SMALL.datasets.items() if entry.embedded)


def parts() -> list[excerpt.Excerpt]:
    return [recipe for recipe in recipes.choose() if isinstance(recipe, excerpt.Excerpt)]


@pytest.fixture
def part(reduced: Callable[[int, int], dict[str, Any]], tmp_path: Path) -> Callable[..., Path]:
    """Function that writes a corpus of four speakers, and a part of it with some lines changed."""
    whole = yaml.safe_dump(reduced(1, 2), allow_unicode=True)
    (tmp_path / "whole.yaml").write_text(whole, "utf-8")

    def part(**changes: Any) -> Path:
        content = {"kind": "excerpt", "id": "demo-part", "of": "whole.yaml"}
        path = tmp_path / "part.yaml"
        keep = [{"split": ["test"], "emotion": ["anger", "fear"]}, {"emotion": ["neutral"]}]
        path.write_text(yaml.safe_dump({**content, "keep": keep, **changes}), "utf-8")
        return path

    return part


@pytest.mark.parametrize("recipe", parts(), ids=lambda recipe: recipe.id)
def test_a_part_has_complete_groups(recipe: excerpt.Excerpt) -> None:
    """What is kept of a language or an accent is all of it: tests need large groups."""
    kept, every = recipe.items(), recipe.whole.items()
    assert {item.file for item in kept} < {item.file for item in every}
    for column in ("language", "accent"):
        values = {item.labels[column] for item in kept if column in item.labels}
        whole = [item for item in every if item.labels.get(column) in values]
        assert not values or len(whole) == len(kept)
    assert [item for item in every if item in kept] == list(kept)


def test_files_are_chosen_by_labels_and_speech(part: Callable[..., Path]) -> None:
    recipe = recipes.load(part())
    assert isinstance(recipe, excerpt.Excerpt)
    found = sorted((u.split, str(u.labels["emotion"])) for u in recipe.items())
    one = [("test", "anger"), ("test", "fear"), ("test", "neutral"), ("train", "neutral")]
    assert found == sorted(2 * one)
    assert recipe.version == recipe.whole.version and "part of demo-emotion" in recipe.description


@pytest.mark.spoken
def test_the_files_are_those_of_the_whole(part: Callable[..., Path], tmp_path: Path) -> None:
    path = part(keep=[{"emotion": ["surprise"], "split": ["train"]}])
    recipe = recipes.load(path)
    assert isinstance(recipe, excerpt.Excerpt)
    for name, one in (("part", recipe), ("whole", recipe.whole)):
        rendering.render_all(one, tmp_path / name, workers=2)
    files = sorted(path for path in (tmp_path / "part").rglob("*.flac"))
    assert len(files) == 2
    for file in files:
        same = tmp_path / "whole" / file.relative_to(tmp_path / "part")
        assert file.read_bytes() == same.read_bytes()


def test_a_part_depends_on_what_makes_the_whole(part: Callable[..., Path], tmp_path: Path) -> None:
    def fingerprint() -> str:
        return publish.fingerprint(recipes.load(part()))

    before = fingerprint()
    recipe = recipes.load(part())
    modules = closure.SOURCES.modules(*recipe.makers(), rendering.RENDER)
    assert {"common.samples.demo.excerpt", "common.samples.demo.acted"} <= set(modules)
    whole = tmp_path / "whole.yaml"
    whole.write_text(whole.read_text("utf-8").replace("rate_wpm: 172", "rate_wpm: 173"), "utf-8")
    assert fingerprint() != before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"of": None}, "part.yaml: of: missing; expected the name of another recipe's file"),
        ({"of": "hole.yaml"}, "hole.yaml"),
        ({"keep": []}, "keep: "),
        ({"keep": [{"emotoin": ["anger"]}]}, r"keep\[0\]: unknown column 'emotoin'. Did you mean"),
        ({"keep": [{"emotion": ["angre"]}]}, r"keep\[0\].emotion: unknown value 'angre'. Did you"),
    ],
)
def test_faults(part: Callable[..., Path], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        recipes.load(part(**changes)).items()


@pytest.mark.parametrize("name", EMBEDDED)
def test_sizes_share_nothing_but_what_is_equal(name: str) -> None:
    """Caches and results know data by the name of their database."""
    small, full = SMALL.datasets[name], FULL.datasets[name]
    if not small.full:
        assert small == full
        return
    assert full.database == small.full
    assert (small.data != full.data) == (small.database != full.database)
    assert small.data != full.data or small.limit_perturbed
    assert full.limit_perturbed == 0
    assert (small.version, small.tables, small.columns) == (full.version, full.tables, full.columns)


def selection(benchmark: Benchmark, test: str, target: str, seed: int = 0) -> pd.DataFrame:
    dataset = benchmark.datasets["demo-emotion"]
    count = 4 * dataset.limit_perturbed or 900
    table = pd.DataFrame({"file": [f"{n}.wav" for n in range(count)], "start": 0, "end": -1})
    table = table.assign(arousal=0.5, valence=0.25)
    select = Selector(Samples(dataset, table, Path(), ""), seed, Context(Path(), 1))
    found = select(benchmark.tests[test], benchmark.targets[target])
    assert found.note == ("160 of 640 samples, drawn" if len(found.samples) == 160 else "")
    return found.samples


def test_tests_that_change_signals_use_fewer_samples() -> None:
    noise, phone = "robustness_background_noise", "robustness_low_quality_phone"
    few = selection(SMALL, noise, "arousal")
    assert len(few) == SMALL.datasets["demo-emotion"].limit_perturbed == 160
    assert few.index.is_monotonic_increasing and few.index[-1] > 530
    assert few.index.equals(selection(SMALL, phone, "valence").index)
    assert not few.index.equals(selection(SMALL, noise, "arousal", seed=1).index)
    assert len(selection(SMALL, "correctness_regression", "arousal")) == 640
    assert len(selection(FULL, noise, "arousal")) == 900


def test_a_limit_above_the_number_of_samples_changes_nothing() -> None:
    entry = SMALL.datasets["demo-emotion"].model_copy(update={"limit_perturbed": 5})
    table = pd.DataFrame({"file": list("abcde"), "start": 0, "end": -1, "arousal": 0.5})
    samples = Samples(entry, table, Path(), "")
    test, target = SMALL.tests["robustness_small_changes"], SMALL.targets["arousal"]
    found = Selector(samples, 0, Context(Path(), 1))(test, target)
    assert len(found.samples) == 5 and not found.note
    one = replace(samples, dataset=entry.model_copy(update={"limit_perturbed": 1}))
    found = Selector(one, 0, Context(Path(), 1))(test, target)
    assert found.note == "1 of 5 samples, drawn"
