"""Level, signal-to-noise ratio, length, speaking rate and tilt: of signals whose values are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.signal
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import DataError
from common.predictions.attributes import Context, acoustics
from common.predictions.attributes.acoustics import COLUMNS, F0, RATE_HZ, UNITS, describe, measured
from common.samples import datasets
from common.spec import Dataset

RNG = np.random.default_rng(0)
NOISE = RNG.normal(0, 0.1, 4 * RATE_HZ)


def of(signal: np.ndarray) -> dict[str, float]:
    return dict(zip(COLUMNS, describe(signal).tolist(), strict=True))


def syllables(count: int, floor: float) -> np.ndarray:
    """Noise whose power swells so many times in four seconds above a constant floor."""
    time = np.arange(len(NOISE)) / RATE_HZ
    swell = np.sin(np.pi * count / 4 * time) ** 2
    return NOISE * swell + floor * RNG.normal(0, 0.1, len(NOISE))


def test_level_and_length_of_noise() -> None:
    values = of(NOISE)
    assert values["level_db"] == pytest.approx(-20, abs=0.1)
    assert values["length_s"] == 4.0
    assert values["snr_db"] < 4  # steady noise has no pauses


@pytest.mark.parametrize("count", [8, 12, 20, 24])
def test_syllables_are_counted(count: int) -> None:
    assert of(syllables(count, 0.01))["syllables_per_s"] == pytest.approx(count / 4, abs=0.3)


@pytest.mark.parametrize("snr_db", [10, 20, 30])
def test_signal_to_noise_ratio_is_estimated(snr_db: float) -> None:
    time = np.arange(len(NOISE)) / RATE_HZ
    speech = NOISE * (time % 0.5 < 0.3)
    noise = RNG.normal(0, 0.1, len(NOISE)) * 10 ** (-snr_db / 20)
    assert of(speech + noise)["snr_db"] == pytest.approx(snr_db, abs=2.5)


@pytest.mark.parametrize(("order", "slope"), [(0, 3.0), (1, -3.0)])
def test_tilt_of_white_and_red_noise(order: int, slope: float) -> None:
    """Bands of white noise rise by 3 dB per octave; a one-pole lowpass takes 6 dB away."""
    signal = scipy.signal.lfilter([1], [1, -0.9999], NOISE) if order else NOISE
    assert of(signal)["tilt_db_per_octave"] == pytest.approx(slope, abs=0.4)


@given(st.integers(0, 2000), st.sampled_from([0.0, 1e-9, 1.0]))
def test_all_values_are_finite(size: int, gain: float) -> None:
    assert np.isfinite(describe(gain * RNG.normal(size=size))).all()


def test_every_column_has_a_unit() -> None:
    assert UNITS.keys() == {F0, *COLUMNS}


@pytest.fixture
def samples(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    tone = 0.1 * np.sin(2 * np.pi * 150 * np.arange(RATE_HZ) / RATE_HZ)
    for name, signal in (("tone", tone), ("noise", NOISE[:RATE_HZ])):
        soundfile.write(folder / f"{name}.wav", signal, RATE_HZ, subtype="FLOAT")
    (folder / "metadata.csv").write_text("file,speaker\ntone.wav,a\nnoise.wav,b\n")
    entry = {
        "id": "d",
        "version": "1.0.0",
        "adapter": "folder",
        "path": str(folder),
        "columns": {"speaker": "speaker"},
    }
    dataset = Dataset.model_validate(entry)
    return datasets.load(dataset, tmp_path / "cache", {}, download=False)


def test_segments_are_measured_once_and_kept(samples, tmp_path, monkeypatch) -> None:
    sizes = []
    original = acoustics.describe
    monkeypatch.setattr(acoustics, "describe", lambda s: sizes.append(len(s)) or original(s))
    first = measured(samples, Context(tmp_path / "cache"))
    assert first[F0][0] == pytest.approx(150, abs=1)
    assert np.isnan(first[F0][1])
    assert first["level_db"] == pytest.approx([-23.01, -20], abs=0.2)
    assert len(sizes) == 2
    again = measured(samples, Context(tmp_path / "cache"))
    assert len(sizes) == 2
    pd.testing.assert_frame_equal(pd.DataFrame(first), pd.DataFrame(again))


def test_a_file_that_cannot_be_read_is_named(samples, tmp_path) -> None:
    (samples.root / "noise.wav").write_text("no sound")
    with pytest.raises(DataError, match=r"noise\.wav"):
        measured(samples, Context(tmp_path / "cache"))
