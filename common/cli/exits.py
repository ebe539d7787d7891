"""Exit codes of the command line, whose meaning stands in :mod:`common.cli.main`."""

from __future__ import annotations

from ..core.launching import INTERRUPTED, USAGE

OK, FAILED, CELL_ERRORS = 0, 1, 3
#: as a shell says it of programs that SIGPIPE ended
UNREAD = 141

__all__ = ["CELL_ERRORS", "FAILED", "INTERRUPTED", "OK", "UNREAD", "USAGE"]
