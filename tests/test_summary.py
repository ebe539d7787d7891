"""Counts, shares, rankings, the paper's tables, and what `build.py summary` prints."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.core.errors import DataError
from common.core.paths import PUBLISHED
from common.reports import summary
from common.results import published
from common.results.tally import VerdictCounts

PAPER = json.loads((PUBLISHED / "table6.json").read_text("utf-8"))
BLOCKS = ("all", "correctness", "fairness", "robustness")
FAMILIES = {"fairness_sex": "fairness", "own_test": "robustness"}


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    return published.load()


def shares(rows: pd.DataFrame, families: dict[str, str]) -> pd.DataFrame:
    """Both shares of the verdicts of rows."""
    return summary.shares(summary.counts(rows, families))


def cells(model: str, statuses: str, test: str = "fairness_sex", **fields: Any) -> list[dict]:
    """One result row per word of ``statuses``; p, f, s, e stand for the four statuses."""
    short = {name[0]: name for name in results.STATUSES}
    base = {"target": "t", "model": model, "model_version": "1", "test": test, "dataset": "d"}
    return [
        {**base, "data": "d-1", "metric": "m", "label": str(n), "status": short[letter], **fields}
        for n, letter in enumerate(statuses)
    ]


def frame(*parts: list[dict]) -> pd.DataFrame:
    return results.frame([row for part in parts for row in part])


def shuffled(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sample(frac=1, random_state=3)


def placed(table: pd.DataFrame) -> list[tuple[int | None, str]]:
    """(position, model) of a ranking."""
    return [
        (None if pd.isna(position) else int(position), model)
        for position, model in zip(table["position"], table["model"], strict=True)
    ]


# -- the paper --------------------------------------------------------------------------------


@pytest.mark.parametrize("block", BLOCKS)
def test_every_cell_of_table_6_is_reproduced(paper: pd.DataFrame, block: str) -> None:
    table = summary.table6(paper, {})
    assert set(table) == set(BLOCKS)
    assert sum(len(values) for values in table[block].values()) == 55
    assert table[block] == PAPER["table6"][block]


def test_every_cell_of_table_7_is_reproduced(paper: pd.DataFrame) -> None:
    table = summary.table7(paper, published.target_order())
    assert sum(len(values) for values in table.values()) == 55
    assert table == PAPER["table7"]


def test_exact_fractions_move_18_cells_by_one_digit(paper: pd.DataFrame) -> None:
    exact = summary.table6_exact(paper, {})
    moved = [
        round(exact[block][model][column] - value, 3)
        for block, models in PAPER["table6"].items()
        for model, values in models.items()
        for column, value in values.items()
        if exact[block][model][column] != value
    ]
    assert len(moved) == 18
    assert set(map(abs, moved)) == {0.001}


def test_second_definition_changes_the_order_of_models(paper: pd.DataFrame) -> None:
    table = summary.all_mean_over_tests(paper, {})
    means = {model: values["mean"] for model, values in table.items()}
    assert list(means.items())[:5] == [
        ("w2v2-L-robust", 0.768),
        ("hubert-L", 0.759),
        ("wavlm", 0.741),
        ("w2v2-L-vox", 0.734),
        ("data2vec", 0.713),
    ]
    assert next(iter(summary.table6_exact(paper, {})["all"])) == "wavlm"


def test_counts_stand_beside_the_shares_of_table_6(paper: pd.DataFrame) -> None:
    table = summary.table6_counts(paper, {})
    assert table["all"]["wavlm"]["arousal"] == {
        "passed": 363,
        "executed": 411,
        "skipped": 86,
        "tests": 16,
    }
    exact = summary.table6_exact(paper, {})["all"]
    for model, targets in table["all"].items():
        for target, tally in targets.items():
            share = Fraction(tally["passed"], tally["executed"])
            assert summary.half_up(share, 3) == exact[model][target]


def test_only_models_with_executed_cells_for_every_target_stand_in_table_6() -> None:
    rows = frame(
        cells("a", "pf", target="t") + cells("a", "pp", target="u"),
        cells("skips", "pf", target="t") + cells("skips", "ss", target="u"),
        cells("one", "pp", target="t"),
    )
    expected = {"t": 0.5, "u": 1.0, "mean": 0.75}
    for function in (summary.table6, summary.table6_exact):
        assert function(rows, {}) == {"all": {"a": expected}, "fairness": {"a": expected}}
    assert summary.all_mean_over_tests(rows, {}) == {"a": expected}


def test_counts_equal_the_published_ones(paper: pd.DataFrame) -> None:
    found = summary.counts(paper, {}).set_index(["target", "model_version", "test"])
    expected = pd.read_csv(PUBLISHED / "counts.csv").set_index(["task", "model_id", "test"])
    assert len(found) == len(expected) == 756
    found = found.reindex(expected.index)
    for column in ("passed", "failed", "skipped"):
        assert (found[column] == expected[column]).all()
    assert (found["errors"] == 0).all()
    assert (found["executed"] == expected["passed"] + expected["failed"]).all()
    assert np.allclose(100 * found["share"], expected["percent"], rtol=0, atol=0.0501)


def test_numbers_of_tests_in_the_paper_are_those_of_the_chance_models(paper: pd.DataFrame) -> None:
    table = shares(paper, {})
    table = table[table["model"].isin(published.chance()) & (table["block"] != "all")]
    assert table["executed"].sum() == 2029
    executed = table.set_index(["block", "target"])["executed"].sort_index()
    assert executed["correctness"].tolist() == [54, 60, 160, 64]
    fair = table[table["block"] == "fairness"]
    assert (fair["passed"] == fair["executed"]).all()
    assert fair["share"].tolist() == fair["mean_over_tests"].tolist() == [1.0] * 4


def test_published_ranking_has_ties_and_no_place_for_chance(paper: pd.DataFrame) -> None:
    table = summary.ranking(paper, "arousal", {}, chance=published.chance())
    assert placed(table)[:3] == [(1, "w2v2-L-vox"), (1, "wavlm"), (3, "w2v2-L")]
    assert placed(table)[-1] == (None, "random-gaussian")
    assert table["remark"].iloc[-1] == "chance model"
    assert (table["passed"] + table["failed"] + table["skipped"] == 497).all()
    valence = summary.ranking(paper, "valence", {}, chance=published.chance())
    assert placed(valence)[6:9] == [(None, "random-gaussian"), (7, "axlstm"), (8, "w2v2-b")]


# -- counts and shares ------------------------------------------------------------------------


def test_counts_of_every_status() -> None:
    rows = frame(cells("a", "pppfse"), cells("a", "ss", "own_test"), cells("a", "f", "other_test"))
    table = summary.counts(rows, FAMILIES)
    assert table.drop(columns=["scope", "target", "model", "model_version"]).to_dict("split")[
        "data"
    ] == [
        ["fairness", "fairness_sex", 3, 1, 1, 1, 4, 0.75],
        ["other", "other_test", 0, 1, 0, 0, 1, 0.0],
        ["robustness", "own_test", 0, 0, 2, 0, 0, pytest.approx(float("nan"), nan_ok=True)],
    ]


def test_versions_of_a_model_are_counted_apart() -> None:
    rows = frame(cells("a", "p"), cells("a", "f", model_version="2"))
    assert summary.counts(rows, {})["share"].tolist() == [1.0, 0.0]


def test_both_shares() -> None:
    rows = frame(cells("a", "pppf"), cells("a", "fs", "own_test"), cells("a", "s", "skipped_test"))
    table = shares(rows, FAMILIES).set_index("block")
    assert list(table.index) == ["all", "fairness", "robustness", "skipped"]
    assert table.loc["all", "share"] == 3 / 5
    assert table.loc["all", "mean_over_tests"] == 3 / 8
    assert table["tests"].to_dict() == {"all": 2, "fairness": 1, "robustness": 1, "skipped": 0}
    assert table["skipped"].to_dict() == {"all": 2, "fairness": 0, "robustness": 1, "skipped": 1}
    assert np.isnan(table.loc["skipped", "share"])
    assert np.isnan(table.loc["skipped", "mean_over_tests"])


def test_mean_over_tests_is_exact() -> None:
    tallies = [VerdictCounts(1, 2, 0, 0), VerdictCounts(1, 6, 0, 0), VerdictCounts(10, 1, 0, 0)]
    exact = (Fraction(1, 3) + Fraction(1, 7) + Fraction(10, 11)) / 3
    assert summary.mean_over_tests(tallies) == exact


def test_final_rounding_takes_halves_up() -> None:
    values = [Fraction(1, 16), Fraction(3, 16), Fraction(62499, 10**6), Fraction(1)]
    assert [summary.half_up(value, 3) for value in values] == [0.063, 0.188, 0.062, 1.0]


def test_unknown_status_is_an_error() -> None:
    rows = frame(cells("a", "p")).assign(status="passed")
    with pytest.raises(
        DataError, match=r"unknown status 'passed'\. Known: pass, fail, skip, error"
    ):
        summary.counts(rows, {})


def test_no_rows_give_empty_tables_of_the_same_shape() -> None:
    none, some = frame(), frame(cells("a", "p"))
    for function in (summary.counts, shares):
        empty = function(none, {})
        assert len(empty) == 0
        assert empty.dtypes.to_dict() == function(some, {}).dtypes.to_dict()
    assert summary.ranking(none, "t", {}).empty
    assert summary.matrix(none, "t", "fairness_sex") == {}
    assert summary.table6(none, {}) == {}
    assert summary.table7(none, []) == {}
    assert summary.all_mean_over_tests(none, {}) == {}
    empty = {"rows": [], "shares": [], "ranks": [], "common": []}
    assert summary.to_json(none, {}, published=False) == empty


# -- ranking ----------------------------------------------------------------------------------


def test_equal_shares_share_a_position_and_stand_in_order_of_mean_and_name() -> None:
    rows = frame(
        # b, c, d: 2 of 4 in all; c has the larger mean over tests, b and d the same one
        cells("d", "pff") + cells("d", "p", "own_test"),
        cells("b", "pff") + cells("b", "p", "own_test"),
        cells("c", "ff") + cells("c", "ppffpp"[2:], "own_test"),
        cells("a", "fff") + cells("a", "p", "own_test"),
        cells("e", "ppp") + cells("e", "p", "own_test"),
    )
    table = summary.ranking(rows, "t", FAMILIES)
    assert table.set_index("model")["mean_over_tests"].round(3).to_dict() == {
        "e": 1.0,
        "b": 0.667,
        "d": 0.667,
        "a": 0.5,
        "c": 0.25,
    }
    assert placed(table) == [(1, "e"), (2, "b"), (2, "d"), (4, "c"), (5, "a")]


def test_mean_over_tests_orders_a_tie() -> None:
    rows = frame(
        cells("a", "pff") + cells("a", "ppp", "own_test"),
        cells("b", "f") + cells("b", "ppppf", "own_test"),
    )
    assert placed(summary.ranking(rows, "t", FAMILIES)) == [(1, "a"), (1, "b")]
    rows["model"] = rows["model"].replace({"a": "b", "b": "a"})
    assert placed(summary.ranking(rows, "t", FAMILIES)) == [(1, "b"), (1, "a")]


def test_chance_model_stands_where_its_share_puts_it_without_position() -> None:
    rows = frame(cells("good", "ppp"), cells("dice", "ppf"), cells("bad", "pff"))
    table = summary.ranking(rows, "t", {}, chance=["dice"])
    assert placed(table) == [(1, "good"), (None, "dice"), (2, "bad")]
    assert table["chance"].tolist() == [False, True, False]


def test_models_judged_on_other_terms_have_no_position() -> None:
    both = cells("a", "pf") + cells("a", "pf", dataset="e")
    rows = frame(
        both,
        cells("partial", "pp"),
        cells("broken", "pp") + cells("broken", "pe", dataset="e"),
        cells("idle", "ss") + cells("idle", "ss", dataset="e"),
    )
    table = summary.ranking(rows, "t", {})
    assert placed(table)[0] == (1, "a")
    assert dict(zip(table["model"], table["remark"], strict=True)) == {
        "a": "",
        "broken": "cells that ended in an error: 1",
        "partial": "has 1 of 2 (test, dataset) pairs",
        "idle": "no cell was executed",
    }
    assert table["position"].isna().sum() == 3


def test_scopes_are_ranked_apart() -> None:
    rows = frame(
        cells("a", "pf") + cells("a", "pp", dataset="e"),
        cells("b", "pp") + cells("b", "pf", dataset="e"),
    )
    scoped = summary.add_scope(rows, {"d": "embedded"})
    assert set(scoped["scope"]) == {"embedded", "e"}
    assert "scope" not in rows
    table = summary.ranking(scoped, "t", {})
    assert list(zip(table["scope"], table["position"], table["model"], strict=True)) == [
        ("e", 1, "a"),
        ("e", 2, "b"),
        ("embedded", 1, "b"),
        ("embedded", 2, "a"),
    ]
    only = summary.ranking(scoped, "t", {}, scope="embedded")
    assert placed(only) == [(1, "b"), (2, "a")]
    assert set(summary.add_scope(rows, {}, "paper")["scope"]) == {"paper"}


def test_ranking_has_the_means_of_the_families() -> None:
    rows = frame(cells("a", "pf") + cells("a", "p", "own_test"), cells("b", "pp"))
    table = summary.ranking(rows, "t", FAMILIES).set_index("model")
    assert table.loc["a", ["fairness", "robustness"]].tolist() == [0.5, 1.0]
    assert np.isnan(table.loc["b", "robustness"])


def test_one_model_is_first() -> None:
    assert placed(summary.ranking(frame(cells("a", "f")), "t", {})) == [(1, "a")]


# -- order of rows ----------------------------------------------------------------------------


def test_results_do_not_depend_on_the_order_of_rows(paper: pd.DataFrame) -> None:
    other = shuffled(paper)
    for function in (summary.counts, shares):
        pd.testing.assert_frame_equal(function(other, {}), function(paper, {}))
    for target in paper["target"].unique():
        pd.testing.assert_frame_equal(
            summary.ranking(other, target, {}), summary.ranking(paper, target, {})
        )
    assert json.dumps(summary.table6(other, {})) == json.dumps(summary.table6(paper, {}))
    order = published.target_order()
    assert json.dumps(summary.table7(other, order)) == json.dumps(summary.table7(paper, order))
    place = ("emotion", "fairness_sex")
    assert repr(summary.matrix(other, *place)) == repr(summary.matrix(paper, *place))
    assert summary.text(other, {}) == summary.text(paper, {})


# -- one test, all models ---------------------------------------------------------------------


def test_matrix_holds_every_cell_once(paper: pd.DataFrame) -> None:
    found = 0
    for target, test in paper[["target", "test"]].drop_duplicates().itertuples(index=False):
        for table in summary.matrix(paper, target, test).values():
            assert len(table.columns) == 12
            found += sum(cell is not None for line in table.cells for cell in line)
    assert found == len(paper)


def test_matrix_puts_models_side_by_side() -> None:
    rows = frame(
        cells("b", "pf", value=0.25, n=7, criterion="> 0.5"),
        cells("a", "p", value=0.5, reason="few", criterion="> 0.5"),
        cells("a", "s", metric="k", condition="female"),
    )
    tables = summary.matrix(rows, "t", "fairness_sex", models=["b"])
    assert list(tables) == ["k", "m"]
    table = tables["m"]
    assert table.columns == (("b", "1"), ("a", "1"))
    assert table.index == (("d-1", "", "0"), ("d-1", "", "1"))
    assert table.criteria == ("> 0.5",)
    first, second = table.cells[0]
    assert first is not None and second is not None
    assert (first.value, first.status, first.n) == (0.25, "pass", 7)
    assert (second.n, second.reason) == (None, "few")
    assert table.cells[1][1] is None
    values = table.frame("value")
    assert values.dtypes.eq("float64").all()
    assert values.loc[("d-1", "", "0")].tolist() == [0.25, 0.5]
    assert tables["k"].frame("status").iloc[0].tolist() == [None, "skip"]
    assert tables["k"].index == (("d-1", "female", "0"),)


def test_matrix_separates_versions_and_refuses_duplicates() -> None:
    rows = frame(cells("a", "p"), cells("a", "f", model_version="2"))
    table = summary.matrix(rows, "t", "fairness_sex")["m"]
    assert table.columns == (("a", "1"), ("a", "2"))
    rows = frame(cells("a", "p"), cells("a", "f"))
    with pytest.raises(DataError, match="a 1 has t, fairness_sex, m, d-1, 0 twice"):
        summary.matrix(rows, "t", "fairness_sex")


# -- what is printed --------------------------------------------------------------------------


def test_json_has_the_structure_of_the_interface() -> None:
    content = summary.to_json(frame(), {}, published=True)
    assert list(content) == [
        "rows",
        "shares",
        "ranks",
        "common",
        "table6",
        "table7",
        "table6_exact",
        "table6_counts",
        "all_mean_over_tests",
    ]
    row = next(
        row
        for row in content["rows"]
        if (row["target"], row["model"], row["test"]) == ("arousal", "wavlm", "fairness_sex")
    )
    assert row == {
        "target": "arousal",
        "model": "wavlm",
        "model_id": "54d9c66b-1.0.1",
        "family": "fairness",
        "test": "fairness_sex",
        "passed": 28,
        "failed": 0,
        "skipped": 8,
        "share": 1.0,
    }
    assert len(content["rows"]) == 756
    assert len(content["shares"]) == 48 * 4
    assert content["table6"] == PAPER["table6"]
    assert content["table7"] == PAPER["table7"]
    json.dumps(content, allow_nan=False)


def test_json_of_own_rows() -> None:
    rows = frame(cells("a", "ppe"), cells("a", "s", "own_test"), cells("b", "p" * 26 + "ff"))
    content = summary.to_json(rows, FAMILIES, published=False)
    assert set(content) == {"rows", "shares", "ranks", "common"}
    first, idle, last = content["rows"]
    assert (first["errors"], first["share"]) == (1, 1.0)
    assert (idle["family"], idle["skipped"], idle["share"]) == ("robustness", 1, None)
    assert "errors" not in idle
    assert last["share"] == 0.9286
    both = content["shares"][0]
    assert (both["block"], both["share"], both["mean_over_tests"]) == ("all", 1.0, 1.0)
    json.dumps(content, allow_nan=False)


def test_json_lists_own_rows_beside_the_published_ones() -> None:
    rows = frame(cells("wavlm", "p", target="arousal", model_version="mine"))
    content = summary.to_json(rows, FAMILIES, published=True)
    assert len(content["rows"]) == 757
    assert content["table6"] == PAPER["table6"]
    scoped = summary.to_json(summary.add_scope(rows, {}), FAMILIES, published=True)
    assert {row["scope"] for row in scoped["rows"]} == {"d", "published"}


def test_text_shows_shares_with_their_counts(paper: pd.DataFrame) -> None:
    text = summary.text(paper, {}, title="Paper", chance=published.chance(), targets=["valence"])
    lines = text.splitlines()
    assert lines[0] == "Paper"
    assert " 1  w2v2-L-vox               318/380      133       0  83.7 %  60.9 %" in lines
    assert " -  random-gaussian          375/472       41       0  79.4 %  50.2 %" in lines
    assert "- random-gaussian: chance model" in lines
    assert "arousal" not in text


def test_text_is_at_most_100_columns_wide_and_aligned(paper: pd.DataFrame) -> None:
    long = cells("a-model-with-a-name-of-more-than-forty-characters", "pfse", "x" * 60)
    rows = pd.concat([paper, frame(long)])
    text = summary.text(summary.add_scope(rows, {}, "y" * 80), {}, tests=True)
    assert max(map(len, text.splitlines())) <= 100
    assert "a-model-with-a-name-of-more-tha..." in text
    starts = {line.index("passed/executed") for line in text.splitlines() if "skipped  err" in line}
    assert len(starts) <= 6


def test_text_shows_scopes_tests_and_missing_shares() -> None:
    rows = summary.add_scope(frame(cells("a", "ss")), {}, "embedded data")
    text = summary.text(rows, FAMILIES, tests=True)
    assert "t, embedded data\n" in text
    assert "t, embedded data, a, 1\n" in text
    assert "- a: no cell was executed" in text
    assert any(
        line.split() == ["fairness", "fairness_sex", "0/0", "2", "0", "-"]
        for line in text.splitlines()
    )


def test_text_without_results_says_so() -> None:
    assert summary.text(frame(), {}) == "No results yet.\n"
    assert summary.text(frame(), {}, title="Runs") == "Runs\n\nNo results yet.\n"


def test_text_form_shows_every_cell_of_the_paper_with_its_denominator() -> None:
    rows = published.load()
    families = {test: test.split("_")[0] for test in rows["test"].unique()}
    text = summary.paper_text(rows, families, published.target_order())
    line = next(line for line in text.splitlines() if line.startswith("wavlm"))
    assert "0.883 | 0.883 | 363/411, 86" in line
    assert text.count("Table VI, ") == 5 and "Table VII" in text
