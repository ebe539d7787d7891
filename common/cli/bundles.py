"""Commands about bundles: bundle, check-bundle."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.wording import counted
from .exits import FAILED, OK
from .idle import refuse_idle
from .results import warn_altered

if TYPE_CHECKING:
    from .main import CommandContext


def add_options(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands.

    Args:
        add: makes the parser of a command from its name and what it does
    """
    making = add("bundle", "the results of a model as one file that others can check and publish")
    making.add_argument("name", metavar="MODEL", help="id of a model with results")
    making.add_argument(
        "--out", metavar="FILE", type=Path, help="archive to write (default: MODEL.zip)"
    )
    checking = add(
        "check-bundle", "look for faults in a bundle, and compute its rows on open data once more"
    )
    checking.add_argument("bundles", metavar="FILE", type=Path, nargs="+", help="bundle")
    checking.add_argument(
        "--unpack",
        action="store_true",
        help="put results without a fault into method-tests/, so that the website shows them",
    )
    checking.add_argument(
        "--force",
        action="store_true",
        help="with --unpack: replace other results of a model with the same id",
    )


def command_bundle(context: CommandContext) -> int:
    """Pack the results of a model."""
    from ..core import advice, display
    from ..reports.bundles import making

    args = context.args
    file = args.out or Path(f"{Path(args.name).name}.zip")
    warn_altered(context, args.name)
    answer = making.write(context.benchmark(), context.folders, args.name, file)
    context.answer({"file": str(file), **answer})
    size = f"{counted(answer['files'], 'file')}, {display.size(answer['bytes'])}"
    context.say(f"{file}: {', '.join(answer['targets'])} ({size})")
    if answer["lacking"]:
        context.say(
            f"tests on open data are missing, so check-bundle will refuse it: "
            f"{', '.join(answer['lacking'])}; run them with: "
            f"{advice.command('run', '--model', args.name)}"
        )
    return OK


def command_check_bundle(context: CommandContext) -> int:
    """Check bundles."""
    from ..core.errors import BenchmarkError
    from ..reports.bundles import checking

    args = context.args
    if not args.unpack:
        refuse_idle(args, "goes with --unpack only", force=False)
    benchmark = context.benchmark()
    answers = []
    for file in args.bundles:
        try:
            checked = checking.check(
                benchmark,
                context.folders,
                file,
                unpack=args.unpack,
                force=args.force,
                workers=context.workers,
            )
        except BenchmarkError as error:
            checked = checking.BundleCheck(faults=[str(error)])
        context.say(f"{file}:\n{checked.text()}")
        answers.append({"file": str(file), **asdict(checked)})
    context.answer(answers)
    return FAILED if any(answer["faults"] for answer in answers) else OK
