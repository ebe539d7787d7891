"""Where a number comes from, and which results are stale."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import pytest

from common import results
from common.cli.main import main
from common.core import closure, files, paths
from common.engine.staleness import compared, stale
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.reports.explain import single
from common.results import history
from common.results.keys import CellKey, row_key

TEST = """
title: Own
family: robustness
design: {perturbed: {conditions: [softer, hiss]}}
regression:
  - {metric: change_ccc, above: -0.05}
  - {metric: percentage_unchanged, above: 0.95, tolerance: 0.05}
classification:
  - {metric: change_uar, above: -0.05}
"""
PERTURBATIONS = """
- {id: softer, label: Softer, function: gain, params: {gain_db: [-6, -3]}}
- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 10}}
"""
DATASETS = """
- id: tones
  version: 1.0.0
  adapter: folder
  path: tones
  columns: {emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}
- id: same
  version: VERSION
  adapter: folder
  path: tones
  columns: {emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}
"""
MODELS = """
- {id: loud, version: VERSION, adapter: python, entry: "MODULE:load"}
- {id: other, version: 1.0.0, adapter: python, entry: "MODULE:load", params: {gain: 0.9}}
"""
TESTS = ("own", "correctness_regression", "correctness_classification", "fairness_sex")
CCC = "arousal/loud/correctness_regression/tones/ccc"


class Bench:
    """Two models, two datasets, a perturbed test of the user and three of the suite."""

    def __init__(self, mini):
        self.mini = mini
        self.write()
        mini.write("perturbations.yaml", PERTURBATIONS)
        mini.write("suite/own.yaml", TEST)

    def write(self, *, model: str = "1.0.0", data: str = "1.0.0") -> None:
        self.mini.write("models.yaml", MODELS.replace("VERSION", model))
        self.mini.write("datasets.yaml", DATASETS.replace("VERSION", data))

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        where = ("--catalog", self.mini.catalog, "--output", self.mini.root / "out")
        cache = ("--cache", self.mini.root / "cache", "--workers", "1")
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*arguments, *map(str, (*where, *cache))])
        return code, out.getvalue(), err.getvalue()

    def run(self) -> int:
        """Run everything; returns the number of cells that were computed."""
        options = [o for test in TESTS for o in ("--test", test)]
        options += [o for model in ("loud", "other") for o in ("--model", model)]
        data = ("--dataset", "tones", "--dataset", "same")
        code, out, _ = self("run", *options, *data, "--json")
        assert code == 0
        return json.loads(out)["computed"]

    def stale(self) -> set[CellKey]:
        engine = self.mini.engine()
        return set(stale(engine.benchmark, engine.folders))

    def explain(self, key: str, *more: str):
        code, out, err = self("explain", key, "--json", *more)
        return code, json.loads(out) if out else err


def _run(mini) -> None:
    # tests of the regression: own, regression, sex; of the classification: as many
    assert Bench(mini).run() == 2 * 2 * (3 + 3)


@pytest.fixture
def bench(mini_after) -> Bench:
    return Bench(mini_after(_run))


class TestStale:
    """What changes makes exactly the rows stale that depend on it, and only they are run."""

    def test_nothing_is_stale_after_a_run(self, bench) -> None:
        assert bench.stale() == set()
        code, text, _ = bench("list", "stale")
        assert (code, text.startswith("nothing is stale in ")) == (0, True)
        assert "stale" not in bench("summary")[1]

    def test_a_changed_test(self, bench) -> None:
        bench.mini.write(
            "suite/own.yaml", TEST.replace("change_ccc, above: -0.05", "change_ccc, above: -0.1")
        )
        found = bench.stale()
        assert {(key.test, key.target) for key in found} == {("own", "arousal")}
        assert len(found) == 2 * 2  # models x datasets; those of emotion have other metrics
        assert "the test changed" in bench("list", "stale")[1]
        assert "4 of 24 cells are stale" in bench("summary")[1]
        assert bench.run() == 4 and bench.stale() == set()

    def test_a_new_version_of_a_dataset(self, bench) -> None:
        bench.write(data="1.1.0")
        assert {key.dataset for key in bench.stale()} == {"same"}
        assert len(bench.stale()) == 2 * 6
        assert "version of the dataset changed from 1.0.0 to 1.1.0" in bench("list", "stale")[1]
        assert bench.run() == 12 and bench.stale() == set()

    def test_a_new_version_of_a_model(self, bench) -> None:
        bench.write(model="2.0.0")
        assert {key.model for key in bench.stale()} == {"loud"}
        assert len(bench.stale()) == 2 * 6
        assert bench.run() == 12 and bench.stale() == set()

    def test_changed_code_of_a_perturbation(self, bench, monkeypatch, tmp_path) -> None:
        copy = tmp_path / "code" / paths.PACKAGE.name
        shutil.copytree(paths.PACKAGE, copy)
        module = copy / "perturbations" / "noise.py"

        def write(text: str) -> None:
            module.write_text(module.read_text("utf-8") + text, "utf-8")
            monkeypatch.setattr(closure, "SOURCES", closure.Sources(copy))

        write("# a remark changes nothing\n")
        assert bench.stale() == set()
        write("FACTOR = 1\n")
        found = stale(bench.mini.engine().benchmark, bench.mini.engine().folders)
        assert {key.test for key in found} == {"own"} and len(found) == 2 * 2 * 2
        for why in found.values():
            assert why.reasons == ("the perturbation of hiss changed",)
            assert why.conditions == {"hiss"}
        assert bench.run() == 8 and bench.stale() == set()
        write("FACTOR = 2\n")
        assert len(bench.stale()) == 8

    def test_what_is_not_known_here_is_not_called_stale(self, bench) -> None:
        shutil.rmtree(bench.mini.catalog / "tones")
        bench.mini.write("models.yaml", "[]\n")
        assert bench.stale() == set()

    def test_results_of_any_seed_are_results(self, bench) -> None:
        assert compared({"seed": 1, "test": "a"}, {"seed": 2, "test": "a"}) is None

    def test_a_dataset_that_takes_part_no_longer(self, bench) -> None:
        without = DATASETS.replace("VERSION\n", "1.0.0\n  tests: [own]\n")
        bench.mini.write("datasets.yaml", without)
        assert {key.test for key in bench.stale()} == set(TESTS) - {"own"}


class TestExplain:
    def test_the_number_is_computed_again_and_is_equal(self, bench) -> None:
        code, found = bench.explain(CCC)
        assert code == 0 and found["recomputed"] and not found["stale"]
        (row,) = found["rows"]
        assert row["key"] == f"{CCC}/-/original" and row["equal"]
        assert row["row"]["value"] == row["recomputed"]["value"]
        assert found["samples"]["n"] == row["row"]["n"] == 280
        assert found["seed"] == 0 and found["model"]["version"] == "1.0.0"
        assert all(found["hashes"][name] for name in ("cell", "test", "target", "code"))
        assert len(found["samples"]["worst"]) == 10
        errors = [sample["error"] for sample in found["samples"]["worst"]]
        assert errors == sorted(errors, reverse=True)
        assert "all" not in found["samples"]

    def test_every_row_of_every_cell(self, bench) -> None:
        table = results.read_all(bench.mini.root / "out" / "method-tests")
        cells = {"/".join(row_key(row).split("/")[:4]) for row in table.to_dict("records")}
        assert len(cells) == 24
        rows = 0
        for cell in sorted(cells):
            code, found = bench.explain(cell)
            assert code == 0, found
            rows += len(found["rows"])
        assert rows == len(table)

    def test_the_worst_of_unchanged_answers_have_changed_most(self, bench) -> None:
        def worst(metric: str, base: Callable[[dict[str, Any]], float]) -> list[float]:
            code, found = bench.explain(f"arousal/other/own/tones/{metric}/-/hiss", "--samples")
            assert code == 0
            every = {
                s["id"]: abs(s["predictions"]["hiss"] - base(s)) for s in found["samples"]["all"]
            }
            told = [every[sample["id"]] for sample in found["samples"]["worst"]]
            assert told == sorted(every.values(), reverse=True)[: len(told)] and len(told) == 10
            return told

        changes = worst("percentage_unchanged", lambda sample: sample["predictions"]["original"])
        assert changes != worst("change_ccc", lambda sample: sample["truth"])

    def test_a_part_of_the_data_has_its_own_samples(self, bench) -> None:
        key = "arousal/loud/fairness_sex/tones/ccc/-/female"
        _, found = bench.explain(key, "--samples")
        (row,) = found["rows"]
        assert len(found["samples"]["all"]) == found["samples"]["n"] == row["row"]["n"]
        assert {s["truth"] for s in found["samples"]["all"]} and row["equal"]

    def test_perturbed_predictions_stand_beside_the_original_ones(self, bench) -> None:
        _, found = bench.explain("emotion/loud/own/tones/change_uar/-/hiss", "--samples")
        assert set(found["samples"]["all"][0]["predictions"]) == {"original", "hiss"}

    def test_samples_that_changed_most_have_the_answers_of_the_cache(self, bench) -> None:
        path = bench.mini.root / "out/extra/media/arousal/listen_own.json"
        entry = json.loads(path.read_text())["datasets"]["tones"]
        assert entry["key"]  # nothing was missing
        shown = {made["condition"]: made["samples"] for made in entry["conditions"]}
        assert set(shown) == {"softer", "hiss"} and all(shown.values())
        for model in ("loud", "other"):
            _, found = bench.explain(f"arousal/{model}/own/tones/change_ccc/-/hiss", "--samples")
            known = {each["file"]: each["predictions"] for each in found["samples"]["all"]}
            for sample in shown["hiss"]:
                (answer,) = (each for each in sample["answers"] if each["model"] == model)
                values = [float(answer[state]) for state in ("before", "after")]
                wanted = [known[sample["sample"]][state] for state in ("original", "hiss")]
                assert values == pytest.approx(wanted, abs=0.0051)

    def test_perturbations_with_the_corpora_that_a_dataset_wants(self, bench) -> None:
        def values(target: str) -> dict[str, float]:
            code, found = bench.explain(f"{target}/loud/own/same")
            assert code == 0 and found["recomputed"], found
            assert all(row["equal"] for row in found["rows"])
            return {row["row"]["condition"]: row["row"]["value"] for row in found["rows"]}

        before = {target: values(target) for target in ("arousal", "emotion")}
        own = "- {id: hiss-own, variant_of: hiss, corpora: own, params: {snr_db: 0}}\n"
        bench.mini.write("perturbations.yaml", PERTURBATIONS + own)
        # the last dataset, "same", wants them
        data = DATASETS.replace("VERSION", "1.0.0")
        bench.mini.write("datasets.yaml", data.rstrip() + "\n  corpora: own\n")
        bench.run()
        for target, old in before.items():
            new = values(target)
            assert new["softer"] == old["softer"] and new["hiss"] < old["hiss"]

    def test_a_forged_number_is_found_out(self, bench) -> None:
        path = bench.mini.root / "out/method-tests/arousal/loud/correctness_regression.csv"
        table = results.read_csv(path)
        table.loc[table.metric == "ccc", "value"] += 1e-9
        files.write_text(path, results.to_csv(table))
        code, found = bench.explain(CCC)
        assert code == 1 and found["rows"][0]["differences"][0].startswith("value: recorded 0.9")
        code, out, _ = bench("explain", CCC)
        assert code == 1 and "DIFFERS" in out

    def test_a_stale_row_says_why_and_what_it_would_be(self, bench) -> None:
        bench.mini.write(
            "suite/own.yaml", TEST.replace("change_ccc, above: -0.05", "change_ccc, above: -0.1")
        )
        code, found = bench.explain("arousal/loud/own/tones/change_ccc/-/softer")
        assert code == 1 and found["stale"] == ["the test changed"]
        assert (
            "criterion: recorded '> -0.05', recomputed '> -0.1'" in found["rows"][0]["differences"]
        )

    def test_predictions_that_are_not_in_the_cache(self, bench) -> None:
        shutil.rmtree(bench.mini.root / "cache" / "predictions")
        code, found = bench.explain(CCC)
        assert code == 1 and found["samples"] is None
        assert (
            "280 of 280 predictions on tones (original) are not in the cache"
            in found["not_recomputed"]
        )
        command = found["not_recomputed"].partition("build.py ")[2].split()
        assert bench(*command)[0] == 0
        assert bench.explain(CCC)[0] == 0

    def test_people_get_text(self, bench) -> None:
        code, out, _ = bench("explain", CCC)
        assert code == 0
        for part in (
            "equal, digit by digit",
            "the 10 worst",
            "fingerprint",
            "samples     280, hash",
        ):
            assert part in out, out

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            ("arousal/loud", r"expected target/model/test/dataset\[/metric"),
            (CCC.replace("ccc", "ccx"), "no row has the key .*Nearest keys: " + CCC),
            ("arousal/lout/correctness_regression/tones", "Nearest keys: arousal/loud/correct"),
            (CCC.replace("loud", "loud@7"), "no results of version '7'. Known: 1.0.0"),
        ],
    )
    def test_wrong_keys(self, bench, key: str, message: str) -> None:
        code, _, err = bench("explain", key)
        assert code == 2 and len(err.splitlines()) == 1
        assert re.search(message, err), err

    def test_no_results(self, mini, capsys) -> None:
        code = main(["explain", CCC, "--output", str(mini.root / "nothing")])
        assert code == 2 and "python build.py run" in capsys.readouterr().err

    def test_an_older_format(self, bench) -> None:
        path = bench.mini.root / "out/method-tests/arousal/loud/manifest.json"
        path.write_text(path.read_text().replace('"format": "', '"format": "0'))
        code, _, err = bench("explain", CCC)
        assert code == 2 and "written by another version of this program" in err

    def test_rows_in_error(self, bench) -> None:
        fail = MODELS.replace("VERSION", "3.0.0").replace(
            ':load"}', ':load", params: {fail: nan}}', 1
        )
        bench.mini.write("models.yaml", fail)
        bench("run", "--model", "loud", "--test", "correctness_regression", "--dataset", "tones")
        code, found = bench.explain(CCC)
        assert code == 1 and found["rows"][0]["row"]["status"] == "error"
        assert "not in the cache" in found["not_recomputed"]


class TestVersions:
    def test_results_of_an_earlier_version_are_kept_and_explained(self, bench) -> None:
        before = bench.explain(CCC)[1]["rows"][0]["row"]
        bench.mini.write(
            "models.yaml",
            MODELS.replace("VERSION", "2.0.0").replace(
                ':load"}', ':load", params: {gain: 0.8}}', 1
            ),
        )
        assert bench.run() == 12
        code, new = bench.explain(CCC)
        assert code == 0 and new["model"]["version"] == "2.0.0"
        code, old = bench.explain(CCC.replace("loud", "loud@1.0.0"))
        assert code == 0 and old["earlier_version"] and old["rows"][0]["row"] == before
        assert new["rows"][0]["row"]["value"] != before["value"]
        folders = bench.mini.engine().folders
        kept = history.versions(folders, "arousal", "loud")
        assert [version.version for version in kept] == ["1.0.0", "2.0.0"]
        # what was kept is in nobody's way
        assert len(results.read_all(folders.method_tests)) == sum(
            len(history.current(folders, target, model).rows)
            for target in ("arousal", "emotion")
            for model in ("loud", "other")
        )

    def test_a_version_has_the_rows_that_it_made_itself(self, bench) -> None:
        bench.write(model="2.0.0")
        bench("run", "--model", "loud", "--test", "own", "--dataset", "tones")
        kept = history.versions(bench.mini.engine().folders, "arousal", "loud")
        assert [set(version.rows.test) == {"own"} for version in kept] == [False, True]


def test_events_of_a_recording_are_counted() -> None:
    """A recording has any number of events; the page and the command show how many."""
    events = EventList([0, 2, 2], [0, 1, 0], [0.0, 0.5, 2.0], [1.0, 1.5, 3.0])
    values = SoundEvents(("dog", "cat"), events, np.array([4.0, 4.0, 4.0]))
    assert [single(values, n) for n in range(3)] == ["1 events", "0 events", "2 events"]
    assert single(np.array([0.25, 0.5]), np.int64(1)) == 0.5
