"""Measuring what models cost, as a part of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core import display, machine
from .logs import tell_error

if TYPE_CHECKING:
    from ..results.cost import CostRow
    from .main import CommandContext


def measure_costs(context: CommandContext) -> dict[str, Any]:
    """Measure the selected models and say what came of it."""
    from ..engine import cost
    from ..results import cost as table

    args = context.args
    try:
        report = cost.update(
            context.benchmark(),
            context.folders,
            context.filters(),
            device=args.device,
            force=args.force,
            progress=context.progress(),
        )
    finally:
        context.clear_progress()
    for name in (*report.measured, *report.current):
        rows = [row for row in table.read(context.folders.cost) if row.model == name]
        here = [row for row in rows if row.processor == machine.processor()]
        context.say(f"cost of {name}: {_figures(here)}")
    if report.not_measured:
        names = ", ".join(report.not_measured)
        context.say(
            f"cost of {names}: nothing to measure, as predictions are not computed from signals"
        )
    for name, message in report.errors.items():
        tell_error(f"error (cost of {name}): {message}")
    return vars(report)


def _figures(rows: Sequence[CostRow]) -> str:
    """Speed of the longest signal and peak memory, in words."""
    row = max(rows, key=lambda row: row.duration_s)
    parts = [
        f"real-time factor {display.digits(row.real_time_factor)}",
        f"{display.duration(row.latency_s)} for {row.duration_s:g} s of signal",
    ]
    if row.peak_bytes is not None:
        parts.append(f"peak memory {display.size(row.peak_bytes)}")
    return ", ".join(parts)
