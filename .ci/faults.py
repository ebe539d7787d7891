#!/usr/bin/env python3
"""Runs and site builds that are killed at random points, each followed by the next: nothing may be lost, nothing left.

A round begins with a part of the folders removed; then ``run`` and ``site`` are killed (SIGKILL) some times each,
go on to their end, and all bytes are compared with those of an undisturbed run: result files, media, website,
stored predictions. Nothing half-written, and nothing in the temporary folder or in ``/dev/shm``, may stay.
The same seed draws the same points, as parts of the time that the undisturbed command took. Linux only.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pandas as pd  # noqa: E402

from common.core import leftovers, machine  # noqa: E402
from common.predictions.inventory import entries  # noqa: E402
from common.predictions.store import PredictionStore  # noqa: E402
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
#: what a round begins without: folders of a place
RESETS = {
    "everything": ("out", "cache"),
    "predictions": ("out", "cache/speechproof/predictions"),
    "results": ("out",),
    "website": ("out/build", "cache/speechproof/site"),
    "nothing": (),
}
#: whom a signal ends: the program with all its helpers, the program alone, or one of its helpers
VICTIMS = ("all", "all", "main", "main", "helper")
KILLS = {"run": 10, "site": 4}
#: a run goes on where it was killed; a website is made from the start
LONGEST_S = {"run": 15.0, "site": float("inf")}
#: folders that are compared, within the output folder
COMPARED = ("method-tests", "extra", "build/html")
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

    def start(self, command: str, workers: int, *more: str) -> subprocess.Popen[str]:
        """Begin ``run`` or ``site``; it leads a group of its own, with its standard error in a file."""
        words = [sys.executable, str(ROOT / "build.py"), command, "--quiet", *more]
        words += [f"--workers={workers}", "--allow-code", f"--catalog={self.root / 'catalog'}"]
        words += [f"--output={self.root / 'out'}"]
        if command == "run":
            words += [f"--{name}={value}" for name, values in SELECTION.items() for value in values]
        variables = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "TMPDIR": "tmp"}
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
    """Kills, and what they led to."""

    def __init__(self, seed: int, place: Place, workers: int):
        self.random, self.place, self.workers = random.Random(seed), place, workers
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

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
        if "Traceback" in said or code not in (0, 2, 3, -signal.SIGKILL):
            self.fault(f"{command}, {victim}: exit code {code}: {said[-2000:]}")

    def round(self, reset: str, times: dict[str, float], kills: int) -> None:
        """Some kills of run and site, then both to their end.

        Args:
            reset: what is removed before
            times: seconds that run and site take undisturbed after that
            kills: at most so many
        """
        say(f"round without {reset}: {self.killed} kills so far")
        self.place.remove(RESETS[reset])
        more = ("--force",) if reset == "nothing" else ()
        for command, most in KILLS.items():
            for number in range(min(most, max(kills, 0))):
                if self.kill(
                    command, min(times[command], LONGEST_S[command]), *(more if not number else ())
                ):
                    break
                kills -= 1
            self.place.finish(command, self.workers)

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


def unfinished(folder: Path) -> Iterator[str]:
    """What was begun and not ended, or set aside."""
    for pattern in UNFINISHED:
        yield from (f"{path}: left behind" for path in sorted(folder.rglob(pattern)))


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
    """What lies in the folder of shared memory, but for what living runs have there."""
    names = {path.name for path in leftovers.SHARED.iterdir()}
    return {n for n in names if "speechproof-" not in n} | set(leftovers.left())


def undisturbed_times(place: Place, workers: int) -> dict[str, dict[str, float]]:
    """Seconds of run and site after each reset; leaves what the others are compared with."""
    times = {}
    for reset, names in RESETS.items():
        place.remove(names)
        more = ("--force",) if reset == "nothing" else ()
        times[reset] = {command: place.finish(command, workers, *more) for command in KILLS}
        say(
            f"undisturbed without {reset}: "
            + ", ".join(f"{c} {s:.1f} s" for c, s in times[reset].items())
        )
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
    parser.add_argument("--workers", type=int, default=2, help="workers of each run (default: 2)")
    options = parser.parse_args()
    work = (options.folder or Path(tempfile.mkdtemp()) / "faults").resolve()
    work.mkdir(parents=True)
    leftovers.clear()
    shared = shared_memory()
    undisturbed, place = Place(work / "undisturbed"), Place(work / "disturbed")
    times = undisturbed_times(undisturbed, options.workers)
    campaign = Campaign(options.seed, place, options.workers)
    resets = list(RESETS)
    for number in range(10**6):
        left = options.kills - campaign.killed
        if left <= 0:
            break
        reset = resets[number] if number < len(resets) else campaign.random.choice(resets)
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
