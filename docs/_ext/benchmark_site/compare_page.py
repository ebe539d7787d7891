"""The page on which a reader compares any models of a target, in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from benchmark_site import samplepages
from benchmark_site.cell_data import file_of
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.population_data import has_sums, index_of
from benchmark_site.render import ROOT, render, target_doc

DOC = f"{ROOT}/compare"


def address(page: Page, target: str, models: Iterable[tuple[str, str]], test: str = "") -> str:
    """Address of the comparison with a choice.

    >>> address(Page("results/a/index", "A"), "a", [("run", "b c")], "t")
    '../compare.html#?target=a&model=run%2Fb+c&test=t'

    Args:
        page: where the link stands
        target: the target
        models: name of the board and id of each model
        test: the only test that is shown; empty: all
    """
    choice = [("target", target), *(("model", f"{board}/{model}") for board, model in models)]
    return f"{page.href(DOC)}#?{urlencode([*choice, *([('test', test)] if test else [])])}"


def page(content: Content) -> Page:
    """Page with links to the comparisons of each target, and a place for the script."""
    page = Page(DOC, "Compare models")
    targets = [target for target in content.boards if content.boards[target]]
    page.html = render(
        "compare.j2",
        targets=json.dumps(
            [_target(content, target) for target in targets],
            ensure_ascii=False,
        ),
        links=[
            {"href": page.href(target_doc(target)), "label": content.label(target)}
            for target in targets
        ],
    )
    return page


def _target(content: Content, target: str) -> list[Any]:
    """Id, name, cells, sums and samples of a target."""
    sums = index_of(target) if has_sums(content, target) else ""
    datasets = {
        name: sorted(entry["tests"])
        for name, entry in content.sample_datasets(target).items()
        if not entry["silent"]
    }
    samples = (
        {"href": f"{samplepages.doc(target)}.html", "datasets": datasets} if datasets else None
    )
    return [target, content.label(target), file_of(target), sums, samples]
