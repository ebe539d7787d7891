"""Scores of a board, put in order where they are looked at: of a model, or of all models in a test.

Rows become plain values where they are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from benchmark_site.cells import Sure, counted, total
from benchmark_site.columns import ScoreColumn, SideBySide, of_scores, side_by_side, split
from benchmark_site.sliced import Sliced, rows_at
from common.reports import summary
from common.reports.summary import Key, ModelColumn, Scores, WideCell
from common.reports.summary.wide import OWNER, USED, WideRow

#: test, metric and line of a cell -> its score
Cells = dict[tuple[str, str, Key], WideCell]
#: version of a model -> metric -> its column
Columns = dict[ModelColumn, dict[str, ScoreColumn]]


class BoardScores:
    """Scores of all models of a board.

    Args:
        table: result rows
        target: the target
        models: ids of the models in the order of columns
    """

    def __init__(self, table: pd.DataFrame, target: str, models: Sequence[str]):
        self._table, self._target, self._models = table, target, models
        self._by_model = Sliced(table, "model", USED)
        self._rows: dict[str, dict[str, list[WideRow]]] = {}
        self._first: dict[str, tuple[str, list[WideRow]]] = {}
        self._of_model: dict[str, Scores] = {}
        self._of_test: dict[str, dict[str, SideBySide]] = {}
        self._columns: dict[tuple[str, str], Columns] = {}

    def _rows_of(self, model: str) -> dict[str, list[WideRow]]:
        """test -> rows of a model."""
        if model not in self._rows:
            tests = self._rows.setdefault(model, {})
            for row in summary.wide_rows(self._by_model.of(model)):
                tests.setdefault(row.test, []).append(row)
        return self._rows[model]

    def _rows_in(self, model: str, test: str) -> list[WideRow]:
        """Rows of a model in a test; those of its other tests are not converted until one is looked at."""
        if model not in self._rows:
            if model not in self._first:
                table = self._by_model.of(model)
                places = np.flatnonzero(table["test"].to_numpy() == test)
                self._first[model] = test, summary.wide_rows(rows_at(table, places))
            first, rows = self._first[model]
            if first == test:
                return rows
        return self._rows_of(model).get(test, [])

    def of_model(self, model: str) -> Scores:
        """test -> metric -> line -> score of a model; empty if it has no row."""
        if model not in self._of_model:
            rows = [row for rows in self._rows_of(model).values() for row in rows]
            self._of_model[model] = summary.scores_of(rows)
        return self._of_model[model]

    def of_test(self, test: str) -> dict[str, SideBySide]:
        """metric -> table with a column per model; empty if a test has no row."""
        if test not in self._of_test:
            every = (self.columns(model, test) for model in self._models)
            parts = {owner: part for columns in every for owner, part in columns.items()}
            self._of_test[test] = side_by_side(parts)
        return self._of_test[test]

    def columns(self, model: str, test: str) -> Columns:
        """Columns of a model in a test, of each of its versions; empty if it has no row."""
        if (model, test) not in self._columns:
            columns: Columns = {}
            for owner, metric, scores in self._scores_of(model, test):
                columns.setdefault(owner, {})[metric] = of_scores(scores)
            self._columns[model, test] = dict(sorted(columns.items()))
        return self._columns[model, test]

    def _scores_of(
        self, model: str, test: str
    ) -> Iterator[tuple[ModelColumn, str, dict[Key, WideCell]]]:
        """Scores of a model in a test: version, metric, and line by line."""
        matrices = summary.matrices(self._rows_in(model, test), self._target)
        for metric, matrix in matrices.items():
            for owner, scores in split(matrix).items():
                yield owner, metric, scores

    def give(self, model: str, test: str, columns: Columns) -> None:
        """Take columns of a model in a test that were made from its rows before."""
        self._columns[model, test] = columns

    def scores_of(self, model: str, test: str, owner: ModelColumn, metric: str) -> list[WideCell]:
        """Scores of one column, in the order of its lines."""
        return next(
            list(scores.values())
            for *place, scores in self._scores_of(model, test)
            if place == [owner, metric]
        )

    def second(self, model: str, test: str | None = None) -> Sure:
        """Second verdicts of a model, of all tests or of one; published results have none."""
        if test is not None:
            versions = self.columns(model, test)
            if len(versions) > 1:  # the last one counts, line by line
                return counted(self._second.get(model, {}).get(test, ()))
            return total(
                column.facts.sure for part in versions.values() for column in part.values()
            )
        return counted(word for words in self._second.get(model, {}).values() for word in words)

    @cached_property
    def _second(self) -> dict[str, dict[str, list[str]]]:
        """Model -> test -> second verdicts; where two versions have a score, that of the last one counts."""
        models = self._table["model"][self._table["certain"].fillna("") != ""].unique()
        judged = self._table[self._table["model"].isin(models)]
        columns = (judged[name].tolist() for name in (*OWNER, "test", "metric", *Key._fields))
        rows = zip(*columns, judged["certain"].fillna("").tolist(), strict=True)
        last = {(row[0], *row[2:-1]): row[-1] for row in sorted(rows, key=lambda row: row[:2])}
        words: dict[str, dict[str, list[str]]] = {}
        for (model, test, *_), word in last.items():
            words.setdefault(model, {}).setdefault(test, []).append(word)
        return words

    def cells(self, model: str) -> Cells:
        """All scores of a model."""
        return {
            (test, metric, key): score
            for test, metrics in self.of_model(model).items()
            for metric, lines in metrics.items()
            for key, score in lines.items()
        }
