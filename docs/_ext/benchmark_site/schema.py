"""What the downloads of the site hold, for programs."""

from __future__ import annotations

from typing import Any

from benchmark_site.download_rows import MORE, SOURCES, VERSION
from common.results import COLUMNS, COUNTS, NUMBERS, STATUSES

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
#: files of all rows of a target, and of all models, by what the schema calls them
ROWS, MODELS = "rows.json", "models.json"


def schema() -> dict[str, Any]:
    """JSON Schema of ``rows.json`` and ``models.json``, and the columns of the CSV files."""
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
            ROWS: {
                "description": "result rows of a target by column; text columns hold places in 'texts'",
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
            MODELS: _models_schema(),
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
