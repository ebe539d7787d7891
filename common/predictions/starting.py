"""What holds while dask starts a cluster: its processes write only what is wrong, and do not see Ctrl-C."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..models.base import one_line

#: variable of the environment from which dask reads how its processes log
LOGGING = "DASK_LOGGING"
#: loggers of dask that say nothing in a worker: what a nanny says there becomes an error of the run, and the
#: other one speaks of work that nobody waits for any more
_SILENT = ("distributed.nanny", "distributed.worker.state_machine")


@contextmanager
def quietly(formatter: str) -> Iterator[None]:
    """Keep what dask says of a start that fails to the error itself, and let processes that it starts be quiet.

    Args:
        formatter: public name of what makes the formatter of their messages; empty: as a person reads them
    """
    import dask

    key = f"distributed.nanny.pre-spawn-environ.{LOGGING}"
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({key: repr(_logging(formatter))}))
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "Port .* is already in use", UserWarning)
        stack.enter_context(silently())
        if LOGGING not in os.environ:
            stack.callback(os.environ.pop, LOGGING, None)  # dask leaves it there
        yield


def _logging(formatter: str) -> dict[str, Any]:
    """How processes that dask starts log, in the words of :mod:`logging.config`."""
    level = max(logging.WARNING, logging.getLogger().getEffectiveLevel())
    form = {"()": formatter} if formatter else {"format": "%(levelname)s %(message)s"}
    silent = {"handlers": ["nowhere"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": form},
        "handlers": {
            "standard error": {"class": "logging.StreamHandler", "formatter": "line"},
            "nowhere": {"class": "logging.NullHandler"},
        },
        "root": {"level": level, "handlers": ["standard error"]},
        "loggers": {} if _is_verbose() else dict.fromkeys(_SILENT, silent),
    }


def _is_verbose() -> bool:
    return logging.getLogger().isEnabledFor(logging.INFO)


@contextmanager
def silently() -> Iterator[None]:
    """Let dask say nothing in this process, as what is wrong becomes an error; with ``--verbose``, let it."""
    names = () if _is_verbose() else ("distributed", "asyncio", "tornado")
    before = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in before:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


def reason(error: BaseException) -> str:
    """An error in one line, after the one that it came from."""
    first = error
    while (
        before := first.__cause__ or (None if first.__suppress_context__ else first.__context__)
    ) is not None:
        first = before
    return one_line(error) if first is error else f"{one_line(first)} ({one_line(error)})"


__all__ = ["quietly", "reason", "silently"]
