"""Options of the command ``events``, in the words of sed_eval, psds_eval and sed_scores_eval."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

REPORTS = ("table", "json", "html")
#: report -> endings of its file; a table for people may have any
ENDINGS = {"json": (".json",), "html": (".html", ".htm")}
FAMILIES = ("segment_based", "event_based", "intersection_based")
COMPATIBILITIES = ("sed_eval", "psds_eval-0.5", "psds_eval-0.3", "sed_scores_eval")
#: recordings with a timeline, if nobody says how many
TIMELINES = 6
FOLDERS = ("auto", "recordings", "folds", "points")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of the command.

    Each name of several words can be written with dashes or, as in the scripts of other tools,
    with underscores.
    """
    _input_options(parser)
    _output_options(parser)
    _segment_and_event_options(parser)
    _intersection_options(parser)


def _add(group: Any, *names: str, **options: Any) -> None:
    """Add an option; other spellings are understood but not listed."""
    dest = names[0].lstrip("-").replace("-", "_")
    group.add_argument(names[0], dest=dest, **options)
    hidden = {**options, "help": argparse.SUPPRESS}
    # the default of a hidden spelling must not replace a value that was given
    hidden["default"] = argparse.SUPPRESS
    hidden.pop("required", None)
    others = [name.replace("-", "_").replace("__", "--", 1) for name in names]
    for name in dict.fromkeys([*names[1:], *others]):
        if name != names[0]:
            group.add_argument(name, dest=dest, **hidden)


def _input_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is compared")
    _add(
        group,
        "--truth",
        metavar="FILE",
        type=Path,
        help="annotated events: an event list, a folder with one list per recording, or an "
        "audformat database",
    )
    _add(
        group,
        "--pairs",
        metavar="FILE",
        type=Path,
        help="instead of --truth and --estimate: a text file with two columns, event list of the "
        "reference and of the estimate; each pair is a recording; paths are relative to the file",
    )
    _add(
        group,
        "--durations",
        "--metadata",
        metavar="FILE",
        help="recordings that are evaluated, with their length: a table with the columns filename "
        "and duration, a folder with such a table or with the audio, or the length in s of all "
        "recordings of the truth (default: the table among the lists of --truth, if there is one)",
    )
    _add(
        group,
        "--estimate",
        metavar="FILE|DIR",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="one system each: an event list, or a folder of lists, see --folder",
    )
    _add(
        group,
        "--scores",
        metavar="DIR",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="frame scores of the systems, in the order of --estimate: exact PSDS, best "
        "thresholds, and, where a system has no --estimate, its events at --threshold",
    )
    _add(
        group,
        "--folder",
        choices=FOLDERS,
        default="auto",
        help="what the lists in a folder are: one per recording; folds of a cross-validation, "
        "pooled and then scored once; or operating points of one system. auto: recordings if "
        "no list names one, folds if none is named in two lists, otherwise points",
    )
    _add(group, "--name", metavar="NAME", nargs="+", default=[], help="names of the systems")
    _add(group, "--table", metavar="ID", help="table of an audformat database")
    _add(group, "--column", metavar="NAME", help="its column with labels")
    _add(
        group,
        "--event-label-list",
        "--class-names",
        "--event-classes",
        metavar="LABEL",
        nargs="+",
        default=[],
        help="labels that are evaluated beside those of the truth",
    )
    _add(
        group,
        "--unknown-labels",
        choices=("error", "ignore", "add"),
        default="error",
        help="labels of an estimate that are not evaluated (default: error)",
    )
    _add(
        group,
        "--overlap",
        choices=("error", "merge", "allow"),
        default="error",
        help="events of one label that intersect, and copies (default: error)",
    )
    _add(
        group,
        "--outside",
        choices=("error", "ignore"),
        default="error",
        help="events that reach further than --slack beyond the end of their recording: ignore "
        "takes them as they are, as psds_eval does (default: error)",
    )
    _add(
        group,
        "--slack",
        metavar="S",
        type=float,
        default=0.5,
        help="how far an event may reach beyond the end of its recording (default: 0.5)",
    )


