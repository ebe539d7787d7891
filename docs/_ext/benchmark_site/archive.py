"""The data set of the site as one archive: rows, criteria, manifests, published results.

The same content gives the same bytes: names are sorted, and every entry has the same date.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark_site.memory import Memory, digest
from common.core import files, paths
from common.core.archives import packed
from common.core.paths import Paths

NAME = "speechproof-data.zip"
#: downloads that are part of it: all rows, and small ones
ROWS = "results.csv"
TABLES = ("models.json", "cost.csv", "schema.json")
#: folder that all entries lie in
ROOT = "speechproof-data"
#: rows are so much alike that the default level takes three times as long for a fifth less
LEVEL = 3
ABOUT = """# Data of the speechproof website

All numbers that the website shows, in full precision.

| file | content |
|---|---|
| `results.csv` | all result rows; columns below |
| `models.json` | all models with their facts, scores and ranks |
| `cost.csv` | parameters and size of all models, and measured speed and memory |
| `schema.json` | JSON Schema of `models.json`, and the columns of `results.csv` |
| `criteria/` | what a score must reach, per target and test |
| `manifests/` | what own results were made from, per target and model |
| `published/` | results of the reference suite as they were published, with their own licence |
| `LICENSE` | licence of everything else |

An empty field means: no value. A share of passed cells is passed / (passed + failed).

## Licence

Everything but `published/` has the licence in `LICENSE` (MIT). `published/README.md` has the licence of the published
results, and the paper that is to be cited. No audio is part of this archive; each dataset keeps its own licence.

## Columns of `results.csv`

| column | meaning |
|---|---|
"""


def write(
    folder: Path, rows: str, schema: Mapping[str, Any], folders: Paths, memory: Memory
) -> None:
    """Write the archive where its content changed.

    Args:
        folder: where the other downloads lie and the archive goes
        rows: hash of what all rows, the largest file by far, were made from
        schema: what downloads hold, see :func:`benchmark_site.schema.schema`
        folders: where criteria and manifests lie
        memory: what it was made from last time
    """
    content = {
        **{name: (folder / name).read_bytes() for name in TABLES},
        "README.md": (ABOUT + _columns(schema)).encode(),
        "LICENSE": (paths.REPOSITORY / "LICENSE").read_bytes(),
        **_below(folders.method_tests, "*/*.csv", "criteria"),
        **_below(folders.method_tests, "*/*/manifest.json", "manifests"),
        **_below(paths.PUBLISHED, "*.csv", "published"),
        **_below(paths.PUBLISHED, "README.md", "published"),
        **_below(paths.PUBLISHED, "table6.json", "published"),
    }
    # several times as fast as SHA-256 where the processor does not compute that itself
    key = digest([rows, [[n, hashlib.blake2b(c).hexdigest()] for n, c in sorted(content.items())]])
    if not (memory.recall(NAME, key) and (folder / NAME).exists()):
        content[ROWS] = (folder / ROWS).read_bytes()
        files.write_bytes(folder / NAME, packed(content, ROOT, level=LEVEL), only_changed=True)
    memory.keep(NAME, key, True)


def _columns(schema: Mapping[str, Any]) -> str:
    columns: Mapping[str, str] = schema["csv"]["columns"]
    return "".join(
        f"| `{name}` | {meaning.replace('|', chr(92) + '|')} |\n"
        for name, meaning in columns.items()
    )


def _below(folder: Path, pattern: str, place: str) -> dict[str, bytes]:
    """Files of a folder by their name in the archive."""
    return {
        f"{place}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.glob(pattern)
        if path.is_file()
    }
