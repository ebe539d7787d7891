"""Attributes of samples that are computed from their audio, such as the pitch of a speaker."""

from common.predictions.attributes import speaker_pitch  # noqa: F401 (registration)
from common.predictions.attributes.base import (
    ATTRIBUTES,
    Attribute,
    Computed,
    ComputedColumn,
    Context,
    recipe,
)

__all__ = ["ATTRIBUTES", "Attribute", "Computed", "ComputedColumn", "Context", "recipe"]
