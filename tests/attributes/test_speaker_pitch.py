"""Pitch of a speaker: ranges, counts, what is missing, and the cache."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pandas as pd
import pydantic
import pytest
import soundfile

from common.core.errors import DataError, MissingDependency
from common.perturbations.library import Library
from common.predictions import perturbing
from common.predictions.attributes import ComputedColumn, Context, f0_models, recipe
from common.predictions.attributes.base import ATTRIBUTES
from common.predictions.attributes.speaker_pitch import SpeakerPitch, pitch_groups
from common.samples import datasets
from common.spec import Dataset, load_benchmark

RANGES = {"low": (0, 145), "medium": (145, 190), "high": (190, 350)}
OPTIONS = SpeakerPitch(min_samples=2, ranges=RANGES)
RATE = 16000


def words(*values: str | None) -> np.ndarray:
    return np.array(values, dtype=object)


def groups(speakers: np.ndarray, pitch: list[float], options: SpeakerPitch = OPTIONS) -> list:
    return pitch_groups(options, speakers, np.array(pitch))[0].tolist()


def test_the_mean_of_the_speaker_decides() -> None:
    found = groups(words("a", "a", "b", "b"), [100, 180, 200, 202])
    assert found == ["low", "low", "high", "high"]


@pytest.mark.parametrize(
    ("mean", "name"),
    [(144.9, "low"), (145, "low"), (145.1, "medium"), (190, "medium"), (350, "high")],
)
def test_the_upper_end_of_a_range_belongs_to_it(mean: float, name: str) -> None:
    assert groups(words("a", "a"), [mean, mean]) == [name, name]


def test_a28_at_least_so_many_samples() -> None:
    options = SpeakerPitch(min_samples=3, ranges=RANGES)
    speakers = words("a", "a", "a", "b", "b")
    assert groups(speakers, [100] * 5, options) == ["low"] * 3 + [None] * 2


def test_rows_without_a_credible_pitch_count_for_nobody() -> None:
    speakers = words("a", "a", "a", "a", "b", "b", None)
    found, missing = pitch_groups(
        OPTIONS, speakers, np.array([100, 120, 0, 351, 49.9, 100, np.nan])
    )
    assert found.tolist() == ["low", "low", None, None, None, None, None]
    assert missing == (
        "5 of 7 samples have no group: 4 without a speaker or a pitch between 50 and 350 Hz; "
        "1 of 2 other speakers with fewer than 2 samples"
    )


def test_nothing_is_missing_if_all_have_a_group() -> None:
    assert pitch_groups(OPTIONS, words("a", "a"), np.array([100.0, 110.0]))[1] == ""


def test_nobody_has_a_pitch() -> None:
    found, missing = pitch_groups(OPTIONS, words("a", "a"), np.array([0.0, 0.0]))
    assert found.tolist() == [None, None]
    assert "2 of 2 samples" in missing


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"a": (100, 100)}, "needs 0 <= low < high"),
        ({"a": (0, 150), "b": (140, 200)}, "ranges 'a' and 'b' overlap"),
    ],
)
def test_ranges_that_make_no_sense_are_refused(ranges: dict, message: str) -> None:
    with pytest.raises(pydantic.ValidationError, match=message):
        SpeakerPitch(min_samples=1, ranges=ranges)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"speaker_pich": {}}, "unknown computed attribute 'speaker_pich'. Known: speaker_pitch"),
        ({}, "exactly one way"),
        ({"speaker_pitch": {"min_samples": 0, "ranges": {}}}, "speaker_pitch.min_samples: .*0"),
    ],
)
def test_recipes_are_checked(content: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recipe(content)


def tone(f0: float, seconds: float = 0.3) -> np.ndarray:
    time_s = np.arange(int(seconds * RATE)) / RATE
    return sum(0.1 * np.sin(2 * np.pi * k * f0 * time_s) / k for k in range(1, 6))


@pytest.fixture
def samples(tmp_path):
    """Two speakers, one without a voice, one of unknown name."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = ["file,speaker"]
    sounds = {
        "a1": tone(110), "a2": tone(120), "b1": tone(220), "b2": tone(230),
        "c1": np.zeros(4000), "c2": tone(200)[:300], "d1": tone(150),
    }  # fmt: skip
    for name, sound in sounds.items():
        soundfile.write(folder / f"{name}.wav", sound, RATE)
        rows.append(f"{name}.wav,{'' if name == 'd1' else name[0]}")
    (folder / "metadata.csv").write_text("\n".join(rows) + "\n")
    dataset = Dataset(
        id="voices",
        version="1.0.0",
        adapter="folder",
        path="data",
        columns={"speaker": "speaker"},
        origin=tmp_path / "datasets.yaml",
    )
    return datasets.load(dataset, tmp_path / "cache", {})


