"""What a model costs: times of calls on signals of fixed lengths, and peak memory.

Measured in a process of its own, started for one model, so that neither memory nor libraries of other
models count. The signals are the same for all models and machines.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import leftovers, machine, processes
from ..core.errors import BenchmarkError, ModelError
from ..core.rng import generator
from .base import Batch, LoadOptions, SampleKey
from .timing import Clock, call_times, real_time_factor

#: how it is measured; another number where times can no longer be compared with earlier ones
PROTOCOL = 1
#: lengths of the signals in s
DURATIONS_S = (1.0, 3.0, 10.0)
#: calls that count, and fewer of a slow model: as many as fit into so many seconds, at least so many
REPETITIONS, LONGEST_S, FEWEST = 9, 20.0, 3
#: threads of a call, as in a run
THREADS = 1
#: what libraries of linear algebra take the number of their threads from when they are loaded
LIMITS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
#: syllables per second and fundamental frequency in Hz of the signals
SYLLABLES_HZ, VOICE_HZ = 4.0, 140.0


@dataclass(frozen=True)
class DurationTimes:
    """Times of calls with a signal of one length.

    Args:
        duration_s: length of the signal
        calls: number of calls that count
        first_s: time of the first call, which does not count
        latency_s: median time of a call
        fastest_s: shortest time
        slowest_s: longest time
    """

    duration_s: float
    calls: int
    first_s: float
    latency_s: float
    fastest_s: float
    slowest_s: float

    @property
    def real_time_factor(self) -> float:
        """Time of a call per time of the signal."""
        return real_time_factor(self.latency_s, self.duration_s)


@dataclass(frozen=True)
class Measurement:
    """What was measured of a model.

    Args:
        load_s: time to load it, with the runtime that it needs
        times: of each length of signal
        idle_bytes: peak memory of the process before the model was loaded; None: not known here
        peak_bytes: peak memory after the last call, with processes that the model started
    """

    load_s: float
    times: tuple[DurationTimes, ...]
    idle_bytes: int | None
    peak_bytes: int | None


def signal(duration_s: float, sampling_rate: int) -> np.ndarray:
    """Sound with the rhythm and the harmonics of a voice; the same in every call.

    Args:
        duration_s: its length in s
        sampling_rate: in Hz

    Returns:
        float32, shape (1, samples), in [-1, 1]
    """
    time_s = np.arange(round(duration_s * sampling_rate)) / sampling_rate
    orders = np.arange(1, 1 + int(min(3500.0, 0.45 * sampling_rate) / VOICE_HZ))
    voice = sum(np.sin(2 * np.pi * VOICE_HZ * n * time_s + n) / n for n in orders)
    rhythm = np.sin(np.pi * SYLLABLES_HZ * time_s) ** 2
    noise = generator(0, "cost of a model", sampling_rate).standard_normal(len(time_s))
    return (0.15 * rhythm * voice + 0.003 * noise).clip(-1, 1).astype(np.float32)[None]


def measure(
    entry: spec.Model,
    targets: Mapping[str, spec.Target],
    *,
    device: str = "auto",
    cache: Path | None = None,
    clock: Clock = time.perf_counter,
) -> Measurement:
    """Load a model and call it, in this process.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        device: ``auto``, ``cpu`` or ``cuda``
        cache: cache folder of the program
        clock: tells the time in s

    Raises:
        BenchmarkError: if it cannot be loaded or fails
    """
    from . import has_memory_here, load_here

    idle = machine.peak_bytes()
    begin = clock()
    model = load_here(entry, targets, LoadOptions(device=device, threads=THREADS, cache=cache))
    load_s = clock() - begin
    call = partial(call_times, repetitions=REPETITIONS, longest_s=LONGEST_S, fewest=FEWEST)
    times = []
    for duration_s in DURATIONS_S:
        key = SampleKey("cost", "1.0.0", f"{duration_s:g}s.wav", 0, -1)
        batch = Batch([key], [signal(duration_s, model.sampling_rate)], model.sampling_rate)
        calls = call(model, batch, clock=clock)
        figures = (calls.first_s, calls.latency_s, *calls.spread_s)
        times.append(DurationTimes(duration_s, len(calls.later_s), *figures))
    peak = _peak() if has_memory_here(entry) else None
    return Measurement(load_s, tuple(times), None if peak is None else idle, peak)


def _peak() -> int | None:
    """Peak memory of this process and, where a model is a program of its own, of that."""
    peaks = [machine.peak_bytes(), *map(machine.peak_bytes, machine.descendants())]
    stated = [peak for peak in peaks if peak is not None]
    return sum(stated) if len(stated) == len(peaks) else None


def measure_apart(
    entry: spec.Model,
    targets: Mapping[str, spec.Target],
    *,
    device: str = "auto",
    cache: Path | None = None,
) -> Measurement:
    """As :func:`measure`, in a process of its own whose libraries have one thread each.

    Raises:
        ModelError: if the model cannot be loaded, fails, or ends the process
    """
    limits = dict.fromkeys(LIMITS, str(THREADS))
    with tempfile.TemporaryDirectory(prefix=leftovers.prefix()) as folder:
        measured = Path(folder) / "measured"
        done = subprocess.run(
            processes.command_of(answer),
            input=pickle.dumps((measured, entry, dict(targets), device, cache)),
            env=processes.environment_of(limits),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if not measured.is_file():
            words = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise ModelError(
                f"model '{entry.id}': the process in which it was measured ended with exit code "
                f"{done.returncode}{': ' if words else ''}{''.join(words):.300}"
            )
        content: Any = pickle.loads(measured.read_bytes())
    if isinstance(content, str):
        raise ModelError(content)
    measurement: Measurement = content
    return measurement


def answer() -> None:
    """What the process does: read what is asked, measure, and write what came out."""
    path, entry, targets, device, cache = pickle.load(sys.stdin.buffer)
    content: Measurement | str
    try:
        content = measure(entry, targets, device=device, cache=cache)
    except BenchmarkError as error:
        content = str(error)
    path.write_bytes(pickle.dumps(content))
