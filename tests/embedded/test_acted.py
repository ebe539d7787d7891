"""Recipes of acted speech: faults are found, and the utterances are as promised."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import spec
from common.core import paths
from common.core.errors import ConfigError
from common.samples.demo import acted, recipes, speech


@pytest.fixture(scope="module")
def corpus() -> acted.Acted:
    return recipes.load(acted.RECIPE)


@pytest.fixture(scope="module")
def utterances(corpus: acted.Acted) -> list[speech.Utterance]:
    return corpus.utterances()


def _set(content: dict[str, Any], place: list[Any], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(content)
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["seeed"], 1, "seeed: unknown key. Did you mean 'seed'?"),
        (["seed"], "x", "seed: expected a whole number"),
        (["cues", "pitch"], {"limits": [0, 1]}, "cues: unknown cue 'pitch'. Did you mean"),
        (["cues", "tilt_db", "limits"], [1, 1], "cues.tilt_db.limits: expected low < high"),
        (["cues", "tilt_db", "weights"], [1.0], "cues.tilt_db.weights: expected 3 numbers"),
        (["categories", "fear", "mean"], [0.5], "categories.fear.mean: expected 3 numbers"),
        (["categories", "fear", "cues"], {"tremr": 1}, "'tremr'. Did you mean 'tremor'?"),
        (["counts", "test", "fixed", "angr"], 3, "unknown category 'angr'. Did you mean 'anger'"),
        (["counts", "test", "drawn", "among"], ["joy"], "drawn.among: unknown category 'joy'"),
        (["counts", "dev"], {"fixed": {}, "drawn": None}, "counts.dev.drawn"),
        (["speakers", 0, "split"], "tst", "speakers[0] (de-f1).split: unknown split 'tst'"),
        (["speakers", 0, "language"], "xx", "speakers[0] (de-f1).language: unknown language"),
        (["speakers", 1, "id"], "de-f1", "speakers: id: 'de-f1' is used twice"),
        (["speakers", 0, "sex"], "f", "speakers[0].sex: Input should be 'female' or 'male'"),
        (["texts", "de"], [], "texts.de: expected at least one sentence, none empty"),
        (["texts", "de", 3], " ", "texts.de: expected at least one sentence, none empty"),
    ],
)
def test_faults_are_named(
    content: dict[str, Any],
    write: Callable[[Any], Path],
    place: list[Any],
    value: Any,
    message: str,
) -> None:
    path = write(_set(content, place, value))
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        recipes.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_cue_is_named(content: dict[str, Any], write: Callable[[Any], Path]) -> None:
    changed = copy.deepcopy(content)
    del changed["cues"]["tremor"]
    with pytest.raises(ConfigError, match=r"cues\.tremor: missing"):
        recipes.load(write(changed))


def test_split_without_speaker_is_named(
    content: dict[str, Any], write: Callable[[Any], Path]
) -> None:
    changed = _set(content, ["counts", "dev"], content["counts"]["test"])
    with pytest.raises(ConfigError, match=r"counts\.dev: no speaker has this split"):
        recipes.load(write(changed))


def test_enough_speakers_of_both_sexes_and_many_languages(corpus: acted.Acted) -> None:
    for split in corpus.counts:
        speakers = [speaker for speaker in corpus.speakers if speaker.split == split]
        sexes = Counter(speaker.sex for speaker in speakers)
        assert sexes["female"] >= 7
        assert sexes["male"] >= 7
        assert {speaker.language for speaker in speakers} >= {"de", "en", "es", "fr", "it"}
    voices = [(s.language, s.voice) for s in corpus.speakers]
    assert len(set(voices)) == len(voices), "two speakers have the same voice"


def test_splits_share_no_speaker_and_no_file(utterances: list[speech.Utterance]) -> None:
    files = {"train": set(), "test": set()}
    speakers = {"train": set(), "test": set()}
    for utterance in utterances:
        files[utterance.split].add(utterance.file)
        speakers[utterance.split].add(utterance.speaker.id)
    assert not speakers["train"] & speakers["test"]
    assert len(files["train"] | files["test"]) == len(utterances)


def test_every_test_speaker_can_be_averaged_and_ranked(
    corpus: acted.Acted, utterances: list[speech.Utterance]
) -> None:
    """At least 8 samples of each class of the suite, 2 of the others; shares differ."""
    targets = spec.load_entries(spec.Target, paths.CATALOG / "targets.yaml")
    classes = targets[corpus.category].labels
    counts: dict[str, Counter[str]] = {}
    for utterance in utterances:
        if utterance.split == "test":
            counts.setdefault(utterance.speaker.id, Counter())[
                utterance.labels[corpus.category]
            ] += 1
    assert len(counts) >= 14
    for speaker, found in counts.items():
        assert found.total() == 60, speaker
        assert min(found[label] for label in classes) >= 8, speaker
        assert min(found[label] for label in corpus.categories) >= 2, speaker
    for label in classes:
        shares = [found[label] / sum(found[c] for c in classes) for found in counts.values()]
        assert len(set(shares)) > len(shares) // 3
        assert np.std(shares) > 0.05


def test_labels_are_in_range_and_spread(
    corpus: acted.Acted, utterances: list[speech.Utterance]
) -> None:
    for name in corpus.dimensions:
        values = np.array([utterance.labels[name] for utterance in utterances])
        assert values.min() >= 0
        assert values.max() <= 1
        assert values.std() > 0.15


def test_cues_follow_the_dimensions(
    corpus: acted.Acted, utterances: list[speech.Utterance]
) -> None:
    """Direction of the strongest effects that the recipe cites."""

    def r(cue: str, dimension: str) -> float:
        x = [utterance.cues[cue] for utterance in utterances]
        y = [utterance.labels[dimension] for utterance in utterances]
        return float(np.corrcoef(x, y)[0, 1])

    arousal, dominance, valence = corpus.dimensions
    for cue in ("level_db", "pitch_st", "range_log2", "rate_log2", "tilt_db"):
        assert 0.5 < r(cue, arousal) < 0.97, cue
    assert r("level_db", dominance) > 0.5
    assert r("breath_db", dominance) < -0.5
    assert r("contour_st", valence) > 0.5
    assert r("smile_log2", valence) > 0.5


def test_plan_depends_on_no_order(
    content: dict[str, Any], write: Callable[[Any], Path], utterances: list[speech.Utterance]
) -> None:
    """Neither of the speakers nor of the keys, which are written sorted here."""
    changed = {**content, "speakers": content["speakers"][::-1]}
    backwards = recipes.load(write(changed)).utterances()
    assert {u.file: u for u in backwards} == {u.file: u for u in utterances}


def test_file_names_do_not_tell_the_category(
    corpus: acted.Acted, utterances: list[speech.Utterance]
) -> None:
    first = Counter(u.labels[corpus.category] for u in utterances if u.file.endswith("-000.flac"))
    assert len(first) > 3
