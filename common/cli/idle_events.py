"""Options of ``events`` that would have no effect with the others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..core.errors import ConfigError
from .idle import refuse_idle, refuse_present

#: families of metrics
SEGMENT, EVENT, INTERSECTION = "segment_based", "event_based", "intersection_based"
#: families -> the options that only these read; --beta is read by all
OF_FAMILIES = {
    (SEGMENT,): ("time_resolution", "factor"),
    (EVENT,): (
        *("t_collar", "percentage_of_length", "tolerance"),
        *("evaluate_onset", "evaluate_offset", "matching"),
    ),
    (SEGMENT, EVENT): ("empty_system_output_handling",),
    (INTERSECTION,): (
        *("dtc_threshold", "gtc_threshold", "cttc_threshold"),
        *("alpha_ct", "alpha_st", "max_efpr", "duration_unit"),
    ),
}


def refuse_idle_of_events(args: argparse.Namespace) -> None:
    """Refuse options that no metric and no input reads, if the user gave them.

    Args:
        args: options of the command

    Raises:
        ConfigError: with the option, what leaves it no work, and what to do
    """
    from ..reports.events.settings import settings

    # a value that is not allowed is refused as such
    settings(args)
    for families, options in OF_FAMILIES.items():
        if why := _without(args, families):
            refuse_present(args, why, *options)
    for option, value, families in _values(args):
        if why := _without(args, families):
            raise ConfigError(f"{option} {value} {why}")
    if args.evaluate_offset is False:
        why = (
            "has no effect with --evaluate-offset false, as it is of offsets: leave one of them out"
        )
        refuse_present(args, why, "percentage_of_length")
    if not args.scores and (why := _without(args, (SEGMENT, INTERSECTION), " and no --scores")):
        refuse_present(args, why, "decimals")
    _refuse_threshold(args)
    _refuse_folder(args)


def _without(args: argparse.Namespace, families: tuple[str, ...], more: str = "") -> str:
    """End of a message if no family of metrics that reads an option is wanted; else empty."""
    if set(families) & set(args.metrics):
        return ""
    names = " or ".join(families)
    chosen = " ".join(dict.fromkeys(args.metrics))
    return f"has no effect with --metrics {chosen}{more}: leave it out, or add {names} to --metrics"


def _values(args: argparse.Namespace) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Option, value and the families that read it, where this depends on the value."""
    for name in args.preset:
        # those of DCASE have a collar, too
        collar = (EVENT,) if name.startswith("dcase") else ()
        yield "--preset", name, (*collar, INTERSECTION)
    for name in args.compatibility:
        if name == "sed_eval":
            yield "--compatibility", name, (SEGMENT, EVENT)
        elif name.startswith("psds_eval"):
            yield "--compatibility", name, (INTERSECTION,)
        elif not args.scores:
            yield "--compatibility", name, (SEGMENT, INTERSECTION)


def _refuse_threshold(args: argparse.Namespace) -> None:
    if not args.scores:
        why = "has no effect without --scores: leave it out, or give --scores"
        refuse_present(args, why, "threshold")
    lists = len(args.estimate) if args.pairs is None else 1
    # the picker of the HTML report begins at the threshold, whatever the events are
    if len(args.scores) <= lists and args.report != "html":
        why = (
            f"has no effect where each of --scores goes with a list of {_source(args)}, whose events are "
            "scored: leave it out"
        )
        refuse_present(args, why, "threshold")


def _refuse_folder(args: argparse.Namespace) -> None:
    if args.pairs is not None:
        why = "has no effect with --pairs, which names every list: leave it out"
    elif args.estimate and all(path.is_file() for path in args.estimate):
        which = "a file" if len(args.estimate) == 1 else "files"
        why = f"has no effect as --estimate names {which}: leave it out, or name a folder of lists"
    elif args.scores and not args.estimate:
        why = "has no effect without --estimate: leave it out, or give --estimate"
    else:
        return
    refuse_idle(args, why, folder="auto")


def _source(args: argparse.Namespace) -> str:
    return "--estimate" if args.pairs is None else "--pairs"