def _output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what comes out")
    _add(
        group,
        "--report",
        choices=REPORTS,
        default="table",
        help="table or json on standard output, or one HTML file (default: table)",
    )
    _add(
        group,
        "--out",
        metavar="FILE",
        type=Path,
        help="write the report here; HTML: default build/events.html",
    )
    _add(group, "--per-file", metavar="FILE", type=Path, help="scores of each recording as CSV")
    _add(
        group,
        "--metrics",
        nargs="+",
        choices=FAMILIES,
        default=list(FAMILIES),
        help="families of metrics (default: all)",
    )
    _add(
        group,
        "--point",
        metavar="NAME",
        help="operating point that is shown in detail (default: the one nearest to 0.5)",
    )
    _add(
        group,
        "--timelines",
        metavar="N",
        type=int,
        default=TIMELINES,
        help=f"recordings with a timeline in the HTML report (default: {TIMELINES})",
    )


def _segment_and_event_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings")
    _add(
        group,
        "--preset",
        metavar="NAME",
        action="append",
        default=[],
        help="dcase-task4-1, dcase-task4-2 or psds-eval-readme; several give several PSDS. "
        "Options below change what a preset says",
    )
    _add(
        group,
        "--compatibility",
        choices=COMPATIBILITIES,
        action="append",
        default=[],
        help="figures of an older tool where they differ (repeatable)",
    )
    _add(
        group,
        "--time-resolution",
        "--segment-length",
        metavar="S",
        type=float,
        help="length of a segment (default: 1.0)",
    )
    _add(group, "--factor", type=float, help="weight of sensitivity in balanced accuracy")
    _add(group, "--beta", type=float, help="weight of recall in F (default: 1)")
    _add(group, "--t-collar", metavar="S", type=float, help="collar (default: 0.2)")
    _add(
        group,
        "--percentage-of-length",
        "--offset-collar-rate",
        metavar="P",
        type=float,
        help="share of the length that an offset may be off (default: 0.5; DCASE task 4: 0.2)",
    )
    for side in ("onset", "offset"):
        _add(
            group,
            f"--evaluate-{side}",
            type=_flag,
            nargs="?",
            const=True,
            metavar="true|false",
            help=f"whether {side}s matter (default: true)",
        )
    _add(
        group,
        "--matching",
        "--event-matching-type",
        metavar="NAME",
        help="optimal, greedy, or sed_eval: its choices, for published figures (default: optimal)",
    )
    _add(
        group,
        "--empty-system-output-handling",
        choices=("zero_score", "nan"),
        help="precision of a class without output (default: zero_score)",
    )
    _add(group, "--tolerance", metavar="S", type=float, help="added to the collar (default: 0)")
    _add(
        group,
        "--decimals",
        metavar="N",
        type=int,
        help="round times to so many decimals of a second before they are compared (default: "
        "as they are)",
    )
    _add(
        group,
        "--threshold",
        metavar="X",
        type=float,
        help="frame scores above it are events (default: 0.5)",
    )


def _intersection_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings of PSDS")
    for name, text in (
        ("dtc", "detection tolerance criterion"),
        ("gtc", "ground truth intersection criterion"),
        ("cttc", "cross-trigger tolerance criterion"),
    ):
        _add(group, f"--{name}-threshold", f"--{name}", metavar="X", type=float, help=text)
    _add(group, "--alpha-ct", metavar="X", type=float, help="weight of cross triggers")
    _add(group, "--alpha-st", metavar="X", type=float, help="weight of the standard deviation")
    _add(group, "--max-efpr", metavar="X", type=float, help="largest rate of false alarms")
    _add(
        group,
        "--duration-unit",
        "--unit-of-time",
        metavar="UNIT",
        help="minute, hour, day, month or year",
    )


def _flag(text: str) -> bool:
    values = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    if text.lower() not in values:
        raise argparse.ArgumentTypeError(f"must be true or false, found {text}")
    return values[text.lower()]
