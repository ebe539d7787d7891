"""Intervals of scores: groups against all, conditions against each other, units, edges."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.errors import LengthError
from common.metrics import METRICS
from common.uncertainty import Bootstrap, Recipe, Term
from common.uncertainty import clusters as clusters_module
from common.uncertainty.bootstrap import limits_of

LABELS = ("a", "b", "c")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def regression(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.random(n)
    return truth, np.clip(truth + 0.2 * rng.normal(size=n), 0, 1)


def slow(codes, weights, score) -> np.ndarray:
    """Scores of resamples by copying rows: ``score(rows)``."""
    rows = [np.flatnonzero(codes == c) for c in range(codes.max() + 1)]
    found = []
    for often in weights.astype(int):
        picked = [rows[c] for c in range(len(rows)) for _ in range(often[c])]
        found.append(score(np.concatenate(picked)))
    return np.array(found)


def test_group_and_all_are_resampled_together(rng) -> None:
    truth, prediction = regression(rng, 300)
    codes, group = np.arange(300) % 30, np.arange(300) % 30 < 12
    everyone = Term("ccc", (truth, prediction))
    own = Term("ccc", (truth[group], prediction[group]), rows=(np.flatnonzero(group),))
    bootstrap = Bootstrap(codes, seed=0, draws=40)
    recipe = Recipe(own, minus=everyone)
    function = METRICS.get("ccc").function

    def score(rows: np.ndarray) -> float:
        inside = rows[group[rows]]
        whole = function(truth[rows], prediction[rows])
        return function(truth[inside], prediction[inside]) - whole

    weights = clusters_module.Clusters(codes, seed=0, draws=40).weights
    np.testing.assert_allclose(bootstrap.draws(recipe), slow(codes, weights, score), atol=1e-12)
    assert bootstrap.interval(recipe).clusters == 12


def test_shift_of_a_group_is_resampled_with_all(rng) -> None:
    prediction = rng.random(400)
    codes, group = np.arange(400) % 40, np.arange(400) % 40 < 10
    rows = np.flatnonzero(group)
    term = Term("mean_difference", (prediction, prediction[group]), rows=(np.arange(400), rows))
    assert not term.is_aligned
    bootstrap = Bootstrap(codes, seed=0, draws=40, span=1.0)
    weights = clusters_module.Clusters(codes, seed=0, draws=40).weights

    def score(picked: np.ndarray) -> float:
        inside = picked[group[picked]]
        return prediction[inside].mean() - prediction[picked].mean()

    found = bootstrap.draws(Recipe(term))
    np.testing.assert_allclose(found, slow(codes, weights, score), atol=1e-12)
    assert bootstrap.interval(Recipe(term)).clusters == 10


def test_pairs_make_differences_certain(rng) -> None:
    """The change of a score is known better than the score: the same speakers are drawn."""
    truth, original = regression(rng, 400)
    changed = np.clip(original + 0.01 * rng.normal(size=400), 0, 1)
    bootstrap = Bootstrap(np.arange(400) % 20, seed=0)
    change = bootstrap.interval(Recipe(Term("change_ccc", (truth, original, changed))))
    score = bootstrap.interval(Recipe(Term("ccc", (truth, changed))))
    assert change.high - change.low < 0.3 * (score.high - score.low)


def test_two_models_are_compared_on_the_same_resamples(rng) -> None:
    truth, one = regression(rng, 300)
    other = np.clip(one + 0.02, 0, 1)
    codes = np.arange(300) % 15
    parts = [Term("mae", (truth, values)) for values in (one, other)]
    apart = [Bootstrap(codes, seed=0, keys=("d",)).draws(Recipe(part)) for part in parts]
    together = Bootstrap(codes, seed=0, keys=("d",)).draws(Recipe(parts[1], minus=parts[0]))
    np.testing.assert_allclose(together, apart[1] - apart[0], atol=1e-12)
    assert together.std() < apart[0].std() / 2


@pytest.mark.parametrize("away", [0.0, 1.0])
def test_how_far_groups_lie_apart_is_no_chance(away: float) -> None:
    """Drawn from all speakers, resamples have more or fewer of each group; within groups not."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(30), 20)
    group = codes // 10
    prediction = rng.normal(size=30)[codes] / 3 + rng.normal(size=600) + away * group
    rows = np.flatnonzero(group == 0)
    term = Term("mean_difference", (prediction, prediction[rows]), rows=(np.arange(600), rows))
    bootstrap = Bootstrap(codes, seed=0)
    ends = [bootstrap.interval(Recipe(term, strata=strata)) for strata in (None, group)]
    widths = [end.high - end.low for end in ends]
    if away:
        assert widths[0] > 1.35 * widths[1]
    else:
        assert widths[0] == pytest.approx(widths[1], rel=0.15)
    # the standard error of a mean over groups with fixed shares
    means = np.array([prediction[codes == c].mean() for c in range(30)]).reshape(3, 10)
    weights = np.array([2 / 3, -1 / 3, -1 / 3])
    error = np.sqrt((weights**2 * means.var(axis=1, ddof=1) / 10).sum())
    assert widths[1] == pytest.approx(2 * 2.13 * error, rel=0.1)
    assert ends[1].clusters == 10


