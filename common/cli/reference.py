"""The command import-reference."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .exits import OK

if TYPE_CHECKING:
    from .main import CommandContext


def add_options(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command.

    Args:
        add: makes the parser of a command from its name and what it does
    """
    importing = add(
        "import-reference", "results, thresholds and models of audeering/ser-tests, into a catalog"
    )
    importing.add_argument(
        "path",
        metavar="PATH",
        type=Path,
        help="clone of the reference suite, or its folder docs/results",
    )
    importing.add_argument(
        "--to",
        metavar="DIR",
        type=Path,
        default=Path("catalog"),
        help="catalog folder that is written (default: ./catalog)",
    )
    importing.add_argument(
        "--networks",
        metavar="DIR",
        type=Path,
        help="folder that holds the network of each model, in a folder named as its id",
    )
    importing.add_argument(
        "--force", action="store_true", help="replace what an earlier import wrote"
    )


def command_import_reference(context: CommandContext) -> int:
    """Take over results, thresholds and models of the reference suite."""
    from ..reports.reference import import_reference

    args = context.args
    report = import_reference(args.path, args.to, networks=args.networks, force=args.force)
    context.answer(report.to_dict())
    context.say(report.text())
    return OK
