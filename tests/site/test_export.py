"""Tables as files, made in the browser from the tables of a page."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

RANKING = "results/arousal/index"
TEST = "results/arousal/correctness_regression"
OWN = "results/arousal/model/alpha"


def menu(page: Any, name: str) -> Any:
    """Menu below a table, opened with the keyboard."""
    box = page.locator("details.table-files", has_text=name).first
    box.locator("summary").focus()
    page.keyboard.press("Enter")
    return box


def saved(page: Any, box: Any, kind: str) -> tuple[str, str]:
    """Name and text of a file."""
    with page.expect_download() as download:
        box.get_by_role("button", name=kind, exact=True).click()
    path = Path(download.value.path())
    return str(download.value.suggested_filename), path.read_text("utf-8")


def test_every_table_can_be_downloaded(visit: Any) -> None:
    for name in ("index", RANKING, TEST, OWN, "method/correctness_regression"):
        page = visit(name)
        tables = page.locator("article table").count()
        labels = [text.strip() for text in page.locator(".table-files summary").all_text_contents()]
        assert tables == len(labels) == len(set(labels)) > 0, name
        assert page.faults == []
        page.close()


def test_csv_and_json_have_the_exact_numbers_of_the_ranking(visit: Any, small: Any) -> None:
    models = json.loads((small.html / "data" / "models.json").read_text("utf-8"))["models"]
    scores = {
        model["label"]: model["score"]
        for model in models
        if (model["target"], model["board"]) == ("arousal", "published")
    }
    page = visit(RANKING)
    box = menu(page, "Published results: ranking for Arousal")
    name, text = saved(page, box, "CSV")
    assert name == "results-arousal-index-published-results-ranking-for-arousal.csv"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["Model"]: float(row["Score"]) for row in rows} == scores
    assert all("%" not in value for row in rows for value in row.values())
    assert re.fullmatch(r"\d+ / \d+", rows[0]["Cells passed"])  # what is no number stays as it is
    _, text = saved(page, box, "JSON")
    assert {row["Model"]: row["Score"] for row in json.loads(text)} == scores
    assert page.faults == []
    page.close()


def test_a_score_has_its_verdict_interval_and_reason_in_columns_of_its_own(visit: Any) -> None:
    page = visit(TEST)
    box = menu(page, "Concordance Correlation Coeff: Own runs")
    head, *rows = csv.reader(io.StringIO(saved(page, box, "CSV")[1]))
    assert len({*head}) == len(head)
    (column,) = [place for place, name in enumerate(head) if name.startswith("Model alpha")][:1]
    assert head[column + 1] == f"{head[column]}: verdict"
    assert (rows[0][column], rows[0][column + 1]) == ("0.5004", "pass")
    page.close()


def test_a_score_is_as_exact_as_its_cell(visit: Any) -> None:
    """What the page shows with three decimals is behind the cell in full."""
    page = visit(OWN)
    page.locator("#all-cells summary").first.click()
    exact = "0.7512345678901234"
    cell = page.locator(f'td[data-sort^="{exact}"]').first
    name = cell.evaluate("node => node.closest('.scroll').getAttribute('aria-label')")
    assert exact not in cell.inner_text()
    assert exact in saved(page, menu(page, name), "CSV")[1]
    page.close()


def test_a_negative_score_is_as_exact_as_a_positive_one(visit: Any) -> None:
    page = visit(TEST)
    title = "Concordance Correlation Coeff: Published results"
    cell = page.locator(f'.scroll[aria-label="{title}"] tbody td.n').first
    if not cell.count():
        cell = page.locator(f'.scroll[aria-label="{title}"] tbody td:not(:first-child)').first
    cell.evaluate(
        """cell => {
            delete cell.dataset.sort;
            cell.textContent = "−0.031";
            cell.title = "−0.0314461325, reference 0.376";
        }"""
    )
    assert "-0.0314461325" in saved(page, menu(page, title), "CSV")[1]
    page.close()


def test_a_file_shows_what_the_reader_chose(visit: Any) -> None:
    page = visit(TEST)
    page.get_by_role("searchbox", name="Filter rows of all tables").fill("nothing is called so")
    box = menu(page, "Concordance Correlation Coeff: Published results")
    assert len(list(csv.reader(io.StringIO(saved(page, box, "CSV")[1])))) == 1
    page.close()


def test_latex_and_markdown_are_ready_for_a_text(visit: Any) -> None:
    page = visit(RANKING)
    box = menu(page, "Published results: ranking for Arousal")
    name, text = saved(page, box, "LaTeX")
    assert name.endswith(".tex")
    assert "\\toprule" in text and "\\midrule" in text and text.endswith("\\end{tabular}\n")
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1])  # type: ignore[index]
    assert {line.count(" & ") for line in body} == {columns - 1}
    assert re.search(r"w2v2-L & .* & 0\.944 & ", text)
    _, text = saved(page, box, "Markdown")
    lines = text.splitlines()
    assert {line.count("|") for line in lines} == {lines[0].count("|")}
    assert re.fullmatch(r"\|( -+:? \|)+", lines[1])
    page.close()


def test_names_of_others_are_no_markup(visit: Any) -> None:
    page = visit(RANKING)
    box = menu(page, "Own runs: ranking for Arousal")
    tex, text = saved(page, box, "LaTeX")[1], saved(page, box, "Markdown")[1]
    row = next(line for line in tex.splitlines() if "alpha" in line)
    assert not re.search(r"(?<!\\)[%#_{}](?!\})", row.replace("\\textbackslash{}", ""))
    assert not re.search(r"(?<!\\)[<`]", text)
    page.close()


def test_a_copy_says_that_it_was_made(visit: Any) -> None:
    page = visit(RANKING)
    box = menu(page, "Published results: ranking for Arousal")
    box.get_by_role("button", name="Copy Markdown").click()
    box.get_by_role("status").get_by_text("Markdown copied").wait_for()
    page.close()


def test_a_table_leads_to_the_rows_that_it_was_made_from(visit: Any, small: Any) -> None:
    for name, file in (
        (OWN, "data/results/arousal/model/alpha.csv"),
        (RANKING, "data/results.csv"),
        ("index", "data/results.csv"),
    ):
        page = visit(name)
        if name == OWN:
            page.locator("#all-cells summary").first.click()
        page.locator(".table-files summary").first.click()
        address = (
            page.locator(".table-files").first.get_by_role("link").evaluate("node => node.href")
        )
        assert address == f"file://{small.html}/{file}"
        assert (small.html / file).exists()
        page.close()


COMPARE = (
    "results/compare#?target=arousal&model=published%2Fwavlm&model=published%2Fw2v2-L&show=all"
)
POPULATION = "results/arousal/index#?w.family.correctness=2&p.sex.female=100"


def later(visit: Any, address: str, ready: str) -> Any:
    """A page with what its scripts show for an address."""
    name, _, state = address.partition("#")
    page = visit(name)
    page.evaluate("state => { location.hash = state; }", state)
    page.locator(ready).first.wait_for(state="attached")
    page.evaluate(
        "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
    )
    page.wait_for_function(
        "() => [...document.querySelectorAll('.compared-test')].every((part) => part.querySelector('table'))"
    )
    return page


def test_what_scripts_show_later_can_be_downloaded_too(visit: Any, small: Any) -> None:
    for address, ready in (
        (COMPARE, ".compared-test"),
        (POPULATION, ".population-scores"),
        ("results/index#?w.family.correctness=2", ".selection table"),
    ):
        page = later(visit, address, ready)
        page.wait_for_function(
            "() => document.querySelectorAll('article table').length"
            " === document.querySelectorAll('.table-files').length"
        )
        labels = page.locator(".table-files summary").all_text_contents()
        assert len(labels) == len(set(labels)) > 0, address
        assert page.locator(".population-scores table").count() == (address == POPULATION)
        assert page.faults == []
        page.close()


def test_a_difference_is_a_number_whatever_its_sign(visit: Any) -> None:
    page = later(visit, COMPARE, ".compared-test")
    texts = page.locator(".compared-test tbody tr td:last-child").evaluate_all(
        "cells => cells.map((cell) => cell.firstChild?.textContent ?? '')"
    )
    assert any(text.startswith("+") for text in texts)
    assert any(text.startswith("−") for text in texts)
    head = "w2v2-L − wavlm"
    numbers: list[float] = []
    for box in page.locator(".table-files").all():
        if not box.evaluate("node => node.dataset.table.endsWith('scores of 2 models')"):
            continue
        box.locator("summary").evaluate("node => { node.parentElement.open = true; }")
        rows = json.loads(saved(page, box, "JSON")[1])
        lines = list(csv.DictReader(io.StringIO(saved(page, box, "CSV")[1])))
        for row, line in zip(rows, lines, strict=True):
            assert row[head] is None or isinstance(row[head], int | float), row
            assert "+" not in line[head] and line[head] == (
                "" if row[head] is None else f"{row[head]}"
            )
            numbers += [] if row[head] is None else [row[head]]
    assert min(numbers) < 0 < max(numbers)
    page.close()


def test_parts_of_a_heading_do_not_run_together(visit: Any) -> None:
    page = visit("results/arousal/comparison/w2v2-L_hubert-L_wavlm_data2vec")
    box = menu(page, "Score, and share of common cells passed per test")
    _, text = saved(page, box, "JSON")
    rows = json.loads(text)
    assert "w2v2-L baseline" in rows[0]
    changes = [value for row in rows for name, value in row.items() if name.endswith(": change")]
    assert changes and all(value is None or isinstance(value, int | float) for value in changes)
    page.close()


def test_thresholds_are_named_apart_from_what_folds_their_tests(visit: Any) -> None:
    page = visit(RANKING)
    page.get_by_text("Your thresholds, your weights").click()
    page.locator("tr[data-rule]").first.wait_for()
    page.evaluate(
        """() => document.querySelector("tr[data-rule]").after(boardPanel.ruleRow(
            { id: "x", label: "CCC", rule: "simulated", tests: new Set(["One", "Two", "Three"]) }))"""
    )
    _, text = saved(page, menu(page, "Thresholds"), "CSV")
    rows = list(csv.DictReader(io.StringIO(text)))
    (added,) = (row for row in rows if row["Paper"] == "simulated")
    assert (added["Used by"], added["Yours"]) == ("One, Two, Three", "")
    page.close()


def test_own_scores_can_be_downloaded_as_every_table(visit: Any, small: Any) -> None:
    page = visit("results/own")
    quoted = small.hostile.replace('"', '""')
    text = f'file,arousal\na.wav,0.2\nb.wav,0.6\n"{quoted}.wav",0.7\n'.encode()
    page.set_input_files(
        "#own-file", files=[{"name": "mine.csv", "mimeType": "text/csv", "buffer": text}]
    )
    page.locator(".own-result table.scores").wait_for()
    assert (
        page.locator(".own-result .table-files").count()
        == page.locator(".own-result table").count()
        > 0
    )
    page.close()
