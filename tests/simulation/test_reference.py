"""The draws of the paper: its table again, digit by digit, and a slow version beside it."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from scipy.stats import truncnorm

from common.core.paths import REPOSITORY
from common.uncertainty.simulation import POINTS, SETUPS, Setup, reference
from common.uncertainty.simulation.setup import WITH_TRUTH, points
from common.uncertainty.simulation.table import PUBLISHED_NAMES, published_rows

PUBLISHED = REPOSITORY / "extra" / "published" / "fairness_simulation.csv"
KEYS = ["simulation", "distribution", "distribution_truth", "distribution_pred", "varied"]
#: the reference subtracts differently indexed series there
MEANINGLESS = Setup("mean_directional_error", varied=True)


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    table = pd.read_csv(PUBLISHED, dtype=str, keep_default_na=False)
    return table.set_index([*KEYS, "n_samples", "n_groups"])


def compare(published: pd.DataFrame, found) -> int:
    rows = pd.DataFrame(published_rows(found)).astype({"n_samples": str, "n_groups": str})
    rows["varied"] = rows["varied"].astype(str)
    rows = rows.set_index([*KEYS, "n_samples", "n_groups"])
    theirs = published.loc[rows.index]
    for column in ("max", "99_perc"):
        assert np.allclose(rows[column], theirs[column].astype(float), rtol=0, atol=1e-9)
    return len(rows)


def test_the_table_has_all_setups_and_points(published) -> None:
    assert len(SETUPS) * len(POINTS) == len(published) == 4788
    assert points([20, 40], [2, 3]) == [(20, 2), (40, 2), (20, 3), (40, 3)]


def test_a_random_sample_of_the_published_table_comes_out_again(published) -> None:
    rng = random.Random(7)
    small = [point for point in POINTS if point[0] * point[1] <= 1200]
    setups = [setup for setup in SETUPS if setup != MEANINGLESS]
    assert compare(published, reference.simulate(setups, rng.sample(small, 6))) == 41 * 6


def test_all_operating_points_come_out_again(published) -> None:
    wanted = {
        (60, 30): ("mean_difference", "relative_difference_per_bin"),
        (1000, 6): ("mean_difference", "relative_difference_per_bin"),
        (600, 8): ("mean_shift_difference", "bin_proportion_shift_difference"),
        (1000, 8): ("mean_shift_difference", "bin_proportion_shift_difference"),
        (1000, 3): ("ccc", "precision_per_bin", "recall_per_bin"),
        (1000, 2): ("ccc", "precision_per_bin", "recall_per_bin"),
    }
    labelled = {
        (60, 30): ("relative_difference_per_class",),
        (1000, 6): ("relative_difference_per_class",),
        (600, 8): ("class_proportion_shift_difference",),
        (1000, 8): ("class_proportion_shift_difference",),
        (1000, 3): ("uar", "precision_per_class", "recall_per_class"),
        (1000, 2): ("uar", "precision_per_class", "recall_per_class"),
    }
    count = 0
    for point, metrics in wanted.items():
        setups = [Setup(metric) for metric in metrics]
        setups += [
            Setup(metric, "sparse" if metric in WITH_TRUTH else "", "uniform")
            for metric in labelled[point]
        ]
        count += compare(published, reference.simulate(setups, [point]))
    assert count == 24


def test_maxima_of_the_paper() -> None:
    """Three thresholds of the paper, with the numbers that its text names."""
    ccc = reference.simulate([Setup("ccc")], [(1000, 3)])
    assert ccc[Setup("ccc"), (1000, 3)].maximum == pytest.approx(0.1008, abs=5e-5)
    setup = Setup("recall_per_class", "sparse", "uniform")
    recall = reference.simulate([setup], [(1000, 2)])
    assert recall[setup, (1000, 2)].maximum == pytest.approx(0.1777, abs=5e-5)


@pytest.mark.parametrize("varied", [False, True])
def test_recall_per_class_against_a_loop(varied: bool) -> None:
    """The simulation as it is described, one repetition and one sample after the other."""
    n, g, repetitions = 20, 3, 12
    setup = Setup("recall_per_class", "sparse", "uniform", varied)
    found = reference.simulate([setup], [(n, g)], repetitions=repetitions)[setup, (n, g)]
    shares = [0.05, 0.05, 0.3, 0.6]
    for seed in range(1, repetitions + 1):
        ours, legacy = random.Random(seed), np.random.RandomState(seed)
        if varied:
            truth = [
                c for _ in range(g) for c in legacy.choice(4, size=n, p=ours.sample(shares, 4))
            ]
        else:
            truth = list(legacy.choice(4, size=n * g, p=shares))
        prediction = list(legacy.choice(4, size=n * g, p=[0.25] * 4))

        def recall(size: int, label: int, truth=truth, prediction=prediction) -> float:
            of = [k for k in range(size) if truth[k] == label]
            return sum(prediction[k] == label for k in of) / len(of) if of else 0.0

        expected = max(abs(recall(n, label) - recall(n * g, label)) for label in range(4))
        assert found.values[seed - 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "metric", ["ccc", "mae", "mean_directional_error", "mean_shift_difference"]
)
def test_numbers_against_a_loop(metric: str) -> None:
    n, g, repetitions = 20, 3, 8
    setup = Setup(metric)
    found = reference.simulate([setup], [(n, g)], repetitions=repetitions)[setup, (n, g)]
    for seed in range(1, repetitions + 1):
        legacy = np.random.RandomState(seed)

        def draw(size: int, legacy=legacy) -> np.ndarray:
            return truncnorm.rvs(-3, 3, loc=0.5, scale=1 / 6, size=size, random_state=legacy)

        if metric == "mean_shift_difference":
            parts = draw(3 * n * g).reshape(g, 3, n)
            shifts = [part[0].mean() - part.mean() for part in parts]
            expected = abs(shifts[0] - np.mean(shifts))
        else:
            truth, prediction = draw(n * g), draw(n * g)
            expected = abs(
                value(metric, truth[:n], prediction[:n]) - value(metric, truth, prediction)
            )
        assert found.values[seed - 1] == pytest.approx(expected, abs=1e-12)


def value(metric: str, truth: np.ndarray, prediction: np.ndarray) -> float:
    if metric == "mae":
        return float(np.abs(truth - prediction).mean())
    if metric == "mean_directional_error":
        return float((prediction - truth).mean())
    t, p = truth - truth.mean(), prediction - prediction.mean()
    offset = len(t) * (truth.mean() - prediction.mean()) ** 2
    return float(2 * (t @ p) / (t @ t + p @ p + offset))


def test_global_generators_are_left_alone() -> None:
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002 (the point of the test)
    before = random.random(), np.random.random()  # noqa: NPY002
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    reference.simulate([Setup("mae", varied=True)], [(20, 2)], repetitions=3)
    assert (random.random(), np.random.random()) == before  # noqa: NPY002


def test_names_of_the_published_table() -> None:
    assert PUBLISHED_NAMES["uar"] == "recall"
    table = published_rows({(SETUPS[0], (20, 2)): reference.simulate(
        [SETUPS[0]], [(20, 2)], repetitions=5
    )[SETUPS[0], (20, 2)]})  # fmt: skip
    assert list(table[0]) == [
        "n_samples", "n_groups", "max", "distribution", "simulation",
        "distribution_truth", "distribution_pred", "varied", "99_perc",
    ]  # fmt: skip
