"""All cells of a target as a script, with which pages compute scores again in the browser.

A page that was opened from a disk may load scripts but no data, so each file sets an entry of one
global: ``cellsOfTarget[target]``. Pages load it only when a reader filters, weighs or compares.
Names stand once in lists; cells are columns of places in these lists, and of each model there
are as many numbers and letters as its board has cells. ``docs/reference/result_files.rst``
describes the layout.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmark_site import axes, glossary
from benchmark_site.content import Board, Content
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.naming import dataset_names, metric_names
from benchmark_site.page import Page, slug
from benchmark_site.render import model_doc, target_doc, test_doc
from benchmark_site.sources import Model
from common.core import files
from common.core.documents import compact_json
from common.reports.summary import Key
from common.reports.summary.outcomes import CELL, Outcomes
from common.reports.summary.wide import OWNER

FORMAT = 1
FOLDER = "cells"
LANGUAGES = Path(__file__).with_name("languages.json")
#: code and name of a language that is not stated
UNKNOWN, NOT_STATED = "other", "not stated"
#: letter of a status
STATUS = {"pass": "p", "fail": "f", "skip": "s", "error": "e"}
#: columns with numbers of a score
SHOWN = ("value", "ci_low", "ci_high", "p_value", "n")
#: letters of what counts for a score: passed, not passed, without a verdict, not run
PASSED, FAILED, UNSCORED, AWAY = "1", "0", "n", "."
#: digits of intervals and p values, which are shown and never judged
DIGITS = 6


def file_of(target: str) -> str:
    """Script with the cells of a target, below the top of the site."""
    return f"{FOLDER}/{slug(target)}.js"


def write(content: Content, target: str, site: Path, memory: Memory, inputs: Inputs) -> None:
    """Write the script of a target where something in it changed.

    Args:
        content: what the pages show
        target: the target
        site: folder of the finished site
        memory: what the script was made from last time
        inputs: what it is made from
    """
    path = site / file_of(target)
    key = digest([inputs.key(target), LANGUAGES.read_text("utf-8")])
    if not (memory.recall(file_of(target), key) and path.exists()):
        files.write_text(path, script(content, target), only_changed=True)
        memory.keep(file_of(target), key, True)


def remove_others(content: Content, site: Path) -> None:
    """Remove scripts that belong to no target any more."""
    names = {file_of(target) for target in content.boards}
    for path in sorted((site / FOLDER).glob("*")):
        if path.relative_to(site).as_posix() not in names:
            path.unlink()


def script(content: Content, target: str) -> str:
    """Text of the script of a target."""
    return as_script("cellsOfTarget", target, cells(content, target))


def as_script(name: str, key: str, data: Any) -> str:
    r"""Script that sets an entry of a global variable.

    >>> as_script("cellsOfTarget", "arousal", {"n": [1, "<"]})
    '(window.cellsOfTarget??={})["arousal"]={"n":[1,"\\u003c"]};\n'
    """
    text = compact_json(data)
    # an infinite score is a number in a script, and nothing in a script may end it
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"(window.{name}??={{}})[{json.dumps(key)}]={safe};\n"


def places_of(table: pd.DataFrame) -> dict[tuple[Hashable, ...], int]:
    """Place of each cell of a board in the scripts."""
    return {key: place for place, key in enumerate(dict.fromkeys(_keys(table)))}


def _keys(table: pd.DataFrame) -> Iterator[tuple[Hashable, ...]]:
    """Cell of each row."""
    return zip(*(table[name].tolist() for name in CELL), strict=True)


class Names:
    """List of names, each once, in the order in which they came."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def places_of(self, names: Iterable[Any]) -> list[int]:
        """Place of each name in the list."""
        return [self.places.setdefault(str(name), len(self.places)) for name in names]


def cells(content: Content, target: str) -> dict[str, Any]:
    """All cells of a target as lists, numbers and text."""
    lists = {name: Names() for name in ("test", "dataset", "metric", "data", "condition", "label")}
    lists |= {name: Names() for name in ("criterion", "bound", "language", "reason")}
    boards = [_board(content, board, lists) for board in content.boards[target]]
    return {
        "format": FORMAT,
        "target": target,
        "label": content.label(target),
        "href": f"{target_doc(target)}.html",
        "tests": [
            {
                "id": test,
                "title": content.tests[test].title,
                "family": content.tests[test].family,
                "href": f"{test_doc(target, test)}.html",
            }
            for test in lists.pop("test").places
        ],
        "datasets": [
            {"id": name, "label": label}
            for name, label in dataset_names(content, lists.pop("dataset").places).items()
        ],
        "metrics": [_metric(content, name) for name in lists.pop("metric").places],
        "languages": [
            {"id": code, "label": languages()["names"].get(code, NOT_STATED)}
            for code in lists.pop("language").places
        ],
        "names": {name: list(entries.places) for name, entries in lists.items()},
        "boards": boards,
    }


