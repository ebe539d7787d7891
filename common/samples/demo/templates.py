"""Sentences that differ in one word of sentiment only, from templates.

The manner is that of the "words in context" of CheckList (Ribeiro et al., "Beyond Accuracy:
Behavioral Testing of NLP Models with CheckList", ACL 2020): a template such as ``{thing} was
{quality}.`` is filled with neutral words and with one word of each sentiment in turn.
``templates.yaml`` is an example and explains the format.
"""

from __future__ import annotations

import csv
import io
import math
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pydantic

from ... import spec
from ...core import rng
from ...core.errors import ConfigError
from .speech import filled, known, unique

BUILTIN = Path(__file__).with_name("templates.yaml")
CANDIDATES = 24  # of so many fillings that with the least used words is taken


class Words(spec.Record):
    """Templates of one language and what fills them.

    Args:
        fillers: slot -> words without sentiment
        words: slot -> sentiment -> words; the n-th words of all sentiments belong together
        templates: sentences with slots in braces, each with at least one of ``words``
    """

    fillers: Mapping[str, tuple[str, ...]] = {}
    words: Mapping[str, Mapping[str, tuple[str, ...]]]
    templates: tuple[str, ...]

    def sizes(self, template: str) -> dict[str, int]:
        """Slot of a template -> number of its words."""
        every = {slot: len(words) for slot, words in self.fillers.items()}
        every |= {slot: len(next(iter(words.values()))) for slot, words in self.words.items()}
        return {slot: every[slot] for slot in slots(template)}

    def fill(self, template: str, filling: Mapping[str, int], sentiment: str) -> str:
        """Template with the words of the given numbers."""
        chosen = {
            slot: (self.words[slot][sentiment] if slot in self.words else self.fillers[slot])[n]
            for slot, n in filling.items()
        }
        text = template.format(**chosen)
        return text[:1].upper() + text[1:]


class Templates(spec.Entry):
    """A file of templates.

    Args:
        sentiments: names of the sentiments
        number: sentences of each language and sentiment
        seed: seed of the choice among all fillings
        languages: language -> its templates
    """

    sentiments: tuple[str, ...]
    number: int = pydantic.Field(ge=1)
    seed: int = 0
    languages: Mapping[str, Words]


@dataclass(frozen=True)
class TemplateSentence:
    """One sentence; those of one language and number differ in the sentiment word only."""

    language: str
    number: int
    sentiment: str
    text: str


def load(path: Path | None = None) -> Templates:
    """Read and check a file of templates; the built-in one if None.

    Raises:
        ConfigError: for the first fault, with file, place and nearest valid name
    """
    path = BUILTIN if path is None else path
    content = spec.read_yaml(path)
    if isinstance(content, Mapping):
        content = {**content, "id": "templates"}  # the file has none, errors name its path
    templates = spec.parse(Templates, content, path, "", builtin=path == BUILTIN)
    if len(templates.sentiments) < 2:
        raise ConfigError(f"{path}: sentiments: expected at least two")
    unique(templates.sentiments, f"{path}: sentiments")
    if not templates.languages:
        raise ConfigError(f"{path}: languages: expected at least one")
    for name, words in templates.languages.items():
        place = f"{path}: languages.{name}"
        _check_words(words, templates.sentiments, place)
        _check_templates(words, place)
    return templates


def slots(template: str) -> list[str]:
    """Names in braces, each once, in the order of the text.

    >>> slots("{thing} was {quality}, {thing}!")
    ['thing', 'quality']
    """
    names = []
    for _, name, form, conversion in string.Formatter().parse(template):
        if name is not None:  # whatever else stands in the braces makes it an unknown slot
            end = f"!{conversion}" if conversion else ""
            names.append(name + end + (f":{form}" if form else ""))
    return list(dict.fromkeys(names))


def sentences(templates: Templates, number: int | None = None) -> Iterator[TemplateSentence]:
    """Sentences, balanced: every template and sentiment as often as the others.

    Which fillings are chosen depends on seed and language only.

    Args:
        templates: what :func:`load` gives
        number: sentences of each language and sentiment; that of the file if None

    Raises:
        ConfigError: if there are not so many different fillings
    """
    sentence_count = templates.number if number is None else number
    for language, words in templates.languages.items():
        place = f"{templates.origin}: languages.{language}"
        random = rng.generator(templates.seed, "templates", language)
        for n, (template, filling) in enumerate(_fillings(words, sentence_count, random, place)):
            for sentiment in templates.sentiments:
                yield TemplateSentence(
                    language, n, sentiment, words.fill(template, filling, sentiment)
                )


