"""How long the fairness tests take on many predictions, without inference and figures.

One table holds everything that the fairness tests of the suite ask for; all of them select,
balance, score and judge for all targets with one value per sample. The pitch of the samples lies
in the cache already. Balancing alone is measured on a million rows, too.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ...spec import Target, Test, kinds
from .usage import Stopwatch, peak_mb

#: samples, speakers and languages or accents of the table
SAMPLES, SPEAKERS, GROUPS = 100_000, 500, 30
#: rows, groups and rows wanted of each group, of balancing alone
ROWS, SHARES, WANTED = 1_000_000, 3, 1000
#: seconds and megabytes that it may take
LIMITS = {"seconds": 10.0, "megabytes": 1000, "balance_seconds": 2.0}


def bench_fairness() -> dict[str, float | int]:
    """Seconds, peak memory in MB and number of rows, measured in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measure).result()


def _measure() -> dict[str, float | int]:
    from ...designs.selecting import Selector
    from ...predictions.attributes import Context
    from ...spec import load_benchmark

    benchmark = load_benchmark()
    # one value per sample: sound events have fairness tests of their own
    targets = [target for target in benchmark.targets.values() if not kinds.of(target).is_ragged]
    tests = [
        test
        for test in benchmark.tests.values()
        if test.family == "fairness" and any(test.uses(target.kind) for target in targets)
    ]
    generator = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        samples = _samples(targets, tests, generator, Path(folder))
        drawn = {target.id: _values(target, generator, SAMPLES) for target in targets}
        with Stopwatch() as watch:
            select = Selector(samples, 0, Context(Path(folder)))
            count = sum(
                _score(select, samples.dataset, target, test, drawn[target.id])
                for target in targets
                for test in tests
                if test.uses(target.kind)
            )
    peak, balance = peak_mb(), _balance()
    return {
        "seconds": watch.wall_s,
        "scores: processor time": watch.processor_s,
        "megabytes": peak,
        "samples": SAMPLES,
        "rows": count,
        "balance_seconds": balance.wall_s,
        "balance: processor time": balance.processor_s,
        "balance_rows": ROWS,
    }


def _balance() -> Stopwatch:
    """How long balancing numbers over three groups takes."""
    import pandas as pd

    from ...designs.balancing import balance_values, shuffled

    generator = np.random.default_rng(0)
    samples = pd.DataFrame({"file": [f"{n // 10:06d}.wav" for n in range(ROWS)]}).astype(object)
    samples["start"] = np.arange(ROWS, dtype=np.int64) % 10 * 10**9
    samples["end"] = samples["start"] + 10**9
    groups, values = generator.integers(0, SHARES, ROWS), generator.random(ROWS)
    with Stopwatch() as watch:
        balance_values(shuffled(samples, generator), groups, values, WANTED)
    return watch


def _score(select: Any, dataset: Any, target: Target, test: Test, drawn: np.ndarray) -> int:
    """Number of result rows of one test for one target."""
    from ...designs import View, design_of
    from ...results.rows import rows
    from ...spec.cell import Cell
    from ...spec.records import Model
    from ...spec.view import ORIGINAL

    selection = select(test, target)
    predictions = drawn[selection.samples.index.to_numpy()]
    view = View(target, selection.samples.reset_index(drop=True), {ORIGINAL: predictions})
    scores = design_of(test).scores(view, test.uses(target.kind))
    model = Model(id="bench", version="1.0.0", adapter="chance")
    return len(rows(Cell(target, model, test, dataset, ""), scores))


def _values(target: Target, generator: np.random.Generator, n: int) -> np.ndarray:
    """Random values of a target."""
    if kinds.of(target).is_number:
        return np.clip(generator.normal(0.5, 0.2, n), 0, 1)
    return np.array(target.labels, dtype=object)[generator.integers(len(target.labels), size=n)]


def _samples(
    targets: Sequence[Target], tests: Sequence[Test], generator: np.random.Generator, cache: Path
) -> Any:
    """A table with all columns of the tests, and the pitch of its samples in the cache."""
    import pandas as pd

    from ...designs import design_of
    from ...predictions.attributes.f0_models import COLUMN, method
    from ...predictions.attributes.segment_f0 import store
    from ...samples.base import KEYS, Samples
    from ...spec.records import Dataset

    speakers = np.arange(SAMPLES) % SPEAKERS
    table = pd.DataFrame({"file": [f"audio/{n // 10:06d}.wav" for n in range(SAMPLES)]}).astype(
        object
    )
    table["start"] = np.arange(SAMPLES, dtype=np.int64) % 10 * 10**9
    table["end"] = table["start"] + 10**9
    for target in targets:
        table[target.id] = _values(target, generator, SAMPLES)
    for test in tests:
        chosen: Any = design_of(test)
        for name in chosen.columns():
            names = chosen.groups.get(name) or [f"{name} {n}" for n in range(GROUPS)]
            values = np.array(names, dtype=object)[speakers % len(names)]
            table[name] = speakers.astype(str).astype(object) if name == chosen.unit else values
        if hasattr(chosen, "context"):
            contexts = np.array(chosen.contexts, dtype=object)
            table[chosen.context] = contexts[generator.integers(len(contexts), size=SAMPLES)]
    dataset = Dataset(id="bench", version="1.0.0", adapter="folder")
    samples = Samples(dataset, table, cache, "")
    pitch = 90 + 170 * speakers / SPEAKERS
    store(method("autocorrelation"), samples, cache).append(table[KEYS], pitch[:, None], [COLUMN])
    return samples
