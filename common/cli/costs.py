"""Measuring what models cost, as a part of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..core.terminal import tell

if TYPE_CHECKING:
    from .main import CommandContext


def measure_costs(context: CommandContext) -> dict[str, Any]:
    """Measure the selected models and say what came of it."""
    from ..engine import cost

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
    context.say(
        f"cost of {len(report.measured)} models measured, {len(report.current)} up to date, "
        f"{len(report.not_measured)} compute nothing: {context.folders.cost}"
    )
    for name, message in report.errors.items():
        tell(f"error (cost of {name}): {message}", to=sys.stderr)
    return vars(report)
