"""Every score of a suite again, by other means: what a run wrote against other packages.

Of each cell the samples, annotations and predictions are taken as the run had them; everything
after that is computed here anew with pandas, SciPy and scikit-learn, without a metric or a design
of this program. Predictions of ONNX models that take a waveform are made anew, too, with
onnxruntime and soundfile alone, and criteria are compared with those of the paper. Meant for the
datasets of the paper, or stand-ins of them; it serves for any speech emotion data.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import BenchmarkError, MissingDependency
from ...core.paths import Paths
from ...engine.plan import Filters
from ...engine.run import Engine
from ...engine.scoring import Evaluation
from ...reports.rebuild import Rebuilder
from ...results import published, read_all
from ...results.keys import CellKey
from ...results.manifest import Manifest
from ...samples import datasets
from ...spec import Benchmark, Model, kinds, load_benchmark
from ...spec.view import ORIGINAL
from ...uncertainty.simulation import Bounds
from .otherwise import recomputed

#: largest difference between two ways to compute a score
SAME = 1e-9
#: differing scores that are named
NAMED = 10


def bench_paper(
    catalogs: Sequence[Path], models: Sequence[str], names: Sequence[str], *, workers: int
) -> dict[str, Any]:
    """Run the suite in an empty folder and check all of it.

    Args:
        catalogs: folders of the user
        models: ids; empty: all
        names: ids of datasets; empty: all but the embedded ones
        workers: parallel workers

    Returns:
        counts

    Raises:
        BenchmarkError: if a score, a prediction or a criterion is another one
        MissingDependency: without scikit-learn
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "bench paper computes scores with scikit-learn", "pip install scikit-learn"
        ) from None
    benchmark = load_benchmark(list(catalogs))
    with tempfile.TemporaryDirectory() as folder:
        folders = Paths(Path(folder) / "out", Path(folder) / "cache")
        engine = Engine(benchmark, folders, workers=workers, download=True)
        ids = names or [d.id for d in benchmark.datasets.values() if not d.embedded]
        report = engine.run(Filters(models=models, datasets=ids))
        counts: dict[str, Any] = {
            "signals given to models": report.calls,
            "distinct inputs": report.distinct,
            "cells": report.computed,
            "cells in error": len(report.errors),
        }
        check = Check(benchmark, folders)
        check.cells()
        if check.differs:
            raise BenchmarkError("bench paper: " + "; ".join(check.differs[:NAMED]))
        return {**counts, **check.figures()}


