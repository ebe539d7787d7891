#!/usr/bin/env python3
"""Entry point of the benchmark: ``python build.py --help``."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
#: exit code of a wrong usage or configuration, as in ``common/cli/exits.py``
USAGE = 2

sys.path.insert(0, str(FOLDER))


def missing_package(error: ModuleNotFoundError) -> str:
    """What to do about a module that is not there; nothing if it is our own or Python's."""
    from common.core.packages import advice

    return advice(error, FOLDER / "requirements.txt")


def run() -> int:
    """Run the command line; returns the exit code."""
    try:
        from common.cli.main import main
        from common.core import heap

        heap.keep()
        return main()
    except ModuleNotFoundError as error:
        line = missing_package(error)
        if not line:
            raise
        print(line, file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(run())
