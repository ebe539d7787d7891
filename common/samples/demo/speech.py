"""What the recipes of all corpora of speech share: speakers, acoustic cues, utterances.

From a recipe follows a list of utterances, each with its text, voice, acoustic cues and labels;
the list depends on the recipe alone. They are spoken by :mod:`common.samples.demo.synthesis` and
shaped by :mod:`common.samples.demo.acoustics`.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from ...core.registry import unknown
from . import corpus

#: cue -> meaning; what an utterance is made of
CUES = {
    "pitch_st": "mean F0 against the voice's own, semitones",
    "range_log2": "F0 range against that of the voice, octaves of a factor",
    "rate_log2": "speech rate against the usual one, octaves of a factor",
    "level_db": "level of the whole file, dB of full scale",
    "tilt_db": "spectral tilt, dB per octave",
    "contour_st": "rise of F0 from begin to end, semitones",
    "smile_log2": "formant frequencies against the speaker's own, octaves of a factor",
    "breath_db": "level of breath noise against the voice, dB",
    "tremor": "depth of the slow variation of F0, share",
    "floor_db": "level of background noise, dB of full scale",
}
#: semitones of one step of espeak-ng's pitch parameter, measured on six voices: 0.145 to 0.175
PITCH_STEP_ST = 0.165
OWN_RANGE = 50
VOLUME = 60  # the loudest voices clip at 100


class Cue(spec.Record):
    """How a cue follows from a point in some dimensions.

    cue = base + weights x point + additions + deviation of the speaker + deviation of the
    utterance, cut to the limits; the two deviations are standard deviations.
    """

    base: float = 0.0
    weights: tuple[float, ...] = ()
    speaker: float = pydantic.Field(default=0.0, ge=0)
    utterance: float = pydantic.Field(default=0.0, ge=0)
    limits: tuple[float, float]


class Voice(spec.Record):
    """A variant of espeak-ng; ``pitch`` is its parameter, ``tract`` a factor of all formants."""

    id: str = pydantic.Field(pattern=spec.ID_PATTERN)
    sex: Literal["female", "male"]
    age: int
    voice: str
    pitch: int = pydantic.Field(ge=0, le=99)
    tract: float = pydantic.Field(gt=0.8, lt=1.25)


class Speaker(Voice):
    """One person: a voice, the language of the texts, and the language it pronounces them in.

    Args:
        language: language of what is said
        tongue: espeak-ng's name of the language whose sounds are used; that of the texts if
            empty
    """

    language: str
    tongue: str = ""

    @property
    def attributes(self) -> dict[str, Any]:
        """What the database says about the speaker."""
        return {"sex": self.sex, "language": self.language, "age": self.age}


@dataclass(frozen=True)
class Utterance:
    """One file of a corpus.

    Args:
        file: path in the database
        table: table that holds it; ``split`` is its part of the data
        speaker: who speaks
        text: what is said
        spoken: what the synthesiser is given, text or ``[[phonemes]]``
        labels: column -> label
        cues: value of each cue of :data:`CUES`
        rate_wpm: usual speech rate, words per minute
    """

    file: str
    table: str
    split: str
    speaker: Speaker
    text: str
    spoken: str
    labels: Mapping[str, Any]
    cues: Mapping[str, float]
    rate_wpm: float

    @property
    def archive(self) -> str:
        """Part of the published data that the file is in: that of its speaker."""
        return self.speaker.id

    @property
    def formants(self) -> float:
        """Factor of all formants against those of the bare voice."""
        return self.speaker.tract * float(2 ** self.cues["smile_log2"])

    def request(self) -> dict[str, Any]:
        """What :mod:`common.samples.demo.espeak_worker` is asked for.

        The formants are moved by playing faster or slower, so pitch and rate are asked for
        with the opposite change.
        """
        pitch_st = self.cues["pitch_st"] - 12 * np.log2(self.formants)
        rate = self.rate_wpm * 2 ** self.cues["rate_log2"] / self.formants
        span = OWN_RANGE * 2 ** self.cues["range_log2"]
        return {
            "id": self.file,
            "voice": f"{self.speaker.tongue or self.speaker.language}+{self.speaker.voice}",
            "text": self.spoken,
            "rate": round(rate),
            "pitch": int(np.clip(round(self.speaker.pitch + pitch_st / PITCH_STEP_ST), 0, 99)),
            "range": int(np.clip(round(span), 0, 100)),
            "volume": VOLUME,
        }


class SpeechRecipe(corpus.CorpusRecipe):
    """What every recipe of speech says; ``recipes/emotion.yaml`` explains the cues."""

    synthesiser: str
    rate_wpm: float = pydantic.Field(gt=0)
    cues: Mapping[str, Cue]

    @abc.abstractmethod
    def utterances(self) -> list[Utterance]:
        """All utterances; none depends on the others or on the order in the recipe."""

    @abc.abstractmethod
    def schemes(self) -> dict[str, dict[str, Any]]:
        """Label column -> arguments of its ``audformat.Scheme``."""

    @abc.abstractmethod
    def dimension_names(self) -> tuple[str, ...]:
        """Dimensions that cues follow from."""

    def check(self) -> None:
        """Cues must be known, complete, and fit the dimensions."""
        known("cue", self.cues, CUES, f"{self.origin}: cues")
        size = len(self.dimension_names())
        for name in CUES:
            if name not in self.cues:
                raise ConfigError(f"{self.origin}: cues.{name}: missing")
            cue = self.cues[name]
            if cue.weights and len(cue.weights) != size:
                raise ConfigError(f"{self.origin}: cues.{name}.weights: expected {size} numbers")
            if not cue.limits[0] < cue.limits[1]:
                raise ConfigError(f"{self.origin}: cues.{name}.limits: expected low < high")

    def items(self) -> list[Utterance]:
        """The utterances."""
        return self.utterances()

    def rendered(self, items: Iterable[Utterance]) -> Iterator[tuple[str, np.ndarray]]:
        """Speak and shape utterances."""
        from . import synthesis

        by_file = {utterance.file: utterance for utterance in items}
        requests = [utterance.request() for utterance in by_file.values()]
        requests.sort(key=itemgetter("voice"))  # the synthesiser takes long to find one
        for file, sampling_rate, audio in synthesis.synthesise(requests):
            yield file, self.shaped(by_file[file], sampling_rate, audio)

    def shaped(self, utterance: Utterance, sampling_rate: int, audio: np.ndarray) -> np.ndarray:
        """Audio of an utterance, made of what the synthesiser spoke."""
        from . import acoustics

        random = rng.generator(self.seed, self.id, utterance.file)
        return acoustics.render(audio, sampling_rate, utterance, random)

    def database(self, items: Sequence[Utterance]) -> Any:
        """Tables with a column for every label and one for the speaker."""
        from . import database

        return database.of_speech(self, items)

    def deviations(self, random: np.random.Generator, of: Literal["speaker", "utterance"]) -> Any:
        """Deviation of each cue, in the order of :data:`CUES`."""
        return random.normal(0, [getattr(self.cues[name], of) for name in CUES])

    def cue_values(
        self,
        point: np.ndarray,
        deviation: np.ndarray,
        *,
        added: Mapping[str, float],
        expressivity: float,
    ) -> dict[str, float]:
        """Value of each cue.

        Args:
            point: place in the dimensions, relative to their middle
            deviation: of speaker and utterance, in the order of :data:`CUES`
            added: additions to some cues
            expressivity: factor of what is shown of point and additions
        """
        values = {}
        for name, shift in zip(CUES, deviation, strict=True):
            cue = self.cues[name]
            shown = float(np.dot(cue.weights, point)) if cue.weights else 0.0
            value = cue.base + expressivity * (shown + added.get(name, 0.0)) + shift
            values[name] = float(np.clip(value, *cue.limits))
        return values


def known(what: str, names: Iterable[str], declared: Iterable[str], where: str) -> None:
    """Raise ConfigError for the first name that is not declared."""
    for name in names:
        if name not in declared:
            raise unknown(what, name, declared, where)


def unique(names: Iterable[str], where: str) -> None:
    """Raise ConfigError for the first name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ConfigError(f"{where}: '{name}' is used twice")
        seen.add(name)


def filled(texts: Iterable[str], where: str) -> None:
    """Raise ConfigError unless there is at least one text and none is empty."""
    every = list(texts)
    if not every or not all(text.strip() for text in every):
        raise ConfigError(f"{where}: expected at least one sentence, none empty")
