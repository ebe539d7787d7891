"""Why a metric has no value: in one short sentence, and what caused it.

A score that no model could have, whatever it answers, is missing because of the data; one that a
perfect model has is missing because of the model. Rankings leave out the former and count the
latter as not passed, so that no model can choose what it is judged on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from .events.recordings import SoundEvents

Cause = Literal["", "data", "model", "not run"]
#: no model could have this score: too few samples, a class that is not annotated
DATA: Cause = "data"
#: the answers of the model do not allow it: all the same, a class or bin never predicted, an error
MODEL: Cause = "model"
#: the model was not asked: signals or precomputed answers of this condition are not there
NOT_RUN: Cause = "not run"


def cause(
    truth: Any,
    perfect: Callable[[], float | Mapping[str, float]],
    *,
    label: str = "",
) -> Cause:
    """What caused the missing value of a metric of a truth and predictions.

    Args:
        truth: annotated values, shape (N,)
        perfect: value of the metric for predictions that equal the truth; not asked for sound
            events, whose truth has no frame scores
        label: class or bin that has no value; empty: the metric as a whole

    >>> import numpy as np
    >>> cause(np.array([0.1, 0.2]), lambda: 1.0), cause(np.array([0.1]), lambda: float("nan"))
    ('model', 'data')
    """
    if isinstance(truth, SoundEvents):
        silent = truth.is_silent or (label != "" and label not in _annotated(truth))
        return DATA if silent else MODEL
    value = perfect()
    number = value.get(label, math.nan) if isinstance(value, Mapping) else value
    return DATA if math.isnan(number) else MODEL


def _annotated(truth: SoundEvents) -> set[str]:
    """Classes that are annotated somewhere."""
    names = dict(enumerate(truth.labels))
    return {names[code] for code in set(truth.events.label.tolist()) & set(names)}


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
