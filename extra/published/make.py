"""Packs the published tables into this folder, and unpacks them again byte by byte.

The source has one line per score and repeats the names of test, metric, data and model in
each of them. Here a line is one cell of the benchmark and a column is one model, a seventh of
the size. Scores and annotations stay the text that was published.

    python extra/published/make.py pack SOURCE      SOURCE/* -> this folder
    python extra/published/make.py unpack TARGET    this folder -> TARGET/*, as published

``sources.csv`` has the SHA-256 of every source file and how it is kept here.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
CELL = ("test", "metric", "data", "column")
#: how a file is kept -> (columns of the source, columns of a line here)
PACKED = {
    "scores": (("model_id", "model_name", *CELL, "value"), CELL),
    "annotations": (("task", "model_id", "model_name", *CELL, "annotation"), ("task", *CELL)),
}
#: columns that files of the form "extended" have here and not in the source
ADDED = {"models.csv": ("model", "chance"), "datasets.csv": ("data",)}

Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Lines of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """CSV text; columns that a row lacks are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def sources() -> list[Row]:
    """The source files: file, form, sha256."""
    return read(HERE / "sources.csv")


def digest(content: str) -> str:
    """SHA-256 of a text in UTF-8."""
    return hashlib.sha256(content.encode()).hexdigest()


def pack_models(rows: list[Row], form: str, order: dict[tuple[str, ...], int]) -> str:
    """One line per cell, one column per model.

    Args:
        rows: lines of the source
        form: key of :data:`PACKED`
        order: position of a cell in the tables of scores
    """
    columns, key = PACKED[form]
    models = dict.fromkeys(row["model_id"] for row in rows)
    cells: dict[tuple[str, ...], Row] = {}
    for row in rows:
        name = tuple(row[column] for column in key)
        cell = cells.setdefault(name, {column: row[column] for column in key})
        cell[row["model_id"]] = row[columns[-1]]
    lines = sorted(cells, key=lambda name: order.get(name, len(order)))
    return text((*key, *models), [cells[name] for name in lines])


def unpack_models(path: Path, form: str) -> str:
    """One line per score again; an annotation that is empty here had no line there."""
    columns, key = PACKED[form]
    names = {row["model_id"]: row["model_name"] for row in read(HERE / "models.csv")}
    packed = read(path)
    tasks = dict.fromkeys(row.get("task", "") for row in packed)
    return text(
        columns,
        [
            {**row, "model_id": model, "model_name": names[model], columns[-1]: row[model]}
            for task in tasks
            for model in (column for column in packed[0] if column not in key)
            for row in packed
            if row.get("task", "") == task and (row[model] or form == "scores")
        ],
    )


def label(row: Row, known: set[tuple[str, str, str]]) -> str:
    """Name of a data row in the tables of scores (specification, 4.6)."""
    tables = row["tables"].replace("|", "-")
    parts = [tables, row["table_alias"], row["group"], row["compare_table"]]
    tails = ["-".join(filter(None, tail)) for tail in (parts[1:], parts[0::2], parts[0::3])]
    names = [f"{row['dataset']}-{row['version']}-{tail}" for tail in tails]
    return next(name for name in names if (row["task"], row["test"], name) in known)


def extend(name: str, rows: list[Row], known: set[tuple[str, str, str]]) -> str:
    """Source lines with the columns of :data:`ADDED`."""
    for row in rows:
        if name == "datasets.csv":
            row["data"] = label(row, known)
        else:
            row["model"] = row["model_name"].removesuffix("-cat")
            row["chance"] = "yes" if row["model_id"] == row["model_name"] else "no"
    return text(list(rows[0]), rows)


def pack(source: Path) -> None:
    """Write the files of this folder from those of ``source``."""
    order: dict[tuple[str, ...], int] = {}
    known = set()
    for file in sources():
        path = source / file["file"]
        if digest(path.read_text("utf-8")) != file["sha256"]:
            raise SystemExit(f"{path}: not the file that sources.csv names")
        content = path.read_text("utf-8")
        if file["form"] == "scores":
            for row in read(path):
                name = (path.stem, *(row[column] for column in CELL))
                order.setdefault(name, len(order))
                known.add((path.stem, row["test"], row["data"]))
        if file["form"] in PACKED:
            content = pack_models(read(path), file["form"], order)
        elif file["form"] == "extended":
            content = extend(file["file"], read(path), known)
        (HERE / file["file"]).write_text(content, "utf-8")


def unpacked(file: Row) -> str:
    """Text of a source file, made from what is in this folder."""
    path = HERE / file["file"]
    if file["form"] in PACKED:
        return unpack_models(path, file["form"])
    if file["form"] == "extended":
        rows = read(path)
        return text([c for c in rows[0] if c not in ADDED[path.name]], rows)
    return path.read_text("utf-8")


def unpack(target: Path) -> None:
    """Write the source files again."""
    target.mkdir(parents=True, exist_ok=True)
    for file in sources():
        content = unpacked(file)
        if digest(content) != file["sha256"]:
            raise SystemExit(f"{HERE / file['file']}: differs from what was published")
        (target / file["file"]).write_text(content, "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("pack", "unpack"):
        raise SystemExit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](Path(sys.argv[2]))