def _metric(content: Content, name: str) -> dict[str, Any]:
    """Names of a metric, what has the same axis, what it means, and where more stands."""
    label, short = metric_names(name)
    kinds = [axes.kind(name, is_two_sided) for is_two_sided in (False, True)]
    term = glossary.term(content, Page("index", ""), name)
    hint = {"hint": term.text, "href": term.href} if term and term.href else {}
    return {"id": name, "label": label, "short": short, "kinds": kinds, **hint}


@cache
def languages() -> dict[str, dict[str, str]]:
    """Names of languages, other codes for them, and the language of datasets that have one."""
    content: dict[str, dict[str, str]] = json.loads(LANGUAGES.read_text("utf-8"))
    return content


def language_of(dataset: str, data: str) -> str:
    """Code of the language of a cell; :data:`UNKNOWN` if nobody states it.

    A dataset of several languages names the language at the end of the label of the data.

    >>> language_of("voices", "voices-1.0.0-deu"), language_of("voices", "voices-1.0.0-all")
    ('de', 'other')
    """
    tables = languages()
    if dataset in tables["datasets"]:
        return tables["datasets"][dataset]
    last = data.rpartition("-")[2]
    code = tables["codes"].get(last, last)
    return code if code in tables["names"] else UNKNOWN


@cache
def with_language(group: str) -> str:
    """Name of a group; the code of a language stands behind its name.

    >>> with_language("deu"), with_language("male")
    ('German (deu)', 'male')
    """
    tables = languages()
    name = tables["names"].get(tables["codes"].get(group, group))
    return f"{name} ({group})" if name else group


def _board(content: Content, board: Board, lists: Mapping[str, Names]) -> dict[str, Any]:
    """Cells and models of a board."""
    table = board.table
    cell_of_row = _numbered(table, CELL)
    rows = table.iloc[np.unique(cell_of_row, return_index=True)[1]]
    places = places_of(rows)
    columns = {name: lists[name].places_of(rows[name].tolist()) for name in CELL}
    columns |= {name: lists[name].places_of(rows[name].tolist()) for name in ("criterion", "bound")}
    pairs = zip(rows["dataset"].tolist(), rows["data"].tolist(), strict=True)
    columns["language"] = lists["language"].places_of(language_of(*pair) for pair in pairs)
    outcome_table = board.outcomes
    counted = (
        set() if outcome_table is None else {places[key] for key in outcome_table.passed.index}
    )
    models = {model.id: model for model in board.models}
    ran = {} if outcome_table is None else _ran(outcome_table, places)
    by_owner = _by_owner(table)
    scores = Scores(table, cell_of_row, columns["criterion"], lists)
    entries = [
        {
            **_model(board, models[key[0]], key),
            **scores.of_rows(own_rows),
            "ran": ran.get(key, AWAY * len(places)),
        }
        for key, own_rows in sorted(by_owner.items())
    ]
    order = {key: place for place, key in enumerate(sorted(by_owner))}
    return {
        "name": board.name,
        "title": board.title,
        "origin": "published" if board.published else "own",
        "cells": {
            **columns,
            "counts": "".join("01"[place in counted] for place in range(len(places))),
        },
        "models": entries,
        "floor": _fraction(board.standings.floor_score),
        "differences": [
            [order[one], order[other], round(pair.p, DIGITS), int(pair.apart)]
            for one, other in combinations(order, 2)
            if (pair := board.standings.differences.get((one, other)))
        ],
    }


def _ran(outcome_table: Outcomes, places: Mapping[tuple[Hashable, ...], int]) -> dict[Key, str]:
    """Of each model: a letter for each cell, what it made of it."""
    rows = [places[key] for key in outcome_table.passed.index]
    passed, verdicts = outcome_table.passed.to_numpy(), outcome_table.verdicts.to_numpy()
    of_judged = np.where(verdicts, np.where(passed > 0, PASSED, FAILED), UNSCORED)
    letters = np.full((len(places), len(outcome_table.models)), AWAY)
    letters[rows] = np.where(np.isnan(passed), AWAY, of_judged)
    return {
        key: "".join(column)
        for key, column in zip(outcome_table.models, letters.T.tolist(), strict=True)
    }


