"""Settings of published evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .criteria import Criteria


class PsdsSettings(NamedTuple):
    """All that a PSDS depends on, to be reported with it.

    Args:
        criteria: limits of the intersection criteria
        alpha_ct: weight of cross triggers
        alpha_st: weight of the standard deviation over classes
        max_efpr: largest effective false positive rate per unit; None: the largest found
        unit: unit of time
    """

    criteria: Criteria
    alpha_ct: float
    alpha_st: float
    max_efpr: float | None
    unit: str


#: name -> settings; thresholds of the challenge until 2022: 0.01, 0.03 ... 0.99, later all
PSDS: Mapping[str, PsdsSettings] = {
    # reacts fast: detections must fit well in time, confusions of classes cost nothing extra
    "dcase-task4-1": PsdsSettings(Criteria(0.7, 0.7, None), 0.0, 1.0, 100.0, "hour"),
    # confuses no classes: time matters little
    "dcase-task4-2": PsdsSettings(Criteria(0.1, 0.1, 0.3), 0.5, 1.0, 100.0, "hour"),
    "psds-eval-readme": PsdsSettings(Criteria(0.5, 0.5, 0.3), 0.0, 0.0, 100.0, "hour"),
}

#: event-based F of DCASE task 4: parameters of EventBased
DCASE_TASK4_COLLAR: Mapping[str, float] = {"t_collar": 0.2, "percentage_of_length": 0.2}
#: intersection-based F of DCASE task 4, at a threshold of 0.5
DCASE_TASK4_INTERSECTION = Criteria(0.5, 0.5, None)
#: thresholds of DCASE task 4 in 2021 and 2022
DCASE_TASK4_THRESHOLDS = tuple((2 * number + 1) / 100 for number in range(50))
