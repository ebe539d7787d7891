"""Parts of the page making, one by one."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import json
import math
import re
import types
from fractions import Fraction
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import (
    cells,
    comparison,
    content,
    field,
    page,
    rankings,
    render,
    sources,
    strips,
    tables,
    testpages,
)
from benchmark_site.naming import metric_names
from benchmark_site.scores import BoardScores
from docutils.utils.math import MathError
from local_math import mathml
from site_frame import patterns, slots

from common import results
from common.cli.bench import site
from common.cli.bench.usage import Stopwatch
from common.core import display, files, paths
from common.core.mirror import contents, listing, mirror, names_below
from common.metrics import METRICS
from common.reports.summary import Key, WideCell
from common.spec import load_benchmark

EXTENSIONS = sorted(
    path.relative_to(paths.DOCS / "_ext").with_suffix("").as_posix().replace("/", ".")
    for path in (paths.DOCS / "_ext").rglob("*.py")
    if path.name != "__init__.py"
)


@pytest.mark.parametrize("module", EXTENSIONS)
def test_examples_in_docstrings(module: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def score(value: float, status: str = "pass", **more: Any) -> WideCell:
    nan = math.nan
    known = {
        "n": None,
        "reason": "",
        "note": "",
        "criterion": "> 0.5",
        "reference": "",
        "reference_value": nan,
        "ci_low": nan,
        "ci_high": nan,
    }
    return WideCell(value=value, status=status, **{**known, **more})


# -- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "criterion", "shown"),
    [
        (0.5, "> 0.5", "0.500"),
        (0.49996, "> 0.5", "0.49996"),
        (0.5000001, "> 0.5", "0.5000001"),
        (-0.05, "> -0.05", "-0.050"),
        (-0.0499999, "> -0.05", "-0.0499999"),
        (0.0749, "|x| < 0.075", "0.0749"),
        (-0.0751, "|x| < 0.075", "-0.0751"),
        (-0.0001, "> 0.5", "0.000"),
        (1e-9, "< 0.1", "0.000"),
    ],
)
def test_rounding_never_hides_on_which_side_a_value_lies(
    value: float, criterion: str, shown: str
) -> None:
    assert cells.number(value, criterion).replace("−", "-") == shown


def test_share_is_rounded_once_from_the_exact_fraction() -> None:
    assert display.percent(Fraction(33, 80)) == "41.3 %"  # 41.25, as a float 41.249999...


@pytest.mark.parametrize("status", results.STATUSES)
def test_every_verdict_has_a_symbol_and_a_word(status: str) -> None:
    made = cells.cell(score(0.5, status))
    assert made.mark and made.word and made.css


def test_the_interval_is_in_the_cell_and_the_reference_in_the_hint() -> None:
    made_cell = cells.cell(score(0.25, ci_low=0.2, ci_high=0.3, reference_value=0.4))
    assert (made_cell.interval, made_cell.hint) == ("0.200 to 0.300", "reference 0.400")


def test_criterion_with_a_hostile_name() -> None:
    assert cells.criterion("|x| < 0.1", r"a\1x") == r"|a\1x| < 0.1"


# -- tables ---------------------------------------------------------------------------------------


def line(model: str, data: str, **more: Any) -> dict[str, Any]:
    return {
        "target": "arousal",
        "model": model,
        "test": "correctness_regression",
        "dataset": data,
        "data": data,
        "metric": "ccc",
        "condition": "original",
        "value": 0.5,
        "criterion": "> 0.5",
        "status": "fail",
        **more,
    }


def one(lines: list[dict[str, Any]]) -> Any:
    models = sorted({line["model"] for line in lines})
    scores = BoardScores(results.frame(lines), "arousal", models)
    return scores.of_test("correctness_regression")["ccc"]


def cells_of(line: tables.Line) -> list[Any]:
    """What the cells of a line show, read from their HTML."""
    parts = {
        "text": r"^([^<]*)",
        "why": r"<sup>(.*?)</sup>",
        "interval": r'<small class="ci">(.*?)</small>',
        "doubt": r'<small class="q">(.*?)</small>',
        "n": r"<small>n (.*?)</small>",
        "more": r'<small class="more-of-cell">(.*?)</small>',
        "note": r"<small>([^n].*?)</small>",
    }
    return [
        types.SimpleNamespace(
            **{
                name: match[1].strip() if (match := re.search(pattern, html)) else ""
                for name, pattern in parts.items()
            }
        )
        for html in re.findall(r"<td[^>]*>(.*?)</td>", line.html)
    ]


COLUMNS = [tables.Column("a"), tables.Column("b")]


def test_a_missing_cell_stays_empty_and_shifts_nothing() -> None:
    table = tables.by_models("x", one([line("a", "d1"), line("b", "d2"), line("a", "d2")]), COLUMNS)
    (block,) = table.blocks
    shown = {row.label: [cell.text for cell in cells_of(row)] for row in block.lines}
    assert shown == {"d1": ["0.50", ""], "d2": ["0.50", "0.50"]}


def test_equal_n_stands_in_a_column_different_n_in_the_cells() -> None:
    equal = tables.by_models("x", one([line("a", "d", n=5), line("b", "d", n=5)]), COLUMNS)
    assert (equal.has_n, equal.blocks[0].lines[0].n) == (True, "5")
    other = tables.by_models("x", one([line("a", "d", n=5), line("b", "d", n=6)]), COLUMNS)
    assert not other.has_n
    assert [cell.n for cell in cells_of(other.blocks[0].lines[0])] == ["5", "6"]
    unknown = tables.by_models("x", one([line("a", "d"), line("b", "d")]), COLUMNS)
    assert unknown.n_note == "n not published"


def test_difference_to_a_reference_is_named_in_the_criterion() -> None:
    rows = [line("a", "d", condition="female", reference="all", criterion="|x| < 0.075")]
    assert tables.by_models("x", one(rows), COLUMNS[:1]).rule == "|Δ CCC| < 0.075"


def test_reasons_become_footnotes() -> None:
    rows = [
        line("a", "d1", value=math.nan, status="skip", reason="too few"),
        line("b", "d1", value=math.nan, status="skip", reason="too few"),
        line("a", "d2", value=math.nan, status="error", reason="broken"),
    ]
    table = tables.by_models("x", one(rows), COLUMNS)
    assert table.notes == [("a", "broken", 1), ("b", "too few", 2)]
    assert [cell.why for cell in cells_of(table.blocks[0].lines[0])] == ["b", "b"]


# -- comparison -----------------------------------------------------------------------------------


def board(lines: list[dict[str, Any]], *, published: bool, name: str) -> content.Board:
    models = [
        sources.Model(model, model, published=published)
        for model in sorted({row["model"] for row in lines})
    ]
    return content.Board(
        "arousal",
        name,
        name,
        published,
        models,
        results.frame(lines),
        {},
        {"correctness_regression": "correctness"},
    )


#: a catalog without datasets
NO_CATALOG = type("Benchmark", (), {"datasets": {}})()


def made(boards: list[content.Board]) -> Any:
    facts = content.TestFacts("correctness_regression", "Regression", "correctness")
    tests = {facts.id: facts}
    values = {"comparisons": [], "tests": tests, "benchmark": NO_CATALOG}
    values["dataset"] = staticmethod(str)
    return type("Content", (), {"boards": {"arousal": boards}, **values})()


def test_verdicts_are_compared_by_key_never_by_place() -> None:
    """A31: the candidate has its rows in another order, one of them is missing."""
    before = {
        ("t", "ccc", Key(data, "original", "")): score(0.4, status)
        for data, status in (("d1", "pass"), ("d2", "fail"), ("d3", "pass"), ("d4", "skip"))
    }
    after = {
        ("t", "ccc", Key(data, "original", "")): score(0.6, status)
        for data, status in (("d4", "pass"), ("d3", "pass"), ("d2", "pass"))
    }
    tests = {"t": content.TestFacts("t", "T", "correctness")}
    values = {"tests": tests, "benchmark": NO_CATALOG, "dataset": staticmethod(str)}
    facts = type("Content", (), values)()
    change = comparison._changes(facts, page.Page("x", "X"), "arousal", before, after)
    assert (change["shared"], change["only"]) == (2, [1, 1])
    assert [(row["data"], row["before"].text, row["after"].text) for row in change["gained"]] == [
        ("d2", "0.40", "0.60")
    ]
    assert change["lost"] == []


def test_own_and_published_models_meet_on_shared_cells_only() -> None:
    own = board([line("m", "d1", status="pass"), line("m", "mine")], published=False, name="run")
    paper = board([line("m", "d1"), line("m", "theirs")], published=True, name="published")
    (plan,) = comparison.planned(made([own, paper]), "arousal")
    assert plan.shared
    assert [len(found) for _, found in plan.sides] == [1, 1]
    assert [model.published for model, _ in plan.sides] == [True, False]


def sides(*verdicts: str) -> tuple[Any, comparison.Plan]:
    """Comparison of own models; a letter per dataset: p, f, or m for no answer of the model."""
    outcomes = {
        "p": {"status": "pass"},
        "f": {"status": "fail"},
        "m": {"status": "skip", "cause": "model", "value": math.nan},
    }
    rows = [
        line(name, f"d{number}", **outcomes[letter])
        for name, letters in zip("abc", verdicts, strict=False)
        for number, letter in enumerate(letters)
    ]
    facts = made([board(rows, published=False, name="run")])
    facts.label, facts.method_pages = str, frozenset(["method/ranking"])
    (plan,) = comparison.planned(facts, "arousal")
    return facts, plan


def shown(facts: Any, plan: comparison.Plan) -> str:
    html = comparison.page(facts, "arousal", plan).html
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def test_a_comparison_says_on_how_many_cells_and_whether_models_differ() -> None:
    text = shown(*sides("pppppppp", "ffffffff", "ppppppff"))
    assert "compared on the same 8 cells" in text
    assert "c cannot be told apart from a: −25.0 percentage points (p = " in text
    assert "b is worse than a by 100.0 percentage points (p < 0.001)" in text


def test_a_comparison_counts_an_answer_that_is_missing_as_the_ranking_does() -> None:
    """A model that answers in two of eight cells does not get the share of these two."""
    facts, plan = sides("ppppppff", "ppmmmmmm")
    assert plan.scores == (Fraction(3, 4), Fraction(1, 4))
    _, regression = [
        [cell["share"] for cell in row["cells"]]
        for group in comparison._shares(facts, page.Page("x", "x"), "arousal", plan)
        for row in group["rows"]
    ]
    assert regression == [Fraction(3, 4), Fraction(1, 4)]


def test_where_nothing_can_be_told_a_comparison_says_so_without_a_p_value() -> None:
    text = shown(*sides("pp", "ff"))
    assert "b cannot be told apart from a" in text
    assert "Cannot tell: with fewer than 6 pairs" in text
    assert "p = " not in text and "p values" not in text


def test_the_front_page_says_how_many_models_may_be_the_best() -> None:
    html = field_html("ppppppff", "ppppppff", "fppppppf")
    assert "3 of 3" in html and "may be the best" in html.lower()
    assert "1 of 2" in field_html("pppppppp", "ffffffff")


def test_a_ranking_numbers_models_only_where_their_place_is_sure() -> None:
    alike = {"a": "ppppppff", "b": "fpppppfp"}
    apart = {"a": "pppppppp", "b": "ffffffff"}
    places = []
    for verdicts in (alike, apart):
        rows = [
            line(name, f"d{number}", status="pass" if letter == "p" else "fail")
            for name, letters in verdicts.items()
            for number, letter in enumerate(letters)
        ]
        html = ranking_html(rows).replace('\\"', '"')
        table = html[html.index('class="ranking standings') :].split("</table>")[0]
        places.append(re.findall(r'<span class="place">(.*?)</span>', table)[:2])
        if verdicts is alike:
            assert "has the highest score, " in re.sub(r"<[^>]+>", "", html)
        else:
            assert "is the best, with a score of" in html
    assert places == [[], ["1", "2"]]


def field_html(*verdicts: str) -> str:
    facts, _ = sides(*verdicts)
    facts.description = str
    return field.field(facts)


def test_a_test_page_leads_to_where_thresholds_come_from() -> None:
    """The section that pages of tests link exists under this address."""
    prose = (paths.DOCS / f"{testpages.VERDICT}.rst").read_text("utf-8").splitlines()
    titles = [a for a, b in pairwise(prose) if b and set(b) == {"-"} and len(a) == len(b)]
    assert testpages.THRESHOLDS in [title.lower().replace(" ", "-") for title in titles]
    html = render.render(
        "test.j2",
        facts=content.TestFacts("t", "T", "correctness"),
        method="",
        thresholds="../../method/verdict.html#x",
        compare="",
        siblings=[],
        boards=[],
        data=[],
    )
    assert '<a href="../../method/verdict.html#x">Why these thresholds?</a>' in html


def test_no_comparison_without_shared_data() -> None:
    own = board([line("m", "mine")], published=False, name="run")
    paper = board([line("m", "theirs")], published=True, name="published")
    (plan,) = comparison.planned(made([own, paper]), "arousal")
    assert not plan.telling


# -- boards ---------------------------------------------------------------------------------------


def test_a_model_that_was_never_run_is_shown_without_a_place() -> None:
    own = board([line("a", "d1", status="pass")], published=False, name="run")
    own.models.append(sources.Model("away", "away"))
    assert [(r.model.id, r.position, r.remark) for r in own.ranking] == [
        ("a", 1, ""),
        ("away", None, "not run"),
    ]


def test_mean_over_tests_and_pooled_share_differ() -> None:
    rows = [line("a", f"d{n}", status="pass") for n in range(9)]
    rows.append(line("a", "d", test="correctness_distribution", status="fail"))
    made_board = board(rows, published=False, name="run")
    made_board.families = dict.fromkeys(("correctness_regression", rows[-1]["test"]), "correctness")
    (ranked,) = made_board.ranking
    assert (ranked.total.share, ranked.mean) == (Fraction(9, 10), Fraction(1, 2))


# -- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["..", "../x", "a/b", "a b", "", "CON?", "ü", "a" * 300, ".x", "x."]
)
def test_no_name_leaves_its_folder(name: str) -> None:
    made_slug = page.slug(name)
    assert Path("x", made_slug).parent == Path("x")
    assert made_slug not in ("", ".", "..")
    assert len(made_slug) < 100
    assert made_slug == page.slug(name) != page.slug(name + "2")


def test_a_metric_has_one_name_and_at_most_an_abbreviation() -> None:
    for entry in METRICS:
        full, short = metric_names(entry.id)
        assert short == full or short.isupper()
    assert metric_names("class_proportion_spearmans_rho") == ("Spearman's rho", "Spearman's rho")
    assert metric_names("percentage_unchanged_classes")[1] == "Percentage Unchanged Predictions"
    page = (paths.DOCS / "method" / "metrics.rst").read_text("utf-8")
    stated = dict(re.findall(r"^``(\w+)``: (.+)$", page, re.MULTILINE))
    assert stated.keys() <= set(METRICS.names())
    assert stated == {name: metric_names(name)[0] for name in stated}


def test_titles_are_text() -> None:
    """Whatever they look like: markup, places of patterns, or brackets of a slot."""
    name = "*a* `b`_ <c> & @above@ --> -1"
    made_page = page.Page("results/x/y", name, "<p>&lt;</p>", [page.Section("s", "|d|")])
    assert page.sections_of(made_page.data, ["s"]) == made_page.sections
    pattern = (
        '<!--@about:{"title": "@title@", "url": "https://x.org/a/results/_/pattern.html"}-->'
        '<title>@title@</title>\n<li><a href="../index.html">@above@</a></li>'
    )
    frame = patterns.frame(pattern, made_page.doc, name, [("results/index", "@title@")])
    shown = "*a* `b`_ ‹c› &amp; @above@ --› −1"
    assert frame.endswith(f'<title>{shown}</title>\n<li><a href="../index.html">@title@</a></li>')
    (about,) = slots.ABOUT.findall(frame)
    assert json.loads(about) == {
        "title": "*a* `b`_ ‹c› & @above@ --› −1",
        "url": "https://x.org/a/results/x/y.html",
    }


def test_templates_escape_everything() -> None:
    """No template switches escaping off."""
    for template in sorted(render.TEMPLATES.glob("*.j2")):
        assert not re.search(r"\bsafe\b|autoescape", template.read_text("utf-8")), template
    assert render.render("text.j2", text="<b>&") == "<p>&lt;b&gt;&amp;</p>"


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(Exception, match="'text' is undefined"):
        render.render("text.j2")


def test_an_entry_never_hides_a_method_of_its_dictionary() -> None:
    """Names of files and models of strangers are entries, too."""
    text = "{% for k, v in a.items() %}{{ k }}={{ v }} {% endfor %}{{ a.b }}{{ a.c is defined }}"
    template = render.environment().from_string(text)
    assert template.render(a={"items": 1, "b": 2}) == "items=1 b=2 2False"


# -- formulas -------------------------------------------------------------------------------------


def test_formula_becomes_mathml_with_its_source() -> None:
    made_math = mathml(r"\frac{a < b}{\sqrt{c}}", block=True)
    assert made_math.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">')
    assert "<mfrac>" in made_math and "<msqrt>" in made_math
    assert r"\frac{a &lt; b}{\sqrt{c}}</annotation>" in made_math


def test_unknown_command_is_an_error() -> None:
    with pytest.raises(MathError, match="foo"):
        mathml(r"\foo{x}", block=False)


# -- mirror ---------------------------------------------------------------------------------------


def write(folder: Path, name: str, text: str = "x") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in listing(folder)]


def test_files_are_listed_in_the_order_of_their_paths(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for name in ("a/b.txt", "a-b.txt", "a/c/d.txt", "a.txt", ".hidden", "ä/x"):
        path = tmp_path / "here" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    outside.mkdir()
    (outside / "secret.txt").write_text("not ours")
    (tmp_path / "here" / "link").symlink_to(outside)
    (tmp_path / "here" / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "here" / "itself").symlink_to(tmp_path / "here" / "itself")
    files = sorted(path for path in (tmp_path / "here").rglob("*") if not path.is_dir())
    assert listing(tmp_path / "here") == files and tmp_path / "here" / "itself" in files
    assert names_below(tmp_path / "here")[:3] == [".hidden", "a/b.txt", "a/c/d.txt"]
    assert names_below(tmp_path / "gone") == []


def test_mirror_touches_only_what_changed(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    write(source, "a/same"), write(source, "a/other"), write(source, "gone/x")
    mirror(source, copy)
    times = {path.name: path.stat().st_mtime_ns for path in listing(copy)}
    write(source, "a/other", "longer"), write(source, "new")
    (source / "gone" / "x").unlink()
    mirror(source, copy)
    assert names(copy) == ["a/other", "a/same", "new"]
    assert (copy / "a" / "same").stat().st_mtime_ns == times["same"]
    assert (copy / "a" / "other").read_text() == "longer"
    assert not (copy / "gone").exists()


def test_mirror_skips_keeps_and_stops(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    write(source, "skipped/x"), write(source, "a/b/c/deep"), write(source, "a/b/near")
    write(copy, "kept/y"), write(copy, "stale/z")
    mirror(source, copy, skip=["skipped"], keep=["kept"], deep=3)
    assert names(copy) == ["a/b/near", "kept/y"]


def test_mirror_links_where_it_can(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    figure = write(source, "figure.png")
    mirror(source, copy, link=True)
    assert (copy / "figure.png").samefile(figure)
    figure.unlink()
    write(source, "figure.png", "drawn anew")
    mirror(source, copy, link=True)
    assert (copy / "figure.png").read_text() == "drawn anew"


def test_mirror_of_nothing_is_nothing(tmp_path: Path) -> None:
    write(tmp_path / "copy", "stale")
    mirror(tmp_path / "absent", tmp_path / "copy")
    assert names(tmp_path / "copy") == []


# -- benchmark ------------------------------------------------------------------------------------


def test_benchmark_builds_four_states_of_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, bytes]] = []

    def build(folder: Path) -> Stopwatch:
        seen.append({name: (folder / name).read_bytes() for name in names(folder)})
        watch = Stopwatch()
        watch.wall_s, watch.processor_s = len(seen), 10 * len(seen)
        return watch

    monkeypatch.setattr(site, "_build", build)
    found = site.bench_site(tmp_path)
    assert [found.pop(f"{name}: processor time") for name in site.LIMITS] == [10, 20, 30, 40]
    assert found == dict(zip(site.LIMITS, (1, 2, 3, 4), strict=True))
    clean, added, changed, same = seen
    assert clean == {}
    assert len([name for name in added if name.endswith("manifest.json")]) == 4
    assert len([name for name in added if name.endswith(".csv")]) == 16 * 3 + 15
    (moved,) = [name for name in added if added[name] != changed[name]]
    assert sum(a != b for a, b in zip(added[moved], changed[moved], strict=False)) > 0
    assert changed == same


def test_the_second_verdict_stands_in_the_cell() -> None:
    found = {"ci_low": 0.4, "ci_high": 0.6123, "clusters": 1200, "n": 5}
    found |= {"mde_above": 0.14, "mde_below": 0.16}
    rows = [
        line("a", "d", certain="cannot tell", **found),
        line("b", "d", value=0.9, ci_low=0.8, ci_high=1.0, certain="passes", status="pass"),
        line("b", "e", value=0.1, ci_low=0.0, ci_high=0.2, certain="fails"),
    ]
    table = tables.by_models("x", one(rows), COLUMNS)
    first, second = cells_of(table.blocks[0].lines[0])
    assert (first.interval, first.doubt) == ("0.40 to 0.61", "cannot tell")
    assert first.more == "1\u202f200 clusters, mde 0.140 above, 0.160 below"
    assert (second.interval, second.doubt, second.more) == ("0.80 to 1.00", "", "")
    assert table.sure == (1, 1, 1)


def test_an_end_of_an_interval_is_not_rounded_onto_the_threshold() -> None:
    rows = [line("a", "d", ci_low=0.4, ci_high=0.5004, certain="cannot tell")]
    (cell,) = cells_of(tables.by_models("x", one(rows), COLUMNS[:1]).blocks[0].lines[0])
    assert cell.interval == "0.40 to 0.5004"


def test_without_intervals_nothing_is_said_about_certainty() -> None:
    table = tables.by_models("x", one([line("a", "d")]), COLUMNS[:1])
    assert table.sure.judged == 0
    html = render.render("scores.j2", table=table, label="x")
    assert "cannot tell" not in html
    assert "nan" not in html


def test_a_change_between_models_is_certain_if_both_verdicts_are() -> None:
    def side(values: dict[str, str]) -> comparison.Cells:
        scores = {
            key: line("m", key, status="pass" if sure == "passes" else "fail", certain=sure)
            for key, sure in values.items()
        }
        made_board = board(list(scores.values()), published=False, name="run")
        return {
            ("correctness_regression", "ccc", key): score
            for key, score in made_board.scores.of_model("m")["correctness_regression"][
                "ccc"
            ].items()
        }

    before = side({"d1": "fails", "d2": "cannot tell", "d3": "fails"})
    after = side({"d1": "passes", "d2": "passes", "d3": "fails"})
    made_board = board([line("m", "d1")], published=False, name="run")
    found = comparison._changes(made([made_board]), page.Page("x", "x"), "arousal", before, after)
    assert (len(found["gained"]), found["known"], found["certain"]) == (2, 2, 1)


# -- little to go by --------------------------------------------------------------------------


def ranking_html(rows: list[dict[str, Any]], *chance: str) -> str:
    """Text of the ranking page of an own run with these rows."""
    own = board(rows, published=False, name="run")
    own.models[:] = [dataclasses.replace(m, chance=m.id in chance) for m in own.models]
    own.families = {row["test"]: row["test"].split("_")[0] for row in rows}
    facts = {
        test: content.TestFacts(test, test.title(), family) for test, family in own.families.items()
    }
    everything = content.Content(
        benchmark=load_benchmark(),
        paths=paths.Paths(),
        boards={"arousal": [own]},
        tests=facts,
        comparisons=[],
        method_pages=frozenset(["method/ranking"]),
        table=own.table,
        manifests={},
        stale={},
    )
    made_page = rankings.ranking(everything, "arousal", [])
    html = made_page.data.decode() + field.field(everything)
    assert not re.search(r"\b(nan|None|inf)\b", html), re.findall(
        r".{40}\b(?:nan|None|inf)\b", html
    )
    return html


def test_shares_of_tests_are_those_that_make_the_score() -> None:
    """A model that answers in two of eight cells passes a quarter of them, not all."""
    rows = [line("a", f"d{n}", status="pass") for n in range(8)]
    rows += [line("b", f"d{n}", status="pass") for n in range(2)]
    rows += [line("b", f"d{n}", status="skip", cause="model", value=math.nan) for n in range(2, 8)]
    html = ranking_html(rows).replace('\\"', '"')
    table = html[html.index("Share of passed cells per test and model") :]
    assert "2 of 8 cells passed, 6 without a verdict" in table
    assert "25.0 %" in table[: table.index("</table>")]


def test_models_with_disjoint_tests_are_not_compared() -> None:
    rows = [line("a", "d"), line("b", "d", test="correctness_distribution")]
    html = ranking_html(rows)
    assert "No common tests" in html
    assert "Ranks" not in html


def test_two_models_on_a_single_cell_cannot_be_told_apart() -> None:
    html = ranking_html([line("a", "d", status="pass"), line("b", "d")])
    assert "Cannot tell" in html
    assert "fewer than 6 pairs" in html
    assert "One tier" in html


def test_a_single_model_has_nothing_to_be_compared_with() -> None:
    html = ranking_html([line("a", "d", status="pass"), line("dice", "d")], "dice")
    assert "There is no other model to compare it with." in html
    assert "By chance" in html


def test_models_without_any_verdict_have_no_ranking() -> None:
    html = ranking_html([line(name, "d", status="skip", value=math.nan) for name in "ab"])
    assert "No model has a verdict yet." in html


def test_chance_that_passes_everything_leaves_nothing_beyond_it() -> None:
    rows = [line(name, f"d{n}", status="pass") for name in ("a", "b", "dice") for n in range(7)]
    html = ranking_html(rows, "dice")
    assert "A chance model passes every correctness test" in html


def test_only_a_chance_model_was_run() -> None:
    assert "No model has a verdict yet." in ranking_html([line("dice", "d")], "dice")


def test_one_speaker_only_is_wide_and_cannot_tell() -> None:
    found = {"ci_low": -1.0, "ci_high": 1.0, "clusters": 1, "mde_above": 2.1, "mde_below": 0.7}
    rows = [line("a", "d", certain="cannot tell", **found)]
    (cell,) = cells_of(tables.by_models("x", one(rows), COLUMNS[:1]).blocks[0].lines[0])
    assert (cell.interval, cell.doubt) == ("−1.00 to 1.00", "cannot tell")
    assert cell.more == "1 cluster, mde 2.100 above, 0.700 below"


def test_an_interval_without_ends_is_told_without_numbers() -> None:
    rows = [line("a", "d", clusters=1, certain="cannot tell")]
    (cell,) = cells_of(tables.by_models("x", one(rows), COLUMNS[:1]).blocks[0].lines[0])
    assert (cell.interval, cell.doubt, cell.more) == ("", "cannot tell", "1 cluster")


# -- people -----------------------------------------------------------------------------------


def test_raters_stand_beside_models_and_chance() -> None:
    rows = [line("a", "d", value=0.4), line("dice", "d", value=0.02), line("a", "e", value=0.3)]
    own = board(rows, published=False, name="run")
    own.models[:] = [dataclasses.replace(m, chance=m.id == "dice") for m in own.models]
    rated = line("one-rater", "d", value=0.6, ci_low=0.55, ci_high=0.65, note="9 ratings")
    own.people = results.frame([rated])
    (strip,) = strips.strips(own, "correctness_regression")
    assert strip["title"] == "Concordance Correlation Coeff, d"
    assert strip["text"] == "chance 0.020, best model 0.400 (a), one rater 0.600 (0.550 to 0.650)"
    assert strip["rater"] == {"left": "55.00%", "right": "65.00%", "at": "60.00%"}
    assert [mark["css"] for mark in strip["marks"]] == ["model", "chance"]
    raters = own.raters["correctness_regression"]["ccc"]
    table = tables.by_models(
        "x", own.scores.of_test("correctness_regression")["ccc"], COLUMNS, raters
    )
    assert [cell.text for cell in cells_of(table.blocks[0].lines[0])] == ["0.40", "0.02", "0.60"]
    assert [cell.text for cell in cells_of(table.blocks[0].lines[1])] == ["0.30", "", ""]
    assert cells_of(table.blocks[0].lines[0])[2].note == ""


def test_without_raters_nothing_is_drawn() -> None:
    assert strips.strips(board([line("a", "d")], published=False, name="run"), "x") == []


def test_a_long_table_is_folded_and_says_how_many_cells_fail() -> None:
    rows = [line("a", f"d{n}", status="fail" if n < 3 else "pass") for n in range(41)]
    table = tables.by_models("x", one(rows), COLUMNS[:1])
    assert (table.rows, table.failed, table.is_long) == (41, 3, True)
    html = render.render("scores.j2", table=table, label="x")
    assert html.startswith('<details class="folded long"><summary>41 lines, ')
    assert "3 failed cells" in html.partition("</summary>")[0]
    assert html.rstrip().endswith("</details>")
    short = tables.by_models("x", one(rows[:40]), COLUMNS[:1])
    assert not short.is_long and "<details" not in render.render(
        "scores.j2", table=short, label="x"
    )


def test_a_module_that_was_compiled_is_no_new_content(tmp_path: Path) -> None:
    """``extra/published`` holds a module; whether somebody imported it decides about no page."""
    for name in ("make.py", "a/rows.csv"):
        files.write_text(tmp_path / name, name)
    before = contents(tmp_path)
    compiled = tmp_path / "__pycache__" / "make.cpython-311.pyc"
    files.write_text(compiled, "compiled")
    assert contents(tmp_path) == before
    files.write_text(tmp_path / "a" / "more.csv", "more")
    assert [name for name, _ in contents(tmp_path)] == [
        "a/more.csv",
        "a/rows.csv",
        "make.py",
    ]
