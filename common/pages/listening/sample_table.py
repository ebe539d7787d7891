"""All samples of a dataset with truth, labels and answers of all models, as columns for a page.

Samples stand in an order of their own, by a hash, which decides between equal errors; whoever sorts
the table by error, here or on a page, gets the same order. What a line of a test is about is a set
of samples; what a perturbation does are the answers before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...models.base import SampleKey
from ...predictions.store import match
from ...samples import datasets
from ...samples.base import KEYS
from ...spec import Dataset, Target
from ...spec.cell import Cell
from ...spec.view import ORIGINAL, View
from . import answers
from .answer_kinds import kind_of
from .answers import ConditionPair
from .sample_lists import SampleKeys, groups, of_line, ranked

if TYPE_CHECKING:
    import pandas as pd

#: a table has at most so many samples, and so many answers
MOST_SAMPLES, MOST_ANSWERS = 2000, 250_000
#: and at least so many samples, however many events each has
FEWEST_SAMPLES = 50
#: at most so many samples of each list are looked at where a table cannot have all of them
DEEPEST = 200
#: a column with more values divides samples too finely
MOST_VALUES = 500


class AnsweredCell(NamedTuple):
    """A cell of a model whose answers are here.

    Args:
        cell: which one
        view: samples and predictions
        lines: data, condition and label of its result rows
    """

    cell: Cell
    view: View
    lines: Sequence[tuple[str, str, str]]


class WorstFirst(NamedTuple):
    """A list of samples, worst first.

    Args:
        change: key of the change that it is about; empty: the unchanged samples
        samples: their places in the table
    """

    change: str
    samples: np.ndarray


@dataclass
class Change:
    """What a condition does to the answers.

    Args:
        condition: the condition
        reference: what it is compared with
        perturbations: ids of the perturbations of both
        partner: place of the sample that is heard in the condition, per sample of the table
        before: model -> answers to the reference
        after: model -> answers in the condition
    """

    condition: str
    reference: str
    perturbations: tuple[str, str]
    partner: np.ndarray
    before: dict[str, np.ndarray] = field(default_factory=dict)
    after: dict[str, np.ndarray] = field(default_factory=dict)


class SampleTable:
    """Samples of a dataset with what is known about them for a target.

    Args:
        target: the target
        dataset: the dataset
        answered: test -> model -> cell with its answers
        counting: models that decide which samples are the worst

    Attributes:
        keys: file, start and end of each sample
        seconds: length of each sample in s; NaN where the kind of the target does not know it
    """

    def __init__(
        self,
        target: Target,
        dataset: Dataset,
        answered: Mapping[str, Mapping[str, AnsweredCell]],
        counting: set[str],
    ):
        self.target, self.dataset, self.answered, self.counting = (
            target,
            dataset,
            answered,
            counting,
        )
        self.kind = kind_of(target)
        self._table = self._distinct()
        self.keys = SampleKeys(self._table)
        self._places: dict[int, np.ndarray] = {}
        self._losses: dict[str, np.ndarray] = {}
        self._shifts: dict[tuple[str, str], np.ndarray] = {}
        self.seconds = np.full(len(self.keys), np.nan)
        self.truth = self._truth()
        self.answers: dict[str, np.ndarray] = {}
        self.changes: dict[str, Change] = {}
        for test, models in answered.items():
            for model, each in models.items():
                self._add(test, model, each)

    def _all(self) -> Iterator[AnsweredCell]:
        for models in self.answered.values():
            yield from models.values()

    def _distinct(self) -> pd.DataFrame:
        """Keys of all samples, in the order of their hashes."""
        import pandas as pd

        table = pd.DataFrame(columns=KEYS)
        for each in self._all():
            keys = each.view.samples[KEYS]
            if len(keys) == len(table) and keys.equals(table):
                continue
            new = keys if table.empty else keys[match(keys, table) < 0]
            table = new if table.empty else pd.concat([table, new], ignore_index=True)
        hashes = SampleKeys(table).hashes()
        return table.iloc[np.lexsort(hashes.T[::-1])].reset_index(drop=True)

    def places(self, view: View) -> np.ndarray:
        """Place in the table of each sample of a view."""
        if id(view) not in self._places:
            self._places[id(view)] = match(view.samples[KEYS], self._table).astype(np.int32)
        return self._places[id(view)]

    def _truth(self) -> np.ndarray | None:
        """Annotated values; None if the dataset has none for the target."""
        values = None
        for each in self._all():
            if self.target.id in each.view.samples:
                values = self.kind.empty(len(self.keys)) if values is None else values
                annotated = each.view.truth
                values[self.places(each.view)] = self.kind.entries(annotated)
                self.seconds[self.places(each.view)] = self.kind.seconds(annotated)
        return values

    def _add(self, test: str, model: str, each: AnsweredCell) -> None:
        places = self.places(each.view)
        columns = {name: self.kind.entries(v) for name, v in each.view.predictions.items()}
        if ORIGINAL in columns:
            values = self.answers.setdefault(model, self.kind.empty(len(self.keys)))
            values[places] = columns[ORIGINAL]
        if answers.compares(each.cell.test):
            used = each.cell.conditions
            for pair in answers.comparisons(each.cell.test, each.view.samples, columns, used):
                self._change(f"{test}/{pair.condition}", model, pair, places)

    def _change(self, name: str, model: str, pair: ConditionPair, places: np.ndarray) -> None:
        first, second = places[pair.rows[:, 0]], places[pair.rows[:, 1]]
        if name not in self.changes:
            partner = np.full(len(self.keys), -1, dtype=np.int64)
            self.changes[name] = Change(pair.condition, pair.reference, pair.perturbations, partner)
        change = self.changes[name]
        change.partner[first] = second
        for values, column in ((pair.before, change.before), (pair.after, change.after)):
            column.setdefault(model, self.kind.empty(len(self.keys)))[first] = values

    # -- errors ----------------------------------------------------------------------------------

    def loss(self, model: str) -> np.ndarray:
        """How wrong the answers of a model are; NaN without an answer."""
        if model not in self._losses:
            self._losses[model] = self.kind.loss(self.answers[model], self.truth)
        return self._losses[model]

    def shift(self, name: str, model: str) -> np.ndarray:
        """How much a condition changes the answers of a model; NaN without an answer."""
        if (name, model) not in self._shifts:
            change = self.changes[name]
            shift = self.kind.shift(change.before[model], change.after[model], self.truth)
            self._shifts[name, model] = shift
        return self._shifts[name, model]

    def lists(self) -> list[WorstFirst]:
        """What readers are led to: for each model that counts, in all and in each line."""
        result = []
        for model in self.answers:
            if model not in self.counting:
                continue
            loss = self.loss(model)
            result.append(WorstFirst("", ranked(loss)))
            groups = [rows for test in self.answered for _, _, rows in self._groups(test, model)]
            if self.truth is not None:
                groups += self.kind.of_labels(self.truth)
            for rows in groups:
                part = np.full(len(self.keys), np.nan)
                part[rows] = loss[rows]
                result.append(WorstFirst("", ranked(part)))
            for name, change in self.changes.items():
                if model in change.after:
                    result.append(WorstFirst(name, ranked(self.shift(name, model), changed=True)))
        return result

    def _groups(self, test: str, model: str) -> list[tuple[str, str, np.ndarray]]:
        """Condition, end of the name of the data, and samples of each group of a test."""
        each = self.answered[test].get(model)
        if each is None:
            return []
        places = self.places(each.view)
        return [
            (name, tail, places[rows]) for name, tail, rows in groups(each.cell.test, each.view)
        ]

    # -- what a page gets ------------------------------------------------------------------------

    def chosen(self) -> tuple[np.ndarray, int | None]:
        """Samples that a page gets, and how many of each list if these are not all of them."""
        columns = self._answer_columns()
        per_sample = max(1.0, len(columns) * self.kind.length(columns))
        most = min(MOST_SAMPLES, max(FEWEST_SAMPLES, int(MOST_ANSWERS / per_sample)))
        if len(self.keys) <= most:
            return np.arange(len(self.keys)), None
        lists = [each.samples for each in self.lists()]
        picked: set[int] = set()
        for depth in range(DEEPEST):
            rank = dict.fromkeys(int(each[depth]) for each in lists if len(each) > depth)
            if len(picked | set(rank)) > most or not rank:
                more = [row for row in rank if row not in picked][: most - len(picked)]
                return np.array(sorted({*picked, *more}), dtype=np.int64), depth
            picked |= set(rank)
        return np.array(sorted(picked), dtype=np.int64), DEEPEST

    def content(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Everything but the sounds as lists, numbers and text.

        Args:
            labels: condition -> its name
        """
        rows, depth = self.chosen()
        words = self.kind.words(self._answer_columns())
        codes = {word: place for place, word in enumerate(words)}

        def column(values: np.ndarray) -> list[Any]:
            return self.kind.written(values[rows], codes)

        return {
            "kind": self.kind.name,
            "total": len(self.keys),
            "depth": depth,
            "words": words,
            "labels": len(self.target.labels),
            "samples": [
                str(SampleKey(self.dataset.database, self.dataset.version, *self.keys[row]))
                for row in rows
            ],
            "columns": self._columns(rows),
            "truth": None if self.truth is None else column(self.truth),
            "answers": {model: column(values) for model, values in self.answers.items()},
            "tests": {test: self._lines(test, rows) for test in self.answered},
            "changes": {
                name: {
                    "label": labels[change.condition],
                    "reference": labels[change.reference],
                    "before": None
                    if change.reference == ORIGINAL
                    else {model: column(values) for model, values in change.before.items()},
                    "after": {model: column(values) for model, values in change.after.items()},
                }
                for name, change in self.changes.items()
            },
            **self._told(rows),
        }

    def _told(self, rows: np.ndarray) -> dict[str, Any]:
        """What a page cannot compute from answers: how wrong they are, and how long samples are."""
        if not self.kind.is_told:
            return {}

        def seconds(loss: np.ndarray) -> list[float | None]:
            return [None if np.isnan(value) else float(value) for value in loss[rows]]

        return {
            "seconds": self.seconds[rows].round(3).tolist(),
            "losses": {model: seconds(self.loss(model)) for model in self.answers},
            "shifts": {
                name: {model: seconds(self.shift(name, model)) for model in change.after}
                for name, change in self.changes.items()
            },
        }

    def _answer_columns(self) -> list[np.ndarray]:
        """Truth and answers in all states."""
        changed = (
            column
            for change in self.changes.values()
            for column in (*change.before.values(), *change.after.values())
        )
        return [*self.answers.values(), *changed, *([] if self.truth is None else [self.truth])]

    def _columns(self, rows: np.ndarray) -> dict[str, Any]:
        """Words that are known about the samples, such as the speaker, as a list and places in it."""
        columns: dict[str, np.ndarray] = {}
        declared = datasets.declared_columns(self.dataset)
        for each in self._all():
            for name in declared:
                if name != self.target.id and name in each.view.samples:
                    values = columns.setdefault(name, np.full(len(self.keys), None, dtype=object))
                    values[self.places(each.view)] = each.view.samples[name].to_numpy(dtype=object)
        result = {}
        for name, values in columns.items():
            part = values[rows].tolist()
            names = sorted({value for value in part if isinstance(value, str)})
            is_word = all(value is None or isinstance(value, str) for value in part)
            if is_word and 1 < len(names) <= MOST_VALUES:
                codes = {value: place for place, value in enumerate(names)}
                result[name] = [names, [codes.get(value) for value in part]]
        return result

    def _lines(self, test: str, rows: np.ndarray) -> dict[str, Any]:
        """Samples of a test and of each of its lines; null: those of the test."""
        model, first = next(iter(self.answered[test].items()))
        parts = self._groups(test, model)
        lines: dict[tuple[str, str], list[str]] = {}
        for each in self.answered[test].values():
            for data, condition, label in each.lines:
                names = lines.setdefault((data, condition), [])
                if label and label not in names:
                    names.append(label)
        return {
            "samples": self._bits(self.places(first.view), rows),
            "lines": [
                [data, condition, names, self._bits(of_line(parts, data, condition), rows)]
                for (data, condition), names in lines.items()
            ],
        }

    def _bits(self, places: np.ndarray | None, rows: np.ndarray) -> str | None:
        """A set of samples of the table, four in a letter; null: all of them."""
        if places is None or len(places) == len(self.keys):
            return None
        inside = np.zeros(len(self.keys), dtype=bool)
        inside[places] = True
        return np.packbits(inside[rows]).tobytes().hex()
