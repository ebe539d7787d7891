"""Recipe of utterances that several devices record at the same time.

Somebody reads in a simulated room; each device has its place there, its frequency response, its
noise and, if it is a telephone, a control of the level. The speech itself is the same, sample
by sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from . import acoustics, dsp, rooms
from .corpus import KINDS, SAMPLING_RATE
from .reading import TEXT, Reading, ReadText
from .speech import Utterance, filled

#: how long the control of the level looks, and the level below which it does not help, in dB
CONTROL_S = 0.25
CONTROL_FLOOR_DB = -50.0
PEAK = 0.97


class ReadingRoom(spec.Record):
    """Where it is read: a box, its reverberation time, and the place of the mouth."""

    size_m: tuple[float, float, float]
    rt60_s: float = pydantic.Field(gt=0.05, le=2)
    mouth_m: tuple[float, float, float]


class Recorder(spec.Record):
    """What records.

    Args:
        at_m: place in the room
        low_hz: lower end of the pass band
        high_hz: its upper end
        peaks: centre in Hz, width in Hz and height of resonances
        gain_db: gain behind the microphone
        noise_db: level of the noise of room and device, dB of full scale
        noise_slope_db: fall of its spectrum, dB per octave
        control: share of the differences of level that are evened out
    """

    at_m: tuple[float, float, float]
    low_hz: float = pydantic.Field(gt=0)
    high_hz: float = pydantic.Field(gt=0)
    peaks: tuple[tuple[float, float, float], ...] = ()
    gain_db: float = 0.0
    noise_db: float = -70.0
    noise_slope_db: float = -3.0
    control: float = pydantic.Field(default=0.0, ge=0, lt=1)


@KINDS.register("devices")
class Devices(Reading):
    """Kind ``devices``: sentences read by all voices, recorded by all devices."""

    language: str
    tongue: str
    texts: tuple[str, ...]
    room: ReadingRoom
    devices: Mapping[str, Recorder]

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Device and text."""
        return {"device": {"labels": list(self.devices)}, "text": TEXT}

    def lines(self) -> Iterator[ReadText]:
        """Text by text, once for each device."""
        for n, text in enumerate(self.texts):
            for device in self.devices:
                labels = {"device": device, "text": text}
                name = f"{n:02d}-{device}"
                yield ReadText(
                    self.language, n, name, self.language, self.tongue, text, text, labels
                )

    def shaped(self, utterance: Utterance, sampling_rate: int, audio: np.ndarray) -> np.ndarray:
        """What a device records of an utterance."""
        same = rng.generator(self.seed, self.id, utterance.speaker.id, utterance.text)
        speech = acoustics.render(audio, sampling_rate, utterance, same)
        name = str(utterance.labels["device"])
        heard = self._responses()[name]
        return recorded(
            speech, heard, self.devices[name], rng.generator(self.seed, self.id, utterance.file)
        )

    def _responses(self) -> dict[str, np.ndarray]:
        key = self.model_dump_json(include={"id", "seed", "room", "devices"})
        return _responses(key, self)

    def check(self) -> None:
        """There must be texts, and mouth and devices must be inside the room."""
        super().check()
        filled(self.texts, f"{self.origin}: texts")
        points = {"room.mouth_m": self.room.mouth_m}
        points |= {f"devices.{name}.at_m": device.at_m for name, device in self.devices.items()}
        for place, point in points.items():
            if not all(0 < x < size for x, size in zip(point, self.room.size_m, strict=True)):
                raise ConfigError(f"{self.origin}: {place}: {point} is outside of the room")


_KEPT: dict[str, dict[str, np.ndarray]] = {}


def _responses(key: str, recipe: Devices) -> dict[str, np.ndarray]:
    """Impulse response of the room at each device, energy 1, computed once per process."""
    if key not in _KEPT:
        room = recipe.room
        responses = {}
        for name, device in recipe.devices.items():
            random = rng.generator(recipe.seed, recipe.id, "room", name)
            places = (room.size_m, room.mouth_m, device.at_m)
            taps = rooms.response(*places, room.rt60_s, SAMPLING_RATE, random)
            responses[name] = taps / np.sqrt(np.square(taps).sum())
        _KEPT[key] = responses
    return _KEPT[key]


def recorded(
    speech: np.ndarray, response: np.ndarray, device: Recorder, random: np.random.Generator
) -> np.ndarray:
    """What a device makes of speech.

    Args:
        speech: dry speech, shape (samples,)
        response: impulse response of the room at the device, energy 1
        device: the device
        random: draws its noise

    Returns:
        float64, shape (samples,); as long as the speech, as all devices stop at the same time
    """
    heard = dsp.convolved(speech, response)
    passed = dsp.band(device.low_hz, device.high_hz, order=4)
    bumps = dsp.formants(device.peaks, floor=1.0)
    heard = dsp.filtered(heard, SAMPLING_RATE, lambda hz: passed(hz) * bumps(hz))
    if device.control:
        heard = controlled(heard, device.control)
    noise = dsp.noise(random, len(heard), SAMPLING_RATE, dsp.slope(device.noise_slope_db))
    heard = heard * 10 ** (device.gain_db / 20) + noise * 10 ** (device.noise_db / 20)
    return heard * min(1.0, PEAK / float(np.abs(heard).max()))


def controlled(speech: np.ndarray, share: float) -> np.ndarray:
    """Speech whose level varies less, by a share, at the same RMS level."""
    half = dsp.count(CONTROL_S / 2, SAMPLING_RATE)
    sums = np.cumsum(np.pad(np.square(speech), (half + 1, half)))
    power = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    power = np.maximum(power, 10 ** (CONTROL_FLOOR_DB / 10))
    return dsp.with_rms(speech * power ** (-share / 2), acoustics.rms(speech))
