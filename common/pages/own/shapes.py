"""Designs as data: which samples belong together, so that a browser can score predictions.

What depends on predictions is left to ``docs/_static/designs.js``; what does not is written down
here. A design that changes signals has no shape: its predictions need a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...designs import Design, design_of
from ...designs.against_truth import AgainstTruth
from ...designs.by_group import ByGroup
from ...designs.context_shift import ContextShift
from ...designs.expected_range import ExpectedRange
from ...designs.group_shift import GroupShift
from ...designs.groups import GroupDesign, group_codes
from ...designs.per_unit import PerUnit
from ...metrics.classification import label_codes
from ...metrics.units import unit_codes
from ...spec import Test
from ...spec.view import View

Shape = dict[str, Any]
#: part of the data as a score names it -> as a result row does
Parts = Mapping[str, str]


def _samples(test: Test, design: Design, view: View, parts: Parts) -> Shape:
    return {}


def _units(test: Test, design: PerUnit, view: View, parts: Parts) -> Shape:
    names, codes = unit_codes(view.samples[design.unit].to_numpy(dtype=object))
    return {"unit": design.unit, "units": len(names), "codes": codes.tolist()}


def _ranges(test: Test, design: ExpectedRange, view: View, parts: Parts) -> Shape:
    target = view.target
    uses = test.uses(target.kind)
    labels = design.categories(target.id)
    category = view.samples[design.column].to_numpy(dtype=object)
    ranges = {}
    for use in uses:
        name = design.range_of(use.metric)
        ends = dict(zip(("low", "high"), design.ranges[name], strict=True))
        ranges[use.metric] = {"categories": design.categories(target.id, name), **ends}
    return {"ranges": ranges, "categories": labels, "codes": label_codes(category, labels).tolist()}


def _groups(test: Test, design: GroupDesign, view: View, parts: Parts) -> Shape:
    names, codes = group_codes(design, view.samples)
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    there = [number for number in range(len(names)) if sizes[number]]
    place = np.full(len(names) + 1, -1)
    place[there] = np.arange(len(there))

    def group(name: tuple[str, ...]) -> dict[str, str]:
        part = design.part(name)
        return {"condition": design.name(name), "data": parts.get(part, part)}

    return {
        "groups": [group(names[number]) for number in there],
        "codes": place[codes].tolist(),
        "left_out": [{**group(name), "reason": why} for name, why in view.left_out.items()],
    }


def _contexts(test: Test, design: ContextShift, view: View, parts: Parts) -> Shape:
    values = view.samples[design.context].to_numpy(dtype=object)
    return {
        **_groups(test, design, view, parts),
        "contexts": [design.condition_of(context) for context in design.contexts],
        "inside": label_codes(values, design.contexts).tolist(),
    }


#: design -> its shape
SHAPES: dict[type[Design], Callable[..., Shape]] = {
    AgainstTruth: _samples,
    PerUnit: _units,
    ExpectedRange: _ranges,
    ByGroup: _groups,
    GroupShift: _groups,
    ContextShift: _contexts,
}


def has_shape(test: Test) -> bool:
    """Whether predictions on the original signals are all that a test needs."""
    return type(design_of(test)) in SHAPES


def shape(test: Test, view: View, parts: Parts) -> Shape:
    """Samples of a test by what they are compared by.

    Args:
        test: of a design that has a shape
        view: its samples
        parts: parts of the data as scores name them -> as result rows do
    """
    design = design_of(test)
    content = SHAPES[type(design)](test, design, view, parts) if len(view.samples) else {}
    return {"design": test.design_name, **content}
