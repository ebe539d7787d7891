"""Why a metric has no value, in one short sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.metrics.events.recordings import SoundEvents


def why_undefined(
    truth: Any,
    prediction: Any,
    *,
    what: str = "samples",
    label: str = "",
    params: Mapping[str, Any] | None = None,
) -> str:
    """Reason for a NaN of a metric of two arrays.

    Args:
        truth: annotated values, or those of the reference, shape (N,)
        prediction: predicted values, shape (M,)
        what: plural noun for what the values belong to
        label: class or bin that has no value; empty: the metric as a whole
        params: parameters of the metric

    >>> import numpy as np
    >>> why_undefined(np.array([0.1, 0.2]), np.array([0.5, 0.5]))
    'constant predictions'
    >>> why_undefined(np.array([0.1]), np.array([0.5]), what="speakers")
    'fewer than 2 speakers'
    """
    least = (params or {}).get("min_count", 0)
    if len(truth) == 0 or len(prediction) == 0:
        return f"no {what}"
    if label and least:
        return f"fewer than {least} {what} in {label}"
    if isinstance(truth, SoundEvents):
        return why_undefined_events(truth, prediction, label=label)
    if len(prediction) < 2:
        return f"fewer than 2 {what}"
    constant = [
        name
        for name, values in (("annotations", truth), ("predictions", prediction))
        if (values == values[0]).all()
    ]
    return f"constant {' and '.join(constant)}" if constant else "not defined for these values"


def why_undefined_events(truth: SoundEvents, prediction: SoundEvents, *, label: str = "") -> str:
    """Reason for a NaN of a metric of sound events.

    >>> import numpy as np
    >>> from common.metrics.events import EventList
    >>> nothing = SoundEvents(("dog",), EventList.empty(), np.array([4.0]))
    >>> why_undefined_events(nothing, nothing)
    'no annotated events'
    """
    if truth.is_silent:
        return "no annotated events"
    if label:
        return f"no annotated events of {label}"
    return "no frame scores" if prediction.scores is None else "not defined for these values"
