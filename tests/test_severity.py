"""A sweep over levels on the miniature benchmark, and what is made of its rows."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

from common.cli import main
from common.core.errors import ConfigError, DataError
from common.core.paths import Paths
from common.engine import severity
from common.engine.plan import Filters
from common.figures.dose import describe_dose, dose_svg, key_svg, values_of
from common.perturbations import Library
from common.results import COLUMNS, SEVERITY_COLUMNS, dose
from common.results.dose import DoseCurve, Step, breaking, told
from common.spec import load_benchmark
from common.spec.criterion import Criterion
from common.uncertainty import Bootstrap, Recipe, Term, breaking_interval

PERTURBATIONS = """
- id: softer
  label: Softer
  function: gain
  params: {gain_db: -6}
  severity: {axis: Gain, unit: dB, levels: [-0.5, -6, -12, -20], params: gain_db}
- {id: cut, label: Cut, function: crop_end, params: {duration_ms: 1}}
"""
TEST = """
title: Level
family: robustness
design: {perturbed: {conditions: [{quiet: softer}, cut]}}
datasets: [tones]
regression:
  - {metric: change_ccc, above: -0.05}
  - {metric: percentage_unchanged, above: 0.5, tolerance: 0.05}
classification:
  - {metric: percentage_unchanged_classes, above: 0.5}
