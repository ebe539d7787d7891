"""The examples of the method pages give the figures that the pages show."""

from __future__ import annotations

import doctest

import pytest

from common.core.paths import DOCS

PAGES = ("events_segment_based", "events_event_based", "events_intersection_based")


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_the_page(page: str) -> None:
    text = (DOCS / "method" / f"{page}.rst").read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, page, f"{page}.rst", 0)
    assert len(test.examples) >= 7
    found = doctest.DocTestRunner(verbose=False).run(test)
    assert found.failed == 0
