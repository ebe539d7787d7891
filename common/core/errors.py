"""All errors that a user can meet.

::

    BenchmarkError                 one line for the user; never a traceback
    ├── ConfigError                wrong option, YAML, id or path        exit code 2
    ├── DataError                  a dataset that cannot be used
    │   ├── AudioError             one file that cannot be decoded or holds no usable signal
    │   ├── DatasetUnavailable     not here and not reachable now        "not run", no failure
    │   └── NotCached              predictions that nobody has made yet
    ├── ModelError                 a model that cannot be loaded or answers nonsense
    │   └── BrokenFile             a file of it is there, but damaged or locked: error rows
    ├── MissingDependency          an optional package or program is not installed
    ├── OutputError                a file cannot be written
    └── LengthError (ValueError)   arrays that must have the same length do not

Raised where the fault is known; caught only in the engine (:mod:`common.engine.run`,
:mod:`common.engine.journal`: error row, the run goes on) and :mod:`common.cli.main` (message and exit code).
"""

from __future__ import annotations

import re

from .terminal import harmless

#: what ends a line somewhere, and tabs
_BREAKS = re.compile("[ \t]*[\t\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]+[ \t]*")


def writable(text: str) -> str:
    r"""Text as one line that any file can hold and any terminal can show.

    Names and labels come from files of others: a line end in one of them would begin a message of
    its own. Other control characters and halves of characters are written as their numbers.

    >>> writable("a\ud800\0\x1b[2J"), writable("two\n lines\n")
    ('a\\ud800\\u0000\\u001b[2J', 'two lines')
    """
    return harmless(_BREAKS.sub(" ", text).strip())


def reason_of(error: Exception) -> str:
    """What an error says, without the name of the file, which the message has already.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "a.csv")), reason_of(ValueError("no number"))
    ('No such file or directory', 'no number')
    """
    return str(getattr(error, "strerror", None) or error)


class BenchmarkError(Exception):
    """Base of all errors with a message for the user; messages become result rows, too.

    Args:
        parts: messages; each becomes one line
    """

    def __init__(self, *parts: object):
        super().__init__(*(writable(part) if isinstance(part, str) else part for part in parts))

    def __str__(self) -> str:
        """All messages, a line each."""
        return "\n".join(map(str, self.args))


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


class BrokenFile(ModelError):
    """A file of a model is there, but is damaged or may not be read: no fault of what is declared."""


class ModelTimeout(ModelError):
    """A model does not answer in time."""


class MissingDependency(BenchmarkError):
    """An optional part is not installed.

    Args:
        what: what cannot be done without it
        install: the command that mends it
    """

    def __init__(self, what: str, install: str):
        super().__init__(f"{what}. Install it with: {install}")
        self.what, self.install = what, install

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """As another process gets it."""
        return type(self), (self.what, self.install)


class OutputError(BenchmarkError):
    """A result cannot be written."""


class LengthError(BenchmarkError, ValueError):
    """Arrays that belong together differ in length."""
