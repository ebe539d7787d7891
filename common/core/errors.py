"""All errors that a user can meet.

::

    BenchmarkError                 one line for the user; never a traceback
    ├── ConfigError                wrong option, YAML, id or path        exit code 2
    ├── DataError                  a dataset that cannot be used
    │   ├── AudioError             one file that cannot be decoded or holds no usable signal
    │   ├── DatasetUnavailable     not here and not reachable now        "not run", no failure
    │   └── NotCached              predictions that nobody has made yet
    ├── ModelError                 a model that cannot be loaded or answers nonsense
    ├── MissingDependency          an optional package or program is not installed
    ├── OutputError                a file cannot be written
    └── LengthError (ValueError)   arrays that must have the same length do not

Raised where the fault is known; caught only in the engine (:mod:`common.engine.run`,
:mod:`common.engine.journal`: error row, the run goes on) and :mod:`common.cli.main` (message and exit code).
"""

from __future__ import annotations


def writable(text: str) -> str:
    r"""Text that any file can hold: halves of characters and NUL are written as their numbers.

    >>> writable("a\ud800\0")
    'a\\ud800\\0'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


class BenchmarkError(Exception):
    """Base of all errors with a message for the user; messages become result rows, too."""

    def __init__(self, *parts: object):
        super().__init__(*(writable(part) if isinstance(part, str) else part for part in parts))


class ConfigError(BenchmarkError):
    """The command line, a catalog or a suite file is wrong."""


class DataError(BenchmarkError):
    """A dataset, table, label or prediction file cannot be used."""


class AudioError(DataError):
    """An audio file cannot be decoded or holds no usable signal."""


class DatasetUnavailable(DataError):
    """A dataset is neither on this machine nor reachable."""


class NotCached(DataError):
    """Predictions are asked for that are not in the cache, and nothing may be predicted now."""


class ModelError(BenchmarkError):
    """A model cannot be loaded, raises, or returns something that is no prediction."""


class MissingDependency(BenchmarkError):
    """An optional part is not installed.

    Args:
        what: what cannot be done without it
        install: the command that mends it
    """

    def __init__(self, what: str, install: str):
        super().__init__(f"{what}. Install it with: {install}")
        self.install = install


class OutputError(BenchmarkError):
    """A result cannot be written."""


class LengthError(BenchmarkError, ValueError):
    """Arrays that belong together differ in length."""
