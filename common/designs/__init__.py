"""How predictions are compared; one module per design."""

from common.designs import against_truth, expected_range, per_unit  # noqa: F401 (registration)
from common.designs.base import DESIGNS, ORIGINAL, Design, Score, Selection, View

__all__ = ["DESIGNS", "ORIGINAL", "Design", "Score", "Selection", "View"]
