"""What a prediction is, by kind of target.

A new kind is a module that adds an object with the methods of :class:`~common.spec.kinds.base.Kind`
to :data:`KINDS`, and an import below.
"""

from .. import Target
from . import classification, events, regression  # noqa: F401 (registration)
from .base import KINDS, Kind

__all__ = ["KINDS", "Kind", "get", "of"]


def get(kind: str) -> Kind:
    """Kind of that name; raises ConfigError with the known names if there is none."""
    return KINDS.get(kind)


def of(target: Target) -> Kind:
    """What a target is."""
    return KINDS.get(target.kind)
