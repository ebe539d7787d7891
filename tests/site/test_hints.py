"""What a metric means is told wherever a script names it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.test_compare_page import PAGE, TWO, go, open_all
from tests.site.test_own import scored

MEANS = "line of equality. From −1 to 1, high is best."


def explained(page: Any, names: Any) -> None:
    """The first name of the concordance explains itself, and leads to the page on metrics."""
    name = names.filter(has_text="Concordance").first
    hint = page.get_by_role("tooltip")
    for show in (name.hover, name.focus):
        show()
        assert MEANS in hint.inner_text()
        assert name.get_attribute("aria-describedby") == hint.get_attribute("id")
        page.keyboard.press("Escape")
        assert hint.count() == 0
        page.mouse.move(0, 0)
    name.click()
    page.wait_for_url("**/method/metrics.html#metric--ccc")
    assert page.faults == []
    page.close()


def test_in_the_comparison_of_models(visit: Any) -> None:
    page = visit(PAGE)
    go(page, TWO + "&show=all")
    open_all(page)
    stops = (
        "[...table.querySelectorAll('a.term')].filter((a) => a.tabIndex === 0).map((a) => a.href)"
    )
    hrefs = page.evaluate(
        f"() => [...document.querySelectorAll('table.scores')].map((table) => {stops})"
    )
    assert any(hrefs) and all(len(table) == len(set(table)) for table in hrefs)
    page.locator("table.scores tbody tr:not(.head)").first.hover()
    assert page.locator("table.scores a.headerlink").count() == 0  # the address says what is shown
    explained(page, page.locator("table.scores tbody th a.term"))


@pytest.mark.parametrize("ranking", ["results/arousal/index", "results/index"])
def test_beside_the_thresholds_of_a_ranking(visit: Any, ranking: str) -> None:
    page = visit(ranking)
    page.get_by_text("Your thresholds, your weights").click()
    page.locator("tr[data-rule]").first.wait_for()
    explained(page, page.locator("tr[data-rule] th a.term"))


def test_in_the_scores_of_own_predictions(visit: Any, small: Any) -> None:
    page = scored(visit, small, 1280)
    explained(page, page.locator(".own-result table.scores tbody th a.term"))


def test_a_metric_that_nobody_explains_is_plain_text(visit: Any) -> None:
    page = visit("results/arousal/index")
    heads = page.evaluate(
        """() => [{ label: "<b>new</b>" }, { label: "<b>old</b>", hint: "<i>", href: "x.html" }].map(
            (metric) => scoring.lineHead(metric, { text: "", part: "" }).innerHTML)"""
    )
    assert heads[0].startswith("&lt;b&gt;new&lt;/b&gt;<small>")
    assert heads[1].startswith('<a class="term" href="../../x.html" data-hint="')
    assert "<i>" not in heads[1].partition("data-hint")[0] and "<b>" not in heads[1]
    page.close()
