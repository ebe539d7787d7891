"""Everything that the pages show as files to download: ``data/``.

Values are in full precision. The layout is described in ``data/schema.json``; its version
changes when a reader of the old layout would fail.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmark_site import archive, costs, download_rows
from benchmark_site.content import Content
from benchmark_site.download_rows import HEAD, VERSION, Owner
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.page import slug
from benchmark_site.paper_models import BUILT
from benchmark_site.ranked import Ranked
from benchmark_site.render import model_doc
from benchmark_site.schema import MODELS, ROWS, STANDING, schema
from benchmark_site.sliced import NOWHERE, rows_at
from benchmark_site.sources import Model
from common.core import files
from common.core.documents import compact_json
from common.reports.summary.badge import badge
from common.reports.summary.card import Scored, card, records

TABLE, PARQUET, SCHEMA = "results.csv", "results.parquet", "schema.json"
FILES = (TABLE, PARQUET, MODELS, SCHEMA)


def rows_file(target: str, model: Model) -> str:
    """File with the rows of a model, below ``data/``."""
    return model_doc(target, model) + ".csv"


def overall(content: Content) -> tuple[str, ...]:
    """Files with all rows or models, those of each target last, below ``data/``."""
    present = set(content.table["target"].unique())
    return (*FILES, *(columns_file(target) for target in content.boards if target in present))


def columns_file(target: str) -> str:
    """File with all rows of a target by column, below ``data/``."""
    return f"results/{slug(target)}/{ROWS}"


def card_file(model: Model) -> str:
    """Model card with the results of a model for all targets, below ``data/``."""
    return f"cards/{'published' if model.published else 'model'}/{model.slug}.md"


def badge_file(target: str, model: Model) -> str:
    """Badge of a model for a target, below ``data/``."""
    return f"badges/{'published' if model.published else 'model'}/{slug(target)}/{model.slug}.svg"


def write_rows(content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
    """Write all rows as CSV, of each model where they changed, and of all.

    Where models stand in rankings need not be known.

    Args:
        content: what the pages show
        folder: where the files go
        memory: what rows were made from last time
        inputs: what they are made from
    """
    whole = b"".join([_line(HEAD), *_RowFiles(content, folder, memory, inputs).by_model()])
    files.write_bytes(folder / TABLE, whole, only_changed=True)


def write_columns(content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
    """Write rows of each target by column, and of all as parquet, where they changed.

    They are made one by one, so that no two are held together; arguments as of :func:`write_rows`.
    """
    _RowFiles(content, folder, memory, inputs).by_column()


def write(content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
    """Write what tells of models, but for badges; arguments as of :func:`write_rows`."""
    texts = {
        MODELS: _dump(_models(content)),
        SCHEMA: json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
        **costs.texts(content),
    }
    places = cache(lambda: download_rows.places(download_rows.stretches(content.table)))
    for target in content.boards:
        for model in content.models(target):
            name = card_file(model)
            if name not in texts:
                key = digest(inputs.of_card(model))
                text = _as_left(folder / name, memory.recall(name, key))
                texts[name] = text or _card(content, places(), model)
                memory.keep(name, key, digest(texts[name]))
    for name, text in texts.items():
        files.write_text(folder / name, text, only_changed=True)


def write_archive(content: Content, folder: Path, memory: Memory, inputs: Inputs) -> None:
    """Write the data set of the site, when what it consists of is there; arguments as of :func:`write_rows`."""
    rows = [inputs.of_ranking(target) for target in content.boards], content.files
    archive.write(folder, digest(rows), schema(), content.paths, memory)


def write_badges(content: Content, target: str, folder: Path) -> None:
    """Write the badges of a target that changed: pages show them, so they are there before pages are filled.

    Args:
        content: what the pages show
        target: the target
        folder: where the files go
    """
    for model in content.models(target):
        path, text = folder / badge_file(target, model), _badge(content, target, model)
        files.write_text(path, text, only_changed=True)


def remove_others(content: Content, folder: Path) -> None:
    """Remove files that are no longer made."""
    present = {*overall(content), *costs.FILES, archive.NAME}
    for target in content.boards:
        for model in content.models(target):
            present |= {rows_file(target, model), badge_file(target, model), card_file(model)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in present:
            path.unlink()


class _RowFiles:
    """Files that hold rows, and what decides about them; arguments as of :func:`write_rows`."""

    def __init__(self, content: Content, folder: Path, memory: Memory, inputs: Inputs):
        self._content, self._folder = content, folder
        self._memory, self._inputs = memory, inputs
        self._owned = download_rows.stretches(content.table)
        self._more = _astray(content, self._owned)

    def by_model(self) -> Iterator[bytes]:
        """Rows of each model as CSV, written where they changed and read where they did not; gives all in order."""
        owned, content = self._owned, self._content
        places, pieces = download_rows.places(owned), Counter(owner for owner, *_ in owned)
        texts: dict[Owner, bytes | list[str]] = {}
        for target in content.boards:
            for model in content.models(target):
                owner, path = _owner(target, model), self._folder / rows_file(target, model)
                name = f"{path.name}: rows of {'/'.join(owner)}"
                key = digest([self._inputs.of_rows(target, model), self._more])
                rows = places.get(owner, NOWHERE)
                is_same = self._memory.recall(name, key) and path.exists()
                text = path.read_bytes() if is_same else b""
                self._memory.keep(name, key, True)
                # a text with a line break takes more than one line
                if pieces[owner] == 1 and text.count(b"\n") == len(rows) + 1:
                    texts[owner] = text.partition(b"\n")[2]
                elif len(rows) or not text:
                    table = download_rows.table_of(rows_at(content.table, rows))
                    lines = texts[owner] = download_rows.csv_lines(table)
                    data = _line(HEAD[1:]) + "".join(lines).encode()
                    files.write_bytes(path, data, only_changed=True)
        return download_rows.in_order(owned, texts)

    def by_column(self) -> None:
        """Write rows by column where they changed: of each target for programs, and of all as parquet."""
        table = self._content.table
        present = set(table["target"].unique())
        targets = [target for target in self._content.boards if target in present]
        keys = {t: digest([self._inputs.of_ranking(t), self._more]) for t in targets}
        names = {columns_file(target): key for target, key in keys.items()}
        names[PARQUET] = digest(list(keys.values()))
        due = {name for name, key in names.items() if not self._is_there(name, key)}
        if due:
            whole = download_rows.table_of(table)
            for target in targets:
                if columns_file(target) in due:
                    rows = download_rows.of_target(whole, self._owned, target)
                    text = _dump(download_rows.columns_of(rows))
                    files.write_text(self._folder / columns_file(target), text, only_changed=True)
            if PARQUET in due:
                data = download_rows.parquet(whole)
                files.write_bytes(self._folder / PARQUET, data, only_changed=True)
        for name, key in names.items():
            self._memory.keep(name, key, True)

    def _is_there(self, name: str, key: str) -> bool:
        return bool(self._memory.recall(name, key)) and (self._folder / name).exists()


def _astray(content: Content, owned: Sequence[tuple[Owner, int, int]]) -> Sequence[Sequence[str]]:
    """All files of own results, if some hold rows of another model than that of their folder."""
    tables = (name.split("/") for name, _ in content.files if name.endswith(".csv"))
    folders = dict.fromkeys(tuple(parts[:2]) for parts in tables if len(parts) == 3)
    owners = [(owner.target, owner.model) for owner, *_ in owned if owner.source == "run"]
    return [] if list(folders) == owners else content.files


def _owner(target: str, model: Model) -> Owner:
    return Owner(_source(model), target, model.id)


def _source(model: Model) -> str:
    return "published" if model.published else "run"


def _dump(content: Any) -> str:
    return compact_json(content) + "\n"


def _line(head: Sequence[str]) -> bytes:
    return f"{','.join(head)}\n".encode()


def _as_left(path: Path, text_digest: str | None) -> str:
    """Text of a file; empty if it is not there, or has another hash."""
    if text_digest is None:
        return ""
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return ""
    return text if digest(text) == text_digest else ""


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


def _card(content: Content, places: Mapping[Owner, np.ndarray], model: Model) -> str:
    ranges = [places.get(_owner(target, model), NOWHERE) for target in content.boards]
    rows = [
        row
        for at in sorted(ranges, key=lambda at: at[:1].tolist())
        for row in records(rows_at(content.table, at))
    ]
    families = {test: facts.family for test, facts in content.tests.items()}
    manifests = [manifest for (_, name), manifest in content.manifests.items() if name == model.id]
    facts = manifests[0].model if manifests and not model.published else {}
    scores = [
        Scored(target, board.title, board.score(model), board.standings.floor_score)
        for target in content.boards
        for board in content.boards_of(target, model)
    ]
    targets = content.benchmark.targets
    built = [fact for fact in model.facts if model.published and fact[0] in BUILT]
    return card(model.label, rows, families, targets, facts=facts, scores=scores, built=built)


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
