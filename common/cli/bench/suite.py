"""How long a whole suite takes: from nothing, with all predictions at hand, and with nothing to do.

Every case is a fresh process of ``build.py run``, start of the interpreter included. Models and
datasets are those of the catalogs that are given: measured on the published suite, these are two
ONNX models and the datasets of the paper, or their stand-ins.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.errors import BenchmarkError
from ...core.paths import REPOSITORY, Paths, default_cache
from ...engine.plan import Filters
from ...samples import demo
from ...spec import load_benchmark
from .usage import Stopwatch

#: wall clock on two cores that do nothing else, with the datasets of the paper, in seconds
LIMITS = {"cold: wall clock": 120.0, "warm: wall clock": 10.0}
#: case -> its option
CASES = {"cold": (), "warm": ("--force",), "nothing to do": ()}
#: exit codes that stand for a run to its end
ENDED = (0, 3)


def bench_suite(
    folder: Path,
    workers: int,
    catalogs: Sequence[Path] = (),
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> dict[str, Any]:
    """Wall clock and processor time of the cases, and how many signals the models were given.

    Args:
        folder: empty folder for results and cache
        workers: parallel workers
        catalogs: folders of the user
        models: ids; empty: all
        datasets: ids; empty: all

    Raises:
        ConfigError: if there is no such model or dataset
        BenchmarkError: if embedded data cannot be made, a run fails, or a distinct input was
            predicted more than once
    """
    Filters(models=models, datasets=datasets).check(load_benchmark(catalogs, full=True))
    cache = folder / "cache"
    cache.mkdir()
    if not datasets:  # synthesising speech is not what is measured, nor are data of another commit
        demo.ensure(default_cache(), workers=workers)
    embedded = Paths(cache=default_cache()).embedded
    if embedded.exists():
        (cache / "embedded").symlink_to(embedded)
    command = [
        sys.executable,
        str(REPOSITORY / "build.py"),
        "run",
        "--json",
        "--download",
        "--full",
    ]
    command += ["--output", str(folder / "out"), "--cache", str(cache), "--workers", str(workers)]
    for option, values in (("catalog", catalogs), ("model", models), ("dataset", datasets)):
        for value in values:
            command += [f"--{option}", str(value)]
    figures: dict[str, Any] = {}
    for name, options in CASES.items():
        with Stopwatch() as watch:
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        if done.returncode not in ENDED:
            raise BenchmarkError(f"bench suite: {name}: {done.stderr.strip()}")
        figures[f"{name}: wall clock"] = watch.wall_s
        figures[f"{name}: processor time"] = watch.processor_s
        report = json.loads(done.stdout)
        for figure in ("computed", "current", "calls", "distinct"):
            figures[f"{name}: {figure}"] = report[figure]
    if figures["cold: calls"] != figures["cold: distinct"] or figures["warm: calls"]:
        raise BenchmarkError(
            f"bench suite: {figures['cold: calls']} calls for {figures['cold: distinct']} distinct "
            f"inputs, then {figures['warm: calls']}"
        )
    return figures
