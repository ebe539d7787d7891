"""What designs that compare groups share when they score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.errors import ModelError
from ..metrics.base import Value
from ..metrics.events.recordings import SoundEvents
from ..metrics.reasons import DATA
from ..spec import MetricUse
from .base import Score, View
from .groups import GroupDesign, group_codes

#: name of what a group is compared with
REFERENCE = "all"
#: a model with a larger share of predictions outside the range of the target has another scale
MOST_OUTSIDE = 0.1


def check_predictions(view: View) -> tuple[str, str]:
    """What is wrong with the predictions as a whole.

    Returns:
        why nothing can be compared, empty if it can; and a remark for every score

    Raises:
        ModelError: if so many predictions lie outside the range of the target that the model
            must have another scale
    """
    prediction = view.prediction
    if isinstance(prediction, SoundEvents):
        return ("no predicted events in any recording" if prediction.is_silent else ""), ""
    if len(prediction) and (prediction == prediction[0]).all():
        return f"constant predictions: {prediction[0]} for all {len(prediction)} samples", ""
    if view.target.range is None:
        return "", ""
    low, high = view.target.range
    outside = int(((prediction < low) | (prediction > high)).sum())
    if not outside:
        return "", ""
    text = f"{outside} of {len(prediction)} predictions outside [{low:g}, {high:g}]"
    if outside > MOST_OUTSIDE * len(prediction):
        raise ModelError(
            f"{text}, from {prediction.min():g} to {prediction.max():g}. "
            "Does the output of the model need 'scale: [min, max]'?"
        )
    return "", text


def compared(
    design: GroupDesign, view: View
) -> tuple[dict[tuple[str, ...], int], np.ndarray, np.ndarray]:
    """Groups that the samples of a view hold.

    Returns:
        groups with their number; group number of each sample; and samples per number
    """
    names, codes = group_codes(design, view.samples)
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    there = {group: number for number, group in enumerate(names) if sizes[number]}
    return there, codes, sizes


def own_first(sizes: np.ndarray, number: int) -> tuple[tuple[int, int], ...]:
    """Samples per compared group, that of the score first, for a simulated criterion."""
    others = sorted(int(size) for n, size in enumerate(sizes) if n != number and size)
    return tuple((size, 0) for size in [int(sizes[number]), *others])


def left_out(metric: str, condition: str, data: str, reason: str) -> Score:
    """Score without a value of a group that is not compared."""
    nan = float("nan")
    return Score(metric, nan, 0, condition=condition, data=data, reason=reason, cause=DATA)


def by_label(value: Value) -> Mapping[str, float]:
    """Value of a metric by class or bin; a single one has the label ''."""
    return value if isinstance(value, Mapping) else {"": value}


def uncounted(use: MetricUse) -> MetricUse:
    """The use without the smallest number of samples per bin, which concerns all groups."""
    if "min_count" not in use.params:
        return use
    return use.model_copy(update={"params": {**use.params, "min_count": 0}})
