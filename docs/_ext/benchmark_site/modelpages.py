"""One page per target and model: all tests of the model."""

from __future__ import annotations

from typing import Any

from benchmark_site import (
    cells,
    dose,
    event_details,
    media,
    provenance_pages,
    slices,
    tables,
    versions,
)
from benchmark_site.content import Board, Content, words
from benchmark_site.export import badge_file, card_file, rows_file
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import model_doc, provenance_doc, render, target_doc, test_doc
from benchmark_site.sources import FOUNDATION, Model
from common.reports.summary import Key, VerdictCounts, WideCell, total


def page(content: Content, target: str, model: Model) -> Page:
    """Page of a model."""
    page = Page(model_doc(target, model), f"{model.label}: {content.label(target).lower()}")
    boards = content.boards_of(target, model)
    page.html = render(
        "model.j2",
        boards=[
            {
                "name": board.name,
                "title": board.title,
                "total": total(board.tallies.get(model.id, {}).values()),
                "sure": second(board, model, *board.scores.get(model.id, {})),
                "standing": board.standing(model),
                "floor": board.standings.floor_score,
                "ranking": f"{page.href(target_doc(target))}#{board.name}",
            }
            for board in boards
        ],
        chance=model.chance,
        published=model.published,
        built=_built(model),
        elsewhere=_elsewhere(content, page, target, model),
    )
    for board in boards:
        html = _overview(content, page, board, model)
        title = "Tests overview" if len(boards) == 1 else f"Tests overview: {board.title.lower()}"
        page.sections.append(Section(anchor("overview", board.name), title, html))
    worse = slices.section(content, page, target, model)
    page.sections += [worse] if worse else []
    page.sections.append(Section("about", "About the model", _facts(page, target, model)))
    past = versions.section(content, target, model)
    page.sections += [past] if past else []
    tests = dict.fromkeys(test for board in boards for test in board.tests)
    for test in tests:
        parts = [board for board in boards if board.tally(model, test)]
        if parts:
            page.sections.append(_test(content, page, parts, model, test))
    return page


def _built(model: Model) -> str:
    """Sentence on the network that a published model was built on; empty if nothing is known."""
    facts = dict(model.facts)
    network, developer, millions = (
        facts.get(FOUNDATION[key], "")
        for key in ("architecture", "developer", "parameters_million")
    )
    if not network:
        return ""
    size = f", about {millions} million parameters" if millions else ""
    return f"Built on {network} ({developer}{size})."


def _elsewhere(content: Content, page: Page, target: str, model: Model) -> list[dict[str, Any]]:
    """The same model in all targets."""
    entries = [
        {
            "label": content.label(other),
            "href": page.href(model_doc(other, same)),
            "current": other == target,
        }
        for other in content.boards
        for same in content.models(other)
        if (same.id, same.published) == (model.id, model.published)
    ]
    return entries if len(entries) > 1 else []


def _not_run(model: Model) -> list[dict[str, str]]:
    """Datasets that were not there, with the tests that miss them."""
    lines: dict[tuple[str, str], list[str]] = {}
    for key, reason in model.not_run.items():
        test, _, dataset = key.partition("/")
        lines.setdefault((dataset, reason), []).append(test)
    return [
        {"name": dataset, "reason": reason, "models": ", ".join(sorted(tests))}
        for (dataset, reason), tests in sorted(lines.items())
    ]


def _overview(content: Content, page: Page, board: Board, model: Model) -> str:
    groups: dict[str, list[dict[str, Any]]] = {}
    for test in board.tests:
        tally = board.tally(model, test)
        if tally:
            facts = content.tests[test]
            line = {
                "label": facts.title,
                "anchor": anchor("test", test),
                "href": page.href(test_doc(board.target, test)),
                "tally": tally,
                "sure": second(board, model, test),
            }
            groups.setdefault(words(facts.family), []).append(line)
    return render(
        "tests.j2",
        label=f"Passed cells per test, {model.label}",
        groups=[{"title": title, "lines": lines} for title, lines in groups.items()],
        certain=any(line["sure"].judged for lines in groups.values() for line in lines),
        errors=any(tally.errors for tally in board.tallies.get(model.id, {}).values()),
    )


def second(board: Board, model: Model, *tests: str) -> cells.Sure:
    """Second verdicts of a model in tests."""
    test_scores = board.scores.get(model.id, {})
    return cells.sure(
        score
        for test in tests
        for scores in test_scores.get(test, {}).values()
        for score in scores.values()
    )


def _facts(page: Page, target: str, model: Model) -> str:
    return render(
        "facts.j2",
        facts=model.facts,
        csv=page.file(f"data/{rows_file(target, model)}"),
        schema=page.file("data/schema.json"),
        not_run=_not_run(model),
        provenance="" if model.published else page.href(provenance_doc(target, model)),
        card=page.file(f"data/{card_file(model)}"),
        badge=page.file(f"data/{badge_file(target, model)}"),
        label=model.label,
    )


def _test(content: Content, page: Page, boards: list[Board], model: Model, test: str) -> Section:
    facts = content.tests[test]
    target = boards[0].target
    scores: dict[str, dict[Key, WideCell]] = {}
    for board in boards:
        for metric, lines in board.scores[model.id][test].items():
            scores.setdefault(metric, {}).update(lines)
    method = f"method/{test}"
    figures = [] if model.published else media.of_model(content, page, target, model, test)
    origin = provenance_pages.origin(page, boards[0], model, test)
    html = render(
        "model_test.j2",
        tally=total([board.tally(model, test) or VerdictCounts(0, 0, 0, 0) for board in boards]),
        sure=cells.sure(score for lines in scores.values() for score in lines.values()),
        facts=facts,
        side_by_side=page.href(test_doc(target, test)),
        method=page.href(method) if method in content.method_pages else "",
        tables=[
            tables.by_labels(anchor(test, name), name, lines, origin=origin)
            for name, lines in scores.items()
        ],
        figures=figures,
        events=""
        if model.published
        else event_details.of_model(content, page, target, model, test),
        groups=[
            {
                "groups": groups,
                "title": f"{facts.title}: {board.title}",
                "method": content.uncertainty(page),
            }
            for board in boards
            if (groups := board.groups.get(model.id, test))
        ],
    )
    html += dose.of_model(content, page, target, model, test)
    return Section(anchor("test", test), facts.title, html)
