"""Two models compared: paired tests, gate, formats, and what cannot be compared."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from common import results
from common.cli.main import main
from common.core import files, paths
from common.reports.compare.flips import Flipped, _flips
from common.reports.compare.formats import MARKER
from common.uncertainty import Bootstrap, Recipe, Term, mcnemar, nearer, paired

MODELS = """
- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load"}
- {id: twin, version: 1.0.0, adapter: python, entry: "MODULE:load"}
- {id: quiet, version: VERSION, adapter: python, entry: "MODULE:load", params: {gain: GAIN}}
- {id: dice, version: 1.0.0, adapter: chance, params: {distribution: categorical}}
"""
SHIFT = """
title: Shift
family: fairness
design: {group_shift: {attribute: sex, min_group: 10}}
classification: [{metric: relative_difference_per_class, within: 0.225}]
"""
TESTS = ("correctness_regression", "correctness_classification", "fairness_sex")


class Bench:
    def __init__(self, mini):
        self.mini = mini
        self.models()

    def models(self, version: str = "1.0.0", gain: float = 0.5) -> None:
        text = MODELS.replace("VERSION", version).replace("GAIN", str(gain))
        self.mini.write("models.yaml", text)

    def __call__(self, *arguments: str, out: str = "out") -> tuple[int, str, str]:
        where = ("--catalog", self.mini.catalog, "--output", self.mini.root / out)
        cache = ("--cache", self.mini.root / "cache", "--workers", "1")
        printed, err = io.StringIO(), io.StringIO()
        with redirect_stdout(printed), redirect_stderr(err):
            code = main([*arguments, *map(str, (*where, *cache))])
        return code, printed.getvalue(), err.getvalue()

    def run(self, *models: str, out: str = "out", tests=TESTS) -> None:
        options = [o for test in tests for o in ("--test", test)]
        options += [o for model in models for o in ("--model", model)]
        code, _, err = self("run", *options, "--dataset", "tones", out=out)
        assert code == 0, err

    def compare(self, *arguments: str, out: str = "out"):
        code, text, err = self("compare", *arguments, "--json", out=out)
        return code, json.loads(text) if text else err


def _run(mini) -> None:
    Bench(mini).run("loud", "twin", "quiet", "dice")


@pytest.fixture
def bench(mini_after) -> Bench:
    return Bench(mini_after(_run))


def cells(found: dict, **wanted: str) -> list[dict]:
    return [c for c in found["cells"] if all(c[name] == value for name, value in wanted.items())]


class TestOutcomes:
    def test_a_worse_model_is_found_out(self, bench) -> None:
        code, found = bench.compare("loud", "quiet")
        assert code == 0 and found["counts"]["worse"] >= 2
        (ccc,) = cells(found, metric="ccc", test="correctness_regression")
        assert ccc["outcome"] == "worse" and ccc["high"] < 0 and ccc["q"] < 0.05
        assert ccc["gain"] == pytest.approx(ccc["candidate_value"] - ccc["base_value"])
        (mae,) = cells(found, metric="mae", test="correctness_regression")
        # a larger error is a loss
        assert mae["candidate_value"] > mae["base_value"] and mae["gain"] < 0
        assert mae["outcome"] == "worse"
        # the correlation does not know the gain
        (pcc,) = cells(found, metric="pcc", test="correctness_regression")
        assert pcc["outcome"] in ("equal", "cannot tell")

    def test_the_other_way_round_is_better(self, bench) -> None:
        one, two = bench.compare("loud", "quiet")[1], bench.compare("quiet", "loud")[1]
        assert one["counts"]["worse"] == two["counts"]["better"]
        for there, back in zip(one["cells"], two["cells"], strict=True):
            if there["gain"] is not None:
                assert there["gain"] == pytest.approx(-back["gain"], abs=1e-12)
                assert there["p"] == pytest.approx(back["p"], abs=1e-9)

    def test_models_that_say_the_same_are_equal(self, bench) -> None:
        _, found = bench.compare("loud", "twin")
        judged = {outcome for outcome, count in found["counts"].items() if count}
        assert judged <= {"equal", "not compared"} and found["counts"]["equal"] > 5
        assert all(flip["won"] == flip["lost"] == 0 for flip in found["flips"])

    def test_flipped_samples_are_named(self, bench) -> None:
        _, found = bench.compare("dice", "loud", "--samples")
        (flip,) = [flip for flip in found["flips"] if flip["target"] == "emotion"]
        assert flip["won"] > flip["lost"] > 0 and flip["mcnemar_p"] < 1e-6
        assert len(flip["won_samples"]) == flip["won"]
        for sample in flip["won_samples"]:
            assert sample["after"] == sample["truth"] != sample["before"]
        for sample in flip["lost_samples"]:
            assert sample["before"] == sample["truth"] != sample["after"]
        _, short = bench.compare("dice", "loud")
        assert len(short["flips"][0]["won_samples"]) == 5

    def test_a_class_that_no_answer_can_meet_flips_nothing(self, bench) -> None:
        table = bench.mini.catalog / "tones" / "metadata.csv"
        text = table.read_text("utf-8")
        odd = text.count("anger")
        assert odd
        table.write_text(text.replace("anger", "puzzlement"), "utf-8")
        # a test that needs no annotations has samples of any class
        bench.mini.write("suite/shift.yaml", SHIFT)
        bench.run("dice", "loud", tests=(*TESTS, "shift"))
        (flip,) = [
            flip
            for flip in bench.compare("dice", "loud")[1]["flips"]
            if flip["target"] == "emotion"
        ]
        assert flip["n"] == 280 - odd

    def test_other_criteria_make_no_verdict_change(self, bench) -> None:
        name = "suite/correctness_regression.yaml"
        text = (paths.REPOSITORY / "common" / name).read_text("utf-8")
        assert "above: 0.5" in text
        bench.mini.write(name, text.replace("above: 0.5", "above: -0.99"))
        bench.run("twin", tests=("correctness_regression",))
        _, found = bench.compare("loud", "twin")
        reasons = [cell["reason"] for cell in cells(found, metric="ccc", test=TESTS[0])]
        assert reasons and all("criteria, '> 0.5' and '> -0.99'" in reason for reason in reasons)
        _, text, _ = bench("compare", "twin", "loud")
        assert "verdicts: 0 now pass" in text

    def test_a_difference_in_the_last_digit_flips_nothing(self) -> None:
        near = [Flipped(str(n), 0.5, 0.4, 0.4, change) for n, change in enumerate((1e-8, -1e-8))]
        far = [Flipped("far", 0.5, 0.4, 0.5, 0.1)]
        found = _flips("arousal", "tones", near + far, labels=False)
        assert (found.n, found.won, found.lost) == (3, tuple(far), ())

    def test_disjoint_tests(self, bench) -> None:
        bench.run("twin", out="other", tests=("correctness_speaker_average",))
        other = str(bench.mini.root / "other")
        code, found = bench.compare("loud", f"{other}:twin", "--gate")
        assert code == 1 and found["gate"]["reason"] == "nothing could be compared"
        assert set(found["counts"]) and found["counts"]["not compared"] == len(found["cells"])
        reasons = {cell["reason"] for cell in found["cells"]}
        assert reasons == {"the candidate has no such row", "the baseline has no such row"}


class TestGate:
    def test_exit_codes(self, bench) -> None:
        assert bench("compare", "loud", "quiet", "--gate")[0] == 1
        assert bench("compare", "loud", "twin", "--gate")[0] == 0
        assert bench("compare", "quiet", "loud", "--gate")[0] == 0
        code, _, err = bench("compare", "loud", "quiet", "--gate", "--min-effect", "2")
        assert code == 0 and "gate passed" in err

    def test_what_the_candidate_lacks_does_not_pass(self, bench) -> None:
        """A score of the baseline that nobody can compare may hide what got worse."""
        bench.run("twin", out="part", tests=("correctness_regression",))
        part = f"{bench.mini.root / 'part'}:twin"
        code, found = bench.compare("loud", part, "--gate")
        lost = [c for c in cells(found, outcome="not compared") if c["base_value"] is not None]
        assert code == 1 and lost and not found["counts"]["worse"]
        reason = f"{len(lost)} scores of the baseline could not be compared (--allow-missing)"
        assert found["gate"] == {"passes": False, "reason": reason}
        out = bench("compare", "loud", part, "--format", "junit")[1]
        assert len(ElementTree.fromstring(out).findall(".//error")) == len(lost)
        # allowed on the command line, or in a file
        assert bench("compare", "loud", part, "--gate", "--allow-missing")[0] == 0
        rules = bench.mini.root / "allowed.yaml"
        rules.write_text("allow_missing: true\n")
        assert bench("compare", "loud", part, "--gate", "--rules", str(rules))[0] == 0
        out = bench("compare", "loud", part, "--format", "junit", "--rules", str(rules))[1]
        assert not ElementTree.fromstring(out).findall(".//error")
        # what only the candidate has holds nothing against it
        assert bench("compare", part, "loud", "--gate")[0] == 0

    def test_rules_of_a_file(self, bench, tmp_path) -> None:
        rules = tmp_path / "rules.yaml"
        rules.write_text(
            "alpha: 0.01\nmetrics: {mae: ignore, mean_directional_error: 0.9}\n"
            "tests: {correctness_regression: 0.8, fairness_sex: ignore}\n"
        )
        code, found = bench.compare("loud", "quiet", "--gate", "--rules", str(rules))
        assert code == 0 and found["rules"]["alpha"] == 0.01
        assert {c["reason"] for c in cells(found, test="fairness_sex")} == {"ignored by a rule"}
        # the correction still counts what is ignored
        plain = bench.compare("loud", "quiet", "--alpha", "0.01")[1]
        ccc = [cells(f, metric="ccc", test="correctness_regression")[0] for f in (found, plain)]
        assert ccc[0]["q"] == ccc[1]["q"] and ccc[0]["outcome"] != ccc[1]["outcome"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("alpha: 2\n", r"rules.yaml: alpha: must lie between 0 and 1, found 2\n"),
            ("alpha: x\n", r"rules.yaml: alpha: expected a number, found 'x'\n"),
            ("min_effect: -1\n", r"min_effect: must be a number of at least 0, found -1\n"),
            ("min_effect: .nan\n", r"min_effect: must be a number of at least 0, found nan\n"),
            ("tests: {correctness_regresion: ignore}\n", "Did you mean 'correctness_regression'"),
            ("metrics: {cc: 0.1}\n", "unknown metric 'cc'. Did you mean 'ccc'"),
            (
                "tests: {fairness_sex: never}\n",
                "tests: 'fairness_sex': an effect is a number of at least 0, or ignore; found 'never'\n",
            ),
            (
                "metrics: {uar: {alpha: 2}}\n",
                "metrics: 'uar': an effect is a number of at least 0, or ignore; found {'alpha': 2}\n",
            ),
            ("metrics: {ccc: yes}\n", "'ccc': an effect .*; found True"),
            (
                "metrics: {ccc: -1}\n",
                "'ccc': an effect is a number of at least 0, or ignore; found -1",
            ),
            ("metrics: {ccc: .inf}\n", "'ccc': an effect is a number .*; found inf"),
            ("metrics: 7\n", "metrics: expected key: value pairs, found 7"),
            ("alfa: 0.1\n", "unknown key. Did you mean 'alpha'"),
            ("- alpha\n", "expected key: value lines"),
        ],
    )
    def test_wrong_rules(self, bench, tmp_path, text: str, message: str) -> None:
        rules = tmp_path / "rules.yaml"
        rules.write_text(text)
        code, _, err = bench("compare", "loud", "quiet", "--rules", str(rules))
        assert code == 2 and len(err.splitlines()) == 1
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(err)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ("--alpha 2", "--alpha: must lie between 0 and 1, found 2.0"),
            ("--alpha 0", "--alpha: must lie between 0 and 1, found 0.0"),
            ("--alpha nan", "--alpha: must lie between 0 and 1, found nan"),
            ("--min-effect -1", "--min-effect: must be a number of at least 0, found -1.0"),
            ("--min-effect inf", "--min-effect: must be a number of at least 0, found inf"),
        ],
    )
    def test_wrong_options(self, bench, options: str, message: str) -> None:
        code, _, err = bench("compare", "loud", "quiet", *options.split())
        assert (code, err) == (2, f"error: {message}\n")

    def test_a_candidate_that_ends_in_an_error_does_not_pass(self, bench) -> None:
        bench.mini.write(
            "models.yaml",
            MODELS.replace("VERSION", "1.1.0").replace("{gain: GAIN}", "{fail: nan}"),
        )
        bench("run", "--model", "quiet", "--test", "correctness_regression", "--dataset", "tones")
        code, found = bench.compare("loud", "quiet", "--gate")
        worse = cells(found, outcome="worse")
        assert code == 1 and worse
        assert all("the candidate ended in an error" in cell["reason"] for cell in worse)
        # the other way round there is nothing to hold against it
        _, back = bench.compare("quiet", "loud")
        assert not cells(back, outcome="worse")


class TestFormats:
    def test_junit(self, bench) -> None:
        code, out, _ = bench("compare", "loud", "quiet", "--format", "junit")
        root = ElementTree.fromstring(out)
        assert code == 0 and root.tag == "testsuites"
        cases = root.findall("./testsuite/testcase")
        assert len(cases) == int(root.get("tests"))
        assert len(root.findall(".//failure")) == int(root.get("failures")) >= 2
        assert len(root.findall(".//skipped")) == int(root.get("skipped"))

    def test_markdown_and_file(self, bench, tmp_path) -> None:
        file = tmp_path / "deep" / "comment.md"
        code, out, _ = bench("compare", "loud", "quiet", "--format", "markdown", "--out", str(file))
        text = file.read_text()
        assert code == 0 and out.startswith("written") and text.startswith(MARKER)
        assert "**failed**" in text and "| worse |" in text
        assert text.count("<details") == text.count("</details>")
        rows = [line for line in text.splitlines() if line.startswith("| arousal")]
        assert rows and {row.count("|") for row in rows} == {6}

    def test_table(self, bench) -> None:
        code, out, _ = bench("compare", "loud", "quiet")
        assert code == 0 and out.startswith("quiet@1.0.0 compared with loud@1.0.0")
        assert "worse (false discovery rate 0.05):" in out
        assert " now wrong\n" in out and "McNemar p" not in out

    def test_a_gate_speaks_of_what_is_significant(self, bench) -> None:
        words = ("--gate", "--allow-missing", "--format", "markdown")
        code, out, _ = bench("compare", "loud", "twin", *words)
        assert code == 0 and "compared scores got significantly worse" in out

    def test_same_text_every_time(self, bench) -> None:
        texts = {bench("compare", "dice", "loud", "--samples", "--json")[1] for _ in range(2)}
        assert len(texts) == 1


class TestSides:
    def test_versions_and_folders(self, bench) -> None:
        shutil.copytree(bench.mini.root / "out", bench.mini.root / "main")
        bench.models("2.0.0", gain=0.6)
        bench.run("quiet")
        _, versions = bench.compare("quiet@1.0.0", "quiet")
        assert versions["base_model"]["version"] == "1.0.0"
        assert versions["candidate_model"]["version"] == "2.0.0"
        (ccc,) = cells(versions, metric="ccc", test="correctness_regression")
        assert ccc["outcome"] == "better"
        main_folder = str(bench.mini.root / "main")
        for side in (main_folder, f"{main_folder}:quiet", f"{main_folder}/method-tests"):
            _, folders = bench.compare(side, "quiet")
            assert [c["p"] for c in folders["cells"]] == [c["p"] for c in versions["cells"]]

    @pytest.mark.parametrize(
        ("sides", "message"),
        [
            (("loud", "lout"), "CANDIDATE: unknown model 'lout'. Did you mean 'loud'"),
            (("loud", "loud"), "both loud@1.0.0: nothing to compare"),
            (("loud", "loud@1.0.0"), "both loud@1.0.0: nothing to compare"),
            (("loud", "quiet@3"), "unknown version of quiet '3'. Did you|Known: 1.0.0"),
            (("nowhere/at/all:loud", "loud"), "no such folder: nowhere/at/all"),
        ],
    )
    def test_wrong_sides(self, bench, sides, message: str) -> None:
        code, _, err = bench("compare", *sides)
        assert code == 2 and len(err.splitlines()) == 1
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(err)

    def test_no_results(self, bench) -> None:
        code, _, err = bench("compare", "loud", "quiet", out="nothing")
        assert code == 2 and "python build.py run" in err

    def test_predictions_that_are_not_in_the_cache(self, bench) -> None:
        shutil.rmtree(bench.mini.root / "cache" / "predictions" / "quiet-1.0.0")
        code, found = bench.compare("loud", "quiet", "--gate")
        assert code == 1 and found["counts"]["not compared"] == len(found["cells"])
        reasons = {cell["reason"] for cell in cells(found, test="correctness_regression")}
        assert any("build.py run --force --model quiet" in reason for reason in reasons)

    def test_rows_that_are_no_longer_what_is_computed(self, bench) -> None:
        path = bench.mini.root / "out/method-tests/arousal/quiet/correctness_regression.csv"
        table = results.read_csv(path)
        table.loc[table.metric == "ccc", "value"] += 0.1
        files.write_text(path, results.to_csv(table))
        _, found = bench.compare("loud", "quiet")
        (ccc,) = cells(found, metric="ccc", test="correctness_regression")
        assert ccc["outcome"] == "not compared"
        assert ccc["reason"] == "the row of the candidate is stale; run it again"


class TestPairedTests:
    def test_mcnemar_agrees_with_the_binomial_test(self) -> None:
        """The exact test less half of the probability of what was found, on both sides."""
        from scipy.stats import binom, binomtest

        rng = np.random.default_rng(0)
        for n in (1, 5, 40, 300):
            old, new = rng.random(n) < 0.7, rng.random(n) < 0.6
            lost, won, p = mcnemar(old, new)
            exact = binomtest(won, won + lost).pvalue if won + lost else 1.0
            found = binom.pmf(won, won + lost, 0.5)
            expected = exact - found if won != lost else 1.0
            assert p == pytest.approx(expected, rel=1e-9)
        assert mcnemar(old, old).p == 1.0

    @pytest.mark.parametrize("metric", ["mae", "recall_per_class"])
    def test_no_more_false_alarms_than_promised(self, metric: str) -> None:
        """Two models that are equally good, on samples of speakers that resemble each other."""
        alarms, repetitions = 0, 300
        for number in range(repetitions):
            rng = np.random.default_rng(number)
            codes = np.repeat(np.arange(24), 8)
            hard = rng.normal(0, 0.05, 24)[codes]
            if metric == "mae":
                truth = rng.random(len(codes))
                # what both get wrong alike, and what speakers do to each model
                own = [
                    rng.normal(0, 0.05, 24)[codes] + rng.normal(0, 0.1, len(codes)) for _ in "ab"
                ]
                recipes = [Recipe(Term(metric, (truth, truth + hard + e))) for e in own]
                label = ""
            else:
                truth = np.full(len(codes), "a", dtype=object)
                share = 0.7 + hard
                own = [np.clip(share + rng.normal(0, 0.1, 24)[codes], 0, 1) for _ in "ab"]
                said = [np.where(rng.random(len(codes)) < s, "a", "b").astype(object) for s in own]
                recipes = [Recipe(Term(metric, (truth, s), labels=("a", "b"))) for s in said]
                label = "a"
            alarms += paired(Bootstrap(codes, seed=number, draws=400), *recipes, label).p < 0.05
        # 5 % of 300 are 15; three standard deviations more are 26
        assert 4 <= alarms <= 26

    def test_a_real_difference_is_seen(self) -> None:
        rng = np.random.default_rng(3)
        codes = np.repeat(np.arange(20), 10)
        truth = rng.random(200)
        near, far = truth + rng.normal(0, 0.05, 200), truth + rng.normal(0, 0.1, 200)
        recipes = [Recipe(Term("mae", (truth, values))) for values in (far, near)]
        found = paired(Bootstrap(codes, seed=0), *recipes, gain=lambda values: -values)
        assert found.p < 1e-4 and found.low > 0 and found.clusters == 20
        again = paired(Bootstrap(codes, seed=0), *reversed(recipes), gain=lambda values: -values)
        assert again.p == pytest.approx(found.p) and again.difference == -found.difference

    @staticmethod
    def outcomes(old: float, new: float, test: Callable[..., Any], repetitions: int) -> float:
        """Share of repetitions in which a candidate is found farther from zero.

        What makes speakers hard is common to both models and larger than their difference.
        """
        worse = 0
        for number in range(repetitions):
            rng = np.random.default_rng(number)
            codes = np.repeat(np.arange(24), 8)
            truth = rng.random(len(codes))
            hard = rng.normal(0, 0.2, 24)[codes] + rng.normal(0, 0.08, len(codes))
            recipes = []
            for shift in (old, new):
                own = rng.normal(0, 0.03, 24)[codes] + rng.normal(0, 0.08, len(codes))
                prediction = truth + hard + shift + own
                recipes.append(Recipe(Term("mean_directional_error", (truth, prediction))))
            found = test(Bootstrap(codes, seed=number, draws=200), *recipes)
            worse += found.p < 0.05 and found.difference < 0
        return worse / repetitions

    def test_a_score_that_moves_away_from_zero_is_seen(self) -> None:
        """Of absolute values, noise leaves nothing to be seen: 5 % instead of 46 %."""

        def absolute(*arguments: Any) -> Any:
            return paired(*arguments, gain=lambda values: -np.abs(values))

        def signed(*arguments: Any) -> Any:
            return nearer(*arguments, 0.0)

        assert self.outcomes(0.0, 0.03, absolute, 60) < 0.15
        assert self.outcomes(0.0, 0.03, signed, 60) > 0.35
        assert self.outcomes(0.05, 0.05, signed, 100) <= 0.07

    def test_a_change_of_side_is_no_loss(self) -> None:
        """From certainly above zero to as far below it: nothing is lost, nothing won."""
        rng = np.random.default_rng(5)
        codes, truth = np.repeat(np.arange(20), 10), rng.random(200)
        noise = [rng.normal(0, 0.05, 200) for _ in "ab"]
        recipes = [
            Recipe(Term("mean_directional_error", (truth, truth + shift + own)))
            for shift, own in zip((0.1, -0.1), noise, strict=True)
        ]
        assert paired(Bootstrap(codes, seed=0), *recipes).p < 1e-6
        found = nearer(Bootstrap(codes, seed=0), *recipes, 0.0)
        assert found.p > 0.05 and found.low < 0 < found.high
        farther = Recipe(Term("mean_directional_error", (truth, truth - 0.3 + noise[1])))
        found = nearer(Bootstrap(codes, seed=0), recipes[0], farther, 0.0)
        assert found.p < 1e-6 and found.difference == pytest.approx(-0.2, abs=0.02)
        assert found.low < found.difference < found.high < 0

    def test_one_speaker_tells_nothing(self) -> None:
        truth = np.array([0.1, 0.5, 0.9])
        recipes = [Recipe(Term("mae", (truth, truth + shift))) for shift in (0.1, 0.2)]
        found = paired(Bootstrap(np.zeros(3, dtype=int), seed=0), *recipes)
        assert np.isnan(found.p) and np.isnan(found.low) and found.clusters == 1

    def test_the_same_loss_everywhere_is_as_rare_as_a_row_of_heads(self) -> None:
        truth = np.array([0.1, 0.5, 0.9, 0.3])
        recipes = [Recipe(Term("mae", (truth, truth + shift))) for shift in (0.25, 0.5)]
        found = paired(Bootstrap(np.arange(4), seed=0), *recipes)
        assert found.p == pytest.approx(2.0 ** (1 - 4)) and found.low == found.high == 0.25