def test_units_are_resampled_themselves(rng) -> None:
    truth, prediction = rng.random(12), rng.random(12)
    names = np.array([f"s{n}" for n in rng.permutation(12)], dtype=object)
    bootstrap = Bootstrap(np.arange(500) % 12, seed=0)
    recipe = Recipe(Term("spearmans_rho", (truth, prediction)), units=names)
    found = bootstrap.interval(recipe)
    assert found.clusters == 12 and -1 <= found.low < found.high <= 1
    order = rng.permutation(12)
    again = Recipe(Term("spearmans_rho", (truth[order], prediction[order])), units=names[order])
    assert bootstrap.interval(again) == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_order_of_samples_has_no_effect(rng) -> None:
    truth, prediction = regression(rng, 200)
    codes, order = np.arange(200) % 8, rng.permutation(200)
    found = Bootstrap(codes, seed=0).interval(Recipe(Term("ccc", (truth, prediction))))
    again = Bootstrap(codes[order], seed=0).interval(
        Recipe(Term("ccc", (truth[order], prediction[order])))
    )
    assert again == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_classes_bins_and_groups_have_intervals_of_their_own(rng) -> None:
    truth, prediction = (rng.choice(LABELS, 300).astype(object) for _ in range(2))
    bootstrap = Bootstrap(np.arange(300) % 25, seed=0, span=1.0)
    recipe = Recipe(Term("recall_per_class", (truth, prediction), labels=LABELS))
    values = METRICS.get("recall_per_class").function(truth, prediction, labels=LABELS)
    for label, value in values.items():
        assert 0 < bootstrap.interval(recipe, label).low < value
    group = rng.choice(["x", "y"], 300).astype(object)
    term = Term("mean_shift_difference", (rng.random(300), group, rng.random(300) < 0.5))
    shifts = METRICS.get("mean_shift_difference").function(*term.arrays)
    for name in ("x", "y"):
        low, high, clusters, *_ = bootstrap.interval(Recipe(term, group=name))
        assert low < shifts[name].difference < high and 20 < clusters <= 25


def test_a_class_of_one_speaker_says_nothing(rng) -> None:
    truth = np.where(np.arange(100) % 10 == 0, "a", "b").astype(object)
    recipe = Recipe(Term("recall_per_class", (truth, truth), labels=("a", "b")))
    bootstrap = Bootstrap(np.arange(100) % 10, seed=0)
    assert bootstrap.interval(recipe, "a")[:3] == (0, 1, 1)
    assert bootstrap.interval(recipe, "b").low > 0.9


def test_a_class_that_never_occurs_says_nothing(rng) -> None:
    truth = np.array(["a"] * 30, dtype=object)
    recipe = Recipe(Term("recall_per_class", (truth, truth), labels=("a", "b")))
    assert Bootstrap(np.arange(30), seed=0).interval(recipe, "b")[:3] == (0, 1, 0)


def test_more_samples_than_are_resampled_one_by_one(rng, monkeypatch) -> None:
    truth, prediction = regression(rng, 3000)
    recipe = Recipe(Term("ccc", (truth, prediction)))
    exact = Bootstrap(np.arange(3000), seed=0).interval(recipe)
    monkeypatch.setattr(clusters_module, "MOST", 500)
    merged = Bootstrap(np.arange(3000), seed=0).interval(recipe)
    assert merged.clusters == exact.clusters == 3000
    assert merged.high - merged.low == pytest.approx(exact.high - exact.low, rel=0.15)
    ranks = Recipe(Term("spearmans_rho", (truth, prediction)))
    low, high, *_ = Bootstrap(np.arange(3000), seed=0).interval(ranks)
    assert 0.01 < high - low < 0.04
    pairs = Bootstrap(np.arange(3000) // 2, seed=0)
    assert pairs.interval(recipe).clusters == pairs.interval(ranks).clusters == 1500


def test_what_scores_share_is_evaluated_once(rng, monkeypatch) -> None:
    from common.uncertainty import bootstrap as module

    calls = []
    original = module.bind
    monkeypatch.setattr(module, "bind", lambda *a: calls.append(a[0]) or original(*a))
    truth, prediction = regression(rng, 100)
    everyone = Term("ccc", (truth, prediction))
    bootstrap = Bootstrap(np.arange(100) % 10, seed=0)
    for start in (0, 1, 2):
        rows = np.arange(start, 100, 3)
        own = Term("ccc", (truth[rows], prediction[rows]), rows=(rows,))
        recipe = Recipe(own, minus=everyone)
        assert bootstrap.interval(recipe) == bootstrap.interval(recipe)
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("name", "difference", "expected"),
    [
        ("uar", False, (0, 1)),
        ("uar", True, (-1, 1)),
        ("change_ccc", False, (-2, 2)),
        ("mae", False, (0, 0.5)),
        ("mean_difference", False, (-0.5, 0.5)),
        ("mean_shift_difference", False, (-1, 1)),
        ("bin_proportion_shift_difference", False, (-2, 2)),
    ],
)
def test_limits(name: str, difference: bool, expected: tuple[float, float]) -> None:
    assert limits_of(METRICS.get(name), 0.5, difference=difference) == expected


def test_limits_without_a_known_range() -> None:
    nan = float("nan")
    assert limits_of(METRICS.get("mae"), nan, difference=False) == (0, float("inf"))
    assert limits_of(METRICS.get("ccc"), nan, difference=False) == (-1, 1)


def test_arrays_that_do_not_fit_their_rows_are_refused() -> None:
    with pytest.raises(LengthError, match="mae: 3 values of 2 samples"):
        Term("mae", (np.zeros(3), np.zeros(3)), rows=(np.arange(2),))
    with pytest.raises(LengthError, match="mae: 2 values of 3 samples"):
        Term("mae", (np.zeros(3), np.zeros(2)))
