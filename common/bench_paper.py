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
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from common import datasets, published
from common.designs import DESIGNS, Score, options
from common.engine import Engine
from common.errors import MissingDependency
from common.keys import CellKey
from common.manifest import Manifest
from common.paths import Paths
from common.plan import Filters
from common.rebuild import Rebuilder, Rebuilt
from common.results import read_all
from common.spec import Benchmark, Model, load_benchmark
from common.view import ORIGINAL

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
        names: ids of datasets; empty: all
        workers: parallel workers

    Returns:
        counts, and under ``differs`` the first scores that another way gives another value for

    Raises:
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
        report = engine.run(Filters(models=models, datasets=names))
        found: dict[str, Any] = {
            "signals given to models": report.calls,
            "distinct inputs": report.distinct,
            "cells": report.computed,
            "cells in error": len(report.errors),
        }
        check = Check(benchmark, folders)
        check.cells()
        return {**found, **check.figures()}


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
        self._asked: dict[tuple[str, str, int, int], Mapping[str, float]] = {}

    def cells(self) -> None:
        """Check all cells that the manifests name."""
        rebuilder = Rebuilder(self.benchmark, self.folders)
        for path in sorted(self.folders.method_tests.glob("*/*/manifest.json")):
            manifest = Manifest.read(path)
            assert manifest is not None
            target, model = path.parent.parent.name, path.parent.name
            if self.benchmark.targets[target].kind not in ("regression", "classification"):
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
        return {**dict(sorted(self.counts.items())), "differs": self.differs[:NAMED]}

    def _scores(self, cell: Rebuilt) -> None:
        rows = cell.rows(self.folders.cache)
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

    def _predictions(self, cell: Rebuilt) -> None:
        """Predictions on the unchanged input, asked of the runtime directly."""
        direct = self._direct.get(cell.cell.model.id)
        samples = cell.view.samples
        if direct is None or samples.empty or ORIGINAL not in cell.view.predictions:
            return
        dataset = cell.cell.dataset
        loaded = datasets.load(dataset, self.folders.cache, self.benchmark.targets, download=True)
        root = datasets.media(loaded, sorted(set(samples["file"])))
        labels = list(cell.cell.target.labels)
        known = zip(samples["file"], samples["start"], samples["end"], strict=True)
        for key, prediction in zip(known, cell.view.prediction, strict=True):
            sample = (dataset.database, *key)
            if (cell.cell.model.id, *sample) not in self._asked:
                self._asked[cell.cell.model.id, *sample] = direct(Path(root), *key)  # type: ignore[index]
            outputs = self._asked[cell.cell.model.id, *sample]  # type: ignore[index]
            if labels:
                same = max(labels, key=lambda label: outputs[label]) == prediction
            else:
                same = outputs[cell.cell.target.id] == prediction
            self.counts["raw predictions: " + ("equal" if same else "different")] += 1

    def _criteria(self) -> None:
        """Criteria of rows against the published ones of the same test and metric."""
        theirs = published.load()
        keys = ["target", "test", "metric", "condition"]
        known = theirs.groupby(keys)["criterion"].agg(set).to_dict()
        wider = theirs.groupby(keys[:3])["criterion"].agg(set).to_dict()
        own = read_all(self.folders.method_tests)
        named = {name for test in self.benchmark.tests.values() for name in test.datasets}
        for row in own[own["dataset"].isin(named)].to_dict("records"):
            key = tuple(row[name] for name in keys)
            wanted = known.get(key) or wider.get(key[:3])
            if wanted is None or not row["criterion"]:
                self.counts["criteria: not published"] += 1
                continue
            same = row["criterion"] in wanted
            self.counts["criteria: equal" if same else "criteria: different"] += 1
            if not same:
                self.differs.append(f"{'/'.join(key)}: {row['criterion']}, published {wanted}")


# --- scores ------------------------------------------------------------------------------------


def recomputed(cell: Rebuilt) -> Callable[[Score], float]:
    """Another way to the scores of a cell.

    Args:
        cell: samples, annotations and predictions

    Returns:
        function of a score: what its value should be, judged by its labels alone
    """
    design = cell.cell.test.design_name
    chosen: Any = options(DESIGNS.get(design), cell.cell.test)
    params = {use.metric: use.params for use in cell.cell.test.uses(cell.cell.target.kind)}
    frame = cell.view.samples.copy()
    frame["_prediction"] = cell.view.prediction
    if cell.cell.target.id in frame:
        frame["_truth"] = cell.view.truth
    return lambda score: _DESIGNS[design](score, frame, chosen, dict(params[score.metric]), cell)


