from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.signal

from common.core.errors import AudioError
from common.perturbations import small_changes as change

FAST = hypothesis.settings(max_examples=40, derandomize=True)
RATE = 16000
TONE = {"lowest_hz": 5000, "highest_hz": 7000}


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestAdditiveTone:
    @FAST
    @hypothesis.given(seed=st.integers(0, 999), snr=st.sampled_from([40, 45, 50, 0, 12.5]))
    def test_a18_ratio_is_peak_based(self, tools, seed: int, snr: float) -> None:
        signal = tools.speechlike(0.3, seed)
        tone = change.additive_tone(signal, RATE, generator(seed), **TONE, snr_db=snr) - signal
        amplitude = np.sqrt(2 * np.mean(tone.astype(float) ** 2))
        found = 20 * np.log10(np.abs(signal).max() / amplitude)
        assert abs(found - snr) < 0.1

    def test_frequency_and_phase(self, tools) -> None:
        signal = tools.speechlike(1)
        params = {"lowest_hz": 6000, "highest_hz": 6000, "snr_db": 0}
        tone = change.additive_tone(signal, RATE, generator(), **params) - signal
        peak = np.abs(signal).max()
        expected = peak * np.sin(2 * np.pi * 6000 / RATE * np.arange(RATE))
        assert np.allclose(tone, expected, atol=1e-6)

    def test_frequencies_of_both_ends_are_drawn(self) -> None:
        found = set()
        for seed in range(60):
            params = {"lowest_hz": 100, "highest_hz": 102, "snr_db": 0}
            signal = np.ones((1, RATE), dtype=np.float32)
            tone = change.additive_tone(signal / 2, RATE, generator(seed), **params) - signal / 2
            found.add(int(np.argmax(np.abs(np.fft.rfft(tone[0])))))
        assert found == {100, 101, 102}

    def test_a_rate_that_cannot_hold_the_tone(self, tools) -> None:
        signal = tools.speechlike(0.1, rate=8000)
        same = change.additive_tone(signal, 8000, generator(), **TONE, snr_db=40)
        assert np.array_equal(same, signal)


class TestZerosAndCrops:
    @pytest.mark.parametrize(("rate", "samples"), [(16000, 100), (8000, 50), (48000, 300)])
    def test_length_is_a_duration(self, tools, rate: int, samples: int) -> None:
        signal = tools.speechlike(0.2, rate=rate, channels=2)
        after = change.append_zeros(signal, rate, generator(), duration_ms=6.25)
        before = change.prepend_zeros(signal, rate, generator(), duration_ms=6.25)
        late = change.crop_beginning(signal, rate, generator(), duration_ms=6.25)
        early = change.crop_end(signal, rate, generator(), duration_ms=6.25)
        zeros = np.zeros((2, samples), dtype=np.float32)
        assert np.array_equal(after, np.concatenate([signal, zeros], axis=1))
        assert np.array_equal(before, np.concatenate([zeros, signal], axis=1))
        assert np.array_equal(late, signal[:, samples:])
        assert np.array_equal(early, signal[:, :-samples])

    def test_all_durations_are_drawn(self, tools) -> None:
        signal = tools.speechlike(0.2)
        choice = [6.25, 31.25, 62.5]
        sizes = {
            change.append_zeros(signal, RATE, generator(seed), duration_ms=choice).shape[1]
            for seed in range(40)
        }
        assert sizes == {3200 + 100, 3200 + 500, 3200 + 1000}

    @pytest.mark.parametrize("crop", [change.crop_beginning, change.crop_end])
    def test_crop_leaves_at_least_a_sample(self, tools, crop) -> None:
        signal = tools.speechlike(1)[:, :501]
        sizes = {
            crop(signal, RATE, generator(seed), duration_ms=[6.25, 31.25, 62.5]).shape[1]
            for seed in range(40)
        }
        assert sizes == {401, 1}

    @pytest.mark.parametrize("crop", [change.crop_beginning, change.crop_end])
    def test_signal_shorter_than_every_crop(self, tools, crop) -> None:
        text = r"signal has 100 samples, too few to remove 100 \(6\.25 ms at 16000 Hz\)"
        with pytest.raises(AudioError, match=text):
            crop(tools.speechlike(1)[:, :100], RATE, generator(), duration_ms=[6.25, 31.25])


class TestClip:
    @FAST
    @hypothesis.given(seed=st.integers(0, 99), share=st.floats(0, 0.9), n=st.integers(1, 400))
    def test_rule(self, tools, seed: int, share: float, n: int) -> None:
        signal = tools.speechlike(1, seed, channels=2)[:, :n]
        clipped = change.clip(signal, RATE, generator(), share=share)
        for got, original in zip(clipped, signal, strict=True):
            limit = np.sort(np.abs(original))[::-1][int(np.floor(share * n))]
            assert np.abs(got - np.clip(original, -limit, limit)).max() < 1e-6

    def test_nothing_if_the_limit_is_zero(self) -> None:
        signal = np.zeros((1, 1000), dtype=np.float32)
        signal[0, 3] = 0.5
        assert np.array_equal(change.clip(signal, RATE, generator(), share=0.002), signal)


