from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.signal

from common.core.errors import MissingDependency
from common.core.paths import REPOSITORY
from common.perturbations import amr, basics, compander, phone

CURVE = {"threshold_db": -20, "output_db": -16, "knee_db": 4}
COMPRESSOR = {"attack_s": 0.01, "release_s": 0.02, **CURVE}
PARAMS = {"bit_rate": 7400, **COMPRESSOR, "noise_db": -25, "noise_cutoff_hz": 3000}
REFERENCE = REPOSITORY / "tests" / "golden" / "amr" / "figures.npz"
needs_codec = pytest.mark.skipif(bool(amr.missing()), reason="no encoder for AMR narrow band")


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestCompander:
    def test_static_curve_goes_through_the_points(self) -> None:
        """At the corner itself the rounding takes a quarter of a dB."""
        level = np.array([-60.0, -40.0, -24.0, -20.0, -16.0, -10.0, -5.0, 0.0])
        out = level + compander.static_gain_db(level, **CURVE)
        wanted = [-56, -36, -20, -16, -12.8, -8, -4, 0]
        assert out[[0, 1, 2, 5, 6, 7]] == pytest.approx(np.array(wanted)[[0, 1, 2, 5, 6, 7]])
        assert out == pytest.approx(wanted, abs=0.3)

    def test_static_curve_is_smooth_and_rising(self) -> None:
        level = np.linspace(-40, 0, 4001)
        out = level + compander.static_gain_db(level, **CURVE)
        slope = np.diff(out) / np.diff(level)
        assert slope.min() > 0.7 and slope.max() < 1.01
        assert np.abs(np.diff(slope)).max() < 0.12

    def test_envelope_rises_and_falls_with_its_time_constants(self) -> None:
        step = np.concatenate([np.zeros(2000), np.ones(4000), np.zeros(4000)])
        found = compander.envelope(step, 8000, attack_s=0.01, release_s=0.02)
        assert found[159] == pytest.approx(np.exp(-1), rel=0.01)  # from 1 at the beginning
        assert found[1999] < 1e-5
        assert found[2000 + 79] == pytest.approx(1 - np.exp(-1), rel=0.01)
        assert found[6000 + 159] == pytest.approx(np.exp(-1), rel=0.01)

    def test_equal_to_ffmpeg(self, tools) -> None:
        """FFmpeg has a port of the compander of sox."""
        av = pytest.importorskip("av")
        signal = tools.speechlike(1, rate=8000)
        signal = signal / np.abs(signal).max() / 4
        graph = av.filter.Graph()
        source = graph.add_abuffer(sample_rate=8000, format="dblp", layout="mono")
        points = "attacks=0.01:decays=0.02:points=-20/-16:soft-knee=4"
        compand, sink = graph.add("compand", points), graph.add("abuffersink")
        source.link_to(compand)
        compand.link_to(sink)
        graph.configure()
        frame = av.AudioFrame.from_ndarray(signal.astype(float), format="dblp", layout="mono")
        frame.sample_rate, frame.pts = 8000, 0
        graph.push(frame)
        graph.push(None)
        found = []
        while sum(part.shape[1] for part in found) < signal.shape[1]:
            found.append(graph.pull().to_ndarray())
        expected = np.concatenate(found, axis=1)
        assert np.abs(compander.compress(signal, 8000, **COMPRESSOR) - expected).max() < 1e-12

    def test_channels_have_their_own_envelope(self, tools) -> None:
        both = np.concatenate([tools.speechlike(0.1, 1), tools.speechlike(0.1, 2)])
        found = compander.compress(both, 8000, **COMPRESSOR)
        single = [compander.compress(channel[None], 8000, **COMPRESSOR)[0] for channel in both]
        assert np.array_equal(found, np.stack(single))

    def test_result_is_limited(self) -> None:
        jump = np.concatenate([np.zeros(800), np.ones(10)])[None]
        assert compander.compress(jump, 8000, **COMPRESSOR).max() == 1


@needs_codec
class TestCodec:
    @pytest.mark.parametrize("bit_rate", amr.BIT_RATES)
    def test_equal_to_the_program_ffmpeg(self, bit_rate: int) -> None:
        golden = np.load(REFERENCE)
        assert np.array_equal(amr.coded(golden["voice"], bit_rate), golden[f"rate_{bit_rate}"])

    def test_one_rule_for_integers(self) -> None:
        values = np.array([0.5, 1.5, 2.5, -0.5, -1.5]) / 32768
        assert amr.to_int16(values).tolist() == [0, 2, 2, 0, -2]
        assert amr.to_int16(np.array([2.0, -2.0])).tolist() == [32767, -32768]

    @hypothesis.settings(max_examples=15, derandomize=True)
    @hypothesis.given(n=st.integers(1, 2000), channels=st.integers(1, 2))
    def test_a20_length_is_kept(self, tools, n: int, channels: int) -> None:
        signal = tools.speechlike(1, rate=8000, channels=channels)[:, :n]
        assert amr.round_trip(signal, 7400).shape == signal.shape

    @pytest.mark.parametrize("bit_rate", [4750, 7400, 12200])
    def test_a20_no_delay(self, bit_rate: int) -> None:
        voice = vowel()
        found = amr.round_trip(voice[None], bit_rate)[0]
        lags = np.arange(-100, 101)
        products = [np.roll(voice, lag) @ found for lag in lags]
        assert abs(lags[int(np.argmax(products))]) <= 1

    def test_higher_rates_are_better(self) -> None:
        voice = vowel()
        coded = [amr.round_trip(voice[None], rate)[0] for rate in (4750, 7400, 12200)]
        errors = [np.square(found - voice).mean() for found in coded]
        assert errors == sorted(errors, reverse=True)
        assert errors[0] < 0.3 * np.square(voice).mean()


