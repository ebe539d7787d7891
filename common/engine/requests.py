"""Which predictions cells want: conditions that can be had, each distinct request once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np

from .. import models
from ..core.errors import AudioError, BenchmarkError, ModelError
from ..designs import Selection
from ..models.lazy import Lazy
from ..predictions.array_store import store_of
from ..predictions.inputs import Request, Source, description, store_folder
from ..predictions.relatives import relatives
from ..predictions.shards import NOT_TRIED
from ..predictions.store import PredictionStore
from ..samples.base import Samples
from ..spec import Model, kinds
from ..spec.cell import Cell
from ..spec.view import ORIGINAL
from .identity import prediction_code
from .plan import Planner
from .scoring import decoded

#: what a model of predictions says where it is asked about one sample
ONLY = " for 1 of 1 samples; first: "


@dataclass(frozen=True)
class Work:
    """A cell with its samples and, once they are asked for, its predictions.

    Args:
        cell: the cell
        selection: its samples
        requests: condition -> request that has its predictions
        lacking: condition that can be had elsewhere, but not here -> why
    """

    cell: Cell
    selection: Selection
    requests: Mapping[str, Request] = field(default_factory=dict)
    lacking: Mapping[str, str] = field(default_factory=dict)

    def predictions(self, source: Source) -> dict[str, Any]:
        """Condition -> predictions, aligned with the samples.

        Raises:
            AudioError: if there is none for a sample because its audio cannot be read or changed
            ModelError: if there is none for a sample because of the model
        """
        samples, predictions = self.selection.samples, {}
        for condition, request in self.requests.items():
            ids = source.ids(self.cell.dataset.id, samples.index)
            lost = [i for i in ids.tolist() if i in request.failed]
            if lost:
                raise _no_prediction(request, lost, len(ids))
            values = request.values[ids]
            predictions[condition] = decoded(self.cell.target, values, request.columns, samples)
        return predictions


def _no_prediction(request: Request, lost: Sequence[int], count: int) -> BenchmarkError:
    """Why a cell has no score; what no model could hear counts before what the model did not answer.

    Args:
        request: of the model in a condition
        lost: segments of the cell without a prediction, at least one
        count: number of samples of the cell
    """
    unheard = [request.failed[i] for i in lost if i in request.unheard]
    reasons = unheard or [request.failed[i] for i in lost]
    first = next((r for r in reasons if not r.startswith(NOT_TRIED)), reasons[0])
    text = f"no prediction for {len(lost)} of {count} samples; first: {_shorter(first)}"
    return AudioError(text) if unheard else ModelError(text)


def _shorter(reason: str) -> str:
    """Why there is no prediction, without what a call of one signal says of its only signal.

    >>> _shorter("a.wav: model 'm': p.csv: no row for 1 of 1 samples; first: a.wav; there is one for b.wav")
    "a.wav: model 'm': p.csv: no row; there is one for b.wav"
    """
    start, sign, rest = reason.partition(ONLY)
    sample = start.partition(": ")[0]
    return start + rest.removeprefix(sample) if sign and rest.startswith(sample) else reason


class Asking:
    """Turns what cells want into requests; models are loaded when the first one needs them.

    Args:
        planner: knows declarations, folders, seed and perturbations
        device: auto, cpu or cuda
    """

    def __init__(self, planner: Planner, device: str = "auto"):
        self.planner = planner
        self.device = device
        self._facts = cache(self._found_out)

    def ask(self, work: Work, source: Source, requests: dict[tuple[str, str], Request]) -> Work:
        """Note which predictions a cell wants; conditions that cannot be had are set aside.

        Args:
            work: a cell with its samples
            source: distinct segments of the database
            requests: model and condition -> request so far; filled in place

        Raises:
            BenchmarkError: if recordings are not as the catalog says
        """
        cell, samples = work.cell, work.selection.samples
        if samples.empty:
            return work
        library = self.planner.library
        missing: dict[str, str] = {}
        lacking: dict[str, str] = {}
        for name, used in cell.conditions.items():
            unfit = library.unfit(cell.target, used)
            lacks = "" if unfit else self._lacks(cell.model, used)
            missing |= {name: reason} if (reason := unfit or lacks) else {}
            lacking |= {name: lacks} if lacks else {}
        cell = replace(cell, missing=missing)
        ids = source.ids(cell.dataset.id, samples.index)
        cell_requests = {}
        for name, used in wanted(cell):
            key = (cell.model.id, used)
            if key not in requests:
                requests[key] = self._request(cell.model, used, source)
            requests[key].wanted[ids] = True
            cell_requests[name] = requests[key]
        return replace(work, cell=cell, requests=cell_requests, lacking=lacking)

    def look_ahead(self, jobs: Sequence[tuple[Source, list[Request]]]) -> None:
        """Let models that are asked about a later version of a database hear what an earlier one hears anyway.

        What they say is kept as predictions on the earlier version, from where the later one takes it. So a
        signal is changed once, though each version may be heard by other models.

        Args:
            jobs: sources in the order in which they are predicted, each with its requests; some are added
        """
        by_source = {
            id(source): {(r.name, r.condition): r for r in requests} for source, requests in jobs
        }
        for source, requests in jobs:
            for request in [request for request in requests if request.listens]:
                open_ids = request.wanted.copy()
                for earlier, ids, rows in source.earlier:
                    there = by_source[id(earlier)]
                    chosen = open_ids[ids] & _heard(there.values(), request.condition, rows)
                    if chosen.any():
                        self._twin(request, earlier, there).ahead[rows[chosen]] = True
                        open_ids[ids[chosen]] = False
        for source, requests in jobs:
            requests[:] = by_source[id(source)].values()

    def _twin(
        self, request: Request, earlier: Source, there: dict[tuple[str, str], Request]
    ) -> Request:
        """The same request on an earlier source, made if there is none."""
        key = request.name, request.condition
        if key not in there:
            model = self.planner.benchmark.models[request.name]
            there[key] = self._request(model, request.condition, earlier)
        if not len(there[key].ahead):
            there[key].ahead = np.zeros(len(earlier.keys), dtype=bool)
        return there[key]

    def _lacks(self, model: Model, used: str) -> str:
        """Why there are no predictions after a perturbation; fetches what it needs."""
        return self.planner.lacking(model, used) or self.planner.library.prepare(used)

    def _request(self, model: Model, condition: str, source: Source) -> Request:
        """Request for predictions in a condition: the original or the id of a perturbation."""
        offered, fingerprint, loaded = self._facts(model.id)
        targets = [self.planner.benchmark.targets[name] for name in offered]
        columns = [column for target in targets for column in target.columns]
        code = prediction_code(model, source.samples.dataset)
        library = self.planner.library
        described = description(
            model, fingerprint, source.samples, condition, library=library, code=code
        )
        described["columns"] = columns
        ragged = {t.id: kinds.get(t.kind).layout(t) for t in targets if kinds.get(t.kind).is_ragged}
        if ragged:
            described["layouts"] = ragged
        hears = models.listens(model)

        def stored(described: dict[str, Any]) -> PredictionStore:
            return store_of(store_folder(self.planner.folders.predictions, described), described)

        return Request(
            model=loaded,
            name=model.id,
            condition=condition,
            columns=columns,
            wanted=np.zeros(len(source.keys), dtype=bool),
            store=stored(described),
            listens=hears,
            relatives=relatives(source.overlaps, described, stored) if hears else (),
        )

    def _found_out(self, name: str) -> tuple[tuple[str, ...], str, Lazy]:
        """Targets of a model, its fingerprint, and the model, loaded when it is first needed."""
        planner, folder = self.planner, self.planner.folders.cache
        model, targets = planner.benchmark.models[name], planner.benchmark.targets
        offered = models.offered_targets(model, targets, cache=folder)
        load = partial(models.load, model, targets, seed=planner.seed, device=self.device)
        return offered, models.fingerprint(model, cache=folder), Lazy(partial(load, cache=folder))


def wanted(cell: Cell) -> Iterator[tuple[str, str]]:
    """Conditions of which a cell wants predictions, each with its perturbation.

    The original is the first, unless none of the conditions of a test can be had.
    """
    used = {name: of for name, of in cell.conditions.items() if name not in cell.missing}
    if used or not cell.conditions:
        yield ORIGINAL, ORIGINAL
    yield from used.items()


def _heard(requests: Iterable[Request], condition: str, ids: np.ndarray) -> np.ndarray:
    """Which segments any model is to hear in a condition."""
    masks = [r.wanted[ids] for r in requests if r.listens and r.condition == condition]
    return np.logical_or.reduce([np.zeros(len(ids), dtype=bool), *masks])


def by_database(
    selected: Iterable[tuple[Samples, Sequence[Work]]],
) -> list[tuple[Source, list[Work]]]:
    """Cells of all datasets that are of one database and read the same media.

    Args:
        selected: sample table of each dataset with the cells on it
    """
    groups: dict[tuple[str, ...], tuple[Source, list[Work]]] = {}
    for samples, works in selected:
        dataset = samples.dataset
        entry = dataset.adapter, dataset.database, dataset.version, str(dataset.embedded)
        key = (*entry, samples.media_fingerprint)
        source, collected = groups.setdefault(key, (Source(samples), []))
        source.add(dataset.id, samples.table, samples.kin)
        collected += works
    versions: dict[tuple[str, ...], list[Source]] = {}
    for source, _ in groups.values():
        source.freeze()
        dataset = source.samples.dataset
        name = dataset.adapter, dataset.database, str(dataset.embedded)
        for earlier in versions.setdefault(name, []):
            source.follow(earlier)
        versions[name].append(source)
    return list(groups.values())
