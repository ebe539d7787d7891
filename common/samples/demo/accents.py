"""Recipes of kind ``accents``: English with the sounds and habits of other languages.

The sentences are given in the International Phonetic Alphabet. An accent replaces their sounds by
the nearest ones of another language, follows its habits (final consonants lose their voice,
clusters get a vowel, the stress moves), and the synthesiser speaks the result with the rules for
length and melody of that language. ``recipes/accent.yaml`` explains the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pydantic

from ... import spec
from ...core.errors import ConfigError
from . import speech
from .corpus import KINDS
from .reading import TEXT, Reading, ReadText
from .speech import known

STRESS = "ˈ"
#: between the phonemes of espeak-ng, so that two short names are not read as a long one
JOINT = "|"


class Sentence(spec.Record):
    """A sentence in letters and in sounds."""

    text: str
    ipa: str


class Epenthesis(spec.Record):
    """Vowel after a consonant that no vowel follows.

    Args:
        vowel: the usual one, as a phoneme of the accent
        after: consonant -> another vowel
        allowed: consonants that need none
        where: after every such consonant, or at the end of a word only
    """

    vowel: str
    after: Mapping[str, str] = {}
    allowed: tuple[str, ...] = ()
    where: Literal["anywhere", "end"] = "anywhere"


class Tones(spec.Record):
    """Tones of vowels in stressed and other syllables."""

    stressed: str
    other: str


class Accent(spec.Record):
    """How one language shapes English.

    Args:
        tongue: espeak-ng's name of the language
        sounds: sound -> phonemes, separated by spaces; none if it is left out. An accent
            without any is spoken from the letters
        coda: consonant that no vowel follows -> what it becomes
        final: the same at the end of a word
        prothesis: phoneme before a word that begins with ``s`` and another consonant
        epenthesis: vowels between consonants
        stress: which syllable of a word has the stress
        tones: for tone languages
    """

    tongue: str
    sounds: Mapping[str, str] = {}
    coda: Mapping[str, str] = {}
    final: Mapping[str, str] = {}
    prothesis: str = ""
    epenthesis: Epenthesis | None = None
    stress: Literal["kept", "first", "penultimate", "last"] = "kept"
    tones: Tones | None = None


@dataclass(frozen=True)
class Phoneme:
    """A sound of the sentence, or with ``made`` a phoneme of the accent."""

    name: str
    vowel: bool
    stressed: bool = False
    made: bool = False


@KINDS.register("accents")
class Accents(Reading):
    """The recipe: all voices read all sentences in all accents."""

    language: str
    vowels: tuple[str, ...]
    consonants: Mapping[str, str]
    sentences: tuple[Sentence, ...] = pydantic.Field(min_length=1)
    accents: Mapping[str, Accent]

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Accent and text."""
        return {"accent": {"labels": list(self.accents)}, "text": TEXT}

    def lines(self) -> Iterator[ReadText]:
        """Accent by accent."""
        for name, accent in self.accents.items():
            for n, one in enumerate(self.sentences):
                spoken = self.pronounce(one, accent) if accent.sounds else one.text
                labels = {"accent": name, "text": one.text}
                yield ReadText(
                    name, n, f"{n:02d}", self.language, accent.tongue, one.text, spoken, labels
                )

    def pronounce(self, sentence: Sentence, accent: Accent) -> str:
        """Phonemes of a sentence in an accent, for the synthesiser."""
        sounds = {**self.consonants, **accent.sounds}
        words = []
        for word in sentence.ipa.split():
            shaped = _shape(split(word, self.vowels, self.consonants), accent)
            words.append(_write(_stress(shaped, accent.stress), accent, sounds))
        return f"[[{' '.join(words)}]]{sentence.text[-1]}"

    def check(self) -> None:
        """Every sound must be declared, and every accent must have all vowels."""
        super().check()
        every = [*self.vowels, *self.consonants]
        for n, one in enumerate(self.sentences):
            speech.filled([one.text], f"{self.origin}: sentences[{n}].text")
            try:
                for word in one.ipa.split():
                    split(word, self.vowels, self.consonants)
            except ValueError as error:
                raise ConfigError(f"{self.origin}: sentences[{n}].ipa: {error}") from None
        for name, accent in self.accents.items():
            place = f"{self.origin}: accents.{name}"
            known("sound", accent.sounds, every, f"{place}.sounds")
            for vowel in self.vowels if accent.sounds else ():
                if vowel not in accent.sounds:
                    raise ConfigError(f"{place}.sounds.{vowel}: missing")
            for rule, changes in (("coda", accent.coda), ("final", accent.final)):
                known("consonant", changes, self.consonants, f"{place}.{rule}")
                left = [sound for sound in changes.values() if sound]
                known("consonant", left, self.consonants, f"{place}.{rule}")
            if accent.epenthesis:
                where = f"{place}.epenthesis"
                known("consonant", accent.epenthesis.after, self.consonants, f"{where}.after")
                known("consonant", accent.epenthesis.allowed, self.consonants, f"{where}.allowed")


