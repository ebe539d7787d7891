"""Models that answer in JSON, one object for each signal: what is asked, and how answers are read.

Asked is an object with ``sampling_rate`` in Hz and either ``samples``, the base64 text of little-endian 32-bit floats
in [-1, 1], or ``wav``, the path of a file. The answer has a value for each target: a number, the name of a class, a
list of scores in the order of ``labels`` in the entry, an object with a score for each label, or sound events as for
the adapter python. An object with ``error`` says why there is no prediction. Truth values are no predictions.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import spec
from ..core.documents import parse_json
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from ..spec import kinds
from .base import Batch, place
from .outputs import wanted
from .reading import ValueReader, reader, refuse_truth_values

#: characters of an answer that a message shows
SHOWN = 120
TIMEOUT_S = 60.0


def question(signal: np.ndarray, sampling_rate: int) -> dict[str, Any]:
    """What is asked about a signal of shape (1, samples).

    >>> question(np.array([[0.5]], dtype=np.float32), 8000)
    {'sampling_rate': 8000, 'samples': 'AAAAPw=='}
    """
    samples = np.ascontiguousarray(signal[0], dtype="<f4").tobytes()
    return {"sampling_rate": sampling_rate, "samples": base64.b64encode(samples).decode()}


def object_in(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that a text is, None if it is none.

    >>> object_in('{"a": 1}'), object_in("Loading")
    ({'a': 1}, None)
    """
    try:
        content = parse_json(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def answer_of(text: str | bytes, who: str) -> dict[str, Any]:
    """The object that a text holds.

    Args:
        text: what was answered
        who: the program or the server, for messages

    Raises:
        ModelError: if it is no object, holds a key twice, or tells an error
    """
    reason = ""
    try:
        content = parse_json(text)
    except json.JSONDecodeError:
        content = None
    except ValueError as error:
        content, reason = None, f": {error}"
    if not isinstance(content, dict):
        words = text if isinstance(text, str) else text.decode("utf-8", "replace")
        raise ModelError(
            f"{who} did not answer with a JSON object, but with {words.strip()[:SHOWN]!r}{reason}"
        )
    if "error" in content:
        raise ModelError(f"{who} answered with an error: {content['error']!s:.300}")
    return content


def seconds(entry: spec.Model, name: str, default: float) -> float:
    """A parameter that is a length of time in s.

    Raises:
        ConfigError: if it is none
    """
    value = entry.params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise ConfigError(
            f"{place(entry, f'params.{name}')}: expected seconds, found {value!r:.60}"
        )
    return float(value)


def check_params(entry: spec.Model, names: tuple[str, ...]) -> None:
    """Refuse parameters that do not exist, and an entry that does not say what is predicted."""
    for name in entry.params:
        if name not in names:
            raise unknown("parameter", name, names, place(entry, "params"))
    if not entry.outputs:
        raise ConfigError(
            f"{place(entry, 'outputs')}: missing; say which targets are answered, "
            "'outputs: {TARGET: {}}'"
        )


class AnsweringModel:
    """A model that is asked about one signal after the other.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        ask: (signal of shape (1, samples), sampling rate in Hz) -> the object that is answered
    """

    needs_audio = True
    equal_length = False
    group_size = 1
    fingerprint = ""

    def __init__(
        self,
        entry: spec.Model,
        targets: Mapping[str, spec.Target],
        ask: Callable[[np.ndarray, int], dict[str, Any]],
    ):
        self.targets = tuple(wanted(entry, targets))
        self.sampling_rate = entry.sampling_rate
        self.batch_size = entry.batch_size or 1
        self._ask = ask
        self._lock = threading.Lock()
        self._readers = [reader(entry, targets[name]) for name in self.targets]

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Values of all targets; calls are made one after the other."""
        with self._lock:
            answers = [self._ask(signal, batch.sampling_rate) for signal in batch.signals]
        return {each.target.id: _read(each, answers) for each in self._readers}


def _read(each: ValueReader, answers: list[dict[str, Any]]) -> np.ndarray:
    """Values of a target in the answers."""
    for answer in answers:
        if each.node not in answer:
            names = ", ".join(answer) or "nothing"
            raise ModelError(f"no '{each.node}' in the answer, found: {names:.200}")
    values = [answer[each.node] for answer in answers]
    if kinds.of(each.target).has_classes and all(isinstance(value, dict) for value in values):
        return np.concatenate([_scores(each, value) for value in values])
    return each.read(values, len(values))


def _scores(each: ValueReader, scores: Mapping[str, Any]) -> np.ndarray:
    """Scores of one signal from an object with a score for each label."""
    labels = each.labels or tuple(scores)
    absent = [label for label in labels if label not in scores]
    if absent:
        raise ModelError(
            f"target '{each.target.id}': no score for {', '.join(absent)}, found: "
            f"{', '.join(scores):.200}"
        )
    for label in labels:
        refuse_truth_values(scores[label], each.target, label)
    row = [scores[label] for label in labels]
    return each.labelled(labels).read([row], 1)
