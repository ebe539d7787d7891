"""Result rows and how they are read and written.

One row is one cell of the benchmark: a number (or the reason why there is none), how many
samples it rests on, the criterion, and the verdict, which is computed once and stored here.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from ..core import advice
from ..core.errors import DataError, reason_of
from ..core.terminal import is_hiding, shown

if TYPE_CHECKING:
    import pandas as pd

STATUSES = ("pass", "fail", "skip", "error")

#: column -> meaning; the order is the order in the files
COLUMNS = {
    "target": "what is predicted",
    "model": "id of the model",
    "model_version": "version of the model",
    "test": "id of the test",
    "dataset": "id of the dataset in the catalog",
    "dataset_version": "version of the dataset",
    "data": "dataset, version and table",
    "condition": "state of the input or part of the data",
    "reference": "what the condition is compared with; empty: the annotation",
    "metric": "id of the metric",
    "label": "class or bin, empty for the whole",
    "value": "the score, full precision",
    "reference_value": "value of the metric in the reference",
    "n": "number of samples behind the value",
    "ci_low": "lower end of the 95 % interval",
    "ci_high": "upper end of the 95 % interval",
    "clusters": "number of speakers, or else of samples, that the interval rests on",
    "mde_above": "smallest detectable effect: distance above a bound at which a verdict is certain",
    "mde_below": "the same for a score below a bound",
    "p_value": "probability of such resamples without a difference, for differences only",
    "effect": "effect size of the difference of a group from all others",
    "p_adjusted": "p value of speakers permuted over groups, adjusted for all groups (max-T)",
    "fairness": "verdict on a group: fair within its bound, unfair, undecided or cannot tell",
    "gap": "score of this group, the first of two, minus that of the other one; else empty",
    "gap_low": "lower end of the 95 % interval of this difference",
    "gap_high": "upper end of it",
    "criterion": "rule with its operator",
    "bound": "where the bound of a group comes from: published, simulated or declared",
    "status": "pass, fail, skip or error",
    "certain": "verdict by the interval: passes, fails or cannot tell",
    "reason": "why there is no value or verdict",
    "cause": "what caused that: data, model, or 'not run'; empty: there is a verdict",
    "note": "remark shown with the value",
}
#: the columns of ``severity/<test>.csv``: those of a row, and where it stands on which axis
SEVERITY_COLUMNS = {
    **COLUMNS,
    "condition": "condition of the test that the perturbation stands for",
    "perturbation": "id of the perturbation",
    "axis": "what gets worse",
    "unit": "its unit",
    "level": "place on the axis, in this unit",
    "breaking_mild": "end of the 95 % interval of the curve's breaking point on the mild side; "
    "all: it may fail at all levels",
    "breaking_severe": "end on the severe side; none: it may hold at all levels",
}
NUMBERS = (
    *("value", "reference_value", "ci_low", "ci_high", "mde_above", "mde_below"),
    *("p_value", "effect", "p_adjusted", "gap", "gap_low", "gap_high"),
)
COUNTS = ("n", "clusters")
#: columns that files of older formats lack
NEWER = ("p_value", "effect")
#: columns that files of this format may lack: they are empty then
ADDED = (
    *("mde_above", "mde_below", "p_adjusted", "fairness", "bound"),
    *("gap", "gap_low", "gap_high", "cause"),
)


def frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a table with all columns of :data:`COLUMNS` in their types."""
    import pandas as pd

    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return _typed(table)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    for column in COLUMNS:
        if column in NUMBERS:
            table[column] = pd.to_numeric(table[column]).astype("float64")
        elif column in COUNTS:
            table[column] = pd.to_numeric(table[column]).astype("Int64")
        else:
            values = table[column].astype(object)
            table[column] = values.where(values.notna(), "").astype("str")
    return table


def to_csv(table: pd.DataFrame) -> str:
    """Rows as CSV text; floats in the shortest form that reads back exactly."""
    out = table.copy()
    for column in NUMBERS:
        out[column] = [
            "" if np.isnan(value) else repr(float(value)) for value in table[column].to_numpy()
        ]
    return str(out.to_csv(index=False, lineterminator="\n"))


def merged_csv(
    path: Path,
    new: Mapping[str, Iterable[Mapping[str, Any]]],
    order: Sequence[str],
    columns: Sequence[str] = tuple(COLUMNS),
) -> str:
    """CSV text of a result file after some of its datasets were computed anew.

    Many files are written with a few rows each, so this works on texts, without tables.

    Args:
        path: the file as it is, which need not exist
        new: dataset -> its rows
        order: datasets in the order of the rows; others are dropped
        columns: of the file

    Raises:
        DataError: if the file is not a result file
    """
    lines = {name: [_line(row, columns) for row in rows] for name, rows in new.items()}
    place = list(columns).index("dataset")
    for line in _read_lines(path, columns) if path.exists() else []:
        if line[place] not in new:
            lines.setdefault(line[place], []).append(line)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for name in order:
        writer.writerows(lines.get(name, []))
    return text.getvalue()


