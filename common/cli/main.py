"""The command line: subcommands, messages, exit codes.

Exit codes: 0 done; 1 a check failed, or imported data have faults; 2 wrong usage or configuration, or something that the machine
refuses; 3 done, but some cells ended in error; 130 interrupted (what was computed is kept); 141 the reader of standard output went
away before the outcome was known.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..core import advice, leftovers, machine
from ..core.closure import SOURCES
from ..core.errors import BenchmarkError, ConfigError
from ..core.launching import STOPPED, ending_as_interrupt
from ..core.paths import Paths
from ..core.stages import StageTimes
from ..core.terminal import harmless, tell
from ..core.wording import counted
from . import bundles, cache, models, reference, results, tools
from .afterwards import score_people, sounds_after
from .clusters import scheduler_of
from .common_options import DEFAULTS, REPEATED, code_allowed
from .costs import measure_costs
from .exits import CELL_ERRORS, FAILED, INTERRUPTED, OK, UNREAD, USAGE
from .json_only import only_json
from .logs import logs_are_json, start_logs, tell_error
from .options import LISTS, parser
from .places import Places
from .progress import ProgressLine
from .reasons import left_out, predicted, tell_reasons, tell_warnings
from .refusals import advised, blas_threads, check_memory, refusal
from .run_reports import publish_last, reporting, show


def _folders(args: argparse.Namespace) -> Paths:
    """Where the program writes."""
    paths = {"output": args.output, "cache": args.cache}
    return Paths(**{name: path for name, path in paths.items() if path is not None})


class CommandContext:
    """What every command gets: parsed arguments, folders, output."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.stdout = args.stdout
        self.folders = _folders(args).stay_inside()
        self.places: Places = getattr(args, "places", None) or Places()
        SOURCES.keep_in(self.folders.cache)
        self.workers: int = args.workers or os.cpu_count() or 1
        self._progress: ProgressLine | None = None
        self._benchmark: Any = None
        self.times = StageTimes()
        #: what the engine did, once it is known
        self.report: Any = None

    def benchmark(self) -> Any:
        """Declarations of catalog and suite, read once."""
        from ..spec import load_benchmark

        if self._benchmark is None:
            args, allowed = self.args, self.args.allow_code or code_allowed(os.environ)
            self._benchmark = load_benchmark(args.catalog, full=args.full, allow_code=allowed)
            self.places.learn(self._benchmark)
        return self._benchmark

    def whole_benchmark(self) -> Any:
        """Declarations with all that entries say of data, of which ``--full`` chooses a part."""
        from ..spec import load_benchmark

        allowed = self.args.allow_code or code_allowed(os.environ)
        return load_benchmark(self.args.catalog, allow_code=allowed)

    def benchmark_beside(self, to: Path | None = None) -> Any:
        """Declarations for a command that writes into a catalog, which need not be there yet.

        Args:
            to: that catalog, if what it declares counts, too
        """
        from ..spec import is_catalog, load_benchmark

        folders = list(self.args.catalog)
        for folder in folders:
            if not is_catalog(folder):
                what = "holds no catalog" if folder.is_dir() else "no such folder"
                raise ConfigError(
                    f"--catalog {folder}: {what}; --catalog names what is read. To write there,"
                    f" use --to {folder}"
                )
        places = [folder.resolve() for folder in folders]
        if to is not None and is_catalog(to) and to.expanduser().resolve() not in places:
            folders.append(to.expanduser())
        return load_benchmark(folders, full=self.args.full)

    def filters(self) -> Any:
        """Selection of the command line."""
        from ..engine.plan import Filters

        a = self.args
        return Filters(models=a.model, targets=a.target, tests=a.test, datasets=a.dataset)

    def say(self, text: str) -> None:
        """Print for a person; silent with --quiet and --json."""
        if not self.args.quiet and not self.args.json:
            tell(self.places(text))

    def ends(self, code: int) -> int:
        """The exit code, known before it is printed why: it holds though nobody reads that to its end."""
        self.args.outcome = code
        return code

    def answer(self, content: Any) -> None:
        """Print for a machine, with --json only."""
        if self.args.json:
            from ..core.documents import indented_json

            tell(indented_json(content), to=self.stdout)

    def progress(self, header: str = "", *, lines: bool = False) -> ProgressLine:
        """Progress on standard error, to a terminal; with a header or lines, also elsewhere."""
        log = logging.getLogger(ProgressLine.__module__) if logs_are_json() else None
        quiet = self.args.quiet
        self._progress = ProgressLine(self.say, quiet=quiet, header=header, lines=lines, log=log)
        return self._progress

    def clear_progress(self) -> None:
        """Remove the progress line."""
        if self._progress is not None:
            self._progress.clear()


