"""Text for a terminal: what others wrote cannot move the cursor, hide a line or end the program.

Names, labels and the messages of models come from files that somebody else may have made. In them,
control characters stand for themselves: they are shown and not obeyed.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Callable
from typing import IO, NoReturn

#: all control characters but tab and line feed, those that turn the direction of writing,
#: separators that some terminals take for line ends, and halves of characters, which no encoding has
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_OTHERS = re.compile("[^\x00-\x7f]")


def _shown(match: re.Match[str]) -> str:
    """A character as JSON writes it, so that JSON stays what it is."""
    return json.dumps(match[0])[1:-1]


def harmless(text: str) -> str:
    r"""Text whose control characters are shown.

    >>> harmless("\x1b[2Jall is well")
    '\\u001b[2Jall is well'
    >>> harmless("a\tb\n")
    'a\tb\n'
    """
    return _OBEYED.sub(_shown, text.replace("\r\n", "\n"))


def tell(text: str, *, to: IO[str] | None = None, end: str = "\n") -> None:
    """Print for a reader; everything that this program prints goes through here.

    Args:
        text: one or more lines
        to: where to; None: standard output
        end: what follows the text
    """
    stream = sys.stdout if to is None else to
    shown = harmless(text) + end
    try:
        shown.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:  # a terminal of few characters sees the numbers of the others
        shown = _OTHERS.sub(_shown, shown)
    stream.write(shown)
    stream.flush()


class Parser(argparse.ArgumentParser):
    """Parser of a command line whose messages repeat what they were given."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the program with a harmless message."""
        super().exit(status, None if message is None else harmless(message))


class Formatter(logging.Formatter):
    """Formatter of log messages that go to a terminal.

    Args:
        form: as in the logging of Python
        change: what is done to each message
    """

    def __init__(self, form: str, change: Callable[[str], str] = str):
        super().__init__(form)
        self._change = change

    def format(self, record: logging.LogRecord) -> str:
        """One or more harmless lines."""
        return harmless(self._change(super().format(record)))
