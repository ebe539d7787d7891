"""Figures of result pages, each with its alternative text, and those of the method pages."""

from common.figures import (  # noqa: F401 (registration)
    confusion,
    distributions,
    ranges,
    ranks,
    scatter,
    shift,
    simulation,
    units,
)
from common.figures.base import ALTS, DETAILS, FIGURES, alt
from common.figures.details import drawings  # noqa: F401 (registration)
from common.figures.style import save

__all__ = ["ALTS", "DETAILS", "FIGURES", "alt", "save"]
