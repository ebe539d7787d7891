"""The option ``--scheduler``: a cluster that makes predictions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..predictions.schedulers import Scheduler


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command that predicts."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS|FILE",
        default="",
        help="let the workers of a dask cluster make predictions: address of its scheduler "
        "(tcp://...), or a YAML file that says how to start one",
    )


def scheduler_of(args: argparse.Namespace) -> Scheduler | None:
    """The cluster that the command line names; None: this process predicts.

    Raises:
        ConfigError: if it names none
        MissingDependency: if dask is not installed
    """
    if not args.scheduler:
        return None
    from ..predictions.schedulers import scheduler

    return scheduler(args.scheduler)
