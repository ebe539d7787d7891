"""Groups of fairness tests on the pages: the worst first, with q values of all comparisons."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from benchmark_site import groups, render

from common import results


def row(group: str, value: float, status: str = "pass", **more: Any) -> dict[str, Any]:
    return {
        "target": "t",
        "model": "m",
        "test": "fairness_sex",
        "data": "d-1.0.0",
        "condition": group,
        "reference": "all",
        "metric": "ccc",
        "value": value,
        "n": 120,
        "ci_low": value - 0.1,
        "ci_high": value + 0.1,
        "criterion": "|x| < 0.2",
        "certain": "cannot tell",
        "status": status,
        **more,
    }


ROWS = [
    row("female", 0.1, p_value=0.04, effect=0.21),
    row("male, de", -0.3, "fail", p_value=0.01, effect=-0.5, label="(0.5, inf]"),
    row("male, de", 0.05, p_value=0.5),
    # half of a wide bound is less than half of a narrow one
    row("female", 0.06, metric="uar", criterion="|x| < 0.075", p_value=np.nan),
    row("male", np.nan, "skip", ci_low=np.nan, ci_high=np.nan, reason="few"),
    row("male", 0.9, "fail", reference=""),
]


def shown(made: groups.Groups, title: str, method: str) -> str:
    module = render.environment().get_template("groups.j2").module
    return str(module.of_model(made, title, method, str))  # type: ignore[attr-defined]


@pytest.fixture
def found() -> groups.Groups:
    made = groups.of_rows(results.frame(ROWS))
    assert made is not None
    return made


def test_the_worst_group_comes_first_and_each_has_one_line(found) -> None:
    assert [c.group for c in found.worst] == ["male, de", "female"]
    assert [c.value for c in found.worst] == ["−0.30", "0.06"]
    assert [c.severity for c in found.every] == pytest.approx([1.5, 0.8, 0.5, 0.25])


def test_a_difference_as_large_as_its_bound_is_said_to_equal_it() -> None:
    rows = [
        row("female", 0.07500000000000001, "fail", criterion="|x| < 0.075"),
        row("male", -0.07499999999999998, criterion="|x| < 0.075"),
        row("other", 0.075, "fail", criterion="|x| < 0.075"),
        row("none", 0.07499, criterion="|x| < 0.075"),
    ]
    made = groups.of_rows(results.frame(rows))
    assert made is not None
    rounded, text = "equals the bound but for rounding", shown(made, "Sex", "fairness_sex")
    assert {c.group: (c.value, c.on_bound, c.word) for c in made.every} == {
        "female": ("0.075", rounded, "fail"),
        "male": ("−0.075", rounded, "pass"),
        "other": ("0.075", "equals the bound", "fail"),
        "none": ("0.07499", "", "pass"),
    }
    assert f"; it {rounded}" in text and f"<small>{rounded}</small>" in text


def test_q_values_are_those_of_all_comparisons(found) -> None:
    q = scipy.stats.false_discovery_control([0.04, 0.01, 0.5])
    shown = {c.p: c.q for c in found.every}
    assert shown == {
        "0.040": f"{q[0]:.3f}", "0.010": f"{q[1]:.3f}", "0.500": f"{q[2]:.3f}", "": ""
    }  # fmt: skip
    assert (found.found, found.tested, found.skipped) == (1, 3, 1)


def test_what_stands_beside_a_group(found) -> None:
    worst = found.worst[0]
    assert worst.what == "Concordance Correlation Coeff · (0.5, ∞)"
    assert (worst.n, worst.interval, worst.effect) == ("120", "−0.400 to −0.200", "−0.50")
    assert (worst.word, worst.certain, worst.rule) == ("fail", "cannot tell", "|difference| < 0.2")


def test_names_of_data_only_where_they_differ() -> None:
    other = [row("a", 0.1), row("a", 0.15, data="e-1.0.0"), row("b", 0.05, data="d-1.0.0-b")]
    made = groups.of_rows(results.frame(other))
    assert made is not None
    assert [(c.group, c.data) for c in made.worst] == [
        ("a", "e-1.0.0"), ("a", "d-1.0.0"), ("b", "")
    ]  # fmt: skip


def test_a_score_without_a_sample_is_not_the_worst() -> None:
    """A precision is 0 by definition where nothing is predicted."""
    made = groups.of_rows(results.frame([row("a", -0.9, "fail", n=0), row("b", 0.1)]))
    assert made is not None and [c.group for c in made.worst] == ["b", "a"]


def test_nothing_to_show_without_a_verdict() -> None:
    assert groups.of_rows(results.frame([])) is None
    assert groups.of_rows(results.frame([ROWS[4], ROWS[5]])) is None


def test_only_fairness_tests_have_groups() -> None:
    table = results.frame([*ROWS, *({**line, "test": "other"} for line in ROWS)])
    families = {"fairness_sex": "fairness", "other": "robustness"}
    tested = groups.TestGroups(table, families)
    mine, alone = tested.get("m", "fairness_sex"), groups.of_rows(table[: len(ROWS)])
    assert mine is not None and alone is not None
    assert (mine.every, mine.worst, mine.gaps) == (alone.every, alone.worst, alone.gaps)
    assert tested.get("m", "other") is None and tested.get("n", "fairness_sex") is None


def test_the_sentence_and_the_table(found) -> None:
    html = shown(found, "<b>", "m.html")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))
    assert text.strip().startswith(
        "Most disadvantaged: male, de. Concordance Correlation Coeff · (0.5, ∞) is 0.30 lower "
        "than for all groups together. The difference passes if |difference| &lt; 0.2; n 120, "
        "95 % interval −0.400 to −0.200. Verdict: ✗ fail; by the interval: cannot tell."
    )
    assert "1 of 3 comparisons differ with q &lt; 0.05" in text
    assert "1 cell has no verdict" in text and "All 4 comparisons" in text
    assert not re.search(r"<b(?! aria-hidden)", re.sub("<b>(pass|fail|skipped)</b>", "", html))
    assert html.count("<table") == html.count("</table>") == 2


def test_verdicts_on_fairness_stand_beside_bound_and_p() -> None:
    lines = [
        row("a", 0.3, "fail", bound="published", p_adjusted=0.0004, fairness="unfair"),
        row("b", 0.1, bound="published", p_adjusted=0.4, fairness="fair within 0.2"),
        row("b", 0.05, metric="uar", bound="published", p_adjusted=1, fairness="fair within 0.2"),
    ]
    made = groups.of_rows(results.frame([{**line, "p_value": 0.0001} for line in lines]))
    assert made is not None
    assert made.outcomes == {"fair within its bound": 2, "unfair": 1}
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", shown(made, "t", "m.html")))
    assert "The difference passes if |difference| &lt; 0.2 (published bound)" in text
    assert "by permuting speakers: unfair (p &lt; 0.001)." in text
    assert made.first.p == made.first.q == "< 0.001"
    assert "Fairness: 2 fair within its bound, 1 unfair." in text
    assert (
        "Fairness"
        not in shown(groups.of_rows(results.frame(ROWS[:1])), "t", "").split('<p class="quiet')[0]
    )


def test_published_rows_have_neither_n_nor_interval() -> None:
    nothing = dict.fromkeys(("n", "ci_low", "ci_high", "p_value", "effect"), np.nan)
    table = results.frame([row("female", 0.1, certain="", **{**nothing, "n": pd.NA})])
    made = groups.of_rows(table)
    assert made is not None and made.tested == 0
    html = shown(made, "t", "")
    assert "interval:" not in html and "nan" not in html.lower() and "q &lt;" not in html


def test_the_disadvantaged_group_is_named_and_not_the_favoured_one() -> None:
    """CCC of men is 0.10 above that of all, that of women 0.08 below: women come first."""
    made = groups.of_rows(results.frame([row("male", 0.10, "fail"), row("female", -0.08, "fail")]))
    assert made is not None
    assert [(c.group, c.size, c.side, c.worse) for c in made.worst] == [
        ("female", "0.08", "lower", True),
        ("male", "0.10", "higher", False),
    ]
    text = re.sub(r"<[^>]+>", "", shown(made, "t", ""))
    assert "Most disadvantaged: female. Concordance Correlation Coeff is 0.08 lower than" in text


def test_of_an_error_the_higher_one_is_worse() -> None:
    made = groups.of_rows(
        results.frame([row("a", 0.05, metric="mae"), row("b", -0.08, metric="mae")])
    )
    assert made is not None and made.worst[0].group == "a"
    assert groups.disadvantage("mean_directional_error", -0.5) is None


def test_the_difference_between_two_groups_has_the_interval_of_the_run() -> None:
    rows = [
        row("female", -0.08, "fail", gap=-0.18, gap_low=-0.3, gap_high=-0.05),
        row("male", 0.10, "fail"),
    ]
    made = groups.of_rows(results.frame(rows))
    assert made is not None and made.pairs
    (gap,) = made.gaps
    assert (gap.first, gap.second, gap.value) == ("female", "male", "−0.18")
    assert gap.interval == "−0.300 to −0.050"
    assert "Between the two groups" in shown(made, "t", "")
    published = groups.of_rows(
        results.frame(
            [{**line, "gap": np.nan, "gap_low": np.nan, "gap_high": np.nan} for line in rows]
        )
    )
    assert published is not None and published.gaps[0].interval == ""
    assert "without an interval" in shown(published, "t", "")


def test_the_difference_between_two_groups_is_shown_for_each_model() -> None:
    def model(female: float, male: float) -> groups.Groups:
        rows = [
            row("female", female),
            row("male", male),
            row("female", female / 2, label="(-inf, 0.5]"),
        ]
        made = groups.of_rows(results.frame([*rows, row("male", male, label="(-inf, 0.5]")]))
        assert made is not None
        return made

    table = groups.differences([model(-0.05, 0.03), model(0.02, -0.1)])
    shown_gaps = [(about.what, [gap and gap.value for gap in gaps]) for about, gaps in table]
    name = "Concordance Correlation Coeff"
    assert shown_gaps == [
        (name, ["−0.080", "+0.12"]),
        (f"{name} · (−∞, 0.5]", ["−0.055", "+0.11"]),
    ]
    links = [{"label": name, "href": "#"} for name in ("first", "second")]
    module = render.environment().get_template("groups.j2").module
    html = str(module.differences(table, links, "t", str))  # type: ignore[attr-defined]
    assert "Female minus male: the differences of all models" in html
    assert "Score of female minus that of male" in html
    several = groups.of_rows(results.frame([row("a", 0.1), row("b", -0.2), row("c", 0.0)]))
    assert several is not None and groups.differences([several]) == []


def test_of_several_groups_the_largest_minus_the_smallest() -> None:
    made = groups.of_rows(results.frame([row("a", 0.1), row("b", -0.2), row("c", 0.0)]))
    assert made is not None and not made.pairs
    assert [(g.first, g.second, g.value, g.interval) for g in made.gaps] == [
        ("a", "b", "+0.30", "")
    ]


def test_groups_are_of_data_that_have_the_names_of_other_tables(small: Any) -> None:
    html = small.page("results/arousal/fairness_sex") + small.page(
        "results/arousal/published/wavlm"
    )
    assert "MSP-Podcast, 2.6.1-emotion" in html
    for shown in re.findall(r'<p class="(?:worst|gap)">.*?</p>|<small>.*?</small>', html, re.S):
        assert "msppodcast-" not in shown