def _checked(context: CommandContext) -> Any:
    """Benchmark without faults; raises ConfigError with all of them.

    Where models are selected, the others may have faults.
    """
    from ..engine.checked import cached_faults

    benchmark = context.benchmark()
    selected = {
        k: m for k, m in benchmark.models.items() if k in getattr(context.args, "model", ())
    }
    concerned = benchmark.model_copy(update={"models": selected}) if selected else benchmark
    faults = cached_faults(concerned, context.args.catalog, context.folders)
    if faults:
        raise ConfigError(*faults)
    return benchmark


def _plain_engine(*args: Any, **settings: Any) -> Any:
    from ..engine.run import Engine

    return Engine(*args, **settings)


def _run(context: CommandContext) -> tuple[int, dict[str, Any]]:
    code, report = _run_tests(context)
    if not context.args.cost:
        return code, report
    costs = measure_costs(context)
    return max(code, CELL_ERRORS if costs["errors"] else OK), report | {"cost": costs}


def _run_tests(context: CommandContext) -> tuple[int, dict[str, Any]]:
    args = context.args
    scheduler = scheduler_of(args)
    benchmark, folders, filters = _checked(context), context.folders, context.filters()
    make: Any = _plain_engine
    if getattr(args, "severity", False):
        from ..engine.severity import prepared

        benchmark, folders, make = prepared(benchmark, folders, filters, context.say)
    progress = context.progress(_header(benchmark, folders, filters))
    engine = make(
        benchmark,
        folders,
        seed=args.seed,
        workers=context.workers,
        download=args.download,
        device=args.device,
        scheduler=scheduler,
        progress=progress,
        finished=progress.result,
        times=context.times,
    )
    try:
        report = engine.run(filters, force=args.force)
    finally:
        context.report = engine.report
        context.clear_progress()
    if getattr(args, "severity", False):
        results.tell_only_swept(context, set(benchmark.tests))
    if report.settled:
        are = "is" if report.current == 1 else "are"
        text = f"nothing to do: {counted(report.current, 'cell')} {are} up to date"
        context.say(text + (f", {left_out(report)}" if report.not_run else ""))
        return OK, vars(report)
    context.say(
        f"{counted(report.computed, 'cell')} computed, {report.current} up to date, "
        f"{counted(len(report.errors), 'error')}, {left_out(report)}; "
        f"{predicted(report.calls, report.distinct)}"
    )
    tell_reasons(context, report)
    return (CELL_ERRORS if report.errors else OK), vars(report)


def _header(benchmark: Any, folders: Paths, filters: Any) -> str:
    """First line of a run that has something to do."""
    tests = len(set(filters.tests) or benchmark.tests)
    models = len(set(filters.models) or benchmark.models)
    return f"{counted(tests, 'test')}, {counted(models, 'model')}; results: {folders.method_tests}"


def _site(context: CommandContext, benchmark: Any, *, force: bool = False) -> Any:
    from ..pages import site

    progress = context.progress(lines=True)
    progress("pages of the website", 0, 0)
    with context.times("site"):
        report = site.build(
            context.folders, benchmark, workers=context.workers, force=force, progress=progress
        )
    context.clear_progress()
    state = "built" if report.built else "up to date"
    context.say(f"website {state}: {context.folders.html / 'index.html'}")
    return report


def _results(context: CommandContext) -> tuple[int, dict[str, Any]]:
    """Run tests, and make what the website needs besides their results."""
    from ..samples import datasets

    with datasets.loading_once():
        make_sounds = sounds_after(context)
        code, report = _run(context)
        make_sounds()
        return code, report | score_people(context)


def command_all(context: CommandContext) -> int:
    """Check, run, build the site."""
    with reporting(context, "all") as publish:
        code, report = _results(context)
        publish()
        site = _site(context, context.benchmark())
    context.answer({**report, "site": vars(site)})
    return code


def command_run(context: CommandContext) -> int:
    """Run tests."""
    with reporting(context, "run") as publish:
        code, report = _results(context)
        publish()
    context.answer(report)
    return code


