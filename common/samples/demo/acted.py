"""Recipes of kind ``acted``: speakers who show categories and dimensions.

``recipes/emotion.yaml`` explains what is drawn and how it becomes audible.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from . import speech
from .corpus import KINDS
from .speech import Utterance, known

#: the recipe that the baseline model is trained on
RECIPE = Path(__file__).with_name("recipes") / "emotion.yaml"


class Actor(speech.Speaker):
    """A speaker and the part of the data that he or she is in."""

    split: str


class Category(spec.Record):
    """A category: its mean in the dimensions and what it adds to cues."""

    mean: tuple[float, ...]
    cues: Mapping[str, float] = {}


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


@KINDS.register("acted")
class Acted(speech.SpeechRecipe):
    """The recipe; one table ``<category>.<split>`` for each split."""

    category: str
    dimensions: tuple[str, ...]
    spread: Spread
    categories: Mapping[str, Category]
    counts: Mapping[str, Counts]
    speakers: tuple[Actor, ...]
    texts: Mapping[str, tuple[str, ...]]

    def dimension_names(self) -> tuple[str, ...]:
        """Those that are labelled."""
        return self.dimensions

    def schemes(self) -> dict[str, dict[str, Any]]:
        """The category and the dimensions."""
        number = {"dtype": "float", "minimum": 0, "maximum": 1}
        category = {self.category: {"labels": list(self.categories)}}
        return category | dict.fromkeys(self.dimensions, number)

    def utterances(self) -> list[Utterance]:
        """Speaker by speaker in the order of the recipe."""
        return [one for speaker in self.speakers for one in self._speak(speaker)]

    def _speak(self, speaker: Actor) -> list[Utterance]:
        random = rng.generator(self.seed, self.id, speaker.id, "speaker")
        expressivity = float(np.exp(random.normal(0, self.spread.expressivity)))
        habit = self.deviations(random, "speaker")
        mood = random.normal(0, self.spread.speaker, len(self.dimensions))
        categories = _categories(self.counts[speaker.split], random)
        return [
            self._utter(speaker, n, category, expressivity, habit, mood)
            for n, category in enumerate(categories)
        ]

    def _utter(
        self,
        speaker: Actor,
        n: int,
        category: str,
        expressivity: float,
        habit: np.ndarray,
        mood: np.ndarray,
    ) -> Utterance:
        random = rng.generator(self.seed, self.id, speaker.id, n)
        mean = np.array(self.categories[category].mean) + mood
        point = np.clip(mean + random.normal(0, self.spread.utterance, len(mean)), 0, 1)
        seen = np.clip(point + random.normal(0, self.spread.label, len(mean)), 0, 1)
        deviation = habit + self.deviations(random, "utterance")
        texts = self.texts[speaker.language]
        text = texts[int(random.integers(len(texts)))]
        values = {name: round(float(x), 4) for name, x in zip(self.dimensions, seen, strict=True)}
        return Utterance(
            file=f"audio/{speaker.id}/{speaker.id}-{n:03d}.flac",
            table=f"{self.category}.{speaker.split}",
            split=speaker.split,
            speaker=speaker,
            text=text,
            spoken=text,
            labels={self.category: category, **values},
            cues=self.cue_values(
                point - 0.5,
                deviation,
                added=self.categories[category].cues,
                expressivity=expressivity,
            ),
            rate_wpm=self.rate_wpm,
        )

    def check(self) -> None:
        """Every name in the recipe must be declared in it, and sizes must fit."""
        super().check()
        for name, category in self.categories.items():
            known("cue", category.cues, speech.CUES, f"{self.origin}: categories.{name}.cues")
            if len(category.mean) != len(self.dimensions):
                raise ConfigError(
                    f"{self.origin}: categories.{name}.mean: "
                    f"expected {len(self.dimensions)} numbers"
                )
        for split, counts in self.counts.items():
            place = f"{self.origin}: counts.{split}"
            known("category", counts.fixed, self.categories, f"{place}.fixed")
            known("category", counts.drawn.among, self.categories, f"{place}.drawn.among")
            if not any(speaker.split == split for speaker in self.speakers):
                raise ConfigError(f"{place}: no speaker has this split")
        for n, speaker in enumerate(self.speakers):
            place = f"{self.origin}: speakers[{n}] ({speaker.id})"
            known("split", [speaker.split], self.counts, f"{place}.split")
            known("language", [speaker.language], self.texts, f"{place}.language")
        speech.unique((speaker.id for speaker in self.speakers), f"{self.origin}: speakers: id")
        for language, texts in self.texts.items():
            speech.filled(texts, f"{self.origin}: texts.{language}")


def _categories(counts: Counts, random: np.random.Generator) -> list[str]:
    """Categories of a speaker's utterances, in random order."""
    names = [name for name, number in sorted(counts.fixed.items()) for _ in range(number)]
    among = counts.drawn.among
    shares = random.dirichlet(np.full(len(among), counts.drawn.concentration))
    numbers = random.multinomial(counts.drawn.number, shares)
    names += [name for name, number in zip(among, numbers, strict=True) for _ in range(number)]
    return [names[i] for i in random.permutation(len(names))]
