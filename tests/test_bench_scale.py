"""The benchmark of large databases, on a small one."""

from __future__ import annotations

import csv
import wave
from pathlib import Path

import pytest

from common import results
from common.cli.bench import scale, scale_data
from common.cli.main import main
from common.core import machine
from common.core.paths import Paths
from common.results.manifest import Manifest
from common.spec import load_benchmark

SEGMENTS = 300


def test_a_generated_database_holds_what_it_says(tmp_path: Path) -> None:
    catalog = scale_data.generate(tmp_path / "first", SEGMENTS)
    scale_data.generate(tmp_path / "second", SEGMENTS)
    data = tmp_path / "first" / scale_data.DATASET
    rows = list(csv.DictReader((data / "metadata.csv").read_text("utf-8").splitlines()))
    assert len({(row["file"], row["start"]) for row in rows}) == SEGMENTS
    category = scale_data.targets()[1]
    assert {row[category.id] for row in rows} == set(category.labels)
    assert {row["sex"] for row in rows} == set(scale_data.SEXES)
    assert {row["language"] for row in rows} == set(scale_data.LANGUAGES)
    assert len({row["speaker"] for row in rows}) == len(list(data.glob("*.wav"))) == 20
    for path in data.glob("*.wav"):
        with wave.open(str(path)) as file:
            seconds = file.getnframes() / file.getframerate()
        ends = [float(row["end"]) for row in rows if row["file"] == path.name]
        assert max(ends) == pytest.approx(seconds)
    for path in sorted((tmp_path / "first").rglob("*.*")):
        other = tmp_path / "second" / path.relative_to(tmp_path / "first")
        assert path.read_bytes() == other.read_bytes()
    benchmark = load_benchmark([catalog], allow_code=True)
    assert scale_data.CHANGED in benchmark.tests and scale_data.LISTENER in benchmark.models


def test_every_stage_of_a_small_database_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[str] = []
    stages = tuple(scale.STAGES)[:4]  # websites are built elsewhere
    figures = scale.bench_scale(
        [SEGMENTS], workers=1, say=lines.append, folder=tmp_path, stages=stages
    )
    assert [line.split()[1] for line in lines[1:]] == ["generate", *stages]
    for stage in stages:
        about = f"{SEGMENTS} segments, {stage}"
        assert figures[f"{about}: wall clock"] > 0 and figures[f"{about}: processor time"] > 0
        if machine.peak_bytes() is not None:
            assert figures[f"{about}: peak memory in MB"] > 20
    folders = Paths(tmp_path / str(SEGMENTS) / "out", tmp_path / str(SEGMENTS) / "cache")
    number, category = scale_data.targets()
    for target, metric in ((number.id, "ccc"), (category.id, "uar")):
        manifest = Manifest.read(folders.manifest(target, scale_data.LISTENER))
        assert manifest is not None
        assert {cell["status"] for cell in manifest.cells.values()} == {"done"}
        assert f"{scale_data.CHANGED}/{scale_data.DATASET}" in manifest.cells
        test = "correctness_regression" if target == number.id else "correctness_classification"
        table = results.read_csv(folders.results(target, scale_data.LISTENER, test))
        row = table[(table["metric"] == metric) & (table["condition"] == "original")].iloc[0]
        assert row["n"] == SEGMENTS and row["value"] > 0.6, "it listens"
        assert row["ci_low"] < row["value"] < row["ci_high"]
    assert not (tmp_path / str(SEGMENTS) / "out" / "build" / "html").exists()


def test_sizes_go_with_this_benchmark_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "engine", "--segments", "10"]) == 2
    assert "--segments goes with 'bench scale' only" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["bench", "scale", "--segments", "0"])


def test_memory_of_a_tree_is_the_sum_of_the_shares_of_its_processes(tmp_path: Path) -> None:
    (tmp_path / "7" / "task" / "7").mkdir(parents=True)
    (tmp_path / "7" / "task" / "7" / "children").write_text("8 9 ")
    for number, text in (("7", "Rss: 9 kB\nPss:     10 kB\n"), ("8", "Pss: 5 kB\n")):
        (tmp_path / number).mkdir(exist_ok=True)
        (tmp_path / number / "smaps_rollup").write_text(text)
    assert machine.tree_bytes(7, tmp_path) == 15 * 1024, "9 has ended"
    assert machine.tree_bytes(1, tmp_path) is None
