"""The published results of the reference suite as result rows.

``extra/published/`` holds the scores of Derington et al. as they were published: rounded, and
judged by the rules of that time. Here they become rows with the columns of
:data:`common.results.tables.COLUMNS`, so that pages and summaries need no second path. Verdicts
follow the paper, not this suite: a strict comparison of the rounded value, ``|rho|`` for rank
correlations, and a missing value that is skipped by some criteria and fails others, as
``thresholds.csv`` says. All names of tasks, models and datasets come from the files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.errors import DataError
from ..core.paths import PUBLISHED
from ..spec import ID_PATTERN
from . import COLUMNS, COUNTS, NUMBERS
from .tables import check_width

#: columns that name a line of the score tables; all others are model ids
CELL = ["test", "metric", "data", "column"]
#: table of models
MODELS = "models.csv"
#: stands for the score of a model in a cell that it was not run on; the cell has no row
NOT_RUN = "-"
#: comparison in thresholds.csv -> (text of the criterion, whether it skips missing values)
COMPARISONS = {
    ">": ("> {:g}", False),
    "<": ("< {:g}", False),
    "abs <": ("|x| < {:g}", False),
    "abs >": ("|x| > {:g}", False),
    ">, skip nan": ("> {:g}", True),
    "abs <, skip nan": ("|x| < {:g}", True),
}
#: beginning of the ids of tests whose bounds the paper chose from chance models
FAIRNESS = "fairness_"
#: columns of metrics.csv
METRIC_COLUMNS = (
    *("kind", "test", "published", "metric"),
    *("condition", "reference", "missing", "cause"),
)
#: columns of foundations.csv beside the name of the model
FOUNDATION = (
    *("architecture", "developer", "parameters_million", "sizes"),
    *("paper", "link", "weights", "weights_license"),
)
#: columns of datasets.csv that metrics.csv may name in braces
PLACEHOLDERS = ("group", "compare_table", "tables")
NO_VALUE = "no value published"
NO_VALUE_FAILS = "no value published, which this criterion of the paper counts as failed"
NEGATIVE_RHO = "passes in the paper because its criterion ignores the sign"


def load(folder: Path = PUBLISHED) -> pd.DataFrame:
    """All published scores as result rows.

    A score of :data:`NOT_RUN` makes no row.

    ``model`` is the name in the paper, the same for the dimensions and the categories;
    ``model_version`` is the published model id. ``dataset`` is the name of the database,
    ``data`` the published name of the data row. ``n``, intervals and the value in the
    reference were not published and are missing.

    Args:
        folder: the published tables

    Returns:
        one row per score: targets in the order of ``tasks.csv``, models in the order of the
        score tables, cells in the order of publication

    Raises:
        DataError: if a table is missing, names something that no other table knows, or
            holds a value that is no number
    """
    tasks = _tasks(folder)
    notes = _read(folder / "annotations.csv", ["task", *CELL])
    model_table = models(folder)
    names = dict(zip(model_table["model_id"], model_table["model"], strict=True))
    scores = {str(task): _read(folder / f"{task}.csv", CELL) for task in tasks["task"]}
    parts = [
        _target(folder / f"{task}.csv", scores[str(task)], cells, names, notes)
        for task, cells in _cells(folder, tasks, scores).groupby("task", sort=False)
    ]
    return pd.concat(parts, ignore_index=True)


def models(folder: Path = PUBLISHED) -> pd.DataFrame:
    """Published models: model_id, model_name, kind, model (name of its pages), chance (bool)."""
    table = _read(folder / MODELS, ["model_id"], ["model", "chance"])
    table["chance"] = table["chance"] == "yes"
    return table


def foundations(folder: Path = PUBLISHED) -> dict[str, dict[str, str]]:
    """Model -> what is publicly known of the network that it was built on; empty texts: not sure.

    Each has the columns of :data:`FOUNDATION`. ``weights`` are addresses with a blank between them.
    """
    table = _read(folder / "foundations.csv", ["model"], FOUNDATION).set_index("model")
    return {
        str(model): {str(key): str(value) for key, value in entry.items()}
        for model, entry in table.iterrows()
    }


def chance(folder: Path = PUBLISHED) -> tuple[str, ...]:
    """Names of the published models that never look at their input.

    >>> len(chance())
    2
    """
    table = models(folder)
    return tuple(table["model"][table["chance"]].unique())


def labels(folder: Path = PUBLISHED) -> dict[str, str]:
    """Model -> its name for readers, where a table has one that is no id: one with blanks."""
    table = models(folder)
    if "label" not in table:
        return {}
    pairs = zip(table["model"], table["label"], strict=True)
    return {str(model): str(label) for model, label in pairs if label not in ("", model)}


def comparisons(folder: Path = PUBLISHED) -> pd.DataFrame:
    """Published comparisons: target, position, baseline, candidates (tuple of model ids)."""
    path = folder / "comparisons.csv"
    table = _read(path, ["task", "position"], ["candidates"])
    table = table.rename(columns={"task": "target"})
    positions = _numbers(table[["position"]], path)[:, 0]
    if not ((abs(positions) < 2**53) & (np.floor(positions) == positions)).all():
        raise DataError(f"{path}: a position is no whole number")
    table["position"] = positions.astype("int64")
    table["candidates"] = [tuple(names.split("|")) for names in table["candidates"]]
    return table


def thresholds(folder: Path = PUBLISHED) -> pd.DataFrame:
    """Published criteria: task, test, metric, metric_name, short, comparison, column, threshold.

    Raises:
        DataError: if a comparison is unknown
    """
    path = folder / "thresholds.csv"
    others = ["metric_name", "short", "comparison", "threshold"]
    table = _read(path, ["task", *("test", "metric", "column")], others)
    unknown = sorted(set(table["comparison"]) - set(COMPARISONS))
    if unknown:
        names = ", ".join(COMPARISONS)
        raise DataError(f"{path}: unknown comparison '{unknown[0]}'. Known: {names}")
    table["threshold"] = _numbers(table[["threshold"]], path)[:, 0]
    return table


def datasets(folder: Path = PUBLISHED) -> pd.DataFrame:
    """Published data rows of every test, with their name in the scores (``data``)."""
    return _read(
        folder / "datasets.csv", [], ["task", "test", "data", "dataset", "version", *PLACEHOLDERS]
    )


def target_order(folder: Path = PUBLISHED) -> list[str]:
    """Targets in the order in which the means of Table VII are added (see README.md there)."""
    table = _tasks(folder)
    return [str(task) for _, task in sorted(zip(table["addition"], table["task"], strict=True))]


def table(path: Path) -> list[dict[str, str]]:
    """Lines of a table, all fields as text.

    Raises:
        DataError: if it is missing or cannot be read
    """
    return [
        {str(name): str(value) for name, value in line.items()}
        for line in _read(path).to_dict("records")
    ]


def bound_of(criterion: str) -> float:
    """The number in the text of a criterion of published rows.

    >>> bound_of("|x| < 0.075"), bound_of("> -0.05")
    (0.075, -0.05)
    """
    return float(criterion.rpartition(" ")[2])


def _tasks(folder: Path) -> pd.DataFrame:
    """The table of tasks, whose names are those of other tables."""
    path = folder / "tasks.csv"
    table = _read(path, ["task"], ["kind", "addition"])
    odd = [str(name) for name in table["task"] if not re.fullmatch(ID_PATTERN, str(name))]
    if odd:
        raise DataError(f"{path}: '{odd[0]:.60}' cannot be the name of a task")
    return table


def _read(path: Path, key: Sequence[str] = (), others: Sequence[str] = ()) -> pd.DataFrame:
    """All columns of a table as text; an empty field is an empty text.

    Args:
        path: the table
        key: columns of which no two lines may have equal values
        others: columns that it must have, too
    """
    try:
        with path.open(encoding="utf-8", newline="") as text:
            check_width(text)
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; the published results are incomplete") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from None
    missing = [name for name in (*key, *others) if name not in table]
    if missing:
        raise DataError(
            f"{path}: column '{missing[0]}' is missing. Found: {', '.join(map(str, table))}"
        )
    if key and table.duplicated(list(key)).any():
        line = table.loc[table.duplicated(list(key)), list(key)].iloc[0]
        raise DataError(f"{path}: {', '.join(map(str, line))} appears twice")
    return table


def _numbers(table: pd.DataFrame, path: Path) -> np.ndarray:
    """Text as float64, missing as NaN; numpy parses text to the nearest double."""
    text = table.to_numpy(dtype=object)
    try:
        return np.where(text == "", "nan", text).astype("float64")
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None


def _cells(folder: Path, tasks: pd.DataFrame, scores: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """All cells with what the other tables know about them, in the order of publication."""
    cells = pd.concat([scores[task][CELL].assign(task=task) for task in tasks["task"]])
    metrics = _read(folder / "metrics.csv", [], METRIC_COLUMNS).rename(
        columns={"metric": "id", "published": "metric"}
    )
    dataset_rows = datasets(folder)[["task", "test", "data", "dataset", "version", *PLACEHOLDERS]]
    cells = cells.merge(tasks[["task", "kind"]], on="task")
    for name, other in {
        "thresholds.csv": thresholds(folder).drop(columns="column"),
        "metrics.csv": metrics,
        "datasets.csv": dataset_rows,
    }.items():
        keys = [column for column in cells if column in other]
        new = next(column for column in other if column not in keys)
        if other.duplicated(keys).any():
            raise DataError(
                f"{folder / name}: {', '.join(map(str, keys))} of two lines are the same"
            )
        cells = cells.merge(other, on=keys, how="left", validate="many_to_one")
        lost = cells.loc[cells[new].isna(), keys]
        if len(lost):
            raise DataError(f"{folder / name}: nothing about {', '.join(map(str, lost.iloc[0]))}")
    return cells


def _target(
    path: Path, table: pd.DataFrame, cells: pd.DataFrame, names: dict[str, str], notes: pd.DataFrame
) -> pd.DataFrame:
    """Rows of one target from its score table."""
    ids = [str(column) for column in table if column not in CELL]
    unknown = [name for name in ids if name not in names]
    if unknown:
        raise DataError(f"{path}: model {unknown[0]}: not in models.csv")
    absent = (table[ids] == NOT_RUN).to_numpy()
    values = _numbers(table[ids].mask(absent, ""), path)
    status, reason = verdicts(values, cells)
    skipped = (status == "skip").T
    cause = np.where(skipped, cells["cause"].to_numpy(dtype=object), "").T
    target_notes = notes[notes["task"] == path.stem].set_index(CELL)
    target_notes = target_notes.reindex(
        columns=ids, index=pd.MultiIndex.from_frame(table[CELL]), fill_value=""
    )
    unsigned = (cells["comparison"] == "abs >").to_numpy()[:, None] & (values < 0)
    note = np.where(
        unsigned & (status == "pass"), NEGATIVE_RHO, target_notes.to_numpy(dtype=object)
    )
    blocks = {"value": values, "status": status, "reason": reason, "cause": cause, "note": note}
    rows = _long(path.stem, cells, [names[name] for name in ids], ids, blocks)
    return rows[~absent.T.ravel()]


def verdicts(values: np.ndarray, cells: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts by the rules of the paper.

    Args:
        values: scores as published, shape (cells, models); NaN: missing
        cells: per cell ``comparison`` and ``threshold`` of ``thresholds.csv``, and
            ``missing``, the reason for a missing value

    Returns:
        status and reason, object arrays of the shape of ``values``

    >>> cells = pd.DataFrame({"comparison": [">"], "threshold": [0.5], "missing": [""]})
    >>> verdicts(np.array([[0.51, 0.5, np.nan]]), cells)[0].tolist()
    [['pass', 'fail', 'fail']]
    """
    code = cells["comparison"].to_numpy(dtype=object)[:, None]
    bound = cells["threshold"].to_numpy(dtype="float64")[:, None]
    above = np.isin(code, [">", ">, skip nan"]) & (values > bound)
    below = (code == "<") & (values < bound)
    within = np.isin(code, ["abs <", "abs <, skip nan"]) & (np.abs(values) < bound)
    beyond = (code == "abs >") & (np.abs(values) > bound)
    missing = np.isnan(values)
    skips = np.array([COMPARISONS[c][1] for c in code[:, 0]])[:, None] & missing
    status = np.where(above | below | within | beyond, "pass", np.where(skips, "skip", "fail"))
    why = cells["missing"].to_numpy(dtype=object)[:, None]
    reason = np.where(skips, np.where(why == "", NO_VALUE, why), "")
    reason = np.where(missing & ~skips, NO_VALUE_FAILS, reason)
    return status.astype(object), reason.astype(object)


