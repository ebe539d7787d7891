"""The command line of the installed program, and ``python -m``; a clone has ``build.py`` as well."""

from __future__ import annotations

import sys


def start() -> int:
    """Import and run the command line; returns the exit code."""
    from .core import alias, heap

    alias.install()
    heap.keep()
    from .cli.main import main

    return main()


def run() -> int:
    """Run the command line; returns the exit code."""
    from .core import launching, paths

    clone = None if paths.INSTALLED else paths.REPOSITORY / "requirements.txt"
    return launching.launch(start, clone)


if __name__ == "__main__":
    sys.exit(run())
