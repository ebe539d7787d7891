"""Sets of corpora: a dataset says which noises and rooms its tests draw from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from common import results
from common.core.errors import ConfigError
from common.engine import check
from common.engine.plan import conditions
from common.perturbations import Library, library
from common.reports import listing
from common.samples import repositories
from common.spec import load_benchmark

VARIANT = "- {{id: {0}, variant_of: {1}, corpora: {2}, params: {3}}}\n"
DATASETS = """
- id: tones
  version: 1.0.0
  adapter: folder
  path: tones
  corpora: garden
  columns: {emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}
- {id: garden-sounds, version: 1.0.0, adapter: folder, path: sounds}
"""
OWN = VARIANT.format("garden", "music", "garden", "{corpus: {dataset: garden-sounds}}")
TEST = """
title: Own
family: robustness
design: {perturbed: {conditions: [music, white-noise]}}
datasets: [tones]
regression:
  - {metric: change_ccc, above: -0.05}
description: For this test only.
"""


@pytest.fixture
def garden(mini):
    """The miniature benchmark with music of its own."""
    mini.write("datasets.yaml", DATASETS)
    mini.write("perturbations.yaml", OWN)
    mini.write("suite/own.yaml", TEST)
    folder = mini.catalog / "sounds"
    folder.mkdir()
    soundfile.write(folder / "a.wav", 0.1 * np.random.default_rng(0).standard_normal(3000), 16000)
    (folder / "metadata.csv").write_text("file\na.wav\n")
    return mini


def load(tmp_path: Path, text: str):
    (tmp_path / "perturbations.yaml").write_text(text)
    return load_benchmark([tmp_path])


def test_a_variant_takes_what_it_does_not_say(tmp_path: Path) -> None:
    benchmark = load(tmp_path, OWN)
    base, variant = (benchmark.perturbations[name] for name in ("music", "garden"))
    assert (variant.function, variant.label) == (base.function, base.label)
    assert variant.params == {**base.params, "corpus": {"dataset": "garden-sounds"}}
    assert not variant.builtin and variant.origin.parent == tmp_path


def test_a_variant_of_an_entry_that_the_user_has_changed(tmp_path: Path) -> None:
    louder = "- {id: music, label: M, function: background, params: {corpus: {dataset: musan}, snr_db: 3}}\n"
    benchmark = load(tmp_path, louder + OWN)
    assert benchmark.perturbations["garden"].params["snr_db"] == 3
    assert benchmark.perturbations["music-embedded"].params["snr_db"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            VARIANT.format("a", "musik", "x", "{}"),
            r"a\.variant_of: unknown perturbation 'musik'.*'music'",
        ),
        (VARIANT.format("a", "music-embedded", "x", "{}"), "'music-embedded' is a variant itself"),
        (
            VARIANT.format("a", "music", "x", "{}") + VARIANT.format("b", "music", "x", "{}"),
            r"b\.variant_of: 'a' is that variant with the same corpora",
        ),
        ("- {id: a, variant_of: music}\n", "variant_of and corpora belong together"),
        ("- {id: a, label: A}\n", "needs label and function"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, text)


def test_an_unknown_set_is_a_fault_of_the_catalog(garden) -> None:
    garden.write("datasets.yaml", DATASETS.replace("corpora: garden", "corpora: gaden"))
    found = check.faults(load_benchmark([garden.catalog]))
    assert any(
        "tones.corpora: unknown set of corpora 'gaden'. Did you mean 'garden'" in f for f in found
    )


def test_every_embedded_dataset_has_all_that_tests_need() -> None:
    """On a fresh machine no condition of an embedded dataset waits for a download."""
    benchmark = load_benchmark()
    books = Library(benchmark, Path("nowhere"))
    embedded = [dataset for dataset in benchmark.datasets.values() if dataset.embedded]
    tested = [
        d for d in embedded if any(d.id in test.datasets for test in benchmark.tests.values())
    ]
    assert tested
    for dataset in tested:
        for test in benchmark.tests.values():
            for target in benchmark.targets.values():
                if dataset.id not in test.datasets or not test.uses(target.kind):
                    continue
                for condition, name in conditions(test, target).items():
                    found = books.recordings(books.variant(name, dataset.corpora))
                    assert found is None or found.embedded, (dataset.id, test.id, condition)


def test_every_robustness_test_has_embedded_data() -> None:
    benchmark = load_benchmark()
    embedded = {dataset.id for dataset in benchmark.datasets.values() if dataset.embedded}
    for test in benchmark.tests.values():
        if test.family == "robustness":
            assert embedded & set(test.datasets), test.id


def test_published_corpora_stay_those_of_the_paper() -> None:
    benchmark = load_benchmark()
    books = Library(benchmark, Path("nowhere"))
    published = [d for d in benchmark.datasets.values() if not d.embedded]
    assert {dataset.corpora for dataset in published} == {""}
    assert books.remark(books.variant("music", "")) == "recordings of musan 1.0.0"
    assert books.remark("gain") == ""


def test_rows_name_the_recordings_and_keep_the_condition(garden) -> None:
    report = garden.run("out", tests=("own",), models=("loud",), targets=("arousal",))
    assert not report.errors and not report.not_run
    table = results.read_all(garden.root / "out" / "method-tests")
    assert table["condition"].tolist() == ["music", "white-noise"]
    assert table["note"].fillna("").tolist() == ["recordings of garden-sounds 1.0.0", ""]
    criteria = (garden.root / "out/method-tests/arousal/own.csv").read_text()
    assert "Music" in criteria and "garden" not in criteria.lower()


def test_another_set_makes_the_cell_stale(garden) -> None:
    run = {"tests": ("own",), "models": ("loud",), "targets": ("arousal",)}
    assert garden.run("out", **run).computed == 1
    assert garden.run("out", **run).current == 1
    extra = VARIANT.format(
        "hiss", "music", "other", "{corpus: {dataset: garden-sounds}, snr_db: 0}"
    )
    garden.write("perturbations.yaml", OWN + extra)
    assert garden.run("out", **run).current == 1
    garden.write("datasets.yaml", DATASETS.replace("corpora: garden", "corpora: other"))
    report = garden.run("out", **run)
    assert report.computed == 1 and report.calls == 280, "the original is known, music is not"


def test_noise_takes_part_in_no_test_unless_it_says_so(garden) -> None:
    def tests() -> dict[str, str]:
        benchmark = load_benchmark([garden.catalog])
        rows = listing.listing(benchmark, "tests", dataset="garden-sounds")
        return {row["test"]: row["status"] for row in rows}

    name = "robustness_simulated_recording_condition"
    assert "takes part" not in tests().values()
    assert tests()[name].startswith("perturbations draw from it")
    entry = "path: sounds}"
    garden.write("datasets.yaml", DATASETS.replace(entry, f"path: sounds, tests: [{name}]}}"))
    assert tests()[name] == "takes part"


def test_reasons_tell_about_the_set(tmp_path: Path, monkeypatch) -> None:
    """Whatever repositories the user of this machine has."""
    monkeypatch.setattr(repositories, "known", list)
    benchmark = load_benchmark()
    reason = library.Library(benchmark, tmp_path).missing("coughing")
    assert "cough-speech-sneeze" in reason
    assert reason.endswith("Other recordings: 'corpora: embedded' in the dataset's entry")
