"""Cost beside quality: a page with columns and plots, entries on pages of models, downloads."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from markupsafe import Markup

from benchmark_site.content import Board, Content, alike
from benchmark_site.page import Page, Section
from benchmark_site.render import ROOT, model_doc, render, target_doc
from benchmark_site.sources import ORIGINS, UNSTATED, Model, amount, machine
from common.core import display
from common.figures.cost import CostPoint, cost_svg, describe_costs
from common.results.cost import COLUMNS as MEASURED
from common.results.cost import LATENCY_S, RTF_S, ModelCost

DOC = f"{ROOT}/cost"
METHOD = "method/cost"
FILES = ("cost.csv", "cost.json")
UNMEASURED = "not measured"
#: how a text begins that a spreadsheet would take for a formula; an apostrophe before it makes it a text
FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.])")
#: columns of the files
HEAD = {
    "source": "run: computed by this program; published: published with the paper",
    "model": "id of the model",
    "label": "its name",
    "chance": "whether it never listens",
    "parameters": "number of its parameters; empty: not stated",
    "parameters_from": "; ".join(f"{name}: {text}" for name, text in ORIGINS.items()),
    "size_bytes": "size of its files; empty: not stated",
    "stale": "whether the measured figures belong to another version or state of the model",
    **{name: text for name, text in MEASURED.items() if name != "model"},
}


def page(content: Content) -> Page:
    """Page with the cost and the scores of all models."""
    page = Page(DOC, "Cost and quality")
    page.html = render(
        "cost_lead.j2",
        method=page.href(METHOD) if METHOD in content.method_pages else "",
        files={name: page.file(f"data/{name}") for name in FILES},
    )
    for boards in sorted(alike(content), key=lambda boards: not boards[0].published):
        every = list(_lines(content, page, boards))
        # a model that was not run on these data has its scores in another section
        lines = [line for line in every if set(line["scores"]) != {None}] or every
        if lines:
            first = boards[0]
            html = render(
                "cost.j2",
                label=f"Cost and scores: {first.title}",
                columns=[
                    {"label": content.label(b.target), "href": page.href(target_doc(b.target))}
                    for b in boards
                ],
                lines=lines,
                plots=[*_plots(content, boards, SIZE), *_plots(content, boards, SPEED)],
                measured=any(line["measured"] for line in lines),
                machines=sorted({line["machine"] for line in lines if line["machine"]}),
                published=first.published,
                numbers=page.file(f"data/{FILES[0]}"),
            )
            page.sections.append(Section(first.name, first.title, html))
    return page


def _models(boards: Iterable[Board]) -> list[Model]:
    """Models of boards that listen, each once."""
    models = {model.id: model for board in boards for model in board.models if not model.chance}
    return list(models.values())


def _lines(content: Content, page: Page, boards: list[Board]) -> Iterator[dict[str, Any]]:
    """Rows of the table, smallest model first, then those that do not say it."""
    unknown = float("inf")

    def place(model: Model) -> tuple[float, str]:
        stated = model.cost.parameters
        return (unknown if stated is None else stated), model.label

    for model in sorted(_models(boards), key=place):
        here = [board for board in boards if any(m.id == model.id for m in board.models)]
        scores = [board.score(model) for board in boards]
        cost = model.cost
        slow, short = cost.at(RTF_S), cost.at(LATENCY_S)
        peak = slow.peak_bytes if slow else None
        yield {
            "label": model.label,
            "href": page.href(model_doc(here[0].target, model)),
            "scores": scores,
            "parameters": _figure(cost.parameters, amount),
            "origin": ORIGINS.get(cost.parameters_from, ""),
            "size": _figure(cost.size_bytes, display.size),
            "rtf": _figure(slow and slow.real_time_factor, display.digits, UNMEASURED),
            "latency": _figure(short and short.latency_s, display.duration, UNMEASURED),
            "memory": _figure(peak, display.size, UNMEASURED),
            "stale": _stale(cost),
            "measured": bool(cost.measured),
            "machine": machine(cost),
        }


def _figure(
    value: float | None, say: Callable[[Any], str], missing: str = UNSTATED
) -> dict[str, Any]:
    """A number as text, and what a table is sorted by; those that are missing come last."""
    return {
        "text": missing if value is None else say(value),
        "sort": value,
        "there": value is not None,
    }


def _stale(cost: ModelCost) -> str:
    """Remark at figures that belong to something else; empty if they do not."""
    if not cost.stale:
        return ""
    return f"stale: measured for version {cost.measured[0].version}"


#: (how the cost of a model is had, as text, name of the axis, words for a low cost)
SIZE = (lambda cost: cost.parameters, amount, "parameters", "smallest")
SPEED = (
    lambda cost: None if cost.stale or not (row := cost.at(RTF_S)) else row.real_time_factor,
    display.digits,
    "real-time factor",
    "fastest",
)


def _plots(content: Content, boards: list[Board], cost: tuple[Any, ...]) -> list[dict[str, Any]]:
    """A drawing per target of what is known, with the models that it lacks; all have the same axes."""
    look, say, axis, cheap = cost
    drawn: list[tuple[Board, list[CostPoint], list[str]]] = []
    for board in boards:
        scored = [(model, board.score(model)) for model in board.scored]
        points = [
            CostPoint(model.label, look(model.cost), float(score), _may_be_best(board, model))
            for model, score in scored
            if score is not None and look(model.cost)
        ]
        if len(points) > 1:
            lacking = [model.label for model, _ in scored if not look(model.cost)]
            drawn.append((board, points, lacking))
    every = [point for _, points, _ in drawn for point in points]
    floors = [floor for board, *_ in drawn if (floor := _floor(board)) is not None]
    plots = []
    for board, points, lacking in drawn:
        label, chance = content.label(board.target), _floor(board)
        finding = describe_costs(points, say, cheap, lacking=len(lacking), floor=chance)
        title = f"{label}: score against {axis} of {len(points)} models, logarithmic."
        svg = cost_svg(
            points,
            title=title,
            axis=axis,
            say=say,
            finding=finding,
            floor=chance,
            beside=every,
            floors=floors,
        )
        plots.append(
            {
                "title": f"{label}: score and {axis}",
                "finding": finding,
                "svg": Markup(svg),
                "lacking": lacking,
                "missing": UNSTATED if axis == "parameters" else UNMEASURED,
            }
        )
    return plots


def _floor(board: Board) -> float | None:
    """Score of the best chance model."""
    floor = board.standings.floor_score
    return None if floor is None else float(floor)


def _may_be_best(board: Board, model: Model) -> bool:
    """Whether a model cannot be told apart from the best, and scores higher than chance."""
    standing, floor = board.standing(model), board.standings.floor_score
    if standing is None or standing.score is None or standing.tier != 1:
        return False
    return floor is None or standing.score > floor


def records(content: Content) -> list[dict[str, Any]]:
    """What the files hold: a record per model and, where it was measured, length of signal."""
    models = {
        (model.published, model.id): model
        for target in content.boards
        for model in content.models(target)
    }
    entries = []
    for (published, _), model in sorted(models.items()):
        cost = model.cost
        facts = {
            "source": "published" if published else "run",
            "model": model.id,
            "label": model.label,
            "chance": model.chance,
            "parameters": cost.parameters,
            "parameters_from": cost.parameters_from,
            "size_bytes": cost.size_bytes,
            "stale": cost.stale,
        }
        for row in cost.measured or (None,):
            entries.append({name: facts.get(name, getattr(row, name, None)) for name in HEAD})
    return entries


def texts(content: Content) -> dict[str, str]:
    """Files to download, by name."""
    entries = records(content)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows([_plain(entry[name]) for name in HEAD] for entry in entries)
    dumped = json.dumps({"columns": HEAD, "models": entries}, ensure_ascii=False, indent=1)
    return dict(zip(FILES, (out.getvalue(), dumped + "\n"), strict=True))


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and FORMULA.match(value):
        return f"'{value}"
    return "" if value is None else value
