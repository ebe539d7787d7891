"""PSDS: the area under the polyphonic ROC, from frame scores."""

from __future__ import annotations

from .base import metric
from .events.criteria import Criteria
from .events.presets import PSDS, PsdsSettings
from .events.psds import Psds, psds_of_scores
from .events.recordings import SoundEvents

#: of every PSDS; the figures stand in docs/method/uncertainty.rst
CAUTION = "biased with few recordings: the interval misses on one side more often than it says"
#: metric -> settings of its PSDS, for those that have no parameters
SCENARIOS = {"psds_1": PSDS["dcase-task4-1"], "psds_2": PSDS["dcase-task4-2"]}


@metric(
    id="psds_1",
    label="PSDS Scenario 1",
    short="PSDS 1",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="bilen2020framework",
    caution=CAUTION,
)
def psds_1(truth: SoundEvents, prediction: SoundEvents) -> float:
    """Polyphonic sound detection score of a system that must react fast.

    Scenario 1 of DCASE task 4: DTC and GTC 0.7, no cross triggers, a weight of 1 for the
    standard deviation over classes, up to 100 false positives per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return psds_of(truth, prediction, SCENARIOS["psds_1"])


@metric(
    id="psds_2",
    label="PSDS Scenario 2",
    short="PSDS 2",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="bilen2020framework",
    caution=CAUTION,
)
def psds_2(truth: SoundEvents, prediction: SoundEvents) -> float:
    """Polyphonic sound detection score of a system that must not confuse classes.

    Scenario 2 of DCASE task 4: DTC and GTC 0.1, CTTC 0.3, cross triggers with a weight of 0.5,
    a weight of 1 for the standard deviation over classes, up to 100 false positives per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    return psds_of(truth, prediction, SCENARIOS["psds_2"])


@metric(
    id="psds",
    label="PSDS",
    short="PSDS",
    kind="events",
    bounds=(0, 1),
    direction="higher",
    cite="bilen2020framework",
    caution=CAUTION,
)
def psds(
    truth: SoundEvents,
    prediction: SoundEvents,
    *,
    dtc: float,
    gtc: float,
    cttc: float | None,
    alpha_ct: float,
    alpha_st: float,
    max_efpr: float | None,
) -> float:
    """Polyphonic sound detection score with limits and weights of your own, per hour.

    Args:
        truth: annotated events of N recordings
        prediction: frame scores of the same recordings
        dtc: detection tolerance criterion
        gtc: ground truth intersection criterion
        cttc: cross-trigger tolerance criterion; None: cross triggers are not counted
        alpha_ct: weight of cross triggers
        alpha_st: weight of the standard deviation over classes
        max_efpr: largest effective false positive rate per hour; None: the largest found

    Returns:
        score in [0, 1], every distinct score a threshold; NaN without annotated events or
        without frame scores

    Raises:
        LengthError: if the numbers of recordings differ
    """
    criteria = Criteria(dtc, gtc, cttc)
    return psds_of(truth, prediction, PsdsSettings(criteria, alpha_ct, alpha_st, max_efpr, "hour"))


def psds_of(truth: SoundEvents, prediction: SoundEvents, settings: PsdsSettings) -> float:
    """PSDS of frame scores; NaN if there is nothing to compute it of."""
    score = roc_of(truth, prediction, settings)
    return float("nan") if score is None else float(score.value)


def roc_of(truth: SoundEvents, prediction: SoundEvents, settings: PsdsSettings) -> Psds | None:
    """PSDS of frame scores with its curves; None if there is nothing to compute them of."""
    if prediction.scores is None or truth.is_silent:
        return None
    return psds_of_scores(
        truth.files,
        truth.labels,
        truth.events,
        prediction.scores,
        durations=truth.durations,
        settings=settings,
        overlap="allow",
    )
