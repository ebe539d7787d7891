"""Recipes of corpora without speech: sounds, and impulse responses of rooms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from ...core.registry import unknown
from . import bursts, corpus, database, music, rooms, sounds
from .corpus import KINDS, SAMPLING_RATE

#: every sound of a corpus can be asked for by its name
KNOWN = (*sounds.BACKGROUNDS, *bursts.BURSTS, *music.STYLES)
TEXT, NUMBER = {"dtype": "str"}, {"dtype": "float"}


@dataclass(frozen=True)
class Item:
    """One file of a corpus.

    Args:
        file: path in the database
        archive: part of the published data that it is in
        labels: column -> label
    """

    file: str
    archive: str
    labels: Mapping[str, Any]


class Group(spec.Record):
    """Sounds of one category.

    Args:
        sounds: their names
        each: how many takes of each
        seconds: how long they are; of short sounds, how long at most
    """

    sounds: tuple[str, ...] = pydantic.Field(min_length=1)
    each: int = pydantic.Field(ge=1)
    seconds: float = pydantic.Field(gt=0)


@KINDS.register("sounds")
class Sounds(corpus.CorpusRecipe):
    """Kind ``sounds``: takes of synthesised sounds by category."""

    modules: ClassVar[tuple[str, ...]] = (
        *("sound_corpora.py", "sounds.py", "bursts.py", "music.py", "dsp.py"),
    )

    groups: Mapping[str, Group]

    def items(self) -> list[Item]:
        """Category by category, sound by sound."""
        return [
            Item(f"audio/{category}/{name}-{take}.flac", category, labels)
            for category, group in self.groups.items()
            for name in group.sounds
            for take in range(group.each)
            for labels in [{"category": category, "sound": name}]
        ]

    def rendered(self, items: Iterable[Item]) -> Iterator[tuple[str, np.ndarray]]:
        """Each by draws of its own."""
        for item in items:
            make = sounds.SOUNDS.get(item.labels["sound"])
            random = rng.generator(self.seed, self.id, item.file)
            seconds = self.groups[item.labels["category"]].seconds
            yield item.file, make(random, SAMPLING_RATE, seconds)

    def database(self, items: Sequence[Item]) -> Any:
        """One table with category and sound."""
        names = sorted({item.labels["sound"] for item in items})
        schemes = {"category": {"labels": list(self.groups)}, "sound": {"labels": names}}
        return database.of_files(self, schemes, items)

    def check(self) -> None:
        """Every sound must be known."""
        for category, group in self.groups.items():
            for name in group.sounds:
                if name not in KNOWN:
                    place = f"{self.origin}: groups.{category}.sounds"
                    raise unknown("sound", name, KNOWN, place)


class Room(spec.Record):
    """A box with a microphone.

    Args:
        size_m: length, width, height
        microphone_m: place of the microphone
        rt60_s: reverberation time between 500 and 2000 Hz
    """

    size_m: tuple[float, float, float]
    microphone_m: tuple[float, float, float]
    rt60_s: float = pydantic.Field(gt=0.05, le=2)


class Place(spec.Record):
    """Place of a loudspeaker in front of a microphone.

    Args:
        room: name of the room
        distance_m: from the microphone
        angle_deg: to the left (positive) or right of straight ahead
    """

    room: str
    distance_m: float = pydantic.Field(gt=0)
    angle_deg: float = 0.0


@KINDS.register("rooms")
class Rooms(corpus.CorpusRecipe):
    """Kind ``rooms``: impulse responses between places in simulated rooms."""

    rooms: Mapping[str, Room]
    responses: Mapping[str, Place]

    def items(self) -> list[Item]:
        """In the order of the recipe."""
        return [
            Item(
                f"audio/{name}.flac",
                place.room,
                {**place.model_dump(), "rt60_s": self.rooms[place.room].rt60_s},
            )
            for name, place in self.responses.items()
        ]

    def rendered(self, items: Iterable[Item]) -> Iterator[tuple[str, np.ndarray]]:
        """One impulse response for each."""
        for item in items:
            room = self.rooms[item.labels["room"]]
            random = rng.generator(self.seed, self.id, item.file)
            source = self._source(item.labels)
            places = (room.size_m, source, room.microphone_m)
            yield item.file, rooms.response(*places, room.rt60_s, SAMPLING_RATE, random)

    def database(self, items: Sequence[Item]) -> Any:
        """One table with room, reverberation time, distance and angle."""
        schemes: dict[str, Mapping[str, Any]] = {"room": {"labels": list(self.rooms)}}
        schemes |= dict.fromkeys(("rt60_s", "distance_m", "angle_deg"), NUMBER)
        return database.of_files(self, schemes, items)

    def _source(self, labels: Mapping[str, Any]) -> tuple[float, float, float]:
        x, y, z = self.rooms[labels["room"]].microphone_m
        angle = np.deg2rad(labels["angle_deg"])
        reach = labels["distance_m"]
        return x + reach * float(np.cos(angle)), y + reach * float(np.sin(angle)), z

    def check(self) -> None:
        """Microphones and loudspeakers must be inside of rooms that there are."""
        for name, place in self.responses.items():
            where = f"{self.origin}: responses.{name}"
            if place.room not in self.rooms:
                raise unknown("room", place.room, self.rooms, f"{where}.room")
            room = self.rooms[place.room]
            for point in (room.microphone_m, self._source(place.model_dump())):
                if not all(0 < x < size for x, size in zip(point, room.size_m, strict=True)):
                    raise ConfigError(f"{where}: {point} lies outside of {room.size_m}")
