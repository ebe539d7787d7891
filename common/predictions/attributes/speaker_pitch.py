"""Pitch of the speaker: the mean over all of a speaker's segments, sorted into ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import pydantic

from ...metrics.units import unit_codes
from ...spec import Record
from .base import ATTRIBUTES, Attribute, Computed, Context

if TYPE_CHECKING:  # importing pandas costs a second; a plan needs no tables
    from ...samples.base import Samples

#: limits of a credible mean of a segment
CREDIBLE_HZ = (50.0, 350.0)


class SpeakerPitch(Record):
    """Options.

    Args:
        unit: column with the speaker
        min_samples: a speaker with fewer segments that have a pitch has none
        ranges: name -> (low, high) in Hz, the upper end included
        f0: ``autocorrelation`` (:mod:`common.predictions.attributes.f0`), or ``praat``, the same method by
            Praat itself, which needs the package praat-parselmouth (GPL)
    """

    unit: str = pydantic.Field(default="speaker", min_length=1)
    min_samples: int = pydantic.Field(ge=1)
    ranges: Mapping[str, tuple[float, float]]
    f0: Literal["autocorrelation", "praat"] = "autocorrelation"

    @pydantic.field_validator("ranges")
    @classmethod
    def _ordered(cls, value: Mapping[str, tuple[float, float]]) -> Mapping[str, object]:
        for name, (low, high) in value.items():
            if not 0 <= low < high:
                raise ValueError(f"range '{name}': needs 0 <= low < high")
        ordered = sorted(value.items(), key=lambda item: item[1])
        for (first, (_, high)), (second, (low, _)) in pairwise(ordered):
            if low < high:
                raise ValueError(f"ranges '{first}' and '{second}' overlap")
        return value


def needs(options: SpeakerPitch) -> Sequence[str]:
    """The speaker; no annotation of a target."""
    return [options.unit]


def compute(options: SpeakerPitch, samples: Samples, context: Context) -> Computed:
    """Name of the range that the mean pitch of a sample's speaker lies in.

    The mean is that of **all** rows of the speaker in the sample table, whatever their labels,
    so that a speaker has the same pitch for every target. A row without a credible pitch of
    its own, whose speaker is unknown or has too few segments, or whose speaker lies in no
    range, has no value.
    """
    from .f0_models import method
    from .segment_f0 import segment_f0

    model = method(options.f0)
    speakers = samples.table[options.unit].to_numpy(dtype=object)
    mask = np.array([speaker is not None for speaker in speakers], dtype=bool)
    pitch = np.full(len(speakers), np.nan)
    pitch[mask] = segment_f0(model, samples, mask, context)
    values, missing = pitch_groups(options, speakers, pitch)
    return Computed(values, f"F0 by {model.fingerprint}", missing)


def pitch_groups(
    options: SpeakerPitch, speakers: np.ndarray, pitch: np.ndarray
) -> tuple[np.ndarray, str]:
    """Name of the range of each row, and how many rows have none and why.

    Args:
        options: of the attribute
        speakers: speaker of each row, None if unknown, shape (N,)
        pitch: mean F0 of each row in Hz, shape (N,); NaN or values that are not credible count
            as missing
    """
    low, high = CREDIBLE_HZ
    usable = (pitch >= low) & (pitch <= high)
    values = np.full(len(pitch), None, dtype=object)
    names, codes = unit_codes(speakers[usable])
    counts = np.bincount(codes, minlength=len(names))
    means = np.bincount(codes, weights=pitch[usable], minlength=len(names)) / np.maximum(counts, 1)
    groups = np.full(len(names), None, dtype=object)
    for name, (first, last) in options.ranges.items():
        inside = (means > first) & (means <= last)
        groups[inside & (counts >= options.min_samples)] = name
    values[usable] = groups[codes]
    without = int(sum(value is None for value in values))
    if not without:
        return values, ""
    few = int((counts < options.min_samples).sum())
    return values, (
        f"{without} of {len(values)} samples have no group: {int((~usable).sum())} without a "
        f"speaker or a pitch between {low:g} and {high:g} Hz; {few} of {len(names)} other "
        f"{options.unit}s with fewer than {options.min_samples} samples"
    )


ATTRIBUTES.add("speaker_pitch", Attribute("speaker_pitch", SpeakerPitch, needs, compute))
