"""What a run costs beside its model: the same signals through a bare loop, and through a run.

Files are written once. The bare loop has the signals of all conditions in memory and calls the model with
one after the other; only the calls are measured, before the run and after it, as the speed of a machine varies. The run is a fresh process that finds files: start of the
interpreter, decoding, changes, predictions, their store, scores, intervals, figures. The model lets other
threads compute, as those of network runtimes do, and one call takes as long on every machine.

Where audinterface, auglib and audmetric are installed, a program that uses them does the same beside it: the same
files, changes, calls and metric (:mod:`common.cli.bench.overhead_peer`). It calls the model from several threads, so
it is compared with a run in which the model has as many processes.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ...core import processes
from ...core.errors import BenchmarkError
from ...core.paths import REPOSITORY, Paths
from ...models.base import SampleKey
from ...perturbations import Library
from ...results import run_report
from ...spec import load_benchmark
from .busy_model import Busy
from .perturb import RATE, SECONDS, signal_of, write
from .scale_data import targets
from .usage import Stopwatch

FILES, CALL_MS = 1000, 10.0
#: what the files are heard after, beside as they are
CONDITIONS = ("gain", "white-noise", "clip")
#: calls that the length of one is taken from, after some that warm up
TRIALS = 50
DATASET, TEST = "signals", "robustness_overhead"
#: the model in one process, and in as many as there are workers
MODEL, COPIES = "busy", "busy-copies"
#: a run may take so many times as long as the calls of its model alone
LIMITS = {"times as long as the bare loop": 1.1}
#: packages that the program beside it needs
PEERS = ("audformat", "audinterface", "auglib", "audmetric")
#: exit codes of a run to its end
ENDED = (0, 3)

CATALOG = {
    "datasets.yaml": """- id: {dataset}
  version: 1.0.0
  adapter: folder
  path: {dataset}
  columns: {{{target}: {target}, speaker: speaker}}
  tests: [{test}]
""",
    "models.yaml": """- id: {model}
  version: 1.0.0
  adapter: python
  entry: "{module}:load"
  sampling_rate: {rate}
  params: {{target: {target}, blocks: {blocks}}}
- id: {copies}
  version: 1.0.0
  adapter: python
  entry: "{module}:load"
  sampling_rate: {rate}
  processes: {workers}
  params: {{target: {target}, blocks: {blocks}}}
""",
    "suite/{test}.yaml": """title: Overhead
family: robustness
design: {{perturbed: {{conditions: [{conditions}]}}}}
regression:
  - {{metric: change_ccc, above: -0.05}}
