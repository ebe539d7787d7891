"""The four functions that method pages call."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.core.errors import AudioError, ConfigError, DatasetUnavailable
from common.perturbations import amr, examples
from common.perturbations.filters import tilt_filter
from common.robustness_background_noise import noise_transform
from common.robustness_low_quality_phone import low_quality_phone_transform
from common.robustness_simulated_recording_condition import ir_transform
from common.robustness_spectral_tilt import spectral_tilt_transform

RATE = 16000


@pytest.fixture
def shelf(tools, monkeypatch: pytest.MonkeyPatch):
    """Recordings in memory instead of those of the catalog; notes how many were asked for."""
    sounds = tools.InMemory(*(tools.speechlike(0.2 + n, n)[0] for n in range(20)))
    asked: list[int] = []

    def first(count: int):
        asked.append(count)
        return tools.InMemory(*sounds.recordings[:count])

    sounds.first = first
    monkeypatch.setattr(examples.library().corpora, "get", lambda spec: sounds)
    return asked


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (noise_transform, "(signal, sampling_rate, noise_type, *, demo=False)"),
        (low_quality_phone_transform, "(signal, sampling_rate)"),
        (ir_transform, "(signal, sampling_rate, *, ir_type, reference, demo=False)"),
        (spectral_tilt_transform, "(signal, sampling_rate, ir_file)"),
    ],
)
def test_signatures(function, signature: str) -> None:
    bare = [p.replace(annotation=p.empty) for p in inspect.signature(function).parameters.values()]
    assert str(inspect.Signature(bare)) == signature


@pytest.mark.parametrize(
    "noise_type", ["babble", "coughing", "environmental", "music", "sneezing", "white"]
)
@pytest.mark.parametrize("demo", [True, False])
def test_noise(tools, shelf, noise_type: str, demo: bool) -> None:
    signal = tools.speechlike(0.4)
    before = signal.copy()
    one, same = (noise_transform(signal, RATE, noise_type, demo=demo) for _ in range(2))
    assert np.array_equal(signal, before)
    assert one.shape == signal.shape and one.dtype == np.float32
    assert np.array_equal(one, same) and not np.array_equal(one, signal)
    drawn = 10 if noise_type == "babble" else 1
    assert set(shelf) == ({drawn} if demo and noise_type != "white" else set())


def test_unknown_noise(tools) -> None:
    with pytest.raises(ConfigError, match=r"unknown type of noise 'babbel'\. Did you mean 'babble"):
        noise_transform(tools.speechlike(0.1), RATE, "babbel")


def test_recordings_that_are_not_here(tools, monkeypatch) -> None:
    monkeypatch.setattr(
        "common.samples.datasets.availability", lambda dataset, cache, download: "not here"
    )
    with pytest.raises(DatasetUnavailable, match="not here"):
        noise_transform(tools.speechlike(0.1), RATE, "music", demo=True)


@pytest.mark.parametrize("ir_type", ["position", "location"])
def test_places(tools, shelf, ir_type: str) -> None:
    signal = tools.speechlike(0.4)
    base, other = (
        ir_transform(signal, RATE, ir_type=ir_type, reference=reference, demo=False)
        for reference in (True, False)
    )
    assert base.shape == other.shape == signal.shape
    assert not np.array_equal(base, other)
    with pytest.raises(ConfigError, match="unknown ir_type 'room'"):
        ir_transform(signal, RATE, ir_type="room", reference=True)


@pytest.mark.skipif(bool(amr.missing()), reason="no encoder for AMR narrow band")
def test_phone(tools) -> None:
    signal = tools.speechlike(0.4)
    found = low_quality_phone_transform(signal, RATE)
    assert found.shape == signal.shape
    assert np.array_equal(found, low_quality_phone_transform(signal, RATE))


class TestTilt:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "response.wav"
        soundfile.write(path, tilt_filter(RATE, 1, 0, 8000), RATE, subtype="FLOAT")
        return path

    def test_equal_to_the_perturbation(self, tools, file: Path) -> None:
        signal = tools.speechlike(0.4)
        found = spectral_tilt_transform(signal, RATE, file)
        expected = examples.example("downward-tilt", signal, RATE)
        assert np.allclose(found, expected, atol=1e-6)
        assert np.array_equal(found, spectral_tilt_transform(signal, RATE, str(file)))

    def test_no_file(self, tools, tmp_path: Path) -> None:
        with pytest.raises(AudioError, match="no such file"):
            spectral_tilt_transform(tools.speechlike(0.1), RATE, tmp_path / "none.wav")

    def test_no_signal(self, file: Path) -> None:
        with pytest.raises(AudioError, match=r"expected \(channels, samples\)"):
            spectral_tilt_transform(np.zeros(9), RATE, file)
