#!/usr/bin/env python3
"""Entry point of the benchmark: ``python build.py --help``."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

sys.path.insert(0, str(FOLDER))


def start() -> int:
    """Import and run the command line; returns the exit code."""
    from common.cli.main import main
    from common.core import heap

    heap.keep()
    return main()


def run() -> int:
    """Run the command line; returns the exit code."""
    from common.core.launching import launch

    return launch(start, FOLDER / "requirements.txt")


if __name__ == "__main__":
    sys.exit(run())