def _against_truth(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt
) -> float:
    return pair(score.metric, score.label, frame["_truth"], frame["_prediction"], params)


def _per_unit(score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt) -> float:
    units = frame[chosen.unit]
    if not score.label:
        truth, prediction = (
            frame[side].astype(float).groupby(units).mean() for side in ("_truth", "_prediction")
        )
        return pair(score.metric, "", truth, prediction, params)
    tables = (
        pd.crosstab(units, frame[side], normalize="index") for side in ("_truth", "_prediction")
    )
    truth, prediction = (t.get(score.label, pd.Series(0.0, t.index)) for t in tables)
    name = {"class_proportion_mae": "mae", "class_proportion_spearmans_rho": "spearmans_rho"}
    return pair(name[score.metric], "", truth, prediction, params)


def _expected_range(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt
) -> float:
    name = chosen.expected[score.label][cell.cell.target.id]
    low, high = chosen.ranges[name]
    own = frame.loc[frame[chosen.column] == score.label, "_prediction"].astype(float)
    return float(
        own.between(-np.inf if low is None else low, np.inf if high is None else high).mean()
    )


def _groups(frame: pd.DataFrame, chosen: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    for group, part in frame.groupby(list(chosen.attribute)):
        yield chosen.name(tuple(map(str, group))), part


def _by_group(score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt) -> float:
    part = dict(_groups(frame, chosen))[score.condition]
    labels = _observed(frame)
    own, everyone = (
        pair(score.metric, score.label, rows["_truth"], rows["_prediction"], params, labels)
        for rows in (part, frame)
    )
    return own - everyone


def _group_shift(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt
) -> float:
    part = dict(_groups(frame, chosen))[score.condition]
    labels = list(cell.cell.target.labels)
    everyone, own = frame["_prediction"], part["_prediction"]
    return pair(score.metric, score.label, everyone, own, params, labels)


def _context_shift(
    score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt
) -> float:
    if "bins" in params:
        frame = frame.assign(_prediction=binned(frame["_prediction"], params["bins"]))
    labels = list(cell.cell.target.labels)
    if labels:
        frame = frame[frame["_prediction"].isin(labels)]
    values = frame["_prediction"]
    values = (values == score.label).astype(float) if score.label else values.astype(float)
    context = next(c for c in chosen.contexts if chosen.condition_of(c) == score.condition)
    inside = frame[chosen.context] == context
    key = [frame[name] for name in chosen.attribute]
    everything = values.groupby(key).mean()
    within = values[inside].groupby([column[inside] for column in key]).mean()
    shift = (within - everything).dropna()
    names = {chosen.part(_texts(group)): group for group in shift.index}
    return float(shift[names[score.data]] - shift.mean())


def _texts(group: Any) -> tuple[str, ...]:
    return tuple(map(str, group)) if isinstance(group, tuple) else (str(group),)


def _perturbed(score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt) -> float:
    changed = pd.Series(cell.view.predictions[score.condition], frame.index)
    if not score.metric.startswith("change_"):
        return pair(score.metric, score.label, frame["_prediction"], changed, params)
    name = score.metric.removeprefix("change_")
    after, before = (
        pair(name, "", frame["_truth"], side, params) for side in (changed, frame["_prediction"])
    )
    return after - before


def _paired(score: Score, frame: pd.DataFrame, chosen: Any, params: Any, cell: Rebuilt) -> float:
    if not chosen.column:
        base, changed = (
            pd.Series(cell.view.predictions[name]) for name in (score.reference, score.condition)
        )
        return pair(score.metric, score.label, base, changed, params)
    wide = frame[frame[chosen.column].isin([score.reference, score.condition])]
    twice = wide.duplicated([chosen.column, *chosen.match], keep=False)
    table = wide[~twice].pivot(
        index=list(chosen.match), columns=chosen.column, values="_prediction"
    )
    table = table.dropna()
    return pair(score.metric, score.label, table[score.reference], table[score.condition], params)


_DESIGNS: dict[str, Callable[[Score, pd.DataFrame, Any, Any, Rebuilt], float]] = {
    "against_truth": _against_truth,
    "per_unit": _per_unit,
    "expected_range": _expected_range,
    "by_group": _by_group,
    "group_shift": _group_shift,
    "context_shift": _context_shift,
    "perturbed": _perturbed,
    "paired": _paired,
}


# --- metrics -----------------------------------------------------------------------------------


def _observed(frame: pd.DataFrame) -> list[Any]:
    return sorted({*frame["_truth"].unique(), *frame["_prediction"].unique()})


def binned(values: pd.Series, bins: int) -> pd.Series:
    """Names of the equal bins on [0, 1] that values lie in, the outer ones open.

    >>> binned(pd.Series([0.25, 0.26, 7.0]), 4).tolist()
    ['(-inf, 0.25]', '(0.25, 0.5]', '(0.75, inf]']
    """
    edges = [-np.inf, *(number / bins for number in range(1, bins)), np.inf]
    names = [f"({low:g}, {high:g}]" for low, high in pairwise(edges)]
    return pd.cut(values.astype(float), edges, labels=names).astype(object)


def pair(
    metric: str,
    label: str,
    first: pd.Series,
    second: pd.Series,
    params: Mapping[str, Any],
    labels: Sequence[Any] | None = None,
) -> float:
    """A metric of two lists by pandas, SciPy or scikit-learn.

    Args:
        metric: its id
        label: class or bin
        first: truth or reference
        second: prediction
        params: parameters of the test
        labels: classes; default: those that occur
    """
    if metric.endswith("_per_bin"):
        first, second = (binned(side, params["bins"]) for side in (first, second))
    if metric in _SHARES:
        return _share(second, label, labels) - _share(first, label, labels)
    if metric in _OF_CLASSES:
        if labels is None:
            labels = sorted({*first.unique(), *second.unique()})
        return _OF_CLASSES[metric](list(first), list(second), label, list(labels))
    x, y = (side.to_numpy(dtype=float) for side in (first, second))
    return float(_OF_NUMBERS[metric](x, y, params))


def _share(values: pd.Series, label: str, labels: Sequence[Any] | None) -> float:
    known = values if not labels else values[values.isin(labels)]
    return float((known == label).mean())


def _sklearn(name: str, average: str | None) -> Callable[..., float]:
    def value(first: list[Any], second: list[Any], label: str, labels: list[Any]) -> float:
        from sklearn import metrics

        function = getattr(metrics, name)
        if average is None:
            return float(function(first, second, labels=[label], average=None, zero_division=0)[0])
        return float(function(first, second, labels=labels, average=average, zero_division=0))

    return value


def _ccc(x: np.ndarray, y: np.ndarray, params: Any) -> float:
    table = np.cov(x, y, bias=True)
    return 2 * table[0, 1] / (table[0, 0] + table[1, 1] + (x.mean() - y.mean()) ** 2)


def _scipy(module: str, name: str) -> Callable[..., float]:
    def value(x: np.ndarray, y: np.ndarray, params: Any) -> float:
        import importlib

        return float(getattr(importlib.import_module(f"scipy.{module}"), name)(x, y).statistic)

    return value


def _jensen_shannon(x: np.ndarray, y: np.ndarray, params: Any) -> float:
    from scipy.spatial.distance import jensenshannon

    sides = [binned(pd.Series(side), params["bins"]).value_counts() for side in (x, y)]
    names = sorted({*sides[0].index, *sides[1].index})
    return float(jensenshannon(*(side.reindex(names, fill_value=0) for side in sides), base=2))


_SHARES = {
    "relative_difference_per_class",
    "relative_difference_per_bin",
}
_OF_CLASSES: dict[str, Callable[..., float]] = {
    "uar": _sklearn("recall_score", "macro"),
    "uap": _sklearn("precision_score", "macro"),
    "recall_per_class": _sklearn("recall_score", None),
    "precision_per_class": _sklearn("precision_score", None),
    "recall_per_bin": _sklearn("recall_score", None),
    "precision_per_bin": _sklearn("precision_score", None),
    "percentage_unchanged_classes": lambda first, second, label, labels: float(
        np.mean([a == b for a, b in zip(first, second, strict=True)])
    ),
}
_OF_NUMBERS: dict[str, Callable[[np.ndarray, np.ndarray, Any], float]] = {
    "ccc": _ccc,
    "pcc": _scipy("stats", "pearsonr"),
    "spearmans_rho": _scipy("stats", "spearmanr"),
    "mae": lambda x, y, params: float(np.mean(np.abs(x - y))),
    "mean_directional_error": lambda x, y, params: float(np.mean(y - x)),
    "mean_difference": lambda x, y, params: float(np.average(y) - np.average(x)),
    "percentage_unchanged": lambda x, y, params: float(
        np.mean(np.abs(y - x) < params["tolerance"])
    ),
    "jensen_shannon_distance": _jensen_shannon,
}


# --- predictions -------------------------------------------------------------------------------


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
        found = dict(zip(nodes, values, strict=True))
        flat = {node: iter(np.ravel(found[node])) for node in content["labels"]}
        return {label: float(next(flat[node])) for node, label in names}

    return asked
