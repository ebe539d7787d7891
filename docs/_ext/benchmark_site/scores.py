"""Scores of a board, put in order where they are looked at: of a model, or of all models in a test.

Rows become plain values once, as a whole; a slice of a table for each of a hundred models would take
longer than all that is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import pandas as pd

from benchmark_site.cells import UNKNOWN, Sure, sure
from common.reports import summary
from common.reports.summary import Key, Matrix, Scores, WideCell, WideRow

#: test, metric and line of a cell -> its score
Cells = dict[tuple[str, str, Key], WideCell]


class BoardScores:
    """Scores of all models of a board.

    Args:
        table: result rows
        target: the target
        models: ids of the models in the order of columns
    """

    def __init__(self, table: pd.DataFrame, target: str, models: Sequence[str]):
        self._table, self._target, self._models = table, target, models
        self._of_model: dict[str, Scores] = {}
        self._of_test: dict[str, dict[str, Matrix]] = {}

    def of_model(self, model: str) -> Scores:
        """test -> metric -> line -> score of a model; empty if it has no row."""
        if model not in self._of_model:
            self._of_model[model] = summary.scores_of(self._by_model.get(model, []))
        return self._of_model[model]

    def of_test(self, test: str) -> dict[str, Matrix]:
        """metric -> table with a column per model; empty if a test has no row."""
        if test not in self._of_test:
            rows = self._by_test.get(test, [])
            self._of_test[test] = summary.matrices(rows, self._target, self._models)
        return self._of_test[test]

    def second(self, model: str, *tests: str) -> Sure:
        """Second verdicts of a model in tests."""
        if not any((model, test) in self._certain for test in tests):
            return UNKNOWN
        scores = self.of_model(model)
        return sure(
            score
            for test in tests
            for lines in scores.get(test, {}).values()
            for score in lines.values()
        )

    @cached_property
    def _certain(self) -> set[tuple[str, str]]:
        """Model and test of rows with a second verdict; published results have none."""
        return {(row.column.model, row.test) for row in self._rows if row.cell.certain}

    def cells(self, model: str) -> Cells:
        """All scores of a model."""
        return {
            (test, metric, key): score
            for test, metrics in self.of_model(model).items()
            for metric, lines in metrics.items()
            for key, score in lines.items()
        }

    @cached_property
    def _rows(self) -> list[WideRow]:
        return summary.wide_rows(self._table)

    @cached_property
    def _by_model(self) -> Mapping[str, list[WideRow]]:
        rows: dict[str, list[WideRow]] = {}
        for row in self._rows:
            rows.setdefault(row.column.model, []).append(row)
        return rows

    @cached_property
    def _by_test(self) -> Mapping[str, list[WideRow]]:
        rows: dict[str, list[WideRow]] = {}
        for row in self._rows:
            rows.setdefault(row.test, []).append(row)
        return rows
