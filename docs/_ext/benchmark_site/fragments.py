"""What the page of a test shows of each model, remembered under the hash of what it is made from.

One more model gives the page of every test one more column. All other columns, with their cells as
HTML and their worst groups, lie in the cache: a file for each board and test, with a checksum. What
cannot be read, was altered, or was made from something else is made again from rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from benchmark_site.cells import Sure
from benchmark_site.columns import Drawn, Facts, Lines, Look, ScoreColumn
from benchmark_site.content import Board, Content
from benchmark_site.group_records import Comparison, Gap, GroupsInBrief
from benchmark_site.page import slug
from benchmark_site.scores import Columns
from common.core import files
from common.core.documents import parse_json
from common.reports.summary import Key, ModelColumn

SUFFIX = ".json"


class Fragments:
    """What the pages of tests show of each model.

    Args:
        folder: where it is remembered
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._lines: dict[Path, dict[str, str]] = {}

    def give(self, board: Board, test: str, keys: Mapping[str, str]) -> None:
        """Give a board what is remembered of its models in a test.

        Args:
            board: own results that may be compared
            test: the test
            keys: id of a model -> hash of what it is made from
        """
        path = self._file(board, test)
        lines = self._lines.setdefault(path, {})
        for line in _read(path):
            try:
                model, key, entries, groups = parse_json(line)
                if keys.get(model) != key:
                    continue
                columns, brief = _columns(board, model, test, entries), _brief(groups)
            except (LookupError, TypeError, ValueError):
                continue  # it is not what was written here, and made again
            board.scores.give(model, test, columns)
            board.groups.give(model, test, brief)
            lines[model] = line

    def keep(self, board: Board, test: str, keys: Mapping[str, str]) -> None:
        """Remember what a page shows, after it was made; as :meth:`give`."""
        path = self._file(board, test)
        before = self._lines.pop(path, {})
        lines = []
        for model, key in keys.items():
            columns = board.scores.columns(model, test)
            is_same = all(
                column.is_remembered for part in columns.values() for column in part.values()
            )
            if model not in before or not is_same:
                brief = board.groups.brief(model, test)
                groups = None if brief is None else asdict(brief)
                before[model] = _dump([model, key, _plain(columns), groups])
            lines.append(before[model])
        body = "\n".join(lines)
        files.clear_way(path, folders=3)
        files.write_text(path, f"{_sum(body)}\n{body}")

    def remove_others(self, content: Content) -> None:
        """Remove what belongs to no test any more."""
        paths = {
            self._file(board, test)
            for boards in content.boards.values()
            for board in boards
            for test in board.tests
        }
        for path in sorted(self._folder.rglob(f"*{SUFFIX}")):
            if path not in paths:
                path.unlink()

    def _file(self, board: Board, test: str) -> Path:
        return self._folder / slug(board.target) / board.name / f"{slug(test)}{SUFFIX}"


def _read(path: Path) -> list[str]:
    """A line for each model; none if they cannot be read or were altered."""
    try:
        checksum, _, body = path.read_text("utf-8").partition("\n")
        if checksum == _sum(body):
            return body.split("\n") if body else []
    except (OSError, ValueError):
        pass  # they are made again
    return []


def _dump(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _plain(columns: Columns) -> list[list[Any]]:
    """Columns as JSON can hold them."""
    return [
        [owner, metric, column.facts, column.drawn]
        for owner, part in columns.items()
        for metric, column in part.items()
    ]


def _columns(board: Board, model: str, test: str, entries: Iterable[Sequence[Any]]) -> Columns:
    columns: Columns = {}
    for name, metric, facts, drawn in entries:
        owner = ModelColumn(*name)
        scores = partial(board.scores.scores_of, model, test, owner, metric)
        column = ScoreColumn(_facts(*facts), scores, _drawn(drawn))
        columns.setdefault(owner, {})[metric] = column
    return columns


def _facts(
    lines: Sequence[Any],
    values: Sequence[float],
    verdicts: str,
    digits: int,
    rules: Iterable[Sequence[Any]],
    judged: Iterable[Sequence[Any]],
    reasons: Mapping[str, int],
    sure: Sequence[int],
) -> Facts:
    """Facts of what JSON holds of them."""
    keys, datasets, sizes = lines
    return Facts(
        Lines(tuple(map(Key._make, keys)), tuple(datasets), tuple(sizes)),
        tuple(values),
        verdicts,
        digits,
        tuple((criterion, reference) for criterion, reference in rules),
        tuple((criterion, reference) for criterion, reference in judged),
        reasons,
        Sure(*sure),
    )


def _drawn(entry: Sequence[Any] | None) -> Drawn | None:
    if entry is None:
        return None
    (digits, n, letters), html = entry
    return Drawn(Look(digits, n, tuple((reason, letter) for reason, letter in letters)), html)


def _brief(entry: Mapping[str, Any] | None) -> GroupsInBrief | None:
    if entry is None:
        return None
    return GroupsInBrief(
        Comparison(**entry["first"]),
        tuple(Gap(**gap) for gap in entry["gaps"]),
        entry["pairs"],
        entry["tested"],
    )
