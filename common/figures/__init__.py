"""Figures of result pages, each with its alternative text, and those of the method pages."""

from . import (  # noqa: F401 (registration)
    confusion,
    distributions,
    ranges,
    ranks,
    scatter,
    shift,
    simulation,
    units,
)
from .base import ALTS, DETAILS, FIGURES, alt
from .details import drawings  # noqa: F401 (registration)
from .style import save

__all__ = ["ALTS", "DETAILS", "FIGURES", "alt", "save"]
