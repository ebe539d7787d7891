"""Perturbations in the engine, on the miniature benchmark."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
import soundfile

from common import results
from common.engine.plan import Filters
from common.engine.staleness import stale
from common.figures import drawing
from common.perturbations import library
from common.predictions.store import PredictionStore
from common.results.manifest import Manifest

SOUNDS = """
- id: tones
  version: 1.0.0
  adapter: folder
  path: tones
  columns: {emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}
- id: sounds
  version: 1.0.0
  adapter: folder
  path: sounds
  tests: []
"""
PERTURBATIONS = """
- {id: softer, label: Softer, function: gain, params: {gain_db: [-6, -3]}}
- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 10}}
- {id: rain, label: Rain, function: background, params: {corpus: {dataset: sounds}, snr_db: 10}}
"""
TEST = """
title: Own
family: robustness
design: {perturbed: {conditions: [softer, rain]}}
regression:
  - {metric: change_ccc, above: -0.05}
  - {metric: percentage_unchanged, above: 0.5, tolerance: 0.05}
classification:
  - {metric: change_uar, above: -0.05}
  - {metric: percentage_unchanged_classes, above: 0.5}
figures: {regression: shift_2d, classification: confusion_shift}
"""
OTHER = TEST.replace("[softer, rain]", "[{rain: hiss}]")


@pytest.fixture
def own(mini):
    """Two tests of the user: they call two perturbations by the same name."""
    mini.write("datasets.yaml", SOUNDS)
    mini.write("perturbations.yaml", PERTURBATIONS)
    mini.write("suite/own.yaml", TEST)
    mini.write("suite/own_other.yaml", OTHER)
    return mini


def add_sounds(mini) -> None:
    folder = mini.catalog / "sounds"
    folder.mkdir()
    soundfile.write(folder / "a.wav", 0.1 * np.random.default_rng(0).standard_normal(3000), 16000)
    (folder / "metadata.csv").write_text("file\na.wav\n")


def run(mini, out: str = "out", tests: tuple[str, ...] = ("own", "own_other"), **more):
    return mini.run(out, tests=tests, models=more.pop("models", ("loud",)), **more)


def rows(mini, out: str = "out") -> pd.DataFrame:
    return results.read_all(mini.root / out / "method-tests")


def test_each_distinct_input_is_predicted_once(own) -> None:
    add_sounds(own)
    report = run(own)
    assert not report.errors and not report.not_run
    # original, softer, rain and hiss, for two targets and two tests
    assert report.calls == report.distinct == 4 * 280
    again = run(own)
    assert (again.calls, again.computed, again.current) == (0, 0, report.computed)


def test_rows_say_what_was_compared(own) -> None:
    add_sounds(own)
    run(own)
    table = rows(own)
    table = table[(table["test"] == "own") & (table["target"] == "arousal")]
    assert list(zip(table["metric"], table["condition"], strict=True)) == [
        ("change_ccc", "softer"),
        ("change_ccc", "rain"),
        ("percentage_unchanged", "softer"),
        ("percentage_unchanged", "rain"),
    ]
    assert set(table["reference"]) == {"original"} and set(table["n"]) == {280}
    change = table.iloc[0]
    assert change["value"] < -0.05 and change["status"] == "fail"
    assert change["reference_value"] > 0.9


def test_one_name_for_two_perturbations(own) -> None:
    add_sounds(own)
    run(own)
    table = rows(own).query("condition == 'rain' and metric == 'change_ccc'")
    assert len(table) == 2 and table["value"].nunique() == 2


def test_results_do_not_depend_on_order_workers_and_cache(own) -> None:
    add_sounds(own)
    models = ("loud", "chance-value", "chance-class")
    run(own, "a", cache="a", models=models)
    run(own, "b", cache="b", models=models, workers=3)
    for test in ("own_other", "own"):
        # the dataset has neither valence nor dominance: alone, they would be refused
        for targets in (("emotion", "valence"), ("dominance", "arousal")):
            run(own, "c", tests=(test,), cache="c", targets=targets, models=models, workers=2)
    assert own.files("a") == own.files("b") == own.files("c")


def test_seed_matters(own) -> None:
    add_sounds(own)
    run(own, "a", cache="c")
    run(own, "b", cache="c", seed=1)
    assert not rows(own, "a")["value"].equals(rows(own, "b")["value"])


def test_changing_one_perturbation_makes_exactly_its_cells_stale(own) -> None:
    add_sounds(own)
    run(own)
    own.write(
        "perturbations.yaml",
        PERTURBATIONS.replace("snr_db: 10}}\n- {id: rain", "snr_db: 0}}\n- {id: rain"),
    )
    report = run(own)
    assert (report.computed, report.current, report.calls) == (2, 2, 280)
    assert set(rows(own)["test"]) == {"own", "own_other"}


def test_changed_recordings_make_their_cells_stale(own) -> None:
    add_sounds(own)
    run(own)
    soundfile.write(own.catalog / "sounds" / "a.wav", np.linspace(-0.5, 0.5, 77), 16000)
    report = run(own)
    assert (report.computed, report.current, report.calls) == (2, 2, 280)


def test_recordings_that_are_gone_make_nothing_stale(own) -> None:
    add_sounds(own)
    run(own)
    shutil.rmtree(own.catalog / "sounds")
    engine = own.engine()
    assert stale(engine.benchmark, engine.folders) == {}


class TestUnavailable:
    def test_condition_is_not_run_and_the_others_are(self, own) -> None:
        report = run(own)
        assert not report.errors
        assert sorted(report.not_run) == [
            "arousal/loud/own/tones/rain",
            "emotion/loud/own/tones/rain",
        ]
        table = rows(own).query("test == 'own'")
        skipped = table[table["condition"] == "rain"]
        assert set(skipped["status"]) == {"skip"}
        assert (
            skipped["reason"].str.match(r"condition not run: folder .*sounds does not exist").all()
        )
        assert not table.query("condition == 'softer'")["value"].isna().any()

    def test_it_is_run_as_soon_as_it_can_be(self, own) -> None:
        run(own)
        assert run(own).computed == 0
        add_sounds(own)
        report = run(own)
        assert not report.not_run and report.computed == 2
        assert not rows(own)["value"].isna().any()

    def test_a_part_of_the_program_is_installed_later(self, own, monkeypatch) -> None:
        add_sounds(own)
        with monkeypatch.context() as patch:
            patch.setitem(library.NEEDS, "common.perturbations.small_changes", lambda: "no gain")
            assert len(run(own).not_run) == 2
        report = run(own)
        assert (report.computed, report.current) == (2, 2) and not report.not_run
        assert not rows(own)["value"].isna().any()

    def test_a_result_is_never_replaced_by_nothing(self, own, monkeypatch) -> None:
        """An encoder or repository that is gone later does not take results with it."""
        add_sounds(own)
        run(own)
        before = own.files()
        monkeypatch.setitem(
            library.NEEDS, "common.perturbations.small_changes", lambda: "no gain any more"
        )
        report = run(own)
        assert (report.computed, report.current) == (0, 4)
        assert own.files() == before

    def test_a_test_without_any_condition_predicts_nothing(self, own, monkeypatch) -> None:
        monkeypatch.setitem(
            library.NEEDS,
            "common.perturbations.small_changes",
            lambda: "no gain. Install it with: x",
        )
        report = run(own, tests=("own",))
        assert report.calls == 0 and not report.errors
        table = rows(own)
        assert set(table["status"]) == {"skip"} and len(table) == 8
        assert "condition not run: no gain. Install it with: x" in set(table["reason"])
        manifest = Manifest.read(own.root / "out/method-tests/arousal/loud/manifest.json")
        assert manifest.cells["own/tones"]["missing"] == ["rain", "softer"]

    def test_chance_models_skip_the_same_conditions(self, own) -> None:
        run(own, models=("loud", "chance-value"), targets=("arousal",))
        table = rows(own).query("test == 'own'")
        statuses = table.groupby("model")["status"].apply(lambda s: (s == "skip").sum())
        assert statuses.tolist() == [2, 2]


def test_sample_that_cannot_be_changed_is_named(own) -> None:
    own.write(
        "perturbations.yaml",
        "- {id: short, label: Short, function: crop_end, params: {duration_ms: 60}}\n",
    )
    own.write("suite/own.yaml", TEST.replace("[softer, rain]", "[short]"))
    (own.catalog / "suite" / "own_other.yaml").unlink()
    report = run(own, tests=("own",))
    table = rows(own)
    assert set(table["status"]) == {"error"}
    assert (
        table["reason"]
        .str.contains(
            r"no prediction for \d+ of 280 samples; first: short: \d+\.wav: signal has \d+ samples, "
            r"too few to remove 960 \(60 ms at 16000 Hz\)"
        )
        .all()
    )
    assert report.errors


def test_store_says_what_a_folder_is(own) -> None:
    add_sounds(own)
    run(own)
    folders = sorted(p.name for p in (own.root / "cache/predictions").glob("loud*/tones*/*"))
    assert [name.rpartition("-")[0] for name in folders] == ["hiss", "original", "rain", "softer"]
    (folder,) = (own.root / "cache/predictions").glob("loud*/tones*/softer-*")
    text = (folder / "key.json").read_text()
    assert '"perturbation": "' in text and '"perturbation": ""' not in text
    assert PredictionStore(folder)


class TestRecordings:
    @pytest.fixture
    def devices(self, mini):
        folder = mini.catalog / "rooms"
        folder.mkdir()
        lines = ["file,device,speaker,text"]
        rng = np.random.default_rng(0)
        for n in range(12):
            for device, gain in (("boundary", 0.5), ("headset", 1.0)):
                tone = gain * (0.1 + n / 20) * np.sin(np.arange(900) / 7)
                tone = tone + 0.001 * rng.standard_normal(900)
                soundfile.write(folder / f"{device}-{n}.wav", tone, 16000)
                lines.append(f"{device}-{n}.wav,{device},s{n % 3},t{n}")
        (folder / "metadata.csv").write_text("\n".join(lines) + "\n")
        mini.write("datasets.yaml", "- {id: rooms, version: 1.0.0, adapter: folder, path: rooms}\n")
        return mini

    def test_recording_condition(self, devices) -> None:
        name = "robustness_recording_condition"
        report = devices.engine().run(Filters(models=["loud"], tests=[name], datasets=["rooms"]))
        assert not report.errors and report.calls == 24
        table = rows(devices)
        assert set(table["condition"]) == {"boundary"} and set(table["reference"]) == {"headset"}
        assert set(table["n"]) == {12} and (table["value"] < 1).all()
        assert set(table["data"]) == {"rooms-1.0.0-headset-boundary"}


def test_figures_of_all_designs(mini_with_figures, monkeypatch) -> None:
    """Drawn from what the designs give: shifts, confusion and the overview of small changes."""
    mini = mini_with_figures
    tests = ("robustness_small_changes", "robustness_spectral_tilt")
    drawn = {}
    draw = drawing.draw

    def noted(job: drawing.Job):
        found = draw(job)
        drawn[job.cell.key, job.cell.target.id] = found
        return found

    monkeypatch.setattr(drawing, "draw", noted)
    monkeypatch.setattr(drawing, "POOL_FROM", 1000)
    report = mini.run(tests=tests, models=("loud",))
    assert not report.errors
    suffixes = {key: len(found) for key, found in drawn.items()}
    assert suffixes == {
        ("robustness_small_changes/tones", "arousal"): 1,
        ("robustness_small_changes/tones", "emotion"): 1,
        ("robustness_spectral_tilt/tones", "arousal"): 2,
        ("robustness_spectral_tilt/tones", "emotion"): 2,
    }
    (text,) = drawn["robustness_small_changes/tones", "arousal"].values()
    assert "Additive tone 100 % (passed)" in text and "White noise" in text
    for name in tests:
        folder = mini.root / "out/extra/media/arousal/loud" / name
        assert all(path.stat().st_size > 5000 for path in folder.glob("*.png"))
