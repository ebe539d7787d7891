"""The browser computes scores of other populations as Python does."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from benchmark_site import cell_data, population_data
from benchmark_site.content import Content, load

from common.core import paths
from common.core.paths import Paths
from common.metrics import METRICS
from common.metrics.sums import Sums
from common.results import sums
from common.results.population import population_difference, population_score, sources
from common.spec import load_benchmark
from common.uncertainty.multiple import benjamini_hochberg
from tests.test_kept_sums import DESIGNS, SUITE

SCRIPTS = ("scoring.js", "student.js", "sums.js", "population.js")
PAGE = '<!doctype html><html data-content_root=""><title>Sums</title><body></body>'
POPULATIONS: list[dict[str, dict[str, float]]] = [
    {},
    {"sex": {"female": 70}},
    {"sex": {"female": 20, "male": 80}},
    {"sex": {"female": 0}},
    {"sex": {"female": 70}, "accent": {"south": 10}},
]
#: of metrics of classes
CLASSES = ["a", "b", "c"]


@pytest.fixture
def open_scripts(browser: Any, tmp_path: Any) -> Any:
    """Function that opens an empty page with the scripts and others."""

    def show(*texts: str) -> Any:
        (tmp_path / "page.html").write_text(PAGE)
        page = browser.new_page()
        page.goto(f"file://{tmp_path}/page.html")
        own = [(paths.DOCS / "_static" / name).read_text("utf-8") for name in SCRIPTS]
        for text in (*own, *texts):
            page.add_script_tag(content=text)
        return page

    return show


def examples(name: str, rng: np.random.Generator) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Sums of five speakers, with a class that not all of them have, and parameters."""
    metric = METRICS.get(name)
    function = metric.sums
    assert isinstance(function, Sums)
    if metric.kind == "events":
        width = {"f": 3, "error_rate": 2, "unchanged_segments": 2}
        size = next((n for end, n in width.items() if name.endswith(end)), 9)
        lines = rng.integers(0, 9, (5, size)).astype(float)
        if size == 9:
            lines[:, [2, 5]] = 0
        return list(lines), {}
    number = 60
    params: dict[str, Any] = {}
    params |= {"bins": 4, "min_count": 1} if "bins" in metric.keywords else {}
    params |= {"labels": CLASSES} if "labels" in metric.keywords else {}
    params |= {"low": 0.2, "high": 0.7} if "low" in metric.keywords else {}
    params |= {"tolerance": 0.1} if "tolerance" in metric.keywords else {}
    truth, prediction = rng.random((2, number))
    if metric.kind == "classification":
        truth, prediction = np.array(CLASSES, dtype=object)[rng.integers(0, 3, (2, number))]
    arrays = [truth, prediction]
    if metric.takes == "range":
        arrays = [prediction]
    elif metric.takes == "shares":
        arrays = list(rng.dirichlet(np.ones(3), (2, number)))
    elif metric.takes == "groups":
        groups = np.array(["x", "y", "z"], dtype=object)[rng.integers(0, 3, number)]
        arrays = [prediction, groups, rng.random(number) < 0.4]
    speakers = rng.integers(0, 5, number)
    parts = [part.within(speakers, 5) for part in function.terms(arrays, params)]
    return list(np.concatenate(parts, axis=1)), params


@pytest.mark.parametrize("seed", range(3))
def test_every_metric_of_sums_has_its_value_in_the_browser(open_scripts: Any, seed: int) -> None:
    page = open_scripts()
    rng = np.random.default_rng(seed)
    names = [metric.id for metric in METRICS if metric.sums is not None]
    assert len(names) > 25
    for name in names:
        lines, params = examples(name, rng)
        whole = np.sum(lines, axis=0)
        for weights in (np.ones(5), rng.random(5) * 3, np.array([0.0, 0, 0, 0, 1])):
            weighted = weights @ np.array(lines)
            expected = METRICS.get(name).sums.of(weighted, whole, params)  # type: ignore[union-attr]
            values = page.evaluate(
                "([name, sums, total, params]) => window.sums.VALUES[name](sums, total, params)"
                ".map((value) => Number.isNaN(value) ? null : value)",
                [name, weighted.tolist(), whole.tolist(), params],
            )
            shown = [math.nan if value is None else value for value in values]
            np.testing.assert_allclose(shown, expected, rtol=1e-9, atol=1e-9, err_msg=name)
    page.close()


def test_shares_of_false_differences_are_those_of_python(open_scripts: Any) -> None:
    page = open_scripts()
    p = [0.01, 0.04, None, 0.03, 1.0, 0.2, 0.001, 0.04]
    shown = page.evaluate("(p) => window.student.falseDiscoveries(p)", p)
    numbers = [math.nan if value is None else value for value in p]
    expected = benjamini_hochberg(np.array(numbers)).tolist()
    assert [math.nan if q is None else q for q in shown] == pytest.approx(expected, nan_ok=True)
    page.close()


