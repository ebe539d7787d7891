"""Sections on dose and response: curves, breaking points and values of a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from benchmark_site import cells
from benchmark_site.content import Board, Content, words
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import render
from benchmark_site.sources import Model
from common.core import display
from common.core.paths import SEVERITY
from common.figures.dose import dose_svg, key_svg, values_of
from common.metrics import METRICS
from common.results import dose
from common.results.dose import DoseCurve

#: page that says how to make curves and how to read them
METHOD = "method/severity"


@cache
def _read(path: Path, stamp: int) -> list[DoseCurve]:
    return dose.read(path)


def curves(content: Content, target: str, model: Model, test: str) -> list[DoseCurve]:
    """Curves of a model in a test; none if they were not made."""
    path = content.paths.severity(target, model.id, test)
    if model.published or not path.is_file():
        return []
    return _read(path, path.stat().st_mtime_ns)


def of_test(
    content: Content, page: Page, board: Board, models: Sequence[Model], test: str
) -> Section | None:
    """Section of a board on the page of a test; None where no condition has an axis."""
    if board.published or not _has_axis(content, test):
        return None
    data = set(board.table.loc[board.table["test"] == test, "data"])
    scored = {model.id for model in models}
    swept = {model.id: model for model in swept_models(content, board.target, test)}
    others = [
        replace(model, label=f"{model.label} (only swept)")
        for name, model in swept.items()
        if name not in scored
    ]
    pairs = [
        (model, curve)
        for model in [*models, *others]
        if model.id in swept
        for curve in curves(content, board.target, model, test)
        if curve.data in data
    ]
    spans = _spans(content, board.target, test)
    html = _html(content, page, test, pairs, anchor(board.name, "dose"), spans)
    return Section(anchor(board.name, "dose"), "Dose and response", html)


def swept_models(content: Content, target: str, test: str) -> list[Model]:
    """All models with curves in a test, also those that have no scores."""
    folders = (folder.split("/") for folder in content.folders)
    swept = (model for of, model, *rest in folders if of == target and rest == [SEVERITY])
    there = {model.id: model for model in content.models(target) if not model.published}
    entries = content.benchmark.models
    names = sorted(name for name in swept if content.paths.severity(target, name, test).is_file())
    return [
        there.get(name)
        or Model(name, label=entries[name].label or name if name in entries else name)
        for name in names
    ]


def hidden(content: Content) -> list[dict[str, str]]:
    """Models with curves that no page of a test shows: no model has scores there."""
    places: dict[str, dict[str, None]] = {}
    labels: dict[str, str] = {}
    for target, model, test in dict.fromkeys(each[:3] for each in dose.without_run(content.paths)):
        shown = {
            data
            for board in content.boards.get(target, [])
            if not board.published
            for data in board.table.loc[board.table["test"] == test, "data"]
        }
        swept = next(m for m in swept_models(content, target, test) if m.id == model)
        if not shown.issuperset(curve.data for curve in curves(content, target, swept, test)):
            labels[model] = swept.label
            text = f"{content.label(target)}: {title_of(content, test)}"
            places.setdefault(model, {})[text] = None
    return [
        {"id": model, "label": labels[model], "tests": ", ".join(names)}
        for model, names in places.items()
    ]


def title_of(content: Content, test: str) -> str:
    """Name of a test."""
    entry = content.benchmark.tests.get(test)
    return entry.title if entry else words(test)


def of_model(content: Content, page: Page, target: str, model: Model, test: str) -> str:
    """What stands in the section of a test on the page of a model; empty without curves."""
    pairs = [(model, curve) for curve in curves(content, target, model, test)]
    if not pairs:
        return ""
    spans = _spans(content, target, test)
    return _html(content, page, test, pairs, anchor("test", test, "dose"), spans)


def _spans(content: Content, target: str, test: str) -> dict[tuple[str, str], list[float]]:
    """Data and metric -> numbers that all models have there, so that all drawings have one axis."""
    spans: dict[tuple[str, str], list[float]] = {}
    for model in swept_models(content, target, test):
        for curve in curves(content, target, model, test):
            spans.setdefault((curve.data, curve.metric), []).extend(values_of([curve]))
    return spans


def _has_axis(content: Content, test: str) -> bool:
    declared = content.benchmark.tests.get(test)
    if declared is None:
        return False
    text = repr(declared.options)
    entries = content.benchmark.perturbations.values()
    return any(f"'{entry.id}'" in text for entry in entries if entry.severity is not None)


def _html(
    content: Content,
    page: Page,
    test: str,
    pairs: Sequence[tuple[Model, DoseCurve]],
    name: str,
    spans: Mapping[tuple[str, str], Sequence[float]],
) -> str:
    models = list(dict.fromkeys(model for model, _ in pairs))
    colors = {model: number for number, model in enumerate(models)}
    blocks: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number, group in enumerate(dose.grouped([(model, curve) for model, curve in pairs])):
        first = group[0][1]
        blocks.setdefault((first.data, first.metric), []).append(
            _group(group, colors, f"{name}-{number}", spans[first.data, first.metric])
        )
    return render(
        "dose.j2",
        test=test,
        method=page.href(METHOD) if METHOD in content.method_pages else "",
        models=[
            {"label": model.label, "key": Markup(key_svg(colors[model])), "chance": model.chance}
            for model in models
        ],
        blocks=[
            {
                "data": data,
                "metric": metric_names(metric)[0],
                "rule": cells.criterion(groups[0]["criterion"], metric_names(metric)[1]),
                "groups": groups,
                "anchor": anchor(name, "values", str(number)),
            }
            for number, ((data, metric), groups) in enumerate(blocks.items())
        ],
    )


def _group(
    group: Sequence[tuple[Model, DoseCurve]],
    colors: Mapping[Model, int],
    name: str,
    span: Sequence[float],
) -> dict[str, Any]:
    """One condition: drawing, breaking points and values of all models, in the order of colours."""
    models = list(colors)
    by_model = dict(group)
    first = group[0][1]
    metric = METRICS.get(first.metric) if first.metric in METRICS else None
    original = math.nan if metric is None else 0.0 if metric.takes == "change" else metric.bounds[1]
    drawing = dose_svg(
        [(model.label, curve) for model, curve in group],
        name=name,
        ylabel=metric_names(first.metric)[1],
        original=original,
        colors=[colors[model] for model, _ in group],
        span=span,
    )
    levels = list(dict.fromkeys(step.level for _, curve in group for step in curve.steps))
    return {
        "condition": first.condition,
        "axis": first.axis,
        "criterion": first.criterion,
        "svg": Markup(drawing),
        "breaking": [_told(by_model.get(model)) for model in models],
        "lines": [
            {
                "level": first.at(level),
                "cells": [_cell(by_model.get(model), level) for model in models],
            }
            for level in levels
        ],
    }


def _told(curve: DoseCurve | None) -> dict[str, str]:
    if curve is None:
        return {"text": "not run", "css": "s"}
    kind = dose.breaking(curve).kind
    css = {"holds": "p", "fails": "f", "recovers": "f", "unknown": "s"}[kind]
    return {"text": dose.told(curve), "css": css}


def _cell(curve: DoseCurve | None, level: float) -> dict[str, str]:
    step = next((s for s in curve.steps if s.level == level), None) if curve else None
    if curve is None or step is None:
        return {"css": "m", "text": "", "mark": "", "word": "no such cell", "hint": ""}
    css, mark, word = cells.MARKS[step.status]
    text = "" if math.isnan(step.value) else display.number(step.value, curve.criterion)
    has_interval = math.isfinite(step.low) and math.isfinite(step.high)
    hint = (
        f"95 % interval {display.number(step.low)} to {display.number(step.high)}"
        if has_interval
        else step.reason
    )
    return {"css": css, "text": text, "mark": mark, "word": word, "hint": hint}
