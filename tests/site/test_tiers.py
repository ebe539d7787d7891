"""Tiers, ranks and p values of a selection are those of the ranking, but for their own draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmark_site import cell_data
from benchmark_site.content import Content, load
from scipy import special

from common.core import paths
from common.core.paths import Paths
from common.reports.summary import standings
from common.spec import load_benchmark

SCRIPTS = ("scoring.js", "student.js", "tiers.js")
PAGE = '<!doctype html><html data-content_root=""><title>Tiers</title><body></body>'
JUDGE = """([target, choice]) => {
    const data = window.cellsOfTarget[target];
    const board = data.boards[0];
    const judged = window.tiers.judge(data, board, choice, window.scoring.rank(data, board, choice));
    return {
        reason: judged.reason,
        standings: Object.fromEntries([...judged.standings].map(([model, line]) => [model.id, [line.tier, line.low, line.high]])),
        pairs: judged.pairs.map((pair) => [pair.one.id, pair.other.id, pair.p]),
    };
}"""
#: p values are shares of 2000 draws, which differ
CLOSE = 0.04


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """All published results."""
    return load(Paths(output=tmp_path_factory.mktemp("none")), load_benchmark(), [])


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


@pytest.mark.parametrize("target", ["arousal", "dominance", "valence", "emotion"])
def test_nothing_chosen_gives_the_tiers_of_the_ranking(
    content: Content, open_scripts: Any, target: str
) -> None:
    page = open_scripts(cell_data.script(content, target))
    (board,) = content.boards[target]
    judged = page.evaluate(JUDGE, [target, {}])
    assert judged["reason"] == board.standings.reason
    assert judged["standings"] == {
        line.model: [line.tier, line.low, line.high] for line in board.standings.compared
    }
    keys = {line.model: line.key for line in board.standings.compared}
    for one, other, p in judged["pairs"]:
        assert p == pytest.approx(board.standings.differences[keys[one], keys[other]].p, abs=CLOSE)
    page.close()


@pytest.mark.parametrize(("kind", "value"), [("family", "robustness"), ("dataset", "emodb")])
def test_a_choice_of_cells_has_the_tiers_of_these_cells(
    content: Content, open_scripts: Any, kind: str, value: str
) -> None:
    page = open_scripts(cell_data.script(content, "valence"))
    (board,) = content.boards["valence"]
    names = board.table["test"].map(board.families) if kind == "family" else board.table[kind]
    chance = [model.id for model in board.models if model.chance]
    part = standings(board.table[names == value], "valence", board.families, chance=chance)
    judged = page.evaluate(JUDGE, ["valence", {"only": {kind: value}}])
    assert bool(judged["reason"]) == bool(part.reason)
    assert judged["standings"] == {
        line.model: [line.tier, line.low, line.high] for line in part.compared
    }
    equal = {kind: {"correctness": 2, "fairness": 2, "robustness": 2}} if kind == "family" else {}
    assert page.evaluate(JUDGE, ["valence", {"only": {kind: value}, "weights": equal}]) == judged
    page.close()


def test_a_family_that_weighs_nothing_is_as_if_it_were_not_there(
    content: Content, open_scripts: Any
) -> None:
    page = open_scripts(cell_data.script(content, "arousal"))
    zero = {"weights": {"family": {"correctness": "0", "fairness": "0"}}}
    only = {"only": {"family": "robustness"}}
    assert page.evaluate(JUDGE, ["arousal", zero]) == page.evaluate(JUDGE, ["arousal", only])
    page.close()


def test_tails_and_quantiles_are_those_of_scipy(open_scripts: Any) -> None:
    page = open_scripts()
    t = [0.0, 0.01, 0.5, 1.3, 2.5, 4.0, 9.0]
    for freedom in (1, 1.7, 5, 12.4, 300):
        tails = page.evaluate(
            "([t, f]) => t.map((each) => window.student.tail(each, f))", [t, freedom]
        )
        np.testing.assert_allclose(tails, special.stdtr(freedom, -np.array(t)), rtol=1e-11)
        quantile = page.evaluate("(f) => window.student.student(f)", freedom)
        assert quantile == pytest.approx(special.stdtrit(freedom, 0.975), rel=1e-11)
    p = [0.5, 0.4, 0.1, 0.025, 1e-4, 1e-9]
    heights = page.evaluate("(p) => p.map(window.student.normalHeight)", p)
    np.testing.assert_allclose(heights, -special.ndtri(p), rtol=1e-9, atol=1e-9)
    page.close()
