"""What the last run of an output folder took, kept where XDG has logs and history.

Times are never the same twice, and two runs must leave the same output and the same cache; nothing that is written
or shown elsewhere depends on this file, unless somebody publishes it with the results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..core import display, files
from ..core.documents import parse_json
from ..core.errors import ConfigError
from ..core.paths import Paths

FORMAT = 1
Kinds = Mapping[str, Callable[[Any], Any]]


#: numbers of a report are smaller
LARGEST = 1 << 63


def memory(size_bytes: int | None) -> str:
    """Peak memory for a person."""
    return "not known" if size_bytes is None else display.size(size_bytes)


def _seconds(value: Any) -> float:
    """A number that is neither negative nor endless."""
    if not 0 <= float(value) < LARGEST:
        raise ValueError(f"{value} is no time")
    return float(value)


def _number(value: Any) -> int:
    return int(_seconds(value))


def _size(value: Any) -> int | None:
    return None if value is None else _number(value)


#: what a report says -> type; of the whole, of each stage, and of each part of the predictions
WHOLE: Kinds = {
    "command": str,
    "ended": str,
    "began": str,
    "workers": _number,
    "machine": str,
    "wall_s": _seconds,
    "processor_s": _seconds,
    "peak_bytes": _size,
    "beside_bytes": _size,
}
STAGE: Kinds = {
    "stage": str,
    "times": _number,
    "wall_s": _seconds,
    "processor_s": _seconds,
    "peak_bytes": _size,
}
PREDICTIONS: Kinds = {
    **dict.fromkeys(("model", "condition", "dataset"), str),
    **dict.fromkeys(("distinct", "stored", "calls", "failed"), _number),
}
#: so many of the slowest cells are named
SLOWEST = 10


@dataclass(frozen=True)
class RunReport:
    """One run.

    Args:
        command: name of the command
        ended: done, interrupted or failed
        began: day and time in UTC
        workers: number of parallel workers
        machine: processor, cores, Python
        wall_s: seconds of the wall clock
        processor_s: seconds of processor time of all its processes
        stages: name, times, wall_s, processor_s and peak_bytes of each stage, in order
        cells: number of cells that were computed, current, not run and wrong
        predictions: model, condition and dataset; how many were asked for, stored before, given to the
            model, and how many failed
        slowest: cells and the seconds that their scores took, the slowest first
        errors: message -> number of cells
        peak_bytes: peak memory of the main process; None where the system does not say it
        beside_bytes: the same of the largest process beside it
    """

    command: str
    ended: str
    began: str
    workers: int
    machine: str
    wall_s: float
    processor_s: float
    stages: Sequence[Mapping[str, Any]] = ()
    cells: Mapping[str, int] = field(default_factory=dict)
    predictions: Sequence[Mapping[str, Any]] = ()
    slowest: Sequence[tuple[str, float]] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    peak_bytes: int | None = None
    beside_bytes: int | None = None

    def total(self, name: str) -> int:
        """Sum of a number over all predictions.

        >>> report = RunReport("run", "done", "", 1, "", 0.0, 0.0, predictions=[{"stored": 3}, {"stored": 4}])
        >>> report.total("stored")
        7
        """
        return sum(int(one[name]) for one in self.predictions)


def write(report: RunReport, folders: Paths) -> None:
    """Write the report in place of that of the run before.

    Raises:
        OutputError: if it cannot be written
    """
    files.keep(folders.run_report, _text(report))


def publish(report: RunReport, folders: Paths) -> None:
    """Write the report beside the results, from where it comes to the website.

    Raises:
        OutputError: if it cannot be written
    """
    files.write_text(folders.published_report, _text(report), only_changed=True)


def withdraw(folders: Paths) -> None:
    """Take back what is published of an earlier run."""
    folders.published_report.unlink(missing_ok=True)


def _text(report: RunReport) -> str:
    text = json.dumps({"format": FORMAT, **asdict(report)}, ensure_ascii=False, indent=1)
    return text + "\n"


def read(folders: Paths) -> RunReport:
    """The report of the last run.

    Raises:
        ConfigError: if there is none that this program can read
    """
    try:
        return _read(folders.run_report)
    except FileNotFoundError:
        raise ConfigError(
            f"{folders.run_report}: no run has left a report in this output folder"
        ) from None


def published(folders: Paths) -> RunReport | None:
    """The report that is part of the website; None: there is none.

    Raises:
        ConfigError: if this program cannot read it
    """
    try:
        return _read(folders.published_report)
    except FileNotFoundError:
        return None


def _read(path: Path) -> RunReport:
    try:
        content: Any = parse_json(path.read_text("utf-8"))
        if content.pop("format", None) != FORMAT:
            raise ValueError("another format")
        content["slowest"] = [(str(cell), _seconds(took)) for cell, took in content["slowest"]]
        for name, entry in (("stages", STAGE), ("predictions", PREDICTIONS)):
            content[name] = [_typed(entry, one) for one in content[name]]
        for name in ("cells", "errors"):
            content[name] = {str(key): _number(count) for key, count in content[name].items()}
        return RunReport(**{**content, **_typed(WHOLE, content)})
    except FileNotFoundError:
        raise
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        ConfigError,
    ) as error:
        raise ConfigError(f"{path}: is no report of a run: {error}") from None


def _typed(kinds: Kinds, entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a report has to say somewhere, and nothing else."""
    return {name: kind(entry[name]) for name, kind in kinds.items()}
