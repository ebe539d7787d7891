"""Declaration of the embedded corpus: the recipe and the utterances that follow from it.

The recipe is data (``emotion.yaml`` explains it); this module reads and checks it and turns it
into a list of utterances, each with its text, voice, acoustic cues and labels. Nothing is
spoken here, and the list depends on the recipe alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic

from common import rng, spec
from common.errors import ConfigError
from common.registry import unknown

RECIPE = Path(__file__).with_name("emotion.yaml")

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


class Category(spec.Record):
    """A category: its mean in the dimensions and what it adds to cues."""

    mean: tuple[float, ...]
    cues: Mapping[str, float] = {}


class Cue(spec.Record):
    """How a cue follows from the dimensions; see ``emotion.yaml``."""

    base: float = 0.0
    weights: tuple[float, ...] = ()
    speaker: float = pydantic.Field(default=0.0, ge=0)
    utterance: float = pydantic.Field(default=0.0, ge=0)
    limits: tuple[float, float]


class Speaker(spec.Record):
    """One voice; ``pitch`` is espeak-ng's parameter, ``tract`` a factor of all formants."""

    id: str = pydantic.Field(pattern=spec.ID_PATTERN)
    split: str
    sex: Literal["female", "male"]
    language: str
    age: int
    voice: str
    pitch: int = pydantic.Field(ge=0, le=99)
    tract: float = pydantic.Field(gt=0.8, lt=1.25)


class Draw(spec.Record):
    """Utterances of categories drawn with shares that differ between speakers."""

    number: int = pydantic.Field(ge=0)
    among: tuple[str, ...]
    concentration: float = pydantic.Field(gt=0)


class Counts(spec.Record):
    """Number of utterances per speaker of a split."""

    fixed: Mapping[str, int]
    drawn: Draw


class Spread(spec.Record):
    """Standard deviations in the dimensions, and of the speakers' expressivity."""

    speaker: float = pydantic.Field(ge=0)
    utterance: float = pydantic.Field(ge=0)
    label: float = pydantic.Field(ge=0)
    expressivity: float = pydantic.Field(ge=0)


class Corpus(spec.Entry):
    """The recipe of a corpus; ``emotion.yaml`` explains the fields."""

    version: str
    label: str
    license: str
    source: str
    description: str
    seed: int
    synthesiser: str
    category: str
    dimensions: tuple[str, ...]
    spread: Spread
    categories: Mapping[str, Category]
    cues: Mapping[str, Cue]
    counts: Mapping[str, Counts]
    rate_wpm: float = pydantic.Field(gt=0)
    speakers: tuple[Speaker, ...]
    texts: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Utterance:
    """One file of the corpus.

    Args:
        file: path in the database
        speaker: who speaks
        text: what is said
        category: label of the category
        dimensions: dimension -> label in [0, 1]
        cues: value of each cue of :data:`CUES`
        rate_wpm: usual speech rate, words per minute
    """

    file: str
    speaker: Speaker
    text: str
    category: str
    dimensions: Mapping[str, float]
    cues: Mapping[str, float]
    rate_wpm: float

    @property
    def formants(self) -> float:
        """Factor of all formants against those of the bare voice."""
        return self.speaker.tract * float(2 ** self.cues["smile_log2"])

    def request(self) -> dict[str, Any]:
        """What :mod:`common.embedded.espeak_worker` is asked for.

        The formants are moved by playing faster or slower, so pitch and rate are asked for
        with the opposite change.
        """
        pitch_st = self.cues["pitch_st"] - 12 * np.log2(self.formants)
        rate = self.rate_wpm * 2 ** self.cues["rate_log2"] / self.formants
        span = OWN_RANGE * 2 ** self.cues["range_log2"]
        return {
            "id": self.file,
            "voice": f"{self.speaker.language}+{self.speaker.voice}",
            "text": self.text,
            "rate": round(rate),
            "pitch": int(np.clip(round(self.speaker.pitch + pitch_st / PITCH_STEP_ST), 0, 99)),
            "range": int(np.clip(round(span), 0, 100)),
            "volume": VOLUME,
        }


def load(path: Path = RECIPE) -> Corpus:
    """Read and check a recipe.

    Raises:
        ConfigError: for the first fault, with file, place and nearest valid name
    """
    corpus = spec.parse(Corpus, spec.read_yaml(path), path, "", builtin=True)
    _check_names(corpus, path)
    _check_sizes(corpus, path)
    return corpus


def plan(corpus: Corpus) -> list[Utterance]:
    """All utterances, speaker by speaker in the order of the recipe."""
    return [utterance for speaker in corpus.speakers for utterance in _speak(corpus, speaker)]


