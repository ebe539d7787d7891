"""Examples of the method pages: the names of the interface, the same bytes, made once."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from common.core import paths
from common.core.errors import ConfigError, MissingDependency
from common.core.paths import Paths
from common.pages.listening import examples, speech
from common.robustness_spectral_tilt import spectral_tilt_transform
from common.samples.demo.synthesis import PACKAGE
from common.spec import Benchmark, load_benchmark

RATE = 16000
#: spec/interface.md, section 3
NAMES = [
    "boundary_speech.wav",
    "headset_speech.wav",
    "mobile_speech.wav",
    "impulse_response_tilt_down_gain_0.0.wav",
    "impulse_response_tilt_up_gain_3.0.wav",
    "robustness_background_noise/babble_noise.wav",
    "robustness_background_noise/coughing.wav",
    "robustness_background_noise/environmental_noise.wav",
    "robustness_background_noise/music.wav",
    "robustness_background_noise/sneezing.wav",
    "robustness_background_noise/white_noise.wav",
    "robustness_low_quality_phone/lower_quality_phone.wav",
    "robustness_simulated_recording_condition/base_position.wav",
    "robustness_simulated_recording_condition/base_room.wav",
    "robustness_simulated_recording_condition/diff_position.wav",
    "robustness_simulated_recording_condition/diff_room.wav",
    "robustness_spectral_tilt/downward_tilt.wav",
    "robustness_spectral_tilt/upward_tilt.wav",
    "speech.wav",
]
#: tests that draw from embedded recordings
DRAWING = ("robustness_background_noise", "robustness_simulated_recording_condition")
SPOKEN = importlib.util.find_spec(PACKAGE) is not None
needs_voice = pytest.mark.skipif(not SPOKEN, reason="no synthesiser on this machine")


@pytest.fixture
def folders(tmp_path: Path) -> Paths:
    return Paths(output=tmp_path / "out", cache=tmp_path / "cache")


@pytest.fixture
def sentence(monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """A short signal in place of the speech."""
    time = np.arange(RATE // 4) / RATE
    signal = (0.1 * np.sin(2 * np.pi * 220 * time)).astype(np.float32)[None, :]
    monkeypatch.setattr(examples, "speak", lambda chosen: signal)
    monkeypatch.setattr(speech, "record", lambda chosen, file: signal)
    return signal


@pytest.fixture
def benchmark() -> Benchmark:
    """The suite without the tests that draw from recordings, which take long to make."""
    found = load_benchmark()
    for test in DRAWING:
        del found.tests[test]
    return found


def test_every_file_of_the_interface_is_planned(folders: Paths) -> None:
    planned = [example.file for example in examples.planned(load_benchmark(), folders)]
    assert set(NAMES) <= set(planned)
    changes = [name for name in planned if name.startswith("robustness_small_changes/")]
    assert len(changes) == 10
    assert len(planned) == len(set(planned))


def test_what_is_there_is_not_made_again(
    folders: Paths, sentence: np.ndarray, benchmark: Benchmark
) -> None:
    first = examples.update(benchmark, folders)
    assert "robustness_small_changes/gain.wav" in first.made
    path = folders.media / "robustness_small_changes" / "gain.wav"
    before = path.read_bytes(), path.stat().st_mtime_ns
    second = examples.update(benchmark, folders)
    assert second.made == []
    assert sorted(second.current) == sorted(first.made)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_damaged_or_lost_file_is_made_again(
    folders: Paths, sentence: np.ndarray, benchmark: Benchmark
) -> None:
    examples.update(benchmark, folders)
    gain, clip = (folders.media / "robustness_small_changes" / f"{n}.wav" for n in ("gain", "clip"))
    whole = gain.read_bytes()
    gain.write_bytes(whole[:-2])
    clip.unlink()
    report = examples.update(benchmark, folders)
    assert sorted(report.made) == [f"robustness_small_changes/{n}.wav" for n in ("clip", "gain")]
    assert gain.read_bytes() == whole


def test_what_no_test_wants_any_more_is_removed(
    folders: Paths, sentence: np.ndarray, benchmark: Benchmark
) -> None:
    examples.update(benchmark, folders)
    del benchmark.tests["robustness_spectral_tilt"]
    report = examples.update(benchmark, folders)
    assert report.removed == [
        "robustness_spectral_tilt/downward_tilt.wav",
        "robustness_spectral_tilt/upward_tilt.wav",
    ]
    assert not list(folders.media.rglob("*ward_tilt.wav"))


def test_without_the_synthesiser_the_reason_is_kept(
    folders: Paths, monkeypatch: pytest.MonkeyPatch, benchmark: Benchmark
) -> None:
    def absent(chosen: Any) -> np.ndarray:
        raise MissingDependency("No voice", "pip install it")

    monkeypatch.setattr(examples, "speak", absent)
    monkeypatch.setattr(speech.synthesis, "require", absent)
    report = examples.update(benchmark, folders)
    assert "No voice" in report.missing["headset_speech.wav"]
    assert "No voice" in report.missing["speech.wav"]
    assert "No voice" in report.missing["robustness_small_changes/gain.wav"]
    assert sorted(report.made) == sorted(n for n in NAMES if n.startswith("impulse"))
    assert examples.read(folders.media)["missing"] == report.missing


def test_filters_as_files_do_what_the_test_does(
    folders: Paths, sentence: np.ndarray, benchmark: Benchmark
) -> None:
    examples.update(benchmark, folders)
    for way, name in (("down", "downward"), ("up", "upward")):
        (file,) = folders.media.glob(f"impulse_response_tilt_{way}_*.wav")
        by_file = spectral_tilt_transform(sentence, RATE, file)
        by_test, _ = soundfile.read(folders.media / f"robustness_spectral_tilt/{name}_tilt.wav")
        assert np.abs(by_file[0] - by_test).max() < 2e-3


def test_a_wav_file_holds_the_signal() -> None:
    signal = np.array([[0.0, 0.5, -1.0, 1.0, 2.0]])
    found, rate = soundfile.read(io.BytesIO(examples.wav(signal)), dtype="int16")
    assert rate == RATE
    assert found.tolist() == [0, 16384, -32768, 32767, 32767]


@needs_voice
def test_speech_has_the_same_bytes_in_every_process() -> None:
    code = (
        "import hashlib; from common.pages.listening import speech; "
        "print(hashlib.sha256(speech.speak(speech.settings()).tobytes()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=paths.REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


@needs_voice
def test_speech_is_speech() -> None:
    signal = speech.speak(speech.settings())
    assert signal.dtype == np.float32
    seconds = signal.shape[1] / RATE
    assert 3 < seconds < 6
    assert 0.1 < np.abs(signal).max() < 1
    active = np.abs(signal[0]).reshape(-1, 1)[: int(seconds) * RATE].reshape(-1, 1600).max(axis=1)
    assert (active > 0.02).mean() > 0.6


def test_a_fault_in_the_settings_is_named(tmp_path: Path) -> None:
    text = speech.SETTINGS.read_text("utf-8")
    path = tmp_path / "examples.yaml"
    path.write_text(text.replace("tremor: 0.003", "tremolo: 0.003"))
    with pytest.raises(ConfigError, match=r"speech\.cues: .*'tremolo'.*tremor"):
        speech.settings(path)
    path.write_text(text.replace("    tremor: 0.003\n", ""))
    with pytest.raises(ConfigError, match=r"speech\.cues\.tremor: missing"):
        speech.settings(path)
    path.write_text(text.replace("seed: 2031", "seed: many"))
    with pytest.raises(ConfigError, match="seed"):
        speech.settings(path)


@needs_voice
def test_devices_record_one_utterance() -> None:
    chosen = speech.settings()
    signals = {file: speech.record(chosen, file)[0] for file in speech.recorded(chosen)}
    assert sorted(signals) == ["boundary_speech.wav", "headset_speech.wav", "mobile_speech.wav"]
    assert len({len(signal) for signal in signals.values()}) == 1
    headset = signals.pop("headset_speech.wav")
    envelope = np.abs(headset[: len(headset) // 800 * 800]).reshape(-1, 800).mean(axis=1)
    for other in signals.values():
        theirs = np.abs(other[: len(other) // 800 * 800]).reshape(-1, 800).mean(axis=1)
        assert np.corrcoef(envelope, theirs)[0, 1] > 0.6
