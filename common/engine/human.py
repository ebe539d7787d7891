"""How well a single rater agrees with the others: what a model can be measured by at best.

Each rating of a sample is taken out and compared with what the other raters of the sample say:
their mean for a dimension, their majority for categories. The tests that compare predictions
with the annotation judge these ratings like predictions, with the same metrics and criteria. So
a score of a rater stands beside those of models. The majority of the others is decided by one
vote less than the annotation, and ties are left out.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import results
from ..core import closure, files, provenance
from ..core.documents import parse_json
from ..core.errors import BenchmarkError, DataError, DatasetUnavailable
from ..core.paths import Paths
from ..designs.certainty import CLUSTER
from ..metrics import METRICS
from ..samples import datasets
from ..samples.base import rating_column
from ..spec import Benchmark, Dataset, Model, Target, Test, kinds
from ..spec.cell import Cell
from ..spec.view import ORIGINAL, View
from .identity import scoring_code
from .plan import participants
from .scoring import judged, scores_of

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

#: key of the hash of the rows themselves
TABLE = "human.csv"
#: test design that judges single samples
DESIGN = "against_truth"
#: name of raters in result rows
RATER = Model(id="one-rater", version="leave-one-out", label="One rater", adapter="ratings")


class RatingPairs(NamedTuple):
    """Ratings and what the others say.

    Args:
        rows: sample of each pair, shape (P,)
        others: aggregate of the other raters, shape (P,)
        rating: the rating that was taken out, shape (P,)
    """

    rows: np.ndarray
    others: np.ndarray
    rating: np.ndarray


@dataclass
class HumanReport:
    """What was done.

    Args:
        scores: number of scores that were computed
        current: number of (target, test, dataset) that were up to date
        not_run: dataset -> why it is not available
        errors: what went wrong
    """

    scores: int = 0
    current: int = 0
    not_run: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def leave_one_out_mean(ratings: np.ndarray) -> RatingPairs:
    """Each rating beside the mean of the others.

    Args:
        ratings: shape (N, raters), missing NaN

    Returns:
        one pair per rating of a sample with two ratings or more, sample by sample

    >>> leave_one_out_mean(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan]])).others
    array([2., 1.])
    """
    there = ~np.isnan(ratings)
    number = there.sum(axis=1)
    total = np.where(there, ratings, 0).sum(axis=1)
    rows, raters = np.nonzero(there & (number > 1)[:, None])
    rating = ratings[rows, raters]
    return RatingPairs(rows, (total[rows] - rating) / (number[rows] - 1), rating)


def leave_one_out_majority(votes: np.ndarray, labels: np.ndarray) -> RatingPairs:
    """Each vote beside the class that most of the others chose; ties are left out.

    Args:
        votes: number of votes for each class, shape (N, L)
        labels: names of the classes, shape (L,)

    Returns:
        one pair per vote of a sample on which the others agree by majority

    >>> pairs = leave_one_out_majority(np.array([[2, 1], [1, 1]]), np.array(["a", "b"]))
    >>> pairs.others.tolist(), pairs.rating.tolist()
    (['a', 'b', 'a'], ['b', 'a', 'b'])
    """
    counts = votes.astype(np.int64)
    # others[n, l, k]: votes for k once one for l is taken out
    others = counts[:, None, :] - np.eye(counts.shape[1], dtype=np.int64)
    most = others.max(axis=2)
    clear = ((others == most[:, :, None]).sum(axis=2) == 1) & (most > 0)
    rows, chosen = np.nonzero((counts > 0) & clear)
    times = counts[rows, chosen]
    rows, chosen = np.repeat(rows, times), np.repeat(chosen, times)
    winner = others.argmax(axis=2)[rows, chosen]
    return RatingPairs(rows, labels[winner], labels[chosen])


def pairs_of(dataset: Dataset, target: Target, table: pd.DataFrame) -> RatingPairs:
    """Ratings of a dataset for a target. Of categories, those of the target count.

    Args:
        dataset: entry with ratings of the target
        target: regression or classification target
        table: samples with the columns of ratings
    """
    ratings = dataset.ratings[target.id]
    columns = [table[rating_column(target.id, name)].to_numpy() for name in ratings.names]
    if kinds.of(target).is_number:
        return leave_one_out_mean(np.stack(columns, axis=1).astype(np.float64))
    labels = np.array(target.labels, dtype=object)
    if ratings.votes:
        order = dict(zip(ratings.votes, columns, strict=True))
        none = np.zeros(len(table))
        votes = np.stack([order.get(label, none) for label in target.labels], axis=1)
    else:
        said = np.stack(columns, axis=1)
        votes = np.stack([(said == label).sum(axis=1) for label in target.labels], axis=1)
    return leave_one_out_majority(votes, labels)


def update(
    benchmark: Benchmark, folders: Paths, *, seed: int = 0, download: bool = False
) -> HumanReport:
    """Bring ``method-tests/human.csv`` up to date; rows of data that are away are kept.

    Args:
        benchmark: declarations
        folders: where results and caches are
        seed: seed of the resamples
        download: whether remote data may be fetched

    Raises:
        OutputError: if a file cannot be written
    """
    report = HumanReport()
    old_hashes = _read_hashes(folders)
    old = _read_rows(folders, old_hashes)
    tables: dict[Any, pd.DataFrame] = dict(
        iter(old.groupby(["target", "test", "dataset"], sort=False))
    )
    hashes: dict[str, str] = {}
    parts = []
    loaded: dict[str, Any] = {}
    for target, test, dataset in _wanted(benchmark):
        key = (target.id, test.id, dataset.id)
        name = "/".join(key)
        try:
            _load(loaded, dataset, benchmark, folders, download)
            digest = _digest(dataset, test, target, folders, seed)
            if old_hashes.get(name) == digest and key in tables:
                report.current += 1
            else:
                rows = _rows(Cell(target, RATER, test, dataset, ""), loaded[dataset.id], seed)
                tables[key] = results.frame(rows)
                report.scores += len(rows)
            hashes[name] = digest
        except DatasetUnavailable as error:
            report.not_run[dataset.id] = str(error)
            hashes[name] = old_hashes.get(name, "")
        except BenchmarkError as error:
            report.errors.append(str(error))
            tables.pop(key, None)
        if key in tables:
            parts.append(tables[key])
    table = results.to_csv(_joined(parts))
    files.write_text(folders.human, table, only_changed=True)
    hashes[TABLE] = provenance.file_digest(folders.human)
    text = json.dumps(dict(sorted(hashes.items())), indent=1) + "\n"
    files.write_text(folders.human.with_suffix(".json"), text, only_changed=True)
    return report


def _wanted(benchmark: Benchmark) -> list[tuple[Target, Test, Dataset]]:
    return [
        (target, test, dataset)
        for target in benchmark.targets.values()
        for test in benchmark.applicable(target.id)
        if test.design_name == DESIGN and _is_agreement(test, target)
        for dataset in participants(benchmark, test, target)
        if target.id in dataset.ratings
    ]


def _is_agreement(test: Test, target: Target) -> bool:
    """Whether a test asks for agreement, not for equal distributions."""
    return not kinds.of(target).is_ragged and any(
        METRICS.get(use.metric).direction == "higher" for use in test.uses(target.kind)
    )


def _load(
    loaded: dict[str, Any], dataset: Dataset, benchmark: Benchmark, folders: Paths, download: bool
) -> None:
    if dataset.id not in loaded:
        loaded[dataset.id] = datasets.load(
            dataset, folders.cache, benchmark.targets, download=download
        ).table


def _rows(cell: Cell, table: pd.DataFrame, seed: int) -> list[dict[str, Any]]:
    """Result rows of the raters of a dataset in a test."""
    table = table[kinds.get(cell.target.kind).truth_mask(cell.target, table[cell.target.id])]
    pairs = pairs_of(cell.dataset, cell.target, table)
    samples = table.iloc[pairs.rows].copy()
    samples[cell.target.id] = pairs.others
    # ratings of one sample belong together even where speakers are not known
    speakers = samples.get(CLUSTER)
    alone = [f"sample {row}" for row in pairs.rows]
    samples[CLUSTER] = alone if speakers is None else speakers.where(speakers.notna(), alone)
    view = View(
        cell.target,
        samples.reset_index(drop=True),
        {ORIGINAL: pairs.rating},
        dataset=cell.dataset.id,
        seed=seed,
        note=f"{len(pairs.rows)} ratings of {len(np.unique(pairs.rows))} samples",
    )
    reason = "no sample with a rating that others can be compared with"
    rows = judged(cell, scores_of(cell, view, reason), view)
    return [{**row, "note": row["note"] or view.note} for row in rows]


def _digest(dataset: Dataset, test: Test, target: Target, folders: Paths, seed: int) -> str:
    uses = [use.model_dump() for use in test.uses(target.kind)]
    return provenance.digest(
        [
            datasets.fingerprint(dataset, folders.cache),
            uses,
            target.model_dump(include={"id", "kind", "range", "labels"}),
            closure.code_of(pairs_of),
            scoring_code(test, target),
            seed,
        ]
    )


def _read_rows(folders: Paths, hashes: dict[str, str]) -> pd.DataFrame:
    """Rows that are there; of those that are not as they were written, no hash is believed."""
    noted = hashes.pop(TABLE, None)
    if not folders.human.exists():
        return results.frame([])
    if noted not in (None, provenance.file_digest(folders.human)):
        logger.warning("%s: is not as it was written; it is made again", folders.human)
        hashes.clear()
    try:
        return results.read_csv(folders.human)
    except DataError as error:
        logger.warning("%s; it is made again", error)
        files.clear_way(folders.human)
        return results.frame([])


def _read_hashes(folders: Paths) -> dict[str, str]:
    try:
        hashes: dict[str, str] = parse_json(folders.human.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return hashes if isinstance(hashes, dict) else {}


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else results.frame([])
