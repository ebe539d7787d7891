"""Scores that the browser computes are those of the ranking, and follow what a reader chooses."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import cell_data
from benchmark_site.content import Board, Content, load

from common.core import display, paths
from common.core.display import percent
from common.core.paths import Paths
from common.reports.summary import standings
from common.results import published
from common.results.judge import judge
from common.spec import Criterion, load_benchmark
from tests.test_standings import frame, many

TARGETS = ("arousal", "dominance", "valence", "emotion")
PAGE = '<!doctype html><html data-content_root=""><title>Scores</title><body data-cells=""></body>'
RANK = """([target, name, choice]) => {
    const data = window.cellsOfTarget[target];
    const board = data.boards.find((each) => each.name === name);
    const { text } = window.scoring;
    const ranked = window.scoring.rank(data, board, choice);
    return {
        cells: ranked.cells.length,
        floor: text(ranked.floor),
        compared: ranked.compared,
        lines: ranked.lines.map((line) => ({
            key: [line.model.id, line.model.version],
            score: text(line.score), place: line.place, beyond: text(line.beyond),
            remark: line.remark, passed: line.passed, cells: line.cells, unscored: line.unscored,
            shown: window.scoring.percent(line.score),
            families: Object.fromEntries([...line.families].map(([name, share]) => [name, text(share)])),
            tests: Object.fromEntries(
                [...line.tests].map(([test, part]) => [data.tests[test].id, [part.passed, part.cells]])
            ),
        })),
    };
}"""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """All published results."""
    return load(Paths(output=tmp_path_factory.mktemp("none")), load_benchmark(), [])


@pytest.fixture
def open_cells(browser: Any, tmp_path: Path) -> Callable[..., Any]:
    """Function that opens an empty page with the script of scores and those of some cells."""

    def show(*scripts: str) -> Any:
        (tmp_path / "page.html").write_text(PAGE)
        page = browser.new_page()
        page.goto(f"file://{tmp_path}/page.html")
        for text in ((paths.DOCS / "_static" / "scoring.js").read_text("utf-8"), *scripts):
            page.add_script_tag(content=text)
        return page

    return show


def expected(board: Board) -> dict[str, Any]:
    """What the browser must say of a ranking."""
    ranked = board.standings
    chance_or_compared = [line for line in ranked.lines if line.score is not None]
    return {
        "cells": ranked.cells,
        "floor": None if ranked.floor_score is None else str(ranked.floor_score),
        "compared": len(ranked.compared),
        "lines": [
            {
                "key": list(line.key),
                "score": None if line.score is None else str(line.score),
                "place": line.place,
                "beyond": None if line.beyond is None else str(line.beyond),
                "remark": "" if line.chance else line.remark,
                "shown": percent(line.score),
                "families": {name: str(share) for name, share in line.families.items()},
                "tests": {test: [part.passed, part.cells] for test, part in line.tests.items()},
                **(
                    {
                        "passed": line.common.passed,
                        "cells": line.common.cells,
                        "unscored": line.common.unscored,
                    }
                    if line in chance_or_compared
                    else dict.fromkeys(("passed", "cells", "unscored"))
                ),
            }
            for line in ranked.lines
        ],
    }


@pytest.mark.parametrize("target", TARGETS)
def test_the_browser_computes_the_ranking_of_the_paper(
    content: Content, open_cells: Any, target: str
) -> None:
    page = open_cells(cell_data.script(content, target))
    (board,) = content.boards[target]
    shown = page.evaluate(RANK, [target, "published", {}])
    assert shown == expected(board)
    assert sum(line["score"] is not None for line in shown["lines"]) > 10
    equal = {"family": {"correctness": 2, "fairness": 2, "robustness": 2}}
    assert page.evaluate(RANK, [target, "published", {"weights": equal}]) == shown
    rules = page.evaluate(
        """(target) => {
            const data = window.cellsOfTarget[target];
            const rules = [...new Set(window.scoring.rulesOf(data, data.boards[0]))];
            return Object.fromEntries(rules.map((rule) => [rule, window.scoring.criterion(rule.split("|").slice(1).join("|"))]));
        }""",
        target,
    )
    assert len(rules) > 10 and all(rules.values())


def test_a_choice_of_cells_is_ranked_as_if_there_were_no_others(
    content: Content, open_cells: Any
) -> None:
    page = open_cells(cell_data.script(content, "valence"))
    (board,) = content.boards["valence"]
    chance = [model.id for model in board.models if model.chance]
    for kind, value in (
        ("family", "robustness"),
        ("test", "fairness_language"),
        ("dataset", "emodb"),
    ):
        rows = board.table
        names = rows["test"].map(board.families) if kind == "family" else rows[kind]
        part = standings(rows[names == value], "valence", board.families, chance=chance, draws=10)
        shown = page.evaluate(RANK, ["valence", "published", {"only": {kind: value}}])
        scores = {line.key: line.score for line in part.lines}
        assert shown["cells"] == part.cells, kind
        assert {tuple(line["key"]): line["score"] for line in shown["lines"]} == {
            key: None if score is None else str(score) for key, score in scores.items()
        }
    german = page.evaluate(RANK, ["valence", "published", {"only": {"language": "de"}}])
    rows = board.table
    pairs = zip(rows["dataset"].tolist(), rows["data"].tolist(), strict=True)
    part = rows[[cell_data.language_of(*pair) == "de" for pair in pairs]]
    ranked = standings(part, "valence", board.families, chance=chance, draws=10)
    assert german["cells"] == ranked.cells > 20
    assert [line["score"] for line in german["lines"]] == [
        None if line.score is None else str(line.score) for line in ranked.lines
    ]


def test_weights_and_thresholds_of_a_reader_count(content: Content, open_cells: Any) -> None:
    page = open_cells(cell_data.script(content, "arousal"))
    (board,) = content.boards["arousal"]
    weights = {
        "family": {"correctness": "3"},
        "test": {"fairness_sex": "0.5"},
        "dataset": {"emodb": "0"},
    }
    shown = page.evaluate(RANK, ["arousal", "published", {"weights": weights}])
    (line,) = [line for line in shown["lines"] if line["key"][0] == "wavlm"]
    shares = {name: Fraction(share) for name, share in line["families"].items()}
    assert Fraction(line["score"]) == (3 * shares["correctness"] + sum(shares.values())
        - shares["correctness"]) / (2 + len(shares))  # fmt: skip
    rest = board.table[board.table["dataset"] != "emodb"]
    chance = [model.id for model in board.models if model.chance]
    ranked = standings(rest, "arousal", board.families, chance=chance, draws=10)
    (same,) = [each for each in ranked.lines if each.model == "wavlm"]
    parts = {
        test: (Fraction(1, 2) if test == "fairness_sex" else Fraction(1), part.share)
        for test, part in same.tests.items()
        if board.families[test] == "fairness"
    }
    assert shares["fairness"] == sum(w * s for w, s in parts.values()) / sum(
        w for w, _ in parts.values()
    )
    # the thresholds of one metric
    rules = {"ccc|> 0.5": {"kind": "above", "bounds": [0.7]}}
    shown = page.evaluate(RANK, ["arousal", "published", {"rules": rules}])
    strict = board.table.copy()
    chosen = (strict["metric"] == "ccc") & (strict["criterion"] == "> 0.5")
    chosen &= strict["status"].isin(("pass", "fail"))
    strict.loc[chosen, "status"] = [
        judge(value, Criterion(above=0.7)).status for value in strict.loc[chosen, "value"]
    ]
    ranked = standings(strict, "arousal", board.families, chance=chance, draws=10)
    assert [line["score"] for line in shown["lines"]] == [
        None if line.score is None else str(line.score) for line in ranked.lines
    ]
    assert shown != page.evaluate(RANK, ["arousal", "published", {}])


def test_every_row_is_in_the_data_for_scripts(content: Content) -> None:
    for target in TARGETS:
        text = cell_data.script(content, target)
        head = f'(window.cellsOfTarget??={{}})["{target}"]='
        data = json.loads(text.removeprefix(head).removesuffix(";\n"))
        rows = published.load()
        rows = rows[rows["target"] == target]
        (board,) = data["boards"]
        statuses = "".join(model["status"].replace(".", "") for model in board["models"])
        letters = {"pass": "p", "fail": "f", "skip": "s", "error": "e"}
        for status, number in rows["status"].value_counts().items():
            assert statuses.count(letters[str(status)]) == number
        lookup = [
            (data["tests"][test]["id"], data["metrics"][metric]["id"], *names)
            for test, metric, *names in zip(
                board["cells"]["test"],
                board["cells"]["metric"],
                *(
                    [data["names"][name][place] for place in board["cells"][name]]
                    for name in ("data", "condition", "label")
                ),
                strict=True,
            )
        ]
        model = next(model for model in board["models"] if model["id"] == "wavlm")
        mine = rows[rows["model"] == "wavlm"]
        keys = zip(
            *(mine[n] for n in ("test", "metric", "data", "condition", "label")), strict=True
        )
        values = dict(zip(lookup, model["value"], strict=True))
        for key, value in zip(keys, mine["value"], strict=True):
            assert values[key] == value or (values[key] is None and value != value)


def test_a_model_that_is_not_compared_says_why(open_cells: Any) -> None:
    """The remarks of the ranking, and models that were run on too little."""
    board = many({"a": "ppfpd", "b": "pfmpd", "c": "ppnpn", "dice": "pfpfd"})
    board = board.drop(board[(board["model"] == "b") & (board["test"] == "t3")].index)
    table = frame(board.to_dict("records"))
    families = {f"t{n}": "correctness" if n < 2 else "fairness" for n in range(4)}
    ranked = standings(table, "t", families, chance=["dice"], draws=10)
    assert {line.remark for line in ranked.lines if not line.chance} - {""}
    from benchmark_site.content import TestFacts
    from benchmark_site.sources import Model

    models = [Model(name, name, chance=name == "dice") for name in ("a", "b", "c", "dice")]
    part = Board("t", "run", "Own", False, models, table, {}, families)
    state = Content(
        benchmark=load_benchmark(), paths=Paths(), boards={"t": [part]},
        tests={name: TestFacts(name, name, family) for name, family in families.items()},
        comparisons=[], method_pages=frozenset(), table=table, manifests={}, stale={},
    )  # fmt: skip
    page = open_cells(cell_data.script(state, "t"))
    shown = page.evaluate(RANK, ["t", "run", {}])
    for line, other in zip(shown["lines"], expected(part)["lines"], strict=True):
        assert line == other


def test_values_near_a_bound_are_shown_as_on_pages(open_cells: Callable[..., Any]) -> None:
    rules = {
        "|x| < 0.075": [0.075],
        "0.2 < x < 0.3": [0.2, 0.3],
        "> 0": [0.0],
        "> 0.30004": [0.30004],
    }
    cases = [
        *((value, "|x| < 0.075") for value in (0.07500000000000001, -0.07499999999999998, 0.0751)),
        *((0.1 + 0.2, rule) for rule in ("0.2 < x < 0.3", "> 0.30004")),
        *((0.30004000000000003, "> 0.30004"), (2e-17, "> 0"), (0.0750000001, "|x| < 0.075")),
    ]
    page = open_cells()
    for value, rule in cases:
        text = page.evaluate(
            "([value, bounds]) => window.scoring.shown(value, { bounds }, 3)", [value, rules[rule]]
        )
        assert text == display.number(value, rule), (value, rule)
