"""Corpora without speech: what they hold, rooms that sound as long as they say, devices."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import audb
import numpy as np
import pytest

from common.core import rng
from common.core.errors import ConfigError, MissingDependency
from common.core.paths import REPOSITORY
from common.samples import demo
from common.samples.demo import (
    devices,
    dsp,
    music,
    recipes,
    rooms,
    sound_corpora,
    sounds,
    synthesis,
)
from common.samples.demo.corpus import SAMPLING_RATE

ROOMS = recipes.load(recipes.FOLDER / "rooms.yaml")
SOUNDS = recipes.load(recipes.FOLDER / "sounds.yaml")
RECORDINGS = recipes.load(recipes.FOLDER / "recordings.yaml")
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")
assert isinstance(ROOMS, sound_corpora.Rooms)
assert isinstance(SOUNDS, sound_corpora.Sounds)
assert isinstance(RECORDINGS, devices.Devices)


@pytest.fixture(scope="module")
def responses() -> dict[str, np.ndarray]:
    return {Path(file).stem: taps for file, taps in ROOMS.rendered(ROOMS.items())}


def middle_band(taps: np.ndarray) -> np.ndarray:
    return dsp.filtered(taps, SAMPLING_RATE, dsp.band(500, 2000, order=4))


@pytest.mark.parametrize("name", ["studio-1-centre", "booth", "meeting", "office", "lecture"])
def test_a_room_sounds_as_long_as_it_says(responses: dict[str, np.ndarray], name: str) -> None:
    said = ROOMS.rooms[ROOMS.responses[name].room].rt60_s
    found = rooms.decay_time(middle_band(responses[name]) ** 2, SAMPLING_RATE)
    assert found == pytest.approx(said, rel=0.12)


def test_the_direct_sound_comes_first_and_far_places_have_less_of_it(
    responses: dict[str, np.ndarray],
) -> None:
    ratios = {}
    for name, taps in responses.items():
        assert np.isfinite(taps).all() and np.abs(taps).max() == pytest.approx(0.9)
        assert np.abs(taps[:3]).max() > 0.3
        early = np.square(taps[:40]).sum()
        ratios[name] = 10 * np.log10(early / np.square(taps[40:]).sum())
    for side in ("left", "centre", "right"):
        near, middle, far = (ratios[f"studio-{distance}-{side}"] for distance in (1, 2, 3))
        assert near > middle > far
    assert min(ratios["booth"], ratios["meeting"]) > ratios["office"] > ratios["lecture"]


def test_images_are_where_mirrors_put_them() -> None:
    """First reflections of a source, worked out by hand."""
    found = rooms.images((4, 3, 3), (1, 1, 1), (3, 1, 1), 0.02, rng.generator(0, "still"))
    direct = found.distance_m[found.reflections == 0]
    assert direct.tolist() == [2.0]
    # walls: x = 0 (4 m), x = 4 (4 m), y = 0 and z = 0 (both 2 * sqrt(2) m), y = 3, z = 3
    once = np.sort(found.distance_m[found.reflections == 1])
    expected = [8**0.5, 8**0.5, 4, 4, 20**0.5, 20**0.5]
    assert once == pytest.approx(expected, abs=rooms.JITTER_M + 1e-9)


def at_device(name: str, moved_m: float = 0.0) -> np.ndarray:
    """Impulse response of the room of the recordings at a device."""
    room, (x, y, z) = RECORDINGS.room, RECORDINGS.devices[name].at_m
    random = rng.generator(RECORDINGS.seed, RECORDINGS.id, "room", name)
    place = (x + moved_m, y, z)
    return rooms.response(room.size_m, room.mouth_m, place, room.rt60_s, SAMPLING_RATE, random)


@pytest.mark.parametrize("name", sorted(RECORDINGS.devices))
def test_the_room_sounds_as_long_as_it_says_at_each_device(name: str) -> None:
    """At the headset, whose direct sound is 25 dB above the rest, once that has passed."""
    taps = at_device(name)
    assert np.isfinite(taps).all()
    late = middle_band(taps)[80:]
    found = rooms.decay_time(late**2, SAMPLING_RATE)
    assert found == pytest.approx(RECORDINGS.room.rt60_s, rel=0.15)


@pytest.mark.parametrize("name", sorted(RECORDINGS.devices))
def test_a_response_does_not_depend_on_rounding(name: str) -> None:
    """That of the headset was silence, or a hall, by the last digit of a sum."""
    taps = at_device(name)
    moved = [at_device(name, moved_m=steps * 1e-9) for steps in range(1, 5)]
    assert max(np.abs(other - taps).max() for other in moved) < 1e-6


def test_a_time_that_no_walls_give_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"fall by 60 dB in 0\.0345 s"):
        rooms.response((3, 3, 3), (1, 1, 1), (2, 1, 1), 0.03, SAMPLING_RATE, rng.generator(0, "x"))


def test_rooms_agree_with_another_simulation() -> None:
    """pyroomacoustics, with the same reflection factor at all frequencies."""
    size, source, microphone = (6.2, 5.1, 2.9), (2.6, 2.4, 1.4), (1.6, 2.4, 1.4)
    golden = REPOSITORY / "tests" / "golden" / "pyroomacoustics" / "figures.npz"
    theirs = np.load(golden)["response"] / 32767
    own = rooms.response(size, source, microphone, 0.4, SAMPLING_RATE, rng.generator(0, "room"))
    times = [rooms.decay_time(middle_band(taps) ** 2, SAMPLING_RATE) for taps in (own, theirs)]
    assert times[0] == pytest.approx(times[1], rel=0.2)

    def clarity_db(taps: np.ndarray) -> float:
        taps, border = middle_band(taps), round(0.05 * SAMPLING_RATE)
        return float(10 * np.log10(np.square(taps[:border]).sum() / np.square(taps[border:]).sum()))

    assert clarity_db(own) == pytest.approx(clarity_db(theirs), abs=2.5)


def test_sounds_are_balanced_over_categories() -> None:
    counts: dict[str, int] = {}
    for item in SOUNDS.items():
        counts[item.labels["category"]] = counts.get(item.labels["category"], 0) + 1
    assert counts == {"noise": 28, "music": 12, "coughing": 24, "sneezing": 24}
    assert {item.labels["sound"] for item in SOUNDS.items()} <= set(sound_corpora.KNOWN)


@pytest.mark.parametrize("name", music.STYLES)
def test_music_has_tones_and_a_beat(name: str) -> None:
    piece = sounds.SOUNDS.get(name)(rng.generator(0, name), SAMPLING_RATE, 6.0)
    assert np.array_equal(
        piece, sounds.SOUNDS.get(name)(rng.generator(0, name), SAMPLING_RATE, 6.0)
    )
    assert 20 * np.log10(piece.std()) == pytest.approx(sounds.LEVEL_DB, abs=3)
    power = np.sort(np.abs(np.fft.rfft(piece)) ** 2)[::-1]
    assert power[: len(power) // 50].sum() > 0.75 * power.sum(), "most energy in few lines"


def test_melodies_stay_in_their_scale_and_range() -> None:
    for take in range(20):
        random = rng.generator(0, take)
        song = music.compose(random, 4)
        notes = music.melody(random, song)
        assert {(note.pitch - song.key) % 12 for note in notes} <= set(song.scale)
        assert sum(note.beats for note in notes) == 4 * music.BEATS
        assert all(-9 <= note.pitch - song.key <= 28 for note in notes)
        leaps = np.abs(np.diff([note.pitch for note in notes]))
        assert np.median(leaps) <= 4


@pytest.mark.parametrize(
    ("recipe", "change", "message"),
    [
        (
            "sounds",
            lambda c: c["groups"]["music"].update(sounds=["pianoo"]),
            "unknown sound 'pianoo'",
        ),
        ("rooms", lambda c: c["responses"]["booth"].update(room="bath"), "unknown room 'bath'"),
        ("rooms", lambda c: c["responses"]["booth"].update(distance_m=3), "lies outside of"),
        (
            "recordings",
            lambda c: c["devices"]["mobile"].update(at_m=[9, 1, 1]),
            "is outside of the room",
        ),
        ("recordings", lambda c: c["texts"].append(" "), "at least one sentence, none empty"),
    ],
)
def test_faults_of_recipes_are_named(
    load: Callable[[str], Any],
    write: Callable[[Any], Path],
    recipe: str,
    change: Callable[[Any], None],
    message: str,
) -> None:
    content = load(recipe)
    change(content)
    with pytest.raises(ConfigError, match=message):
        recipes.load(write(content))


def test_sounds_are_made_without_the_synthesiser(
    load: Callable[[str], Any],
    write: Callable[[Any], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from common.samples.demo import publish

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n: None if n == synthesis.PACKAGE else find(n)
    )
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])
    content = load("sounds")
    content["groups"] = {"coughing": {"sounds": ["cough"], "each": 3, "seconds": 2}}
    few, cache = recipes.load(write(content)), tmp_path / "cache"
    with pytest.raises(MissingDependency, match="espeakng-loader"):
        publish.ensure_corpora(cache, [few, RECORDINGS], workers=2)
    assert publish.missing(cache, [few, RECORDINGS]) == [RECORDINGS]
    audb.config.REPOSITORIES = [demo.repository(cache)]
    db = audb.load(few.id, version=few.version, cache_root=str(tmp_path / "audb"), verbose=False)
    frame = db["files"].get()
    assert set(frame["category"]) == {"coughing"} and len(frame) == 3


class TestDevices:
    speech = 0.1 * np.sin(2 * np.pi * 500 * np.arange(SAMPLING_RATE) / SAMPLING_RATE)

    def record(self, device: str, speech: np.ndarray) -> np.ndarray:
        one = RECORDINGS.devices[device]
        random = rng.generator(0, device)
        return devices.recorded(speech, np.eye(1, 800)[0], one, random)

    def test_every_utterance_is_recorded_by_every_device(self) -> None:
        utterances = RECORDINGS.utterances()
        keys = [(u.speaker.id, u.text) for u in utterances]
        assert len(set(keys)) * len(RECORDINGS.devices) == len(utterances)
        by_key: dict[Any, list[Any]] = {}
        for one in utterances:
            request = one.request()
            by_key.setdefault((one.speaker.id, one.text), []).append({**request, "id": ""})
        for requests in by_key.values():
            assert all(request == requests[0] for request in requests), "the same speech"

    def test_length_and_delay_are_kept(self) -> None:
        for device in RECORDINGS.devices:
            heard = self.record(device, self.speech)
            assert len(heard) == len(self.speech)
            shift = np.correlate(heard[2000:12000], self.speech[2000:12000], "same").argmax() - 5000
            assert abs(shift) <= 3

    def test_noise_has_its_level(self) -> None:
        for name, device in RECORDINGS.devices.items():
            heard = self.record(name, 1e-9 * self.speech)
            level = 20 * np.log10(np.sqrt(np.mean(heard**2)))
            assert level == pytest.approx(device.noise_db, abs=0.2)

    def test_the_phone_is_narrow(self) -> None:
        noise = 0.1 * rng.generator(0, "n").standard_normal(SAMPLING_RATE)
        spectrum = {n: np.abs(np.fft.rfft(self.record(n, noise))) ** 2 for n in RECORDINGS.devices}
        low = {name: power[:100].sum() / power.sum() for name, power in spectrum.items()}
        high = {name: power[6500:].sum() / power.sum() for name, power in spectrum.items()}
        assert low["mobile"] < low["headset"] < low["boundary"]
        assert high["mobile"] < high["boundary"] < high["headset"]

    def test_control_evens_out_levels_and_keeps_the_mean(self) -> None:
        loudness = np.repeat([0.02, 0.2], SAMPLING_RATE)
        speech = loudness * rng.generator(0, "c").standard_normal(2 * SAMPLING_RATE)
        even = devices.controlled(speech, 0.5)
        assert even.std() == pytest.approx(speech.std(), rel=1e-4)
        parts = even[4000:12000].std(), even[20000:28000].std()
        assert 20 * np.log10(parts[1] / parts[0]) == pytest.approx(10, abs=0.5)  # half of 20 dB
