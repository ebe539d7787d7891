"""Accents: sounds are replaced as the recipe says, and the synthesiser knows all phonemes."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common.core.errors import ConfigError
from common.samples.demo import accents, recipes
from common.samples.demo.accents import Accent, Epenthesis, Sentence, Tones


@pytest.fixture(scope="module")
def recipe() -> accents.Accents:
    found = recipes.load(recipes.FOLDER / "accent.yaml")
    assert isinstance(found, accents.Accents)
    return found


SOUNDS = dict.fromkeys(("ɪ", "iː", "ɑː", "e", "ɔː", "oʊ"), "a") | {"oʊ": "o u", "θ": "s"}


def say(recipe: accents.Accents, ipa: str, **habits: Any) -> str:
    accent = Accent(tongue="de", **{"sounds": SOUNDS, **habits})
    return recipe.pronounce(Sentence(text="x.", ipa=ipa), accent)


@pytest.mark.parametrize(
    ("ipa", "habits", "spoken"),
    [
        ("ˈθɪŋ ɪz", {}, "[[s|'a|N a|z]]."),
        ("ˈkoʊld", {}, "[[k|'o|u|l|d]]."),
        ("ˈkoʊld", {"sounds": {**SOUNDS, "k": ""}}, "[['o|u|l|d]]."),
        ("ˈpɑːɹk ɹe", {"coda": {"ɹ": ""}}, "[[p|'a|k r|a]]."),
        ("ˈbedz bed", {"final": {"d": "t", "z": "s"}}, "[[b|'a|t|s b|a|t]]."),
        ("ˈstɪdɪ", {"final": {"d": "t"}, "prothesis": "e"}, "[[e|s|t|'a|d|a]]."),
        ("sɪ ts", {"prothesis": "e"}, "[[s|a t|s]]."),
        ("ˈbest", {"epenthesis": Epenthesis(vowel="u", after={"t": "o"})}, "[[b|'a|s|u|t|o]]."),
        ("ɪst", {"epenthesis": Epenthesis(vowel="u", allowed=("s",))}, "[[a|s|t|u]]."),
        ("ˈest", {"epenthesis": Epenthesis(vowel="@", where="end")}, "[['a|s|t|@]]."),
        ("ˈetɪm", {"stress": "last"}, "[[a|t|'a|m]]."),
        ("eˈtɪmɪ", {"stress": "first"}, "[['a|t|a|m|a]]."),
        ("ˈetɪmɪ ɪ", {"stress": "penultimate"}, "[[a|t|'a|m|a a]]."),
        ("ˈetɪ", {"tones": Tones(stressed="51", other="11")}, "[['a51|t|a11]]."),
        ("ˈoʊ", {"tones": Tones(stressed="51", other="11")}, "[['o|u51]]."),
    ],
)
def test_habits(recipe: accents.Accents, ipa: str, habits: dict[str, Any], spoken: str) -> None:
    assert say(recipe, ipa, **habits) == spoken


def test_the_longest_sound_is_read_first(recipe: accents.Accents) -> None:
    names = [sound.name for sound in accents.split("ˈtʃɑːdʒ", recipe.vowels, recipe.consonants)]
    assert names == ["tʃ", "ɑː", "dʒ"]


def test_accents_differ_in_every_sentence_and_the_native_one_reads_letters(
    recipe: accents.Accents,
) -> None:
    spoken: dict[str, set[str]] = {}
    for line in recipe.lines():
        spoken.setdefault(line.text, set()).add(line.spoken)
        assert line.language == "en"
        assert (line.spoken == line.text) == (line.labels["accent"] == "english")
    assert {len(ways) for ways in spoken.values()} == {len(recipe.accents)}


def test_what_textbooks_list_is_heard(recipe: accents.Accents) -> None:
    """Word by word in a few accents."""
    lines = {(line.labels["accent"], line.number): line.spoken for line in recipe.lines()}
    for accent, n, phonemes in (
        ("german", 0, "v|'i:|k"),  # week, [v] for [w]
        ("german", 1, "b|'E|k|s"),  # bags, without voice at the end
        ("french", 2, "[[i w|'W|r|k|s"),  # he works, without [h]
        ("spanish", 2, "e|s|m|'o|l"),  # small, with a vowel before it
        ("japanese", 9, "t|o|r`|'e|:|n"),  # train, with a vowel in the cluster
        ("russian", 2, "[[x|i"),  # he
        ("polish", 9, "w|'E|j|t|i|N|k"),  # waiting
        ("hindi", 7, "I|s|t.|'O:|p|t."),  # stopped
    ):
        assert phonemes in lines[accent, n], (accent, lines[accent, n])


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["accents", "german", "sounds", "q"], "k", "accents.german.sounds: unknown sound 'q'"),
        (["accents", "german", "final", "b"], "ph", "accents.german.final: unknown consonant 'ph'"),
        (["accents", "german", "coda"], {"ə": ""}, "accents.german.coda: unknown consonant 'ə'"),
        (["accents", "german", "stress"], "none", "accents.german.stress: Input should be 'kept'"),
        (["accents", "japanese", "epenthesis", "allowed"], ["x"], "epenthesis.allowed: unknown"),
        (["sentences", 0, "ipa"], "ðə cat", "sentences[0].ipa: unknown sound at 'cat' in 'cat'"),
        (["sentences", 0, "text"], "", "sentences[0].text: expected at least one sentence"),
        (["sentences"], [], "sentences: "),
    ],
)
def test_faults_are_named(
    load: Callable[[str], dict[str, Any]],
    write: Callable[[Any], Path],
    place: list[Any],
    value: Any,
    message: str,
) -> None:
    content = load("accent")
    part = content
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(ConfigError, match=re.escape(message)):
        recipes.load(write(content))


def test_a_missing_vowel_is_named(
    load: Callable[[str], dict[str, Any]], write: Callable[[Any], Path]
) -> None:
    content = load("accent")
    del content["accents"]["german"]["sounds"]["ɔɪ"]
    with pytest.raises(ConfigError, match=r"accents\.german\.sounds\.ɔɪ: missing"):
        recipes.load(write(content))


def phonemes_of(table: str) -> set[str]:
    """Names of the phonemes of a language, from espeak-ng's data."""
    import espeakng_loader

    data = (Path(espeakng_loader.get_data_path()) / "phontab").read_bytes()
    tables, place = [], 4
    for _ in range(data[0]):
        count, base = data[place], data[place + 1]
        name = data[place + 4 : place + 36].split(b"\0")[0].decode()
        place += 36
        found = {}
        for _ in range(count):
            mnemonic, code = struct.unpack("<4s6xB", data[place : place + 11])
            found[code] = mnemonic.rstrip(b"\0").decode("latin1")
            place += 16
        tables.append((name, base, found))
    by_code: dict[int, str] = {}
    number = [name for name, _, _ in tables].index(table) + 1
    while number:
        _, base, found = tables[number - 1]
        by_code = {**found, **by_code}
        number = base
    return set(by_code.values())


@pytest.mark.spoken
def test_the_synthesiser_knows_every_phoneme(recipe: accents.Accents) -> None:
    """It leaves out unknown ones without a word."""
    assert "Q" in phonemes_of("de")
    assert "8" not in phonemes_of("de")
    for name, accent in recipe.accents.items():
        made = {**recipe.consonants, **accent.sounds}.values() if accent.sounds else ()
        used = {phoneme for phonemes in made for phoneme in phonemes.split()}
        used |= {accent.prothesis} - {""}
        if accent.epenthesis:
            used |= {accent.epenthesis.vowel, *accent.epenthesis.after.values()}
        if accent.tones:
            used |= {accent.tones.stressed, accent.tones.other}
        if used:
            assert not used - phonemes_of(accent.tongue), name
