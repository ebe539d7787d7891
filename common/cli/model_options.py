"""Options of the commands about models and predictions."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from .numbers import positive

CATALOG = Path("catalog")
#: timed calls of a model that is tried
REPETITIONS = 5


def add_model_options(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands ``models`` and ``import-predictions``.

    Args:
        add: adds a command with its help
    """
    trying = add("models", "try one file on a model, or write the entry of a model")
    trying.add_argument(
        "what",
        choices=("try", "new"),
        help="try: predict one file and print outputs, latency and real-time factor; new: write an "
        "entry for a model file or folder into a catalog, and a template where code is needed",
    )
    trying.add_argument(
        "name", metavar="ID|PATH", help="try: id of a model; new: its file or folder"
    )
    trying.add_argument("file", metavar="FILE", nargs="?", help="with try: an audio file")
    trying.add_argument(
        "--repetitions",
        metavar="N",
        type=positive,
        default=REPETITIONS,
        help=f"with try: timed calls (default: {REPETITIONS})",
    )
    trying.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="with try: where the model runs",
    )
    trying.add_argument(
        "--labels", metavar="A,B,C", help="with new: names of the outputs, in the model's order"
    )
    _destination(trying)
    importing = add("import-predictions", "make a model of a table of predictions of any tool")
    importing.add_argument(
        "path", metavar="FILE", type=Path, help="CSV, TSV, JSON, JSON lines or parquet"
    )
    importing.add_argument(
        "--dataset",
        metavar="ID",
        default="",
        help="dataset that the predictions are about: file names are matched with its files; missing samples are listed",
    )
    importing.add_argument(
        "--columns",
        metavar="ROLE=NAME",
        action="append",
        default=[],
        help="what a column is: file, start, end, a target, or the score of a class: "
        "'emotion.anger=P(ang) %%'; a target with nothing after '=' is left out (repeatable; default: found)",
    )
    importing.add_argument(
        "--map",
        metavar="OLD=NEW",
        action="append",
        default=[],
        help="what a class means; nothing after '=': no class of the target (repeatable, or with commas)",
    )
    importing.add_argument(
        "--scale", metavar="LOW,HIGH", help="range of the numbers (default: found)"
    )
    importing.add_argument("--encoding", metavar="NAME", default="", help="of a text table")
    _destination(importing)


def _destination(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as", dest="id", metavar="ID", help="id (default: name of the file)")
    parser.add_argument(
        "--to",
        metavar="DIR",
        type=Path,
        default=CATALOG,
        help="catalog folder that gets the entry (default: ./catalog)",
    )
    parser.add_argument("--force", action="store_true", help="replace an entry of this id")
