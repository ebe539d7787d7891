"""Curves of severity on pages, also of models that were run at all levels only."""

from __future__ import annotations

from typing import Any

import pytest

from common.cli import main
from common.core.paths import Paths
from common.spec import load_benchmark
from tests.test_severity import PERTURBATIONS, TEST

NAME = "robustness_level"


@pytest.fixture
def run(mini: Any) -> Any:
    """Function that runs a model in one test; returns what pages show then."""
    mini.write("perturbations.yaml", PERTURBATIONS)
    mini.write(f"suite/{NAME}.yaml", TEST)

    def run(model: str, *more: str) -> Any:
        from benchmark_site.content import load

        folders = Paths(mini.root / "out", mini.root / "cache")
        places = ["--output", str(folders.output), "--cache", str(folders.cache)]
        options = ["--test", NAME, "--dataset", "tones", "--target", "arousal", "--model", model]
        assert main.main(["run", "--catalog", str(mini.catalog), *options, *places, *more]) == 0
        return load(folders, load_benchmark([mini.catalog]), ["howto/x"])

    return run


def test_a_model_that_was_only_swept_is_named_and_shown_beside_others(run: Any) -> None:
    from benchmark_site import overview, testpages

    first = overview.index(run("loud", "--severity")).html
    assert "was run at all levels of severity (Arousal: Level) on data that no model" in first
    assert "python build.py run --model loud" in first
    content = run("chance-value")
    (section,) = testpages.page(content, "arousal", NAME).sections
    (curves,) = [part for part in section.sections if part.title == "Dose and response"]
    assert "(only swept)" in curves.html and "<svg" in curves.html
    assert "only swept" not in overview.index(content).html
    assert "levels of severity" not in overview.index(content).html


def test_with_results_of_a_run_it_is_a_model_like_others(run: Any) -> None:
    from benchmark_site import overview, testpages

    run("loud", "--severity")
    content = run("loud")
    (section,) = testpages.page(content, "arousal", NAME).sections
    (curves,) = [part for part in section.sections if part.title == "Dose and response"]
    assert "<svg" in curves.html and "(only swept)" not in curves.html
    assert "levels of severity" not in overview.index(content).html