def _speak(corpus: Corpus, speaker: Speaker) -> list[Utterance]:
    """Utterances of a speaker; they depend on the speaker and the recipe only."""
    random = rng.generator(corpus.seed, corpus.id, speaker.id, "speaker")
    spread = corpus.spread
    cues = [corpus.cues[name] for name in CUES]  # not in the order of the file
    expressivity = float(np.exp(random.normal(0, spread.expressivity)))
    habit = random.normal(0, [cue.speaker for cue in cues])
    mood = random.normal(0, spread.speaker, len(corpus.dimensions))
    utterances = []
    for n, category in enumerate(_categories(corpus.counts[speaker.split], random)):
        one = rng.generator(corpus.seed, corpus.id, speaker.id, n)
        mean = np.array(corpus.categories[category].mean) + mood
        point = np.clip(mean + one.normal(0, spread.utterance, len(mean)), 0, 1)
        seen = np.clip(point + one.normal(0, spread.label, len(mean)), 0, 1)
        deviation = habit + one.normal(0, [cue.utterance for cue in cues])
        texts = corpus.texts[speaker.language]
        utterances.append(
            Utterance(
                file=f"audio/{speaker.id}/{speaker.id}-{n:03d}.flac",
                speaker=speaker,
                text=texts[int(one.integers(len(texts)))],
                category=category,
                dimensions={
                    name: round(float(value), 4)
                    for name, value in zip(corpus.dimensions, seen, strict=True)
                },
                cues=_cues(corpus, category, point - 0.5, expressivity, deviation),
                rate_wpm=corpus.rate_wpm,
            )
        )
    return utterances


def _categories(counts: Counts, random: np.random.Generator) -> list[str]:
    """Categories of a speaker's utterances, in random order."""
    names = [name for name, number in sorted(counts.fixed.items()) for _ in range(number)]
    among = counts.drawn.among
    shares = random.dirichlet(np.full(len(among), counts.drawn.concentration))
    numbers = random.multinomial(counts.drawn.number, shares)
    names += [name for name, number in zip(among, numbers, strict=True) for _ in range(number)]
    return [names[i] for i in random.permutation(len(names))]


def _cues(
    corpus: Corpus,
    category: str,
    point: np.ndarray,
    expressivity: float,
    deviation: np.ndarray,
) -> dict[str, float]:
    """Value of each cue at a point of the dimensions (relative to their middle)."""
    values = {}
    added = corpus.categories[category].cues
    for name, own in zip(CUES, deviation, strict=True):
        cue = corpus.cues[name]
        shown = float(np.dot(cue.weights, point)) if cue.weights else 0.0
        value = cue.base + expressivity * (shown + added.get(name, 0.0)) + own
        values[name] = float(np.clip(value, *cue.limits))
    return values


def _check_names(corpus: Corpus, path: Path) -> None:
    """Every name in the recipe must be declared in it."""

    def known(what: str, names: Any, declared: Any, where: str) -> None:
        for name in names:
            if name not in declared:
                raise unknown(what, name, declared, f"{path}: {where}")

    known("cue", corpus.cues, CUES, "cues")
    for cue in CUES:
        if cue not in corpus.cues:
            raise ConfigError(f"{path}: cues.{cue}: missing")
    for name, category in corpus.categories.items():
        known("cue", category.cues, CUES, f"categories.{name}.cues")
    for split, counts in corpus.counts.items():
        known("category", counts.fixed, corpus.categories, f"counts.{split}.fixed")
        known("category", counts.drawn.among, corpus.categories, f"counts.{split}.drawn.among")
    for n, speaker in enumerate(corpus.speakers):
        place = f"speakers[{n}] ({speaker.id})"
        known("split", [speaker.split], corpus.counts, f"{place}.split")
        known("language", [speaker.language], corpus.texts, f"{place}.language")


def _check_sizes(corpus: Corpus, path: Path) -> None:
    """Numbers per dimension, limits, and what may not be empty or doubled."""
    size = len(corpus.dimensions)
    for name, category in corpus.categories.items():
        if len(category.mean) != size:
            raise ConfigError(f"{path}: categories.{name}.mean: expected {size} numbers")
    for name, cue in corpus.cues.items():
        if cue.weights and len(cue.weights) != size:
            raise ConfigError(f"{path}: cues.{name}.weights: expected {size} numbers")
        if not cue.limits[0] < cue.limits[1]:
            raise ConfigError(f"{path}: cues.{name}.limits: expected low < high")
    for language, texts in corpus.texts.items():
        if not all(text.strip() for text in texts) or not texts:
            raise ConfigError(
                f"{path}: texts.{language}: expected at least one sentence, none empty"
            )
    names = [speaker.id for speaker in corpus.speakers]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{path}: speakers: id '{name}' is used twice")
    for split in corpus.counts:
        if not any(speaker.split == split for speaker in corpus.speakers):
            raise ConfigError(f"{path}: counts.{split}: no speaker has this split")
