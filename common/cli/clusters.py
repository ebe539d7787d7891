"""The option ``--scheduler``: a cluster that makes predictions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import logs

if TYPE_CHECKING:
    from ..predictions.schedulers import Scheduler


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command that predicts."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS|FILE",
        help="let the workers of a dask cluster make predictions: address of its scheduler "
        "(tcp://...), or a YAML file that says how to start one",
    )


def scheduler_of(args: argparse.Namespace) -> Scheduler | None:
    """The cluster that the command line names; None: this process predicts.

    Raises:
        ConfigError: if it names none
        MissingDependency: if dask is not installed
    """
    if args.scheduler is None:
        return None
    from ..predictions.schedulers import scheduler

    of_workers = f"{logs.__name__}.{logs.formatter_of_a_worker.__name__}"
    return scheduler(args.scheduler, of_workers if logs.logs_are_json() else "")
