"""How predictions are compared; one module per design."""

from . import (  # noqa: F401 (registration)
    against_truth,
    by_group,
    context_shift,
    expected_range,
    group_shift,
    paired,
    per_unit,
    perturbed,
)
from .base import (
    DESIGNS,
    ORIGINAL,
    Design,
    Draws,
    Score,
    Selection,
    View,
    check_uses,
    design_of,
)

__all__ = [
    "DESIGNS",
    "ORIGINAL",
    "Design",
    "Draws",
    "Options",
    "Score",
    "Selection",
    "View",
    "check_uses",
    "design_of",
]
