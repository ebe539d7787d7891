"""What pages and downloads were made from, so that unchanged ones are not made again.

A page of a test or of a model is known by what it shows: code and templates, the files of its
results, and where its models stand. A change in one test of one model leaves the pages of all other
tests and models alone; so does a model that was added, which no page of another model shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark_site.content import Board, Content
from benchmark_site.naming import absent
from benchmark_site.sources import Model
from common.core import files, paths
from common.core.mirror import contents, stats
from common.core.paths import COST, SEVERITY, SUMS, TABLES, VERSIONS
from common.pages import identity
from common.pages.own import FOLDER as OWN
from common.results.sample_tables import INDEX

if TYPE_CHECKING:
    from benchmark_site.comparison import Plan

#: folders whose content decides about the pages of all targets, besides the code that makes them
SHOWN = (paths.DOCS / "_templates" / "pages", paths.PUBLISHED)


class Inputs:
    """What pages are made from, as text that can be hashed.

    Args:
        content: what the pages show
    """

    def __init__(self, content: Content):
        self.content = content
        self._results = [list(entry) for entry in content.files]
        self._media = stats(content.paths.media)
        self._below, self._media_below = _by_target(self._results), _by_target(self._media)
        self._of_models = by_model([*self._results, *self._media])
        self._keys: dict[str, str] = {}

    @cached_property
    def common(self) -> str:
        """Hash of what decides about all pages of results."""
        content = self.content
        return digest(
            [
                identity.results_code(),
                [contents(folder) for folder in SHOWN],
                repr(content.benchmark),
                sorted(content.method_pages),
            ]
        )

    def key(self, target: str) -> str:
        """Hash of what all pages of a target are made from."""
        if target not in self._keys:
            media = [*self._media_below.get(target, []), *self._tables(target)]
            truths = self._media_below.get(OWN, [])
            parts = [*self.of_ranking(target), self._structure, media, truths]
            self._keys[target] = digest(parts)
        return self._keys[target]

    @cached_property
    def _structure(self) -> list[Any]:
        """Which models and tests there are."""
        return [
            [other, [model.slug for model in self.content.models(other)], [b.tests for b in boards]]
            for other, boards in self.content.boards.items()
        ]

    def of_ranking(self, target: str) -> list[Any]:
        """What the rankings of a target are made from."""
        return [self.common, self._below.get(target, []), self._people, self._stale(target)]

    def of_board(self, board: Board) -> list[Any]:
        """What the ranking of a board is made from; published results do not change."""
        return [self.common] if board.published else self.of_ranking(board.target)

    def of_test(self, target: str, test: str) -> list[Any]:
        """What the page of a test is made from."""
        boards = [board for board in self.content.boards[target] if test in board.tests]
        return [
            self.common,
            [
                other
                for other, parts in self.content.boards.items()
                if any(test in board.tests for board in parts)
            ],
            [self._board(board, test) for board in boards],
            self._people,
            *self._of_test(target, test),
            [entry for entry in self._stale(target) if entry[2] == test],
        ]

    def _of_test(self, target: str, test: str) -> list[list[Any]]:
        """Files of results and media that a page of a test shows."""
        return [
            [entry for entry, place in shown.get(target, []) if _concerns(place, test)]
            for shown in self._shown
        ]

    @cached_property
    def _shown(self) -> list[dict[str, list[tuple[list[Any], str]]]]:
        """Files of results and media by target, and their places below its folder."""
        return [
            {
                target: [
                    (entry, place)
                    for entry in entries
                    if not {SUMS, VERSIONS} & set((place := _inner(entry)).split("/"))
                ]
                for target, entries in below.items()
            }
            for below in (self._below, self._media_below)
        ]

    def of_columns(self, board: Board, test: str) -> dict[str, str]:
        """Model -> hash of what its column on the page of a test is made from, whoever stands beside it."""
        target = board.target
        files, media = (by_model(entries) for entries in self._of_test(target, test))
        stale: dict[str, list[Any]] = {}
        for entry in self._stale(target):
            if entry[2] == test:
                stale.setdefault(entry[1], []).append(entry)
        # rows in the folder of another name may be of any model
        models = self.content.models(target)
        strangers = files.keys() - {(target, m.id) for m in models if not m.published}
        others = [files[place] for place in sorted(strangers)]
        common = [self.common, target, board.name, test, self._heard.get(target, []), others]
        return {
            model.id: digest(
                [
                    *common,
                    [model.id, model.published, test in model.traced],
                    [part.get((target, model.id), []) for part in (files, media)],
                    stale.get(model.id, []),
                ]
            )
            for model in board.models
        }

    def media_of(self, target: str) -> list[list[Any]]:
        """Figures and other media of own models for a target."""
        return self._media_below.get(target, [])

    def of_sums(self, target: str, test: str) -> list[Any]:
        """What the sums of a test are made from."""
        here = self._below.get(target, [])
        return [self.common, [entry for entry in here if _concerns(_inner(entry), test)]]

    def of_rows(self, target: str, model: Model) -> list[Any]:
        """What the rows of a model for a target are made from."""
        return [self.common, self._rows_of(target, model)]

    def of_model(self, target: str, model: Model) -> list[Any]:
        """What the page of a model is made from."""
        standing = [
            [board.name, repr(board.standing(model)), str(board.standings.floor_score)]
            for board in self.content.boards_of(target, model)
        ]
        return [self.of_model_alone(target, model), standing]

    def of_model_alone(self, target: str, model: Model) -> list[Any]:
        """The same without where it stands among others."""
        return [
            self.common,
            _model(model),
            self._targets_of[model.id],
            [
                [board.name, board.title, absent(self.content, board.absent.get(model.id, {}))]
                for board in self.content.boards_of(target, model)
            ],
            self._rows_of(target, model),
            [] if model.published else [self._heard.get(target, []), self._curves.get(target, [])],
        ]

    @cached_property
    def _targets_of(self) -> dict[str, list[tuple[str, bool]]]:
        """Id of a model -> the targets that it has results for, and whether these are published."""
        targets: dict[str, list[tuple[str, bool]]] = {}
        for target in self.content.boards:
            for model in self.content.models(target):
                targets.setdefault(model.id, []).append((target, model.published))
        return targets

    @cached_property
    def _curves(self) -> dict[str, list[Any]]:
        """Target -> levels of all its models, which have one axis."""
        return {
            target: [entry for entry in here if SEVERITY in str(entry[0]).split("/")]
            for target, here in self._below.items()
        }

    @cached_property
    def _heard(self) -> dict[str, list[Any]]:
        """Target -> datasets with samples that can be heard."""
        return {
            target: [entry for entry in here if entry[0] == f"{target}/{INDEX}"]
            for target, here in self._media_below.items()
        }

    def of_samples(self, target: str, models: Iterable[Model]) -> list[Any]:
        """What the page with the samples of a target is made from."""
        boards = [board for board in self.content.boards[target] if not board.published]
        columns = [board.table[["dataset", "test", "data"]].drop_duplicates() for board in boards]
        return [
            *(self.common, [_model(model) for model in models]),
            [
                [board.name, board.tests, rows.to_numpy().tolist()]
                for board, rows in zip(boards, columns, strict=True)
            ],
            self._tables(target),
            self._heard.get(target, []),
        ]

    def _tables(self, target: str) -> list[Any]:
        """Samples behind the cells of a target."""
        tables = self._media_below.get(TABLES, [])
        return [entry for entry in tables if str(entry[0]).startswith(f"{TABLES}/{target}/")]

    def of_card(self, model: Model) -> list[Any]:
        """What the model card with the results for all targets is made from."""
        return [
            [
                *(self.common, _model(model), self._rows_of(target, model)),
                [
                    [board.title, str(board.score(model)), str(board.standings.floor_score)]
                    for board in self.content.boards_of(target, model)
                ],
            ]
            for target in self.content.boards
        ]

    def of_comparison(self, target: str, plan: Plan) -> list[Any]:
        """What a comparison is made from; scores of a ranking depend on all its models."""
        return [
            self.common,
            [[board.name, board.tests, _model(model)] for board, model in plan.models],
            [self._rows_of(target, model) for _, model in plan.models],
            None if plan.shared else _ranked(plan),
        ]

    def _rows_of(self, target: str, model: Model) -> list[Any]:
        """Files of an own model for a target, and what is stale in them."""
        if model.published:
            return []
        lines = self._of_models.get((target, model.id), [])
        return [lines, [entry for entry in self._stale(target) if entry[1] == model.id]]

    def _board(self, board: Board, test: str) -> list[Any]:
        lacks = {m: absent(self.content, reasons, test) for m, reasons in board.absent.items()}
        models = [_model(line.model, test) for line in board.ranking]
        return [board.name, board.title, models, lacks, len(board.models)]

    @cached_property
    def _people(self) -> list[Any]:
        return [e for e in self._results if "/" not in str(e[0]) and e[0] != COST]

    def _stale(self, target: str) -> list[list[Any]]:
        return [
            [*key, list(why["reasons"]), list(why["conditions"])]
            for key, why in self.content.stale.items()
            if key.target == target
        ]


class Memory:
    """Remembers for each page and download what it was made from.

    Args:
        file: where to remember
    """

    def __init__(self, file: Path):
        self._file = file
        try:
            noted = json.loads(file.read_text("utf-8"))
            self._last: dict[str, Any] = noted if isinstance(noted, dict) else {}
        except (OSError, ValueError):
            self._last = {}
        file.unlink(missing_ok=True)
        self._now: dict[str, Any] = {}

    def recall(self, name: str, key: str) -> Any:
        """What was remembered under a name with this key; None if there is nothing."""
        entry = self._last.get(name)
        if not isinstance(entry, dict) or entry.get("key") != key:
            return None
        self._now[name] = entry
        return entry.get("content")

    def before(self, name: str) -> Any:
        """What was remembered under a name last time, whatever it was made from; None if there is nothing."""
        entry = self._last.get(name)
        return entry.get("content") if isinstance(entry, dict) else None

    def content(self, name: str) -> Any:
        """What was used or made this time under a name."""
        return self._now[name]["content"]

    def carry(self, name: str) -> None:
        """Go on remembering what is below a name that need not be looked at."""
        if name in self._last:
            self._now[name] = self._last[name]

    def keep(self, name: str, key: str, content: Any) -> None:
        """Remember something under a name."""
        self._now[name] = {"key": key, "content": content}

    def branch(self) -> Memory:
        """A memory of the same past, whose notes can be added to this one."""
        branch = object.__new__(type(self))
        branch._file, branch._last, branch._now = self._file, self._last, {}
        return branch

    @property
    def notes(self) -> dict[str, Any]:
        """What was used or made this time."""
        return self._now

    def join(self, notes: dict[str, Any]) -> None:
        """Add the notes of a branch."""
        self._now |= notes

    def write(self) -> None:
        """Write what was used or made this time; called when everything is written."""
        files.write_text(self._file, json.dumps(dict(sorted(self._now.items()))))


def _ranked(plan: Plan) -> list[Any]:
    """What a comparison takes from the ranking of its models."""
    standings, keys = plan.standings, {line.key for line in plan.lines if line}
    return [
        *(repr(plan.lines), standings.cells, len(standings.compared), standings.reason),
        [
            [*pair, repr(difference)]
            for pair in permutations(sorted(keys), 2)
            if (difference := standings.differences.get(pair))
        ],
    ]


def by_model(entries: Iterable[list[Any]]) -> dict[tuple[str, str], list[list[Any]]]:
    """Files by target and model.

    >>> by_model([["arousal/cnn/correctness.csv", "aa"], ["human.csv", "bb"]])
    {('arousal', 'cnn'): [['arousal/cnn/correctness.csv', 'aa']]}
    """
    groups: dict[tuple[str, str], list[list[Any]]] = {}
    for entry in entries:
        parts = str(entry[0]).split("/")
        if len(parts) > 2:
            groups.setdefault((parts[0], parts[1]), []).append(entry)
    return groups


def digest(content: Any) -> str:
    """Hash of what JSON can hold."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _model(model: Model, *tests: str) -> list[Any]:
    """A model; of the tests that its manifest has cells of, only some where they are named."""
    traced = model.traced.intersection(tests) if tests else model.traced
    facts = [] if tests else [list(model.facts), dict(model.not_run)]
    return [model.id, model.label, model.chance, model.published, facts, sorted(traced)]


def _by_target(entries: Iterable[list[Any]]) -> dict[str, list[list[Any]]]:
    """Files by the folder of their target."""
    groups: dict[str, list[list[Any]]] = {}
    for entry in entries:
        groups.setdefault(str(entry[0]).partition("/")[0], []).append(entry)
    return groups


def _inner(entry: Iterable[str | int]) -> str:
    """Place of a file below the folder of its target."""
    return str(next(iter(entry))).partition("/")[2]


def _concerns(place: str, test: str) -> bool:
    """Whether a file below a target lies right in its folder, or belongs to a test.

    >>> _concerns("cnn/fairness_sex.csv", "fairness_sex"), _concerns("index.json", "any")
    (True, True)
    >>> _concerns("cnn/manifest.json", "fairness_sex")
    False
    """
    return "/" not in place or test in place
