"""Badges, model cards and the citation file."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest
import yaml

from common import results
from common.cli.main import main
from common.core import files, paths
from common.reports.summary.badge import COLOURS, NO_COLOUR, badge
from common.reports.summary.card import card, model_index, records
from common.spec import load_benchmark

BENCHMARK = load_benchmark()
FAMILIES = {test.id: test.family for test in BENCHMARK.tests.values()}
HOSTILE = "<b>|`*_"


def row(metric: str, value: float, status: str, **more: object) -> dict[str, object]:
    return {
        "target": "arousal",
        "model": "m",
        "model_version": "1.0.0",
        "test": "correctness_regression",
        "dataset": "own",
        "dataset_version": "2.0",
        "data": "own-2.0",
        "condition": "original",
        "metric": metric,
        "value": value,
        "n": 10,
        "ci_low": value - 0.1,
        "ci_high": value + 0.1,
        "criterion": "> 0.5",
        "status": status,
        **more,
    }


ROWS = results.frame(
    [
        row("ccc", 0.75, "pass"),
        row("pcc", 0.4, "fail"),
        row("mae", float("nan"), "skip"),
        row("precision_per_bin", 0.9, "pass", label="(0, 0.5]"),
        row("ccc", 0.01, "pass", test="fairness_sex", condition="female"),
    ]
)


class TestCard:
    def test_the_block_has_what_the_specification_asks_for(self) -> None:
        text = card(
            "Mine", records(ROWS), FAMILIES, BENCHMARK.targets, facts={"license": "MIT"}, scores=[]
        )
        _, block, body = text.split("---\n", 2)
        metadata = yaml.safe_load(block)
        assert metadata["license"] == "mit"
        (model,) = metadata["model-index"]
        assert model["name"] == "Mine"
        (result,) = model["results"]
        assert result["task"]["type"] == "audio-classification"
        assert result["dataset"] == {"name": "own", "type": "own", "revision": "2.0"}
        for metric in result["metrics"]:
            assert isinstance(metric["type"], str) and isinstance(metric["value"], float)
        scores = {m["type"]: m for m in result["metrics"] if m["type"] != "passed_tests"}
        # of correctness, with a value, and not of a bin
        assert set(scores) == {"ccc", "pcc"} and scores["ccc"]["value"] == 0.75
        assert scores["ccc"]["args"]["interval_95"] == [0.65, 0.85]
        shares = {m["name"]: m["value"] for m in result["metrics"] if m["type"] == "passed_tests"}
        assert shares == {
            "Share of executed correctness cells that pass": 0.6667,
            "Share of executed fairness cells that pass": 1.0,
        }
        assert "| correctness | correctness\\_regression | 2 / 3 | 1 | 0 |" in body

    def test_names_stay_text(self) -> None:
        text = card(HOSTILE, records(ROWS), FAMILIES, BENCHMARK.targets, facts={}, scores=[])
        metadata = yaml.safe_load(text.split("---\n", 2)[1])
        assert metadata["model-index"][0]["name"] == HOSTILE
        assert "<b>" not in text.split("---\n", 2)[2]

    def test_nothing_executed(self) -> None:
        rows = records(results.frame([row("ccc", float("nan"), "error")]))
        assert model_index("m", rows, FAMILIES, {})["model-index"][0]["results"] == []
        assert "| 0 / 0 | 0 | 1 |" in card("m", rows, FAMILIES, {}, facts={}, scores=[])


class TestBadge:
    @pytest.mark.parametrize("share", [None, Fraction(0), Fraction(2, 3), Fraction(1)])
    def test_is_an_image_that_says_what_it_shows(self, share: Fraction | None) -> None:
        root = ElementTree.fromstring(
            badge(f"arousal {HOSTILE}", share, chance=Fraction(1, 2), is_chance=False)
        )
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert root.get("role") == "img" and title is not None
        assert root.get("aria-label") == title.text
        told = "not ranked" if share is None else f"{float(100 * share):.1f} %, chance 50.0 %"
        assert title.text == f"arousal {HOSTILE}: {told}"

    @pytest.mark.parametrize("colour", [NO_COLOUR, *(colour for _, colour in COLOURS)])
    def test_white_text_can_be_read(self, colour: str) -> None:
        levels = [
            int(colour[n : n + 2] * (1 if len(colour) == 7 else 2), 16) / 255 for n in (1, 3, 5)
        ]
        linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in levels]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (light + 0.05) >= 4.5


class TestCommand:
    @pytest.fixture
    def output(self, tmp_path):
        path = tmp_path / "method-tests" / "arousal" / "m" / "correctness_regression.csv"
        files.write_text(path, results.to_csv(ROWS[ROWS.test == "correctness_regression"]))
        return tmp_path

    def test_card(self, output, capsys) -> None:
        assert main(["summary", "--card", "m", "--output", str(output)]) == 0
        assert capsys.readouterr().out.startswith("---\nmodel-index:\n- name: m\n")
        assert main(["summary", "--card", "n", "--output", str(output)]) == 2
        assert "unknown model with results 'n'" in capsys.readouterr().err

    def test_badges(self, output, capsys) -> None:
        assert main(["summary", "--badges", str(output / "b"), "--output", str(output)]) == 0
        assert "66.7 %" in (output / "b" / "arousal" / "m.svg").read_text()


def test_the_citation_file_names_this_version_and_the_paper() -> None:
    content = yaml.safe_load((paths.REPOSITORY / "CITATION.cff").read_text("utf-8"))
    project = (paths.REPOSITORY / "pyproject.toml").read_text("utf-8")
    assert content["version"] == re.search(r'^version = "(.+)"$', project, re.M)[1]
    assert content["cff-version"] == "1.2.0" and content["authors"] and content["title"]
    (paper,) = content["references"]
    assert paper["authors"][2]["family-names"] == "Özkil"
