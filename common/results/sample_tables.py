"""Files with the samples behind the cells of a target: what a run writes and pages read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common.core.documents import parse_json

FORMAT = 1
INDEX = "samples.json"
#: suffix of the picture of a sound
PICTURE = ".webp"
#: beginning of a table, before its name and its JSON
HEAD = "(window.samplesOf??={})"
#: numbers stand there in thousandths
SCALE = 1000


def index(datasets: Mapping[str, Mapping[str, Any]]) -> str:
    """Text of an index: ``silent`` (why there is no table) and ``tests`` of each dataset."""
    content = {"format": FORMAT, "datasets": datasets}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def read_index(path: Path) -> dict[str, Any]:
    """What an index says of each dataset; nothing if there is none or it is of another format."""
    try:
        content = parse_json(path.read_text("utf-8"))
        return dict(content["datasets"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def script(target: str, dataset: str, content: Mapping[str, Any]) -> str:
    """Text of a table: a script, because a page that was opened from a disk may load no data."""
    text = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    name = json.dumps(f"{target}/{dataset}").replace("<", "\\u003c")
    return f"{HEAD}[{name}]={safe};\n"


def read(path: Path) -> dict[str, Any]:
    """A table; nothing if there is none or it is of another format."""
    try:
        text = path.read_text("utf-8")
        content = parse_json(text[text.index("]=") + 2 :].rstrip().removesuffix(";"))
        return dict(content) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
