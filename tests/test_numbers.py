"""Numbers in texts: those that can be computed are computed, those that were measured say when."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from common.cli import main
from common.cli.bench.ranking import shapes
from common.core import paths
from common.models.demo import detector, features, train_detector
from common.reports import alarms
from common.reports.summary import leave_one_out
from common.results import published
from common.samples.demo import recipes
from common.spec import load_benchmark
from common.uncertainty import clusters, permutation, verdict

ROOT, DOCS = paths.REPOSITORY, paths.DOCS
BENCHMARK = load_benchmark()
WORDS = """no one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty"""
Number = Callable[[], int]


def _published(target: str = "", status: str = "") -> int:
    rows = published.load()
    rows = rows[rows["target"] == target] if target else rows
    return len(rows[rows["status"] == status] if status else rows)


def _models() -> int:
    return published.load()["model"].nunique() - len(published.chance())


def _results() -> int:
    return published.load().groupby(["target", "model", "test"]).ngroups


def _figures(table: str) -> int:
    """Numbers in one of the paper's tables."""

    def count(item: object) -> int:
        if isinstance(item, dict):
            return sum(map(count, item.values()))
        return sum(map(count, item)) if isinstance(item, list) else isinstance(item, int | float)

    folder = ROOT / "extra" / "published"
    return count(json.loads((folder / "table6.json").read_text("utf-8"))[table])


def _pairs(place: int) -> int:
    return len(list(shapes())[place][1].pairs)


def _changes(test: str) -> int:
    return len(BENCHMARK.tests[test].options["conditions"])


def _scenes() -> int:
    (recipe,) = recipes.choose(["demo-scenes"])
    kinds = {(scene.place, scene.device) for scene in recipe.items()}
    return len(kinds) * train_detector.EACH


def _maxima() -> int:
    path = ROOT / "extra" / "published" / "fairness_simulation.csv"
    return len(path.read_text("utf-8").splitlines()) - 1


#: page, its words with ``{}`` in place of the number, and the number
CLAIMS: list[tuple[str, str, Number]] = [
    ("README.md", "compares to the {} models of the paper", _models),
    ("docs/index.rst", "The {} models were tested by the authors", _models),
    ("docs/decisions/0001-tests-are-data.md", "suite's {} tests", lambda: published.load()["test"].nunique()),
    ("docs/decisions/0004-site-pages-are-raw-html-tables.md", "{} published scores", _published),
    ("docs/decisions/0009-own-corpora-of-noises-and-rooms.md", "All {} tests run", lambda: sum(
        test.family == "robustness" for test in BENCHMARK.tests.values())),
    ("extra/published/README.md", "the {} scores", _published),
    ("docs/reference/published_results.rst", "scores of {} models and two", _models),
    ("docs/reference/published_results.rst", "{} chance models in", lambda: len(published.chance())),
    ("docs/reference/published_results.rst", "in {} tests come", lambda: published.load()["test"].nunique()),
    ("docs/reference/published_results.rst", "{} cells in", _published),
    ("docs/reference/published_results.rst", "in {} test results", _results),
    *(("docs/reference/published_results.rst", f"{{}} for {target}", lambda t=target: _published(t))
      for target in ("arousal", "dominance", "valence", "emotion")),
    ("docs/reference/published_results.rst", "{} are skipped", lambda: _published(status="skip")),
    ("docs/reference/published_results.rst", "per family: {} figures", lambda: _figures("table6")),
    ("docs/reference/published_results.rst", "classification datasets: {} figures", lambda: _figures("table7")),
    ("docs/reference/embedded_data.rst", "linear functions of {} acoustic features", lambda: len(features.NAMES)),
    ("docs/reference/embedded_data.rst", "hidden layer of {} units", lambda: train_detector.HIDDEN),
    ("docs/reference/embedded_data.rst", "levels of {} bands", lambda: detector.BANDS),
    ("docs/reference/embedded_data.rst", "trained on {} scenes", _scenes),
    ("docs/method/fairness_thresholds.rst", "table of {} simulated maxima", _maxima),
    ("docs/method/fairness_thresholds.rst", "Here {} models are simulated", lambda: alarms.MODELS),
    ("docs/method/fairness_thresholds.rst", "{} times, speakers are permuted", lambda: permutation.PERMUTATIONS),
    ("docs/method/fairness_thresholds.rst", "More than {} speakers", lambda: permutation.MOST_BLOCKS),
    ("docs/method/ranking.rst", "arousal ({} pairs of test", lambda: _pairs(0)),
    ("docs/method/ranking.rst", "emotion ({} pairs)", lambda: _pairs(1)),
    ("docs/method/ranking.rst", "{} draws of the largest", lambda: leave_one_out.DRAWS),
    ("docs/method/robustness_small_changes.rst", "any of these {} changes", lambda: _changes("robustness_small_changes")),
    ("docs/method/uncertainty.rst", "with replacement, {} times", lambda: clusters.DRAWS),
    ("docs/method/uncertainty.rst", "More than {} clusters", lambda: clusters.MOST),
    ("docs/method/uncertainty.rst", "fewer than {} speakers", lambda: verdict.ENOUGH),
    ("docs/howto/add_a_metric.rst", "called with {} resamples", lambda: clusters.DRAWS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "words", "number"), CLAIMS, ids=[f"{c[0]}-{c[1]}" for c in CLAIMS]
)
def test_numbers_that_texts_give_are_right(page: str, words: str, number: Number) -> None:
    text = " ".join((ROOT / page).read_text("utf-8").replace("*", "").split())
    value = number()
    shown = {f"{value:,}", str(value), *WORDS.split()[value : value + 1]}
    assert any(words.format(item) in text for item in shown), f"{words.format(value)}"


TIME = re.compile(
    r"\b(?:takes?|took|needs?|lasts?|brought)\b[^.:]*?\b[\w.,]+ (?:s|ms|minutes|seconds|[MG]i?B)\b"
)
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((DOCS / "howto").glob("*.rst"))]


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_times_that_were_measured_say_when(path: Path) -> None:
    """A decision bears its date; elsewhere a time stands beside one, or beside a limit."""
    for paragraph in re.split(r"\n\s*\n", path.read_text("utf-8")):
        text = " ".join(paragraph.split())
        if TIME.search(text):
            assert re.search(r"\b20\d\d\b|at most|\bmay take\b", text), text


def test_defaults_of_options_are_those_that_pages_give() -> None:
    (commands,) = [a for a in main.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    actions = [a for command in commands.choices.values() for a in command._actions]
    pages = "".join(path.read_text("utf-8") for path in sorted((DOCS / "howto").glob("*.rst")))
    rows = re.split(r"\n   \* - ", pages)
    count = 0
    for action in actions:
        default = re.search(r"\(default: (\d[\d.]*)", action.help or "")
        for option in action.option_strings if default else []:
            about = [row for row in rows if f"``{option}" in row and "default" in row]
            assert not about or any(default[1] in row.replace(",", "") for row in about), option
            count += len(about)
    assert count > 10