def _long(
    task: str,
    cells: pd.DataFrame,
    names: list[str],
    ids: list[str],
    blocks: dict[str, np.ndarray],
) -> pd.DataFrame:
    """Rows of one target, model by model, from its cells and (cells, models) arrays."""
    whole = (cells["column"] == cells["metric_name"]) | (cells["column"] == cells["short"])
    texts = zip(cells["comparison"], cells["threshold"], strict=True)
    per_cell = {
        "test": cells["test"],
        "dataset": cells["dataset"],
        "dataset_version": cells["version"],
        "data": cells["data"],
        "condition": _fill(cells, "condition"),
        "reference": _fill(cells, "reference"),
        "metric": cells["id"],
        "label": cells["column"].mask(whole, ""),
        "bound": cells["test"].str.startswith(FAIRNESS).map({True: "published", False: ""}),
        "criterion": pd.Series([COMPARISONS[code][0].format(bound) for code, bound in texts]),
    }
    size, count = len(cells), len(ids)
    columns: dict[str, object] = {
        name: np.tile(column.to_numpy(dtype=object), count) for name, column in per_cell.items()
    }
    columns |= {name: block.T.ravel() for name, block in blocks.items()}
    columns |= {
        "target": task,
        "model": np.repeat(np.array(names, dtype=object), size),
        "model_version": np.repeat(np.array(ids, dtype=object), size),
        **dict.fromkeys(COUNTS, pd.array([pd.NA] * (size * count), dtype="Int64")),
        "certain": "",
        "fairness": "",
    }
    columns |= {name: np.nan for name in NUMBERS if name not in columns}
    table = pd.DataFrame({name: columns[name] for name in COLUMNS})
    text = [name for name in COLUMNS if name not in (*NUMBERS, *COUNTS)]
    return table.astype(dict.fromkeys(text, "str"))


def _fill(cells: pd.DataFrame, column: str) -> pd.Series:
    """Column with ``{name}`` replaced by the cell's value of that column."""
    filled = cells[column]
    for name in PLACEHOLDERS:
        filled = filled.mask(filled == f"{{{name}}}", cells[name])
    return filled
