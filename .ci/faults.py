#!/usr/bin/env python3
"""Runs and site builds that are killed at random points, each followed by the next: nothing may be lost, nothing left.

A round begins with a part of the folders removed; then a run, a severity sweep, a measurement of cost and ``site`` are
killed (SIGKILL) some times each, go on to their end, and all bytes are compared with those of an undisturbed run:
result files, media, website, stored predictions. In some rounds a dask cluster makes the predictions, which changes
no byte. Times that were measured are never the same: their table must be whole after each kill, and is removed
before the website is made. Nothing half-written, and nothing in the temporary folder or in ``/dev/shm``, may stay.
The same seed draws the same points, as parts of the time that the undisturbed command took. Linux only.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pandas as pd  # noqa: E402

from common.core import leftovers, machine  # noqa: E402
from common.core.errors import DataError  # noqa: E402
from common.core.paths import Paths  # noqa: E402
from common.models.measuring import DURATIONS_S  # noqa: E402
from common.predictions.inventory import entries  # noqa: E402
from common.predictions.store import PredictionStore  # noqa: E402
from common.results import cost  # noqa: E402
from common.samples.base import KEYS  # noqa: E402

#: cells of the default run that need few samples: one model of each kind of process, with and without changed signals,
#: words and lists of events
SELECTION = {
    "model": ("random-categorical", "baseline", "apart", "detector"),
    "test": (
        "correctness_classification",
        "robustness_background_noise",
        "robustness_spectral_tilt",
        "events_segment_based",
    ),
    "dataset": ("demo-emotion", "demo-scenes"),
    "target": ("emotion", "sound-events"),
}
#: cells of a sweep that need few samples
SWEPT = {
    "model": ("baseline", "apart"),
    "test": ("robustness_spectral_tilt",),
    "dataset": ("demo-emotion",),
    "target": ("emotion",),
}
#: cells that are up to date when models are measured that listen, in processes of their own
MEASURED = {**SELECTION, "model": ("baseline", "apart")}
#: a model that runs in a process of its own
CATALOG = """\
- {id: apart, version: 1.0.0, adapter: python, entry: "apart:load", sampling_rate: 16000}
"""
MODEL = """\
import numpy as np


class Model:
    targets = ("emotion",)
    labels = {"emotion": ["anger", "happiness", "neutral", "sadness"]}

    def predict(self, signals, sampling_rate):
        return {"emotion": [[float(np.abs(signal).mean()), 0.05, 0.1, 0.02] for signal in signals]}


def load():
    return Model()
"""
#: a cluster of processes on this machine
CLUSTER = """\
cluster: distributed.LocalCluster
arguments:
  n_workers: 0
  threads_per_worker: 1
  dashboard_address: ":0"
