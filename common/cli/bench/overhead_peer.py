"""audinterface and auglib as a yardstick of :mod:`common.cli.bench.overhead`: the same files, changes and calls.

As they are used: a table of files is augmented, condition by condition, which writes the changed files, and a
model processes each of these tables. It is a program, so that the start of Python counts on both sides; its arguments
are those of :func:`main`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import audformat
import audinterface
import audmetric
import auglib
import numpy as np
import pandas as pd

from ...core import terminal
from ...spec import load_benchmark
from .busy_model import Busy
from .overhead import CONDITIONS, DATASET
from .perturb_peer import RATE, peer


def main(folder: Path, blocks: int, workers: int) -> float:
    """Largest change of the concordance correlation coefficient by a condition.

    Args:
        folder: where :mod:`common.cli.bench.overhead` has written its files and labels
        blocks: so many blocks are hashed for each signal
        workers: threads of both libraries
    """
    table = pd.read_csv(folder / DATASET / "metadata.csv")
    target = table.columns[1]
    model = Busy(target, blocks)

    def predict(signal: np.ndarray, sampling_rate: int) -> float:
        return float(model.predict([signal], sampling_rate)[target][0])

    process = audinterface.Process(
        process_func=predict, sampling_rate=RATE, num_workers=workers, verbose=False
    )
    files = [str(folder / DATASET / name) for name in table["file"]]
    truth = pd.Series(table[target].to_numpy(), audformat.filewise_index(files))
    before = _ccc(truth, process.process_index(truth.index))
    perturbations = load_benchmark().perturbations
    changes = []
    for name in CONDITIONS:
        entry = perturbations[name]
        transform: Any = peer(entry.function, entry.params, [], folder)
        augment = auglib.Augment(transform, seed=0, num_workers=workers)
        changed = augment.augment(truth, cache_root=str(folder / "augmented"))
        after = _ccc(changed, process.process_index(changed.index))
        changes.append(after - before)
    return max(map(abs, changes))


def _ccc(truth: pd.Series, prediction: pd.Series) -> float:
    return float(audmetric.concordance_cc(truth.to_numpy(), prediction.to_numpy()))


if __name__ == "__main__":
    place, number, threads = sys.argv[1:]
    terminal.tell(str(main(Path(place), int(number), int(threads))))
