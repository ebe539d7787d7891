"""The small site in a real Chromium, opened from the disk."""

from __future__ import annotations

from typing import Any

import pytest

PAGES = (
    "index",
    "results/index",
    "results/arousal/index",
    "results/arousal/correctness_regression",
    "results/arousal/correctness_consistency",
    "results/arousal/model/alpha",
    "results/arousal/published/wavlm",
    "results/arousal/comparison/w2v2-L_hubert-L_wavlm_data2vec",
    "method/correctness_regression",
    "method/listen",
)


@pytest.mark.parametrize("width", [390, 1280])
def test_pages_open_without_fault_and_without_scrolling_sideways(visit: Any, width: int) -> None:
    for name in PAGES:
        page = visit(name, width)
        assert page.faults == [], name
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, (name, overflow)


def test_wide_tables_scroll_and_keep_their_first_column(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression", 390)
    place = page.evaluate(
        """() => {
            const box = document.querySelector("#published table.scores").closest(".scroll");
            box.scrollLeft = 200;
            const head = box.querySelector("tbody th[scope=row]").getBoundingClientRect();
            return [box.scrollLeft, head.left - box.getBoundingClientRect().left];
        }"""
    )
    assert place[0] > 0
    assert abs(place[1]) < 3


def test_a_table_with_columns_out_of_sight_is_printed_and_has_no_arrow(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression", 390)
    cut = page.locator(".scroll.wider").first
    assert cut.evaluate("(box) => getComputedStyle(box, '::after').content") == "none"
    page.emulate_media(media="print")
    assert cut.evaluate("(box) => getComputedStyle(box).display") != "none"
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_long_tables_do_not_run_over_the_text_below(visit: Any, width: int) -> None:
    for name in ("results/index", "results/arousal/index"):
        page = visit(name, width)
        beyond = page.evaluate(
            """() => {
                for (const body of document.querySelectorAll("table:is(.ranking, .matrix) tbody")) {
                    const rows = [...body.rows];
                    for (let n = 0; n < 60; n += 1) body.append(...rows.map((row) => row.cloneNode(true)));
                }
                return [...document.querySelectorAll(".scroll:has(table:is(.ranking, .matrix))")]
                    .filter((box) => getComputedStyle(box).overflowY === "visible")
                    .map((box) => box.scrollHeight - box.clientHeight);
            }"""
        )
        assert all(pixels <= 2 for pixels in beyond), (name, beyond)
        page.close()


def test_formulas_are_drawn(visit: Any) -> None:
    page = visit("index")
    boxes = page.eval_on_selector_all(
        "math", "found => found.map(node => node.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 2
    assert boxes[0]["width"] > 5
    assert boxes[1]["width"] > 100
    assert boxes[1]["height"] > 25  # a fraction is higher than a line of text


def test_columns_sort_and_say_so(visit: Any) -> None:
    page = visit("results/arousal/index")
    table = page.locator("#published-counted table.ranking").first
    skipped = table.locator("thead th", has_text="Skipped")

    def column() -> list[int]:
        cells = table.locator("tbody:first-of-type tr td:nth-child(4)").all_inner_texts()
        return [int(text.split()[0]) for text in cells]

    skipped.get_by_role("button").click()
    assert skipped.get_attribute("aria-sort") == "descending"
    assert column() == sorted(column(), reverse=True)
    skipped.get_by_role("button").press("Enter")
    assert skipped.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(column())
    assert table.locator("tbody").last.inner_text().startswith("Outside the ranking")


def test_models_sort_by_name_and_not_by_what_a_number_in_it_looks_like(visit: Any) -> None:
    page = visit("results/arousal/index")
    table = page.locator("#published-counted table.ranking").first
    rows = table.locator("tbody:first-of-type tr")
    # places, and a name that begins with a number, are no numbers to sort by
    labels = ["w2v2-b", "10axlstm", "W2v2-L", "9lstm", "10Alstm", "CNN14"]
    page.evaluate(
        """labels => document.querySelectorAll("#published-counted tbody:first-of-type th a")
            .forEach((link, n) => {
                link.textContent = labels[n];
                link.closest("th").dataset.name = labels[n];
            })""",
        labels,
    )
    shown = labels[: rows.count()]
    assert len(shown) > 3
    head = table.locator("thead th").first
    for order, backwards in (("ascending", False), ("descending", True)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        names = rows.locator("th a").all_inner_texts()
        expected = ["9lstm", "10Alstm", "10axlstm", "CNN14", "w2v2-b", "W2v2-L"]
        expected = [name for name in expected if name in shown]
        assert names == (expected[::-1] if backwards else expected)


@pytest.mark.parametrize(
    ("table", "title"),
    [
        ("#published table.standings", "Cells passed"),
        ("#published-counted table", "Passed / executed"),
    ],
)
def test_passed_of_executed_cells_sorts_by_the_share(visit: Any, table: str, title: str) -> None:
    page = visit("results/arousal/index")
    node = page.locator(table).first
    heads = node.locator("thead th").all_inner_texts()
    place = next(n for n, head in enumerate(heads) if head.strip() == title) + 1
    cells = node.locator(f"tbody:first-of-type tr:not(.head) > :nth-child({place})")
    # more of fewer cells come first
    cells.first.evaluate(
        "cell => { cell.firstChild.textContent = '1 / 400'; cell.dataset.sort = 1 / 400; }"
    )
    for backwards in (True, False):
        node.locator("thead th").nth(place - 1).get_by_role("button").click()
        shown = [text.split("\n")[0].split(" / ") for text in cells.all_inner_texts()]
        shares = [int(passed) / int(of) for passed, of in shown]
        assert len(set(shares)) > 2 and shares == sorted(shares, reverse=backwards)
    page.close()


def test_every_column_that_sorts_says_by_what(visit: Any) -> None:
    for name in ("results/index", *PAGES[2:6]):
        silent = visit(name).evaluate(
            """() => [...document.querySelectorAll("table.sortable tbody tr:not(.head) > *")]
                .filter((cell) => /\\d/.test(cell.textContent))
                .filter((cell) => !("sort" in cell.dataset || "name" in cell.dataset))
                .filter((cell) => !cell.closest("table").tHead.rows[0].cells[cell.cellIndex].dataset.by)
                .map((cell) => cell.outerHTML)"""
        )
        assert silent == [], name


@pytest.mark.parametrize("width", [390, 1280])
def test_what_can_be_clicked_is_large_enough_or_stands_apart(visit: Any, width: int) -> None:
    """WCAG 2.5.8 for the buttons of tables: 24 by 24 pixels."""
    page = visit("results/index", width)
    sizes = page.eval_on_selector_all(
        "button.sort, table.sortable thead a",
        "found => found.map(each => each.getBoundingClientRect().toJSON())",
    )
    assert len(sizes) > 3
    assert min(min(box["width"], box["height"]) for box in sizes) >= 24


def test_long_commands_break_and_need_no_scrolling(visit: Any) -> None:
    page = visit("results/arousal/provenance/alpha", 390)
    page.evaluate(
        """() => document.querySelector("main, article").insertAdjacentHTML("beforeend",
            `<div class="origin"><pre class="command">${"python build.py ".repeat(20)}</pre></div>`)"""
    )
    command = page.locator("pre.command").last
    assert command.evaluate("node => node.scrollWidth - node.clientWidth") <= 0


def test_the_heat_map_tells_low_shares_apart(visit: Any) -> None:
    page = visit("results/arousal/index")
    colors = page.evaluate(
        """() => [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((share) => {
            const cell = document.querySelector(".matrix td.heat");
            cell.style.setProperty("--share", share);
            return getComputedStyle(cell).backgroundColor;
        })"""
    )
    assert len(set(colors)) == len(colors)


def test_models_can_be_chosen_and_lines_filtered(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression")
    wavlm = page.locator("#published table.scores thead th", has_text="wavlm").first
    page.get_by_text("Choose models").click()
    page.locator(".names").get_by_label("wavlm").uncheck()
    assert not wavlm.is_visible()
    page.locator(".names").get_by_label("wavlm").check()
    assert wavlm.is_visible()
    rows = page.locator("table.scores tbody tr:visible")
    everything = rows.count()
    page.get_by_label("Filter rows of all tables").fill("MSP-Podcast")
    assert 0 < rows.count() < everything
    assert all("MSP-Podcast" in text for text in rows.locator("th").all_inner_texts())


def test_everything_is_there_without_scripts(visit: Any) -> None:
    for name in PAGES[2:4]:
        with_scripts, without = visit(name), visit(name, java_script_enabled=False)
        for what in ("table tr", "table td", "article h2", "article a"):
            assert without.locator(what).count() == with_scripts.locator(what).count(), (name, what)


def test_dark_theme_is_readable(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression", color_scheme="dark")
    contrast = page.evaluate(
        """() => {
            const light = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).map(Number)
                    .map((v) => v / 255)
                    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            return [...document.querySelectorAll("table.scores td.p, table.scores td.f")].map((cell) => {
                const style = getComputedStyle(cell);
                const [a, b] = [light(style.color), light(style.backgroundColor)];
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            });
        }"""
    )
    assert contrast
    assert min(contrast) > 4.5