def split(word: str, vowels: Sequence[str], consonants: Mapping[str, str]) -> list[Phoneme]:
    """Sounds of a word; a stress mark belongs to the next vowel.

    >>> [sound.name for sound in split("ˈθɪŋz", ["ɪ"], {"θ": "T", "ŋ": "N", "z": "z"})]
    ['θ', 'ɪ', 'ŋ', 'z']

    Raises:
        ValueError: if the word holds a sound that is not declared
    """
    names = sorted([*vowels, *consonants], key=len, reverse=True)
    sounds, stressed, rest = [], False, word
    while rest:
        if rest.startswith(STRESS):
            stressed, rest = True, rest.removeprefix(STRESS)
            continue
        name = next((name for name in names if rest.startswith(name)), None)
        if name is None:
            raise ValueError(f"unknown sound at '{rest}' in '{word}'")
        sounds.append(Phoneme(name, name in vowels, stressed and name in vowels))
        stressed = stressed and name not in vowels
        rest = rest.removeprefix(name)
    return sounds


def _shape(word: list[Phoneme], accent: Accent) -> list[Phoneme]:
    """Word after the habits of the accent."""
    end = max((n + 1 for n, sound in enumerate(word) if sound.vowel), default=0)
    prothesis = bool(accent.prothesis) and len(word) > 1
    prothesis = prothesis and word[0].name == "s" and not word[1].vowel
    changed = []
    for n, sound in enumerate(word):
        name = sound.name
        closed = not sound.vowel and (n + 1 == len(word) or not word[n + 1].vowel)
        if closed:
            name = accent.coda.get(name, name)
        if n >= end:
            name = accent.final.get(name, name)
        if name:
            changed.append(replace(sound, name=name))
    begin = [Phoneme(accent.prothesis, vowel=True, made=True)] if prothesis else []
    return begin + (_open(changed, accent.epenthesis) if accent.epenthesis else changed)


def _open(word: list[Phoneme], rule: Epenthesis) -> list[Phoneme]:
    """Word with vowels after consonants."""
    opened = []
    for n, sound in enumerate(word):
        opened.append(sound)
        last = n + 1 == len(word)
        closed = last or (rule.where == "anywhere" and not word[n + 1].vowel)
        if closed and not sound.vowel and sound.name not in rule.allowed:
            vowel = rule.after.get(sound.name, rule.vowel)
            opened.append(Phoneme(vowel, vowel=True, made=True))
    return opened


def _stress(word: list[Phoneme], rule: str) -> list[Phoneme]:
    """Word with the stress where the accent has it; words without stress stay so."""
    if rule == "kept" or not any(sound.stressed for sound in word):
        return word
    nuclei = [n for n, sound in enumerate(word) if sound.vowel]
    place = {"first": 0, "penultimate": max(0, len(nuclei) - 2), "last": len(nuclei) - 1}[rule]
    return [replace(sound, stressed=n == nuclei[place]) for n, sound in enumerate(word)]


def _write(word: list[Phoneme], accent: Accent, sounds: Mapping[str, str]) -> str:
    """Word as espeak-ng wants it."""
    phonemes = []
    for sound in word:
        symbols = (sound.name if sound.made else sounds[sound.name]).split()
        if sound.vowel and sound.stressed and symbols:
            symbols[0] = f"'{symbols[0]}"
        if sound.vowel and accent.tones:
            symbols[-1] += accent.tones.stressed if sound.stressed else accent.tones.other
        phonemes += symbols
    return JOINT.join(phonemes)
