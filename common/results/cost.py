"""What models cost: parameters and size from manifests, times and memory where they were measured.

Measured figures are in one table beside the results, ``cost.csv``, because a model serves several
targets. They differ from run to run and from machine to machine, so a run writes them only when it is
asked to (``--cost``), and keeps them until it is asked again.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from ..core import files
from ..core.errors import DataError

#: length of the signals in s of which pages show the latency, and the real-time factor
LATENCY_S, RTF_S = 3.0, 10.0
#: column -> what it means
COLUMNS = {
    "model": "id of the model",
    "version": "its version",
    "fingerprint": "hash of everything that decides about its predictions",
    "protocol": "number of the way in which it was measured",
    "device": "cpu or cuda",
    "threads": "threads of a call on the CPU",
    "processor": "name of the processor",
    "packages": "versions of Python and of packages",
    "date": "day of the measurement",
    "load_s": "time to load the model and its runtime in s",
    "idle_bytes": "peak memory of the process before the model was loaded; empty: not known",
    "peak_bytes": "peak memory of the process after the last call; empty: not known",
    "duration_s": "length of the signal in s",
    "calls": "number of calls that count",
    "first_s": "time of the first call in s, which does not count",
    "latency_s": "median time of a call in s",
    "fastest_s": "shortest time of a call in s",
    "slowest_s": "longest time of a call in s",
    "real_time_factor": "latency_s / duration_s",
}


@dataclass(frozen=True)
class CostRow:
    """Measured figures of a model on one machine for signals of one length; see :data:`COLUMNS`."""

    model: str
    version: str
    fingerprint: str
    protocol: int
    device: str
    threads: int
    processor: str
    packages: str
    date: str
    load_s: float
    idle_bytes: int | None
    peak_bytes: int | None
    duration_s: float
    calls: int
    first_s: float
    latency_s: float
    fastest_s: float
    slowest_s: float
    real_time_factor: float

    @property
    def machine(self) -> tuple[str, str, int]:
        """What figures must share to be compared: processor, device, threads."""
        return self.processor, self.device, self.threads

    @property
    def place(self) -> tuple[str, str, str, int, float]:
        """Where it stands in the table; a new measurement replaces one at the same place."""
        return (self.model, *self.machine, self.duration_s)


def read(path: Path) -> list[CostRow]:
    """Rows of a table; none if there is no file.

    Raises:
        DataError: if it is no such table
    """
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != tuple(COLUMNS):
                columns = ", ".join(reader.fieldnames or ())
                raise ValueError(f"expected the columns {', '.join(COLUMNS)}, found {columns}")
            return [_row(entry) for entry in reader]
    except (OSError, ValueError, TypeError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as measured cost: {error}") from None


def _row(entry: Mapping[str, Any]) -> CostRow:
    values: dict[str, Any] = {}
    for field in fields(CostRow):
        text = entry[field.name]
        if field.type == "str":
            values[field.name] = text
        elif field.type == "int | None" and not text:
            values[field.name] = None
        else:
            values[field.name] = float(text) if field.type == "float" else int(text)
    return CostRow(**values)


def written(rows: Iterable[CostRow]) -> str:
    """Text of a table, sorted; numbers in full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in sorted(rows, key=lambda row: row.place):
        values = (getattr(row, name) for name in COLUMNS)
        writer.writerow(["" if value is None else value for value in values])
    return out.getvalue()


def add(path: Path, rows: Sequence[CostRow]) -> None:
    """Put rows of a model into the table, in place of those of the same machine.

    Raises:
        DataError: if the file is no such table
        OutputError: if it cannot be written
    """
    replaced = {(row.model, row.machine) for row in rows}
    others = [row for row in read(path) if (row.model, row.machine) not in replaced]
    files.write_text(path, written([*others, *rows]), only_changed=True)


class ModelCost(NamedTuple):
    """What is known of the cost of a model.

    Args:
        parameters: number of its parameters; None: not stated
        parameters_from: who says it: ``files``, ``entry``, ``network`` (about that many, of the network
            that it was built on), or empty
        size_bytes: size of its files; None: not stated
        measured: measured figures, a row for each length of signal; empty: not measured
        stale: whether they belong to another version or state of the model
    """

    parameters: int | None = None
    parameters_from: str = ""
    size_bytes: int | None = None
    measured: tuple[CostRow, ...] = ()
    stale: bool = False

    def at(self, duration_s: float) -> CostRow | None:
        """Measured figures for signals of a length."""
        return next((row for row in self.measured if row.duration_s == duration_s), None)


def of_model(facts: Mapping[str, Any], rows: Sequence[CostRow]) -> ModelCost:
    """Cost of a model from what its manifest notes and what was measured.

    Args:
        facts: facts of the model in a manifest
        rows: measured figures of all models
    """
    mine = [row for row in rows if row.model == facts.get("id")]
    machines = Counter(row.machine for row in {r.place[:4]: r for r in rows}.values())
    # what most models were measured on, so that figures of a table can be compared
    best = max(
        {row.machine for row in mine},
        key=lambda machine: (machines[machine], machine),
        default=None,
    )
    measured = tuple(row for row in mine if row.machine == best)
    state = (facts.get("fingerprint"), facts.get("version"))
    return ModelCost(
        _count(facts.get("parameters")),
        str(facts.get("parameters_from") or ""),
        _count(facts.get("size_bytes")),
        measured,
        any((row.fingerprint, row.version) != state for row in measured),
    )


def of_network(millions: str) -> ModelCost:
    """Cost of a published model of which the network is known that it was built on.

    >>> of_network("95").parameters, of_network("").parameters
    (95000000, None)
    """
    return ModelCost(round(1e6 * float(millions)), "network") if millions else ModelCost()


def _count(value: object) -> int | None:
    """A number of something; manifests may come from others."""
    return value if type(value) is int and value >= 0 else None
