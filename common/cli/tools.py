"""Commands beside the run: import, describe, texts, report, simulate, events, bench."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import display
from ..core.endings import check_ending
from ..core.errors import ConfigError
from ..core.wording import counted
from .exits import FAILED, OK
from .idle import refuse_idle
from .logs import tell_error
from .results import warn_altered

if TYPE_CHECKING:
    from .main import CommandContext

#: options of an import -> their default values
IMPORTING: dict[str, Any] = {
    "name": None,
    "format": None,
    "layout": None,
    "columns": [],
    "split": "",
    "encoding": "",
    "to": Path("catalog"),
    "corpora": "embedded",
    "write": "",
    "force": False,
}
#: endings of the files that a report can be written to
REPORTS = (".html", ".htm", ".pdf")


def command_import(context: CommandContext) -> int:
    """Turn data into a dataset of a catalog."""
    from ..samples.importing import import_dataset
    from ..samples.importing.request import parse_columns

    args = context.args
    if args.guess:
        refuse_idle(args, "has no effect with --guess, which imports nothing", **IMPORTING)
        from ..samples.importing.proposal import propose

        proposal = propose(args.path)
        context.answer({"layout": proposal})
        context.say(proposal.rstrip())
        return OK
    report = import_dataset(
        args.path,
        args.name,
        args.format,
        args.to,
        layout=args.layout,
        columns=parse_columns(args.columns),
        part=args.split,
        encoding=args.encoding,
        force=args.force,
        corpora=args.corpora,
        write=args.write,
        benchmark=context.benchmark_beside(),
    )
    code = context.ends(FAILED if report.faults else OK)
    context.answer(report.to_dict())
    context.say(report.text())
    return code


def command_describe(context: CommandContext) -> int:
    """Look at the samples and the audio of datasets, for their pages."""
    from ..core.errors import BenchmarkError
    from ..core.registry import unknown
    from ..engine.describing import describe_dataset

    benchmark, names = context.benchmark(), context.args.dataset
    for name in names:
        if name not in benchmark.datasets:
            raise unknown("dataset", name, benchmark.datasets, "--dataset")
    entries = [benchmark.datasets[name] for name in names]
    entries = entries or [d for d in benchmark.datasets.values() if not d.builtin]
    if not entries:
        raise ConfigError("describe: no catalog of yours has a dataset; --dataset ID names others")
    answers: dict[str, str] = {}
    failed = 0
    for entry in entries:
        progress = partial(context.progress(lines=True), f"describe {entry.id}")
        try:
            facts = describe_dataset(entry, benchmark.targets, context.folders, progress)
            reason = "" if facts else "no audio of it is on this machine"
        except BenchmarkError as error:
            facts, reason = None, str(error)
        context.clear_progress()
        if facts is None:
            failed += 1
            answers[entry.id] = f"error: {reason}"
            tell_error(f"error: {entry.id}: {reason}")
            continue
        size = f"{counted(facts.samples, 'sample')} in {counted(facts.files, 'file')}"
        worse = f"{counted(facts.broken, 'broken file')}, {counted(facts.silent, 'silent sample')}"
        answers[entry.id] = f"{size}, {worse}"
        context.say(f"{entry.id}: {answers[entry.id]}: {context.folders.dataset_facts(entry.id)}")
    context.answer(answers)
    return FAILED if failed else OK


def command_texts(context: CommandContext) -> int:
    """Write the sentences of templates."""
    from ..core import files
    from ..samples.demo import templates

    args = context.args
    sentences = list(templates.sentences(templates.load(args.templates), args.number))
    files.write_text(args.out, templates.to_csv(sentences))
    languages = sorted({sentence.language for sentence in sentences})
    context.answer({"out": str(args.out), "sentences": len(sentences), "languages": languages})
    context.say(f"{counted(len(sentences), 'sentence')} in {', '.join(languages)}: {args.out}")
    return OK


def command_report(context: CommandContext) -> int:
    """Write a model as one file."""
    from ..pages import report

    args = context.args
    file = args.out or Path(f"{Path(args.name).name}.html")
    check_ending("--out", file, REPORTS)
    benchmark = context.benchmark()
    warn_altered(context, args.name)
    on_paper = file.suffix.lower() == ".pdf"
    written = []
    if not on_paper:
        size = report.write(context.folders, benchmark, args.name, file)
        written.append(str(file))
        context.say(f"{file} ({display.size(size)})")
    if args.pdf or on_paper:
        paper = file if on_paper else file.with_suffix(".pdf")
        report.print_pdf(context.folders, benchmark, args.name, paper)
        written.append(str(paper))
        context.say(str(paper))
    context.answer({"files": written})
    return OK


def command_simulate(context: CommandContext) -> int:
    """What chance models reach in fairness tests."""
    from ..reports import simulated

    args = context.args
    if args.alarms:
        why = "has no effect with --alarms, which simulates scenes of its own"
        refuse_idle(args, why, metric=[], samples=[], groups=[])
        if not (args.table or args.plots):
            refuse_idle(args, why, compat=False)
    try:
        answer = simulated.run(
            context.benchmark(),
            context.folders,
            simulated.Wanted(
                metrics=args.metric,
                samples=args.samples,
                groups=args.groups,
                table=args.table,
                plots=args.plots,
                alarms=args.alarms,
            ),
            simulated.Draws(args.repetitions, args.compat, args.seed),
            progress=context.progress(),
        )
    finally:
        context.clear_progress()
    context.answer(answer)
    for line in simulated.lines(answer):
        context.say(line)
    return OK


def command_events(context: CommandContext) -> int:
    """Score event lists and frame scores."""
    from ..reports.events.command import run
    from .idle_events import refuse_idle_of_events

    refuse_idle_of_events(context.args)
    path = context.folders.output / "build" / "events.html"
    context.answer(run(context.args, report_path=path, say=context.say))
    return OK


def command_bench(context: CommandContext) -> int:
    """Measure speed."""
    from .bench import command

    context.answer(command.run_command(context.args, context.folders, context.workers, context.say))
    return OK