@pytest.fixture
def content(mini: Any) -> Content:
    """Results of a run of two models whose speakers have a sex and an accent."""
    for test, (design, rule) in DESIGNS.items():
        mini.write(f"suite/{test}.yaml", SUITE.format(test=test, design=design, rule=rule))
    table = mini.catalog / "tones" / "metadata.csv"
    head, *lines = table.read_text().splitlines()
    accents = ("north", "south", "south", "north", "south", "north", "north")
    lines = [f"{line},{accents[int(line.split(',')[3][1:])]}" for line in lines]
    table.write_text("\n".join([f"{head},accent", *lines]) + "\n")
    datasets = mini.catalog / "datasets.yaml"
    datasets.write_text(datasets.read_text().replace("sex: sex}", "sex: sex, accent: accent}"))
    assert not mini.run(tests=tuple(DESIGNS)).errors
    return load(
        Paths(output=mini.root / "out"), load_benchmark([mini.catalog], allow_code=True), []
    )


EVERY = """async ([target, key, population]) => {
    const data = window.cellsOfTarget[target];
    const board = data.boards.find((each) => each.origin === "own");
    const file = window.population.file(window.speakerSums[key], population);
    const plain = (answer) => Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, Number.isNaN(value) ? null : value]));
    const answers = [];
    board.models.forEach((model) => board.cells.test.forEach((test, cell) => {
        if (!file.has(model.id, cell)) return;
        answers.push([model.id, cell, plain(file.score(model.id, cell)), plain(file.difference(board.models[0].id, model.id, cell))]);
    }));
    return answers;
}"""


def close(shown: dict[str, Any], expected: Any) -> bool:
    """Whether the browser says the same as Python."""
    for name in ("value", "low", "high", "p"):
        mine, other = shown[name], getattr(expected, name)
        if mine is None or math.isnan(other):
            assert mine is None and math.isnan(other), (name, shown, expected)
        else:
            assert mine == pytest.approx(other, rel=1e-9, abs=1e-9), (name, shown, expected)
    return bool(shown["speakers"] == expected.speakers)


@pytest.mark.parametrize("target", ["emotion", "arousal"])
def test_scores_and_differences_of_populations_are_those_of_python(
    content: Content, open_scripts: Any, target: str
) -> None:
    (board,) = [board for board in content.boards[target] if not board.published]
    places = cell_data.places_of(board.table)
    keys = {place: key for key, place in places.items()}
    checked = 0
    for test in DESIGNS:
        rows = board.table[board.table["test"] == test]
        data = population_data.of_dataset(content, board, rows, places)
        assert set(data["traits"]) == {"sex", "accent"} and data["speakers"] == 7
        assert "s0" not in json.dumps(data)
        page = open_scripts(
            cell_data.script(content, target), cell_data.as_script("speakerSums", "x", data)
        )
        tables = {
            model: sums.read(content.paths.sums(target, model, test, "tones"))
            for model in data["models"]
        }
        first = sorted(tables)[0]
        for population in POPULATIONS:
            shares = {t: {g: p / 100 for g, p in s.items()} for t, s in population.items()}
            for model, cell, score, difference in page.evaluate(EVERY, [target, "x", population]):
                (row,) = rows[(rows["model"] == model)].pipe(
                    lambda part, key=keys[cell]: [
                        row
                        for row in part.to_dict("records")
                        if (row["metric"], row["condition"], row["label"] or "")
                        == (key[2], key[4], key[5] or "")
                    ]
                )
                parts = sources(row, "0")
                names = next(
                    each
                    for each in parts
                    if data["models"][model]["cells"][str(cell)][2:] == [] or len(each) == 2
                )
                reference = names[1] if len(names) > 1 else None
                assert close(score, population_score(tables[model], names[0], shares, reference))
                other = population_difference(
                    tables[first], tables[model], names[0], shares, reference
                )
                assert close(difference, other)
                checked += 1
                if not population:
                    assert score["value"] == pytest.approx(row["value"], abs=1e-9)
        page.close()
    assert checked > 50


WEIGHTED = """([target, key, population]) => {
    const data = window.cellsOfTarget[target];
    const board = data.boards.find((each) => each.origin === "own");
    const other = window.population.boardOf(data, board, [window.speakerSums[key]], population);
    const lines = (each) => window.scoring.rank(data, each, {}).lines
        .map((line) => [line.model.id, window.scoring.text(line.score), line.passed]);
    return { before: lines(board), after: lines(other), cells: other.sources.size,
        changed: other.models.some((model, m) => model.ran !== board.models[m].ran) };
}"""


def test_shares_of_the_sample_leave_the_ranking_as_it_is(
    content: Content, open_scripts: Any
) -> None:
    (board,) = [board for board in content.boards["emotion"] if not board.published]
    rows = board.table[board.table["test"] == "own_truth"]
    data = population_data.of_dataset(content, board, rows, cell_data.places_of(board.table))
    page = open_scripts(
        cell_data.script(content, "emotion"), cell_data.as_script("speakerSums", "x", data)
    )
    own = page.evaluate(WEIGHTED, ["emotion", "x", {"sex": {"female": 300 / 7}}])
    assert own["cells"] == 5 and own["after"] == own["before"] and not own["changed"]
    page.close()
