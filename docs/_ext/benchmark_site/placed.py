"""Where models stand, remembered for every target whose results did not change.

Pages about all targets (the first page, the heat map, the list of models) need the ranking of each
of them, although most changes concern one.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import cache

from pydantic import TypeAdapter

from benchmark_site.content import Board, Content
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.team import Team
from common.reports.summary import Standings
from common.reports.summary.outcomes import Key
from common.reports.summary.standings import PairDifferences
from common.results.tally import VerdictCounts


@dataclass(frozen=True)
class Placed:
    """What a board tells of its models, as JSON can hold it.

    Args:
        standings: without differences
        pairs: models that are compared, which of them are told apart, and how surely they differ, row
            by row; None: nothing can be told
        positions: model, its place by the share of passed cells, and why it has none
        tallies: model -> test -> verdicts
    """

    standings: Standings
    pairs: tuple[tuple[Key, ...], list[list[bool]], list[list[float]]] | None
    positions: tuple[tuple[str, int | None, str], ...]
    tallies: dict[str, dict[str, VerdictCounts]]


def place(content: Content, memory: Memory, inputs: Inputs, workers: int) -> None:
    """Give each board its rankings: the remembered ones, or new ones, which are remembered.

    Args:
        content: its boards
        memory: what was remembered last time
        inputs: what rankings are made from
        workers: so many rankings are made at the same time
    """
    boards = {
        f"{target}/{board.name}: ranking": (board, digest(inputs.of_board(board)))
        for target, parts in content.boards.items()
        for board in parts
    }
    new = [name for name, (_, key) in boards.items() if memory.recall(name, key) is None]
    if new:
        importlib.import_module("scipy.special")  # once, before processes that need it begin
    with Team(memory, min(workers, len(new))) as team:
        for name in new:
            board, key = boards[name]
            team.begin(lambda notes, n=name, k=key, b=board: notes.keep(n, k, _dump(b)))
        for name in boards.keys() - new:  # meanwhile
            _give(boards[name][0], memory.content(name))
    for name in new:
        _give(boards[name][0], memory.content(name))


@cache
def _adapter() -> TypeAdapter[Placed]:
    return TypeAdapter(Placed)


def _dump(board: Board) -> str:
    standings = board.standings
    lines = tuple(
        line._replace(families=dict(line.families), tests=dict(line.tests))
        for line in standings.lines
    )
    pairs = standings.differences
    placed = Placed(
        replace(standings, lines=lines, differences={}),
        (pairs.models, pairs.apart.tolist(), pairs.p.tolist())
        if isinstance(pairs, PairDifferences)
        else None,
        tuple(board.positions),
        board.tallies,
    )
    return _adapter().dump_json(placed).decode()


def _give(board: Board, remembered: str) -> None:
    placed = _adapter().validate_json(remembered)
    differences = PairDifferences(*placed.pairs) if placed.pairs else {}
    board.standings = replace(placed.standings, differences=differences)
    board.positions = list(placed.positions)
    board.tallies = placed.tallies