class Check:
    """Compares the results of a run with other ways to the same numbers.

    Args:
        benchmark: declarations
        folders: of the run
    """

    def __init__(self, benchmark: Benchmark, folders: Paths):
        self.benchmark, self.folders = benchmark, folders
        self.counts: Counter[str] = Counter()
        self.differs: list[str] = []
        self._direct = {
            model.id: direct for model in benchmark.models.values() if (direct := _direct(model))
        }
        self._asked: dict[tuple[Any, ...], Mapping[str, float]] = {}

    def cells(self) -> None:
        """Check all cells that the manifests name."""
        rebuilder = Rebuilder(self.benchmark, self.folders)
        for path in sorted(self.folders.method_tests.glob("*/*/manifest.json")):
            manifest = Manifest.read(path)
            assert manifest is not None
            target, model = path.parent.parent.name, path.parent.name
            if kinds.of(self.benchmark.targets[target]).is_ragged:
                continue
            for name, noted in manifest.cells.items():
                test, _, dataset = name.partition("/")
                if noted.get("status") == "error":
                    continue
                chance = self.benchmark.models[model].is_chance
                cell = rebuilder(CellKey(target, model, test, dataset), noted, chance=chance)
                self._scores(cell)
                self._predictions(cell)
        self._criteria()

    def figures(self) -> dict[str, Any]:
        """What was counted."""
        return dict(sorted(self.counts.items()))

    def _scores(self, cell: Evaluation) -> None:
        rows = cell.rows(Bounds(self.folders.cache))
        other = recomputed(cell)
        for score, row in zip(cell.scores, rows, strict=True):
            if not math.isfinite(score.value):
                self.counts["scores: without a value"] += 1
                continue
            value = other(score)
            equal = abs(value - row["value"]) <= SAME * max(1.0, abs(value))
            self.counts["scores: equal" if equal else "scores: different"] += 1
            if not equal:
                where = f"{cell.cell.target.id}/{cell.cell.model.id}/{cell.cell.key}"
                what = f"{score.metric} {score.label} {score.condition} {score.data}"
                self.differs.append(f"{where}: {what}: {row['value']!r}, otherwise {value!r}")

    def _predictions(self, cell: Evaluation) -> None:
        """Predictions on the unchanged input, asked of the runtime directly."""
        direct = self._direct.get(cell.cell.model.id)
        samples = cell.view.samples
        if direct is None or samples.empty or ORIGINAL not in cell.view.predictions:
            return
        dataset = cell.cell.dataset
        loaded = datasets.load(dataset, self.folders.cache, self.benchmark.targets, download=True)
        root = datasets.media(loaded, sorted(set(samples["file"])))
        labels = list(cell.cell.target.labels)
        segments = zip(samples["file"], samples["start"], samples["end"], strict=True)
        for key, prediction in zip(segments, cell.view.prediction, strict=True):
            sample = (dataset.database, *key)
            query: tuple[Any, ...] = (cell.cell.model.id, *sample)
            if query not in self._asked:
                self._asked[query] = direct(Path(root), *key)
            outputs = self._asked[query]
            if labels:
                same = max(labels, key=lambda label: outputs[label]) == prediction
            else:
                same = outputs[cell.cell.target.id] == prediction
            self.counts["raw predictions: " + ("equal" if same else "different")] += 1
            if not same:
                self.differs.append(f"{cell.cell.model.id}: {sample}: {prediction!r}, {outputs}")

    def _criteria(self) -> None:
        """Criteria of rows against the published ones of the same test and metric."""
        theirs = published.load()
        keys = ["target", "test", "metric", "condition"]
        criteria = theirs.groupby(keys)["criterion"].agg(set).to_dict()
        wider = theirs.groupby(keys[:3])["criterion"].agg(set).to_dict()
        rows = read_all(self.folders.method_tests)
        named = {name for test in self.benchmark.tests.values() for name in test.datasets}
        for row in rows[rows["dataset"].isin(named)].to_dict("records"):
            key = tuple(row[name] for name in keys)
            counterparts = criteria.get(key) or wider.get(key[:3])
            if counterparts is None or not row["criterion"]:
                self.counts["criteria: not published"] += 1
                continue
            same = row["criterion"] in counterparts
            if not same and f"|x| {row['criterion']}" in counterparts:
                # rank correlations pass in the paper whatever their sign
                self.counts["criteria: equal but for the sign that the paper ignores"] += 1
                continue
            self.counts["criteria: equal" if same else "criteria: different"] += 1
            if not same:
                self.differs.append(
                    f"{'/'.join(key)}: {row['criterion']}, published {counterparts}"
                )


def _direct(model: Model) -> Callable[[Path, str, int, int], Mapping[str, float]] | None:
    """Asks an audonnx folder with a waveform as input; None for other models."""
    if model.adapter != "onnx":
        return None
    folder = model.resolve(model.path)
    entry = folder / "model.yaml"
    if not entry.is_file():
        return None
    import onnxruntime
    import yaml

    (content,) = yaml.safe_load(entry.read_text("utf-8")).values()
    if content.get("transform"):
        return None

    @cache
    def session() -> Any:
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(folder / content["path"]), settings, providers=["CPUExecutionProvider"]
        )

    names = [(node, label) for node, labels in content["labels"].items() for label in labels]

    def asked(root: Path, file: str, start: int, end: int) -> Mapping[str, float]:
        import soundfile

        signal, rate = soundfile.read(root / file, dtype="float32")
        assert signal.ndim == 1
        ends = (round(start * rate / 1e9), len(signal) if end < 0 else round(end * rate / 1e9))
        nodes = [output.name for output in session().get_outputs()]
        values = session().run(None, {session().get_inputs()[0].name: signal[slice(*ends)][None]})
        outputs = dict(zip(nodes, values, strict=True))
        flat = {node: iter(np.ravel(outputs[node])) for node in content["labels"]}
        return {label: float(next(flat[node])) for node, label in names}

    return asked
