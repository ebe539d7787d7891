"""Runs the command ``events``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core.errors import ConfigError
from ...core.files import write_text
from ...core.terminal import tell
from .answer import answer, lines, many, per_file
from .evaluation import evaluate
from .inputs import Inputs, read_inputs
from .settings import EventSettings, settings

#: more segments than this, all recordings together, do not fit into memory
MOST_SEGMENTS = 10**8


def run(
    args: argparse.Namespace, *, report_path: Path, say: Callable[[str], None]
) -> dict[str, Any]:
    """Score what the command line names, and write or say the report.

    Args:
        args: options of :mod:`common.reports.events.options`
        report_path: where the HTML report goes without ``--out``
        say: takes one line for a person

    Returns:
        all scores as plain values

    Raises:
        ConfigError: for options that are not allowed
        DataError: with file, row and rule, for events that are not
    """
    if args.timelines < 0:
        raise ConfigError(f"--timelines: {args.timelines} is negative")
    options = settings(args)
    inputs = read_inputs(args)
    _check_segments(inputs, options)
    evaluations = [evaluate(system, inputs, options) for system in inputs.systems]
    sources = {
        "truth": str(args.truth or args.pairs),
        "durations": args.durations,
        "estimate": [str(path) for path in args.estimate],
        "scores": [str(path) for path in args.scores],
    }
    content = answer(inputs, options, evaluations, sources)
    if args.per_file is not None:
        write_text(args.per_file, per_file(inputs, evaluations))
        say(f"scores of {many(len(inputs.files), 'recording')}: {args.per_file}")
    if args.report == "html":
        from ..events_report import render

        path = args.out or report_path
        write_text(path, render(inputs, options, evaluations, content, timelines=args.timelines))
        say(f"report: {path}")
        return content
    text = (
        json.dumps(content, ensure_ascii=False, indent=1)
        if args.report == "json"
        else "\n".join(lines(inputs, options, evaluations))
    )
    if args.out is not None:
        write_text(args.out, text + "\n")
        say(f"report: {args.out}")
    elif not args.json:
        tell(text)
    return content


def _check_segments(inputs: Inputs, options: EventSettings) -> None:
    if inputs.durations is None or "segment_based" not in options.metrics:
        return
    number = float(inputs.durations.sum()) / options.time_resolution
    if number > MOST_SEGMENTS:
        raise ConfigError(
            f"--time-resolution: segments of {options.time_resolution:g} s are {number:.3g} in "
            f"{inputs.durations.sum():g} s of recordings, at most {MOST_SEGMENTS:g} are allowed"
        )
