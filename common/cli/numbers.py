"""Numbers on the command line, checked before anything is done."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Whole number of 1 or more."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, found '{text}'") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, found {text}")
    return number


def port(text: str) -> int:
    """Number of a port."""
    if positive(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be 65535 or less, found {text}")
    return int(text)
