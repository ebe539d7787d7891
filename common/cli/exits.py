"""Exit codes of the command line; what they mean stands in :mod:`common.cli.main`."""

from ..core.launching import INTERRUPTED, USAGE

OK, FAILED, CELL_ERRORS = 0, 1, 3

__all__ = ["CELL_ERRORS", "FAILED", "INTERRUPTED", "OK", "USAGE"]
