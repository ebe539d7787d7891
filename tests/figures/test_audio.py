from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from common.core.errors import AudioError
from common.figures.audio import (
    FLOOR_DB,
    describe_audio,
    plot,
    spectrogram,
    waveform_spectrogram,
)
from common.figures.style import encode

RATE = 16000


def tone(seconds: float, hz: float = 1000.0) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * RATE)) / RATE)


def test_spectrogram_shows_a_tone_at_its_frequency() -> None:
    levels, duration, top = spectrogram(tone(1.0, 2000.0), RATE)
    assert (duration, top) == (1.0, 8000)
    frequencies = np.linspace(0, top, len(levels))
    middle = levels[:, levels.shape[1] // 2]
    assert frequencies[middle.argmax()] == pytest.approx(2000, abs=25)
    assert levels.max() == pytest.approx(0)
    assert levels.min() >= FLOOR_DB


def test_silence_is_at_the_floor() -> None:
    assert np.unique(spectrogram(np.zeros(RATE), RATE).levels_db).tolist() == [FLOOR_DB]


def test_waveform_and_spectrogram_share_the_time_axis() -> None:
    drawing = waveform_spectrogram(tone(2.0)[None], RATE, "white noise", changed=True)
    wave, spectrum = drawing.axes
    assert wave.get_xlim() == spectrum.get_xlim() == (0, 2)
    encode(drawing)
    upper, lower = wave.get_position(), spectrum.get_position()
    assert (upper.x0, upper.x1) == pytest.approx((lower.x0, lower.x1))
    assert wave.get_title(loc="left") == "white noise"
    assert to_hex(wave.collections[0].get_facecolor()[0]) == "#3277b4"


@pytest.mark.parametrize(
    "signal",
    [
        np.zeros(1),
        np.ones(3),
        np.zeros((2, RATE)),
        np.full(200, np.nan),
        tone(0.01).astype("float32"),
        np.tile(tone(1.0), 60),
    ],
    ids=["one sample", "three samples", "silent stereo", "nan", "short", "a minute"],
)
def test_any_signal_is_drawn(signal: np.ndarray) -> None:
    assert encode(waveform_spectrogram(signal, RATE, "original")).startswith(b"\x89PNG")


def test_no_signal_is_an_error() -> None:
    with pytest.raises(AudioError, match="a signal without samples has no waveform"):
        waveform_spectrogram(np.zeros((1, 0)), RATE)


def test_plot_leaves_its_figure_to_pyplot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    plot(tone(0.5), RATE, "original")
    (new,) = set(pyplot.get_fignums()) - set(before)
    drawing = pyplot.figure(new)
    assert len(drawing.axes) == 2
    assert drawing.get_size_inches()[0] == 4.8
    pyplot.close(drawing)


def test_description() -> None:
    assert describe_audio(tone(2.0), RATE, "the original") == (
        "Waveform and spectrogram of the original: 2.0 s, mean level -9 dB of full scale, "
        "up to 8 kHz."
    )
    assert describe_audio(np.zeros(RATE), RATE) == "Waveform and spectrogram: 1.0 s of silence."