def command_check(context: CommandContext) -> int:
    """Resolve everything that is declared."""
    from ..engine.check import faults, warnings

    benchmark = context.benchmark()
    lines, remarks = faults(benchmark, files=True), warnings(benchmark)
    code = context.ends(FAILED if lines else OK)
    context.answer({"faults": lines, "warnings": remarks})
    tell_warnings(remarks)
    for line in lines:
        if not context.args.json:
            tell(context.places(line))
    if not lines:
        sizes = {what: len(getattr(benchmark, what)) for what in LISTS if hasattr(benchmark, what)}
        parts = [counted(n, what.removesuffix("s")) for what, n in sizes.items()]
        context.say(f"no fault in {', '.join(parts)}")
    return code


def command_list(context: CommandContext) -> int:
    """List what is declared."""
    from ..reports.listing import listing

    what, dataset = context.args.what, context.args.dataset
    if what == "run":
        show(context)
        return OK
    if dataset and what != "tests":
        raise ConfigError("--dataset goes with 'list tests' only")
    table = listing(context.benchmark(), what, dataset=dataset, folders=context.folders)
    context.ends(OK)
    context.answer(table)
    if not context.args.json:
        rows = [[harmless(str(value)) for value in row.values()] for row in table]
        names = [list(row) for row in table[:1]]
        widths = [max(map(len, column)) for column in zip(*names, *rows, strict=True)]
        for cells in rows:
            tell("  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip())
    if what == "stale":
        stale = f"\nmake them again: {advice.command('run')}"
        context.say(stale if table else f"nothing is stale in {context.folders.method_tests}")
    return OK


def command_site(context: CommandContext) -> int:
    """Build the website and, if asked, serve it."""
    args = context.args
    if args.watch and not args.serve:
        raise ConfigError("--watch goes with --serve only")
    benchmark = _checked(context)
    if args.run_report:
        publish_last(context)
    report = _site(context, benchmark, force=args.force)
    context.answer(vars(report))
    if args.serve:
        from . import serving

        watch = _watch(context) if args.watch else None
        serving.serve(context.folders.html, args.serve, context.say, watch)
    return OK


def _watch(context: CommandContext) -> Any:
    """What builds the website again with the same catalogs and folders."""
    from functools import partial

    from . import serving

    args, folders = context.args, context.folders
    options = [f"--output={folders.output}", f"--cache={folders.cache}", f"--seed={args.seed}"]
    options += [f"--workers={context.workers}", *(f"--catalog={path}" for path in args.catalog)]
    options += ["--full"] if args.full else []
    options += ["--allow-code"] if args.allow_code else []
    watched = serving.watched(folders, args.catalog)
    return serving.Watch(watched, partial(serving.rebuild, options), context.say)


def _command(name: str) -> Callable[[CommandContext], int]:
    namespace = {**vars(bundles), **vars(tools), **vars(results), **vars(models), **vars(reference)}
    namespace |= {**vars(cache), **globals()}
    function: Callable[[CommandContext], int] = namespace[f"command_{name.replace('-', '_')}"]
    return function


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    top = parser()
    args = top.parse_args(arguments)
    if args.command is None:
        args = top.parse_args([*arguments, "all"])
    for name, value in DEFAULTS.items():
        if not hasattr(args, name):
            setattr(args, name, value)
    args.places, args.outcome = Places(), UNREAD
    used = {name: getattr(args, name) for name in REPEATED}
    used["seed"] = None if args.seed == DEFAULTS["seed"] else args.seed
    start_logs(args)
    try:
        with ending_as_interrupt(), only_json(args), advice.given(sys.argv[0], used):
            threads = blas_threads(os.cpu_count() or 1, os.environ)
            check_memory(machine.address_limit_bytes(), threads)
            leftovers.clear()
            with leftovers.contained():
                code = args.outcome = _command(args.command)(CommandContext(args))
        sys.stdout.flush()
        return code
    except BenchmarkError as error:
        folders = _folders(args)
        text = advised(error, (folders.output, folders.cache))
        for line in harmless(args.places(text)).splitlines():
            tell_error(f"error: {line}")
        return USAGE
    except KeyboardInterrupt:
        tell_error(STOPPED)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        outcome: int = args.outcome
        return outcome
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        folders = _folders(args)
        line = refusal(error, (folders.output, folders.cache))
        if not line:
            raise
        tell_error(f"error: {harmless(line)}")
        return USAGE
