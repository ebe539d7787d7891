"""The page on which a reader compares any models of a target, in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from benchmark_site import comparison, figure_data, media, samplepages
from benchmark_site.cell_data import file_of
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.population_data import has_sums, index_of
from benchmark_site.render import ROOT, render, target_doc
from common.core.paths import TABLES

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


def page(content: Content, figures: Mapping[str, Sequence[str]]) -> Page:
    """Page with links to the comparisons of each target, and a place for the script.

    Args:
        content: what the pages show
        figures: target -> tests of which own models have figures
    """
    page = Page(DOC, "Compare models")
    targets = [target for target in content.boards if content.boards[target]]
    page.html = render(
        "compare.j2",
        targets=json.dumps(
            [_target(content, page, target, figures.get(target, ())) for target in targets],
            ensure_ascii=False,
        ),
        links=[
            {"href": page.href(target_doc(target)), "label": content.label(target)}
            for target in targets
            if comparison.are_there(content, target)
        ],
    )
    return page


def _target(content: Content, page: Page, target: str, figures: Sequence[str]) -> dict[str, Any]:
    """What the script knows of a target: names, and where cells, sums, samples and figures lie."""
    datasets = {
        name: {
            "tests": sorted(entry["tests"]),
            # an index of an earlier version does not say it
            "compared": sorted(entry.get("compared", entry["tests"])),
            "file": page.file(f"{media.FOLDER}/{TABLES}/{target}/{name}.js"),
        }
        for name, entry in content.sample_datasets(target).items()
        if not entry["silent"]
    }
    samples = {
        "href": f"{samplepages.doc(target)}.html",
        "media": page.file(media.FOLDER),
        "datasets": datasets,
    }
    drawn = {
        "tests": {test: figure_data.file_of(target, test) for test in figures},
        "media": page.file(f"{media.FOLDER}/{target}"),
    }
    return {
        "id": target,
        "label": content.label(target),
        "cells": file_of(target),
        "sums": index_of(target) if has_sums(content, target) else "",
        "samples": samples if datasets else None,
        "figures": drawn if figures else None,
    }
