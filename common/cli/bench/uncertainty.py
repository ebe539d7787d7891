"""How long the intervals of a full run take, and how much memory they need.

Every test of the suite is scored on all samples for every target with one value per sample, by
the designs as in a run; only the intervals of the scores are timed. A real run has fewer samples
in most tests.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import Target, Test, kinds
from .usage import Stopwatch, peak_mb

if TYPE_CHECKING:
    from ...spec.view import View

#: samples and speakers of each test
SAMPLES, SPEAKERS = 100_000, 500
#: values of an attribute that declares none
GROUPS = 30
#: seconds and megabytes that it may take
LIMITS = {"seconds": 60.0, "megabytes": 2000}


def bench_uncertainty(*, speakers: bool = True) -> dict[str, float | int]:
    """Seconds, peak memory in MB and number of intervals, measured in a fresh process.

    Args:
        speakers: whether samples have speakers; if not, each sample stands alone
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measure, speakers).result()


def _measure(speakers: bool) -> dict[str, float | int]:
    from ...designs import design_of
    from ...designs.certainty import intervals
    from ...spec import load_benchmark

    benchmark = load_benchmark()
    generator = np.random.default_rng(0)
    wall_s, used_s, count = 0.0, 0.0, 0
    # one value per sample; intervals of events are counted in recordings, not in predictions
    targets = [target for target in benchmark.targets.values() if not kinds.of(target).is_ragged]
    for target in targets:
        for test in benchmark.applicable(target.id):
            view = _view(test, target, generator, speakers=speakers)
            scores = design_of(test).scores(view, test.uses(target.kind))
            with Stopwatch() as watch:
                score_intervals = intervals(scores, view)
            wall_s += watch.wall_s
            used_s += watch.processor_s
            count += sum(interval is not None for interval in score_intervals)
    return {
        "seconds": wall_s,
        "processor time": used_s,
        "megabytes": peak_mb(),
        "targets": len(targets),
        "intervals": count,
    }


def _values(target: Target, generator: np.random.Generator, n: int) -> np.ndarray:
    if kinds.of(target).is_number:
        return np.clip(generator.normal(0.5, 0.2, n), 0, 1)
    return np.array(target.labels, dtype=object)[generator.integers(len(target.labels), size=n)]


def _view(test: Test, target: Target, generator: np.random.Generator, *, speakers: bool) -> View:
    """Random samples and predictions with everything that a test asks for."""
    import pandas as pd

    from ...designs import ORIGINAL, design_of
    from ...designs.certainty import CLUSTER
    from ...spec.view import View

    chosen: Any = design_of(test)
    number = np.arange(SAMPLES)
    speaker = number * SPEAKERS // SAMPLES
    table = pd.DataFrame({"file": [f"{n:06d}.wav" for n in number], "start": 0, "end": -1})
    table[target.id] = _values(target, generator, SAMPLES)
    columns: dict[str, Any] = {}
    if speakers or hasattr(chosen, "min_units"):
        columns[CLUSTER] = [f"s{n:03d}" for n in range(SPEAKERS)], speaker
    for name in getattr(chosen, "attribute", ()):
        names = chosen.groups.get(name) or [f"{name} {n}" for n in range(GROUPS)]
        columns[name] = names, speaker % len(names)
    if hasattr(chosen, "contexts"):
        size = len(chosen.contexts)
        columns[chosen.context] = chosen.contexts, generator.integers(size, size=SAMPLES)
    if hasattr(chosen, "ranges"):
        size = len(chosen.expected)
        columns[chosen.column] = list(chosen.expected), generator.integers(size, size=SAMPLES)
    if getattr(chosen, "column", "") and hasattr(chosen, "match"):
        columns[chosen.column] = [chosen.reference, f"not {chosen.reference}"], number % 2
        for name in chosen.match:
            columns.setdefault(name, ([f"{n}" for n in range(SAMPLES // 2)], number // 2))
    for name, (names, codes) in columns.items():
        table[name] = np.array(names, dtype=object)[codes]
    predictions = {ORIGINAL: _values(target, generator, SAMPLES)}
    for name in chosen.conditions(target):
        predictions[name] = _values(target, generator, SAMPLES)
    return View(target, table, predictions, dataset="bench")