def pitch(**options) -> ComputedColumn:
    return recipe({"speaker_pitch": {"min_samples": 2, "ranges": RANGES, **options}})


def test_pitch_comes_from_the_audio(samples, tmp_path) -> None:
    found = pitch()(samples, Context(tmp_path / "cache"))
    assert found.values.tolist() == ["low", "low", "high", "high", None, None, None]
    assert found.note == "F0 by autocorrelation 1"
    assert "3 of 7 samples have no group: 3 without" in found.missing


def test_audio_is_looked_at_once(samples, tmp_path, monkeypatch) -> None:
    first = pitch()(samples, Context(tmp_path / "cache"))
    monkeypatch.setattr(f0_models.Autocorrelation, "mean", lambda *arguments: 1 / 0)
    second = pitch()(samples, Context(tmp_path / "cache", workers=2))
    assert second.values.tolist() == first.values.tolist()
    with pytest.raises(ZeroDivisionError):
        pitch()(samples, Context(tmp_path / "other"))


def test_other_processes_find_the_same(samples, tmp_path, monkeypatch) -> None:
    first = pitch()(samples, Context(tmp_path / "cache"))
    monkeypatch.setattr(perturbing, "PROCESSES_FROM", 1)
    monkeypatch.setattr(f0_models.Autocorrelation, "mean", lambda *arguments: 1 / 0)
    library = Library(load_benchmark(), tmp_path / "other")
    with closing(perturbing.Perturbing(library, 2, f0_models.METHODS)) as processes:
        second = pitch()(samples, Context(tmp_path / "other", 2, perturbing=processes))
    assert second.values.tolist() == first.values.tolist()


def test_the_method_is_part_of_the_key(samples, tmp_path) -> None:
    pytest.importorskip("parselmouth")
    own = pitch()(samples, Context(tmp_path / "cache"))
    praat = pitch(f0="praat")(samples, Context(tmp_path / "cache"))
    assert praat.values.tolist() == own.values.tolist()
    assert praat.note.startswith("F0 by Praat 6")
    assert len(list((tmp_path / "cache").rglob("*.parquet"))) == 2


def test_praat_is_optional(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "parselmouth", None)
    with pytest.raises(MissingDependency, match="pip install praat-parselmouth"):
        f0_models.method("praat")
    assert f0_models.method("autocorrelation").fingerprint == "autocorrelation 1"


def test_a_file_that_cannot_be_decoded_is_an_error_that_names_it(samples, tmp_path) -> None:
    (samples.root / "b2.wav").write_bytes(b"no audio")
    with pytest.raises(DataError, match=r"no pitch for 1 of 6 samples; first: .*b2\.wav"):
        pitch()(samples, Context(tmp_path / "cache"))


def test_a27_the_pitch_of_a_speaker_does_not_depend_on_labels() -> None:
    """The reference takes only rows that are left after its class filter, so that a speaker may
    be in another group for another target. The attribute never sees the labels."""
    assert list(pitch().needs) == ["speaker"]
    table = pd.DataFrame({"speaker": ["a"] * 4, "label": ["x", None, "x", None]})
    values = groups(table["speaker"].to_numpy(object), [100.0, 240.0, 100.0, 240.0])
    assert values == ["medium"] * 4
    faulty = np.mean([100.0, 100.0])  # rows with a label only
    assert faulty < RANGES["medium"][0]


def test_registered_by_its_name() -> None:
    assert ATTRIBUTES.names() == ["speaker_pitch"]
