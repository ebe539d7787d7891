"""Everything that the pages show as files to download: ``data/``.

Values are in full precision. The layout is described in ``data/schema.json``; its version
changes when a reader of the old layout would fail.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

from benchmark_site import archive, costs
from benchmark_site.content import Content, Ranked
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.page import slug
from benchmark_site.render import model_doc
from benchmark_site.sources import Model
from common.core import files
from common.reports.summary.badge import badge
from common.reports.summary.card import Row, Scored, card, records
from common.results import COLUMNS, COUNTS, NUMBERS, STATUSES
from common.results.keys import PARTS, row_keys

VERSION = "2"
FILES = ("results.csv", "results.json", "results.parquet", "models.json", "schema.json")
JSON, PARQUET = "results.json", "results.parquet"
#: where a model stands on the cells that data and suite fix -> meaning
STANDING = {
    "place": "place by score on common cells",
    "tier": "models of a tier cannot be told apart from its first",
    "rank_low": "first rank of the 95 % rank interval",
    "rank_high": "last rank of it",
    "score": "the score of a model: mean over families of the mean over tests of the share of "
    "passed cells; data and suite determine which cells count",
    "beyond_chance": "(score - chance) / (1 - chance)",
    "common_executed": "number of these cells",
    "common_unscored": "number of them without a verdict because of the model: not passed",
}
#: columns beside those of a result file
MORE = {
    "key": "key of the row, for 'build.py explain'; empty for published results",
    "stale": "what changed since the row was computed; empty: nothing that is known here",
}
HEAD = ("source", *COLUMNS, *MORE)
#: source, target and model of a row
Owner = tuple[str, str, str]
#: so many rows are taken apart at once
CHUNK = 20_000
SOURCES = {"run": "computed by this program", "published": "published with the paper"}


def rows_file(target: str, model: Model) -> str:
    """File with the rows of a model, below ``data/``."""
    return model_doc(target, model) + ".csv"


def card_file(model: Model) -> str:
    """Model card with the results of a model for all targets, below ``data/``."""
    return f"cards/{'published' if model.published else 'model'}/{model.slug}.md"


def badge_file(target: str, model: Model) -> str:
    """Badge of a model for a target, below ``data/``."""
    return f"badges/{'published' if model.published else 'model'}/{slug(target)}/{model.slug}.svg"


def write_columns(content: Content, folder: Path) -> None:
    """Write the files that have all rows by column, one by one, so that no two are held together.

    Args:
        content: what the pages show
        folder: where the files go
    """
    table = _table(content)
    files.write_text(folder / JSON, _dump(_results(table)), only_changed=True)
    files.write_bytes(folder / PARQUET, _parquet(table), only_changed=True)


def write(content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
    """Write all other files where they changed.

    Args:
        content: what the pages show
        folder: where the files go
        memory: what rows of models and model cards were made from last time, and the text of cards
        inputs: what they are made from
    """
    table = _table(content)
    lines = _lines_of_models(content, table, folder, memory, inputs)
    texts = {
        "results.csv": _rows(HEAD, _in_order(table, lines)),
        "models.json": _dump(_models(content)),
        "schema.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
        **costs.texts(content),
    }
    for target in content.boards:
        for model in content.models(target):
            rows = lines.get((_source(model), target, model.id), [])
            texts[rows_file(target, model)] = _rows(HEAD[1:], rows)
            texts[badge_file(target, model)] = _badge(content, target, model)
            name = card_file(model)
            if name not in texts:
                key = digest(inputs.of_card(model))
                texts[name] = memory.recall(name, key) or _card(
                    content, _rows_of(table, model), model
                )
                memory.keep(name, key, texts[name])
    for name, text in texts.items():
        files.write_text(folder / name, text, only_changed=True)
    archive.write(texts, schema(), content.paths, folder / archive.NAME, memory)


def remove_others(content: Content, folder: Path) -> None:
    """Remove files that are no longer made."""
    present = {*FILES, *costs.FILES, archive.NAME}
    for target in content.boards:
        for model in content.models(target):
            present |= {rows_file(target, model), badge_file(target, model), card_file(model)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in present:
            path.unlink()


def _lines_of_models(
    content: Content, table: pd.DataFrame, folder: Path, memory: Memory, inputs: Inputs
) -> dict[Owner, list[str]]:
    """Rows of each model as lines of CSV; read from its file where that was made from the same."""
    lines: dict[Owner, list[str]] = {}
    places = table.groupby(list(HEAD[:3]), sort=False).indices
    for target in content.boards:
        for model in content.models(target):
            owner = (_source(model), target, model.id)
            if owner not in places:
                continue
            path, rows = folder / rows_file(target, model), places[owner]
            name, key = (
                f"{target}/{owner[0]}/{model.id}: rows",
                digest(inputs.of_rows(target, model)),
            )
            text = path.read_text("utf-8") if memory.recall(name, key) and path.exists() else ""
            lines[owner] = text.splitlines(keepends=True)[1:]
            if len(lines[owner]) != len(rows):  # a text with a line break takes more than one line
                lines[owner] = _lines(table.iloc[rows])
            memory.keep(name, key, True)
    return lines


def _in_order(table: pd.DataFrame, lines: Mapping[Owner, Iterable[str]]) -> Iterator[str]:
    """Lines of all models in the order of the rows, with their sources."""
    rest = {owner: iter(texts) for owner, texts in lines.items()}
    for owner in zip(*(table[name].tolist() for name in HEAD[:3]), strict=True):
        yield f"{owner[0]},{next(rest[owner])}"


def _source(model: Model) -> str:
    return "published" if model.published else "run"


def _dump(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _table(content: Content) -> pd.DataFrame:
    """All rows with all columns of the downloads."""
    table = content.table.reset_index(drop=True)
    mask = table["source"] == "run"
    stale = table["stale"].where(mask, "").astype("str")
    note = table["note"]
    if (stale != "").any():
        # the remark of the pages has a column of its own here
        bare = note.str.replace(r"^stale(; )?", "", regex=True)
        note = note.where(stale == "", bare).astype("str")
    keys = row_keys(*(table[part].tolist() for part in PARTS))
    shown = [key if is_own else "" for key, is_own in zip(keys, mask.tolist(), strict=True)]
    key = pd.Series(shown, index=table.index, dtype="str")
    return table.assign(key=key, stale=stale, note=note)[list(HEAD)]


def _parquet(table: pd.DataFrame) -> bytes:
    """All rows as parquet; the version of the layout is in the metadata."""
    import pyarrow
    import pyarrow.parquet

    arrays = {name: _arrow(table[name]) for name in HEAD}
    arrow_table = pyarrow.table(arrays).replace_schema_metadata({"version": VERSION})
    out = io.BytesIO()
    pyarrow.parquet.write_table(arrow_table, out, compression="zstd")
    return out.getvalue()


def _arrow(values: pd.Series) -> Any:
    """Column of an arrow table; a missing number is null."""
    import pyarrow

    if values.name in NUMBERS:
        return pyarrow.array(values.to_numpy(), pyarrow.float64(), from_pandas=True)
    if values.name in COUNTS:
        return pyarrow.array(values, pyarrow.int64())
    return pyarrow.array(values, pyarrow.large_string()).cast(pyarrow.string())


def _badge(content: Content, target: str, model: Model) -> str:
    """With the score of the first board that ranks the model, which has the most telling data."""
    boards = content.boards_of(target, model)
    board = next((board for board in boards if board.score(model) is not None), None)
    return badge(
        content.label(target).lower(),
        board.score(model) if board else None,
        chance=board.standings.floor_score if board else None,
        is_chance=model.chance,
    )


def _rows_of(table: pd.DataFrame, model: Model) -> list[Row]:
    """What a card looks at in the rows of a model for all targets."""
    here = (table["source"] == _source(model)) & (table["model"] == model.id)
    return records(table[here])


def _card(content: Content, rows: Sequence[Row], model: Model) -> str:
    families = {test: facts.family for test, facts in content.tests.items()}
    manifests = [manifest for (_, name), manifest in content.manifests.items() if name == model.id]
    facts = manifests[0].model if manifests and not model.published else {}
    scores = [
        Scored(target, board.title, board.score(model), board.standings.floor_score)
        for target in content.boards
        for board in content.boards_of(target, model)
    ]
    targets = content.benchmark.targets
    return card(model.label, rows, families, targets, facts=facts, scores=scores)


def _lines(table: pd.DataFrame) -> list[str]:
    """Each row as a line of CSV, without its source."""
    lines: list[str] = []
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\n")
    for start in range(0, len(table), CHUNK):
        part = table.iloc[start : start + CHUNK]
        writer.writerows(zip(*(_texts(part[name]) for name in HEAD[1:]), strict=True))
    return lines


def _texts(values: pd.Series) -> list[str]:
    """Entries of a column as text."""
    entries = values.tolist()
    if values.name in NUMBERS:
        return ["" if value != value else repr(value) for value in entries]
    if values.name in COUNTS:
        return ["" if value is pd.NA else str(value) for value in entries]
    return entries


def _rows(head: Sequence[str], lines: Iterable[str]) -> str:
    return "".join([",".join(head) + "\n", *lines])


def _results(table: pd.DataFrame) -> dict[str, Any]:
    """Rows by column; texts as numbers of entries of a list."""
    texts: dict[str, list[str]] = {}
    columns: dict[str, list[Any]] = {}
    for name in HEAD:
        values = table[name]
        if name in (*NUMBERS, *COUNTS):
            numbers = values.astype("object")
            columns[name] = numbers.where(values.notna(), None).tolist()
        else:
            codes, entries = values.factorize(sort=True)
            texts[name] = [str(text) for text in entries]
            columns[name] = codes.tolist()
    return {"version": VERSION, "rows": len(table), "texts": texts, "columns": columns}


def _models(content: Content) -> dict[str, Any]:
    """Models of every target with their facts and counts."""
    entries = []
    for target, boards in content.boards.items():
        for board in boards:
            for line in board.ranking:
                entries.append(
                    {
                        "target": target,
                        "model": line.model.id,
                        "label": line.model.label,
                        "source": _source(line.model),
                        "board": board.name,
                        "chance": line.model.chance,
                        "position": line.position,
                        "remark": line.remark,
                        **line.total._asdict(),
                        "share": None if line.total.share is None else float(line.total.share),
                        "mean_over_tests": None if line.mean is None else float(line.mean),
                        **_standing(line),
                        "facts": dict(line.model.facts),
                        "not_run": dict(line.model.not_run),
                        "page": model_doc(target, line.model) + ".html",
                        "rows": f"data/{rows_file(target, line.model)}",
                    }
                )
    return {"version": VERSION, "models": entries}


def _standing(line: Ranked) -> dict[str, Any]:
    """Where a model stands on common cells; null without a comparison."""
    standing = line.standing
    if standing is None:
        return dict.fromkeys(STANDING)
    values = (
        standing.place,
        standing.tier,
        standing.low,
        standing.high,
        standing.score,
        standing.beyond,
    )
    numbers = [float(v) if isinstance(v, Fraction) else v for v in values]
    common = (standing.common.cells, standing.common.unscored)
    return dict(zip(STANDING, (*numbers, *common), strict=True))


def schema() -> dict[str, Any]:
    """JSON Schema of ``results.json`` and ``models.json``, and the columns of the CSV files."""
    meanings = {"source": "; ".join(f"{k}: {v}" for k, v in SOURCES.items()), **COLUMNS, **MORE}
    numbers = {"type": "array", "items": {"type": ["number", "null"]}}
    codes = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    columns = {
        name: {**(numbers if name in (*NUMBERS, *COUNTS) else codes), "description": meaning}
        for name, meaning in meanings.items()
    }
    texts = {name: {"type": "array", "items": {"type": "string"}} for name in meanings}
    for name in (*NUMBERS, *COUNTS):
        del texts[name]
    texts["status"] = {"type": "array", "items": {"enum": list(STATUSES)}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Data behind the website",
        "version": VERSION,
        "csv": {
            "description": "columns of results.csv and of the files of single models, which "
            "lack 'source'; an empty field means: no value",
            "columns": meanings,
        },
        "$defs": {
            "results.json": {
                "description": "result rows by column; text columns hold places in 'texts'",
                "type": "object",
                "required": ["version", "rows", "texts", "columns"],
                "properties": {
                    "version": {"const": VERSION},
                    "rows": {"type": "integer"},
                    "texts": {"type": "object", "properties": texts},
                    "columns": {
                        "type": "object",
                        "required": list(meanings),
                        "properties": columns,
                    },
                },
            },
            "models.json": _models_schema(),
        },
    }


def _models_schema() -> dict[str, Any]:
    text, number = {"type": "string"}, {"type": ["number", "null"]}
    count = {"type": "integer", "minimum": 0}
    properties = {
        "target": text,
        "model": text,
        "label": text,
        "source": {"enum": list(SOURCES)},
        "board": {**text, "description": "results with the same board may be compared"},
        "chance": {"type": "boolean"},
        "position": {"type": ["integer", "null"]},
        "remark": {**text, "description": "why there is no position"},
        **dict.fromkeys(("passed", "failed", "skipped", "errors"), count),
        "share": {**number, "description": "share as in the paper: passed / (passed + failed)"},
        "mean_over_tests": {**number, "description": "mean of the shares of the tests"},
        **{name: {**number, "description": meaning} for name, meaning in STANDING.items()},
        "facts": {"type": "object", "additionalProperties": text},
        "not_run": {"type": "object", "description": "test/dataset: reason"},
        "page": text,
        "rows": text,
    }
    entry = {"type": "object", "required": list(properties), "properties": properties}
    return {
        "type": "object",
        "required": ["version", "models"],
        "properties": {
            "version": {"const": VERSION},
            "models": {"type": "array", "items": entry},
        },
    }
