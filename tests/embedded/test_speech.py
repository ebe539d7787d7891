"""What all recipes share: the cues and what the synthesiser is asked for."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from common.samples.demo import recipes, speech


@pytest.fixture(scope="module")
def utterances() -> list[speech.Utterance]:
    spoken = [recipe for recipe in recipes.choose() if isinstance(recipe, speech.SpeechRecipe)]
    return list(chain.from_iterable(recipe.utterances() for recipe in spoken))


def test_requests_are_in_the_range_of_the_synthesiser(utterances: list[speech.Utterance]) -> None:
    requests = [utterance.request() for utterance in utterances]
    assert all(80 <= request["rate"] <= 450 for request in requests)
    pitches = [request["pitch"] for request in requests]
    assert min(pitches) >= 0
    assert max(pitches) <= 99
    assert np.mean([0 < pitch < 99 for pitch in pitches]) > 0.97, "F0 is cut too often"


def test_moved_formants_do_not_move_pitch(utterances: list[speech.Utterance]) -> None:
    """A longer tract plays slower; pitch and rate are asked for that much higher."""
    utterance = utterances[0]
    long = utterance.speaker.model_copy(update={"tract": 0.9})
    short = utterance.speaker.model_copy(update={"tract": 1.1})
    low, high = (replace(utterance, speaker=speaker).request() for speaker in (long, short))
    assert low["rate"] / high["rate"] == pytest.approx(1.1 / 0.9, rel=0.02)
    steps = 12 * np.log2(1.1 / 0.9) / speech.PITCH_STEP_ST
    assert low["pitch"] - high["pitch"] == pytest.approx(steps, abs=1)