def _model(board: Board, model: Model, key: Key) -> dict[str, Any]:
    """A model, and where it stands in the ranking."""
    line = next((line for line in board.standings.lines if line.key == key), None)
    tally = board.tallies.get(model.id, {})
    return {
        "id": model.id,
        "version": key[1],
        "label": model.label,
        "chance": model.chance,
        "href": f"{model_doc(board.target, model)}.html",
        "executed": sum(part.executed for part in tally.values()),
        "skipped": sum(part.skipped for part in tally.values()),
        "standing": None
        if line is None
        else {
            **{"place": line.place, "tier": line.tier, "first": line.low, "last": line.high},
            **{"score": _fraction(line.score), "remark": line.remark},
        },
    }


def _numbered(table: pd.DataFrame, names: Iterable[str]) -> np.ndarray:
    """Number of the entries of some columns in each row, counted as they come."""
    numbers = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes, entries = pd.factorize(table[name], use_na_sentinel=False)
        numbers = pd.factorize(numbers * len(entries) + codes)[0]
    return numbers


def _by_owner(table: pd.DataFrame) -> dict[Key, np.ndarray]:
    """Model and version -> places of their rows."""
    numbers = _numbered(table, OWNER)
    order = np.argsort(numbers, kind="stable")
    bounds = np.flatnonzero(np.diff(numbers[order])) + 1
    groups = [rows for rows in np.split(order, bounds) if len(rows)]
    heads = table.iloc[[rows[0] for rows in groups]]
    owners = zip(*(heads[name].tolist() for name in OWNER), strict=True)
    return {
        (str(model), str(version)): rows
        for (model, version), rows in zip(owners, groups, strict=True)
    }


class Scores:
    """Scores of models: letters of verdicts, numbers, and criteria that are their own.

    What occurs in many rows becomes text once.

    Args:
        table: rows of a board
        cell_of_row: place of the cell of each row
        criteria: place of the criterion of each cell in the list of criteria
        lists: lists of names
    """

    def __init__(
        self,
        table: pd.DataFrame,
        cell_of_row: np.ndarray,
        criteria: Sequence[int],
        lists: Mapping[str, Names],
    ):
        self._cells, self._criteria, self._lists = cell_of_row, np.array(criteria), lists
        self._status = _mapped(table["status"], STATUS.__getitem__)
        self._numbers = {
            name: _mapped(table[name], lambda v, exact=name in ("value", "n"): _number(v, exact))
            for name in SHOWN
        }
        self._rules, names = pd.factorize(table["criterion"], use_na_sentinel=False)
        self._rule_names = np.array(names.tolist(), dtype=object)
        self._reasons = _mapped(table["reason"], lambda reason: reason)

    def of_rows(self, rows: np.ndarray) -> dict[str, Any]:
        """Scores of a model, whose rows are at some places."""
        cells, number = self._cells[rows], len(self._criteria)
        status = np.full(number, ".", dtype=object)
        status[cells] = self._status[rows]
        scores: dict[str, Any] = {"status": "".join(status)}
        for name, numbers in self._numbers.items():
            column = np.full(number, None, dtype=object)
            column[cells] = numbers[rows]
            values = column.tolist()
            if any(value is not None for value in values):
                scores[name] = values
        codes, names = pd.factorize(self._rules[rows])
        places = self._lists["criterion"].places_of(self._rule_names[names])
        rules = np.array(places, dtype=int)[codes]
        other = rules != self._criteria[cells]
        pairs = zip(cells[other].tolist(), rules[other].tolist(), strict=True)
        scores["criteria"] = {str(cell): rule for cell, rule in pairs}
        reasons = zip(cells.tolist(), self._reasons[rows], strict=True)
        scores["reasons"] = {
            str(cell): self._lists["reason"].places_of([reason])[0]
            for cell, reason in reasons
            if reason
        }
        return scores


def _mapped(column: pd.Series, change: Callable[[Any], Any]) -> np.ndarray:
    """Entries of a column, changed; None where there is none."""
    codes, entries = pd.factorize(column)
    changed = np.array([*map(change, entries.tolist()), None], dtype=object)
    return changed[codes]


def _number(value: float, exact: bool) -> float | int:
    number = float(value)
    if number.is_integer():
        return int(number)
    return number if exact or math.isinf(number) else float(f"{number:.{DIGITS}g}")


def _fraction(share: Fraction | None) -> str | None:
    """A share as text without loss."""
    return None if share is None else str(share)
