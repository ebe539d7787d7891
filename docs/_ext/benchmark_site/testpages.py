"""One page per target and test: all models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from markupsafe import Markup, escape

from benchmark_site import (
    compare_page,
    datasetpages,
    dose,
    dots,
    glossary,
    media,
    provenance_pages,
    samplepages,
    samples,
    strips,
    tables,
)
from benchmark_site.cells import bar
from benchmark_site.content import Board, Content
from benchmark_site.groups import differences
from benchmark_site.naming import metric_names
from benchmark_site.page import Page, Section, anchor
from benchmark_site.render import model_doc, render, test_doc
from benchmark_site.sources import Model
from benchmark_site.tables import Column
from common.core.display import percent
from common.figures.text import listed

#: page on ratings
RATINGS = "method/human_ceiling"
#: at most so many models are named in a sentence
MOST = 3
#: so many models are compared at first
MOST_COMPARED = 2
#: more figures than these are folded
FIGURES = 6
#: page on verdicts, and its section on thresholds
VERDICT, THRESHOLDS = "method/verdict", "where-thresholds-come-from"


def page(content: Content, target: str, test: str, sections: Sequence[Section] = ()) -> Page:
    """Page of a test.

    Args:
        content: what the pages show
        target: the target
        test: the test
        sections: those of the page as it was made last with the same published results
    """
    facts = content.tests[test]
    page = Page(test_doc(target, test), f"{facts.title}: {content.label(target).lower()}")
    method = f"method/{test}"
    boards = [board for board in content.boards[target] if test in board.tests]
    page.html = render(
        "test.j2",
        facts=facts,
        method=page.href(method) if method in content.method_pages else "",
        thresholds=f"{page.href(VERDICT)}#{THRESHOLDS}" if VERDICT in content.method_pages else "",
        siblings=_siblings(content, page, target, test),
        boards=[{"anchor": board.name, "title": board.title} for board in boards],
        compare=_compare(page, boards[0], test) if boards else "",
        data=datasetpages.links(content, page, _datasets(boards, test)),
    )
    before = {section.id: section for section in sections}
    for board in boards:
        same = before.get(board.name) if board.published else None
        page.sections.append(same or _board(content, page, board, test))
    return page


def _compare(page: Page, board: Board, test: str) -> str:
    """Address of the comparison of the first two models in a test; empty with fewer models."""
    models = [
        (board.name, line.model.id) for line in board.ranking if board.tally(line.model, test)
    ]
    if len(models) < MOST_COMPARED:
        return ""
    return compare_page.address(page, board.target, models[:MOST_COMPARED], test)


def _datasets(boards: Sequence[Board], test: str) -> set[str]:
    """Datasets with rows of a test."""
    return set().union(*(board.datasets_of.get(test, ()) for board in boards))


def _siblings(content: Content, page: Page, target: str, test: str) -> list[dict[str, Any]]:
    """The same test for all targets."""
    return [
        {
            "label": content.label(other),
            "href": page.href(test_doc(other, test)),
            "current": other == target,
        }
        for other, boards in content.boards.items()
        if any(test in board.tests for board in boards)
    ]


def _board(content: Content, page: Page, board: Board, test: str) -> Section:
    scores = board.scores.of_test(test)
    models = [line.model for line in board.ranking if board.tally(line.model, test)]
    lines: list[dict[str, Any]] = [
        {
            "label": model.label,
            "href": page.href(model_doc(board.target, model)),
            "chance": model.chance,
            "tally": board.tally(model, test),
            "sure": board.scores.second(model.id, test),
        }
        for model in models
    ]
    sound = "" if board.published else samples.of_test(content, page, board, test)
    jumps = [
        {"anchor": anchor(board.name, metric), "title": metric_names(metric)[0]}
        for metric in scores
    ]
    chance = board.chance(test)
    certain = any(line["sure"].judged for line in lines)
    errors = any(line["tally"].errors for line in lines)
    html = render(
        "board.j2",
        answer=answer(lines, chance),
        dots=dots.of_test(board, models, test),
        label=f"{board.title}: passed cells per model",
        rows=[_row(line, chance, certain=certain, errors=errors) for line in lines],
        certain=certain,
        errors=errors,
        chance=chance,
        not_run=_not_run(content, page, board, test),
        metrics=[*jumps, {"anchor": samples.place(board), "title": "Listen"}] if sound else jumps,
    )
    html += _worst(content, page, board, models, test)
    columns = [
        replace(
            _column(page, board, model, test),
            samples=samplepages.of_test(content, page, board, model, test),
        )
        for model in models
    ]

    parts = []
    drawn = strips.strips(board, test)
    pairs = (pair for columns_of_metric in scores.values() for pair in columns_of_metric.pairs)
    named = datasetpages.sources(content, page, pairs)
    if drawn:
        method = page.href(RATINGS) if RATINGS in content.method_pages else ""
        shown = render("strips.j2", strips=drawn, method=method)
        parts.append(Section(anchor(board.name, "raters"), "Between chance and people", shown))
    for metric, side_by_side in scores.items():
        raters = board.raters.get(test, {}).get(metric)
        table = tables.by_models(anchor(board.name, metric), side_by_side, columns, raters, named)
        table.term = glossary.term(content, page, metric)
        shown = render("scores.j2", table=table, label=f"{table.title}: {board.title}")
        parts.append(Section(table.anchor, table.title, shown))
    groups = [] if board.published else media.of_test(content, page, board, models, test, named)
    if groups:
        number = sum(len(group["figures"]) for group in groups)
        shown = render("figures.j2", groups=groups, number=number, folded=number > FIGURES)
        parts.append(Section(anchor(board.name, "figures"), "Figures", shown))
    curves = dose.of_test(content, page, board, models, test)
    if curves is not None:
        parts.append(curves)
    if sound:
        parts.append(Section(samples.place(board), samples.TITLE, sound))
    return Section(board.name, board.title, html, parts)


def _row(
    line: Mapping[str, Any], chance: Fraction | None, *, certain: bool, errors: bool
) -> Markup:
    """Verdicts of a model as a row; written here, as a page of a hundred models has a hundred.

    Args:
        line: the model
        chance: share that the best chance model passes
        certain: whether there is a column of second verdicts
        errors: whether there is one of errors
    """
    label, tally = escape(line["label"]), line["tally"]
    css, kind = (
        (' class="chance"', ' <span class="quiet">chance</span>') if line["chance"] else ("", "")
    )
    parts = [
        f'<tr{css}><th scope="row" data-name="{label}"><a href="{escape(line["href"])}">{label}</a>'
        f'{kind}</th><td data-sort="{float(tally.share or 0)}">'
        f"{bar(tally.share, True, chance, 'no verdict')}</td>",
        *(_counted(number) for number in (tally.passed, tally.failed, tally.skipped)),
    ]
    if certain:
        doubt, of = line["sure"].doubt, line["sure"].judged
        parts.append(_counted(doubt, f"{doubt} of {of}" if of else ""))
    if errors:
        parts.append(_counted(tally.errors, css=" e" if tally.errors else ""))
    return Markup("".join([*parts, "</tr>"]))


def _counted(number: int, text: str | None = None, css: str = "") -> str:
    """Cell with a number of cells, or what is said of it."""
    return f'<td class="n{css}" data-sort="{number}">{number if text is None else text}</td>'


def answer(lines: Sequence[Mapping[str, Any]], chance: Fraction | None) -> str:
    """What a test says about its models, in one or two sentences; empty without a verdict.

    Args:
        lines: ``label``, ``chance`` and ``tally`` of each model
        chance: share that the best chance model passes; None: there is none
    """
    shares = {
        line["label"]: line["tally"].share
        for line in lines
        if line["tally"].executed and not line["chance"]
    }
    if not shares:
        return ""
    best = max(shares.values())
    names = [label for label, share in shares.items() if share == best]
    if len(shares) == 1:
        against = "" if chance is None else f", {_against(best, chance)} chance ({percent(chance)})"
        return f"{names[0]} passes {percent(best)} of its executed cells{against}."
    who = f"{len(names)} models" if len(names) > MOST else listed(names)
    pass_ = "pass" if len(names) > 1 else "passes"
    if best == 0:
        last = "No model passes any cell."
    elif best == 1:
        last = f"{who} {pass_} every executed cell."
    else:
        last = f"{who} {pass_} most: {percent(best)} of the executed cells."
    return " ".join(filter(None, (_beside(list(shares.values()), chance), last)))


def _against(share: Fraction, chance: Fraction) -> str:
    return "as much as" if share == chance else "less than" if share < chance else "more than"


def _beside(shares: Sequence[Fraction], chance: Fraction | None) -> str:
    """How many models pass less, or more, than chance."""
    if chance is None:
        return ""
    everyone = "Both" if len(shares) == 2 else f"All {len(shares)}"
    models, floor = len(shares), f"chance ({percent(chance)})"
    less, more = sum(s < chance for s in shares), sum(s > chance for s in shares)
    if less:
        return f"{less} of {models} models {'pass' if less > 1 else 'passes'} less than {floor}."
    if not more:
        return f"{everyone} models pass as much as {floor}."
    if more == models:
        return f"{everyone} models pass more than {floor}."
    return f"{more} of {models} models {'passes' if more == 1 else 'pass'} more than {floor}, none less."


def _worst(content: Content, page: Page, board: Board, models: list[Model], test: str) -> str:
    """Most disadvantaged group of each model in a fairness test, the worst that listens first."""
    pairs = [(m, groups) for m in models if (groups := board.groups.brief(m.id, test))]
    if not pairs:
        return ""
    pairs.sort(
        key=lambda item: (
            item[0].chance,
            item[1].first.worse is False,
            -item[1].first.severity,
        )
    )
    first, groups = pairs[0]
    return render(
        "board_groups.j2",
        worst=groups.first,
        first=groups,
        model=first.label,
        comparisons=[groups.first for _, groups in pairs],
        differences=differences([groups for _, groups in pairs]),
        models=[{"label": m.label, "href": _column(page, board, m, test).href} for m, _ in pairs],
        title=board.title,
        tested=any(groups.tested for _, groups in pairs),
        method=content.uncertainty(page),
        names=datasetpages.naming(content, board.datasets),
    )


def _column(page: Page, board: Board, model: Model, test: str) -> Column:
    href = page.href(model_doc(board.target, model), anchor("test", test))
    origin = provenance_pages.origin(page, board, model, test)
    return Column(model.label, href, model.chance, model.slug, origin)


def _not_run(content: Content, page: Page, board: Board, test: str) -> list[dict[str, str]]:
    """Datasets that were not there, with the models that missed them."""
    lines: dict[tuple[str, str], list[str]] = {}
    for model in board.models:
        for key, reason in board.absent.get(model.id, {}).items():
            name, _, dataset = key.partition("/")
            if name == test:
                lines.setdefault((dataset, reason), []).append(model.label)
    everyone = len(board.models)
    who = {
        key: "all models" if len(models) == everyone else ", ".join(models)
        for key, models in lines.items()
    }
    return datasetpages.not_run(content, page, who)