def vowel() -> np.ndarray:
    """Two seconds of pulses at a moving pitch behind three resonances, at 8000 Hz."""
    time_s = np.arange(16000) / 8000
    phase = np.cumsum(120 + 20 * np.sin(7 * time_s)) / 8000
    voice = np.diff(np.floor(phase), prepend=0)
    for frequency, width in ((500, 80), (1500, 120), (2500, 200)):
        radius = np.exp(-np.pi * width / 8000)
        poles = [1, -2 * radius * np.cos(2 * np.pi * frequency / 8000), radius**2]
        voice = scipy.signal.lfilter([1], poles, voice)
    voice = voice * np.abs(np.sin(5 * time_s))
    return 0.3 * voice / np.abs(voice).max()


class TestMissingEncoder:
    @pytest.fixture
    def without_encoder(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(amr, "ENCODER", "no-such-codec")
        amr._fault.cache_clear()
        yield
        monkeypatch.undo()
        amr._fault.cache_clear()

    def test_says_what_to_install(self, tools, without_encoder) -> None:
        text = r"has no encoder for AMR narrow band\. Install it with: pip install 'av>=15,<19'"
        assert "pip install" in amr.missing()
        with pytest.raises(MissingDependency, match=text):
            phone.low_quality_phone(tools.speechlike(0.1), 16000, generator(), **PARAMS)

    def test_without_pyav(self, monkeypatch) -> None:
        import sys

        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "av", None)
            amr._fault.cache_clear()
            assert amr.missing().startswith("PyAV is not installed. Install it with")
        amr._fault.cache_clear()


class TestPink:
    def test_spectrum_falls_by_3_db_per_octave(self) -> None:
        found = basics.pink(generator(), (4, 2**15))
        power = (np.abs(np.fft.rfft(found)) ** 2).mean(axis=0)
        bands = [power[2**n : 2 ** (n + 1)].mean() for n in range(5, 13)]
        steps = np.diff(10 * np.log10(bands))
        assert steps == pytest.approx([-3.01] * len(steps), abs=0.8)

    @pytest.mark.parametrize("n", [1, 2, 999, 48000])
    def test_peak_and_length(self, n: int) -> None:
        found = basics.pink(generator(1), (2, n))
        assert found.shape == (2, n)
        assert np.abs(found).max(axis=1) == pytest.approx([1, 1])


@needs_codec
class TestPhone:
    @pytest.mark.parametrize("rate", [8000, 11025, 16000, 44100, 96000])
    @pytest.mark.parametrize("channels", [1, 2])
    def test_length_and_level(self, tools, rate: int, channels: int) -> None:
        signal = tools.speechlike(0.4, rate=rate, channels=channels)
        found = phone.low_quality_phone(signal, rate, generator(), **PARAMS)
        assert found.shape == signal.shape
        for got, original in zip(found, signal, strict=True):
            level = tools.snr_db(got, original)
            assert abs(level) < 0.01 or np.abs(got).max() == pytest.approx(1)

    def test_high_frequencies_are_gone_but_for_the_hiss(self, tools) -> None:
        signal = tools.speechlike(2)
        found = phone.low_quality_phone(signal, 16000, generator(), **PARAMS)
        power = np.abs(np.fft.rfft(found[0])) ** 2
        assert power[2 * 5000 :].mean() < 0.01 * power[2 * 500 : 2 * 3000].mean()
        assert power[2 * 5000 :].mean() > 0

    def test_noise_is_drawn_and_nothing_else(self, tools) -> None:
        signal = tools.speechlike(0.3)
        one, same, other = (
            phone.low_quality_phone(signal, 16000, generator(seed), **PARAMS) for seed in (1, 1, 2)
        )
        assert np.array_equal(one, same) and not np.array_equal(one, other)
        assert np.corrcoef(one[0], other[0])[0, 1] > 0.99

    def test_silence_stays_as_it_is(self) -> None:
        silence = np.zeros((1, 1600), dtype=np.float32)
        assert not phone.low_quality_phone(silence, 16000, generator(), **PARAMS).any()

    @pytest.mark.parametrize("n", [1, 2, 3, 159, 161])
    def test_very_short_signals(self, tools, n: int) -> None:
        signal = tools.speechlike(1)[:, :n] + 0.1
        assert phone.low_quality_phone(signal, 16000, generator(), **PARAMS).shape == (1, n)
