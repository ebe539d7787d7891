"""Performance benchmarks: claims about speed are measured here, never in a timed test."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...core.paths import DOCS, Paths, default_cache
from ..idle import refuse_of_others
from .usage import Stopwatch, peak_mb

Say = Callable[[str], None]
#: figures of every benchmark: all processor time, and the memory of its largest process
ALL, PEAK = "in all: processor time", "in all: peak memory in MB"


#: what ``bench all --write`` writes into
PAGE = DOCS / "reference" / "speed.rst"


#: option -> benchmarks that it belongs to
OWNERS = {
    "write": ("all",),
    "large": ("events",),
    "models": ("site",),
    "lighthouse": ("pages",),
    "segments": ("scale",),
    "keep": ("scale",),
    **dict.fromkeys(("model", "dataset"), ("all", "suite", "paper")),
}


class CaseSize(NamedTuple):
    """How large the cases are.

    Args:
        large: whether the large case of events is measured, too
        models: number of models that the website has beside the published ones
        site: website whose pages are measured
        lighthouse: whether Lighthouse judges them, too
    """

    large: bool = False
    models: int = 0
    site: Path = Paths().html
    lighthouse: bool = False


class Suite(NamedTuple):
    """What ``bench suite`` runs: the user's catalogs, models and datasets; empty: all."""

    catalogs: Sequence[Path] = ()
    models: Sequence[str] = ()
    datasets: Sequence[str] = ()


def run_command(args: argparse.Namespace, folders: Paths, workers: int, say: Say) -> dict[str, Any]:
    """Run the benchmark that the command line asks for.

    Args:
        args: options of the command
        folders: where the website lies whose pages are measured
        workers: parallel workers
        say: takes one line for a person

    Raises:
        ConfigError: if an option does not go with it
    """
    refuse_of_others(args, "bench", args.what, OWNERS)
    suite = Suite(args.catalog, args.model, args.dataset)
    if args.what == "all":
        from .everything import bench_all

        return bench_all(suite, workers=workers, say=say, page=PAGE if args.write else None)
    if args.what == "scale":
        from .scale import SEGMENTS, bench_scale

        return bench_scale(args.segments or SEGMENTS, workers=workers, say=say, folder=args.keep)
    size = CaseSize(args.large, args.models, folders.html, args.lighthouse)
    return run(args.what, workers=workers, say=say, size=size, suite=suite)


def run(
    what: str, *, workers: int, say: Say, size: CaseSize | None = None, suite: Suite | None = None
) -> dict[str, Any]:
    """Run a benchmark and report every figure.

    Args:
        what: engine, events, fairness, pages, paper, perturb, ranking, run, site, suite or uncertainty
        workers: parallel workers
        say: takes one line for a person
        size: how large the cases are
        suite: what ``suite`` and ``paper`` run
    """
    size = size or CaseSize()
    measure: dict[str, Callable[[int], dict[str, Any]]] = {
        "engine": _engine,
        "events": lambda workers: _events(size.large),
        "fairness": _fairness,
        "pages": lambda workers: _pages(size.site, size.lighthouse),
        "paper": lambda workers: _paper(workers, suite or Suite()),
        "perturb": _perturb,
        "ranking": _ranking,
        "run": _overhead,
        "site": lambda workers: _site(size.models),
        "suite": lambda workers: _suite(workers, suite or Suite()),
        "uncertainty": _uncertainty,
    }
    with Stopwatch() as watch:
        figures = measure[what](workers)
    figures = {**figures, ALL: watch.processor_s, PEAK: peak_mb(children=True)}
    for name, value in figures.items():
        say(f"{name}: {_text(name, value)}")
    return figures


