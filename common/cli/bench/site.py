"""How long building the website takes, measured as a user meets it.

Every case is a fresh process of ``build.py site`` on a temporary output folder, start of the
interpreter included; nobody adds a model while the disk still writes the website before. The site
holds the published results (48 pairs of model and target, 756 test results); the model that is
added has a result file for every test of every target.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from ... import results
from ...core import files
from ...core.errors import BenchmarkError
from ...core.paths import REPOSITORY, Paths
from ...results import published
from ...results.manifest import Manifest
from .usage import Stopwatch

#: seconds that a case may take on two cores
LIMITS = {"clean": 15.0, "model_added": 4.0, "value_changed": 2.0, "nothing_changed": 0.7}
#: the same with a hundred models for each of four targets
MANY_LIMITS = {"clean": 90.0, "model_added": 6.0, "value_changed": 3.0}
ADDED = "added-by-the-benchmark"


def bench_site(folder: Path, models: int = 0) -> dict[str, float]:
    """Seconds of a clean build, with one model added, one value changed, nothing changed.

    Args:
        folder: empty folder for results and site
        models: so many models with results for all targets lie there from the start, each made of
            the published results of tests of different models

    Returns:
        case -> seconds, with the keys of :data:`LIMITS`, and processor time of each

    Raises:
        BenchmarkError: if a build fails
    """
    folders = Paths(output=folder)
    for number in range(models):
        _add_model(folders, f"model-{number}", number)
    cases = {"clean": _build(folder)}
    files = _add_model(folders)
    cases["model_added"] = _build(folder)
    _change_value(files[len(files) // 2])
    cases["value_changed"] = _build(folder)
    cases["nothing_changed"] = _build(folder)
    seconds = {name: case.wall_s for name, case in cases.items()}
    return seconds | {f"{name}: processor time": case.processor_s for name, case in cases.items()}


def _build(folder: Path) -> Stopwatch:
    """How long one process takes, when what earlier ones wrote is on the disk."""
    if hasattr(os, "sync"):
        os.sync()
    command = [sys.executable, str(REPOSITORY / "build.py"), "site", "--output", str(folder)]
    with Stopwatch() as watch:
        done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"bench site: {' '.join(command)} failed: {done.stderr.strip()}")
    return watch


def _add_model(folders: Paths, name: str = ADDED, turn: int = 0) -> list[Path]:
    """Write results of one more model for all targets; returns the result files.

    Args:
        folders: where results lie
        name: id of the model
        turn: its results of the i-th test are those of the published model i + turn
    """
    rows = published.load()
    chance = published.chance()
    written = []
    for target, target_rows in rows[~rows["model"].isin(chance)].groupby("target", sort=False):
        sources = target_rows["model"].unique()
        for place, (test, test_rows) in enumerate(target_rows.groupby("test")):
            source = sources[(turn + place * (turn > 0)) % len(sources)]
            part = test_rows[test_rows["model"] == source]
            if part.empty:
                continue
            path = folders.results(str(target), name, str(test))
            part = part.assign(model=name, model_version="1.0.0", n=1000)
            files.write_text(path, results.to_csv(part))
            written.append(path)
        facts = {"id": name, "version": "1.0.0", "label": name.replace("-", " ").capitalize()}
        manifest = Manifest(str(target), facts)
        files.write_text(folders.manifest(str(target), name), manifest.to_json())
    return written


def _change_value(path: Path) -> None:
    """Change the first value of a result file."""
    table = results.read_csv(path)
    values = table["value"].to_numpy(copy=True)
    place = np.flatnonzero(~np.isnan(values))[0]
    values[place] = values[place] / 2 + 0.001
    files.write_text(path, results.to_csv(table.assign(value=values)))
