"""The samples whose prediction changed most, for result pages.

For each test that changes the input, each dataset and each condition these are the samples whose
answers changed most, on average over the models; chance models, which always change theirs, do
not count. ``extra/media/<target>/listen_<test>.json`` has every model's answers to them;
the sounds lie in ``extra/media/samples/``, before and after, shared by all targets. What is there
and was made from what is there now is left alone, what belongs to no page any more is removed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure, display, files, provenance
from ...core.documents import parse_json
from ...core.errors import BenchmarkError
from ...core.paths import Paths
from ...core.rng import DEFAULT_SEED, digest
from ...models.base import SampleKey
from ...perturbations.library import Library
from ...results.keys import CellKey
from ...results.manifest import Manifest
from ...spec import Benchmark, Dataset, Target, Test, kinds
from ...spec.cell import Cell
from ...spec.view import View
from . import answers, licences
from .answers import ConditionPair
from .sample_lists import SampleKeys
from .sounds import Key, SoundMaker, prune

#: cell, what its manifest notes, and whether the model is a chance model -> the cell and its view,
#: as of :meth:`common.reports.rebuild.Rebuilder.answered`
Rebuild = Callable[..., tuple[Cell, View]]

logger = logging.getLogger(__name__)

FORMAT = 2
#: samples of each dataset and condition that are played
TOP = 3


@dataclass(frozen=True)
class TestGroup:
    """A test on a dataset for a target, with the cells of all models.

    Args:
        target: the target
        test: the test
        dataset: the dataset
        cells: model -> what its manifest notes about the cell
    """

    target: Target
    test: Test
    dataset: Dataset
    cells: Mapping[str, Mapping[str, Any]]


def update(
    benchmark: Benchmark,
    folders: Paths,
    rebuild: Rebuild,
    *,
    seed: int = DEFAULT_SEED,
    download: bool = False,
    others: Callable[[], Iterable[str]] = tuple,
) -> int:
    """Bring the samples of all result pages up to date; returns the number of new sound files.

    Args:
        benchmark: catalog and suite
        folders: where results are, where to write, and the cache
        rebuild: finds samples and predictions of a cell
        seed: seed of the run
        download: whether recordings may be fetched from remote repositories
        others: waits for the other pages and returns the files below ``extra/media/samples/`` that they need

    Raises:
        OutputError: if a file cannot be written
    """
    maker = _Maker(benchmark, folders, rebuild, seed, download)
    pages: dict[Path, dict[str, Any]] = {}
    for group in groups(benchmark, folders):
        path = folders.media / group.target.id / f"listen_{group.test.id}.json"
        page = pages.setdefault(path, {})
        old = _read(path).get(group.dataset.id, {})
        page[group.dataset.id] = maker.entry(group, old)
    for path, entries in pages.items():
        content = {"format": FORMAT, "datasets": entries}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        files.write_text(path, text, only_changed=True)
    for path in sorted(folders.media.glob("*/listen_*.json")):
        if path not in pages:
            path.unlink()
    used = {src for page in pages.values() for entry in page.values() for src in _sounds(entry)}
    prune(folders.media, used.union(others()))
    return maker.sounds.written


def groups(benchmark: Benchmark, folders: Paths) -> list[TestGroup]:
    """All tests with results in which two states of an utterance are compared."""
    entries: dict[tuple[str, str, str], dict[str, Any]] = {}
    for target in benchmark.targets.values():
        for model in benchmark.models.values():
            manifest = Manifest.read(folders.manifest(target.id, model.id))
            for key, cell in (manifest.cells if manifest else {}).items():
                name, _, dataset = key.partition("/")
                test = benchmark.tests.get(name)
                if cell.get("status") != "done" or not test or dataset not in benchmark.datasets:
                    continue
                if not kinds.of(target).is_ragged and answers.compares(test):
                    entries.setdefault((target.id, name, dataset), {})[model.id] = cell
    return [
        TestGroup(benchmark.targets[t], benchmark.tests[n], benchmark.datasets[d], cells)
        for (t, n, d), cells in entries.items()
    ]


def _read(path: Path) -> dict[str, Any]:
    try:
        content = parse_json(path.read_text("utf-8"))
        return dict(content["datasets"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _sounds(entry: Mapping[str, Any]) -> list[str]:
    return [
        sound["src"]
        for condition in entry.get("conditions", ())
        for sample in condition["samples"]
        for sound in sample["sounds"]
    ]


def most_changed(
    kind: str, rows: np.ndarray, pairs: Sequence[ConditionPair], keys: Sequence[Key]
) -> list[int]:
    """Places of the samples whose answers changed most, on average over models.

    Args:
        kind: kind of the target
        rows: rows of reference and condition, shape (N, 2)
        pairs: the same condition of each model that counts
        keys: file, start and end of each row; a hash of them decides between equal changes,
            so that not all come from the first speaker

    Returns:
        at most :data:`TOP` places in ``rows``; samples that nothing changed for are not there
    """
    if not pairs:
        return []
    change = np.mean([_change(kind, one) for one in pairs], axis=0)
    least = np.sort(change)[::-1][:TOP].min(initial=np.inf)
    chosen = [int(n) for n in np.flatnonzero((change >= least) & (change > 0))]
    chosen.sort(key=lambda n: (-change[n], digest(*keys[int(rows[n, 0])])))
    return chosen[:TOP]


def _change(kind: str, one: ConditionPair) -> np.ndarray:
    if kinds.get(kind).is_number:
        return np.nan_to_num(np.abs(one.after.astype(float) - one.before.astype(float)))
    return (one.after != one.before).astype(float)


class _Maker:
    """Makes the entries of pages and the sounds that they need."""

    def __init__(
        self, benchmark: Benchmark, folders: Paths, rebuild: Rebuild, seed: int, download: bool
    ):
        self.benchmark = benchmark
        self.rebuild = rebuild
        self.folders = folders
        self.library = Library(benchmark, folders.cache, seed=seed, download=lambda _: download)
        self.code = closure.code_of(type(self))
        self.sounds = SoundMaker(benchmark, folders, self.library, download=download)

    def entry(self, group: TestGroup, old: Mapping[str, Any]) -> dict[str, Any]:
        """What a page says about a dataset; the old entry if nothing has changed."""
        dataset = group.dataset
        cells = sorted((model, noted["hash"]) for model, noted in group.cells.items())
        about = [dataset.license, dataset.label, dataset.source, cells]
        parts = [FORMAT, TOP, self.code, self.library.seed, about, sorted(self._counting(group))]
        key = provenance.digest(parts)
        there = all((self.folders.media / src).is_file() for src in _sounds(old))
        if old.get("key") == key and there:
            return dict(old)
        rebuilt = {
            model: answered
            for model, noted in group.cells.items()
            if (answered := self._rebuilt(group, model, noted)) is not None
        }
        if len(rebuilt) < len(group.cells):
            key = ""  # the next run tries again
        silent = licences.silent(dataset)
        entry: dict[str, Any] = {
            "key": key,
            "label": dataset.label or dataset.id,
            "license": dataset.license,
            "source": dataset.source,
            "silent": silent,
            "conditions": [],
        }
        if rebuilt:
            try:
                entry["conditions"] = self._conditions(group, rebuilt, sound=not silent)
            except BenchmarkError as error:
                logger.info("%s: samples are not played: %s", dataset.id, error)
                entry["key"], entry["silent"] = "", f"The sounds cannot be made here: {error}"
                entry["conditions"] = self._conditions(group, rebuilt, sound=False)
        return entry

    def _rebuilt(
        self, group: TestGroup, model: str, noted: Mapping[str, Any]
    ) -> tuple[Cell, View] | None:
        """A cell with its view; None if its predictions are not there any more."""
        key = CellKey(group.target.id, model, group.test.id, group.dataset.id)
        try:
            cell, view = self.rebuild(key, noted, chance=self.benchmark.models[model].is_chance)
        except BenchmarkError as error:
            logger.info("%s: its answers are not shown: %s", key, error)
            return None
        return (cell, view) if view.predictions else None

    def _counting(self, group: TestGroup) -> set[str]:
        """Models that decide which samples changed most."""
        listening = {m for m in group.cells if not self.benchmark.models[m].is_chance}
        return listening or set(group.cells)

    def _conditions(
        self, group: TestGroup, rebuilt: Mapping[str, tuple[Cell, View]], *, sound: bool
    ) -> list[dict[str, Any]]:
        by_model = {
            model: {
                one.condition: one
                for one in answers.comparisons(
                    group.test, view.samples, view.predictions, cell.conditions
                )
            }
            for model, (cell, view) in rebuilt.items()
        }
        _, view = next(iter(rebuilt.values()))
        keys = SampleKeys(view.samples)
        counting = self._counting(group)
        entries = []
        for condition, like in next(iter(by_model.values())).items():
            model_pairs = {
                m: pairs[condition] for m, pairs in by_model.items() if condition in pairs
            }
            judges = [one for m, one in model_pairs.items() if m in counting]
            chosen = most_changed(group.target.kind, like.rows, judges, keys)
            entries.append(
                {
                    "condition": condition,
                    "label": self._label(condition),
                    "reference": self._label(like.reference),
                    "samples": [
                        self._sample(group, n, like, model_pairs, view, keys, sound) for n in chosen
                    ],
                }
            )
        return entries

    def _label(self, condition: str) -> str:
        return condition_label(self.benchmark, condition)

    def _sample(
        self,
        group: TestGroup,
        place: int,
        like: ConditionPair,
        model_pairs: Mapping[str, ConditionPair],
        view: View,
        keys: Sequence[Key],
        sound: bool,
    ) -> dict[str, Any]:
        before, after = (int(row) for row in like.rows[place])
        labels = [self._label(name) for name in (like.reference, like.condition)]
        sounds = []
        if sound:
            for row, used, label in zip((before, after), like.perturbations, labels, strict=True):
                sounds.append({"label": label, **self.sounds(group.dataset, keys[row], used)})
        database = group.dataset.database
        name = SampleKey(database, group.dataset.version, *keys[before])
        return {
            "sample": str(name),
            "truth": _text(view.truth[before]) if group.target.id in view.samples else "",
            "sounds": sounds,
            "answers": [
                {
                    "model": model,
                    "before": _text(one.before[place]),
                    "after": _text(one.after[place]),
                }
                for model, one in model_pairs.items()
            ],
        }


def condition_label(benchmark: Benchmark, condition: str) -> str:
    """Name of a condition for readers."""
    perturbation = benchmark.perturbations.get(condition)
    words = condition.replace("-", " ")
    named = perturbation.label if perturbation else ""
    return named or words[:1].upper() + words[1:]


def _text(value: Any) -> str:
    """A number with two decimals, or a word.

    >>> _text(0.456), _text("anger"), _text(float("nan"))
    ('0.46', 'anger', '')
    """
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else display.number(float(value), digits=2)
    return "" if value is None else str(value)
