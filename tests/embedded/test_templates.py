"""Sentences from templates: balanced, reproducible, and faults in a user's file are named."""

from __future__ import annotations

import copy
import csv
import io
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from common import spec
from common.cli import main
from common.core.errors import ConfigError
from common.samples.demo import templates

CONTENT: dict[str, Any] = {
    "sentiments": ["bad", "good"],
    "number": 6,
    "languages": {
        "en": {
            "fillers": {"thing": ["the tea", "the cake"]},
            "words": {
                "quality": {"bad": ["awful", "bitter"], "good": ["lovely", "sweet"]},
                "did": {"bad": ["hated"], "good": ["loved"]},
            },
            "templates": ["{thing} is {quality}.", "we {did} it.", "{thing}: {did}, {quality}!"],
        }
    },
}


def write(folder: Path, content: Any) -> Path:
    path = folder / "own.yaml"
    path.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
    return path


def make(folder: Path, content: Any, number: int | None = None) -> list[templates.TemplateSentence]:
    return list(templates.sentences(templates.load(write(folder, content)), number))


def test_sentences_of_one_number_differ_in_the_word_of_sentiment_only(tmp_path: Path) -> None:
    pairs: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for one in make(tmp_path, CONTENT):
        assert one.language == "en"
        pairs[one.number][one.sentiment] = one.text
    assert sorted(pairs) == list(range(6))
    words = {"awful": "lovely", "bitter": "sweet", "hated": "loved"}
    for pair in pairs.values():
        changed = re.sub("|".join(words), lambda found: words[found[0]], pair["bad"])
        assert changed == pair["good"] != pair["bad"]
        assert pair["bad"][0].isupper()


def test_templates_take_equal_shares_and_no_sentence_comes_twice(tmp_path: Path) -> None:
    """One of the three templates has one filling only."""
    for number, share in ((3, [1, 1, 1]), (6, [3, 1, 2]), (9, [4, 1, 4])):
        texts = [one.text for one in make(tmp_path, CONTENT, number) if one.sentiment == "bad"]
        assert len(set(texts)) == number
        kinds = [" is ", "We ", ": "]
        assert [sum(kind in text for text in texts) for kind in kinds] == share


def test_what_is_asked_for_must_be_there(tmp_path: Path) -> None:
    message = (
        "own.yaml: languages.en: only 9 different sentences can be made for each sentiment, 10"
    )
    with pytest.raises(ConfigError, match=message):
        make(tmp_path, CONTENT, 10)


def test_choice_depends_on_the_seed_and_on_no_other_language(tmp_path: Path) -> None:
    first = make(tmp_path, CONTENT)
    assert make(tmp_path, CONTENT) == first
    english = CONTENT["languages"]["en"]
    more = {**CONTENT, "languages": {"de": english, "en": english}}
    assert [one for one in make(tmp_path, more) if one.language == "en"] == first
    assert make(tmp_path, {**CONTENT, "seed": 5}) != first


def test_many_slots_take_no_memory(tmp_path: Path) -> None:
    """10 ** 24 fillings, more than a 64 bit number can count."""
    content = copy.deepcopy(CONTENT)
    fillers = {f"s{n}": [f"{n}{x}" for x in range(10)] for n in range(24)}
    text = " ".join(f"{{{name}}}" for name in fillers) + " {did}."
    content["languages"]["en"] |= {"fillers": fillers, "templates": [text]}
    assert len({one.text for one in make(tmp_path, content)}) == 12


