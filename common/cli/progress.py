"""How far a command is: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from ..core import display
from ..core.terminal import harmless

#: seconds between two lines where the last one cannot be changed
EVERY_S = 10.0
#: seconds between two changes of the line on a terminal, which may be far away
CHANGE_S = 0.1
#: seconds after which the time that is left can be told
KNOWN_AFTER_S = 1.0
CLEAR = "\r\033[K"


class ProgressLine:
    """Tells stages of work and the time that is left in each.

    Args:
        say: takes a line for a person
        quiet: whether nothing is told but what is said explicitly
        header: said before the first stage; may be empty
        lines: whether stages are told elsewhere than on a terminal, where there is no header
        log: gets stages as log messages, in place of a terminal; None: nothing
        clock: time in seconds
    """

    def __init__(
        self,
        say: Callable[[str], None],
        *,
        quiet: bool = False,
        header: str = "",
        lines: bool = False,
        log: logging.Logger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._say, self._header, self._clock = say, header, clock
        self._log = log
        self._on_terminal = not quiet and log is None and sys.stderr.isatty()
        self._lines = not quiet and log is None and not self._on_terminal and bool(header or lines)
        self._stage, self._began, self._said = "", clock(), clock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """So much of a stage is done; a total of 0: nobody knows how much there is."""
        now = self._clock()
        is_new = stage != self._stage
        if is_new:
            self._stage, self._began = stage, now
        if self._header:
            self.clear()
            self._say(self._header)
            self._header = ""
        # a line that cannot be changed waits until it can tell the time that is left
        patience = 1.5 * EVERY_S if now - self._began < KNOWN_AFTER_S else EVERY_S
        text = harmless(_line(stage[:60], done, total, now - self._began))
        if self._on_terminal:
            if is_new or done == total or now - self._said >= CHANGE_S:
                self._said = now
                sys.stderr.write(f"{CLEAR}{text}")
                sys.stderr.flush()
        elif self._log is not None and (is_new or now - self._said >= EVERY_S):
            self._said = now
            about = {"progress": stage, "done": done, "total": total}
            self._log.info("%s", text, extra={"about": about})
        elif self._lines and now - self._said >= patience:
            self._said = now
            self._say(text)

    def result(self, line: str) -> None:
        """Say something that stays."""
        self.clear()
        self._say(line)

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self._on_terminal:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()


def _line(stage: str, done: int, total: int, seconds: float) -> str:
    """What is said of a stage that has taken some seconds so far.

    >>> _line("predict", 25, 100, 20.0)
    'predict 25/100, 1.2 per second, about 1 min left'
    >>> _line("predict", 50, 100, 20.0), _line("predict", 1, 100, 0.1), _line("load", 0, 0, 3.0)
    ('predict 50/100, 2.5 per second, about 20 s left', 'predict 1/100', 'load')
    >>> _line("predict", 100, 100, 80.0)
    'predict 100/100'
    """
    text = f"{stage} {done}/{total}" if total else stage
    if not 0 < done < total or seconds < KNOWN_AFTER_S:
        return text
    return f"{text}, {display.digits(done / seconds)} per second, about {_duration(seconds * (total - done) / done)} left"


def _duration(seconds: float) -> str:
    """Rounded time.

    >>> _duration(0.4), _duration(59.4), _duration(61), _duration(5400)
    ('1 s', '59 s', '1 min', '90 min')
    """
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"
