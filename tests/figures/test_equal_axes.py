"""Figures of several models on the same data have the same axes and scales of colour."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common.figures import FIGURES
from common.figures.details import drawings

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("figure_views", HERE / "conftest.py")
assert spec and spec.loader
views = importlib.util.module_from_spec(spec)
spec.loader.exec_module(views)

KINDS = {
    "confusion": ["classification"],
    "confusion_by_group": ["classification"],
    "confusion_shift": ["classification"],
    "class_counts": ["classification"],
    "distributions": ["regression"],
    "expected_ranges": ["regression"],
    "null_distributions": ["regression"],
    "scatter": ["regression"],
    "scatter_by_group": ["regression"],
    "shift_2d": ["regression"],
}
BOTH = ["regression", "classification"]
SIZE = 5000


def another_model(view: Any) -> Any:
    """The view of a model that always answers nearly the same and is easily disturbed."""
    rng = np.random.default_rng(1)
    n = len(view.samples)
    if view.target.kind == "regression":
        same = 0.5 + 0.004 * rng.random(n)
        predictions = {"original": same, "white-noise": same + 0.5 * (rng.random(n) < 0.3)}
    else:
        same = np.full(n, "sadness", dtype=object)
        changed = np.where(rng.random(n) < 0.5, "anger", same).astype(object)
        predictions = {"original": same, "white-noise": changed}
    rows = [{**row, "value": 0.15 * row["value"], "status": "fail"} for row in view.rows]
    rows[0]["value"] = 2.5
    return dataclasses.replace(view, predictions=predictions, rows=rows)


def scales(figure: Any) -> list[Any]:
    """Limits of all axes and of all scales of colour."""
    limits = []
    for axes in figure.axes:
        colors = [*axes.images, *(c for c in axes.collections if c.get_array() is not None)]
        maps = [(each.norm.vmin, each.norm.vmax) for each in colors]
        limits.append((axes.get_xlim(), axes.get_ylim(), maps))
    return limits


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in FIGURES.names() for kind in KINDS.get(name, BOTH)]
)
def test_axes_belong_to_the_data_and_not_to_the_model(name: str, kind: str) -> None:
    view = views.build(kind, SIZE)
    drawn = [FIGURES.get(name)(each, views.OPTIONS, "t") for each in (view, another_model(view))]
    assert drawn[0].keys() == drawn[1].keys() and drawn[0]
    for suffix in drawn[0]:
        assert scales(drawn[0][suffix]) == scales(drawn[1][suffix])


def test_a_bar_that_is_cut_tells_its_height() -> None:
    view = another_model(views.build("regression", 200))
    (axes,) = FIGURES.get("distributions")(view, views.OPTIONS, "t")[""].axes
    assert [text.get_text() for text in axes.texts] == ["↑ bars up to 6.7k"]
    view = another_model(views.build("classification", 200))
    (axes,) = FIGURES.get("class_counts")(view, views.OPTIONS, "t")[""].axes
    assert axes.texts[-1].get_text() == "↑\n200"
    for axis in (view, views.build("classification", 200)):
        assert FIGURES.get("histogram_by_group")(axis, views.OPTIONS, "t")["female"].axes[
            0
        ].get_ylim() == pytest.approx((0, 110))


def test_error_rates_have_one_axis_and_a_cut_bar_its_number() -> None:
    def family(false: int) -> dict[str, Any]:
        row = {"label": "all (micro)", "ref": 10, "fn": 2, "fp": false}
        errors = {"substitutions": 1, "deletions": 1, "insertions": false - 1, "reference": 10}
        return {"rows": [row, {**row, "label": "dog"}], "errors": errors}

    axes = []
    for false in (3, 400):
        content = {"labels": ["dog"], "families": {"event": family(false)}, "rocs": {}}
        ((_, figure, alt),) = drawings.drawings(content)
        axes.append(figure.axes[0])
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert [text.get_text() for text in axes[0].texts] == ["0.40", "0.50"]
    assert [text.get_text() for text in axes[1].texts] == ["40.10 →", "40.20 →"]
    assert alt == (
        "Errors per annotated item of 2: 40.10 for all (micro) to 40.20 for dog; "
        "substitutions up to 0.10 for all (micro); deletions up to 0.20 for dog; "
        "insertions up to 40.00 for dog."
    )
