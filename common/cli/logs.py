"""Messages on standard error: lines for a person, or one JSON object per line for a program."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from datetime import UTC, datetime

from ..core.paths import IMPORTED
from ..core.stages import context
from ..core.terminal import Formatter, tell


class JsonLines(logging.Formatter):
    """Formatter of log messages for a program.

    A line has ``time`` (UTC), ``level``, ``logger`` and ``message``, and what is being done: ``stage``,
    and ``target``, ``model``, ``test`` and ``dataset`` where there is one. ``about`` of a record adds to
    these.
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        content = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **context(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            content["traceback"] = self.formatException(record.exc_info)
        return json.dumps(content)


def formatter_of_a_worker() -> JsonLines:
    """Formatter of a process that another program starts for a run; its warnings become messages, too."""
    logging.captureWarnings(True)
    return JsonLines()


def start_logs(args: argparse.Namespace) -> None:
    """Say where log messages go, which of them, and in which form.

    Args:
        args: ``log_format``, ``verbose`` and ``quiet`` of the command line, and ``places`` that messages name
    """
    as_json = args.log_format == "json"
    level = logging.DEBUG if args.verbose else logging.ERROR if args.quiet else logging.WARNING
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonLines() if as_json else Formatter("%(levelname)s %(message)s", change=args.places)
    )
    logging.basicConfig(level=level, handlers=[handler])
    logging.getLogger().setLevel(logging.INFO if args.verbose else level)
    if as_json:
        logging.captureWarnings(True)
        logging.getLogger(IMPORTED).setLevel(level if args.quiet else min(level, logging.INFO))


def logs_are_json() -> bool:
    """Whether messages are for a program."""
    return any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers)


def tell_error(text: str) -> None:
    """Tell what went wrong on standard error, in the form of the log."""
    if not logs_are_json():
        tell(text, to=sys.stderr)
        return
    for line in text.splitlines():
        logging.getLogger(__name__).error("%s", line.removeprefix("error: "))
