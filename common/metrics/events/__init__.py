"""Sound event detection metrics on arrays: segment-, event- and intersection-based.

Reading order: :mod:`lists <common.metrics.events.lists>` (what an event is),
:mod:`segment_counts <common.metrics.events.segment_counts>`,
:mod:`fitting <common.metrics.events.fitting>` and
:mod:`matching <common.metrics.events.matching>`,
:mod:`criteria <common.metrics.events.criteria>` (what is counted),
:mod:`figures <common.metrics.events.figures>`, :mod:`detection_rates <common.metrics.events.detection_rates>` and
:mod:`roc <common.metrics.events.roc>` (what is computed from counts), then the pools below
(how files come together). All thresholds of frame scores at once:
:mod:`component_tree <common.metrics.events.component_tree>` and
:mod:`sweep <common.metrics.events.sweep>`.
"""

from .criteria import Criteria
from .detection_rates import rates
from .event_based import EventBased, label_confusion
from .exact_collar import ExactCollar
from .exact_intersection import ExactIntersection
from .exact_segment import ExactSegment
from .fitting import Collar
from .frames import FrameScores
from .horizon import Horizon
from .intersection_based import IntersectionBased
from .lists import EventList
from .operating_points import Constraint, distinct, macro_f, select
from .presets import (
    DCASE_TASK4_COLLAR,
    DCASE_TASK4_INTERSECTION,
    DCASE_TASK4_THRESHOLDS,
    PSDS,
    PsdsSettings,
)
from .psds import Psds, psds_of_events, psds_of_scores
from .roc import (
    Curve,
    PsdRoc,
    cross_trigger_curves,
    curves,
    psd_roc,
    psds_of_roc,
)
from .segment_based import SegmentBased
from .threshold_curve import auroc

__all__ = [
    "DCASE_TASK4_COLLAR",
    "DCASE_TASK4_INTERSECTION",
    "DCASE_TASK4_THRESHOLDS",
    "PSDS",
    "Collar",
    "Constraint",
    "Criteria",
    "Curve",
    "EventBased",
    "EventList",
    "ExactCollar",
    "ExactIntersection",
    "ExactSegment",
    "FrameScores",
    "Horizon",
    "IntersectionBased",
    "PsdRoc",
    "Psds",
    "PsdsSettings",
    "SegmentBased",
    "auroc",
    "cross_trigger_curves",
    "curves",
    "distinct",
    "label_confusion",
    "macro_f",
    "psd_roc",
    "psds_of_events",
    "psds_of_roc",
    "psds_of_scores",
    "rates",
    "select",
]
