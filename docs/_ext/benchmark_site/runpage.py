"""What a run took, if its report was published with the results: time, memory, predictions, errors."""

from __future__ import annotations

from typing import Any

from benchmark_site.content import Content
from benchmark_site.page import Page, Section
from benchmark_site.render import ROOT, render, test_doc
from common.core import display
from common.results import run_report
from common.results.run_report import RunReport, memory

DOC = f"{ROOT}/run"
#: what the stages of a run do
STAGES = {
    "synthesis": "make embedded data",
    "plan": "find out what is missing or stale",
    "compare": "find out whether results are as they were written",
    "load": "read tables of datasets",
    "attributes": "F0, loudness and other properties that tests select samples by",
    "predict": "decode and change signals, call models",
    "describe": "facts of datasets",
    "score": "metrics and statistics",
    "intervals": "bootstrap, p values",
    "write": "tables",
    "figures": "figures of cells",
    "sounds": "sounds of the website",
    "site": "pages",
}


def page(content: Content) -> Page | None:
    """Page with the published report; None: there is none.

    Raises:
        ConfigError: if the report cannot be read
    """
    report = run_report.published(content.paths)
    if report is None:
        return None
    page = Page(DOC, "The last run")
    early = report.command == "all" and all(stage["stage"] != "site" for stage in report.stages)
    page.html = render("run_lead.j2", command=report.command, early=early, facts=_facts(report))
    page.sections = [
        Section("stages", "Stages", render("run_stages.j2", stages=_stages(report))),
        Section("predictions", "Predictions", render("run_models.j2", lines=_models(report))),
    ]
    if report.slowest:
        html = render(
            "run_slowest.j2", lines=[_cell(content, page, *one) for one in report.slowest]
        )
        page.sections.append(Section("slowest", "Slowest cells", html))
    if report.errors:
        lines = sorted(report.errors.items(), key=lambda item: -item[1])
        page.sections.append(Section("errors", "Errors", render("run_errors.j2", lines=lines)))
    return page


def _facts(report: RunReport) -> dict[str, str]:
    facts = {
        "Began": report.began.replace("T", " ").replace("+00:00", " UTC"),
        "Machine": report.machine,
        "Parallel workers": f"{report.workers:,}",
        "Wall clock": display.duration(report.wall_s),
        "Processor time": display.duration(report.processor_s),
        "Peak memory": memory(report.peak_bytes),
    }
    if report.beside_bytes is not None:
        facts["Peak memory of the largest process beside it"] = memory(report.beside_bytes)
    facts["Cells"] = ", ".join(
        f"{count:,} {name.replace('_', ' ')}" for name, count in report.cells.items()
    )
    return facts


def _stages(report: RunReport) -> list[dict[str, Any]]:
    return [
        {
            **stage,
            "does": STAGES.get(stage["stage"], ""),
            "wall": display.duration(stage["wall_s"]),
            "processor": display.duration(stage["processor_s"]),
            "memory": memory(stage["peak_bytes"]),
        }
        for stage in report.stages
    ]


def _models(report: RunReport) -> list[dict[str, Any]]:
    """Predictions of each model over all datasets and conditions."""
    sums: dict[str, dict[str, int]] = {}
    for one in report.predictions:
        line = sums.setdefault(
            one["model"], dict.fromkeys(("distinct", "stored", "calls", "failed"), 0)
        )
        for name in line:
            line[name] += one[name]
    return [{"model": model, **line} for model, line in sorted(sums.items())]


def _cell(content: Content, page: Page, name: str, seconds: float) -> dict[str, Any]:
    target, _, rest = name.partition("/")
    test = [*rest.split("/"), "", ""][1]
    shown = any(test in board.tests for board in content.boards.get(target, ()))
    return {
        "name": name,
        "href": page.href(test_doc(target, test)) if shown else "",
        "took": display.duration(seconds),
        "seconds": seconds,
    }
