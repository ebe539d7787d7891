"""Every name, path and parameter of catalog and suite, resolved without data or model."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .. import models, perturbations
from ..core.errors import BenchmarkError, BrokenFile, ConfigError
from ..core.registry import unknown
from ..designs import check_uses
from ..metrics import METRICS
from ..models import outside
from ..samples import datasets
from ..spec import KINDS, Benchmark, Dataset, Entry, Model, Test
from .plan import conditions, missing_columns, needs


def faults(benchmark: Benchmark, *, files: bool = False) -> list[str]:
    """One line per fault; empty if everything is right.

    Args:
        benchmark: declarations
        files: whether to look into the files of models and of the user's datasets, too. A run
            does not: there, a broken file ends in error rows and the others go on
    """
    lines: list[str] = []
    checks: list[tuple[Callable[..., Iterator[str]], Sequence[Entry]]] = [
        (_test, list(benchmark.tests.values())),
        (_dataset, list(benchmark.datasets.values())),
        (_model, list(benchmark.models.values())),
        (perturbations.faults, list(benchmark.perturbations.values())),
    ]
    for check, items in checks:
        for item in items:
            try:
                wrong = list(check(benchmark, item))
                if files and not wrong:
                    _files(benchmark, item)
            except BrokenFile as error:
                wrong = [str(error)] if files else []
            except BenchmarkError as error:
                wrong = [str(error)]
            lines += wrong
    return lines


def warnings(benchmark: Benchmark) -> list[str]:
    """What is no fault, but hardly meant so: tables of predictions on another scale."""
    lines: list[str] = []
    for model in benchmark.models.values():
        with contextlib.suppress(BenchmarkError):  # a fault, which is told as such
            lines += outside.of_table(model, benchmark.targets)
    return lines


def _files(benchmark: Benchmark, item: Entry) -> None:
    """Read what an entry names; raises the first fault."""
    if isinstance(item, Model):
        models.check(item, benchmark.targets)
    elif isinstance(item, Dataset) and item.path and not item.builtin:
        reason = datasets.availability(item, Path())
        if reason:
            raise ConfigError(f"{item.origin}: {item.id}.path: {reason}")
        datasets.load(item, Path(), benchmark.targets)


def _test(benchmark: Benchmark, test: Test) -> Iterator[str]:
    where = str(test.origin)
    check_uses(test)
    for name in test.datasets:
        if name not in benchmark.datasets:
            yield str(unknown("dataset", name, benchmark.datasets, f"{where}: datasets"))
    for name in test.simulated:
        if name not in test.datasets:
            yield str(unknown("dataset of the test", name, test.datasets, f"{where}: simulated"))
    if not any(test.uses(kind) for kind in KINDS):
        yield f"{where}: needs metrics for at least one of: {', '.join(KINDS)}"
    for kind in KINDS:
        for number, use in enumerate(test.uses(kind)):
            yield from _use(kind, use.metric, dict(use.params), f"{where}: {kind}[{number}]")
    yield from _figures(test)
    for target in benchmark.targets.values():
        if test.uses(target.kind):
            needs(test, target)
            for condition, name in conditions(test, target).items():
                place = f"{where}: design: condition '{condition}'"
                benchmark.find("perturbations", name, place)
    yield from _columns(benchmark, test)
    yield from _expected(benchmark, test)


def _use(kind: str, name: str, params: dict[str, object], place: str) -> Iterator[str]:
    metric = METRICS.get(name, f"{place}.metric")
    if metric.kind != kind:
        ids = [m.id for m in METRICS if m.kind == kind]
        yield f"{place}.metric: '{name}' is for {metric.kind}. For {kind}: {', '.join(ids)}"
    signature = inspect.signature(metric.function).parameters
    keywords = {n: p for n, p in signature.items() if p.kind is p.KEYWORD_ONLY and n != "labels"}
    for key in params:
        if key not in keywords:
            yield str(unknown(f"parameter of '{name}'", key, keywords, place))
    for key, parameter in keywords.items():
        if parameter.default is parameter.empty and key not in params and key not in metric.filled:
            yield f"{place}: parameter '{key}' of '{name}' is missing"


def _figures(test: Test) -> Iterator[str]:
    from ..figures import FIGURES

    for kind, name in test.figures.items():
        if kind not in KINDS:
            yield str(unknown("kind", kind, KINDS, f"{test.origin}: figures"))
        elif name not in FIGURES:
            yield str(unknown("figure", name, FIGURES.names(), f"{test.origin}: figures.{kind}"))


def _columns(benchmark: Benchmark, test: Test) -> Iterator[str]:
    """Datasets that the test names and that have the columns it needs for no target."""
    targets = [target for target in benchmark.targets.values() if test.uses(target.kind)]
    for name in test.datasets:
        dataset = benchmark.datasets.get(name)
        if dataset is None or not targets:
            continue
        lacking = min((missing_columns(test, target, dataset) for target in targets), key=len)
        if lacking:
            where = f"{test.origin}: datasets: {name}"
            columns = datasets.declared_columns(dataset)
            yield str(unknown("column that the test needs", lacking[0], columns, where))


def _expected(benchmark: Benchmark, test: Test) -> Iterator[str]:
    for category, ranges in test.options.get("expected", {}).items():
        for name in ranges:
            if name not in benchmark.targets:
                where = f"{test.origin}: design.expected.{category}"
                yield str(unknown("target", name, benchmark.targets, where))


def _dataset(benchmark: Benchmark, dataset: Dataset) -> Iterator[str]:
    for name in dataset.tests or ():
        if name not in benchmark.tests:
            where = f"{dataset.origin}: {dataset.id}.tests"
            yield str(unknown("test", name, benchmark.tests, where))
    for key, path in (("path", dataset.path), ("audio", dataset.audio)):
        if not dataset.builtin and path and not dataset.resolve(path).exists():
            yield f"{dataset.origin}: {dataset.id}.{key}: {dataset.resolve(path)}: no such folder"
    sets = sorted({e.corpora for e in benchmark.perturbations.values() if e.corpora})
    if dataset.corpora and dataset.corpora not in sets:
        where = f"{dataset.origin}: {dataset.id}.corpora"
        yield str(unknown("set of corpora", dataset.corpora, sets, where))
    for name, ratings in dataset.ratings.items():
        where = f"{dataset.origin}: {dataset.id}.ratings"
        if name not in benchmark.targets:
            yield str(unknown("target", name, benchmark.targets, where))
            continue
        labels = benchmark.targets[name].labels
        for label in ratings.votes:
            if label not in labels:
                yield str(unknown("class", label, labels, f"{where}.{name}.votes"))
    try:
        datasets.check(dataset)
    except ConfigError as error:
        yield str(error)


def _model(benchmark: Benchmark, model: Model) -> Iterator[str]:
    where = f"{model.origin}: {model.id}"
    for name, output in model.outputs.items():
        if name not in benchmark.targets:
            yield str(unknown("target", name, benchmark.targets, f"{where}.outputs"))
            continue
        classes = benchmark.targets[name].labels
        for label in output.mapping.values():
            if classes and label is not None and label not in classes:
                yield str(unknown("label", label, classes, f"{where}.outputs.{name}.mapping"))
    path = Path(model.resolve(model.path)) if model.path else None
    if path is not None and not path.exists() and not models.may_be_elsewhere(model):
        yield f"{where}.path: {path}: no such file"
        return
    models.fingerprint(model)
    if model.adapter != "python":  # code of a model is not run by a check
        models.offered_targets(model, benchmark.targets)


__all__ = ["faults", "warnings"]
