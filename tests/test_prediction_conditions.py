"""Predictions that were made elsewhere need not be there for every changed signal."""

from __future__ import annotations

import csv

import pytest

from common.cli.main import main
from common.results import read_csv

OWN = """
title: Own
family: robustness
design: {perturbed: {conditions: [softer, hiss]}}
regression:
  - {metric: change_ccc, above: -0.05}
"""
PERTURBATIONS = """
- {id: softer, label: Softer, function: gain, params: {gain_db: [-6, -3]}}
- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 10},
   severity: {axis: SNR, unit: dB, levels: [40, 20], params: snr_db}}
"""
MODELS = "- {id: file, version: 1.0.0, adapter: predictions, path: mine.csv}\n"


@pytest.fixture
def run(mini, capsys):
    mini.write("models.yaml", MODELS)
    mini.write("perturbations.yaml", PERTURBATIONS)
    mini.write("suite/own.yaml", OWN)
    with (mini.catalog / "tones" / "metadata.csv").open(newline="") as file:
        known = [(row["file"], row["arousal"]) for row in csv.DictReader(file)]

    def run(*conditions: str, options: tuple[str, ...] = ()):
        rows = ["file,condition,arousal"]
        rows += [f"{name},{c},{value}" for c in ("", *conditions) for name, value in known]
        (mini.catalog / "mine.csv").write_text("\n".join(rows) + "\n")
        where = ("--catalog", mini.catalog, "--output", mini.root / "out")
        cache = ("--cache", mini.root / "cache", "--workers", "1")
        chosen = ("--model", "file", "--test", "own", "--dataset", "tones", *options)
        code = main(["run", *chosen, *map(str, (*where, *cache))])
        return code, "".join(capsys.readouterr())

    return run


def rows_of(mini, *parts: str):
    path = mini.root.joinpath("out", "method-tests", "arousal", "file", *parts)
    return read_csv(path)


def test_without_changed_signals_rows_are_skipped_and_the_run_succeeds(mini, run) -> None:
    code, said = run()
    reason = "model 'file': mine.csv has predictions for original only"
    assert code == 0 and reason in said
    found = rows_of(mini, "own.csv")
    assert set(found["condition"]) == {"softer", "hiss"}
    assert set(found["status"]) == {"skip"}
    assert set(found["reason"]) == {f"condition not run: {reason}"}
    where = (
        "--catalog",
        mini.catalog,
        "--output",
        mini.root / "out",
        "--cache",
        mini.root / "cache",
    )
    key = "arousal/file/own/tones/change_ccc"
    assert main(["explain", key, *map(str, where)]) == 0


def test_only_conditions_that_are_there_are_scored(mini, run) -> None:
    run()
    code, _ = run("hiss")
    found = rows_of(mini, "own.csv").set_index("condition")
    assert code == 0 and found.loc["hiss", "status"] == "pass"
    assert found.loc["hiss", "value"] == 0
    assert found.loc["softer", "status"] == "skip"
    assert found.loc["softer", "reason"].endswith("has predictions for hiss, original only")
    code, _ = run("hiss", "softer")
    assert code == 0 and set(rows_of(mini, "own.csv")["status"]) == {"pass"}


def test_a_sweep_is_skipped_with_the_reason(mini, run) -> None:
    code, said = run(options=("--severity",))
    assert code == 0 and "mine.csv has predictions for original only" in said
    found = rows_of(mini, "severity", "own.csv")
    assert len(found) >= 2 and set(found["status"]) == {"skip"}
