"""What is compared: recordings, labels, truth and systems, checked against each other."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...core.errors import ConfigError, DataError
from ...core.registry import unknown
from ...core.wording import counted
from ...metrics.events.lists import EventList, merged
from ...samples.event_lists import EventTable, read_audformat, read_events
from ...samples.event_lists.checking import refuse_incomplete
from ...samples.event_lists.durations import durations_of_audio, read_durations
from ...samples.event_lists.folders import look
from .estimates import LISTS, Estimate, read_estimate
from .names import Names
from .pairs import read_pair_list
from .rules import EventRules

#: extensions of audio files in a folder that stands for durations
AUDIO = (".wav", ".flac", ".ogg", ".mp3", ".opus", ".m4a", ".aif", ".aiff")
#: what is meant as a length and not as the name of a file
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class System:
    """A system that is scored.

    Args:
        name: its name
        kind: ``list``, ``recordings``, ``folds``, ``points`` or ``scores``
        points: operating points; none if its events come from frame scores
        shown: number of the point that is shown in detail
        scores: file or folder with frame scores
    """

    name: str
    kind: str
    points: tuple[tuple[str, EventList], ...]
    shown: int
    scores: Path | None


@dataclass(frozen=True)
class Inputs:
    """All that is compared.

    Args:
        files: recordings that are evaluated
        labels: labels that are evaluated, sorted
        durations: length of each recording in s; None: not known
        truth: annotated events
        systems: the systems
        names: completes names of recordings
        unknown_labels: what happens to other labels: ``error``, ``ignore`` or ``add``
        audio: folder with the audio, if durations came from there
        notes: what a reader should know
    """

    files: tuple[str, ...]
    labels: tuple[str, ...]
    durations: np.ndarray | None
    truth: EventList
    systems: tuple[System, ...]
    names: Names
    unknown_labels: str
    audio: Path | None
    notes: list[str] = field(default_factory=list)


def read_inputs(args: argparse.Namespace) -> Inputs:
    """Read and check all that the command line names.

    Raises:
        ConfigError: for options that do not belong together
        DataError: with file, row and rule, for what is not allowed
    """
    notes: list[str] = []
    truth, estimates = _lists(args)
    lengths, audio = _durations(args, truth)
    if lengths is not None and args.durations is None:
        notes.append(f"lengths of the recordings: those of the table in {args.truth}")
    if lengths is None:
        tables = [truth, *(point.table for each in estimates for point in each.points)]
        files = tuple(dict.fromkeys(name for table in tables for name in table.files))
    else:
        files = tuple(lengths)
    names = Names(files)
    truth = names.complete(truth, alone=files[0] if len(files) == 1 else None)
    alone = truth.files[0] if len(truth.files) == 1 else None
    estimates = [each.renamed(names, alone) for each in estimates]
    if lengths is None and not files:
        files = names.files
    for table in (truth, *(point.table for each in estimates for point in each.points)):
        refuse_incomplete(table)
    labels = _labels(args, truth, estimates)
    rules = EventRules(files, labels, lengths, args)
    notes += rules.check(truth)
    for each in estimates:
        for point in each.points:
            notes += rules.check_estimate(point.table)
    encode = _Encoder(files, labels, args.overlap, args.unknown_labels)
    systems = _systems(args, estimates, encode)
    silent = sorted(set(files) - set(truth[truth.is_event].files))
    if silent:
        have = "has" if len(silent) == 1 else "have"
        recordings = counted(len(files), "recording")
        notes.append(f"{len(silent)} of {recordings} {have} no annotated event")
    for system in systems:
        if system.kind not in ("list", "scores"):
            notes.append(f"{system.name}: the folder holds {_KINDS[system.kind]}")
    values = None if lengths is None else np.array([lengths[file] for file in files])
    return Inputs(
        files, labels, values, encode(truth), systems, names, args.unknown_labels, audio, notes
    )


_KINDS = {
    "recordings": "one list per recording",
    "folds": "folds, which are pooled and scored once",
    "points": "operating points of one system",
}


def _lists(args: argparse.Namespace) -> tuple[EventTable, list[Estimate]]:
    """Truth and estimates."""
    if args.pairs is not None:
        if args.truth is not None or args.estimate:
            raise ConfigError(
                "events: --pairs names the truth and the estimates; leave --truth and --estimate out"
            )
        if args.table is not None or args.column is not None:
            raise ConfigError("events: --table and --column go with --truth only")
        truth, estimate = read_pair_list(args.pairs)
        return truth, [estimate]
    if args.truth is None:
        raise ConfigError("events: give --truth or --pairs")
    if not (args.estimate or args.scores):
        raise ConfigError("events: give --estimate, --scores or both")
    return _truth(args), [read_estimate(path, args.folder) for path in args.estimate]


def source_of_truth(args: argparse.Namespace) -> str:
    """Option that the truth came with, for messages."""
    return f"--pairs {args.pairs}" if args.truth is None else f"--truth {args.truth}"


def _truth(args: argparse.Namespace) -> EventTable:
    path: Path = args.truth
    if not path.exists():
        raise DataError(f"--truth {path}: there is no such file or folder")
    if path.is_dir() and (path / "db.yaml").exists():
        if args.table is None:
            raise ConfigError(f"--truth {path}: is an audformat database; name its --table")
        durations = None
        if args.durations is not None:
            durations, _ = _durations(args, EventTable.concatenate([]))
        return read_audformat(path, args.table, args.column, durations=durations)
    for option, value in (("--table", args.table), ("--column", args.column)):
        if value is not None:
            raise ConfigError(f"{option} {value}: --truth {path} is no audformat database")
    return read_events(path)


def _durations(
    args: argparse.Namespace, truth: EventTable
) -> tuple[dict[str, float] | None, Path | None]:
    """Recording -> length in s, and the folder with audio."""
    source = args.durations
    if source is None and args.truth is not None and args.truth.is_dir():
        source = _beside(args.truth, "--truth")
    if source is None:
        if set(args.metrics) - {"event_based"} or args.scores:
            raise ConfigError(
                "--durations: segment-based and intersection-based metrics and frame scores need "
                "the length of the recordings; without it choose --metrics event_based"
            )
        return None, None
    if not str(source).strip():
        raise ConfigError("--durations: is empty; expected a file, a folder or a length in s")
    path = Path(source)
    if path.is_dir():
        paths = sorted(p for p in path.rglob("*") if p.suffix.lower() in AUDIO)
        table = None if paths else _beside(path, "--durations")
        if table is not None:
            return read_durations(table), None
        if not paths:
            raise DataError(
                f"--durations {path}: the folder holds neither audio ({', '.join(AUDIO)}) nor a "
                "table with the columns filename and duration"
            )
        return durations_of_audio(path, [p.relative_to(path).as_posix() for p in paths]), path
    if path.exists():
        return read_durations(path), None
    if not _NUMBER.fullmatch(str(source)):
        raise DataError(f"--durations {source}: there is no such file or folder")
    if not 0 < float(source) < math.inf:
        raise ConfigError(f"--durations {source}: expected a finite length above 0, in s")
    files = truth.files or ((args.truth or args.pairs).stem,)
    return dict.fromkeys(files, float(source)), None


def _beside(folder: Path, option: str) -> Path | None:
    """The table of durations in a folder; None if there is none."""
    tables = look(folder, LISTS).durations
    if len(tables) > 1:
        names = ", ".join(table.name for table in tables)
        raise DataError(f"{option} {folder}: holds {len(tables)} tables of durations: {names}")
    return tables[0] if tables else None


def _labels(
    args: argparse.Namespace, truth: EventTable, estimates: Sequence[Estimate]
) -> tuple[str, ...]:
    labels = {*truth.labels, *args.event_label_list}
    if args.unknown_labels == "add":
        labels |= {label for each in estimates for p in each.points for label in p.table.labels}
    if not labels:
        raise DataError(
            f"{source_of_truth(args)}: no labels: the truth has none; name them with --event-label-list"
        )
    return tuple(sorted(labels))


@dataclass(frozen=True)
class _Encoder:
    """Makes events of tables."""

    files: Sequence[str]
    labels: Sequence[str]
    overlap: str
    unknown_labels: str

    def __call__(self, table: EventTable) -> EventList:
        events = table.encode(self.files, self.labels)[0]
        if self.unknown_labels == "ignore":
            events = events[events.label < len(self.labels)]
        return merged(events) if self.overlap == "merge" else events


def _systems(
    args: argparse.Namespace, estimates: Sequence[Estimate], encode: _Encoder
) -> tuple[System, ...]:
    for path in args.scores:
        if not path.exists():
            raise DataError(f"--scores {path}: there is no such file or folder")
    _check_point(args.point, estimates)
    number = max(len(estimates), len(args.scores))
    if len(args.name) not in (0, number):
        raise ConfigError(
            f"--name: {counted(len(args.name), 'name')} for {counted(number, 'system')}"
        )
    paths = [each.path for each in estimates] + list(args.scores[len(estimates) :])
    names = list(args.name) or _short(paths)
    systems = []
    for at, name in enumerate(names):
        scores = args.scores[at] if at < len(args.scores) else None
        if at >= len(estimates):
            systems.append(System(name, "scores", (), 0, scores))
            continue
        estimate = estimates[at]
        points = tuple((point.name, encode(point.table)) for point in estimate.points)
        shown = _shown([point.name for point in estimate.points], args.point)
        systems.append(System(name, estimate.kind, points, shown, scores))
    if len(set(names)) < len(names):
        raise ConfigError(f"--name: '{next(n for n in names if names.count(n) > 1)}' twice")
    return tuple(systems)


def _check_point(name: str | None, estimates: Sequence[Estimate]) -> None:
    """Refuse the name of an operating point where no system has several."""
    points = [[point.name for point in each.points] for each in estimates]
    if name is not None and not any(len(names) > 1 or name in names for names in points):
        raise ConfigError(
            f"--point {name}: no system has several operating points; --point needs an --estimate that is "
            "a folder of lists, one for each operating point (--folder points)"
        )


def _short(paths: Sequence[Path]) -> list[str]:
    """Short names of paths: as few last parts as tell them apart."""
    for depth in range(1, 6):
        names = ["/".join(path.with_suffix("").parts[-depth:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [f"system {at}" for at in range(1, len(paths) + 1)]


def _shown(names: Sequence[str], point: str | None) -> int:
    """Number of the operating point that is shown: the wanted one, or that nearest to 0.5."""
    if len(names) == 1:
        return 0
    if point is not None:
        if point not in names:
            raise unknown("--point", point, names)
        return names.index(point)
    values = [threshold_of(name) for name in names]
    thresholds = [value for value in values if value is not None]
    if len(thresholds) < len(names):
        return len(names) // 2
    return min(range(len(names)), key=lambda at: (abs(thresholds[at] - 0.5), at))


def threshold_of(name: str) -> float | None:
    """Number at the end of the name of an operating point.

    >>> threshold_of("baseline_0.35"), threshold_of("strict")
    (0.35, None)
    """
    match = re.search(r"(\d+\.\d+|\d+)$", name)
    return float(match.group()) if match else None