"""


@pytest.fixture
def swept(mini):
    """Runs the sweep of one test; returns (exit code, path of the rows)."""
    mini.write("perturbations.yaml", PERTURBATIONS)
    mini.write("suite/robustness_level.yaml", TEST)

    def run(*more: str, out: str = "out", cache: str = "cache", severity: bool = True):
        options = ["--severity"] if severity else []
        arguments = ["run", *options, "--catalog", str(mini.catalog), "--test", "robustness_level"]
        arguments += ["--output", str(mini.root / out), "--cache", str(mini.root / cache)]
        code = main.main([*arguments, "--dataset", "tones", "--model", "loud", *more])
        return code, mini.root / out / "method-tests/arousal/loud/severity/robustness_level.csv"

    return run


#: what names a curve
CURVE = ("data", "condition", "metric", "label")


def rows(path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class TestRun:
    def test_rows_of_all_levels(self, swept, capsys) -> None:
        code, path = swept()
        said = capsys.readouterr().out
        assert code == 0
        assert "no severity axis: robustness_level: cut (perturbation 'cut')" in said
        # 280 samples, the original and four levels
        assert "1400 signals predicted of 1400 distinct inputs" in said
        found = rows(path)
        assert list(found[0]) == list(SEVERITY_COLUMNS)
        unchanged = [row for row in found if row["metric"] == "percentage_unchanged"]
        assert [row["level"] for row in unchanged] == ["-0.5", "-6", "-12", "-20"]
        assert {(r["condition"], r["perturbation"], r["axis"], r["unit"]) for r in found} == {
            ("quiet", "softer", "Gain", "dB")
        }
        values = [float(row["value"]) for row in unchanged]
        assert values == sorted(values, reverse=True) and values[0] > 0.5 > values[-1]
        assert all(row["n"] == "280" and row["ci_low"] and row["ci_high"] for row in unchanged)

    def test_every_curve_has_one_interval_of_its_breaking_point(self, swept) -> None:
        _, path = swept()
        ends: dict[tuple[str, ...], set[tuple[str, str]]] = {}
        for row in rows(path):
            if row["level"] and row["status"] in ("pass", "fail"):
                key = tuple(row[name] for name in CURVE)
                ends.setdefault(key, set()).add((row["breaking_mild"], row["breaking_severe"]))
        assert len(ends) == 2 and all(len(found) == 1 for found in ends.values())
        assert all(mild and severe for found in ends.values() for mild, severe in found)
        curves = {(c.condition, c.metric): c.interval for c in dose.read(path)}
        for (_, condition, metric, _), found in ends.items():
            assert curves[condition, metric] in found

    def test_again_there_is_nothing_to_do(self, swept, mini, capsys) -> None:
        swept()
        before = mini.files()
        capsys.readouterr()
        assert swept()[0] == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("nothing to do: 2 cells")
        assert mini.files() == before
        assert not any(name.endswith("arousal/robustness_level.csv") for name in before)
        changed = PERTURBATIONS.replace("-20]", "-30]")
        mini.write("perturbations.yaml", changed)
        swept()
        # of the new level alone
        assert "280 signals predicted of" in capsys.readouterr().out

    def test_a_model_that_was_only_swept_is_named(self, swept, capsys) -> None:
        swept()
        line = "loud was not run on tones at the levels of the tests themselves"
        assert line in capsys.readouterr().out
        swept(severity=False)
        capsys.readouterr()
        swept("--force")
        assert line not in capsys.readouterr().out

    def test_run_and_sweep_share_predictions_and_nothing_else(self, swept, mini, capsys) -> None:
        swept()
        before = mini.files()
        capsys.readouterr()
        swept(severity=False)
        # the level of the perturbation is one of the sweep; 'cut' has no axis
        assert "280 signals predicted of 840 distinct inputs" in capsys.readouterr().out
        after = mini.files()
        assert {name: after[name] for name in before} == before
        plain = mini.root / "out/method-tests/arousal/loud/robustness_level.csv"
        value = {(r["condition"], r["metric"]): r["value"] for r in rows(plain)}
        for row in rows(mini.root / "out/method-tests/arousal/loud/severity/robustness_level.csv"):
            if row["level"] == "-6":
                assert value["quiet", row["metric"]] == row["value"]

    def test_results_do_not_depend_on_workers_or_cache(self, swept, mini) -> None:
        swept(out="a", cache="cache-a")
        swept("--workers", "3", out="b", cache="cache-b")
        assert mini.files("a") == mini.files("b")

    def test_wrong_or_unusable_test(self, swept, mini, capsys) -> None:
        assert swept("--test", "robustness_levels")[0] == 2
        assert "Did you mean 'robustness_level'" in capsys.readouterr().err
        assert swept("--test", "correctness_regression")[0] == 2
        told = capsys.readouterr().err
        assert "--severity: test 'correctness_regression' has no perturbation with a" in told
        assert "Known: " in told and "robustness_level" in told


class TestSweep:
    def test_all_robustness_tests_but_that_of_recordings(self) -> None:
        known = load_benchmark()
        swept = severity.sweep(known, Filters())
        robust = {test.id for test in known.tests.values() if test.family == "robustness"}
        assert set(swept.points) == robust - {"robustness_recording_condition"}
        assert not swept.without
        points = swept.points["robustness_background_noise"]
        assert points["music--10"].level == 10 and points["music--20"].name == "music"
        pairs = swept.benchmark.tests["robustness_simulated_recording_condition"].options["pairs"]
        assert ["base-room", "simulated-room--0.45"] in pairs
        assert not any(test.figures for test in swept.benchmark.tests.values())

    def test_variants_of_other_corpora_have_the_same_levels(self, tmp_path) -> None:
        swept = severity.sweep(load_benchmark(), Filters())
        library = Library(swept.benchmark, tmp_path)
        for name, corpora, own in (
            ("music--10", "embedded", "music-embedded--10"),
            ("music", "embedded", "music-embedded"),
            ("music--10", "", "music--10"),
            ("gain--6", "embedded", "gain--6"),
        ):
            assert library.variant(name, corpora) == own
        made = library.entry("music-embedded--10")
        assert (made.id, made.params["snr_db"]) == ("music-embedded", 10)
        room = library.entry(library.variant("simulated-room--0.45", "embedded"))
        assert room.params["corpus"] == {"dataset": "demo-rooms", "files": ["audio/office.flac"]}

    def test_without_an_axis_there_is_no_sweep(self) -> None:
        known = load_benchmark()
        bare = {n: p.model_copy(update={"severity": None}) for n, p in known.perturbations.items()}
        with pytest.raises(ConfigError, match=r"with a severity axis\. Known: none"):
            severity.sweep(
                known.model_copy(update={"perturbations": bare}),
                Filters(tests=["robustness_spectral_tilt"]),
            )


def curve(*values: float, bound: float = 0.5, status: str = "", **more) -> DoseCurve:
    """A curve over 20, 10, 0 dB, or as many levels as there are values."""
    levels = [10.0 * (len(values) - 1 - place) for place in range(len(values))]
    steps = [
        Step(level, value, value - 0.01, value + 0.01, 9, status or _judged(value, bound))
        for level, value in zip(levels, values, strict=True)
    ]
    given = {"data": "d", "condition": "hum", "axis": "Ratio", "unit": "dB", "metric": "ccc"}
    return DoseCurve(**{**given, "criterion": f"> {bound:g}", **more}, steps=tuple(steps))


def _judged(value: float, bound: float) -> str:
    return "skip" if np.isnan(value) else "pass" if value > bound else "fail"


class TestBreaking:
    @pytest.mark.parametrize(
        ("values", "text"),
        [
            ((0.9, 0.6, 0.4), "fails from 0 dB (about 5)"),
            ((0.9, 0.8, 0.7), "holds to 0 dB"),
            ((0.4, 0.3, 0.2), "fails from 20 dB, the mildest level"),
            ((0.9, 0.4, 0.6), "fails at 10 dB only"),
            # a level that fails alone is no breaking point
            ((0.4, 0.6, 0.4), "fails from 0 dB (about 5)"),
            ((0.6, float("nan"), 0.4), "fails from 0 dB (about 10)"),
            ((float("nan"),) * 3, "no verdict"),
        ],
    )
    def test_in_words(self, values, text) -> None:
        assert told(curve(*values)) == text

    @pytest.mark.parametrize(
        ("interval", "text"),
        [
            (
                ("8", "2"),
                "fails from 0 dB (about 5); 95 % interval: from 8 dB on at the earliest, from 2 dB on at the "
                "latest",
            ),
            (
                ("12.5", "none"),
                "fails from 0 dB (about 5); 95 % interval: from 12.5 dB on at the earliest, or at no level",
            ),
            (
                ("all", "3"),
                "fails from 0 dB (about 5); 95 % interval: at all levels, or from 3 dB on at the latest",
            ),
            (
                ("all", "none"),
                "fails from 0 dB (about 5); the samples cannot tell where it begins to fail",
            ),
            (("", ""), "fails from 0 dB (about 5)"),
        ],
    )
    def test_with_its_interval(self, interval, text) -> None:
        assert told(curve(0.9, 0.6, 0.4, interval=interval)) == text

    def test_the_interval_is_that_of_resampled_curves(self) -> None:
        """Against a loop over resamples."""
        rng = np.random.default_rng(2)
        codes = np.repeat(np.arange(16), 6)
        truth = rng.random(96)
        noise = rng.normal(0, 1, 96) + rng.normal(0, 1, 16)[codes]
        recipes = [
            (Recipe(Term("mae", (truth, truth + 0.05 * level * noise))), "")
            for level in range(1, 7)
        ]
        bootstrap = Bootstrap(codes, seed=0)
        found = breaking_interval(bootstrap, recipes, Criterion(below=0.2))
        assert found is not None
        points = [float(bootstrap.bound(recipe).point()[0]) for recipe, _ in recipes]
        draws = np.stack([bootstrap.draws(recipe) for recipe, _ in recipes], axis=1)
        factor = float(stats.t.ppf(0.975, 15) / stats.norm.ppf(0.975)) * np.sqrt(16 / 15)
        places = []
        for row in points + factor * (draws - points):
            passes = [place for place, value in enumerate(row) if value < 0.2]
            last = max(passes, default=-1)
            if last in (-1, 5):
                places.append(-np.inf if last < 0 else np.inf)
            else:
                places.append(last + (0.2 - row[last]) / (row[last + 1] - row[last]))
        expected = np.quantile(places, (0.025, 0.975), method="inverted_cdf")
        assert found == pytest.approx(tuple(expected), abs=1e-3)
        assert found.mild < found.severe
        # with a bound far away nothing fails, with one at zero everything does
        assert breaking_interval(bootstrap, recipes, Criterion(below=9.0)) == (np.inf, np.inf)
        assert breaking_interval(bootstrap, recipes, Criterion(below=0.0)) == (-np.inf, -np.inf)

    @pytest.mark.parametrize("criterion", [{"within": 0.1}, {"between": (0.1, 0.2)}])
    def test_without_one_bound_there_is_no_interval(self, criterion) -> None:
        values = np.linspace(0, 1, 8)
        recipes = [(Recipe(Term("mae", (values, values + 0.1))), "")]
        bootstrap = Bootstrap(np.arange(8), seed=0)
        assert breaking_interval(bootstrap, recipes, Criterion(**criterion)) is None

    def test_without_one_bound_there_is_no_estimate(self) -> None:
        made = curve(0.6, 0.4, criterion="0.5 < x < 0.9")
        assert told(made) == "fails from 0 dB" and np.isnan(breaking(made).crossing)
        below = curve(0.1, 0.3, criterion="< 0.2", status="")
        steps = (below.steps[0]._replace(status="pass"), below.steps[1]._replace(status="fail"))
        found = breaking(replace(below, steps=steps))
        assert found.crossing == pytest.approx(5)

    def test_files_that_are_none(self, tmp_path) -> None:
        path = tmp_path / "rows.csv"
        path.write_text(",".join(COLUMNS) + "\n")
        with pytest.raises(DataError, match=r"rows\.csv: not a file of a sweep, column missing: p"):
            dose.read(path)
        line = ",".join("x" for _ in SEVERITY_COLUMNS)
        path.write_text(",".join(SEVERITY_COLUMNS) + f"\n{line}\n")
        with pytest.raises(DataError, match=r"rows\.csv: cannot be read as the rows of a sweep"):
            dose.read(path)


class TestDrawing:
    def test_is_well_formed_and_says_what_it_shows(self) -> None:
        curves = [("<b> & co", curve(0.9, 0.6, 0.4)), ("other", curve(0.9, 0.8, 0.7))]
        text = dose_svg(curves, name="a-1", ylabel="CCC <x>", original=1.0, colors=[0, 9])
        svg = ElementTree.fromstring(text)
        space = "{http://www.w3.org/2000/svg}"
        assert svg.find(f"{space}title").text == "CCC <x> over Ratio"
        assert svg.find(f"{space}desc").text == (
            "Ratio from 20 dB to 0 dB: <b> & co from 0.900 to 0.400, fails from 0 dB (about 5); "
            "other from 0.900 to 0.700, holds to 0 dB."
        )
        lines = svg.findall(f"{space}g")
        assert [line.get("class") for line in lines] == ["m0", "m1"]
        assert [len(line.findall(f"{space}circle")) for line in lines] == [2, 3]
        # severe levels stand on the right, higher values above
        places = [tuple(map(float, p.split(","))) for p in lines[0][0].get("points").split()]
        assert places == sorted(places) and [y for _, y in places] == sorted(y for _, y in places)
        ticks = [float(t.text) for t in svg.findall(f"{space}text[@class='y']")]
        assert ticks[0] <= 0.4 and ticks[-1] == 1.0

    def test_curves_of_models_on_different_pages_have_one_axis(self) -> None:
        curves = [curve(0.9, 0.6, 0.4), curve(0.3, -0.1, -0.4)]
        span = values_of(curves)
        drawn = [
            dose_svg([("a", each)], name="n", ylabel="y", original=1.0, colors=[0], span=span)
            for each in curves
        ]
        ticks = [re.findall(r'class="y"[^>]*>([^<]*)<', text) for text in drawn]
        assert ticks[0] == ticks[1] and float(ticks[0][0]) <= -0.4

    def test_lines_differ_in_more_than_colour(self) -> None:
        kinds = [
            (re.search(r'class="(m\d)"', text)[1], re.search(r'(dasharray="[^"]*")?/>', text)[1])
            for text in map(key_svg, range(24))
        ]
        assert len(set(kinds)) == 24
        assert all(a[1] != b[1] for a, b in pairwise(kinds))

    def test_levels_of_curves_that_differ(self) -> None:
        assert describe_dose([("a", curve(0.9, 0.8)), ("b", curve(0.9, 0.8, 0.7))]).startswith(
            "Ratio from 20 dB to 0 dB"
        )

    def test_without_any_value(self) -> None:
        nothing = curve(float("nan"), float("nan"), criterion="")
        text = dose_svg([("a", nothing)], name="n", ylabel="y", original=float("nan"), colors=[0])
        assert "no verdict" in text
        ElementTree.fromstring(text)


def test_page_sections(swept, mini) -> None:
    import sys

    from common.core import paths

    sys.path.insert(0, str(paths.DOCS / "_ext"))
    from benchmark_site import dose as section
    from benchmark_site.page import Page
    from benchmark_site.sources import Model

    swept()
    folders = Paths(output=mini.root / "out")
    tables = folders.method_tests.glob("*/*/**/*.csv")
    content = SimpleNamespace(
        paths=folders,
        folders={table.parent.relative_to(folders.method_tests).as_posix() for table in tables},
        method_pages={"method/severity"},
        benchmark=load_benchmark([mini.catalog], allow_code=True),
    )
    page = Page("results/arousal/model/loud", "Loud")
    model = Model(id="loud", label="Loud <i>", chance=False)
    content.models = lambda target: [model]
    html = section.of_model(content, page, "arousal", model, "robustness_level")
    assert "Loud &lt;i&gt;" in html and "<i>Loud" not in html
    assert html.count("<svg") == 2 and "fails from -" in html
    assert 'href="../../../method/severity.html"' in html
    assert section.of_model(content, page, "arousal", model, "robustness_other") == ""
    published = Model(id="loud", label="Loud", chance=False, published=True)
    assert section.of_model(content, page, "arousal", published, "robustness_level") == ""
