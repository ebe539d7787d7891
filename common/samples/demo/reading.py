"""Recipes of texts that are read by the same voices in several groups.

The n-th text of a voice has the same acoustic cues in every group, so that groups differ in
nothing but what makes them a group: their language, their accent, the words of their text.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from . import speech
from .corpus import KINDS
from .speech import Speaker, Utterance, known
from .templates import Templates, sentences
from .templates import load as load_templates

SPLIT = "test"
TEXT = {"dtype": "str"}


@dataclass(frozen=True)
class ReadText:
    """One text that somebody reads.

    Args:
        group: begin of the ids of the speakers
        number: lines with the same number sound alike
        name: end of the file name
        language: language of the text
        tongue: espeak-ng's name of the language whose sounds are used
        text: what is said
        spoken: what the synthesiser is given
        labels: column -> label
    """

    group: str
    number: int
    name: str
    language: str
    tongue: str
    text: str
    spoken: str
    labels: Mapping[str, str] = field(default_factory=dict)


class Reading(speech.SpeechRecipe):
    """Voices read lines; their cues follow from one dimension, how lively it is read."""

    table: str
    voices: tuple[speech.Voice, ...]

    @abc.abstractmethod
    def lines(self) -> Iterator[ReadText]:
        """What is read."""

    def readers(self, line: ReadText) -> Sequence[speech.Voice]:
        """Voices that read a line: all of them."""
        return self.voices

    def dimension_names(self) -> tuple[str, ...]:
        """How lively it is read, drawn from the standard normal distribution."""
        return ("liveliness",)

    def utterances(self) -> list[Utterance]:
        """Line by line in the order of the recipe."""
        cues: dict[tuple[str, int], dict[str, float]] = {}
        speakers: dict[tuple[str, str], Speaker] = {}
        utterances = []
        for line in self.lines():
            for voice in self.readers(line):
                take = (voice.id, line.number)
                if take not in cues:
                    cues[take] = self._cues(voice, line.number)
                who = (line.group, voice.id)
                if who not in speakers:
                    speakers[who] = _speaker(voice, line)
                utterances.append(self._utter(speakers[who], line, cues[take]))
        return utterances

    def _cues(self, voice: speech.Voice, number: int) -> dict[str, float]:
        habit = self.deviations(rng.generator(self.seed, self.id, voice.id, "speaker"), "speaker")
        random = rng.generator(self.seed, self.id, voice.id, number)
        point = random.standard_normal(1)
        deviation: np.ndarray = habit + self.deviations(random, "utterance")
        return self.cue_values(point, deviation, added={}, expressivity=1.0)

    def _utter(self, speaker: Speaker, line: ReadText, cues: Mapping[str, float]) -> Utterance:
        return Utterance(
            file=f"audio/{speaker.id}/{speaker.id}-{line.name}.flac",
            table=self.table,
            split=SPLIT,
            speaker=speaker,
            text=line.text,
            spoken=line.spoken,
            labels=line.labels,
            cues=cues,
            rate_wpm=self.rate_wpm,
        )

    def check(self) -> None:
        """There must be voices, each with a name of its own."""
        super().check()
        if not self.voices:
            raise ConfigError(f"{self.origin}: voices: expected at least one")
        speech.unique((voice.id for voice in self.voices), f"{self.origin}: voices: id")


def _speaker(voice: speech.Voice, line: ReadText) -> Speaker:
    content = voice.model_dump()
    name = f"{line.group}-{voice.id}"
    return Speaker(**{**content, "id": name, "language": line.language, "tongue": line.tongue})


class Language(spec.Record):
    """How a language is spoken.

    Args:
        tongue: espeak-ng's name of the language
        respell: word -> how it is given to the synthesiser, which would read it wrong
    """

    tongue: str
    respell: Mapping[str, str] = {}

    def spell(self, text: str) -> str:
        """Text for the synthesiser; words are what spaces separate.

        >>> Language(tongue="ja", respell={"は": "わ"}).spell("それ は はやい。")
        'それ わ はやい。'
        """
        return " ".join(self.respell.get(word, word) for word in text.split(" "))


@KINDS.register("languages")
class Languages(Reading):
    """Kind ``languages``: the same sentences in several languages, read by all voices."""

    languages: Mapping[str, Language]
    texts: Mapping[str, tuple[str, ...]]

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Language and text."""
        return {"language": {"labels": list(self.languages)}, "text": TEXT}

    def lines(self) -> Iterator[ReadText]:
        """Language by language."""
        for name, language in self.languages.items():
            for n, text in enumerate(self.texts[name]):
                labels = {"language": name, "text": text}
                spoken = language.spell(text)
                yield ReadText(name, n, f"{n:02d}", name, language.tongue, text, spoken, labels)

    def check(self) -> None:
        """Each language must have its texts, and as many as the others."""
        super().check()
        known("language", self.texts, self.languages, f"{self.origin}: texts")
        known("language", self.languages, self.texts, f"{self.origin}: languages")
        numbers = {name: len(texts) for name, texts in self.texts.items()}
        for name, texts in self.texts.items():
            speech.filled(texts, f"{self.origin}: texts.{name}")
            if len(texts) != max(numbers.values()):
                raise ConfigError(
                    f"{self.origin}: texts.{name}: expected {max(numbers.values())} sentences, "
                    f"as in the other languages, found {len(texts)}"
                )


@KINDS.register("sentiments")
class Sentiments(Reading):
    """Kind ``sentiments``: sentences that a sentiment word colours, read by voices in turn.

    The sentences with one number differ in that word only (:mod:`common.samples.demo.templates`),
    and one voice reads all of them.
    """

    languages: Mapping[str, Language]
    templates: str

    def loaded(self) -> Templates:
        """The templates, from the file that the recipe names."""
        return load_templates(self.resolve(self.templates))

    def content(self) -> Any:
        """Recipe and templates."""
        return [super().content(), self.loaded().model_dump(mode="json")]

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Language, sentiment and text."""
        return {
            "language": {"labels": list(self.languages)},
            "sentiment": {"labels": list(self.loaded().sentiments)},
            "text": TEXT,
        }

    def readers(self, line: ReadText) -> Sequence[speech.Voice]:
        """Voices take turns."""
        return (self.voices[line.number % len(self.voices)],)

    def lines(self) -> Iterator[ReadText]:
        """Language by language, the sentiments of each sentence side by side."""
        for sentence in sentences(self.loaded()):
            name, language = sentence.language, self.languages[sentence.language]
            labels = {"language": name, "sentiment": sentence.sentiment, "text": sentence.text}
            yield ReadText(
                name,
                sentence.number,
                f"{sentence.number:03d}-{sentence.sentiment}",
                name,
                language.tongue,
                sentence.text,
                language.spell(sentence.text),
                labels,
            )

    def check(self) -> None:
        """The templates must be sound, and their languages known."""
        super().check()
        languages = self.loaded().languages
        known("language", languages, self.languages, str(self.resolve(self.templates)))
