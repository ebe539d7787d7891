"""Magnitude responses and average spectra of method pages."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from common.core.errors import AudioError
from common.figures.spectrum import average_spectrum, magnitude_response, plot_filters, plot_spectra
from common.perturbations.filters import tilt_filter

RATE = 16000


def test_the_response_of_a_tilt_is_what_was_asked_for() -> None:
    for start, end, end_hz in ((1.0, 0.0, 8000.0), (0.0, 1.0, 4000.0)):
        frequency_hz, magnitude = magnitude_response(tilt_filter(RATE, start, end, end_hz), RATE)
        wanted = np.interp(frequency_hz, [0, end_hz], [start, end])
        assert magnitude == pytest.approx(wanted, abs=1e-9)


def test_a_sine_has_its_level_at_its_frequency() -> None:
    time = np.arange(RATE) / RATE
    frequency_hz, levels = average_spectrum(0.5 * np.sin(2 * np.pi * 1000 * time), RATE)
    assert frequency_hz[np.argmax(levels)] == 1000
    assert levels.max() == pytest.approx(20 * np.log10(0.25), abs=0.1)


def test_too_short_a_signal_is_refused() -> None:
    with pytest.raises(AudioError, match="a spectrum needs 512 samples or more, found 511"):
        average_spectrum(np.zeros(511), RATE)


def test_plots_show_both_files(tmp_path) -> None:
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        soundfile.write(tmp_path / f"{name}.wav", rng.uniform(-0.5, 0.5, RATE), RATE)
    files = {name: tmp_path / f"{name}.wav" for name in ("a", "b")}
    filters = {name: tilt_filter(RATE, 1.0, 0.0, 8000.0) for name in ("a", "b")}
    for plot in (lambda: plot_filters(filters, RATE), lambda: plot_spectra(files)):
        plot()
        axes = pyplot.gca()
        assert [line.get_label() for line in axes.lines] == ["a", "b"]
        assert axes.get_xlim() == (0, 8) and axes.get_xlabel() == "Frequency in kHz"
        pyplot.close()
