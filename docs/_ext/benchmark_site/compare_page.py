"""The page on which a reader compares any models of a target, in the browser."""

from __future__ import annotations

import json

from benchmark_site.cell_data import file_of
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.render import ROOT, render, target_doc

DOC = f"{ROOT}/compare"


def page(content: Content) -> Page:
    """Page with links to the comparisons of each target, and a place for the script."""
    page = Page(DOC, "Compare models")
    targets = [target for target in content.boards if content.boards[target]]
    page.html = render(
        "compare.j2",
        targets=json.dumps(
            [[target, content.label(target), file_of(target)] for target in targets],
            ensure_ascii=False,
        ),
        links=[
            {"href": page.href(target_doc(target)), "label": content.label(target)}
            for target in targets
        ],
    )
    return page
