"""Recipe of sound scenes: short sounds mixed into backgrounds, with exact annotations.

A scene is recorded at a place, which decides about the background, by a device, which decides
about the frequencies that are left of it and its noise. Events are synthesised sounds at random
times; events of one class never overlap, others may. An event lasts from where its envelope
first comes within :data:`AUDIBLE_DB` of its own maximum to where it last does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from ...core.registry import unknown
from . import bursts, corpus, sounds
from .corpus import KINDS, SAMPLING_RATE
from .dsp import band, filtered, noise, with_rms

#: every sound of a scene can be asked for by its name
KNOWN = (*sounds.BACKGROUNDS, *bursts.BURSTS)
#: level below the maximum of the envelope of an event at which it begins and ends
AUDIBLE_DB = -30.0
#: length of the envelope's window, and of the part of an event whose level counts
ENVELOPE_S, LOUDEST_S = 0.02, 0.1
#: silence between two events of a class, and before the first and after the last event
GAP_S, MARGIN_S = 0.4, 0.1
#: length of a take of a background that scenes of a place share parts of
TAKE_S = 24.0
LEVEL_DB, PEAK = -32.0, 0.97
TRIES = 30
#: columns of the table of files, and of that of events
PLACE, DEVICE, LABEL = "place", "device", "event"
FILES, EVENTS = "files", "events"


class Sound(spec.Record):
    """What events of a class sound like.

    Args:
        sound: name of the synthesised sound
        seconds: shortest and longest; of short sounds the longest counts
        level_db: lowest and highest level above the background
    """

    sound: str
    seconds: tuple[float, float]
    level_db: tuple[float, float]


class Device(spec.Record):
    """What a device leaves of a sound.

    Args:
        band_hz: lowest and highest frequency
        noise_db: level of its own noise against the background
    """

    band_hz: tuple[float, float]
    noise_db: float


class Event(NamedTuple):
    """One event of a scene.

    Args:
        label: its class
        start: sample at which its sound begins
        onset: first sample of the annotation
        offset: sample behind the last one of the annotation
        sound: the sound, float64, shape (samples,)
        level_db: above the background
    """

    label: str
    start: int
    onset: int
    offset: int
    sound: np.ndarray
    level_db: float


@dataclass(frozen=True)
class Scene:
    """One file of the corpus.

    Args:
        file: path in the database
        place: where it was recorded
        device: with what
    """

    file: str
    place: str
    device: str

    @property
    def archive(self) -> str:
        """Part of the published data that the file is in."""
        return self.place


@KINDS.register("scenes")
class Scenes(corpus.CorpusRecipe):
    """Kind ``scenes``.

    Args:
        seconds: shortest and longest scene
        events: fewest and most events of a scene
        classes: label -> sound
        places: place -> name of its background
        devices: device -> what it leaves
        each: number of scenes of each place with each device
    """

    seconds: tuple[float, float]
    events: tuple[int, int]
    classes: Mapping[str, Sound] = pydantic.Field(min_length=1)
    places: Mapping[str, str] = pydantic.Field(min_length=1)
    devices: Mapping[str, Device] = pydantic.Field(min_length=1)
    each: int = pydantic.Field(ge=1)

    def items(self) -> list[Scene]:
        """Place by place, device by device."""
        return self.part("audio", self.each)

    def part(self, folder: str, each: int) -> list[Scene]:
        """Scenes whose sounds depend on the name of the folder: for testing, or for training."""
        return [
            Scene(f"{folder}/{place}-{device}-{number:02d}.flac", place, device)
            for place in self.places
            for device in self.devices
            for number in range(each)
        ]

    def rendered(self, items: Iterable[Scene]) -> Iterator[tuple[str, np.ndarray]]:
        """Each by draws of its own."""
        for scene in items:
            yield scene.file, self.render(scene)

    def length(self, scene: Scene) -> int:
        """Number of samples of a scene."""
        random = rng.generator(self.seed, self.id, scene.file, "length")
        return round(random.uniform(*self.seconds) * SAMPLING_RATE)

    def plan(self, scene: Scene) -> list[Event]:
        """Events of a scene, by onset."""
        size = self.length(scene)
        random = rng.generator(self.seed, self.id, scene.file, "events")
        events: list[Event] = []
        for _ in range(int(random.integers(self.events[0], self.events[1] + 1))):
            label = sorted(self.classes)[int(random.integers(len(self.classes)))]
            chosen = self.classes[label]
            longest = random.uniform(*chosen.seconds)
            sound = sounds.SOUNDS.get(chosen.sound)(random, SAMPLING_RATE, longest)
            first, last = audible(sound)
            level = random.uniform(*chosen.level_db)
            for _ in range(TRIES):
                margin = round(MARGIN_S * SAMPLING_RATE)
                start = int(random.integers(margin - first, size - last - margin))
                event = Event(label, start, start + first, start + last, sound, level)
                if not any(_too_near(event, other) for other in events):
                    events.append(event)
                    break
        return sorted(events, key=lambda event: (event.onset, event.label))

    def render(self, scene: Scene) -> np.ndarray:
        """The recording."""
        size = self.length(scene)
        random = rng.generator(self.seed, self.id, scene.file, "background")
        take = _take(self.seed, self.id, scene.file.split("/")[0], self.places[scene.place])
        mixed = np.roll(take, int(random.integers(len(take))))[:size]
        mixed = with_rms(mixed, 10 ** (LEVEL_DB / 20))
        for event in self.plan(scene):
            gain = 10 ** ((LEVEL_DB + event.level_db) / 20) / loudest(event.sound)
            start, stop = max(event.start, 0), min(event.start + len(event.sound), size)
            mixed[start:stop] += gain * event.sound[start - event.start : stop - event.start]
        device = self.devices[scene.device]
        mixed = filtered(mixed, SAMPLING_RATE, band(*device.band_hz))
        hiss = noise(random, size, SAMPLING_RATE, band(60, np.inf))
        mixed = mixed + with_rms(hiss, 10 ** ((LEVEL_DB + device.noise_db) / 20))
        return np.asarray(mixed * min(1.0, PEAK / float(np.abs(mixed).max())))

    def database(self, items: Sequence[Scene]) -> Any:
        """A table of files with place and device, and one of events."""
        import audformat
        import pandas as pd

        db = audformat.Database(
            self.id,
            source=self.source,
            usage=audformat.define.Usage.UNRESTRICTED,
            description=self.description,
            license=self.license,
        )
        for name, labels in (
            (PLACE, self.places),
            (DEVICE, self.devices),
            (LABEL, self.classes),
        ):
            db.schemes[name] = audformat.Scheme(labels=sorted(labels))
        files = audformat.Table(audformat.filewise_index([scene.file for scene in items]))
        db[FILES] = files
        for name in (PLACE, DEVICE):
            files[name] = audformat.Column(scheme_id=name)
            files[name].set([getattr(scene, name) for scene in items])
        rows = [(scene.file, event) for scene in items for event in self.plan(scene)]
        # nanoseconds of whole samples, so that seconds are as exact as they can be
        times = [
            pd.to_timedelta([1e9 * at / SAMPLING_RATE for at in column], unit="ns")
            for column in ([e.onset for _, e in rows], [e.offset for _, e in rows])
        ]
        db[EVENTS] = audformat.Table(audformat.segmented_index([f for f, _ in rows], *times))
        db[EVENTS][LABEL] = audformat.Column(scheme_id=LABEL)
        db[EVENTS][LABEL].set([event.label for _, event in rows])
        return db

    def check(self) -> None:
        """Every sound must be known."""
        sound_names = {f"classes.{label}.sound": each.sound for label, each in self.classes.items()}
        sound_names |= {f"places.{place}": name for place, name in self.places.items()}
        for place, name in sound_names.items():
            if name not in KNOWN:
                raise unknown("sound", name, KNOWN, f"{self.origin}: {place}")
        longest = max(each.seconds[1] for each in self.classes.values())
        if self.seconds[0] < longest + 2 * MARGIN_S:
            raise ConfigError(f"{self.origin}: seconds: a scene is shorter than an event")


@lru_cache(maxsize=16)
def _take(seed: int, recipe: str, folder: str, name: str) -> np.ndarray:
    """A long take of a background."""
    random = rng.generator(seed, recipe, folder, name)
    take = sounds.SOUNDS.get(name)(random, SAMPLING_RATE, TAKE_S)
    take.flags.writeable = False
    return take


def _too_near(one: Event, other: Event) -> bool:
    gap = round(GAP_S * SAMPLING_RATE)
    apart = one.onset >= other.offset + gap or other.onset >= one.offset + gap
    return one.label == other.label and not apart


def _envelope(sound: np.ndarray, seconds: float) -> np.ndarray:
    """Root of the mean square around each sample, shape (samples,)."""
    half = round(seconds * SAMPLING_RATE / 2)
    sums = np.cumsum(np.pad(np.square(sound), (half + 1, half)))
    return np.sqrt(np.maximum(sums[2 * half + 1 :] - sums[: -2 * half - 1], 0) / (2 * half + 1))


def loudest(sound: np.ndarray) -> float:
    """RMS level of the loudest part of a sound."""
    return float(_envelope(sound, LOUDEST_S).max()) + 1e-12


def audible(sound: np.ndarray) -> tuple[int, int]:
    """First sample of the audible part of a sound, and the one behind the last.

    >>> first, last = audible(np.pad(np.ones(16000), 1600))
    >>> abs(first - 1600) < 200, abs(last - 17600) < 200
    (True, True)
    """
    envelope = _envelope(sound, ENVELOPE_S)
    loud = np.flatnonzero(envelope >= 10 ** (AUDIBLE_DB / 20) * envelope.max())
    return int(loud[0]), int(loud[-1]) + 1
