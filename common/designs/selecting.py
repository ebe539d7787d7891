"""From the sample table of a dataset to the samples of a test: attributes, selection, draw."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..core import rng
from ..predictions.attributes import Computed, ComputedColumn, Context
from ..samples.base import Samples
from ..spec import Target, Test
from . import Draws, Selection, design_of
from .balancing import shuffled
from .groups import remark

if TYPE_CHECKING:
    import pandas as pd


class Selector:
    """Selects the samples of tests on one dataset; what is asked more than once is kept.

    Args:
        samples: the sample table
        seed: seed of the run
        context: what computing an attribute may use
    """

    def __init__(self, samples: Samples, seed: int, context: Context):
        self._samples = samples
        self._seed = seed
        self._context = context
        self._computed: dict[tuple[str, str], Computed] = {}
        self._selections: dict[tuple[str, str], Selection] = {}
        #: computed columns and rows -> the samples, which all selections of the same ones share
        self._shared: dict[tuple[str, bytes], pd.DataFrame] = {}

    def __call__(self, test: Test, target: Target) -> Selection:
        """Samples of a test for a target.

        Raises:
            DatasetUnavailable: if an attribute is computed from audio that is not here
            BenchmarkError: if attributes cannot be computed or annotations are wrong
        """
        key = (test.id, target.id)
        if key not in self._selections:
            self._selections[key] = self._select(test, target)
        return self._selections[key]

    def _select(self, test: Test, target: Target) -> Selection:
        import pandas as pd

        design = design_of(test)
        columns = self._attributes(design.attributes())
        table, limited = self._limited(bool(design.conditions(target)))
        if columns:
            values = {name: pd.Series(c.values, table.index) for name, c in columns.items()}
            table = table.assign(**values)
        selection = design.select(target, table)
        selection = design.draw(target, selection, self._draws(test))
        note = remark(selection.note, limited, *(column.note for column in columns.values()))
        reason = selection.reason
        if reason:
            reason = remark(reason, *(column.missing for column in columns.values()))
        computed = repr([(name, one.key) for name, one in design.attributes().items()])
        samples = self._once(selection.samples, computed)
        return replace(selection, samples=samples, note=note, reason=reason)

    def _once(self, samples: pd.DataFrame, computed: str) -> pd.DataFrame:
        """Samples as one table in memory, however many tests use them."""
        rows = hashlib.sha256(samples.index.to_numpy().tobytes()).digest()
        return self._shared.setdefault((computed, rows), samples)

    def _limited(self, perturbed: bool) -> tuple[pd.DataFrame, str]:
        """Samples of the dataset, and what to say of them if there are more.

        The same ones for all targets and tests that change signals, so that models hear no
        more of them.
        """
        table, dataset = self._samples.table, self._samples.dataset
        limit = dataset.limit_perturbed
        if not perturbed or not limit or len(table) <= limit:
            return table, ""
        draw = rng.generator(self._seed, "perturbed", dataset.id)
        chosen = np.sort(shuffled(table, draw)[:limit])
        return table.iloc[chosen], f"{limit:,} of {len(table):,} samples, drawn"

    def _attributes(self, recipes: Mapping[str, ComputedColumn]) -> dict[str, Computed]:
        columns = {}
        for name, recipe in recipes.items():
            if recipe.key not in self._computed:
                self._computed[recipe.key] = recipe(self._samples, self._context)
            columns[name] = self._computed[recipe.key]
        return columns

    def _draws(self, test: Test) -> Draws:
        dataset = self._samples.dataset.id

        def draws(*keys: object) -> np.random.Generator:
            return rng.generator(self._seed, test.id, dataset, *keys)

        return draws
