"""What a model is to the engine, and what an adapter is to the models."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import spec
from ..core.advice import ALLOW_CODE
from ..core.errors import BenchmarkError, ConfigError, ModelError, writable

#: times of audio in ns are whole numbers of 64 bits, which hold 292 years
LATEST_NS = 2**63


@dataclass(frozen=True)
class SampleKey:
    """Identity of one input: never an absolute path.

    Args:
        database: name of the database that holds the audio
        version: its version
        file: path in the database, with forward slashes
        start: start in ns
        end: end in ns; -1: end of the file
        condition: id of the perturbation; empty: the original
    """

    database: str
    version: str
    file: str
    start: int
    end: int
    condition: str = ""

    def __str__(self) -> str:
        """File and, for a part of it, its borders in seconds.

        >>> print(SampleKey("db", "1.0.0", "a.wav", 500_000_000, -1))
        a.wav [0.5 s, end]
        """
        if self.start == 0 and self.end < 0:
            return self.file
        end = f"{self.end / 1e9:.10g} s" if self.end >= 0 else "end"
        return f"{self.file} [{self.start / 1e9:.10g} s, {end}]"


@dataclass(frozen=True)
class Batch:
    """Inputs of one call of a model.

    Args:
        keys: identity of each input
        signals: float32 arrays of shape (channels, samples), in [-1, 1], at the model's rate;
            empty if the model does not need audio
        sampling_rate: in Hz
    """

    keys: Sequence[SampleKey]
    signals: Sequence[np.ndarray]
    sampling_rate: int

    def __len__(self) -> int:
        return len(self.keys)


class LoadedModel(Protocol):
    """A loaded model.

    Attributes:
        targets: ids of the targets that it predicts, in the order of the suite
        sampling_rate: in Hz
        needs_audio: whether ``predict`` looks at signals; else only at keys
        batch_size: largest number of signals per call
        equal_length: whether the signals of a call must have the same length
        group_size: largest number of signals that ``predict`` may be given if ``batch_size`` is 1;
            it makes a call for each
        fingerprint: hash of everything that decides about its predictions
    """

    targets: tuple[str, ...]
    sampling_rate: int
    needs_audio: bool
    batch_size: int
    equal_length: bool
    group_size: int
    fingerprint: str

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """Predictions of all targets in one pass; may be called by several threads at once.

        Returns:
            target -> array; shape (N,) for regression,
            (N, number of labels) scores in the order of the target's labels for classification

        Raises:
            ModelError: if the model fails or returns something else
        """
        ...


@dataclass(frozen=True)
class LoadOptions:
    """How a model is loaded.

    Args:
        seed: seed of the run; only chance models look at it
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``
        threads: threads of one call on the CPU
        cache: cache folder of the program; None: nothing is kept
    """

    seed: int = 0
    device: str = "auto"
    threads: int = 1
    cache: Path | None = None


class ModelAdapter(Protocol):
    """One way to get at models: a module of this package.

    It may have more: ``code(entry)`` says what of an entry runs code, for :func:`permit`; ``check(entry, targets)``
    looks for faults without the runtime.
    """

    def content(self, entry: spec.Model, cache: Path | None) -> Any:
        """What decides about the predictions besides the entry: hashes of files.

        Cheap, and without any model runtime.

        Raises:
            ModelError: if a file of the model is missing
        """
        ...

    def offered(
        self, entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
    ) -> tuple[str, ...]:
        """Ids of the targets that the model predicts, in the order of ``targets``."""
        ...

    def load(
        self, entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
    ) -> LoadedModel:
        """The model, ready to predict."""
        ...


def place(entry: spec.Model, field: str = "") -> str:
    """Start of a message about an entry: file of the catalog, id and field.

    Folders are left out: messages become result rows, which must not depend on the machine.
    """
    file = entry.origin.name
    parts = ([file] if file else []) + [f"model '{entry.id}'"] + ([field] if field else [])
    return ": ".join(parts)


def code_of_adapter(entry: spec.Model) -> str:
    """What :func:`permit` says of an adapter that runs what an entry names, whatever that is."""
    return f"{place(entry, 'adapter')}: '{entry.adapter}' runs code that the catalog names"


def permit(entry: spec.Model, code: str) -> None:
    """Refuse a model whose code nobody has allowed to run.

    Args:
        entry: catalog entry
        code: place of what runs code, and what it is; empty: nothing does

    Raises:
        ConfigError: if there is code, and it belongs to a user's catalog that was not allowed to run any
    """
    if code and not entry.may_run_code:
        raise ConfigError(f"{code}; if you trust it, allow it with --allow-code or {ALLOW_CODE}=1")


def unmasked(values: Any) -> Any:
    """Values whose masked ones are NaN, which is no prediction; numpy would take what the mask hides."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "biuf":
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values


def check_device(device: str) -> str:
    """Number of the GPU that a device names.

    Args:
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``

    Raises:
        ConfigError: if it is none of them

    >>> check_device("cuda:1"), check_device("auto")
    ('1', '0')
    """
    match = re.fullmatch(r"auto|cpu|cuda(?::(\d+))?", device)
    if match is None:
        raise ConfigError(f"unknown device '{device}'. Known: auto, cpu, cuda, cuda:N")
    return match[1] or "0"


def one_line(error: BaseException, limit: int = 300) -> str:
    r"""Type and text of an error in one line that can be written to any file.

    Errors of foreign code may have no text: asking for it may raise, and it may hold what no
    encoding has.

    >>> one_line(ValueError("two\nlines"))
    'ValueError: two lines'
    """
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = "its text cannot be had"
    text = writable(text)
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextmanager
def foreign(where: str) -> Iterator[None]:
    """Turn whatever foreign code raises into a ModelError; Ctrl-C stays what it is.

    Python gives Ctrl-C to the main thread only; in others KeyboardInterrupt is the model's own.

    Args:
        where: start of the message
    """
    try:
        yield
    except BenchmarkError:
        raise
    except BaseException as error:
        user = threading.current_thread() is threading.main_thread()
        if user and isinstance(error, KeyboardInterrupt):
            raise
        raise ModelError(f"{where} raised {one_line(error)}") from error
