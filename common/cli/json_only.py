"""Standard output of ``--json``: the answer, and nothing else."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def only_json(args: argparse.Namespace) -> Iterator[None]:
    """With --json, let what models print go to standard error; the answer goes to ``args.stdout``.

    Libraries in C, and programs that a model starts, write into the file descriptor and know nothing of :data:`sys.stdout`.

    Args:
        args: parsed arguments
    """
    args.stdout = sys.stdout
    if not args.json:
        yield
        return
    with contextlib.ExitStack() as stack:
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout is sys.__stdout__:
            args.stdout = stack.enter_context(_moved(sys.stdout))
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


@contextlib.contextmanager
def _moved(stream: TextIO) -> Iterator[TextIO]:
    """Another stream to where one leads; meanwhile, the file descriptor of that one leads to standard error."""
    stream.flush()
    place = stream.fileno()
    kept_open = os.dup(place)
    with os.fdopen(kept_open, "w", encoding=stream.encoding, errors=stream.errors) as moved:
        elsewhere = os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else os.dup(2)
        os.dup2(elsewhere, place)
        os.close(elsewhere)
        try:
            yield moved
        finally:
            os.dup2(kept_open, place)
