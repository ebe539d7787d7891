"""The report of a run: written at its end, however that comes, and shown by ``list run``."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..core import display, machine
from ..core.errors import ConfigError, OutputError
from ..core.stages import StageTimes
from ..core.wording import counted

if TYPE_CHECKING:
    from ..results.run_report import RunReport
    from .main import CommandContext

logger = logging.getLogger(__name__)


@contextmanager
def reporting(context: CommandContext, command: str) -> Iterator[Callable[[], None]]:
    """Write what a run took, unless there was nothing to do.

    Args:
        context: its ``times`` are those of the run, its ``report`` what the engine did
        command: name of the command

    Yields:
        function for the time when all but the website is there: with ``--run-report`` it puts
        the report of this run, or of the last one that had something to do, beside the results
    """
    began, start, ended = datetime.now(UTC), time.perf_counter(), "failed"

    def publish() -> None:
        from ..results import run_report

        settled = context.report is None or context.report.settled
        if not context.args.run_report:
            if not settled:
                run_report.withdraw(context.folders)  # what is there is of another run
        elif settled:
            publish_last(context)
        else:
            wall_s = time.perf_counter() - start
            run_report.publish(_report(context, command, "done", began, wall_s), context.folders)

    try:
        yield publish
        ended = "done"
    except KeyboardInterrupt:
        ended = "interrupted"
        raise
    finally:
        if context.report is not None and not context.report.settled:
            from ..results import run_report

            wall_s = time.perf_counter() - start
            report = _report(context, command, ended, began, wall_s)
            try:
                run_report.write(report, context.folders)
            except OutputError as error:
                logger.warning("%s; the run itself is complete except for this report", error)
            if context.args.verbose:
                for line in summary(report):
                    context.say(line)
                context.say(f"report of the run: {context.folders.run_report}")


def publish_last(context: CommandContext) -> None:
    """Put the report of the last run beside the results.

    Raises:
        ConfigError: if there is none
    """
    from ..results import run_report

    run_report.publish(run_report.read(context.folders), context.folders)


def _report(
    context: CommandContext, command: str, ended: str, began: datetime, wall_s: float
) -> RunReport:
    from ..results.run_report import SLOWEST, RunReport

    times: StageTimes = context.times
    times.look()
    slowest = sorted(times.cells.items(), key=lambda entry: -entry[1])[:SLOWEST]
    did: Any = context.report
    return RunReport(
        command=command,
        ended=ended,
        began=began.isoformat(timespec="seconds"),
        workers=context.workers,
        machine=f"{machine.processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        wall_s=wall_s,
        processor_s=machine.processor_s(),
        stages=[{"stage": name, **vars(each)} for name, each in times.stages.items()],
        cells={
            "computed": did.computed,
            "current": did.current,
            "errors": len(did.errors),
            "not_run": len(did.not_run),
        },
        predictions=did.predictions,
        slowest=slowest,
        errors=dict(Counter(did.errors.values())),
        peak_bytes=machine.peak_bytes(),
        beside_bytes=max(times.beside.values(), default=None),
    )


def summary(report: RunReport) -> list[str]:
    """A report in a few lines for a person."""
    from ..results.run_report import memory

    stages = sorted(report.stages, key=lambda stage: -stage["wall_s"])[:5]
    took = ", ".join(f"{one['stage']} {display.duration(one['wall_s'])}" for one in stages)
    peak = f"peak memory {memory(report.peak_bytes)}"
    if report.beside_bytes:
        peak += f", of the largest process beside it {memory(report.beside_bytes)}"
    return [
        f"{display.duration(report.wall_s)}, {display.duration(report.processor_s)} of processor time;"
        f" {peak}",
        f"longest stages: {took}",
        f"{report.total('distinct'):,} predictions: {report.total('stored'):,} were stored, "
        f"{report.total('calls'):,} signals given to models, {report.total('failed'):,} failed",
    ]


def lines(report: RunReport) -> list[str]:
    """A report in full for a person."""
    from ..results.run_report import memory

    cells = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in report.cells.items())
    result = [
        f"build.py {report.command} of {report.began}: {report.ended}; {counted(report.workers, 'worker')}",
        report.machine,
        *summary(report),
        f"cells: {cells}",
        "",
        f"{'stage':12}{'times':>8}{'wall clock':>14}{'processor time':>16}{'peak memory':>14}"
        "  (processor time: of the main process)",
    ]
    for one in report.stages:
        result.append(
            f"{one['stage']:12}{one['times']:>8,}{display.duration(one['wall_s']):>14}"
            f"{display.duration(one['processor_s']):>16}{memory(one['peak_bytes']):>14}"
        )
    if report.slowest:
        result += ["", "slowest cells (time of their scores):"]
        result += [f"{display.duration(took):>10}  {cell}" for cell, took in report.slowest]
    if report.errors:
        result += ["", "errors:"]
        result += [f"{count:>10,}  {message}" for message, count in report.errors.items()]
    return result


def show(context: CommandContext) -> None:
    """Print the report of the last run.

    Raises:
        ConfigError: if there is none
    """
    from dataclasses import asdict

    from ..core.terminal import tell
    from ..results import run_report

    report = run_report.read(context.folders)
    context.answer(asdict(report))
    try:
        text = "\n".join(lines(report))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ConfigError(f"{context.folders.run_report}: is no report of a run") from None
    if not context.args.json:
        tell(text)
