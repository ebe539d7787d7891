"""The command line of the installed program, and ``python -m``; a clone has ``build.py`` as well."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    from .core import alias, heap

    alias.install()
    heap.keep()
    from .cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
