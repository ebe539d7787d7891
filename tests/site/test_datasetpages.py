"""Pages of datasets: what they are, which tests use them, and how models do on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from benchmark_site import datasetpages
from benchmark_site.content import Content, load

from common.results import published
from common.spec import load_benchmark


@pytest.fixture
def content(new_site: Callable[..., Any]) -> Content:
    site = new_site("alpha")
    return load(site.folders, load_benchmark(), [], {})


def test_every_dataset_with_results_has_a_page_that_the_list_leads_to(content: Content) -> None:
    first, *pages = datasetpages.pages(content)
    names = set(content.table["dataset"])
    assert {"crema-d", "iemocap"} < names
    assert {page.doc for page in pages} == {datasetpages.dataset_doc(name) for name in names}
    assert first.doc == datasetpages.INDEX and set(first.children) == {page.doc for page in pages}
    for page in pages:
        assert f'href="{page.doc.rpartition("/")[2]}.html"' in first.html


def test_shares_are_those_of_executed_cells_on_these_data(content: Content) -> None:
    (page,) = (page for page in datasetpages.pages(content) if page.doc.endswith("/crema-d"))
    assert (page.title, "ODbL-1.0" in page.html, "English" in page.html) == ("CREMA-D", True, True)
    rows = published.load()
    rows = rows[(rows["dataset"] == "crema-d") & rows["status"].isin(["pass", "fail"])]
    (html,) = (section.html for section in page.sections if section.id == "published")
    for (target, model), part in rows.groupby(["target", "model"]):
        text = f"{(part['status'] == 'pass').sum()} of {len(part)} cells passed"
        cell = rf'title="{text}"><a href="\.\./{target}/published/{re.escape(str(model))}\.html"'
        assert re.search(cell, html), (target, model, text)
    assert html.count(" cells passed") == len(rows.groupby(["target", "model"]))


def test_a_dataset_names_its_tests_and_a_part_its_whole(content: Content) -> None:
    pages = {page.doc: page for page in datasetpages.pages(content)}
    page = pages["results/dataset/crema-d"]
    (html,) = (section.html for section in page.sections if section.id == "tests")
    table = content.table[content.table["dataset"] == "crema-d"]
    addresses = {(t, test) for t, test in zip(table["target"], table["test"], strict=True)}
    for target, test in addresses:
        assert f'href="../{target}/{test}.html"' in html
    assert html.count("<a ") == len(addresses)
    assert pages["results/dataset/iemocap"].title == "IEMOCAP"


def test_tables_name_datasets_and_link_their_pages(small: Any) -> None:
    for name in ("correctness_regression", "published/wavlm"):
        html = small.page(f"results/arousal/{name}")
        up = "../" * (1 + name.count("/"))
        assert f'<a href="{up}dataset/msppodcast.html">MSP-Podcast</a> <small>2.6.1-' in html
        assert not re.search(r"<t[hd][^>]*>(<span>)?msppodcast-", html)
