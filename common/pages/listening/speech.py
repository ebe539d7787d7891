"""The recordings that the examples are made of, and what the examples are called."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ...core import rng
from ...core.errors import ConfigError
from ...samples.demo import acoustics, recipes, synthesis
from ...samples.demo.corpus import SAMPLING_RATE
from ...samples.demo.speech import CUES, Speaker, Utterance, known
from ...spec import Record, fault, read_yaml

SETTINGS = Path(__file__).with_name("examples.yaml")
SPEECH = "speech.wav"
RATE = SAMPLING_RATE


class Speech(Record):
    """What is said, by whom and how.

    Args:
        text: the sentences
        synthesiser: what to give to pip where it is missing
        speaker: voice
        rate_wpm: words per minute
        cues: value of each of :data:`common.samples.demo.speech.CUES`
    """

    text: str
    synthesiser: str
    speaker: Speaker
    rate_wpm: float
    cues: Mapping[str, float]


class DeviceRecordings(Record):
    """An utterance that several devices have recorded.

    Args:
        recipe: embedded corpus with a column ``device``
        speaker: whose first text it is
    """

    recipe: str
    speaker: str


class ExampleSettings(Record):
    """Content of ``examples.yaml``.

    Args:
        seed: of the speech
        speech: what is said
        recordings: what several devices have recorded
        corpora: set of noises and rooms that the examples draw from
        impulse_responses: file -> perturbation whose filter it holds
        names: condition -> name of its example, where the two differ
    """

    seed: int
    speech: Speech
    recordings: DeviceRecordings
    corpora: str
    impulse_responses: Mapping[str, str]
    names: Mapping[str, str]

    def file(self, test: str, condition: str) -> str:
        """Example of a condition, below ``extra/media/``.

        >>> settings().file("robustness_background_noise", "babble-noise")
        'robustness_background_noise/babble_noise.wav'
        """
        name = self.names.get(condition) or re.sub(r"[^A-Za-z0-9]+", "_", condition)
        return f"{test}/{name}.wav"


@functools.cache
def settings(path: Path = SETTINGS) -> ExampleSettings:
    """Checked content of ``examples.yaml``.

    Raises:
        ConfigError: for its first fault
    """
    content: Any = read_yaml(path)
    try:
        example_settings = ExampleSettings.model_validate(content)
    except pydantic.ValidationError as error:
        raise ConfigError(fault(ExampleSettings, str(path), error)) from None
    known("cue", example_settings.speech.cues, CUES, f"{path}: speech.cues")
    for name in CUES:
        if name not in example_settings.speech.cues:
            raise ConfigError(f"{path}: speech.cues.{name}: missing")
    return example_settings


def speak(chosen: ExampleSettings) -> np.ndarray:
    """The sentences, synthesised.

    Returns:
        float32, shape (1, samples), at :data:`RATE`; the same for every call

    Raises:
        MissingDependency: if the optional synthesiser is not installed
        DataError: if it fails
    """
    said = chosen.speech
    synthesis.require(said.synthesiser)
    utterance = Utterance(
        SPEECH, "", "", said.speaker, said.text, said.text, {}, said.cues, said.rate_wpm
    )
    ((_, rate, audio),) = synthesis.synthesise([utterance.request()])
    random = rng.generator(chosen.seed, SPEECH)
    signal = acoustics.pcm16(acoustics.render(audio, rate, utterance, random))
    return (signal / np.float32(32768)).astype(np.float32)[None, :]


def recorded(chosen: ExampleSettings) -> dict[str, Utterance]:
    """File -> the utterance as one of the devices records it."""
    (recipe,) = recipes.choose([chosen.recordings.recipe])
    utterances = [item for item in recipe.items() if item.speaker.id == chosen.recordings.speaker]
    return {
        f"{u.labels['device']}_speech.wav": u for u in utterances if u.text == utterances[0].text
    }


def record(chosen: ExampleSettings, file: str) -> np.ndarray:
    """One of :func:`recorded`, as it is in the corpus.

    Returns:
        float32, shape (1, samples), at :data:`RATE`

    Raises:
        MissingDependency: if the optional synthesiser is not installed
        DataError: if it fails
    """
    (recipe,) = recipes.choose([chosen.recordings.recipe])
    synthesis.require(recipe.synthesiser)
    ((_, sound),) = recipe.rendered([recorded(chosen)[file]])
    return (acoustics.pcm16(sound) / np.float32(32768)).astype(np.float32)[None, :]
