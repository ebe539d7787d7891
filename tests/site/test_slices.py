"""The section of a model's page on slices in which it is worse."""

from __future__ import annotations

import html
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from common.core import files
from common.core.paths import Paths
from common.results.manifest import Manifest
from common.results.slices import CONFIRMED, TRIED, to_csv
from common.spec import kinds, load_benchmark
from tests.site.conftest import HOSTILE, slice_row

from benchmark_site import slices  # isort: skip
from benchmark_site.page import Page  # isort: skip
from benchmark_site.sources import Model  # isort: skip

MODEL = Model("alpha", "Alpha")


def _content(tmp_path: Any, **more: Any) -> Any:
    values = {
        "benchmark": load_benchmark(),
        "paths": Paths(output=tmp_path),
        "manifests": {},
        "models": lambda target: [MODEL],
        "method_pages": frozenset({slices.HOWTO}),
    }
    return SimpleNamespace(**{**values, **more})


def _shown(content: Any, model: Model = MODEL, target: str = "arousal") -> str:
    page = Page("results/arousal/model/alpha", "Alpha")
    section = slices.section(content, page, target, model)
    return section.html if section else ""


def test_the_page_shows_what_is_confirmed_with_its_sounds(small: Any) -> None:
    page = small.page("results/arousal/model/alpha")
    part = page[page.index('id="slices"') : page.index('id="about"')]
    assert f"sex: {HOSTILE}" in html.unescape(part)
    assert "Worse than elsewhere in 1 of 3 slices tried" in part
    assert "+0.190" in part and "0.100 to 0.280" in part and "0.004" in part
    assert part.count("<audio") == 1 and 'src="../../../extra/media/samples/mine/a.flac"' in part
    assert "Found, but not confirmed (1)" in part and "−0.010" in part
    assert "Dice <b>0.33</b>" in part and "gone" not in part  # a model without results any more
    assert "length:" not in part  # what was only tried is in the file
    assert "<script" not in part


def test_without_a_search_the_command_is_named(tmp_path: Any) -> None:
    shown = _shown(_content(tmp_path))
    assert "python build.py slices --target arousal --model alpha" in shown
    assert "howto/find_where_it_fails.html" in shown
    assert "<a " not in _shown(_content(tmp_path, method_pages=frozenset()))


def test_nothing_is_said_of_published_and_chance_models(tmp_path: Any) -> None:
    content = _content(tmp_path)
    assert not _shown(content, replace(MODEL, published=True))
    assert not _shown(content, replace(MODEL, chance=True))
    assert not _shown(content, target="nothing")


def test_slices_of_earlier_results_are_marked(tmp_path: Any) -> None:
    path = Paths(output=tmp_path).slices("arousal", "alpha", "mine")
    files.write_text(path, to_csv([slice_row("sex: female", CONFIRMED)]))
    cells = {"correctness_regression/mine": {"hash": "1"}}
    fresh = Manifest("arousal", {"id": "alpha"}, cells=cells)
    assert "earlier results" not in _shown(
        _content(tmp_path, manifests={("arousal", "alpha"): fresh})
    )
    assert "earlier results" in _shown(_content(tmp_path))


def test_nothing_confirmed_and_nothing_tried_are_told_apart(tmp_path: Any) -> None:
    path = Paths(output=tmp_path).slices("arousal", "alpha", "mine")
    files.write_text(path, to_csv([slice_row("sex: female", TRIED, q=math.nan)]))
    assert "None of 1 slices tried is confirmed" in _shown(_content(tmp_path))
    files.write_text(path, to_csv([]))
    assert "No slice is large enough" in _shown(_content(tmp_path))
    path.write_text("something else")
    assert "build.py slices" in _shown(_content(tmp_path))


def test_pages_of_sound_events_say_why_there_are_no_slices(tmp_path: Any) -> None:
    content = _content(tmp_path)
    targets = content.benchmark.targets.values()
    ragged = next(target.id for target in targets if kinds.of(target).is_ragged)
    page = Page("results/x/model/alpha", "Alpha")
    section = slices.section(content, page, ragged, MODEL)
    assert section is not None and "several events, found or missed" in section.html
    assert slices.section(content, page, ragged, replace(MODEL, published=True)) is None


def test_slices_have_the_signs_of_other_pages(small: Any) -> None:
    html = small.page("results/arousal/model/alpha")
    assert "F0: ≥ 200 Hz" in html and "F0: &gt;= 200 Hz" not in html
