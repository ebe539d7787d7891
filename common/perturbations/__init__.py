"""Perturbations: changes of test signals.

Reading order: :mod:`~common.perturbations.base` (what a perturbation is),
:mod:`~common.perturbations.small_changes` (the simplest ones),
:mod:`~common.perturbations.levels` (what a ratio is, how a level is kept),
:mod:`~common.perturbations.noise`, :mod:`~common.perturbations.filters`,
:mod:`~common.perturbations.phone`, and :mod:`~common.perturbations.library` (the entries of the
catalog, bound to their recordings); :mod:`~common.perturbations.severity` has their levels.
"""

from . import (  # noqa: F401 (registration)
    filters,
    noise,
    phone,
    small_changes,
)
from .base import PERTURBATIONS, perturbation
from .library import Library, corpus_of, faults

__all__ = ["PERTURBATIONS", "Library", "corpus_of", "faults", "perturbation"]
