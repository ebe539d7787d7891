"""Features of the baseline model against signals with known properties."""

from __future__ import annotations

import numpy as np
import pytest

from common.core.rng import generator
from common.models.demo import features

RATE = features.SAMPLING_RATE
TIME = np.arange(RATE) / RATE


def feature(name: str, signal: np.ndarray) -> float:
    return float(features.extract(signal.reshape(1, -1))[features.NAMES.index(name)])


def voice(f0_hz: np.ndarray | float, amplitude: float = 0.02) -> np.ndarray:
    """Harmonics up to the highest frequency, of constant or changing F0."""
    phase = 2 * np.pi * np.cumsum(np.broadcast_to(f0_hz, TIME.shape)) / RATE
    numbers = range(1, int(RATE / 2 / np.max(f0_hz)))
    return amplitude * sum(np.sin(n * phase + n * n) / n for n in numbers)


def semitones(f0_hz: float) -> float:
    return float(12 * np.log2(f0_hz / features.F0_REFERENCE_HZ))


def test_names_are_unique_and_fit() -> None:
    assert len(set(features.NAMES)) == len(features.NAMES)
    assert features.extract(voice(100.0)[None]).shape == (len(features.NAMES),)


@pytest.mark.parametrize("f0_hz", [70.0, 110.0, 185.3, 260.0, 410.0])
def test_f0_of_a_voice(f0_hz: float) -> None:
    assert feature("f0_st.mean", voice(f0_hz)) == pytest.approx(semitones(f0_hz), abs=0.1)
    assert feature("f0_st.sd", voice(f0_hz)) < 0.1
    assert feature("voiced_share", voice(f0_hz)) > 0.95


def test_f0_follows_a_glide() -> None:
    glide = voice(100 * 2 ** (TIME * 6 / 12))
    assert feature("f0_st.slope", glide) == pytest.approx(6, abs=0.15)
    assert feature("f0_st.rise", glide) == pytest.approx(6 * 2 / 3, abs=0.3)
    assert feature("f0_st.p10", glide) == pytest.approx(0.6, abs=0.3)


def test_noise_has_no_voice() -> None:
    noise = generator(0, "noise").standard_normal(RATE) * 0.1
    assert feature("voiced_share", noise) < 0.05
    assert feature("harmonicity.mean", noise) < 0.4


def test_level_in_db_of_full_scale() -> None:
    sine = np.sin(2 * np.pi * 1000 * TIME)
    assert feature("level_db.mean", sine) == pytest.approx(-3.01, abs=0.5)
    quieter = feature("level_db.mean", sine) - feature("level_db.mean", 0.1 * sine)
    assert quieter == pytest.approx(20, abs=0.01)


def test_brightness() -> None:
    low, high = (np.sin(2 * np.pi * f * TIME) for f in (300.0, 4000.0))
    assert feature("centroid_oct.mean", high) - feature("centroid_oct.mean", low) > 3
    assert feature("balance_db.mean", high) > 20 > -20 > feature("balance_db.mean", low)


def test_modulation() -> None:
    carrier = generator(0, "carrier").standard_normal(RATE)
    syllables = carrier * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * TIME))
    assert feature("peaks_per_s", syllables) == pytest.approx(4, abs=1.1)
    assert feature("modulation_3_5_hz", syllables) > 0.5


def test_level_alone_moves_only_level() -> None:
    a, b = features.extract(voice(150.0)[None]), features.extract(4 * voice(150.0)[None])
    moved = [
        name
        for name, x, y in zip(features.NAMES, a, b, strict=True)
        if not np.isclose(x, y, atol=0.02, rtol=0.01)
    ]
    assert moved == ["level_db.mean", "level_db.p10", "level_db.p95"]


def test_channels_are_averaged() -> None:
    left, right = voice(100.0), voice(200.0)
    both = features.extract(np.stack([left, right]))
    np.testing.assert_array_equal(both, features.extract(((left + right) / 2)[None]))


def test_blocks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = features.extract(voice(120 + 30 * TIME)[None])
    monkeypatch.setattr(features, "BLOCK", 7)
    np.testing.assert_allclose(features.extract(voice(120 + 30 * TIME)[None]), whole, rtol=1e-9)


@pytest.mark.parametrize("samples", [1, 639, 640, 641])
def test_short_signals_are_one_frame(samples: int) -> None:
    assert len(features.frame_values(np.ones(samples)).T) == 1


def test_input_is_not_changed() -> None:
    signal = voice(100.0)[None].astype(np.float32)
    before = signal.copy()
    features.extract(signal)
    assert np.array_equal(signal, before)


@pytest.mark.parametrize("size", [3, 4, 5, 10, 11, 21, 97, 1000])
def test_order_statistics_are_those_of_numpy_to_the_last_bit(size: int) -> None:
    for draw in range(20):
        values = generator(0, "order", size, draw).standard_normal(size) * 10.0 ** (draw - 10)
        for percent in (5, 10, 50, 90, 95):
            found = features._percentile(np.sort(values), percent)
            assert found == np.percentile(values, percent)
        assert features._median(values) == np.median(values)


def test_statistics_are_those_of_numpy_to_the_last_bit() -> None:
    signal = voice(150 + 40 * TIME) * (1 + np.sin(9 * TIME)) + 0.001 * np.sin(1e5 * TIME**2)
    frames = features.frame_values(signal).T
    level = frames[:, 0]
    active = level > level.max() - features.ACTIVE_DB
    assert 3 < active.sum() < len(active)
    for column, name in enumerate(features.FRAME_VALUES):
        if name == "f0_st":
            active_or_voiced = active & (frames[:, 2] > features.VOICED)
        else:
            active_or_voiced = active
        x = frames[active_or_voiced, column]
        assert feature(f"{name}.mean", signal) == x.mean()
        assert feature(f"{name}.sd", signal) == x.std()


@pytest.mark.parametrize("frames", [1, 2, 63, 64, 65, 128, 129, 255])
def test_frames_do_not_depend_on_those_they_are_computed_with(
    frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = features.FRAME + (frames - 1) * features.HOP
    signal = generator(0, "frames").standard_normal(samples)
    found = features.frame_values(signal).T
    assert len(found) == frames
    monkeypatch.setattr(features, "CACHED", 7)
    np.testing.assert_array_equal(features.frame_values(signal).T, found)