description: What changed signals do to a model that only keeps the processor busy.
""",
}


def bench_run(workers: int, *, files: int = FILES, call_ms: float = CALL_MS) -> dict[str, Any]:
    """Seconds of the calls alone, and of a run that makes them.

    Args:
        workers: parallel workers of the run
        files: number of files of 3 s
        call_ms: length of a call in ms

    Raises:
        BenchmarkError: if the run fails, or gives the model other signals
    """
    blocks, target = _blocks(call_ms), targets()[0].id
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, files, target, blocks, workers)
        model, calls = Busy(target, blocks), files * (1 + len(CONDITIONS))
        before_s = _bare(folder, files, model)
        with Stopwatch() as watch:
            report = _run(folder, workers, MODEL)
        bare_s = (before_s + _bare(folder, files, model)) / 2
        beside = _beside(folder, blocks, workers, bare_s)
        _check(report, files)
        predictions_s = _predictions_s(folder, MODEL)
    return {
        f"signals of {SECONDS:g} s": calls,
        "ms per call": 1000 * bare_s / calls,
        "bare loop": bare_s,
        "run": watch.wall_s,
        "run: processor time": watch.processor_s,
        "run: its predictions": predictions_s,
        "run: what comes before and after them": watch.wall_s - predictions_s,
        "predictions, times as long as the bare loop": predictions_s / bare_s,
        "times as long as the bare loop": watch.wall_s / bare_s,
        **beside,
    }


def _check(report: dict[str, Any], files: int) -> None:
    """Refuse a run that has not given the model all signals."""
    calls = files * (1 + len(CONDITIONS))
    if report["calls"] != calls:
        raise BenchmarkError(f"bench run: {report['calls']} signals predicted instead of {calls}")


def _beside(folder: Path, blocks: int, workers: int, bare_s: float) -> dict[str, Any]:
    """What a run with more processes takes, and other packages for the same."""
    with Stopwatch() as run:
        report = _run(folder, workers, COPIES)
    _check(report, len(list((folder / DATASET).glob("*.wav"))))
    figures: dict[str, Any] = {
        "run, a process for each worker": run.wall_s,
        "run, a process for each worker: processor time": run.processor_s,
    }
    missing = [name for name in PEERS if importlib.util.find_spec(name) is None]
    if missing:
        what = f"not installed: pip install {' '.join(missing)}"
        return {**figures, "audinterface and auglib": what}
    module = f"{__package__}.overhead_peer"
    command = [sys.executable, "-P", "-m", module, str(folder), str(blocks), str(workers)]
    environment = processes.environment_of()
    with Stopwatch() as peer:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise BenchmarkError(f"bench run: audinterface and auglib: {done.stderr.strip()[-300:]}")
    spent = {name: watch.processor_s - bare_s for name, watch in (("run", run), ("peer", peer))}
    return {
        **figures,
        "audinterface and auglib": peer.wall_s,
        "audinterface and auglib: processor time": peer.processor_s,
        "times as fast as audinterface and auglib": peer.wall_s / run.wall_s,
        "times less processor time beside the calls": spent["peer"] / spent["run"],
    }


def _blocks(call_ms: float) -> int:
    """So many blocks take as long as one call."""
    model, silence = Busy("", 1), [np.zeros((1, RATE), np.float32)]
    took = []
    for _ in range(2 * TRIALS):
        start = time.perf_counter()
        model.predict(silence, RATE)
        took.append(time.perf_counter() - start)
    return max(1, round(call_ms / 1000 / float(np.median(took[TRIALS:]))))


def _write(folder: Path, files: int, target: str, blocks: int, workers: int) -> None:
    """Files, their labels, and a catalog."""
    names = [f"{n:04d}.wav" for n in range(files)]
    for name in names:
        write(folder / DATASET / name, signal_of(name))
    rows = [f"{name},{(n % 11) / 10},s{n % 20}" for n, name in enumerate(names)]
    table = "\n".join([f"file,{target},speaker", *rows]) + "\n"
    (folder / DATASET / "metadata.csv").write_text(table, "utf-8")
    values = {
        "dataset": DATASET,
        "target": target,
        "test": TEST,
        "model": MODEL,
        "copies": COPIES,
        "workers": workers,
        "module": Busy.__module__,
        "rate": RATE,
        "blocks": blocks,
        "conditions": ", ".join(CONDITIONS),
    }
    (folder / "suite").mkdir()
    for name, text in CATALOG.items():
        (folder / name.format(**values)).write_text(text.format(**values), "utf-8")


def _bare(folder: Path, files: int, model: Busy) -> float:
    """Seconds of the calls of a model with all signals, one after the other."""
    library = Library(load_benchmark(), folder / "cache")
    seconds = 0.0
    for name in (f"{n:04d}.wav" for n in range(files)):
        signal = signal_of(name)[None]
        key = SampleKey(DATASET, "1.0.0", name, 0, -1)
        signals = [signal] + [library.perturb(c, signal, RATE, key) for c in CONDITIONS]
        start = time.perf_counter()
        for each in signals:
            model.predict([each], RATE)
        seconds += time.perf_counter() - start
    return seconds


def _folders(folder: Path, model: str) -> Paths:
    """Where the run of a model writes."""
    here = folder / "runs" / model
    return Paths(here / "out", here / "cache")


def _predictions_s(folder: Path, model: str) -> float:
    """Seconds of the stage of a run in which its model is called."""
    stages = run_report.read(_folders(folder, model)).stages
    return sum(float(stage["wall_s"]) for stage in stages if stage["stage"] == "predict")


def _run(folder: Path, workers: int, model: str) -> dict[str, Any]:
    """What a run in a fresh process says that it did."""
    selection = ["--model", model, "--dataset", DATASET, "--test", TEST]
    folders = _folders(folder, model)
    places = ["--catalog", folder, "--output", folders.output, "--cache", folders.cache]
    command = [sys.executable, REPOSITORY / "build.py", "run", "--json", "--allow-code", *selection]
    command += [*places, "--workers", str(workers)]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode not in ENDED:
        raise BenchmarkError(f"bench run: {done.stderr.strip()}")
    return dict(json.loads(done.stdout))
