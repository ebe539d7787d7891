"""Where models stand, remembered for every target whose results did not change.

Pages about all targets (the first page, the heat map, the list of models) need the ranking of each
of them, although most changes concern one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

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


def place(
    content: Content,
    memory: Memory,
    inputs: Inputs,
    workers: int,
    *,
    then: Callable[[str, Memory], None] = lambda target, notes: None,
    meanwhile: Callable[[], None] = lambda: None,
) -> set[str]:
    """Give each board its rankings: the remembered ones, or new ones, which are remembered.

    Args:
        content: its boards
        memory: what was remembered last time
        inputs: what rankings are made from
        workers: rankings of so many targets are made at the same time
        then: what is best done where new rankings of a target were made; gets the target and a memory
        meanwhile: what needs no ranking

    Returns:
        targets with new rankings
    """
    keys = {
        target: {board.name: digest(inputs.of_board(board)) for board in boards}
        for target, boards in content.boards.items()
    }

    def rank(target: str, notes: Memory) -> None:
        for board in content.boards[target]:
            name, key = _name(board), keys[target][board.name]
            remembered = notes.recall(name, key)
            if remembered is None:
                notes.keep(name, key, _dump(board))
            else:
                _give(board, remembered)

    def rank_anew(target: str, notes: Memory) -> None:
        rank(target, notes)
        then(target, notes)

    new = [
        target
        for target, boards in content.boards.items()
        if any(memory.recall(_name(board), keys[target][board.name]) is None for board in boards)
    ]
    if new:
        importlib.import_module("scipy.special")  # once, before processes that need it begin
    with Team(memory, workers if new else 1) as team:
        team.begin(*(partial(rank_anew, target) for target in new))
        for target in content.boards.keys() - new:
            rank(target, memory)
        meanwhile()
    for target in new:
        for board in content.boards[target]:
            _give(board, memory.content(_name(board)))
    return set(new)


def _name(board: Board) -> str:
    """Name of its rankings in the memory."""
    return f"{board.target}/{board.name}: ranking"


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
