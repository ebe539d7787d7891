"""What a prediction is, by kind of target.

A new kind is a module that adds an object with the methods of :class:`~common.kinds.base.Kind`
to :data:`KINDS`, and an import below.
"""

from common.kinds import classification, events, regression  # noqa: F401 (registration)
from common.kinds.base import KINDS, Kind
from common.spec import Perturbation, Target

__all__ = ["KINDS", "Kind", "get", "unfit"]


def get(kind: str) -> Kind:
    """Kind of that name; raises ConfigError with the known names if there is none."""
    return KINDS.get(kind)


def unfit(target: Target, perturbation: Perturbation) -> str:
    """Why predictions of a target cannot be compared after a perturbation; empty: they can."""
    if perturbation.keeps_timing or not get(target.kind).keeps_time:
        return ""
    return "it moves the signal in time, by which events are annotated"
