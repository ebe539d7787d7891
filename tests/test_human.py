"""Agreement of a rater with the others, by the metrics of the tests."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import audformat
import numpy as np
import pytest

from common import results
from common.core.errors import BenchmarkError, ConfigError
from common.core.paths import Paths
from common.engine import human
from common.engine.check import faults
from common.metrics import METRICS
from common.samples.importing import import_dataset
from common.spec import load_benchmark
from common.spec.records import Ratings

RATERS = 5


def test_mean_of_the_others_is_that_of_a_plain_loop() -> None:
    generator = np.random.default_rng(0)
    ratings = generator.random((30, 4))
    ratings[generator.random(ratings.shape) < 0.4] = np.nan
    expected = []
    for row, values in enumerate(ratings):
        for rater, value in enumerate(values):
            rest = np.delete(values, rater)
            if not np.isnan(value) and not np.isnan(rest).all():
                expected.append((row, np.nanmean(rest), value))
    found = human.leave_one_out_mean(ratings)
    assert found.rows.tolist() == [row for row, _, _ in expected]
    np.testing.assert_allclose(found.others, [mean for _, mean, _ in expected])
    assert found.rating.tolist() == [value for _, _, value in expected]


def test_majority_of_the_others_is_that_of_a_plain_loop() -> None:
    generator = np.random.default_rng(1)
    labels = np.array(["a", "b", "c"], dtype=object)
    votes = generator.integers(0, 4, (40, 3))
    expected = []
    for row, counts in enumerate(votes):
        for own, number in enumerate(counts):
            for _ in range(number):
                rest = counts.copy()
                rest[own] -= 1
                best = np.flatnonzero(rest == rest.max())
                if rest.max() > 0 and len(best) == 1:
                    expected.append((row, labels[best[0]], labels[own]))
    found = human.leave_one_out_majority(votes, labels)
    assert list(zip(*found, strict=True)) == expected


def test_a_sample_with_one_rating_says_nothing() -> None:
    assert len(human.leave_one_out_mean(np.array([[0.5, np.nan]])).rows) == 0
    assert len(human.leave_one_out_majority(np.array([[1, 0]]), np.array(["a", "b"])).rows) == 0
    assert len(human.leave_one_out_majority(np.array([[0, 0]]), np.array(["a", "b"])).rows) == 0


@pytest.mark.parametrize("entry", [{}, {"columns": ["a", "b"], "votes": {"anger": "a"}}])
def test_ratings_are_columns_or_votes(entry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="needs either columns or votes"):
        Ratings.model_validate(entry)


def test_one_rater_is_none() -> None:
    with pytest.raises(ValueError, match="two raters or more"):
        Ratings(columns=("a",))


# -- a dataset of one's own -------------------------------------------------------------------


def dataset(folder: Path, ratings: str, *, speakers: bool = True, same: bool = False) -> Paths:
    """Catalog with a folder of 60 samples, five raters of arousal and votes on emotion."""
    generator = np.random.default_rng(3)
    names = [f"rater{n}" for n in range(RATERS)]
    labels = ["anger", "happiness", "neutral", "sadness"]
    lines = [",".join(["file", "speaker", "arousal", "emotion", *names, *labels])]
    for number in range(60):
        truth = 0.5 if same else generator.random()
        heard = (
            [truth] * RATERS if same else np.clip(truth + generator.normal(0, 0.2, RATERS), 0, 1)
        )
        emotion = labels[number % 4]
        votes = [4 if label == emotion else int(generator.integers(0, 3)) for label in labels]
        speaker = f"s{number % 6}" if speakers else ""
        fields = [f"{number}.wav", speaker, np.mean(heard), emotion, *heard, *votes]
        lines.append(",".join(map(str, fields)))
        (folder / f"{number}.wav").write_bytes(b"")
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n")
    column = "speaker: speaker, " if speakers else ""
    entry = (
        "- id: rated\n  version: 1.0.0\n  adapter: folder\n  path: .\n"
        f"  columns: {{{column}arousal: arousal, emotion: emotion}}\n"
        f"  ratings: {ratings}\n"
    )
    (folder / "datasets.yaml").write_text(entry)
    return Paths(output=folder / "out", cache=folder / "cache")


BOTH = (
    f"{{arousal: {{columns: [{', '.join(f'rater{n}' for n in range(RATERS))}]}}, "
    "emotion: {votes: {anger: anger, happiness: happiness, neutral: neutral, sadness: sadness}}}"
)


def run(folder: Path, folders: Paths) -> human.HumanReport:
    return human.update(load_benchmark([folder]), folders)


def test_raters_are_scored_by_the_metrics_of_the_tests(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH)
    report = run(tmp_path, folders)
    assert not report.errors
    table = results.read_csv(folders.human)
    assert set(table["target"]) == {"arousal", "emotion"}
    assert set(table["test"]) == {"correctness_regression", "correctness_classification"}
    assert set(table["model"]) == {human.RATER.id}
    ccc = table[table["metric"] == "ccc"].iloc[0]
    rated = np.genfromtxt(tmp_path / "metadata.csv", delimiter=",", names=True)
    ratings = np.stack([rated[f"rater{n}"] for n in range(RATERS)], axis=1)
    pairs = human.leave_one_out_mean(ratings)
    assert ccc["value"] == pytest.approx(METRICS.get("ccc").function(pairs.others, pairs.rating))
    assert (ccc["n"], ccc["clusters"]) == (60 * RATERS, 6)
    assert ccc["ci_low"] < ccc["value"] < ccc["ci_high"]
    assert ccc["note"] == "300 ratings of 60 samples"
    assert 0.5 < table[table["metric"] == "uar"]["value"].iloc[0] < 1


def test_samples_are_those_that_models_are_judged_on(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH)
    text = (tmp_path / "metadata.csv").read_text().replace(",anger,0", ",disgust,0")
    (tmp_path / "metadata.csv").write_text(text)
    run(tmp_path, folders)
    table = results.read_csv(folders.human)
    unlike = text.count(",disgust,0")
    assert unlike > 0
    note = table[table["metric"] == "uar"]["note"].iloc[0]
    assert note.endswith(f"of {60 - unlike} samples")


def test_without_speakers_the_ratings_of_a_sample_belong_together(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH, speakers=False)
    run(tmp_path, folders)
    table = results.read_csv(folders.human)
    assert table[table["metric"] == "ccc"]["clusters"].iloc[0] == 60


def test_equal_ratings_give_no_nan_in_the_file(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH, same=True)
    run(tmp_path, folders)
    table = results.read_csv(folders.human)
    arousal = table[table["target"] == "arousal"].set_index("metric")
    assert arousal.loc["pcc", "status"] == "skip"
    assert arousal.loc["pcc", "reason"]
    assert "nan" not in folders.human.read_text("utf-8").lower()


def test_what_is_up_to_date_is_not_computed_again(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH)
    assert run(tmp_path, folders).scores > 0
    before = folders.human.read_bytes()
    report = run(tmp_path, folders)
    assert (report.scores, report.current) == (0, 2)
    assert folders.human.read_bytes() == before
    hashes = folders.human.with_suffix(".json")
    assert set(json.loads(hashes.read_text())) == {
        "arousal/correctness_regression/rated",
        "emotion/correctness_classification/rated",
        human.TABLE,
    }


@pytest.mark.parametrize("damage", ["cut", "bit", "no text"])
def test_damaged_rows_are_computed_again(tmp_path: Path, damage: str) -> None:
    folders = dataset(tmp_path, BOTH)
    run(tmp_path, folders)
    before = folders.human.read_bytes()
    changed = bytearray(before)
    place = before.index(b"correctness_regression,rated")
    changed[place] ^= 1
    damaged = {"cut": before[:-5], "bit": bytes(changed), "no text": b"\xff\x00"}
    folders.human.write_bytes(damaged[damage])
    assert run(tmp_path, folders).scores > 0
    assert folders.human.read_bytes() == before
    assert run(tmp_path, folders).scores == 0


def test_rows_stay_while_the_data_are_away(tmp_path: Path) -> None:
    folders = dataset(tmp_path, BOTH)
    run(tmp_path, folders)
    before = folders.human.read_bytes()
    (tmp_path / "metadata.csv").rename(tmp_path / "elsewhere")
    assert list(run(tmp_path, folders).not_run) == ["rated"]
    assert folders.human.read_bytes() == before


def test_rows_stay_while_the_data_are_away_even_if_a_run_was_killed_between_two_files(
    tmp_path: Path,
) -> None:
    folders = dataset(tmp_path, BOTH)
    run(tmp_path, folders)
    folders.human.write_bytes(folders.human.read_bytes().replace(b"300 ratings", b"301 ratings"))
    before = folders.human.read_bytes()
    (tmp_path / "metadata.csv").rename(tmp_path / "elsewhere")
    run(tmp_path, folders)
    assert folders.human.read_bytes() == before
    (tmp_path / "elsewhere").rename(tmp_path / "metadata.csv")
    assert run(tmp_path, folders).scores > 0
    assert b"301 ratings" not in folders.human.read_bytes()


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ("{arousal: {columns: [rater0, rater9]}}", r"ratings.arousal: unknown column.*'rater9'"),
        ("{arousal: {votes: {anger: anger}}}", "ratings.arousal: votes go with classes"),
        ("{emotion: {votes: {angre: anger}}}", "unknown class 'angre'. Did you mean 'anger'"),
        ("{emotion: {votes: {anger: arousal}}}", "is no number of votes"),
        ("{arousel: {columns: [rater0, rater1]}}", "unknown target 'arousel'"),
    ],
)
def test_wrong_ratings_are_named(tmp_path: Path, ratings: str, message: str) -> None:
    from common.samples import datasets

    dataset(tmp_path, ratings)
    benchmark = load_benchmark([tmp_path])
    with pytest.raises(BenchmarkError, match=message):
        datasets.load(benchmark.datasets["rated"], tmp_path / "cache", benchmark.targets)


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ("{emotion: {votes: {angre: anger}}}", "unknown class 'angre'. Did you mean 'anger'"),
        ("{arousel: {columns: [rater0, rater1]}}", "unknown target 'arousel'"),
    ],
)
def test_wrong_names_are_found_without_the_data(tmp_path: Path, ratings: str, message: str) -> None:
    dataset(tmp_path, ratings)
    (found,) = faults(load_benchmark([tmp_path]))
    assert "rated.ratings" in found
    assert message in found


def test_an_unknown_key_of_ratings_is_refused(tmp_path: Path) -> None:
    dataset(tmp_path, "{arousal: {column: [a, b]}}")
    with pytest.raises(ConfigError, match=r"rated.*ratings"):
        load_benchmark([tmp_path])


# -- import -----------------------------------------------------------------------------------


def wav(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(3200))


def test_votes_and_raters_are_found_on_import(tmp_path: Path) -> None:
    """The columns are those of the votes on CREMA-D; the data are made up."""
    data = tmp_path / "data"
    data.mkdir()
    head = "file,speaker,emotion_vote,votes_anger,votes_neutral,arousal,arousal_1,arousal_2"
    lines = [head, "a.wav,1,anger,6,2,0.6,0.5,0.7", "b.wav,2,neutral,1,7,0.3,0.2,0.4"]
    (data / "metadata.csv").write_text("\n".join(lines) + "\n")
    for name in ("a", "b"):
        wav(data / f"{name}.wav")
    report = import_dataset(data, "votes", None, tmp_path / "catalog")
    assert "ratings of single raters: arousal, emotion" in report.notes
    benchmark = load_benchmark([tmp_path / "catalog"])
    ratings = benchmark.datasets["votes"].ratings
    assert ratings["emotion"].votes == {"anger": "votes_anger", "neutral": "votes_neutral"}
    assert ratings["arousal"].columns == ("arousal_1", "arousal_2")
    found = human.update(benchmark, Paths(output=tmp_path / "out", cache=tmp_path / "cache"))
    assert not found.errors
    assert found.scores > 0


@pytest.mark.filterwarnings("ignore:The inplace keyword in:pandas.errors.Pandas4Warning")
@pytest.mark.filterwarnings("ignore:The 'float_precision' arg:pandas.errors.Pandas4Warning")
def test_a_rater_table_of_audformat_is_found_on_import(tmp_path: Path) -> None:
    db = audformat.Database("rated", usage=audformat.define.Usage.COMMERCIAL)
    db.schemes["value"] = audformat.Scheme("float", minimum=0, maximum=1)
    index = audformat.filewise_index(["a.wav", "b.wav", "c.wav"])
    for table, columns in {"gold.test": ["arousal"], "raters": ["arousal_1", "arousal_2"]}.items():
        db[table] = audformat.Table(index)
        for number, column in enumerate(columns):
            db[table][column] = audformat.Column(scheme_id="value")
            db[table][column].set([0.1 + number / 10, 0.5, 0.9])
    data = tmp_path / "data"
    db.save(str(data))
    for name in ("a", "b", "c"):
        wav(data / f"{name}.wav")
    import_dataset(data, "rated", None, tmp_path / "catalog")
    benchmark = load_benchmark([tmp_path / "catalog"])
    ratings = benchmark.datasets["rated"].ratings["arousal"]
    assert (ratings.table, ratings.columns) == ("raters", ("arousal_1", "arousal_2"))
    folders = Paths(output=tmp_path / "out", cache=tmp_path / "cache")
    assert not human.update(benchmark, folders).errors
    table = results.read_csv(folders.human)
    expected = METRICS.get("ccc").function(
        np.array([0.2, 0.1, 0.5, 0.5, 0.9, 0.9]), np.array([0.1, 0.2, 0.5, 0.5, 0.9, 0.9])
    )
    assert table[table["metric"] == "ccc"]["value"].iloc[0] == pytest.approx(expected)
