"""Scores of a board, put in order where they are looked at: of a model, or of all models in a test.

Rows become plain values where they are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pandas as pd

from benchmark_site.cells import Sure, counted
from benchmark_site.sliced import Sliced
from common.reports import summary
from common.reports.summary import Key, Matrix, Scores, WideCell
from common.reports.summary.wide import OWNER, USED

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
        self._by_model = Sliced(table, "model", USED)
        self._by_test = Sliced(table, "test", USED)
        self._of_model: dict[str, Scores] = {}
        self._of_test: dict[str, dict[str, Matrix]] = {}

    def of_model(self, model: str) -> Scores:
        """test -> metric -> line -> score of a model; empty if it has no row."""
        if model not in self._of_model:
            self._of_model[model] = summary.scores_of(summary.wide_rows(self._by_model.of(model)))
        return self._of_model[model]

    def of_test(self, test: str) -> dict[str, Matrix]:
        """metric -> table with a column per model; empty if a test has no row."""
        if test not in self._of_test:
            rows = summary.wide_rows(self._by_test.of(test))
            self._of_test[test] = summary.matrices(rows, self._target, self._models)
        return self._of_test[test]

    def second(self, model: str, test: str | None = None) -> Sure:
        """Second verdicts of a model, of all tests or of one; published results have none."""
        words = self._second.get(model, {})
        tests = words if test is None else [test]
        return counted(word for name in tests for word in words.get(name, ()))

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
