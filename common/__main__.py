"""The command line of the installed program, and ``python -m``; a clone has ``build.py`` as well."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; returns the exit code, that of a wrong usage if a package is missing."""
    from .core import packages, paths

    try:
        from .core import alias, heap

        alias.install()
        heap.keep()
        from .cli.main import main

        return main()
    except ModuleNotFoundError as error:
        clone = None if paths.INSTALLED else paths.REPOSITORY / "requirements.txt"
        line = packages.advice(error, clone)
        if not line:
            raise
        from .cli.exits import USAGE

        sys.stderr.write(f"{line}\n")
        return USAGE


if __name__ == "__main__":
    sys.exit(run())