jobs: {workers}
"""
#: what a round begins without: folders of a place; a cluster makes the predictions of one kind of round
BY_CLUSTER = "predictions, made by a cluster"
RESETS = {
    "everything": ("out", "cache"),
    BY_CLUSTER: ("out", "cache/speechproof/predictions"),
    "predictions": ("out", "cache/speechproof/predictions"),
    "results": ("out",),
    "website": ("out/build", "cache/speechproof/site"),
    "nothing": (),
}
#: whom a signal ends: the program with all its helpers, the program alone, or one of its helpers
VICTIMS = ("all", "all", "main", "main", "helper")
KILLS = {"run": 10, "cluster": 6, "severity": 4, "cost": 3, "site": 4}
#: a run goes on where it was killed, a cluster needs some seconds to start; a website is made from the start
LONGEST_S = {"run": 15.0, "cluster": 25.0, "severity": 15.0}
#: folders that are compared, within the output folder
COMPARED = ("method-tests", "extra", "build/html")
#: modules that run alone in a helper of Python or of dask, or before ours do in a helper
OF_OTHERS = re.compile(
    r"<string>|.*/multiprocessing/(resource_tracker|spawn)\.py|.*/site-packages/(distributed|tornado)/.*"
)
#: names of what was begun and not ended, or set aside
UNFINISHED = (".*.tmp", "*.broken*", ".build-*")
HANGS_S = 900


class Place:
    """Folders of one series of runs."""

    def __init__(self, root: Path):
        self.root = root
        for name in ("out", "cache", "state", "tmp", "catalog"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "catalog" / "models.yaml").write_text(CATALOG)
        (root / "catalog" / "apart.py").write_text(MODEL)

    def words(self, command: str, workers: int) -> list[str]:
        """What is said to ``build.py``."""
        if command == "site":
            return ["site"]
        words = ["run"]
        if command in ("severity", "cost"):
            words.append(f"--{command}")
        if command == "cluster":
            path = self.root / "cluster.yaml"
            path.write_text(CLUSTER.format(workers=workers))
            words.append(f"--scheduler={path}")
        chosen = {"severity": SWEPT, "cost": MEASURED}.get(command, SELECTION)
        return [*words, *(f"--{name}={value}" for name in chosen for value in chosen[name])]

    def start(self, command: str, workers: int, *more: str) -> subprocess.Popen[str]:
        """Begin a command; it leads a group of its own, with its standard error in a file."""
        words = [sys.executable, str(ROOT / "build.py"), *self.words(command, workers)]
        words += ["--quiet", *more, f"--workers={workers}", "--allow-code"]
        words += [f"--catalog={self.root / 'catalog'}", f"--output={self.root / 'out'}"]
        variables = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "TMPDIR": "tmp"}
        # what dask leaves there after a kill it removes itself at its next start, but for its locks
        variables["DASK_TEMPORARY_DIRECTORY"] = "dask"
        return subprocess.Popen(
            words,
            env={**os.environ, **{name: str(self.root / at) for name, at in variables.items()}},
            stdout=subprocess.DEVNULL,
            stderr=self.errors.open("w"),
            start_new_session=True,
            text=True,
        )

    @property
    def errors(self) -> Path:
        """What the last command had to say."""
        return self.root / "errors.txt"

    @property
    def cost(self) -> Path:
        """What was measured."""
        return Paths(self.root / "out").cost

    def finish(self, command: str, workers: int, *more: str) -> float:
        """Run a command to its end; returns the seconds that it took."""
        begun = time.monotonic()
        process = self.start(command, workers, *more)
        try:
            code = process.wait(HANGS_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise SystemExit(f"{command}: no end after {HANGS_S} s") from None
        if code:
            raise SystemExit(f"{command}: exit code {code}: {self.errors.read_text()}")
        return time.monotonic() - begun

    def remove(self, names: tuple[str, ...]) -> None:
        for name in names:
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir(parents=True)


class Campaign:
    """Kills, and what they led to.

    Args:
        seed: of all draws
        place: where
        workers: of each run
        commands: those that are killed; the others only run to their end
    """

    def __init__(self, seed: int, place: Place, workers: int, commands: Sequence[str]):
        self.random, self.place, self.workers = random.Random(seed), place, workers
        self.commands = commands
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def hits(self, reset: str) -> bool:
        """Whether a round kills anything."""
        return not set(self.commands).isdisjoint(commands_of(reset))

    def fault(self, text: str) -> None:
        self.faults.append(text)
        say(f"FAULT: {text}")

    def kill(self, command: str, takes_s: float, *more: str) -> bool:
        """Begin a command and kill it or a helper of it; returns whether it came to its end before that."""
        victim = self.random.choice(VICTIMS)
        after = self.random.uniform(0, takes_s)
        pick = self.random.random()
        process = self.place.start(command, self.workers, *more)
        try:
            code = process.wait(after)
        except subprocess.TimeoutExpired:
            pass
        else:
            self._ended(command, victim, code)
            return True
        tree = [(number, leftovers.started(number)) for number in machine.descendants(process.pid)]
        if victim == "helper" and tree:
            with_helper = tree[int(pick * len(tree))][0]
            try:
                os.kill(with_helper, signal.SIGKILL)
            except ProcessLookupError:
                victim = "helper that had just ended"
        elif victim == "main":
            os.kill(process.pid, signal.SIGKILL)
        else:
            victim = "all"
            os.killpg(process.pid, signal.SIGKILL)
        self.counts[f"{command}, {victim}"] += 1
        self._wait(command, victim, process, tree)
        return process.returncode == 0

    def _wait(
        self,
        command: str,
        victim: str,
        process: subprocess.Popen[str],
        tree: list[tuple[int, str]],
    ) -> None:
        """Wait for the end of the program and all its helpers."""
        try:
            code = process.wait(HANGS_S)
        except subprocess.TimeoutExpired:
            self.fault(f"{command}: hangs after the end of {victim}")
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        self._ended(command, victim, code)
        begun = time.monotonic()
        while alive := [number for number, start in tree if running(number, start)]:
            if time.monotonic() - begun > 60:
                self.fault(f"{command}: {len(alive)} processes outlive {victim}")
                for number in alive:
                    os.kill(number, signal.SIGKILL)
                return
            time.sleep(0.05)

    def _ended(self, command: str, victim: str, code: int) -> None:
        said = self.place.errors.read_text("utf-8", "replace")
        self.counts[f"{command} ended with {code}"] += 1
        if is_traceback_of_ours(said) or code not in (0, 2, 3, -signal.SIGKILL):
            self.fault(f"{command}, {victim}: exit code {code}: {said[-2000:]}")
        for text in cost_faults(self.place.cost):
            self.fault(f"{command}, {victim}: {text}")

    def round(self, reset: str, times: dict[str, float], kills: int) -> None:
        """Some kills of each command, then that command to its end.

        Args:
            reset: what is removed before
            times: seconds that commands take undisturbed after that
            kills: at most so many
        """
        say(f"round without {reset}: {self.killed} kills so far")
        self.place.remove(RESETS[reset])
        more = ("--force",) if reset == "nothing" else ()
        for command in commands_of(reset):
            takes_s = min(times[command], LONGEST_S.get(command, math.inf))
            most = KILLS[command] if command in self.commands else 0
            for number in range(min(most, max(kills, 0))):
                if self.kill(command, takes_s, *(more if not number else ())):
                    break
                kills -= 1
            self.place.finish(command, self.workers)
            if command == "cost":
                for text in cost_faults(self.place.cost, MEASURED["model"]):
                    self.fault(f"cost, at its end: {text}")
                self.place.cost.unlink(missing_ok=True)

    @property
    def killed(self) -> int:
        return sum(n for name, n in self.counts.items() if ", " in name)


def running(number: int, start: str) -> bool:
    """Whether a process that began at some time has not ended; one that waits for its parent has."""
    if leftovers.started(number) != start:
        return False
    try:
        text = Path(f"/proc/{number}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def differences(one: Path, other: Path) -> Iterator[str]:
    """Files that are in one of two folders only, or have other bytes there."""
    first, second = files_of(one), files_of(other)
    for name in sorted(first.keys() | second.keys()):
        if name not in second or name not in first:
            yield f"{(other if name not in second else one) / name}: is not there"
        elif first[name] != second[name]:
            yield f"{other / name}: other bytes"


def store_differences(one: Path, other: Path) -> Iterator[str]:
    """Folders of predictions with other rows; their files may be divided differently."""
    first, second = ({entry.name: entry.folder for entry in entries(at)} for at in (one, other))
    for name in sorted(first.keys() | second.keys()):
        if name not in first or name not in second:
            yield f"{name}: stored in one of the caches only"
        elif not rows_of(first[name]).equals(rows_of(second[name])):
            yield f"{name}: other predictions"


def rows_of(store: Path) -> pd.DataFrame:
    """Predictions of a store, by sample."""
    table = PredictionStore(store).table().sort_values(KEYS, ignore_index=True)
    return table.astype({"file": object})


def cost_faults(path: Path, models: Sequence[str] = ()) -> Iterator[str]:
    """What is wrong with a table of measured cost.

    Args:
        path: the table; it need not be there
        models: those that must be in it; a model that is must have all its rows
    """
    try:
        rows = cost.read(path)
    except DataError as error:
        yield str(error)
        return
    lengths: dict[str, list[float]] = {model: [] for model in models}
    for row in rows:
        lengths.setdefault(row.model, []).append(row.duration_s)
    for model, measured in lengths.items():
        if sorted(measured) != sorted(DURATIONS_S):
            yield f"{path}: {model}: measured at {measured} s"


def unfinished(folder: Path) -> Iterator[str]:
    """What was begun and not ended, or set aside."""
    for pattern in UNFINISHED:
        yield from (f"{path}: left behind" for path in sorted(folder.rglob(pattern)))


def is_traceback_of_ours(said: str) -> bool:
    """Whether standard error has a traceback other than those of helpers of Python and dask.

    A tracker of Python that is killed and begun again complains of names that it does not know, a process
    whose parent was killed while it was begun complains of that, and so does a worker of dask that was just
    talking to it, before it ends.
    """
    places = re.findall(r'File "([^"]*)', said)
    return "Traceback" in said and not (places and all(map(OF_OTHERS.fullmatch, places)))


def compare(undisturbed: Place, place: Place) -> list[str]:
    """All that is not as if nothing had been disturbed."""
    texts: list[str] = []
    for name in COMPARED:
        texts += differences(undisturbed.root / "out" / name, place.root / "out" / name)
    stores = (at.root / "cache" / "speechproof" / "predictions" for at in (undisturbed, place))
    texts += store_differences(*stores)
    texts += unfinished(place.root)
    texts += [f"{path}: left behind" for path in sorted((place.root / "tmp").iterdir())]
    return texts


def shared_memory() -> set[str]:
    """What lies in the folder of shared memory, but for what living runs and other programs have there."""
    names = {path.name for path in leftovers.SHARED.iterdir()}
    others = {name for name in names if "speechproof-" not in name and not is_of_the_living(name)}
    return others | set(leftovers.left())


def is_of_the_living(name: str) -> bool:
    """Whether a name has the number of a process that lives, as joblib writes it: ours have all ended."""
    numbers = re.findall(r"(?<=-)[0-9]+(?=-)", name)
    return any((leftovers.PROCESSES / number).exists() for number in numbers)


def commands_of(reset: str) -> tuple[str, ...]:
    """Commands of a round, in their order."""
    return ("cluster" if reset == BY_CLUSTER else "run", "severity", "cost", "site")


def undisturbed_times(place: Place, workers: int, reset: str) -> dict[str, float]:
    """Seconds of the commands after a reset; leaves what the others are compared with."""
    times = {}
    place.remove(RESETS[reset])
    for command in commands_of(reset):
        more = ("--force",) if reset == "nothing" else ()
        times[command] = place.finish(command, workers, *more)
        if command == "cost":
            place.cost.unlink()
    say(f"undisturbed without {reset}: " + ", ".join(f"{c} {s:.1f} s" for c, s in times.items()))
    return times


def say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="folder that is not there yet; all stays in it"
    )
    parser.add_argument("--kills", type=int, default=200, help="number of kills (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all draws (default: 0)")
    parser.add_argument(
        "--only",
        action="append",
        choices=list(KILLS),
        help="kill only this command, the others run to their end (repeatable; default: all are killed)",
    )
    parser.add_argument("--workers", type=int, default=2, help="workers of each run (default: 2)")
    options = parser.parse_args()
    work = (options.folder or Path(tempfile.mkdtemp()) / "faults").resolve()
    work.mkdir(parents=True)
    leftovers.clear()
    shared = shared_memory()
    undisturbed, place = Place(work / "undisturbed"), Place(work / "disturbed")
    times: dict[str, dict[str, float]] = {}
    campaign = Campaign(options.seed, place, options.workers, options.only or list(KILLS))
    # "everything" comes first in any case: there is nothing yet
    resets = [n for n in RESETS if n == "everything" or campaign.hits(n)]
    for number in range(10**6):
        left = options.kills - campaign.killed
        if left <= 0:
            break
        reset = (
            resets[number]
            if number < len(resets)
            else campaign.random.choice([*filter(campaign.hits, resets)])
        )
        if reset not in times:
            times[reset] = undisturbed_times(undisturbed, options.workers, reset)
        campaign.round(reset, times[reset], left)
        for text in compare(undisturbed, place):
            campaign.fault(f"after a round without {reset}: {text}")
    leftovers.clear()
    for name in sorted(shared_memory() - shared):
        campaign.fault(f"{leftovers.SHARED / name}: left behind")
    for name, count in sorted(campaign.counts.items()):
        say(f"{count:6} {name}")
    say(f"{campaign.killed} kills, {len(campaign.faults)} faults; everything is in {work}")
    return 1 if campaign.faults else 0


if __name__ == "__main__":
    sys.exit(main())
