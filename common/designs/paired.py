"""Predictions on two versions of each utterance against each other; no annotation is needed.

The versions are either two recordings that were made at the same time, in one dataset, or two
perturbations of one recording. Which of the two is called the reference does not change a
score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pydantic

from ..core.display import number
from ..spec import MetricUse, Target
from . import balancing
from .base import (
    DESIGNS,
    ORIGINAL,
    Design,
    Draws,
    Score,
    Selection,
    View,
    score_pair,
)
from .groups import criterion_name
from .perturbed import not_run

if TYPE_CHECKING:
    import pandas as pd


class Paired(Design):
    """Two versions of each utterance: either ``pairs``, or ``column``, ``match`` and ``criterion``.

    Args:
        pairs: (base, changed) ids of perturbations, which are their conditions, too
        column: column that tells the recordings of an utterance apart
        reference: its value that others are compared with; in a dataset without it, the first
            value in alphabetical order
        match: columns that are equal in the recordings of an utterance, and in no others
        criterion: what is added to the name of the metric in the criteria table
        limit: at most so many samples, or pairs of recordings, are drawn
    """

    pairs: tuple[tuple[str, str], ...] = ()
    column: str = ""
    reference: str = ""
    match: tuple[str, ...] = ()
    criterion: str = ""
    limit: int = pydantic.Field(ge=1)

    @pydantic.model_validator(mode="after")
    def _one(self) -> Paired:
        recordings = (bool(self.column), bool(self.match), bool(self.criterion))
        if any(recordings) == bool(self.pairs) or any(recordings) != all(recordings):
            raise ValueError("needs either pairs, or column, match and criterion")
        for base, changed in self.pairs:
            if ORIGINAL in (base, changed) or base == changed:
                raise ValueError(
                    f"pairs: expected two different perturbations (not '{ORIGINAL}'), found {base}, {changed}"
                )
        return self

    def needs(self, target: Target) -> list[str]:
        """What tells which recordings belong together; nothing for perturbations."""
        return [self.column, *self.match] if self.column else []

    def conditions(self, target: Target) -> Mapping[str, str]:
        """Both perturbations of every pair."""
        return {name: name for pair in self.pairs for name in pair}

    def reference_in(self, samples: pd.DataFrame) -> str:
        """Value of the column that others are compared with."""
        values = set(samples[self.column])
        return self.reference if self.reference in values else min(values)

    def partners(self, samples: pd.DataFrame) -> dict[str, np.ndarray]:
        """Which recordings belong together.

        An utterance that was recorded twice by one device is ambiguous and in no pair.

        Args:
            samples: N rows with ``column`` and ``match``, none missing

        Returns:
            device -> positions of the reference and of its partner, shape (pairs, 2), for all
            devices but the reference, in alphabetical order
        """
        import pandas as pd

        device = samples[self.column].to_numpy(dtype=object)
        columns = [samples[name].to_numpy(dtype=object) for name in self.match]
        utterance = pd.Series(list(zip(*columns, strict=True)), dtype=object)
        places = {}
        for name in sorted(set(device)):
            at = np.flatnonzero(device == name)
            keys = utterance.iloc[at]
            single = ~keys.duplicated(keep=False).to_numpy()
            places[name] = dict(zip(keys[single], at[single].tolist(), strict=True))
        if not places:
            return {}
        first = places.pop(self.reference_in(samples))
        pairs = {}
        for name, others in places.items():
            rows = [(place, others[key]) for key, place in first.items() if key in others]
            pairs[name] = np.array(rows, dtype=np.int64).reshape(-1, 2)
        return pairs

    def select(self, target: Target, table: pd.DataFrame) -> Selection:
        """All samples; of recordings those that have a partner."""
        if not self.column:
            return Selection(table, "" if len(table) else "no samples")
        columns = [self.column, *self.match]
        recordings = table[table[columns].notna().all(axis=1)]
        pairs = self.partners(recordings)
        rows = np.unique(np.concatenate([[], *(pair.ravel() for pair in pairs.values())]))
        if not len(rows):
            match = ", ".join(self.match)
            reason = f"no two recordings with equal {match} and different {self.column}"
            return Selection(table.iloc[:0], reason)
        ambiguous = int(recordings.duplicated(columns, keep=False).sum())
        note = f"{ambiguous} recordings of repeated utterances left out" if ambiguous else ""
        return Selection(recordings.iloc[rows.astype(np.int64)], note=note)

    def draw(self, target: Target, selection: Selection, draws: Draws) -> Selection:
        """At most ``limit`` samples, or pairs per device, the same ones for all targets."""
        rows = selection.samples
        if rows.empty:
            return selection
        if not self.column:
            chosen = balancing.shuffled(rows, draws("sample"))[: self.limit]
            return replace(selection, samples=rows.iloc[np.sort(chosen)])
        positions = []
        for device, pair in self.partners(rows).items():
            order = balancing.shuffled(rows.iloc[pair[:, 0]], draws("sample", device))
            positions.append(pair[order[: self.limit]].ravel())
        return replace(selection, samples=rows.iloc[np.unique(np.concatenate(positions))])

    def scores(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        """Each metric of (reference, changed) for every pair of conditions."""
        if self.column:
            return self._recorded(view, uses)
        scores = []
        for use in uses:
            for base, changed in self.pairs:
                reason = view.missing.get(base) or view.missing.get(changed)
                if reason:
                    scores.append(not_run(use.metric, changed, base, reason))
                    continue
                before, after = view.predictions[base], view.predictions[changed]
                dry = score_pair(
                    use, view.prediction, after, labels=view.target.labels, annotated=False
                )
                for score, clean in zip(
                    score_pair(use, before, after, labels=view.target.labels, annotated=False),
                    dry,
                    strict=True,
                ):
                    note = f"against the original: {number(clean.value)}"
                    scores.append(replace(score, condition=changed, reference=base, note=note))
        return scores

    def _recorded(self, view: View, uses: Sequence[MetricUse]) -> list[Score]:
        first = self.reference_in(view.samples)
        return [
            replace(
                score,
                condition=device,
                reference=first,
                note=view.note,
                data=f"{first}-{device}",
            )
            for use in uses
            for device, pair in self.partners(view.samples).items()
            for score in score_pair(
                use,
                view.prediction[pair[:, 0]],
                view.prediction[pair[:, 1]],
                labels=view.target.labels,
                rows=pair[:, 0],
                annotated=False,
            )
        ]

    def shown(self, view: View) -> View:
        """Recordings as conditions: rows are those of the reference, without a partner missing."""
        if not self.column:
            return view
        import pandas as pd

        first = self.reference_in(view.samples)
        here = np.flatnonzero((view.samples[self.column] == first).to_numpy())
        predictions = {first: view.prediction[here]}
        for device, pair in self.partners(view.samples).items():
            values = pd.Series(view.prediction[pair[:, 1]], index=pair[:, 0]).reindex(here)
            predictions[device] = values.to_numpy(dtype=view.prediction.dtype)
        samples = view.samples.iloc[here].reset_index(drop=True)
        return replace(view, samples=samples, predictions=predictions)

    def criterion_names(self, target: Target, label: str) -> list[str]:
        """The metric with the condition that differs."""
        names = [self.criterion] if self.column else [changed for _, changed in self.pairs]
        return [criterion_name(label, name) for name in names]


DESIGNS.add("paired", Paired)