def to_csv(sentences: Iterable[TemplateSentence]) -> str:
    """Table of sentences for a speech synthesiser, with a name for the file of each.

    With the recordings beside it, it is the ``metadata.csv`` of a dataset.

    >>> print(to_csv([TemplateSentence("en", 7, "calm", "That sounds long, but fine.")]), end="")
    file,language,sentiment,text
    en/en-007-calm.wav,en,calm,"That sounds long, but fine."
    """
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["file", "language", "sentiment", "text"])
    for one in sentences:
        file = f"{one.language}/{one.language}-{one.number:03d}-{one.sentiment}.wav"
        writer.writerow([file, one.language, one.sentiment, one.text])
    return table.getvalue()


def _fillings(
    words: Words, sentence_count: int, random: np.random.Generator, place: str
) -> list[tuple[str, dict[str, int]]]:
    """Templates with the numbers of their words, in random order."""
    sizes = [words.sizes(template) for template in words.templates]
    totals = [math.prod(size.values()) for size in sizes]
    if sentence_count > sum(totals):
        raise ConfigError(
            f"{place}: only {sum(totals)} different sentences can be made for each sentiment, "
            f"{sentence_count} are asked for"
        )
    used: Counter[tuple[str, int]] = Counter()
    fillings = []
    for template, size, count in zip(
        words.templates, sizes, _shares(totals, sentence_count), strict=True
    ):
        pool = _draw(size, CANDIDATES * count, random)
        for _ in range(count):
            first = pool[:CANDIDATES]
            chosen = min(first, key=lambda filling: sum(used[item] for item in filling.items()))
            pool.remove(chosen)
            used.update(chosen.items())
            fillings.append((template, chosen))
    return [fillings[i] for i in random.permutation(len(fillings))]


def _draw(size: Mapping[str, int], count: int, random: np.random.Generator) -> list[dict[str, int]]:
    """Different fillings of a template in random order, ``count`` or as many as there are."""
    total = min(math.prod(size.values()), 2**63 - 1)
    fillings = []
    for number in random.choice(total, min(count, total), replace=False).tolist():
        filling = {}
        for slot, options in size.items():
            number, filling[slot] = divmod(number, options)
        fillings.append(filling)
    return fillings


def _shares(totals: list[int], amount: int) -> list[int]:
    """Equal shares; what one cannot give is shared by the others.

    >>> _shares([100, 2, 100], 12)
    [5, 2, 5]
    """
    shares = [0] * len(totals)
    while amount:
        for n, total in enumerate(totals):
            if amount and shares[n] < total:
                shares[n] += 1
                amount -= 1
    return shares


def _check_words(words: Words, sentiments: tuple[str, ...], place: str) -> None:
    """Sentiments must have equally many words, none of them twice."""
    unique([*words.fillers, *words.words], f"{place}: slot")
    for slot, neutral in words.fillers.items():
        filled(neutral, f"{place}.fillers.{slot}")
        unique(neutral, f"{place}.fillers.{slot}")
    for slot, lists in words.words.items():
        where = f"{place}.words.{slot}"
        known("sentiment", lists, sentiments, where)
        known("sentiment", sentiments, lists, where)
        for sentiment, one in lists.items():
            filled(one, f"{where}.{sentiment}")
        unique((word for one in lists.values() for word in one), where)
        for (first, some), (second, more) in pairwise(lists.items()):
            if len(some) != len(more):
                raise ConfigError(
                    f"{where}: expected equally many words of each sentiment, "
                    f"found {len(some)} in {first} and {len(more)} in {second}"
                )


def _check_templates(words: Words, place: str) -> None:
    """Templates must be well formed, name known slots, and hold a sentiment."""
    filled(words.templates, f"{place}.templates")
    unique(words.templates, f"{place}.templates")
    for n, template in enumerate(words.templates):
        where = f"{place}.templates[{n}]"
        try:
            names = slots(template)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}: {template!r}") from None
        known("slot", names, [*words.fillers, *words.words], where)
        if not any(name in words.words for name in names):
            raise ConfigError(
                f"{where}: no word of sentiment in {template!r}; "
                f"expected one of: {', '.join(f'{{{name}}}' for name in words.words)}"
            )
