"""The page: what the template gets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ...core import policy
from ...figures.details import picker
from ..events.answer import best_rows, main_figures, many, overview
from ..events.evaluation import Evaluated
from ..events.inputs import Inputs
from ..events.settings import EventSettings
from . import graphics, tables, timelines

HERE = Path(__file__).parent
#: recordings in the table of those with most errors
FILES = 20


def render(
    inputs: Inputs,
    settings: EventSettings,
    evaluations: Sequence[Evaluated],
    content: Mapping[str, Any],
    *,
    timelines: int,
) -> str:
    """The report.

    Args:
        inputs: what was compared
        settings: what was computed
        evaluations: scores of each system
        content: the same as plain values
        timelines: number of recordings with a timeline
    """
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["many"] = many
    names = [each.system.name for each in evaluations]
    style, script = ("\n" + (HERE / f"report.{end}").read_text("utf-8") for end in ("css", "js"))
    return environment.get_template("report.html.j2").render(
        policy=Markup(policy.element(policy.ALONE, script=script, style=style)),
        style=Markup(style),
        script=Markup(script),
        content=content,
        settings=_settings(settings),
        main=tables.side_by_side(names, [main_figures(each) for each in evaluations]),
        comparison=graphics.comparison(evaluations) if len(evaluations) > 1 else [],
        systems=[
            _system(place, each, inputs, settings, timelines)
            for place, each in enumerate(evaluations, start=1)
        ],
    )


def _system(
    place: int, evaluation: Evaluated, inputs: Inputs, settings: EventSettings, n_timelines: int
) -> dict[str, Any]:
    points = [point.name for point in evaluation.points]
    return {
        "id": f"system-{place}",
        "name": evaluation.system.name,
        "kind": evaluation.system.kind,
        "shown": evaluation.shown.name if len(points) > 1 else "",
        "events": len(evaluation.detail.events),
        "best": best_rows(evaluation, inputs),
        "families": tables.families(evaluation, inputs),
        "figures": graphics.of_system(f"s{place}", evaluation, inputs, settings),
        "confusion": tables.confusion(evaluation, inputs),
        "points": tables.below(points, [overview(point) for point in evaluation.points])
        if len(points) > 1
        else None,
        "picker": _picker(evaluation, inputs, settings),
        "timelines": timelines.draw(f"s{place}t", evaluation, inputs, n_timelines),
        "files": tables.worst_files(evaluation, inputs, FILES),
    }


def _picker(
    evaluation: Evaluated, inputs: Inputs, settings: EventSettings
) -> dict[str, Any] | None:
    if evaluation.exact is None:
        return None
    data = picker.table(
        evaluation.exact.curves, inputs.labels, beta=settings.beta, threshold=settings.threshold
    )
    # nothing in it can end the script element
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return {
        "data": Markup(text),
        "some": tables.some_thresholds(data),
        "families": [picker.TITLES[family] for family in data["families"]],
        "steps": len(data["thresholds"]) - 1,
        "start": int(np.argmin(np.abs(np.array(data["thresholds"]) - settings.threshold))),
    }


def _settings(settings: EventSettings) -> list[tuple[str, str]]:
    """Names and values of all settings, in the words of the command line."""
    collar = settings.collar
    rows = [
        ("time_resolution", f"{settings.time_resolution:g} s"),
        ("t_collar", f"{collar.t_collar:g} s"),
        ("percentage_of_length", f"{collar.percentage_of_length:g}"),
        ("evaluate_onset", str(collar.evaluate_onset).lower()),
        ("evaluate_offset", str(collar.evaluate_offset).lower()),
        ("event_matching_type", settings.event_matching_type),
        ("empty_system_output_handling", "zero_score" if settings.zero_score else "nan"),
        ("beta", f"{settings.beta:g}"),
        ("intersection F: dtc, gtc", f"{settings.f_criteria.dtc:g}, {settings.f_criteria.gtc:g}"),
    ]
    for name, psds in settings.psds.items():
        limits = psds.criteria
        cttc = "unused" if limits.cttc is None else f"{limits.cttc:g}"
        most = "largest found" if psds.max_efpr is None else f"{psds.max_efpr:g}"
        rows.append(
            (
                name if name == "PSDS" else f"PSDS {name}",
                f"dtc {limits.dtc:g}, gtc {limits.gtc:g}, cttc {cttc}, alpha_ct"
                f" {psds.alpha_ct:g}, alpha_st {psds.alpha_st:g}, max_efpr {most} per {psds.unit}",
            )
        )
    if settings.decimals is not None:
        rows.append(("decimals", str(settings.decimals)))
    if settings.compatibility:
        rows.append(("compatibility", ", ".join(settings.compatibility)))
    return rows
