"""How predictions are compared; one module per design."""

from common.designs import against_truth, expected_range, per_unit  # noqa: F401 (registration)
from common.designs.base import (
    DESIGNS,
    ORIGINAL,
    Design,
    Options,
    Score,
    Selection,
    View,
    check_uses,
    options,
)

__all__ = [
    "DESIGNS",
    "ORIGINAL",
    "Design",
    "Options",
    "Score",
    "Selection",
    "View",
    "check_uses",
    "options",
]
