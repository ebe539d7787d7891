"""Exit codes of the command line; what they mean stands in :mod:`common.cli.main`."""

OK, FAILED, USAGE, CELL_ERRORS, INTERRUPTED = 0, 1, 2, 3, 130