def _en(**changes: Any) -> dict[str, Any]:
    content = copy.deepcopy(CONTENT)
    content["languages"]["en"] |= changes
    return content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**CONTENT, "number": 0}, "number: Input should be greater than or equal to 1, found 0"),
        ({**CONTENT, "nmber": 1}, "nmber: unknown key. Did you mean 'number'?"),
        ({**CONTENT, "sentiments": ["bad"]}, "sentiments: expected at least two"),
        ({**CONTENT, "sentiments": ["bad", "bad"]}, "sentiments: 'bad' is used twice"),
        ({**CONTENT, "languages": {}}, "languages: expected at least one"),
        ([1], "expected key: value lines, found [1]"),
        (_en(templates=[]), "templates: expected at least one sentence, none empty"),
        (
            _en(templates=["{thng} {did}"]),
            "templates[0]: unknown slot 'thng'. Did you mean 'thing'",
        ),
        (_en(templates=["{did!r}"]), "templates[0]: unknown slot 'did!r'. Did you mean 'did'?"),
        (_en(templates=["{did:>9}"]), "templates[0]: unknown slot 'did:>9'"),
        (_en(templates=["{} {did}"]), "templates[0]: unknown slot ''"),
        (_en(templates=["{thing"]), "templates[0]: expected '}' before end of string: '{thing'"),
        (_en(templates=["{thing}."]), "templates[0]: no word of sentiment in '{thing}.'; expected"),
        (_en(templates=["{did}."] * 2), "templates: '{did}.' is used twice"),
        (_en(fillers={"thing": ["a", "a"]}), "fillers.thing: 'a' is used twice"),
        (_en(fillers={"did": ["a"]}), "slot: 'did' is used twice"),
        (_en(fillers={"thing": [" "]}), "fillers.thing: expected at least one sentence"),
        (
            _en(words={"did": {"bad": ["hated"], "god": ["loved"]}}),
            "words.did: unknown sentiment 'god'. Did you mean 'good'?",
        ),
        (_en(words={"did": {"bad": ["hated"]}}), "words.did: unknown sentiment 'good'."),
        (
            _en(words={"did": {"bad": ["x", "y"], "good": ["z"]}}),
            "words.did: expected equally many words of each sentiment, found 2 in bad and 1 in good",
        ),
        (_en(words={"did": {"bad": ["x"], "good": ["x"]}}), "words.did: 'x' is used twice"),
        (
            _en(words={"did": {"bad": ["x"], "good": [3]}}),
            "expected text; put a number or a date in quotes, found 3",
        ),
    ],
)
def test_faults_are_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        make(tmp_path, content)
    assert str(error.value).startswith(str(tmp_path / "own.yaml"))
    assert "\n" not in str(error.value)


def test_the_built_in_ones_are_balanced_and_use_every_word() -> None:
    builtin = templates.load()
    found = list(templates.sentences(builtin))
    assert set(builtin.languages) == {"de", "en", "es", "fr", "it", "ja", "pt", "zh"}
    counts = Counter((one.language, one.sentiment) for one in found)
    assert set(counts.values()) == {builtin.number}
    assert builtin.number >= 60
    assert len({(one.language, one.text) for one in found}) == len(found)
    for language, words in builtin.languages.items():
        lower = " ".join(one.text for one in found if one.language == language).lower()
        for lists in words.words.values():
            for word in (word for one in lists.values() for word in one):
                assert word.lower() in lower, (language, word)
        for sentence in (one for one in found if one.language == language):
            assert len(sentence.text) > 5
            assert sentence.text[-1] in ".。"


def test_command_writes_a_table_for_a_synthesiser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, out = write(tmp_path, CONTENT), tmp_path / "deep" / "texts.csv"
    assert main.main(["texts", "--templates", str(own), "--out", str(out), "--number", "2"]) == 0
    assert capsys.readouterr().out == f"4 sentences in en: {out}\n"
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert [row["sentiment"] for row in rows] == ["bad", "good", "bad", "good"]
    assert [row["file"] for row in rows[:2]] == ["en/en-000-bad.wav", "en/en-000-good.wav"]
    assert [row["text"] for row in rows] == [one.text for one in make(tmp_path, CONTENT, 2)]
    own.write_text("sentiments: [", "utf-8")
    assert main.main(["texts", "--templates", str(own), "--out", str(out)]) == 2
    assert "own.yaml, line 2" in capsys.readouterr().err


def test_sentiments_are_those_of_the_test() -> None:
    """The suite compares the sentiments that the built-in data have."""
    benchmark = spec.load_benchmark()
    contexts = [
        options["contexts"]
        for test in benchmark.tests.values()
        if "contexts" in (options := getattr(test, "options", None) or {})
    ]
    for names in contexts:
        assert sorted(names) == sorted(templates.load().sentiments)
