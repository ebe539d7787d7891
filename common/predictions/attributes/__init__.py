"""Attributes of samples that are computed from their audio, such as the pitch of a speaker."""

from . import speaker_pitch  # noqa: F401 (registration)
from .base import (
    ATTRIBUTES,
    Attribute,
    Computed,
    ComputedColumn,
    Context,
    recipe,
)

__all__ = ["ATTRIBUTES", "Attribute", "Computed", "ComputedColumn", "Context", "recipe"]