def _line(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Fields of a row as :func:`to_csv` writes them."""
    line = []
    for column in columns:
        value = row.get(column)
        if value is None:
            line.append("")
        elif column in NUMBERS:
            line.append("" if math.isnan(value) else repr(float(value)))
        elif column in COUNTS:
            line.append(str(int(value)))
        else:
            line.append(str(value))
    return line


def _read_lines(path: Path, columns: Sequence[str]) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            head, *lines = csv.reader(file, strict=True)
        lacking = {*NEWER, *ADDED} - set(head)
        missing = [column for column in columns if column not in (*head, *lacking)]
        if missing:
            raise ValueError(f"column missing: {', '.join(missing)}")
        for number, line in enumerate(lines, 1):
            if len(line) != len(head):
                raise ValueError(f"row {number} has {len(line)} fields, its head {len(head)}")
        places = [-1 if column in lacking else head.index(column) for column in columns]
        rows = [["" if place < 0 else line[place] for place in places] for line in lines]
        for line in rows:
            for column, value in zip(columns, line, strict=True):
                if value and column in (*NUMBERS, *COUNTS):
                    float(value)
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as result rows: {reason_of(error)}") from None
    return rows


def read_csv(path: Path) -> pd.DataFrame:
    """Rows of one file; what would hide or turn a text is shown.

    Raises:
        DataError: if the file is not a result file
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return _parse(file.read(), str(path))
    # pandas raises TypeError for a count that is no whole number, OverflowError for one of 20 digits
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise DataError(f"{path}: cannot be read as result rows: {reason_of(error)}") from None


def check_width(text: TextIO) -> None:
    """Refuse a table whose first row has more fields than its head, and begin it again.

    pandas takes the first columns of such a table for names of rows, all others for their neighbours, and
    minutes for a row of a million fields. In later rows it refuses them itself.

    Args:
        text: CSV

    Raises:
        ValueError: if there are too many, or the text is no CSV
    """
    try:
        lines = filter(None, csv.reader(text))  # pandas leaves out empty ones
        head, first = itertools.islice(itertools.chain(lines, ([], [])), 2)
    except csv.Error as error:
        raise ValueError(error) from None
    if len(first) > len(head):
        raise ValueError(f"its first row has {len(first)} fields, its head {len(head)}")
    text.seek(0)


def _parse(text: str, name: str) -> pd.DataFrame:
    import pandas as pd

    source = io.StringIO(shown(text) if is_hiding(text) else text, newline="")
    check_width(source)
    table = pd.read_csv(source, dtype=str, keep_default_na=False)
    table = table.assign(**{name: "" for name in ADDED if name not in table})
    missing = [column for column in COLUMNS if column not in table]
    if missing:
        raise DataError(f"{name}: {_misfit(Path(name), missing)}")
    for column in (*NUMBERS, *COUNTS):
        table[column] = table[column].where(table[column] != "")
    with np.errstate(invalid="ignore"):  # an infinite count is refused, after a warning of its cast
        return _typed(table[list(COLUMNS)].copy())


def _misfit(path: Path, missing: list[str]) -> str:
    """Why a table is no result file of this version, and what to do about it."""
    lacks = f"column missing: {', '.join(missing)}"
    if not set(missing) <= set(NEWER):
        return f"not a result file, {lacks}"
    return f"written by an older version of this program, {lacks}. {_again(path)}"


def _again(path: Path) -> str:
    """What to do about a file of a model that is no result file of this version."""
    if path.is_dir():
        return "Remove this folder, which lies where a file of the program is"
    model, target = path.parent.name, path.parent.parent.name
    command = advice.command("run", "--model", model, "--target", target)
    return f"Compute it again with '{command}', or delete {path.parent}"


def read_all(method_tests: Path) -> pd.DataFrame:
    """Rows of all models below ``method-tests/``, sorted by file name."""
    return read_files(sorted(method_tests.glob("*/*/*.csv")))


def read_files(paths: Sequence[Path]) -> pd.DataFrame:
    """Rows of result files of models, one after the other.

    Hundreds of small files are parsed as one text, which is many times faster; if anything
    is wrong with it, they are read one by one, so that the message names the file.

    Raises:
        DataError: if a file is not a result file, with the command that makes it again
    """
    import pandas as pd

    if not paths:
        return frame([])
    head = ",".join(COLUMNS) + "\n"
    try:
        texts = [path.read_text("utf-8") for path in paths]
        if all(text.startswith(head) and text.endswith("\n") for text in texts):
            bodies = "".join(text.removeprefix(head) for text in texts)
            table = _parse(head + bodies, str(paths[0].parent))
            _check_statuses(table)
            return table
    except (ValueError, TypeError, OverflowError, OSError, DataError):
        pass
    return pd.concat([_of_model(path) for path in paths], ignore_index=True)


def _check_statuses(table: pd.DataFrame, where: str = "") -> None:
    """Refuse rows without a known status, such as those of a file that was cut."""
    strange = np.flatnonzero(~table["status"].isin(STATUSES).to_numpy())
    if len(strange):
        status = table["status"].iloc[strange[0]]
        allowed = ", ".join(STATUSES)
        raise DataError(
            f"{where}row {strange[0] + 1}: status '{status}': expected one of {allowed}"
        )


def _of_model(path: Path) -> pd.DataFrame:
    """Rows of a file that a run can make again."""
    try:
        table = read_csv(path)
        _check_statuses(table, f"{path}: cannot be read as result rows: ")
        return table
    except DataError as error:
        text, advised = str(error), _again(path)
        raise DataError(text if advised in text else f"{text}. {advised}") from None