class TestGain:
    @pytest.mark.parametrize("gain_db", [-2, -1, 1, 2])
    def test_factor(self, tools, gain_db: float) -> None:
        signal = tools.speechlike()
        louder = change.gain(signal, RATE, generator(), gain_db=gain_db)
        assert np.allclose(louder, signal * 10 ** (gain_db / 20), atol=1e-6)

    def test_full_scale_is_clipped_like_in_a_file(self) -> None:
        signal = np.array([[0.95, -0.95, 0.1]], dtype=np.float32)
        louder = change.gain(signal, RATE, generator(), gain_db=2)
        assert louder[0, :2].tolist() == [1.0, -1.0]

    def test_a_signal_beyond_full_scale_keeps_its_peak(self) -> None:
        signal = np.array([[1.5, -0.2]], dtype=np.float32)
        louder = change.gain(signal, RATE, generator(), gain_db=2)
        assert louder[0, 0] == 1.5
        assert np.allclose(change.gain(signal, RATE, generator(), gain_db=-2)[0, 0], 1.5 * 10**-0.1)


class TestFilters:
    @pytest.mark.parametrize("kind", ["highpass", "lowpass"])
    @pytest.mark.parametrize("cutoff", [50, 150, 3000, 7500])
    @pytest.mark.parametrize("order", [1, 2])
    def test_equal_to_second_order_sections(
        self, tools, kind: str, cutoff: float, order: int
    ) -> None:
        signal = tools.speechlike(channels=2)
        found = getattr(change, kind)(signal, RATE, generator(), cutoff_hz=cutoff, order=order)
        sections = scipy.signal.butter(order, cutoff / (RATE / 2), kind, output="sos")
        expected = scipy.signal.sosfilt(sections, signal.astype(float), axis=1)
        assert np.abs(found - expected).max() < 1e-6

    @pytest.mark.parametrize(("kind", "passed"), [("highpass", 4000), ("lowpass", 100)])
    def test_half_of_the_power_at_the_cutoff(self, kind: str, passed: float) -> None:
        impulse = np.zeros((1, RATE), dtype=np.float32)
        impulse[0, 0] = 0.5
        response = getattr(change, kind)(impulse, RATE, generator(), cutoff_hz=1000, order=1)
        power = np.abs(2 * np.fft.rfft(response[0])) ** 2
        assert power[1000] == pytest.approx(0.5, abs=0.01)
        assert power[passed] > 0.9

    def test_low_pass_above_half_of_the_rate_removes_nothing(self, tools) -> None:
        signal = tools.speechlike(0.1, rate=8000)
        found = change.lowpass(signal, 8000, generator(), cutoff_hz=7500, order=1)
        assert np.array_equal(found, signal)
        assert found is not signal

    def test_high_pass_above_half_of_the_rate_is_refused(self, tools) -> None:
        with pytest.raises(AudioError, match=r"high pass at 4000 Hz: nothing is left at 8000 Hz"):
            change.highpass(tools.speechlike(rate=8000), 8000, generator(), cutoff_hz=4000, order=1)


class TestWhiteNoise:
    @FAST
    @hypothesis.given(seed=st.integers(0, 999), snr=st.sampled_from([35, 40, 45, 0]))
    def test_ratio(self, tools, seed: int, snr: float) -> None:
        signal = tools.speechlike(0.3, seed)
        noise = change.white_noise(signal, RATE, generator(seed), snr_db=snr) - signal
        assert abs(tools.snr_db(signal, noise) - snr) < 0.1

    def test_it_is_white_and_gaussian(self, tools) -> None:
        signal = tools.speechlike(4)
        noise = (change.white_noise(signal, RATE, generator(), snr_db=0) - signal)[0]
        noise = noise / noise.std()
        assert abs(np.mean(noise**4) - 3) < 0.2
        power = np.abs(np.fft.rfft(noise)) ** 2
        low, high = power[: len(power) // 2].mean(), power[len(power) // 2 :].mean()
        assert low / high == pytest.approx(1, abs=0.05)

    def test_a17_channels_and_draws_differ(self, tools) -> None:
        signal = tools.speechlike(0.1, channels=2)
        one = change.white_noise(signal, RATE, generator(1), snr_db=0) - signal
        other = change.white_noise(signal, RATE, generator(2), snr_db=0) - signal
        assert abs(np.corrcoef(one[0], one[1])[0, 1]) < 0.1
        assert abs(np.corrcoef(one[0], other[0])[0, 1]) < 0.1

    def test_silence_gets_none(self) -> None:
        silence = np.zeros((1, 100), dtype=np.float32)
        assert not change.white_noise(silence, RATE, generator(), snr_db=20).any()


@pytest.mark.parametrize("put", [change.append_zeros, change.prepend_zeros])
def test_silence_cannot_be_shorter_than_nothing(put) -> None:
    with pytest.raises(AudioError, match="expected 0 or more"):
        put(np.zeros((2, 1), np.float32), RATE, generator(), duration_ms=[-100])
