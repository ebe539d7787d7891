"""Verdicts, result rows and their files, manifests, history, and published results."""

from __future__ import annotations

from .tables import (
    ADDED,
    COLUMNS,
    COUNTS,
    NEWER,
    NUMBERS,
    SEVERITY_COLUMNS,
    STATUSES,
    frame,
    merged_csv,
    read_all,
    read_csv,
    to_csv,
)

__all__ = [
    "ADDED",
    "COLUMNS",
    "COUNTS",
    "NEWER",
    "NUMBERS",
    "SEVERITY_COLUMNS",
    "STATUSES",
    "frame",
    "merged_csv",
    "read_all",
    "read_csv",
    "to_csv",
]
