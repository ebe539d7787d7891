"""The benchmarks of perturbations and of a suite measure what they say; times are not tested."""

from __future__ import annotations

import sys

import pytest

from common.cli import main
from common.cli.bench import command, perturb, suite
from common.core import advice
from common.core.errors import BenchmarkError, ConfigError
from common.spec import load_benchmark

CHANGES = sum(not entry.variant_of for entry in load_benchmark().perturbations.values())


def test_all_perturbations_of_all_files(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "auglib", None)
    found = perturb.bench_perturb(1, files=2)
    assert found["perturbations"] == CHANGES
    assert found["all variants"] > 0 and found["auglib"].startswith("not installed")


def test_failures_are_told(monkeypatch) -> None:
    monkeypatch.setattr(
        perturb, "signal_of", lambda *keys, **more: SIGNAL(*keys, **{**more, "seconds": 0.002})
    )
    with pytest.raises(BenchmarkError, match="bench perturb: "):
        perturb.bench_perturb(1, files=1)


SIGNAL = perturb.signal_of


def test_side_by_side_with_auglib() -> None:
    pytest.importorskip("auglib")
    found = perturb.bench_perturb(1, files=2, compared=1)
    assert found["times as fast as auglib"] > 0
    assert found["low-quality-phone: auglib"] == "not possible without other programs"
    done = [name for name in found if name.endswith("auglib in memory, ms per signal")]
    assert len(done) == CHANGES - 1


def test_suite_on_a_small_catalog(mini, tmp_path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    found = suite.bench_suite(folder, 1, [mini.catalog], ["loud"], ["tones"])
    assert found["cold: calls"] == found["cold: distinct"] > 0 == found["warm: calls"]
    assert found["nothing to do: computed"] == 0 < found["warm: computed"]


def test_suite_that_fails(mini, tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(advice.ALLOW_CODE)
    with pytest.raises(BenchmarkError, match=r"suite: cold: error: .*--allow-code"):
        suite.bench_suite(tmp_path, 1, [mini.catalog], ["loud"], ["tones"])


def test_a_wrong_name_is_told_before_speech_is_made(mini, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(suite.demo, "ensure", lambda *_, **__: pytest.fail("made"))
    with pytest.raises(ConfigError, match="unknown model 'louder'"):
        suite.bench_suite(tmp_path, 1, [mini.catalog], ["louder"])


def test_selection_is_for_the_suite_alone(capsys) -> None:
    assert main.main(["bench", "site", "--model", "baseline"]) == 2
    assert "--model goes with 'bench all', 'suite' and 'paper' only" in capsys.readouterr().err


def test_command_shows_limits(monkeypatch) -> None:
    monkeypatch.setattr(perturb, "bench_perturb", lambda workers: {"all variants": 1.0})
    said: list[str] = []
    found = command.run("perturb", workers=1, say=said.append)
    assert found["limit of all variants"] == 60 and said[0] == "all variants: 1.00 s"
