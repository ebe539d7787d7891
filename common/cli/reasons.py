"""Why cells of a run ended in an error, or were not run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.wording import counted
from .logs import tell_error

if TYPE_CHECKING:
    from .main import CommandContext


def tell_reasons(context: CommandContext, report: Any) -> None:
    """Each reason once, with the number of cells that it concerns; and warnings."""
    tell_warnings(report.warnings)
    for message, count in Counter(report.errors.values()).items():
        tell_error(context.places(f"error ({counted(count, 'cell')}): {message}"))
    for reason, count in Counter(report.not_run.values()).items():
        if context.args.dataset:
            context.say(f"not run ({counted(count, 'cell')}): {reason}")
            continue
        logging.getLogger(__name__).info("not run (%s cells): %s", count, reason)


def left_out(report: Any) -> str:
    """How many cells were not run, and how many things are missing for them.

    >>> from types import SimpleNamespace
    >>> left_out(SimpleNamespace(not_run={})), left_out(SimpleNamespace(not_run={"a": "x", "b": "x"}))
    ('0 not run', '2 not run (a dataset, a program or predictions are missing)')
    """
    reasons = set(report.not_run.values())
    cause = f" ({missing(len(reasons))} missing)" if reasons else ""
    return f"{len(report.not_run)} not run{cause}"


def tell_warnings(texts: Iterable[str]) -> None:
    """What is as it is, but hardly meant so."""
    for text in texts:
        logging.getLogger(__name__).warning("%s", text)


def predicted(calls: int, distinct: int) -> str:
    """How many signals models got, for how many inputs.

    >>> predicted(3, 4)
    '3 signals predicted of 4 distinct inputs'
    """
    inputs = counted(distinct, "distinct input")
    if calls <= distinct:
        return f"{counted(calls, 'signal')} predicted of {inputs}"
    return (
        f"{counted(calls, 'signal')} in calls of models for {inputs}, as calls that failed were repeated "
        "signal by signal"
    )


def missing(n: int) -> str:
    """What is missing where datasets, programs or predictions are not here.

    >>> missing(1), missing(2)
    ('a dataset, a program or predictions are', '2 datasets, programs or predictions are')
    """
    return (
        "a dataset, a program or predictions are"
        if n == 1
        else f"{n} datasets, programs or predictions are"
    )