def _text(name: str, value: Any) -> str:
    """A figure with its unit: seconds, unless its name says otherwise."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if re.search(r"\b(ms|times|GB)\b", name) else f"{value:.2f} s"


def _ranking(workers: int) -> dict[str, Any]:
    """How often rankings of equal models tell two of them apart, by simulation."""
    from .ranking import bench_ranking

    return bench_ranking()


def _engine(workers: int) -> dict[str, Any]:
    """The embedded benchmark, with all of its data, from cold and from warm predictions.

    The number of signals given to models must equal the number of distinct
    (model, segment, condition), and be zero in the second run.
    """
    from ...engine.plan import Filters
    from ...engine.run import Engine
    from ...samples import demo
    from ...spec import load_benchmark

    benchmark = load_benchmark(full=True)  # as large as ever, so that figures can be compared
    embedded = [d for d in benchmark.datasets.values() if d.embedded]
    datasets = [d.id for d in embedded]
    figures: dict[str, Any] = {}
    cache = default_cache()
    demo.ensure(cache, {d.database for d in embedded}, workers=workers)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "cache"
        scratch.mkdir()
        (scratch / "embedded").symlink_to(Paths(cache=cache).embedded)
        for name in ("cold", "warm", "nothing to do"):
            engine = Engine(benchmark, Paths(Path(folder) / "out", scratch), workers=workers)
            with Stopwatch() as watch:
                report = engine.run(Filters(datasets=datasets), force=name == "warm")
            figures[f"{name}: wall clock"] = watch.wall_s
            figures[f"{name}: processor time"] = watch.processor_s
            figures[f"{name}: signals given to models"] = report.calls
            figures[f"{name}: distinct inputs"] = report.distinct
            figures[f"{name}: cells computed"] = report.computed
    return figures


def _events(large: bool) -> dict[str, Any]:
    """Sound event metrics, on one core, beside the tools that they replace."""
    from .events import bench_events

    return bench_events(large=large)


def _suite(workers: int, suite: Suite) -> dict[str, Any]:
    """A whole suite as a user meets it, in fresh processes."""
    from .suite import LIMITS, bench_suite

    with tempfile.TemporaryDirectory() as folder:
        figures = bench_suite(Path(folder), workers, *suite)
    return {**figures, **{f"at most {name}": value for name, value in LIMITS.items()}}


def _paper(workers: int, suite: Suite) -> dict[str, Any]:
    """Every score of the suite by other means."""
    from .paper import bench_paper

    return bench_paper(*suite, workers=workers)


def _pages(site: Path, lighthouse: bool) -> dict[str, Any]:
    """The pages of the website that is there, in a browser."""
    from .lighthouse import LIMITS
    from .pages import bench_lighthouse, bench_pages, limits

    least: dict[str, Any] = {}
    if lighthouse:
        least = bench_lighthouse(site) | {
            f"at least Lighthouse {name}": value for name, value in LIMITS.items() if value
        }
    most = {f"at most {name}": value for name, value in limits().items()}
    return least | bench_pages(site) | most


def _perturb(workers: int) -> dict[str, Any]:
    """All perturbations of many files, and beside auglib."""
    from .perturb import LIMITS, bench_perturb

    figures = bench_perturb(workers)
    return {**figures, **{f"limit of {name}": value for name, value in LIMITS.items()}}


def _overhead(workers: int) -> dict[str, Any]:
    """What a run costs beside the calls of its model."""
    from .overhead import LIMITS, bench_run

    return bench_run(workers) | {f"at most {name}": value for name, value in LIMITS.items()}


def _site(models: int) -> dict[str, Any]:
    """The website on the published results, in fresh processes."""
    from .site import LIMITS, MANY_LIMITS, bench_site

    limits = MANY_LIMITS if models else LIMITS
    with tempfile.TemporaryDirectory() as folder:
        figures = bench_site(Path(folder), models)
    return figures | {f"at most {name}": value for name, value in limits.items()}


def _fairness(workers: int) -> dict[str, Any]:
    """The fairness tests on many predictions, in a fresh process."""
    from .fairness import LIMITS, bench_fairness

    return {**bench_fairness(), **{f"at most {name}": value for name, value in LIMITS.items()}}


def _uncertainty(workers: int) -> dict[str, Any]:
    """The intervals of a full run, with and without speakers, in fresh processes."""
    from .uncertainty import LIMITS, bench_uncertainty

    figures: dict[str, Any] = {}
    for name, speakers in (("with speakers", True), ("each sample alone", False)):
        measured = bench_uncertainty(speakers=speakers)
        figures |= {f"{name}: {figure}": value for figure, value in measured.items()}
    return {**figures, **{f"at most {name}": value for name, value in LIMITS.items()}}
