"""What a run makes besides the results of models: agreement of raters, and sounds for the website."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core import processes
from ..core.wording import counted
from .logs import tell_error

if TYPE_CHECKING:
    from ..core.paths import Paths
    from ..pages.listening.examples import ExamplesReport
    from ..spec import Benchmark
    from .main import CommandContext


def score_people(context: CommandContext) -> dict[str, Any]:
    """Agreement of single raters, where a dataset has ratings."""
    benchmark = context.benchmark()
    if not any(dataset.ratings for dataset in benchmark.datasets.values()):
        return {}
    from ..engine import human

    report = human.update(
        benchmark, context.folders, seed=context.args.seed, download=context.args.download
    )
    if report.scores:
        context.say(f"{counted(report.scores, 'score')} of single raters: {context.folders.human}")
    for reason in report.errors:
        tell_error(f"error (ratings): {reason}")
    return {"ratings": vars(report)}


def sounds_after(context: CommandContext) -> Callable[[], None]:
    """What the website needs from data: sounds, and truths that own predictions are scored against.

    A selection of tests or models leaves the examples alone.

    Returns:
        what makes them, to be called when results are there

    Raises:
        ConfigError: if the environment does not say properly how much room sounds have
    """
    from ..pages.listening import room

    return partial(_make_sounds, context, room.stated_mb(os.environ))


def _make_sounds(context: CommandContext, most_mb: float | None) -> None:
    benchmark = context.benchmark()
    progress = partial(context.progress(lines=True), "sounds for the website")
    progress(0, 0)
    with context.times("sounds"):
        _update_sounds(context, benchmark, most_mb, progress)
    context.clear_progress()


def _update_sounds(
    context: CommandContext,
    benchmark: Any,
    most_mb: float | None,
    progress: Callable[[int, int], None],
) -> None:
    from ..core.checksums import Checksums
    from ..pages.listening import pages

    args, media = context.args, context.folders.media
    checksums = Checksums(media)
    checksums.discard_damaged()
    selected = bool(args.model or args.target or args.test or args.dataset)
    work = partial(
        _examples_and_truths,
        benchmark,
        context.folders,
        with_examples=not selected,
        download=args.download,
    )
    others = processes.beside(context.workers, work, yielding=True)
    pages.update(
        benchmark,
        context.folders,
        seed=args.seed,
        download=args.download,
        workers=context.workers,
        most_mb=most_mb,
        progress=progress,
    )
    report = others()
    checksums.write(pages.made(media))
    if report and report.made:
        context.clear_progress()
        absent = f", {len(report.missing)} cannot be made" if report.missing else ""
        context.say(f"{counted(len(report.made), 'sound file')} made{absent}")


def _examples_and_truths(
    benchmark: Benchmark, folders: Paths, *, with_examples: bool, download: bool
) -> ExamplesReport | None:
    from ..pages.listening import examples
    from ..pages.own import update as truths

    report = examples.update(benchmark, folders) if with_examples else None
    truths.update(benchmark, folders, download=download)
    return report
