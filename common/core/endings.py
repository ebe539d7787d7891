"""Endings of the names of files that are written: they say what the file holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .errors import ConfigError


def check_ending(option: str, path: Path, endings: Sequence[str]) -> None:
    """Refuse the name of a file whose ending promises something else.

    Args:
        option: the option that names the file
        path: the file
        endings: endings that are allowed, in lower case; those in upper case are, too

    Raises:
        ConfigError: for another ending, or none

    >>> check_ending("--out", Path("a.HTML"), (".html", ".htm"))
    >>> check_ending("--out", Path("a.csv"), (".html", ".htm", ".pdf"))
    Traceback (most recent call last):
    ...
    common.core.errors.ConfigError: --out a.csv: expected a name that ends in .html, .htm or .pdf
    """
    if path.suffix.lower() not in endings:
        *others, last = endings
        allowed = f"{', '.join(others)} or {last}" if others else last
        raise ConfigError(f"{option} {path}: expected a name that ends in {allowed}")
