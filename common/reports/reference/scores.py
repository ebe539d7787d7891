"""Tables of published results, in the form of :mod:`common.results.published`, from a reference tree.

What a name of the reference means here stands in the tables of the paper's own results: metrics,
comparisons and data rows. Data rows that are not in them are taken from the YAML of the tests.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import DataError
from ...core.paths import PUBLISHED
from ...results import published
from .tree import ReferenceTree, Result, id_of, short_name

Row = dict[str, str]


@dataclass(frozen=True)
class ReferenceNames:
    """What the names of the reference mean.

    Args:
        kinds: target -> kind of published results
        metrics: (kind, test, metric) -> line of ``metrics.csv``
        criteria: (kind, test, metric) -> line of ``thresholds.csv``
        data: (test, data) -> line of ``datasets.csv``
        models: line of ``models.csv`` by id
        order: lines of ``tasks.csv``
        foundations: model -> line of ``foundations.csv``
        comparison: columns of ``comparisons.csv``: target, position, first model, the others
    """

    kinds: Mapping[str, str]
    metrics: Mapping[tuple[str, str, str], Row]
    criteria: Mapping[tuple[str, str, str], Row]
    data: Mapping[tuple[str, str], Row]
    models: Mapping[str, Row]
    order: Sequence[Row]
    foundations: Mapping[str, Row]
    comparison: tuple[str, ...]

    @classmethod
    def of_paper(cls, folder: Path = PUBLISHED) -> ReferenceNames:
        """The names of the paper's results."""
        lines = {
            name: published.table(folder / f"{name}.csv")
            for name in ("tasks", "metrics", "thresholds", "datasets", "models", "foundations")
        }
        kinds = {line["task"]: line["kind"] for line in lines["tasks"]}
        return cls(
            kinds,
            {(line["kind"], line["test"], line["published"]): line for line in lines["metrics"]},
            {
                (kinds[line["task"]], line["test"], line["metric"]): line
                for line in lines["thresholds"]
            },
            {(line["test"], line["data"]): line for line in lines["datasets"]},
            {line["model_id"]: line for line in lines["models"]},
            lines["tasks"],
            {line["model"]: line for line in lines["foundations"]},
            tuple(published.table(folder / "comparisons.csv")[0]),
        )

    def metric(self, target: str, test: str, name: str) -> Row | None:
        """What a metric of the reference is here; None: there is no such metric."""
        return self.metrics.get((self.kinds[target], test, name))


def slug(name: str) -> str:
    """Name of the table of a metric that has this name in YAML.

    >>> slug("Precision Per Bin Female")
    'precision-per-bin-female'
    """
    return "-".join(name.lower().split())


def thresholds(tree: ReferenceTree, target: str, test: str) -> dict[str, Any]:
    """Metric -> its threshold in the YAML of a test."""
    metrics = tree.tests.get(target, {}).get(test, {}).get("Metrics", ())
    return {slug(item["name"]): item["threshold"] for item in metrics if "threshold" in item}


