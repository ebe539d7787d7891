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

from common.metrics.events.criteria import Criteria
from common.metrics.events.detection_rates import rates
from common.metrics.events.event_based import EventBased, label_confusion
from common.metrics.events.exact_collar import ExactCollar
from common.metrics.events.exact_intersection import ExactIntersection
from common.metrics.events.exact_segment import ExactSegment
from common.metrics.events.fitting import Collar
from common.metrics.events.frames import FrameScores
from common.metrics.events.horizon import Horizon
from common.metrics.events.intersection_based import IntersectionBased
from common.metrics.events.lists import EventList
from common.metrics.events.operating_points import Constraint, distinct, macro_f, select
from common.metrics.events.presets import (
    DCASE_TASK4_COLLAR,
    DCASE_TASK4_INTERSECTION,
    DCASE_TASK4_THRESHOLDS,
    PSDS,
    PsdsSettings,
)
from common.metrics.events.psds import Psds, psds_of_events, psds_of_scores
from common.metrics.events.roc import (
    Curve,
    PsdRoc,
    cross_trigger_curves,
    curves,
    psd_roc,
    psds_of_roc,
)
from common.metrics.events.segment_based import SegmentBased
from common.metrics.events.threshold_curve import auroc

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
