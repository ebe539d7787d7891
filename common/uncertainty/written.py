"""Tables of simulations as files: the command line of the modules that simulate."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ..core.files import write_text


def write_table(
    arguments: Sequence[str] | None,
    columns: Sequence[str],
    table: Callable[[int, int], Iterable[Mapping[str, str]]],
    *,
    option: str,
    default: int,
    description: str | None,
) -> None:
    """Simulate and write a CSV file.

    Args:
        arguments: of the command line; None: those of the process
        columns: of the file
        table: (number of repetitions, seed) -> rows
        option: that sets the number of repetitions
        default: number of repetitions
        description: for ``--help``

    Raises:
        OutputError: if the file cannot be written
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("file", type=Path, help="CSV file to write")
    parser.add_argument(option, dest="number", type=int, default=default)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table(args.number, args.seed))
    write_text(args.file, text.getvalue())
