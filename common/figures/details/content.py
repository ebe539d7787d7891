"""The details of a cell as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...metrics.events.criteria import Criteria
from ...metrics.events.intersection_based import IntersectionBased
from ...metrics.events.recordings import SoundEvents
from ...metrics.events.tallies import TALLIES
from ...spec.view import View
from . import FORMAT, wanted
from .class_wise import class_wise
from .curves import is_scored, picker, rocs
from .scenes import scenes

if TYPE_CHECKING:
    from ...spec.cell import Cell

#: classes up to which a confusion matrix is written
CONFUSION = 60
#: share of an event of another class that a detection must cover to trigger it across, where
#: a test does not say: that of DCASE task 4, scenario 2
CTTC = 0.3


def content(cell: Cell, view: View) -> dict[str, Any] | None:
    """Details of a cell; None for a test that has none, and without samples.

    Args:
        cell: test, target, model and dataset
        view: what its scores were computed from
    """
    if not wanted(cell.test, cell.target) or view.samples.empty:
        return None
    truth, prediction = view.truth, view.prediction
    families = _families(cell)
    details: dict[str, Any] = {
        "format": FORMAT,
        "data": cell.dataset.data,
        "dataset": cell.dataset.id,
        "labels": list(truth.labels),
        "files": view.samples["file"].tolist(),
        "families": {},
        "rocs": rocs(truth, prediction, cell.test.uses(cell.target.kind)),
    }
    for name, params in families.items():
        table = class_wise(name, view, params)
        choice = picker(name, truth, prediction, params, cell.target.detection)
        if choice is not None:
            choice["scored"] = is_scored(choice, table["rows"][1:])
        details["families"][name] = {"params": params, **table, "picker": choice}
    if "intersection" in families:
        details["confusion"] = _confusion(truth, prediction, families["intersection"])
    first = next(iter(families), "")
    details["scenes"] = scenes(view, truth, prediction, first, families.get(first, {}))
    return details


def _families(cell: Cell) -> dict[str, dict[str, Any]]:
    """Ways to count that the metrics of a test use, with their parameters."""
    families: dict[str, dict[str, Any]] = {}
    for use in cell.test.uses(cell.target.kind):
        name = use.metric.split("_")[0]
        if name in TALLIES and use.params:
            families.setdefault(name, dict(use.params))
    return families


def _confusion(
    truth: SoundEvents, prediction: SoundEvents, params: Mapping[str, Any]
) -> dict[str, Any] | None:
    if len(truth.labels) > CONFUSION:
        return None
    criteria = Criteria(params["dtc"], params["gtc"], CTTC)
    pool = IntersectionBased(truth.labels, criteria, points=1, overlap="allow", outside="ignore")
    pool.add(truth.files, truth.events, [prediction.events], durations=truth.durations)
    counts = pool.confusion().counts[0].astype(np.int64)
    return {
        "dtc": criteria.dtc,
        "gtc": criteria.gtc,
        "cttc": criteria.cttc,
        "counts": counts.tolist(),
    }
