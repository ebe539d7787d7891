"""Commands beside the run: import, texts, report, simulate, events, bench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.wording import counted
from .exits import FAILED, OK

if TYPE_CHECKING:
    from .main import CommandContext


def command_import(context: CommandContext) -> int:
    """Turn data into a dataset of a catalog."""
    from ..samples.importing import import_dataset
    from ..samples.importing.request import parse_columns

    args = context.args
    if args.guess:
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
    context.answer(report.to_dict())
    context.say(report.text())
    return FAILED if report.faults else OK


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
    from pathlib import Path

    from ..pages import report

    args, benchmark = context.args, context.benchmark()
    file = args.out or Path(f"{Path(args.name).name}.html")
    size = report.write(context.folders, benchmark, args.name, file)
    written = [str(file)]
    context.say(f"{file} ({size / 1e6:.1f} MB)")
    if args.pdf:
        paper = file.with_suffix(".pdf")
        report.print_pdf(context.folders, benchmark, args.name, paper)
        written.append(str(paper))
        context.say(str(paper))
    context.answer({"files": written})
    return OK


def command_simulate(context: CommandContext) -> int:
    """What chance models reach in fairness tests."""
    from ..reports import simulated

    args = context.args
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

    path = context.folders.output / "build" / "events.html"
    context.answer(run(context.args, report_path=path, say=context.say))
    return OK


def command_bench(context: CommandContext) -> int:
    """Measure speed."""
    from .bench import command

    context.answer(command.run_command(context.args, context.folders, context.workers, context.say))
    return OK
