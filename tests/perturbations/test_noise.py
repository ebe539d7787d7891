from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from common.core.errors import DataError
from common.perturbations import noise

FAST = hypothesis.settings(max_examples=40, derandomize=True)
RATE = 16000
BABBLE = {"fewest": 4, "most": 7, "lowest_db": -20, "highest_db": -13}


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def corpus(tools, *seconds: float):
    """Recordings of different loudness."""
    return tools.InMemory(
        *(5 / (n + 1) * tools.speechlike(length, 50 + n)[0] for n, length in enumerate(seconds))
    )


class TestBackground:
    @FAST
    @hypothesis.given(
        seed=st.integers(0, 999),
        snr=st.sampled_from([20, 10, 0, -5, 33.3]),
        seconds=st.floats(0.01, 1.5),
        loud=st.floats(0.01, 15),
    )
    def test_ratio_and_level(self, tools, seed, snr, seconds, loud) -> None:
        """Noise shorter and longer than speech, quiet and clipping speech."""
        signal = np.clip(loud * tools.speechlike(seconds, seed), -1, 1).astype(np.float32)
        recording = tools.speechlike(0.5, seed + 1)[0]
        mixed = noise.background(
            signal, RATE, generator(seed), corpus=tools.InMemory(recording), snr_db=snr
        )
        start = int(_position(seed) * len(recording))
        added = np.resize(np.roll(recording, -start), signal.shape[1])
        a, b = tools.parts(mixed, signal, added)
        assert abs(tools.snr_db(a * signal, b * added) - snr) < 0.1
        level = tools.snr_db(mixed, signal)
        assert abs(level) < 0.01 or (level < 0 and np.abs(mixed).max() == pytest.approx(1))

    def test_a19_goes_on_at_the_beginning_of_the_recording(self, tools) -> None:
        """Every sample of a short recording is heard equally often, wherever it starts."""
        recording = np.zeros(1000, dtype=np.float32)
        recording[10] = 0.5
        signal = tools.speechlike(0.5)
        for seed in range(10):
            mixed = noise.background(
                signal, RATE, generator(seed), corpus=tools.InMemory(recording), snr_db=-20
            )
            clicks = np.flatnonzero(np.abs(mixed[0]) > 0.5 * np.abs(mixed).max())
            assert set(np.diff(clicks)) == {1000}

    def test_recordings_and_places_are_drawn(self, tools) -> None:
        recordings = tools.InMemory(*(np.full(100, 1 + n, dtype=np.float32) for n in range(3)))
        drawn = set()
        recordings.excerpt = lambda number, position, samples, rate: (
            drawn.add((number, position)) or np.ones(samples, dtype=np.float32)
        )
        for seed in range(30):
            noise.background(
                tools.speechlike(0.1), RATE, generator(seed), corpus=recordings, snr_db=20
            )
        assert {number for number, _ in drawn} == {0, 1, 2}
        places = [position for _, position in drawn]
        assert len(set(places)) == 30 and 0 <= min(places) < 0.2 and 0.8 < max(places) < 1

    def test_silent_speech_stays_as_it_is(self, tools) -> None:
        silence = np.zeros((2, 100), dtype=np.float32)
        sounds = corpus(tools, 0.1)
        for function, params in (
            (noise.background, {"corpus": sounds}),
            (noise.babble, {"corpus": sounds, **BABBLE}),
            (noise.event, {"corpus": sounds}),
            (noise.white_background, {}),
        ):
            same = function(silence, RATE, generator(), snr_db=10, **params)
            assert not same.any() and same is not silence

    def test_silent_pieces_are_drawn_again(self, tools) -> None:
        sounds = tools.InMemory(np.zeros(50), np.ones(50))
        for seed in range(8):
            signal = tools.speechlike(0.1)
            for function in (noise.background, noise.event):
                mixed = function(signal, RATE, generator(seed), corpus=sounds, snr_db=0)
                assert np.isfinite(mixed).all() and not np.allclose(mixed, signal, atol=1e-3)

    @pytest.mark.parametrize("function", [noise.background, noise.event])
    def test_nothing_but_silence_is_an_error(self, tools, function) -> None:
        with pytest.raises(DataError, match=r"memory: 20 .* were drawn, all silent"):
            function(
                tools.speechlike(0.1),
                RATE,
                generator(),
                corpus=tools.InMemory(np.zeros(9)),
                snr_db=20,
            )

    def test_every_channel_has_its_own_ratio(self, tools) -> None:
        signal = tools.speechlike(0.3, channels=2) * np.array([[1], [0.1]], dtype=np.float32)
        recording = tools.speechlike(0.3, 9)[0]
        mixed = noise.background(
            signal, RATE, generator(3), corpus=tools.InMemory(recording), snr_db=20
        )
        added = np.roll(recording, -int(_position(3) * len(recording)))
        for channel, original in zip(mixed, signal, strict=True):
            a, b = tools.parts(channel, original, added)
            assert abs(tools.snr_db(a * original, b * added) - 20) < 0.1


def _position(seed: int) -> float:
    """Place that is drawn from a single recording."""
    rng = generator(seed)
    rng.integers(1)
    return float(rng.random())


