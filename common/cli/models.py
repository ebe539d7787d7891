"""Commands about models and predictions: try, new, import-predictions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ConfigError
from .exits import OK
from .idle import refuse_idle
from .model_options import CATALOG, REPETITIONS

if TYPE_CHECKING:
    from .main import CommandContext


def command_models(context: CommandContext) -> int:
    """Try one file on a model, or write the entry of a model."""
    args = context.args
    if args.what == "try":
        return _try(context)
    refuse_idle(args, "goes with 'models try' only", repetitions=REPETITIONS, device="auto")
    from ..models.importing.drafting import draft

    if args.file is not None:
        raise ConfigError(f"models new takes one path, found a second one: {args.file}")
    labels = [label.strip() for label in args.labels.split(",")] if args.labels else []
    report = draft(
        args.name,
        args.id,
        args.to,
        benchmark=context.benchmark_beside(),
        labels=labels,
        force=args.force,
    )
    context.answer(report.to_dict())
    context.say(report.text())
    return OK


def _try(context: CommandContext) -> int:
    from ..models.trying import try_file

    args = context.args
    if args.file is None:
        raise ConfigError("models try needs an id and an audio file")
    only = "goes with 'models new' only"
    refuse_idle(args, only, labels=None, id=None, to=CATALOG, force=False)
    benchmark = context.benchmark()
    trial = try_file(
        benchmark.find("models", args.name),
        benchmark.targets,
        Path(args.file).expanduser(),
        repetitions=args.repetitions,
        seed=args.seed,
        device=args.device,
        cache=context.folders.cache,
    )
    context.answer(trial.to_dict())
    context.say(trial.text())
    return OK


def command_import_predictions(context: CommandContext) -> int:
    """Make a model of a table of predictions."""
    from ..models.importing import PredictionRequest, import_predictions, parse_mapping
    from ..samples.importing.request import parse_columns

    args = context.args
    request = PredictionRequest(
        args.path,
        args.id,
        args.to,
        dataset=args.dataset,
        columns=parse_columns(args.columns, empty=True),
        mapping=parse_mapping(args.map),
        scale=_scale(args.scale),
        encoding=args.encoding,
        force=args.force,
    )
    benchmark = context.benchmark_beside(args.to)
    report = import_predictions(request, benchmark, context.folders.cache)
    context.answer(report.to_dict())
    context.say(report.text())
    return OK


def _scale(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ConfigError(f"--scale {text}: expected LOW,HIGH, for example 1,7") from None
    if not -math.inf < low < high < math.inf:
        raise ConfigError(f"--scale {text}: LOW must be less than HIGH, as in --scale 1,7")
    return low, high