def is_number(value: object) -> bool:
    """Whether a threshold is one number."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < float("inf")
    )


def tables(tree: ReferenceTree, names: ReferenceNames) -> dict[str, str]:
    """File -> text; what has no counterpart goes to the list of the tree.

    Args:
        tree: what was read
        names: what its names mean

    Returns:
        nothing if no score has a counterpart

    Raises:
        DataError: if a score that has one cannot be read
    """
    results, data = _with_counterpart(tree, names)
    if not results:
        return {}
    targets = [line for line in names.order if any(r.target == line["task"] for r in results)]
    texts: dict[str, str] = {}
    for line in targets:
        texts[f"{line['task']}.csv"] = _scores([r for r in results if r.target == line["task"]])
    models = _models(results, tree, names)
    used = {(r.target, r.test, r.metric): None for r in results}
    kinds = {(names.kinds[target], test, metric): None for target, test, metric in used}
    texts |= {
        "tasks.csv": text(targets, ("task", "kind", "addition")),
        "models.csv": text(models),
        "metrics.csv": text([names.metrics[key] for key in kinds]),
        "thresholds.csv": text([_criterion(tree, names, *key) for key in used]),
        "datasets.csv": text(data),
        "annotations.csv": _remarks([r for r in results if r.remark], models),
        "comparisons.csv": text(
            _comparisons(tree, names, {line["model_id"] for line in models}),
            names.comparison,
        ),
        "foundations.csv": text(
            [
                names.foundations[m]
                for m in dict.fromkeys(line["model"] for line in models)
                if m in names.foundations
            ],
            tuple(next(iter(names.foundations.values()))),
        ),
    }
    return texts


def text(rows: Sequence[Row], columns: Sequence[str] = ()) -> str:
    """CSV text; columns that a row lacks are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(
        out, columns or list(rows[0]), lineterminator="\n", extrasaction="ignore", restval=""
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _with_counterpart(tree: ReferenceTree, names: ReferenceNames) -> tuple[list[Result], list[Row]]:
    """Results whose metric and data are known here, and their lines of ``datasets.csv``.

    Raises:
        DataError: if one of them cannot be read
    """
    results: list[Result] = []
    rows: dict[tuple[str, str, str], Row] = {}
    lacking: dict[tuple[str, str, str], int] = {}
    for result in tree.results:
        place = f"{result.target}/{result.model}/{result.test}/{result.metric}.csv"
        if names.metric(result.target, result.test, result.metric) is None:
            reason = "the suite has no such metric in a test of this name for this kind of target"
            key = (place, "metric", reason)
            lacking[key] = lacking.get(key, 0) + 1
            continue
        if result.fault:
            raise DataError(result.fault)
        key = (result.target, result.test, result.data)
        if key not in rows:
            line = names.data.get((result.test, result.data)) or _declared(tree, *key)
            if line is None:
                reason = (
                    "no published data and no YAML of the test names it, so its dataset is unknown"
                )
                lacking[place, f"data {result.data}", reason] = 1
                continue
            rows[key] = {**line, "task": result.target}
        results.append(result)
    for (place, what, reason), count in lacking.items():
        tree.leave_out(place, f"{what} ({count} scores)" if count > 1 else what, reason)
    columns = tuple(next(iter(names.data.values())))
    return results, [{c: row.get(c, "") for c in columns} for row in rows.values()]


def _declared(tree: ReferenceTree, target: str, test: str, data: str) -> Row | None:
    """Line of a data row that the YAML of a test declares."""
    for item in tree.tests.get(target, {}).get(test, {}).get("Data", ()):
        line = data_line(item)
        parts = [
            line["tables"].replace("|", "-"),
            line["table_alias"],
            line["group"],
            line["compare_table"],
        ]
        for chosen in (parts[1:], parts[0::2], parts[0::3]):
            tail = "-".join(filter(None, chosen))
            if data == f"{line['dataset']}-{line['version']}-{tail}":
                return {**line, "test": test, "data": data}
    return None


def data_line(item: Mapping[str, Any]) -> Row:
    """What the YAML of a test says of a data row, in the columns of ``datasets.csv``."""
    several = item.get("tables", item.get("table", ""))
    listed = several if isinstance(several, list) else [several]
    return {
        "dataset": str(item["name"]),
        "version": str(item.get("version", "")),
        "tables": "|".join(map(str, filter(None, listed))),
        "table_alias": str(item.get("table_alias", "")),
        "column": str(item.get("column", "")),
        "group": str(item.get("split", item.get("language", ""))),
        "compare_table": str(item.get("compare_table", "")),
    }


def _scores(results: Sequence[Result]) -> str:
    """One line for each cell, one column for each model."""
    models = sorted(dict.fromkeys(result.model for result in results), key=_last_if_chance)
    cells: dict[tuple[str, ...], Row] = {}
    for result in results:
        key = (result.test, result.metric, result.data, result.column)
        cell = cells.setdefault(key, dict(zip(published.CELL, key, strict=True)))
        cell[result.model] = result.value
    absent = dict.fromkeys(models, published.NOT_RUN)
    ordered = sorted(cells, key=lambda key: key[:2])  # data and columns stay as in the files
    return text([{**absent, **cells[key]} for key in ordered], (*published.CELL, *models))


def _last_if_chance(name: str) -> tuple[bool, str]:
    return (not name[:1].isdigit(), name)


def _models(results: Iterable[Result], tree: ReferenceTree, names: ReferenceNames) -> list[Row]:
    """Lines of ``models.csv``; ids of one target that share a name keep their ids beside it."""
    targets: dict[str, set[str]] = {}
    for result in results:
        targets.setdefault(result.model, set()).add(result.target)
    ids: dict[tuple[str, str], str] = {}
    lines = []
    for model in sorted(targets, key=_last_if_chance):
        line = names.models.get(model, {})
        name = tree.names.get(model) or line.get("model_name") or model
        label = short_name(name)
        short = id_of(label)
        if any(ids.setdefault((target, short), model) != model for target in targets[model]):
            short, label = f"{short}-{model}", f"{label} ({model})"
        kinds = dict.fromkeys(names.kinds[target] for target in sorted(targets[model]))
        lines.append(
            {
                "model_id": model,
                "model_name": name,
                "kind": "|".join(kinds),
                "model": short,
                "chance": line.get("chance", "no"),
                "label": label,
            }
        )
    return lines


def _criterion(
    tree: ReferenceTree, names: ReferenceNames, target: str, test: str, metric: str
) -> Row:
    """Line of ``thresholds.csv`` with the threshold of the tree where it states one."""
    line = {**names.criteria[names.kinds[target], test, metric], "task": target}
    stated = thresholds(tree, target, test).get(metric)
    return {**line, "threshold": f"{stated:g}"} if is_number(stated) else line


def _remarks(results: Sequence[Result], models: Sequence[Row]) -> str:
    """Remarks of scores, as ``annotations.csv`` has them."""
    columns = ("task", *published.CELL)
    cells: dict[tuple[str, ...], Row] = {}
    for result in results:
        key = (result.target, result.test, result.metric, result.data, result.column)
        cells.setdefault(key, dict(zip(columns, key, strict=True)))[result.model] = result.remark
    return text(list(cells.values()), (*columns, *(line["model_id"] for line in models)))


def _comparisons(tree: ReferenceTree, names: ReferenceNames, models: set[str]) -> list[Row]:
    """Comparisons of models with results; the others are left out."""
    lines = []
    for target, items in tree.comparisons.items():
        position = 0
        for number, ids in enumerate(items):
            lacking = [name for name in ids if name not in models]
            if lacking:
                place = f"comparison/{target}.yaml"
                tree.leave_out(place, f"[{number}]", f"no results of {', '.join(lacking)}")
                continue
            fields = (target, str(position), ids[0], "|".join(ids[1:]))
            lines.append(dict(zip(names.comparison, fields, strict=True)))
            position += 1
    return lines
