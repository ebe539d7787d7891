"""What the page of a test shows of each model, remembered under the hash of what it is made from.

One more model gives the page of every test one more column. All other columns, with their cells as
HTML and their worst groups, lie in the cache: a file for each board and test, with a checksum. Its first
line is the checksum, the second holds what cells are about, which most models share, and then comes a line
for each model. What cannot be read, was altered, or was made from something else is made again from rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
from common.core.documents import compact_json, parse_json
from common.reports.summary import Key, ModelColumn

SUFFIX = ".json"


@dataclass
class _Remembered:
    """What is remembered of the models of a test and still true.

    Args:
        shared: what cells are about, in the order of their numbers
        texts: id of a model -> its line of the file
        numbers: id of a model -> numbers of what its cells are about
    """

    shared: list[Lines] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, set[int]] = field(default_factory=dict)


class Fragments:
    """What the pages of tests show of each model.

    Args:
        folder: where it is remembered
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._remembered: dict[Path, _Remembered] = {}

    def give(self, board: Board, test: str, keys: Mapping[str, str]) -> None:
        """Give a board what is remembered of its models in a test.

        Args:
            board: own results that may be compared
            test: the test
            keys: id of a model -> hash of what it is made from
        """
        path = self._file(board, test)
        last = self._remembered.setdefault(path, _Remembered())
        head, *lines = _read(path) or ["[]"]
        try:
            last.shared = [_lines(*entry) for entry in parse_json(head)]
        except (TypeError, ValueError):
            return  # it is not what was written here, and made again
        for line in lines:
            try:
                model, key, entries, groups = parse_json(line)
                if keys.get(model) != key:
                    continue
                columns, brief = _columns(board, model, test, entries, last.shared), _brief(groups)
                numbers = {facts[0] for _, _, facts, _ in entries}
            except (LookupError, TypeError, ValueError):
                continue  # as above
            board.scores.give(model, test, columns)
            board.groups.give(model, test, brief)
            last.texts[model], last.numbers[model] = line, numbers

    def keep(self, board: Board, test: str, keys: Mapping[str, str]) -> None:
        """Remember what a page shows, after it was made; as :meth:`give`."""
        path = self._file(board, test)
        before = self._remembered.pop(path, _Remembered())
        parts = {model: board.scores.columns(model, test) for model in keys}
        same = {
            model
            for model in before.texts.keys() & parts.keys()
            if all(c.is_remembered for part in parts[model].values() for c in part.values())
        }
        if set().union(*(before.numbers[model] for model in same)) != set(
            range(len(before.shared))
        ):
            before, same = _Remembered(), set()  # nobody shares some of it any more: numbers change
        places = {lines: place for place, lines in enumerate(before.shared)}
        texts = [
            before.texts[model]
            if model in same
            else compact_json(
                [model, key, _plain(parts[model], places), _brief_of(board, model, test)]
            )
            for model, key in keys.items()
        ]
        body = "\n".join([compact_json(list(places)), *texts])
        files.clear_way(path, folders=3)
        files.write_over(path, f"{_sum(body)}\n{body}".encode())

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
    """Lines below the checksum; none if they cannot be read or were altered."""
    try:
        checksum, _, body = path.read_text("utf-8").partition("\n")
        if checksum == _sum(body):
            return body.split("\n") if body else []
    except (OSError, ValueError):
        pass  # they are made again
    return []


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _plain(columns: Columns, places: dict[Lines, int]) -> list[list[Any]]:
    """Columns as JSON can hold them, with numbers of what their cells are about.

    Args:
        columns: of a model
        places: numbers; gets those that are new
    """
    return [
        [
            owner,
            metric,
            [places.setdefault(column.facts.lines, len(places)), *column.facts[1:]],
            column.drawn,
        ]
        for owner, part in columns.items()
        for metric, column in part.items()
    ]


def _columns(
    board: Board,
    model: str,
    test: str,
    entries: Iterable[Sequence[Any]],
    shared: Sequence[Lines],
) -> Columns:
    columns: Columns = {}
    for name, metric, (number, *facts), drawn in entries:
        owner = ModelColumn(*name)
        scores = partial(board.scores.scores_of, model, test, owner, metric)
        column = ScoreColumn(_facts(_shared(shared, number), *facts), scores, _drawn(drawn))
        columns.setdefault(owner, {})[metric] = column
    return columns


def _shared(shared: Sequence[Lines], number: int) -> Lines:
    if number < 0:
        raise LookupError(number)
    return shared[number]


def _lines(
    keys: Iterable[Sequence[str]], datasets: Iterable[str], sizes: Iterable[int | None]
) -> Lines:
    return Lines(tuple(map(Key._make, keys)), tuple(datasets), tuple(sizes))


def _facts(
    lines: Lines,
    values: Sequence[float],
    verdicts: str,
    digits: int,
    rules: Iterable[Sequence[Any]],
    judged: Iterable[Sequence[Any]],
    reasons: Mapping[str, int],
    sure: Sequence[int],
) -> Facts:
    """Facts of what JSON holds of them."""
    return Facts(
        lines,
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


def _brief_of(board: Board, model: str, test: str) -> dict[str, Any] | None:
    """Groups of a model as JSON can hold them."""
    brief = board.groups.brief(model, test)
    return None if brief is None else asdict(brief)


def _brief(entry: Mapping[str, Any] | None) -> GroupsInBrief | None:
    if entry is None:
        return None
    return GroupsInBrief(
        Comparison(**entry["first"]),
        tuple(Gap(**gap) for gap in entry["gaps"]),
        entry["pairs"],
        entry["tested"],
    )