class TestWhite:
    @FAST
    @hypothesis.given(seed=st.integers(0, 999), snr=st.sampled_from([20, 0, 40]))
    def test_ratio(self, tools, seed: int, snr: float) -> None:
        signal = tools.speechlike(0.3, seed)
        mixed = noise.white_background(signal, RATE, generator(seed), snr_db=snr)
        added = generator(seed).standard_normal(signal.shape, dtype=np.float32)
        a, b = tools.parts(mixed, signal, added)
        assert abs(tools.snr_db(a * signal, b * added) - snr) < 0.1


class TestBabble:
    @FAST
    @hypothesis.given(seed=st.integers(0, 999))
    def test_voices(self, tools, seed: int) -> None:
        """Number of voices, gains and ratio, from what was added."""
        taken: list[np.ndarray] = []
        sounds = corpus(tools, 0.1, 0.7, 2)
        read = sounds.excerpt
        sounds.excerpt = lambda *args: taken.append(read(*args)) or taken[-1]
        signal = tools.speechlike(0.5, seed)
        mixed = noise.babble(signal, RATE, generator(seed), corpus=sounds, snr_db=20, **BABBLE)
        assert 4 <= len(taken) <= 7
        columns = np.stack([signal[0], *taken], axis=1).astype(float)
        found, *_ = np.linalg.lstsq(columns, mixed[0].astype(float), rcond=None)
        voices = columns[:, 1:] @ found[1:]
        assert abs(tools.snr_db(found[0] * signal, voices) - 20) < 0.1
        gains = 20 * np.log10(found[1:])
        assert np.allclose(gains - gains[0], np.round(gains - gains[0]), atol=0.05)
        assert np.ptp(gains) <= 7.05

    def test_all_numbers_and_gains_occur(self, tools) -> None:
        counts = set()
        for seed in range(40):
            taken: list[int] = []
            sounds = corpus(tools, 0.1)
            sounds.excerpt = lambda number, position, samples, rate, t=taken: (
                t.append(number) or np.ones(samples, dtype=np.float32)
            )
            noise.babble(
                tools.speechlike(0.1), RATE, generator(seed), corpus=sounds, snr_db=20, **BABBLE
            )
            counts.add(len(taken))
        assert counts == {4, 5, 6, 7}


class TestEvent:
    @FAST
    @hypothesis.given(seed=st.integers(0, 999), snr=st.sampled_from([10, 0, 20]))
    def test_a7_ratio_holds_where_the_sound_is(self, tools, seed: int, snr: float) -> None:
        signal = tools.speechlike(1, seed)
        sound = 0.5 * tools.speechlike(0.2, seed + 1)[0]
        mixed = noise.event(signal, RATE, generator(seed), corpus=tools.InMemory(sound), snr_db=snr)
        scale = float(np.median(mixed[0] / np.where(signal[0] == 0, 1, signal[0])))
        added = mixed[0] / scale - signal[0]
        where = np.flatnonzero(np.abs(added) > 1e-4)
        start = where[0]
        part = slice(start, start + len(sound))
        assert where[-1] < start + len(sound) <= signal.shape[1], "all of the sound fits"
        assert abs(tools.snr_db(signal[0, part], added[part]) - snr) < 0.1

    def test_a6_sounds_are_drawn(self, tools) -> None:
        drawn = []
        sounds = corpus(tools, 0.05, 0.05, 0.05)
        read = sounds.whole
        sounds.whole = lambda number, rate: drawn.append(number) or read(number, rate)
        for seed in range(30):
            noise.event(tools.speechlike(0.2), RATE, generator(seed), corpus=sounds, snr_db=10)
        assert set(drawn) == {0, 1, 2}

    def test_every_place_where_it_fits_is_possible(self, tools) -> None:
        signal = np.full((1, 12), 0.1, dtype=np.float32)
        sound = np.array([0.5, 0.5], dtype=np.float32)
        starts = set()
        for seed in range(200):
            mixed = noise.event(
                signal, RATE, generator(seed), corpus=tools.InMemory(sound), snr_db=0
            )
            starts.add(int(np.argmax(mixed[0] > mixed[0].mean())))
        assert starts == set(range(11))

    def test_of_a_longer_sound_the_loudest_part_is_heard(self, tools) -> None:
        sound = np.zeros(1000, dtype=np.float32)
        sound[700:720] = 0.5
        signal = np.full((1, 40), 0.1, dtype=np.float32)
        mixed = noise.event(signal, RATE, generator(), corpus=tools.InMemory(sound), snr_db=0)
        assert (mixed[0] > mixed[0].mean()).sum() == 20

    def test_in_a_pause_the_ratio_is_that_to_the_whole_signal(self, tools) -> None:
        signal = np.zeros((1, 1000), dtype=np.float32)
        signal[0, :10] = 0.5
        for seed in range(10):
            mixed = noise.event(
                signal, RATE, generator(seed), corpus=tools.InMemory(np.ones(50)), snr_db=10
            )
            part = mixed[0, 60:]
            if np.count_nonzero(part) == 50:
                added = part[part > 0][0] / mixed[0, 0] * 0.5
                assert 20 * np.log10(signal.std() / added) == pytest.approx(10, abs=0.1)
                break
        else:
            pytest.fail("the sound never fell into the pause")
