"""Measuring what models cost: times and memory of those that have no current figures yet."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import models
from ..core import machine
from ..core.environment import environment
from ..core.errors import BenchmarkError
from ..core.paths import Paths
from ..models import measuring
from ..results import cost
from ..spec import Benchmark, Model
from .plan import Filters


@dataclass
class CostReport:
    """What was done.

    Args:
        measured: models that were measured
        current: models whose figures were up to date
        not_measured: model -> why nothing can be measured
        errors: model -> message
    """

    measured: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def update(
    benchmark: Benchmark,
    folders: Paths,
    filters: Filters,
    *,
    device: str = "auto",
    force: bool = False,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    measure: Callable[..., measuring.Measurement] = measuring.measure_apart,
) -> CostReport:
    """Measure the selected models that have no figures of this machine, or stale ones.

    Args:
        benchmark: declarations
        folders: where results and caches are
        filters: selection of models and targets
        device: ``cuda``, or anything else for the CPU
        force: whether current figures are measured again
        progress: told how far it is
        measure: measures one model

    Raises:
        ConfigError: if a declaration or a filter is wrong
        DataError: if the table of measured figures is damaged
        OutputError: if it cannot be written
    """
    filters.check(benchmark)
    report = CostReport()
    chosen = [m for m in benchmark.models.values() if not filters.models or m.id in filters.models]
    place = "cuda" if device == "cuda" else "cpu"
    for number, model in enumerate(chosen):
        progress("measure cost", number, len(chosen))
        try:
            targets = models.offered_targets(model, benchmark.targets, cache=folders.cache)
            if filters.targets and not set(filters.targets) & set(targets):
                continue
            if not models.listens(model):
                report.not_measured[model.id] = "its predictions are not computed from signals"
                continue
            fingerprint = models.fingerprint(model, cache=folders.cache)
            if not force and _is_current(folders, model, fingerprint, place):
                report.current.append(model.id)
                continue
            measurement = measure(model, benchmark.targets, device=place, cache=folders.cache)
        except BenchmarkError as error:
            report.errors[model.id] = str(error)
            continue
        cost.add(folders.cost, rows_of(model, fingerprint, place, measurement))
        report.measured.append(model.id)
    return report


def _is_current(folders: Paths, model: Model, fingerprint: str, device: str) -> bool:
    """Whether there are figures of this state of a model from this machine."""
    here = (machine.processor(), device, measuring.THREADS)
    rows = [r for r in cost.read(folders.cost) if r.model == model.id and r.machine == here]
    state = (fingerprint, model.version, measuring.PROTOCOL)
    return bool(rows) and all((r.fingerprint, r.version, r.protocol) == state for r in rows)


def rows_of(
    model: Model, fingerprint: str, device: str, measurement: measuring.Measurement
) -> list[cost.CostRow]:
    """A measurement as rows of the table.

    Args:
        model: the model
        fingerprint: hash of everything that decides about its predictions
        device: cpu or cuda
        measurement: what was measured
    """
    packages = " ".join(f"{name}={version}" for name, version in environment().items())
    return [
        cost.CostRow(
            model=model.id,
            version=model.version,
            fingerprint=fingerprint,
            protocol=measuring.PROTOCOL,
            device=device,
            threads=measuring.THREADS,
            processor=machine.processor(),
            packages=packages,
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            load_s=measurement.load_s,
            idle_bytes=measurement.idle_bytes,
            peak_bytes=measurement.peak_bytes,
            duration_s=times.duration_s,
            calls=times.calls,
            first_s=times.first_s,
            latency_s=times.latency_s,
            fastest_s=times.fastest_s,
            slowest_s=times.slowest_s,
            real_time_factor=times.real_time_factor,
        )
        for times in measurement.times
    ]
