"""The public functions: what they give is what a run gives, and faults are one clear line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import common
from common.core import paths
from common.core.errors import BenchmarkError, ConfigError, DataError, ModelError
from common.engine.plan import Filters
from common.engine.run import Engine
from common.metrics import METRICS
from common.perturbations.applied import perturb
from common.reports.evaluating import DATASET, SAME, evaluate
from common.results import tables
from common.samples.importing import import_dataset
from common.spec import load_benchmark

N = 120


@pytest.fixture(scope="module")
def dataset() -> pd.DataFrame:
    random = np.random.default_rng(3)
    table = pd.DataFrame({"file": [f"audio/{n:03d}.wav" for n in range(N)]})
    table["speaker"] = [f"s{n % 12}" for n in range(N)]
    table["sex"] = ["female" if n % 2 else "male" for n in range(N)]
    table["arousal"] = random.uniform(0, 1, N)
    table["emotion"] = random.choice(["anger", "happiness", "neutral", "sadness"], N)
    return table


@pytest.fixture(scope="module")
def predictions(dataset: pd.DataFrame) -> pd.DataFrame:
    random = np.random.default_rng(4)
    table = dataset[["file"]].copy()
    table["arousal"] = (dataset["arousal"] + random.normal(0, 0.15, N)).clip(0, 1)
    table["emotion"] = dataset["emotion"].where(random.random(N) < 0.7, "neutral")
    return table


@pytest.fixture(scope="module")
def rows(dataset: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    return evaluate(predictions, dataset)


def test_rows_are_those_of_a_run(
    dataset: pd.DataFrame, predictions: pd.DataFrame, rows: pd.DataFrame, tmp_path: Path
) -> None:
    data, catalog = tmp_path / "data", tmp_path / "catalog"
    data.mkdir()
    dataset.to_csv(data / "metadata.csv", index=False)
    import_dataset(data, DATASET, None, catalog)
    predictions.to_csv(catalog / "p.csv", index=False)
    entry = {"id": "m", "version": "1.0.0", "adapter": "predictions", "path": "p.csv"}
    (catalog / "models.yaml").write_text(yaml.safe_dump([entry]), "utf-8")
    folders = paths.Paths(output=tmp_path / "out", cache=tmp_path / "cache")
    engine = Engine(load_benchmark([catalog]), folders)
    engine.run(Filters(models=["m"], targets=[], tests=[], datasets=[DATASET]))
    parts = [tables.read_csv(path) for path in sorted(folders.method_tests.glob("*/m/*.csv"))]
    expected = pd.concat(parts, ignore_index=True).drop(columns=list(SAME))
    expected = expected[expected["cause"] != "not run"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows, expected)


def test_all_that_predictions_allow_is_scored(rows: pd.DataFrame) -> None:
    executed = rows[rows["status"].isin(["pass", "fail"])]
    assert {"correctness_regression", "correctness_classification"} <= {*executed["test"]}
    (reason,) = set(rows.loc[rows["test"] == "fairness_sex", "reason"]) - {""}
    assert "samples" in reason  # groups that are too small are skipped, as in a run
    assert executed["value"].notna().all()
    assert any("robustness" in cell for cell in rows.attrs["not_run"])


def test_tables_with_an_index_of_audformat_and_files_give_the_same(
    dataset: pd.DataFrame, predictions: pd.DataFrame, rows: pd.DataFrame, tmp_path: Path
) -> None:
    test = "correctness_regression"
    file = tmp_path / "predictions.csv"
    predictions[["file", "arousal"]].to_csv(file, index=False)
    start = pd.to_timedelta(np.zeros(N), unit="s")
    keys = [predictions["file"], start, pd.to_timedelta([None] * N)]
    index = pd.MultiIndex.from_arrays(keys, names=["file", "start", "end"])
    series = pd.Series(predictions["arousal"].to_numpy(), index, name="arousal")
    expected = rows[rows["test"] == test].reset_index(drop=True)
    parts = dataset.drop(columns="file").set_index(
        pd.MultiIndex.from_arrays(
            [keys[0], start + pd.Timedelta("0.5s"), keys[2]], names=index.names
        )
    )
    for table in (series, predictions):
        with pytest.raises(ModelError, match="no prediction for") as lacking:
            evaluate(table, parts, tests=[test])
        assert "predictions.csv" not in str(lacking.value), "nobody has such a file"
    of_parts = evaluate(
        pd.Series(series.to_numpy(), parts.index, name="arousal"), parts, tests=[test]
    )
    assert of_parts["value"].tolist() == expected["value"].tolist()
    for given in (file, series, predictions.set_index("file")["arousal"]):
        pd.testing.assert_frame_equal(evaluate(given, dataset, tests=[test]), expected)


def test_names_of_classes_that_are_known_are_understood(
    dataset: pd.DataFrame, predictions: pd.DataFrame, rows: pd.DataFrame
) -> None:
    test = "correctness_classification"
    others = predictions[["file", "emotion"]].replace({"happiness": "happy", "anger": "angry"})
    expected = rows[rows["test"] == test].reset_index(drop=True)
    pd.testing.assert_frame_equal(evaluate(others, dataset, tests=[test]), expected)


def test_faults_of_tables_are_told(
    dataset: pd.DataFrame, predictions: pd.DataFrame, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="predictions: no column or index 'file'"):
        evaluate(predictions.drop(columns="file"), dataset)
    with pytest.raises(DataError, match="predictions: expected a data frame or a file, found dict"):
        evaluate({"file": []}, dataset)
    with pytest.raises(ConfigError, match=r"expected several ids, such as \['fairness_sex'\]"):
        evaluate(predictions, dataset, tests="fairness_sex")
    with pytest.raises(ConfigError, match="no column is named as a target"):
        evaluate(predictions[["file"]], dataset)
    with pytest.raises(ConfigError, match="no such folder"):
        evaluate(predictions, "/no/such/folder")
    with pytest.raises(ConfigError, match=r"^tests: unknown test 'correctness'"):
        evaluate(predictions, dataset, tests=["correctness"])
    other = tmp_path / "other.csv"
    other.write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"; name the one that has the paths 'file'$"):
        evaluate(predictions, other)
    with pytest.raises(ModelError, match=r"no prediction for .* first: audio/010.wav"):
        evaluate(predictions.iloc[:10], dataset)
    with pytest.raises(BenchmarkError, match="rage"):
        evaluate(predictions.replace("anger", "rage"), dataset)


def test_every_metric_is_a_function_of_the_package() -> None:
    from common import metrics

    for metric in METRICS:
        assert getattr(metrics, metric.id) is metric.function
        assert metric.id in dir(metrics)
    with pytest.raises(AttributeError, match="no metric 'cc'"):
        _ = metrics.cc


def test_public_names_are_found_and_others_are_not() -> None:
    assert common.evaluate is evaluate
    assert common.perturb is perturb
    assert common.events.EventList.__name__ == "EventList"
    assert {"evaluate", "perturb", "metrics", "events"} <= {*dir(common)}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = common.nothing


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, common; print(sorted({'numpy', 'pandas', 'scipy', 'sphinx'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=paths.REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def _ratio(signal: np.ndarray, noisy: np.ndarray) -> float:
    kept = (
        noisy @ signal / (signal @ signal)
    ) * signal  # the level of the sum is that of the signal
    return float(10 * np.log10((kept**2).mean() / ((noisy - kept) ** 2).mean()))


def test_parameters_of_a_perturbation_are_met() -> None:
    signal = (np.sin(np.arange(320000) / 20) / 10).astype("float32")
    for snr_db in (20, 10, 0):
        noisy = perturb(signal, 16000, "white-noise", snr_db=snr_db)
        assert abs(_ratio(signal, noisy) - snr_db) < 0.1
    assert noisy.shape == signal.shape
    assert perturb(signal[None], 16000, "white-noise").shape == (1, 320000)
    assert np.array_equal(perturb(signal, 16000, "gain", gain_db=0), signal)


def test_draws_follow_the_seed_alone() -> None:
    signal = np.zeros(1600, "float32") + 0.1
    first, again, other = (perturb(signal, 16000, "white-noise", seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_faults_of_a_perturbation_are_told() -> None:
    signal = np.zeros(100, "float32")
    with pytest.raises(ConfigError, match="Did you mean 'white-noise'"):
        perturb(signal, 16000, "white-nose")
    with pytest.raises(ConfigError, match="unknown parameter of 'white_background' 'snr'"):
        perturb(signal, 16000, "white-noise", snr=3)
    with pytest.raises(ConfigError, match=r"snr_db: expected a number"):
        perturb(signal, 16000, "white-noise", snr_db="ten")
    with pytest.raises(ConfigError, match=r"expected \(samples,\) or \(channels, samples\)"):
        perturb(np.zeros((1, 2, 3)), 16000, "white-noise")
    with pytest.raises(ConfigError, match="chosen with 'corpora'"):
        perturb(signal, 16000, "music", corpus="mine")


def test_of_many_faults_the_first_sample_is_named_whoever_failed_first(
    dataset: pd.DataFrame, predictions: pd.DataFrame
) -> None:
    shuffled = evaluate(predictions, dataset, tests=["fairness_pitch"], workers=4)
    assert set(shuffled["reason"]) == {
        f"no pitch for {N} of {N} samples; first: audio/000.wav: no such file"
    }


def test_numbers_on_another_scale_are_refused_until_it_is_stated(
    dataset: pd.DataFrame, predictions: pd.DataFrame, tmp_path: Path
) -> None:
    tests = ["correctness_regression"]
    expected = evaluate(predictions[["file", "arousal"]], dataset, tests=tests)
    likert = predictions[["file", "arousal"]].assign(arousal=predictions["arousal"] * 6 + 1)
    file = tmp_path / "likert.csv"
    likert.to_csv(file, index=False)
    for given in (likert, file):
        with pytest.raises(
            DataError, match=r"arousal: values from 1 to 7, expected 0 to 1; scale="
        ):
            evaluate(given, dataset, tests=tests)
        mapped = evaluate(given, dataset, tests=tests, scale=(1, 7))
        np.testing.assert_allclose(mapped["value"], expected["value"], atol=1e-9)
    as_they_are = evaluate(likert, dataset, tests=tests, scale=(0, 1))
    assert as_they_are.set_index("metric").loc["mae", "value"] > 1
    with pytest.raises(
        ConfigError, match=r"scale: expected \(low, high\), such as \(1, 7\), found"
    ):
        evaluate(likert, dataset, tests=tests, scale=(7, 1))


def test_annotations_on_another_scale(dataset: pd.DataFrame, predictions: pd.DataFrame) -> None:
    tests = ["correctness_regression"]
    expected = evaluate(predictions[["file", "arousal"]], dataset, tests=tests)
    likert = dataset.assign(arousal=dataset["arousal"] * 6 + 1)
    with pytest.raises(DataError, match=r"^dataset: row 1 .* outside \[0, 1\]; truth_scale=\(min"):
        evaluate(predictions[["file", "arousal"]], likert, tests=tests)
    mapped = evaluate(predictions[["file", "arousal"]], likert, tests=tests, truth_scale=(1, 7))
    np.testing.assert_allclose(mapped["value"], expected["value"], atol=1e-9)


def test_rows_that_stand_twice_are_named_without_temporary_files(
    dataset: pd.DataFrame, predictions: pd.DataFrame
) -> None:
    twice = pd.concat([dataset, dataset.iloc[:1]])
    with pytest.raises(
        DataError, match=r"^dataset: row 121 \(audio/000\.wav\): the same segment as"
    ):
        evaluate(predictions, twice)
    twice = pd.concat([predictions, predictions.iloc[:1]])
    with pytest.raises(ModelError, match=r"first: predictions: rows 2 and 122 are for the same"):
        evaluate(twice, dataset)


@pytest.mark.parametrize(
    ("signal", "rate", "message"),
    [
        (
            np.zeros(9, np.int16),
            16000,
            r"^signal: expected floats .* found int16; divide by 32768$",
        ),
        (np.zeros(9, np.uint8), 16000, r"^signal: expected floats in \[-1, 1\], found uint8$"),
        ("text", 16000, r"^signal: expected floats"),
        (np.zeros(9), 0, r"^sampling_rate: expected a positive whole number in Hz, found 0$"),
        (np.zeros(9), -1, r"found -1$"),
        (np.zeros(9), 16000.5, r"found 16000\.5$"),
        (np.zeros(9), float("nan"), r"found nan$"),
        (np.zeros(9), "16000", r"found '16000'$"),
        (np.zeros(9), True, r"found True$"),
    ],
)
def test_a_signal_or_rate_that_is_none(signal: object, rate: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        perturb(signal, rate, "gain")  # type: ignore[arg-type]


def test_a_rate_of_numpy_is_one() -> None:
    assert perturb([0.0, 0.5], np.int64(16000), "gain", gain_db=0).tolist() == [0.0, 0.5]  # type: ignore[arg-type]
