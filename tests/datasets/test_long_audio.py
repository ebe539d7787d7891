"""Recordings of many hours: what is held at once has a limit, and is read segment by segment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from common import results
from common.core.errors import AudioError
from common.engine.plan import Filters
from common.predictions import shards
from common.samples import audio, decode

NS = 1_000_000_000
RATE = 16000
KINDS = [("wav", "WAV", "PCM_16"), ("flac", "FLAC", "PCM_16")]
#: read from their beginning, as the others may be from any sample
SEQUENTIAL = [("ogg", "OGG", "VORBIS"), ("mp3", "MP3", "MPEG_LAYER_III")]
MESSAGE = r"long\.\w+: a segment is longer than 2 s, the longest that is read \(1 channel"


@pytest.fixture(params=[*KINDS, *SEQUENTIAL], ids=lambda kind: kind[0])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A recording of 20 s whose level says where one is."""
    extension, form, subtype = request.param
    path = tmp_path / f"long.{extension}"
    noise = np.random.default_rng(1).standard_normal(20 * RATE) * np.arange(20).repeat(RATE) / 100
    soundfile.write(path, noise, RATE, format=form, subtype=subtype)
    return path


@pytest.fixture
def two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit as if memory were short."""
    monkeypatch.setattr(decode, "LARGEST", 2 * RATE * 4)
    monkeypatch.setattr(decode, "BLOCK", RATE // 2)


def test_whole_files_and_segments_beyond_the_limit(long: Path, two_seconds: None) -> None:
    for start, end in ((0, -1), (15 * NS, -1), (NS, 4 * NS)):
        with pytest.raises(AudioError, match=MESSAGE):
            audio.read(long, start, end)
        with pytest.raises(AudioError, match=MESSAGE):
            audio.load(long, start, end, RATE)
    assert audio.info(long).duration_s == pytest.approx(20, abs=0.1)


def test_segments_of_it_are_as_without_a_limit(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, some of them in each other; one that is too long does not take others along."""
    segments = [(18 * NS, -1), (0, NS), (10 * NS, 11 * NS), (10 * NS, 12 * NS), (NS // 2, 2 * NS)]
    monkeypatch.setattr(decode, "BLOCK", RATE // 2)  # decides about the last bit of MP3
    expected = audio.load_many(long.parent, long.name, segments, RATE)
    monkeypatch.setattr(decode, "LARGEST", 3 * RATE * 4)
    segments.insert(2, (NS, 18 * NS))
    found = audio.load_many(long.parent, long.name, segments, RATE)
    refused = found.pop(2)
    assert isinstance(refused, AudioError) and "longer than 3 s" in str(refused)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("long", SEQUENTIAL, indirect=True, ids=lambda kind: kind[0])
def test_what_was_read_is_let_go(long: Path, two_seconds: None) -> None:
    with decode.open_audio(long, "long") as reader:
        assert isinstance(reader, decode._Sequential)
        for second in range(19):
            reader.forget(second * RATE)
            assert reader.read(second * RATE, (second + 1) * RATE).shape == (1, RATE)
            assert sum(block.nbytes for block in reader.kept) <= decode.LARGEST


def test_a_rate_that_makes_it_longer(tmp_path: Path, two_seconds: None) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(RATE), RATE)
    with pytest.raises(AudioError, match=r"longer than 1 s, .* at 48000 Hz"):
        audio.load(tmp_path / "a.wav", 0, -1, 48000)


def test_memory_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(RATE), RATE)

    def none(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(decode._Seekable, "read", none)
    with pytest.raises(AudioError, match=r"a\.wav: segment 0\.00 s to end does not fit into mem"):
        audio.load(tmp_path / "a.wav", 0, -1, RATE)


def test_the_run_goes_on(mini, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two datasets: one with a recording that is too long, one without."""
    monkeypatch.setattr(decode, "LARGEST", 1600 * 4)
    folder = mini.catalog / "others"
    folder.mkdir()
    rows = ["file,arousal"]
    for number in range(4):
        soundfile.write(folder / f"{number}.wav", np.ones(800 * (number + 1)) / 9, RATE)
        rows.append(f"{number}.wav,0.{number}")
    (folder / "metadata.csv").write_text("\n".join(rows) + "\n")
    text = (mini.catalog / "datasets.yaml").read_text()
    mini.write(
        "datasets.yaml",
        f"{text}- {{id: others, version: 1.0.0, adapter: folder, path: others,\n"
        "   columns: {arousal: arousal}}\n",
    )
    engine = mini.engine()
    engine.run(
        Filters(models=("loud",), tests=("correctness_regression",), datasets=("tones", "others"))
    )
    rows = results.read_all(mini.root / "out" / "method-tests")
    status = {name: set(part.status) for name, part in rows.groupby("dataset")}
    assert status["others"] == {"error"} and "error" not in status["tones"]
    reason = rows[rows.dataset == "others"].reason.iloc[0]
    assert "no prediction for 2 of 4 samples" in reason and "a segment is longer than" in reason


def test_signals_are_given_to_the_model_before_there_are_too_many(mini, monkeypatch) -> None:
    """The length of whole files is not known before; what is loaded at once is limited."""
    mini.run("a", models=("loud",), cache="a")
    monkeypatch.setattr(shards, "LOADED_BYTES", 10_000)
    most = []
    conditions = shards._Computation._conditions

    def seen(self, ids, numbers, signals, rate):
        most.append(sum(signal.nbytes for signal in signals.values()))
        return conditions(self, ids, numbers, signals, rate)

    monkeypatch.setattr(shards._Computation, "_conditions", seen)
    mini.run("b", models=("loud",), cache="b")
    assert len(most) > 20 and max(most) < 10_000 + 4 * 1600
    assert mini.files("a") == mini.files("b")
