"""Cost beside quality: the drawing, the page, entries on pages of models, downloads."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import costs, modelpages, rankings
from benchmark_site.content import Content, load
from benchmark_site.memory import Inputs
from benchmark_site.sources import cost_facts

from common.core import display
from common.core.paths import Paths
from common.figures.cost import MOST, CostPoint, cost_svg, describe_costs, frontier
from common.results import cost
from common.results.cost import CostRow, ModelCost
from common.results.manifest import Manifest
from common.results.published import foundations
from common.spec import load_benchmark

from .conftest import HOSTILE, write_model

POINTS = [
    CostPoint("small", 80e6, 0.6, True),
    CostPoint("middle", 95e6, 0.7),
    CostPoint("large", 317e6, 0.65),
    CostPoint("best", 317e6, 0.8, True),
]


def measured(model: str, duration_s: float, **more: Any) -> CostRow:
    content: dict[str, Any] = {
        **{"model": model, "version": "1.0.0", "fingerprint": "f", "protocol": 1},
        **{"device": "cpu", "threads": 1, "processor": f"Fast {HOSTILE}", "packages": "numpy=2"},
        **{"date": "2026-11-23", "load_s": 0.1, "idle_bytes": 50_000_000, "peak_bytes": 64_800_000},
        **{"duration_s": duration_s, "calls": 9, "first_s": 0.3, "latency_s": 0.012 * duration_s},
        **{"fastest_s": 0.01, "slowest_s": 0.5, "real_time_factor": 0.012},
    }
    return CostRow(**{**content, **more})


def note(folders: Paths, model: str, **facts: Any) -> None:
    path = folders.manifest("arousal", model)
    content = json.loads(path.read_text("utf-8"))
    content["model"] |= {"fingerprint": "f", **facts}
    path.write_text(json.dumps(content), "utf-8")


@pytest.fixture
def folders(tmp_path: Path) -> Paths:
    """Results of two models and a chance model; one of the two was measured."""
    folders = Paths(tmp_path / "out", tmp_path / "cache")
    for model, label in (("alpha", f"Alpha {HOSTILE}"), ("beta", "Beta")):
        write_model(folders, model, label)
    write_model(folders, "dice", "Dice", chance=True)
    facts = {"parameters": 94_371_712, "size_bytes": 361_514_041, "parameters_from": "files"}
    note(folders, "alpha", **facts)
    note(folders, "beta", parameters=1234, size_bytes=None, parameters_from="entry")
    cost.add(folders.cost, [measured("alpha", seconds) for seconds in (3.0, 10.0)])
    return folders


def content_of(folders: Paths) -> Content:
    return load(folders, load_benchmark(), ["method/cost"])


def own(content: Content, name: str) -> Any:
    return next(m for m in content.models("arousal") if m.id == name and not m.published)


# -- the drawing -----------------------------------------------------------------------------


def test_models_that_no_cheaper_one_beats() -> None:
    assert [point.label for point in frontier(POINTS)] == ["small", "middle", "best"]
    assert frontier([CostPoint("a", 1, 0.5), CostPoint("b", 1, 0.7)]) == [CostPoint("b", 1, 0.7)]


def test_the_finding_names_the_best_and_cheaper_ones() -> None:
    assert describe_costs(POINTS, lambda c: display.amount(int(c)), "smallest") == (
        "best (317 M) has the highest score, 80.0 %. small (80 M) is the smallest that cannot be "
        "told apart from the best. middle (95 M) scores higher than all models that cost no more."
    )
    cheap = [CostPoint("a", 1, 0.9, True), CostPoint("b", 2, 0.5)]
    assert describe_costs(cheap, "{:g}".format, "fastest").endswith("It is also the fastest.")
    equal = [CostPoint("a", 1, 0.9, True), CostPoint("b", 2, 0.9, True)]
    said = describe_costs(equal, "{:g}".format, "fastest", lacking=2)
    assert said == "Of the 2 models shown, a (1) and b (2) have the highest score, 90.0 %."
    # the cheapest beats nothing, and who scores below chance is nobody's choice
    weak = [CostPoint("a", 1, 0.1), CostPoint("b", 2, 0.2), CostPoint("c", 3, 0.9, True)]
    said = describe_costs(weak, "{:g}".format, "fastest", floor=0.5)
    assert said == "c (3) has the highest score, 90.0 %."
    only = describe_costs(cheap[:1], "{:g}".format, "fastest")
    assert only == "Only a (1) is known here; its score is 90.0 %."


def drawn(points: list[CostPoint], **more: Any) -> str:
    return cost_svg(points, title="T.", axis="parameters", say="{:g}".format, finding="F.", **more)


def test_dots_lie_where_cost_and_score_are() -> None:
    svg = drawn(POINTS, floor=0.5)
    places = dict(re.findall(r'cx="([\d.]+)" cy="[\d.]+" r="4"><title>(\w+):', svg))
    heights = {n: float(y) for y, n in re.findall(r'cy="([\d.]+)" r="4"><title>(\w+):', svg)}
    x = {name: float(place) for place, name in places.items()}
    assert x["small"] < x["middle"] < x["best"]
    assert heights["best"] < heights["middle"] < heights["large"] < heights["small"]
    assert 'aria-label="T. F."' in svg and 'role="img"' in svg
    assert svg.count('class="best"') == 2 and svg.count('class="other"') == 2
    assert "by-chance" in svg and "by-chance" not in drawn(POINTS)


def test_equal_scores_look_equal_and_numbers_do_not_touch() -> None:
    points = [CostPoint("a", 3, 0.101), CostPoint("b", 700, 0.103)]
    svg = drawn(points)
    texts = re.findall(r'class="y" x="[^"]*" y="[^"]*">([^<]*) %<', svg)
    assert float(texts[-1]) - float(texts[0]) >= 10
    wide = cost_svg(points, title="T.", axis="cost", say="{:.6f}".format, finding="F.")
    places = [float(x) for x in re.findall(r'class="x" x="([^"]*)" y="\d+">\d', wide)]
    assert len(places) > 1 and min(b - a for a, b in itertools.pairwise(places)) >= 6 * len(
        "100.000000"
    )


def test_names_do_not_lie_on_each_other_and_many_are_left_out() -> None:
    points = [CostPoint(f"m{n}", 10.0 + n, 0.5 + n / 1e4) for n in range(100)]
    svg = drawn(points)
    rows = [float(y) for y in re.findall(r'class="name[^"]*" x="[\d.]+" y="([\d.]+)"', svg)]
    height = float(re.search(r'viewBox="0 0 \d+ ([\d.]+)"', svg)[1])  # type: ignore[index]
    assert len(rows) == MOST and svg.count("<circle") == 100
    assert all(b - a >= 13.9 for a, b in itertools.pairwise(rows))
    assert min(rows) > 0 and max(rows) < height


def test_names_are_no_markup() -> None:
    svg = drawn([CostPoint(HOSTILE, 1, 0.5), CostPoint("b", 2, 0.6)])
    assert "<script" not in svg and "&lt;script" in svg


# -- the page --------------------------------------------------------------------------------


def test_published_models_have_the_parameters_of_their_networks(folders: Paths) -> None:
    page = costs.page(content_of(folders))
    section = next(s for s in page.sections if s.id == "published")
    stated = {n: e["parameters_million"] for n, e in foundations().items()}
    assert sum(map(bool, stated.values())) > 5
    for name, millions in stated.items():
        line = re.search(rf'<tr><th scope="row" data-name="{name}">.*?</tr>', section.html, re.S)
        assert line is not None
        assert (f"{millions} M" if millions else "not stated") in line[0]
        # a score for each target of the paper
        assert len(re.findall(r"\d\d\.\d %", line[0])) == 4
    lacking = [name for name, millions in stated.items() if not millions]
    drawings = section.html.split("<svg")[1:]
    assert len(drawings) == 4
    for css in ("x", "y"):  # one scale for all
        scales = [re.findall(rf'<text class="{css}"[^>]*>[^<]*<', svg) for svg in drawings]
        assert scales[0] and all(scale == scales[0] for scale in scales)
    for figure in re.findall(r"<figure>.*?</figure>", section.html, re.S):
        assert all(name in figure.partition("so not shown:")[2] for name in lacking)
        assert re.search(r'aria-label="\w+: score against parameters of 8 models.*highest', figure)
    assert "run --cost" not in section.html


def test_scores_are_those_of_the_ranking(folders: Paths) -> None:
    content = content_of(folders)
    html = next(s for s in costs.page(content).sections if s.id == "published").html
    for target, boards in content.boards.items():
        for board in (board for board in boards if board.published):
            for model in board.scored:
                line = html.partition(f'data-name="{model.label}"')[2].partition("</tr>")[0]
                assert display.percent(board.score(model)) in line, (target, model.label)


def test_own_models_are_never_dropped(folders: Paths) -> None:
    content = content_of(folders)
    section = next(s for s in costs.page(content).sections if s.id == "run")
    rows = re.findall(r"<tr><th scope=\"row\".*?</tr>", section.html, re.S)
    assert len(rows) == 2 and "<script" not in section.html
    beta, alpha = rows  # the smaller one first
    for text in ("94.4 M", "counted in its files", "362 MB", "0.012", "36 ms", "64.8 MB"):
        assert text in alpha
    for text in ("1\u202f234", "as its entry says", "not stated", "not measured"):
        assert text in beta
    assert "1 thread, 2026-11-23" in section.html and "Dice" not in section.html


def test_without_figures_the_page_says_how_to_have_them(folders: Paths) -> None:
    folders.cost.unlink()
    section = next(s for s in costs.page(content_of(folders)).sections if s.id == "run")
    assert "run --cost" in section.html and "Latency" not in section.html


def test_stale_figures_are_marked(folders: Paths) -> None:
    note(folders, "alpha", fingerprint="g", version="1.1.0")
    content = content_of(folders)
    section = next(s for s in costs.page(content).sections if s.id == "run")
    assert "stale: measured for version 1.0.0" in section.html
    facts = dict(own(content, "alpha").facts)
    assert facts["Real-time factor"] == "0.012 (stale: measured for version 1.0.0)"
    assert {entry["stale"] for entry in costs.records(content) if entry["model"] == "alpha"} == {
        True
    }


def test_pages_of_models_begin_with_their_cost(folders: Paths) -> None:
    content = content_of(folders)
    html = modelpages.page(content, "arousal", own(content, "alpha")).html
    identity = html.partition("</dl>")[0]
    for name, value in (
        ("Parameters", "94.4 M (counted in its files)"),
        ("Size", "362 MB"),
        ("Real-time factor", "0.012"),
        ("Peak memory", "64.8 MB"),
    ):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in identity
    chance = modelpages.page(content, "arousal", own(content, "dice")).html
    assert "Parameters" not in chance
    paper = {
        bool(m.cost.parameters): m
        for m in content.models("arousal")
        if m.published and not m.chance
    }
    known, unknown = (
        modelpages.page(content, "arousal", paper[stated]).html for stated in (True, False)
    )
    assert re.search(r"about \d+ million parameters", known)
    assert "<dt>Parameters</dt><dd>not stated which size: " in unknown.partition("</dl>")[0]


def test_figures_make_only_pages_anew_that_show_them(folders: Paths) -> None:
    before = Inputs(content_of(folders))
    pages = [
        before.of_test("arousal", "correctness_regression"),
        before.of_model("arousal", own(before.content, "beta")),
        before.of_ranking("arousal"),
    ]
    alpha = before.of_model("arousal", own(before.content, "alpha"))
    cost.add(folders.cost, [measured("alpha", 10.0, real_time_factor=0.5)])
    after = Inputs(content_of(folders))
    assert pages == [
        after.of_test("arousal", "correctness_regression"),
        after.of_model("arousal", own(after.content, "beta")),
        after.of_ranking("arousal"),
    ]
    assert alpha != after.of_model("arousal", own(after.content, "alpha"))


def test_the_ranking_leads_to_the_page(folders: Paths) -> None:
    assert "../cost.html" in rankings.ranking(content_of(folders), "arousal", []).html


@pytest.mark.parametrize("strange", ["lots", -1, True, [HOSTILE]])
def test_manifests_of_others_do_no_harm(folders: Paths, strange: Any) -> None:
    note(folders, "alpha", parameters=strange, size_bytes=strange, parameters_from=strange)
    assert Manifest.read(folders.manifest("arousal", "alpha")) is not None
    content = content_of(folders)
    costs.page(content)
    facts = dict(own(content, "alpha").facts)
    assert facts["Parameters"] == facts["Size"] == "not stated"


def test_texts_of_a_cost_nobody_knows() -> None:
    assert cost_facts(ModelCost()) == [("Parameters", "not stated"), ("Size", "not stated")]


# -- downloads -------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ['=HYPERLINK("x")', "@x", "+cmd", "-cmd", "\tx"])
def test_a_name_is_no_formula(folders: Paths, monkeypatch: pytest.MonkeyPatch, label: str) -> None:
    content = content_of(folders)
    names = dict.fromkeys(costs.HEAD, "") | {"label": label, "latency_s": -0.5, "model": "-0.5"}
    monkeypatch.setattr(costs, "records", lambda _: [names])
    (row,) = csv.DictReader(io.StringIO(costs.texts(content)["cost.csv"]))
    assert (row["label"], row["latency_s"], row["model"]) == (f"'{label}", "-0.5", "-0.5")


def test_downloads_have_every_model_in_full_precision(folders: Paths) -> None:
    content = content_of(folders)
    texts = costs.texts(content)
    assert tuple(texts) == costs.FILES
    rows = list(csv.DictReader(io.StringIO(texts["cost.csv"])))
    entries = json.loads(texts["cost.json"])["models"]
    assert len(rows) == len(entries)
    models = {(row["source"], row["model"]) for row in rows}
    assert {("run", "alpha"), ("run", "beta"), ("run", "dice")} <= models
    assert {("published", name) for name in foundations()} <= models
    alpha = [row for row in rows if row["model"] == "alpha"]
    assert [row["duration_s"] for row in alpha] == ["3.0", "10.0"]
    assert alpha[0]["parameters"] == "94371712" and alpha[0]["latency_s"] == repr(0.012 * 3.0)
    beta = next(entry for entry in entries if entry["model"] == "beta")
    assert (beta["parameters"], beta["size_bytes"], beta["latency_s"]) == (1234, None, None)
