"""Recipes of read speech: groups differ in what makes them a group, and in nothing else."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common.core.errors import ConfigError
from common.samples.demo import reading, recipes, speech

NAMES = ("accent", "language", "sentiment")
Load = Callable[[str], dict[str, Any]]
Write = Callable[[Any], Path]


def utterances(name: str) -> list[speech.Utterance]:
    return recipes.load(recipes.FOLDER / f"{name}.yaml").utterances()


def group(utterance: speech.Utterance) -> str:
    """Group of speakers: language or accent."""
    return utterance.speaker.id.rpartition("-")[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_group_is_as_large_as_the_others(name: str) -> None:
    found = utterances(name)
    columns = [column for column in found[0].labels if column != "text"]
    cells = Counter(tuple(one.labels[column] for column in columns) for one in found)
    assert len(set(cells.values())) == 1
    assert min(cells.values()) >= 60
    per_sex = Counter((group(one), one.speaker.sex) for one in found)
    assert len(set(per_sex.values())) == 1
    assert {sex for _, sex in per_sex} == {"female", "male"}
    assert min(len({s for g, s in _speakers(found) if g == name}) for name, _ in per_sex) >= 4
    assert len({one.file for one in found}) == len(found)


def _speakers(found: list[speech.Utterance]) -> set[tuple[str, str]]:
    return {(group(one), one.speaker.id) for one in found}


def test_enough_groups() -> None:
    accents = {one.labels["accent"] for one in utterances("accent")}
    assert "english" in accents
    assert len(accents) >= 13
    languages = {"de", "en", "es", "fr", "it", "ja", "pt", "zh"}
    assert {one.labels["language"] for one in utterances("language")} == languages
    assert {one.labels["language"] for one in utterances("sentiment")} == languages


@pytest.mark.parametrize("name", NAMES)
def test_all_groups_are_read_in_the_same_way(name: str) -> None:
    """The same voice reads the n-th text with the same cues in each group."""
    takes: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
    for one in utterances(name):
        voice = one.speaker.id.rpartition("-")[2]
        number = one.file.removesuffix(".flac").split("/")[-1].removeprefix(one.speaker.id + "-")
        speaker = one.speaker
        heard = (speaker.voice, speaker.pitch, speaker.tract, tuple(one.cues.values()))
        takes[voice, number.split("-")[0]].append(heard)
    assert all(len(set(heard)) == 1 for heard in takes.values())
    assert len(set(map(len, takes.values()))) == 1


@pytest.mark.parametrize("name", NAMES)
def test_readings_are_lively_to_different_degrees(name: str) -> None:
    """Else the bins of predictions in the tests would be empty."""
    found = utterances(name)
    for cue, spread in (("level_db", 2.0), ("pitch_st", 1.0), ("rate_log2", 0.05)):
        assert np.std([one.cues[cue] for one in found]) > spread
    for sex in ("female", "male"):
        level = [one.cues["level_db"] for one in found if one.speaker.sex == sex]
        assert np.mean(level) == pytest.approx(-27, abs=2.5)


def test_sentiments_of_a_sentence_have_one_voice() -> None:
    takes: defaultdict[tuple[str, str], set[tuple[str, Any]]] = defaultdict(set)
    for one in utterances("sentiment"):
        number = one.file.split("-")[-2]
        takes[one.labels["language"], number].add((one.speaker.id, tuple(one.cues.values())))
    assert all(len(heard) == 1 for heard in takes.values())


def test_plan_depends_on_no_order(load: Load, write: Write) -> None:
    content = load("language")
    content["voices"] = content["voices"][::-1]
    backwards = recipes.load(write(content)).utterances()  # keys are written sorted
    assert {one.file: one for one in backwards} == {one.file: one for one in utterances("language")}


def test_japanese_is_given_in_kana_and_particles_as_they_sound() -> None:
    for name in ("language", "sentiment"):
        spoken = [one.spoken for one in utterances(name) if group(one) == "ja"]
        texts = [one.text for one in utterances(name) if group(one) == "ja"]
        assert any(" は " in text for text in texts)
        assert not any(" は " in text for text in spoken)
        assert all(re.fullmatch(r"[ぁ-ゖー 。]+", text) for text in texts), "no kanji"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("language", {"texts": {"de": ["Ja."]}}, "languages: unknown language 'en'"),
        ("language", {"languages": {}}, "texts: unknown language 'de'"),
        ("language", {"voices": []}, "voices: expected at least one"),
        ("language", {"kind": "langages"}, "kind: unknown kind of recipe 'langages'. Did you"),
        ("sentiment", {"templates": "none.yaml"}, "none.yaml: no such file"),
        ("sentiment", {"languages": {"de": {"tongue": "de"}}}, "templates.yaml: unknown language"),
    ],
)
def test_faults_are_named(
    load: Load, write: Write, name: str, changes: dict[str, Any], message: str
) -> None:
    content = load(name)
    if name == "sentiment":
        content["templates"] = str(recipes.FOLDER.parent / "templates.yaml")
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        recipes.load(write({**content, **changes}))
    assert "\n" not in str(error.value)


def test_more_faults_are_named(load: Load, write: Write) -> None:
    content = load("language")
    content["texts"]["it"].pop()
    message = r"texts.it: expected 12 sentences, as in the other languages, found 11"
    with pytest.raises(ConfigError, match=message):
        recipes.load(write(content))
    content = load("language")
    content["voices"][1]["id"] = content["voices"][0]["id"]
    with pytest.raises(ConfigError, match="voices: id: 'f1' is used twice"):
        recipes.load(write(content))
    with pytest.raises(ConfigError, match="kind: missing; expected one of: accents, acted"):
        recipes.load(write([]))


def test_words_are_respelled_as_a_whole() -> None:
    language = reading.Language(tongue="ja", respell={"は": "わ"})
    assert language.spell("はな は はやい は") == "はな わ はやい わ"
