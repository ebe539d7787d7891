"""Scores on common cells, tiers and rank intervals; and what they say with little data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.reports import summary
from common.reports.summary import beyond_chance, standings
from common.reports.summary.leave_one_out import (
    RankingLayout,
    p_values,
    rank_intervals,
    tiers,
    told_apart,
)
from common.reports.summary.rank_simulation import SCENARIOS, simulate, world
from common.reports.summary.standings import (
    FEW_PAIRS,
    NO_COMMON,
    NO_VERDICT,
    ONE_DATASET,
    ONE_MODEL,
)
from common.results import published

FAMILIES = {"t1": "correctness", "t2": "correctness", "f": "fairness"}
SHORT = {name[0]: (name, "") for name in results.STATUSES}
SHORT |= {"d": ("skip", "data"), "m": ("skip", "model"), "n": ("skip", "not run")}


def cells(model: str, verdicts: str, test: str = "t1", dataset: str = "d") -> list[dict[str, Any]]:
    """A row per letter: p, f, s, e; d, m, n: skipped for the data, the model, as not run."""
    base = {"target": "t", "model": model, "model_version": "1", "test": test, "dataset": dataset}
    return [
        {**base, "data": dataset, "metric": "m", "label": str(n), "status": status, "cause": cause}
        for n, (status, cause) in enumerate(SHORT[letter] for letter in verdicts)
    ]


def frame(*parts: list[dict[str, Any]]) -> pd.DataFrame:
    return results.frame([row for part in parts for row in part])


def many(models: dict[str, str], pairs: int = 8) -> pd.DataFrame:
    """The same verdicts of each model in several tests on two datasets."""
    return frame(
        *(
            cells(model, verdicts, f"t{pair // 2}", f"d{pair % 2}")
            for model, verdicts in models.items()
            for pair in range(pairs)
        )
    )


#: tests and datasets of a made-up suite: three families, ten datasets, one to four per test
def layout() -> RankingLayout:
    generator, pairs = np.random.default_rng(3), {}
    for number, family in enumerate("aaaabbbbccccc"):
        for dataset in generator.choice(10, generator.integers(1, 5), replace=False):
            pairs[family, f"t{number}", f"d{dataset}"] = int(generator.integers(2, 12))
    keys = sorted(pairs)
    return RankingLayout(keys, np.array([pairs[key] for key in keys]))


def score(pairs: Sequence[tuple[str, str, str]], sizes: np.ndarray, passed: np.ndarray) -> Any:
    """The score by a plain loop."""
    families: dict[str, dict[str, list[int]]] = {}
    for number, (family, test, _) in enumerate(pairs):
        families.setdefault(family, {}).setdefault(test, []).append(number)
    means = [
        np.mean([passed[n].sum(axis=0) / sizes[n].sum() for n in tests.values()], axis=0)
        for tests in families.values()
    ]
    return np.mean(means, axis=0)


# -- scores -----------------------------------------------------------------------------------


def test_what_the_data_skip_counts_for_nobody_and_what_a_model_skips_as_not_passed() -> None:
    rows = frame(cells("a", "ppdm"), cells("b", "pfdf"))
    made = standings(rows, "t", FAMILIES)
    assert made.cells == 3
    assert [(line.model, line.score, tuple(line.common)) for line in made.lines] == [
        ("a", Fraction(2, 3), (2, 3, 1)),
        ("b", Fraction(1, 3), (1, 3, 0)),
    ]


def test_without_a_cause_a_skip_of_all_models_is_one_of_the_data() -> None:
    made = standings(frame(cells("a", "pps"), cells("b", "pss")), "t", FAMILIES)
    assert made.cells == 2
    assert [line.common.unscored for line in made.lines] == [0, 1]


def test_families_weigh_the_same_whatever_the_number_of_their_cells() -> None:
    rows = frame(
        cells("a", "pp"), cells("a", "pf", "t2"), cells("a", "f" * 50, "f"),
        cells("b", "ff"), cells("b", "ff", "t2"), cells("b", "p" * 50, "f"),
    )  # fmt: skip
    first, second = standings(rows, "t", FAMILIES).lines
    assert (first.model, first.score, first.families) == (
        "b", Fraction(1, 2), {"correctness": Fraction(0), "fairness": Fraction(1)},
    )  # fmt: skip
    assert (second.model, second.score) == ("a", Fraction(3, 8))


def test_what_chance_passes_is_taken_off() -> None:
    rows = frame(
        cells("a", "pppf"), cells("a", "pp", "f"),
        cells("b", "pfff"), cells("b", "pf", "f"),
        cells("dice", "ppff"), cells("dice", "pp", "f"),
    )  # fmt: skip
    made = standings(rows, "t", FAMILIES, chance=["dice"])
    assert made.floor == {"correctness": Fraction(1, 2), "fairness": Fraction(1)}
    assert made.floor_score == Fraction(3, 4)
    assert [(line.model, line.beyond) for line in made.lines] == [
        ("a", Fraction(1, 2)),  # (7/8 - 3/4) / (1 - 3/4)
        ("b", Fraction(-3, 2)),  # (3/8 - 3/4) / (1 - 3/4)
        ("dice", Fraction(0)),
    ]
    assert made.lines[2].tier is None
    assert made.lines[2].remark == "chance model"


def test_where_chance_passes_everything_nothing_is_beyond_it() -> None:
    assert beyond_chance(Fraction(1), Fraction(1)) is None
    rows = frame(cells("a", "pp"), cells("b", "pf"), cells("dice", "pp"))
    made = standings(rows, "t", FAMILIES, chance=["dice"])
    assert made.floor_score == 1
    assert [line.beyond for line in made.lines] == [None, None, None]


def test_a_chance_model_without_a_verdict_in_a_common_test_gives_no_floor() -> None:
    rows = frame(
        cells("a", "pp"), cells("a", "pp", "f"), cells("b", "pf"), cells("b", "pf", "f"),
        cells("dice", "pp"), cells("dice", "nn", "f"),
    )  # fmt: skip
    made = standings(rows, "t", FAMILIES, chance=["dice"])
    assert made.floor == {}
    assert made.lines[0].beyond is None


def test_the_best_chance_model_is_the_floor() -> None:
    rows = frame(cells("a", "pp"), cells("b", "pf"), cells("x", "ff"), cells("y", "pf"))
    assert standings(rows, "t", FAMILIES, chance=["x", "y"]).floor_score == Fraction(1, 2)


def test_cells_without_information_are_counted() -> None:
    rows = frame(cells("a", "ppff"), cells("b", "pfff"), cells("a", "p", "f"), cells("b", "p", "f"))
    made = standings(rows, "t", FAMILIES)
    assert (made.cells, made.passed, made.failed, made.telling) == (5, 2, 2, 1)
    assert made.tests == {"t1": (4, 1), "f": (1, 0)}


# -- little to go by --------------------------------------------------------------------------


def test_no_rows() -> None:
    assert standings(results.frame([]), "t", {}) == summary.Standings((), NO_VERDICT)


def test_one_model_has_a_score_but_no_place() -> None:
    made = standings(frame(cells("a", "pf")), "t", {})
    (line,) = made.lines
    assert made.reason == ONE_MODEL
    assert (line.score, line.tier, line.place, line.low) == (Fraction(1, 2), None, None, None)


def test_nothing_but_skipped_cells() -> None:
    made = standings(frame(cells("a", "ss"), cells("b", "ss")), "t", {})
    assert made.reason == NO_VERDICT
    assert [(line.score, line.remark) for line in made.lines] == [
        (None, "no cell was executed")
    ] * 2


def test_models_with_disjoint_tests_are_not_compared() -> None:
    made = standings(frame(cells("a", "pp", "t1"), cells("b", "ff", "t2")), "t", FAMILIES)
    assert made.reason == NO_COMMON
    assert made.cells == 0
    assert [(line.model, line.score, line.tier) for line in made.lines] == [
        ("a", None, None),
        ("b", None, None),
    ]


def test_a_model_that_lacks_data_stands_outside_and_takes_no_cells_away() -> None:
    rows = frame(
        cells("a", "pp"), cells("a", "pp", "t2"), cells("b", "pp"), cells("b", "pf", "t2"),
        cells("late", "pp"),
    )  # fmt: skip
    made = standings(rows, "t", FAMILIES)
    assert made.cells == 4
    assert [line.model for line in made.compared] == ["a", "b"]
    assert made.lines[2].remark == "has 1 of 2 (test, dataset) pairs"
    assert made.lines[2].score is None


def test_two_incomplete_models_are_compared_on_what_they_share() -> None:
    rows = frame(
        cells("a", "pp"), cells("a", "pp", "t2"), cells("b", "pf"), cells("b", "pf", "f"),
    )  # fmt: skip
    made = standings(rows, "t", FAMILIES)
    assert made.cells == 2
    assert [line.model for line in made.compared] == ["a", "b"]


@pytest.mark.parametrize("pairs", [1, 5])
def test_few_pairs_of_test_and_dataset_tell_nothing(pairs: int) -> None:
    made = standings(many({"a": "pppp", "b": "ffff"}, pairs), "t", {})
    assert made.reason == FEW_PAIRS
    assert [(line.tier, line.low, line.high) for line in made.lines] == [(1, 1, 2), (1, 1, 2)]


def test_the_same_difference_everywhere_is_certain_from_six_pairs_on() -> None:
    made = standings(many({"a": "pppp", "b": "pfff"}, 6), "t", {})
    assert made.reason == ""
    assert [(line.model, line.tier, line.low, line.high) for line in made.lines] == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
    ]


def test_equal_models_share_place_and_tier() -> None:
    made = standings(many({"a": "pf", "b": "fp"}), "t", {})
    assert [(line.place, line.tier, line.low, line.high) for line in made.lines] == [
        (1, 1, 1, 2),
        (1, 1, 1, 2),
    ]


# -- rank intervals ---------------------------------------------------------------------------


def test_order_of_rows_and_other_targets_change_nothing() -> None:
    rows = published.load()
    made = standings(rows, "valence", {}, chance=published.chance(), draws=200)
    mixed = rows.sample(frac=1, random_state=1)
    assert standings(mixed, "valence", {}, chance=published.chance(), draws=200) == made
    own = rows[rows["target"] == "valence"]
    assert standings(own, "valence", {}, chance=published.chance(), draws=200) == made


def test_moves_are_those_of_a_plain_loop() -> None:
    made = layout()
    passed = np.random.default_rng(2).integers(0, made.sizes[:, None] + 1, (len(made.sizes), 3))
    np.testing.assert_allclose(made.weights() @ passed, score(made.pairs, made.sizes, passed))

    def without(place: int, name: str) -> Any:
        keep = [n for n, pair in enumerate(made.pairs) if pair[place] != name]
        pairs = [made.pairs[n] for n in keep]
        moved = score(pairs, made.sizes[keep], passed[keep]) - made.weights() @ passed
        return moved**2

    datasets = sorted({pair[2] for pair in made.pairs})
    number = len(datasets)
    expected = [without(2, name) * (number - 1) / number for name in datasets]
    np.testing.assert_allclose((made.moves.datasets @ passed) ** 2, expected, atol=1e-12)
    tests = sorted({pair[:2] for pair in made.pairs})
    several = [sum(family == other for other, _ in tests) for family, _ in tests]
    expected = [without(1, name) * (n - 1) / n for (_, name), n in zip(tests, several, strict=True)]
    np.testing.assert_allclose((made.moves.tests @ passed) ** 2, expected, atol=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_equal_models_are_seldom_told_apart(scenario: str) -> None:
    """Nominal are 5 % for a whole page; of 150 worlds, 17 are significantly more (0.1 %)."""
    found = simulate(
        layout(),
        np.random.default_rng(7),
        effects=SCENARIOS[scenario],
        quality=np.zeros(8),
        spread=np.ones(8),
        worlds=150,
        draws=500,
    )
    assert 150 * found.wrong < 17


def test_rank_intervals_hold_the_true_rank_and_say_something() -> None:
    generator, held, narrow = np.random.default_rng(8), 0, 0
    quality = -0.8 * np.arange(5.0)
    for _ in range(60):
        passed = world(
            layout(), generator, effects=(0.2, 0.2, 0.1), quality=quality, spread=np.ones(5)
        )
        apart = told_apart(p_values(layout(), passed, seed=0, draws=500))
        found = rank_intervals(apart, layout().weights() @ passed)
        held += int(((found[:, 0] <= range(1, 6)) & (found[:, 1] >= range(1, 6))).sum())
        narrow += int((found[:, 1] - found[:, 0] < 4).sum())
    assert held >= 0.95 * 300
    assert narrow > 0.5 * 300


@pytest.mark.parametrize("seed", range(8))
def test_p_values_say_what_is_told_apart(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = layout().sizes
    better = np.linspace(0.3, 0.9, 6)
    passed = generator.binomial(sizes[:, None], better, size=(len(sizes), 6)).astype(float)
    p = p_values(layout(), passed, seed=0, draws=1000)
    apart = told_apart(p)
    assert apart.any()
    assert not apart[p > 0.05].any()
    assert apart[p <= 0.05].all()
    np.testing.assert_array_equal(p, p.T)
    assert (np.diag(p) == 1).all()
    assert p.min() >= 1 / 1000
    assert p.max() <= 1


def test_equal_models_have_a_p_value_of_one_and_fixed_differences_the_smallest() -> None:
    made = standings(many({"a": "ppp", "b": "ppp", "c": "fpp"}), "t", {}, draws=200)
    a, b, c = (line.key for line in made.lines)
    assert made.differences[a, b] == (False, 1.0)
    assert made.differences[a, c] == (True, 1 / 200)
    assert made.differences[c, a] == made.differences[a, c]


def test_where_nothing_can_be_told_there_is_no_p_value() -> None:
    made = standings(frame(cells("a", "pp"), cells("b", "ff")), "t", FAMILIES)
    assert made.reason
    assert made.differences == {}


def test_the_parts_of_a_score_give_the_score() -> None:
    table = frame(
        cells("a", "ppf"), cells("a", "pm", "t2"), cells("b", "pff"), cells("b", "pp", "t2")
    )
    first = next(line for line in standings(table, "t", FAMILIES).lines if line.model == "a")
    assert {test: outcome.share for test, outcome in first.tests.items()} == {
        "t1": Fraction(2, 3),
        "t2": Fraction(1, 2),
    }
    assert summary.score(first.tests, FAMILIES) == first.score


def test_an_interval_reaches_as_far_up_as_that_of_a_worse_model() -> None:
    apart = np.zeros((3, 3), dtype=bool)
    apart[0, 1] = apart[1, 0] = True
    assert rank_intervals(apart, np.array([0.9, 0.8, 0.7])).tolist() == [[1, 2], [1, 3], [1, 3]]


def test_one_dataset_tells_nothing_of_others() -> None:
    rows = frame(
        *(cells(m, v, f"t{n}") for n in range(8) for m, v in (("a", "pppp"), ("b", "pfff")))
    )
    made = standings(rows, "t", {})
    assert made.reason == ONE_DATASET
    assert [line.tier for line in made.lines] == [1, 1]


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ([1, 1, 1], [1, 1, 1]),
        ([1, 2, 3], [1, 2, 3]),
        ([1, 1, 2], [1, 1, 2]),
        ([1, 2, 2], [1, 2, 2]),
    ],
)
def test_tiers_follow_from_first_ranks(first: Sequence[int], expected: Sequence[int]) -> None:
    assert tiers(np.array(first), np.array([0.9, 0.8, 0.7])).tolist() == expected


def test_published_results_are_compared_on_common_cells() -> None:
    rows, chance = published.load(), published.chance()
    made = {t: standings(rows, t, {}, chance=chance) for t in rows["target"].unique()}
    assert [found.cells for found in made.values()] == [466, 476, 472, 615]
    for found in made.values():
        assert len(found.compared) == 11
        assert found.floor["fairness"] == 1
        assert found.telling < 0.6 * found.cells
        for line in found.compared:
            assert line.low is not None
            assert line.high is not None
            assert line.place is not None
            assert line.low <= line.place <= line.high


# -- what `build.py summary` prints -----------------------------------------------------------


def test_json_has_ranks_and_what_they_rest_on() -> None:
    rows = many({"a": "pppp", "b": "pfff", "dice": "ffff"}, 6)
    made = summary.to_json(rows, {}, False, chance=["dice"])
    assert [(r["model"], r["tier"], r["rank_low"], r["rank_high"]) for r in made["ranks"]] == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
        ("dice", None, None, None),
    ]
    assert made["ranks"][1]["score"] == made["ranks"][1]["beyond_chance"] == 0.25
    (common,) = made["common"]
    assert (common["cells"], common["pairs"], common["telling"], common["chance"]) == (24, 6, 18, 0)


def test_json_of_the_published_results_keeps_them_apart() -> None:
    made = summary.to_json(many({"a": "pf", "b": "pp"}, 1), {}, True)
    assert {(r.get("scope"), r["target"]) for r in made["ranks"]} == {
        (None, "t"),
        *(("published", target) for target in published.load()["target"].unique()),
    }
    assert "NaN" not in json.dumps(made)


def test_scopes_are_ranked_apart() -> None:
    rows = frame(cells("a", "p"), cells("b", "f"), cells("a", "f", dataset="e"))
    made = summary.to_json(rows, {}, False, scopes={"e": "demonstration data"})
    assert [(c.get("scope"), c["cells"], c["reason"]) for c in made["common"]] == [
        (None, 1, FEW_PAIRS),
        ("demonstration data", 1, ONE_MODEL),
    ]


def test_text_says_how_sure_an_order_is() -> None:
    text = summary.text(many({"a": "pppp", "b": "pfff"}, 6), {}, chance=[])
    assert "t\n24 cells, 18 of them tell models apart; no chance model was run on them" in text
    assert max(map(len, text.splitlines())) <= 100
    lines = [line.split() for line in text.splitlines()]
    assert ["1", "1", "a", "24/24", "100.0", "%", "-", "100.0", "%", "100.0", "%"][:7] in [
        line[:7] for line in lines
    ]


def test_text_of_disjoint_models_has_no_nan() -> None:
    rows = frame(cells("a", "pp", "t1"), cells("b", "ff", "t2"))
    text = summary.text(rows, FAMILIES)
    assert f"t\n{NO_COMMON}" in text
    assert "nan" not in text.lower()


def test_claims_about_the_published_results() -> None:
    """The numbers that stand on their page."""
    rows, chance = published.load(), published.chance()
    found = {
        target: summary.claims(
            rows,
            target,
            {},
            standings=standings(rows, target, {}, chance=chance),
            chance=chance,
            family="fairness",
        )
        for target in rows["target"].unique()
    }
    assert sum(made.changed for made in found.values()) == 2
    assert [made.executed for made in found.values()] == [
        (381, 466), (360, 476), (364, 472), (615, 615),
    ]  # fmt: skip
    assert all(made.fairness == 1 for made in found.values())
    assert [len(made.below) for made in found.values()] == [0, 0, 3, 0]
    assert [round(100 * made.same) for made in found.values()] == [64, 57, 60, 52]
    assert [made.like_winner for made in found.values()] == [6, 7, 3, 4]
