"""Runs the command ``events``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core.documents import indented_json
from ...core.endings import check_ending
from ...core.errors import ConfigError
from ...core.files import write_text
from ...core.terminal import tell
from .answer import answer, lines, many, per_file
from .evaluation import evaluate
from .inputs import read_inputs
from .options import ENDINGS, TIMELINES
from .settings import settings
from .sizes import check_sizes


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
    if args.report != "html" and args.timelines != TIMELINES:
        raise ConfigError("--timelines goes with --report html only")
    if args.out is not None and args.report in ENDINGS:
        check_ending("--out", args.out, ENDINGS[args.report])
    if args.per_file is not None:
        check_ending("--per-file", args.per_file, (".csv",))
    options = settings(args)
    inputs = read_inputs(args)
    check_sizes(args, inputs, options)
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
        indented_json(content)
        if args.report == "json"
        else "\n".join(lines(inputs, options, evaluations))
    )
    if args.out is not None:
        write_text(args.out, text + "\n")
        say(f"report: {args.out}")
    elif not args.json:
        tell(text)
    return content
