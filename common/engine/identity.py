"""What code a result belongs to: for cells, predictions and figures, found from imports.

The functions that work on every cell are named here once; what a cell looks up by name (its
design, kind, metrics, statistics, attributes and figures) is added from its declarations.
:mod:`common.core.closure` finds everything that they use.
"""

from __future__ import annotations

from .. import models
from ..core import closure
from ..designs import DESIGNS, design_of
from ..figures import details as event_details
from ..metrics import METRICS
from ..samples import datasets
from ..spec import Dataset, Model, Target, Test
from ..spec.kinds import KINDS
from ..uncertainty import STATISTICS

#: from samples and predictions to rows, in the order of a run
SCORING = ("common.designs.selecting", "common.engine.scoring", "common.results.tables")
#: from a request to stored predictions
PREDICTING = (
    "common.models",
    "common.predictions.predict",
    "common.predictions.perturbing",
    "common.predictions.array_store",
)
#: from numbers of samples to bounds
SIMULATING = "common.uncertainty.simulation.bounds"
#: from rows and arrays to files
DRAWING = "common.figures.drawing"
#: from sound events to what pages show of them
DETAILS = "common.figures.details.content"
#: figure of a score whose bound is simulated
NULL = "null_distributions"


def scoring_code(test: Test, target: Target) -> str:
    """Hash of the code that makes rows of samples and predictions.

    Args:
        test: its design and the metrics that it uses
        target: its kind
    """
    uses = test.uses(target.kind)
    names = [use.metric for use in uses]
    names += [of for name in names if (of := METRICS.get(name).of)]
    starts = [
        *SCORING,
        KINDS.origin(target.kind),
        *_of_design(test),
        *(METRICS.origin(name) for name in names),
        *(STATISTICS.origin(name) for name in names if name in STATISTICS),
    ]
    if any(use.criterion.is_simulated for use in uses):
        starts.append(SIMULATING)
    if event_details.wanted(test, target):
        starts.append(DETAILS)
    return closure.code_of(*starts)


def figure_code(test: Test, target: Target) -> str:
    """Hash of the code that draws the figures of a cell; empty if it has none.

    Args:
        test: its design and its figures
        target: its kind
    """
    from ..figures import ALTS, DETAILS, FIGURES

    name = test.figures.get(target.kind, "")
    details = event_details.wanted(test, target)
    if not name and not details:
        return ""
    starts = [DRAWING, KINDS.origin(target.kind), *_of_design(test)]
    uses = test.uses(target.kind)
    simulated = any(use.criterion.is_simulated for use in uses)
    if name:
        starts += [FIGURES.origin(name), ALTS.origin(name)]
    if details:
        starts.append(DETAILS.origin(test.design_name))
    if simulated:
        starts += [FIGURES.origin(NULL), ALTS.origin(NULL)]
    if details or simulated:  # titles name the metrics
        starts += [METRICS.origin(use.metric) for use in uses]
    return closure.code_of(*starts)


def prediction_code(model: Model, dataset: Dataset) -> str:
    """Hash of the code that reads audio and asks a model, its own code apart.

    Args:
        model: its adapter
        dataset: its adapter, which finds the audio
    """
    kinds = (KINDS.origin(name) for name in KINDS.names())  # a model answers for all its targets
    return closure.code_of(*PREDICTING, models.module(model), datasets.module(dataset), *kinds)


def _of_design(test: Test) -> list[str]:
    """Modules of a design and of the attributes that it computes."""
    recipes = design_of(test).attributes().values()
    return [DESIGNS.origin(test.design_name), *(recipe.origin for recipe in recipes)]
