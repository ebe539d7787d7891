"""``build.py simulate``."""

from __future__ import annotations

import csv
import json

import pytest

from common.cli.main import main
from common.core import paths
from common.core.errors import ConfigError
from common.reports import simulated as module
from common.spec import load_tests
from common.uncertainty.simulation import reference, setup, table


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def run(tmp_path, *arguments: str) -> int:
    return main(["simulate", *arguments, "--output", str(tmp_path), "--cache", str(tmp_path)])


def test_thresholds_of_the_suite_beside_what_chance_reaches(tmp_path, capsys) -> None:
    assert run(tmp_path, "--json", "--compat", "--repetitions", "50") == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    suite = load_tests(paths.SUITE)
    assert len(rows) == 21
    for row in rows:
        test = suite[row["test"]]
        assert (row["samples"], row["groups"]) == (test.chance.samples, test.chance.groups)
        assert 0 < row["percentile_99"] <= row["maximum"] < row["rule"]
        assert row["maximum"] < float(row["threshold"]) * 1.05


def test_given_numbers(tmp_path, capsys) -> None:
    assert run(tmp_path, "--metric", "ccc", "--samples", "30", "--samples", "300", "--groups", "2",
               "--repetitions", "100") == 0  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    names = ["metric", "samples", "groups", "quantile", "error", "draws", "bound"]
    assert lines[0].split() == names
    small, large = (float(line.split()[3]) for line in lines[1:])
    assert large < small


def test_own_bounds_lie_near_those_of_the_suite(tmp_path, capsys) -> None:
    """Quantiles are lower than maxima, except for many groups, whose false alarms add up."""
    assert run(tmp_path, "--json", "--repetitions", "2000") == 0
    for row in json.loads(capsys.readouterr().out)["scores"]:
        assert 0 < row["quantile"] < row["bound"] < float(row["threshold"]) * 1.1
        assert (row["error"] == 0) == (row["draws"] == 0)


def test_false_alarms(tmp_path, capsys) -> None:
    assert run(tmp_path, "--alarms", "--json", "--repetitions", "1") == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    assert [row["between_speakers"] for row in rows[::2][:4]] == [0, 0.1, 0.3, 0.5]
    assert {row["test"] for row in rows} == {"fairness_accent", "fairness_pitch"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "cc", "--samples", "9", "--groups", "2"], "Did you mean 'ccc'"),
        (["--metric", "ccc"], "belong together; missing: --samples and --groups"),
        (["--samples", "9"], "belong together; missing: --groups"),
        (["--samples", "1000000000", "--groups", "2"], "2e+09 values, at most 1e+07 are allowed"),
        (["--samples", "9", "--groups", "1"], "--groups: needs 2 groups or more"),
    ],
)
def test_wrong_usage_is_told_in_one_line(tmp_path, capsys, arguments, message) -> None:
    assert run(tmp_path, *arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_table_and_plots(tmp_path, capsys, monkeypatch) -> None:
    grid = setup.points([20, 40], [2, 3])
    monkeypatch.setattr(module, "POINTS", grid)
    assert run(tmp_path, "--compat", "--repetitions", "20", "--table", str(tmp_path / "t.csv"),
               "--plots") == 0  # fmt: skip
    with (tmp_path / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 42 * 4
    first = reference.simulate(setup.SETUPS[:1], grid[:1], repetitions=20)
    assert float(rows[0]["max"]) == first[setup.SETUPS[0], grid[0]].maximum
    folder = tmp_path / "extra/media/fairness_thresholds/plots"
    names = {path.stem for path in folder.glob("*.png")}
    assert names == {
        *(f"max_{name}" for name in ("ccc", "mae", "mde", "mean", "mean_shift_diff")),
        *(f"max_{name}" for name in ("bin_shift_diff", "relative_difference_per_bin")),
        *("max_recall_per_bin", "max_precision_per_bin"),
        *("max_uniform_relative_difference_per_class", "max_uniform_class_shift_diff"),
        *("max_truthsparse_preduniform_recall", "max_truthsparse_preduniform_precision"),
        "max_truthsparse_preduniform_recall_per_class",
        "max_truthsparse_preduniform_precision_per_class",
    }
    texts = json.loads((folder / "alt.json").read_text())
    assert set(texts) == {f"{name}.png" for name in names}
    assert "168 rows" in capsys.readouterr().out


def test_what_pages_show_is_what_was_simulated() -> None:
    names = table.plot_names(setup.SETUPS)
    grid = [(20, 2), (60, 30), (1000, 3)]
    found = reference.simulate(list(names.values()), grid)
    for name, chosen in names.items():
        samples, maxima = table.kept(name)
        assert samples == list(setup.SAMPLES) and sorted(maxima) == list(setup.GROUPS)
        for n, g in grid:
            own = found[chosen, (n, g)].maximum
            assert maxima[g][samples.index(n)] == pytest.approx(own, abs=5.1e-5)
    with pytest.raises(ConfigError, match=r"unknown simulated figure 'max_cc'. Did you mean"):
        table.kept("max_cc")
