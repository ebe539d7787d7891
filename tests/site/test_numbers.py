"""Every number on every page: a real minus, no signed zero, no verdict that seems wrong."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

#: what is no displayed number: code, scripts, ids, addresses and file names
SILENT = re.compile(r"<(script|style|code|pre|svg|title)\b.*?</\1>", re.S)
TAG = re.compile(r"<[^>]+>")
#: what is said in place of something, or about it
SAID = re.compile(r'\b(?:alt|title|aria-label|content)="([^"]*)"')
#: a hyphen before a digit that is no part of a name, and no version such as -2.0.0
HYPHEN = re.compile(r"(?<![\w.\-/)\]])-(?!\d+\.\d+\.)\.?\d")
ZERO = re.compile(r"[-−]0(\.0+)?(?![\d.])")
#: score tables with one rule: (rule, cells)
TABLE = re.compile(
    r'<table class="scores">\s*<caption>(?:<a\b[^>]*>[^<]*</a> )?passes if <code>(.*?)</code>(.*?)</table>',
    re.S,
)
CELL = re.compile(r'<td class="([pf])"[^>]*>(?:<a[^>]*>)?([−\d.e]+)(?:</a>)? <b')
RULE = re.compile(r"^(?P<bars>\|)?[^<>|]*\|? (?P<sign>[<>]) (?P<bound>−?[\d.]+)$")


def pages(small: Any) -> list[tuple[str, str]]:
    return [(path.name, path.read_text("utf-8")) for path in sorted(small.html.rglob("*.html"))]


def test_numbers_have_a_minus_and_zero_has_none(small: Any) -> None:
    for name, text in pages(small):
        visible = SILENT.sub(" ", text)
        shown = html.unescape(" ".join([TAG.sub(" ", visible), *SAID.findall(visible)]))
        for wrong in (HYPHEN, ZERO):
            found = wrong.search(shown)
            assert not found, f"{name}: {shown[max(0, found.start() - 60) : found.end() + 20]!r}"


def test_prose_and_its_tables_have_a_minus_and_code_is_left_alone(small: Any) -> None:
    shown = html.unescape(TAG.sub("", small.page("method/correctness_regression")))
    assert "From −0.15 to 0.00 on 2026-11-22." in shown and "x = -1 is code." in shown
    assert "−0.05" in shown and "10−3" in shown


def test_no_verdict_contradicts_its_number_and_its_rule(small: Any) -> None:
    judged = 0
    for name, text in pages(small):
        for rule, body in TABLE.findall(text):
            wanted = RULE.match(html.unescape(rule))
            if not wanted:
                continue
            bound = float(wanted["bound"].replace("−", "-"))
            for css, shown in CELL.findall(body):
                value = float(shown.replace("−", "-"))
                value = abs(value) if wanted["bars"] else value
                holds = value > bound if wanted["sign"] == ">" else value < bound
                assert holds == (css == "p"), f"{name}: {shown} beside {html.unescape(rule)}"
                judged += 1
    assert judged > 20


@pytest.mark.parametrize("text", ["at -0.05", "(-0.00 - -0.03)", "-.5"])
def test_the_patterns_find_what_they_look_for(text: str) -> None:
    assert HYPHEN.search(text)
    assert not HYPHEN.search("accents-2.2.0, 2026-11-22, M-7, gpt-4")
    assert ZERO.search("−0.00") and not ZERO.search("−0.03")
