"""The page that checks the conclusions of the paper."""

from __future__ import annotations

import re
from typing import Any

from benchmark_site import checked, hidden
from benchmark_site.content import load

from common.core.paths import Paths
from common.spec import load_benchmark


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_all_numbers_come_from_the_rows(tmp_path: Any) -> None:
    content = load(Paths(output=tmp_path), load_benchmark(), [])
    shown = words(checked.checked(content, hidden.counting(content)))
    assert "For 3 of 4 targets, every model that listens was judged on fewer cells" in shown
    assert "executed: 2 029." in shown
    assert "fewer cells of the test of text sentiment in 4 of 4 targets" in shown
    assert "this relation is certain for 1." in shown
    assert "No model has the largest share for every target" in shown
    assert "2 published cells pass with a reversed order" in shown
    # one row less moves what rests on it
    table = content.table
    content.table = table.drop(table.index[table["note"].str.contains("ignores the sign")][:1])
    assert "1 published cell passes with a reversed order" in words(
        checked.checked(content, hidden.counting(content))
    )


def test_what_is_not_there_is_not_concluded(small: Any) -> None:
    html = (small.folders.source / "results" / "checked.html").read_text("utf-8")
    assert "nan" not in words(html).lower()
    assert "in 0 of 2 targets; this relation is certain for 0." in words(html)
