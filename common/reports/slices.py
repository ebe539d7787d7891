"""Where a model fails: slices of its samples with a larger error than elsewhere.

Samples and predictions come from the cache (:mod:`common.reports.rebuild`), properties of the
signals from :mod:`common.predictions.attributes.acoustics`, the search and its promises from
:mod:`common.uncertainty.slices`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import advice, display, files
from ..core.errors import BenchmarkError, ConfigError, DatasetUnavailable
from ..core.paths import Paths
from ..core.registry import unknown
from ..designs.certainty import CLUSTER
from ..engine.human import DESIGN
from ..metrics import METRICS
from ..predictions.attributes import acoustics
from ..results.keys import CellKey
from ..results.manifest import Manifest
from ..results.slices import CONFIRMED, FOUND, TRIED, Clip, SliceRow, SliceSound, to_csv
from ..samples import datasets
from ..samples.base import KEYS, Samples
from ..spec import Benchmark, Target, Test, kinds
from ..spec.view import View
from ..uncertainty.slices import LEVEL, Property, SliceFinding, labels, quantile_bins, search
from .explain import single
from .rebuild import Rebuilder

if TYPE_CHECKING:
    from ..engine.scoring import Evaluation

#: numbers are divided into so many bins
BINS = 4
#: a column with more values divides samples too finely
MOST_VALUES = 20
#: clips of a slice
CLIPS = 3
#: what measures of the signal are called
NAMES = {
    "f0_hz": "F0",
    "level_db": "level",
    "snr_db": "estimated signal-to-noise ratio",
    "length_s": "length",
    "syllables_per_s": "syllables",
    "tilt_db_per_octave": "spectral tilt",
}
Progress = Callable[[str, int, int], None]
#: samples of a dataset, file, start and end -> the sound of a segment, if it may be played
Play = Callable[[Samples, str, int, int], SliceSound | None]


class Searched(NamedTuple):
    """What was done for a model on a dataset.

    Args:
        key: cell whose samples and predictions were used
        path: file that was written
        rows: all slices that were tried
        note: what could not be looked at; empty: nothing
    """

    key: CellKey
    path: str
    rows: list[SliceRow]
    note: str


@dataclass
class SlicesReport:
    """What was done.

    Args:
        searched: per model and dataset
        not_searched: cell or target -> why not
    """

    searched: list[Searched] = field(default_factory=list)
    not_searched: dict[str, str] = field(default_factory=dict)


class SearchChoice(NamedTuple):
    """Ids that are wanted; empty: all, but chance models only by name."""

    models: Sequence[str] = ()
    targets: Sequence[str] = ()
    datasets: Sequence[str] = ()


def update(
    benchmark: Benchmark,
    folders: Paths,
    choice: SearchChoice | None = None,
    *,
    level: float = LEVEL,
    workers: int = 1,
    progress: Progress = lambda stage, done, total: None,
    play: Play | None = None,
) -> SlicesReport:
    """Search the results of models for slices, and write what was tried.

    Args:
        benchmark: declarations
        folders: where results and caches are
        choice: what is searched
        level: share of false slices that is allowed
        workers: for signals that are not measured yet
        progress: told how far it is
        play: makes the sounds of clips; None: there are none

    Raises:
        ConfigError: if nothing of what was chosen has results
        OutputError: if a file cannot be written
    """
    choice = choice or SearchChoice()
    if not 0 < level < 1:
        raise ConfigError(f"--level must lie between 0 and 1, found {level:g}")
    report = SlicesReport()
    rebuilder = Rebuilder(benchmark, folders, workers=workers)
    answers = _Answers(benchmark, folders, rebuilder)
    chosen = list(_cells(benchmark, folders, choice, report))
    for number, (key, noted, chance) in enumerate(chosen):
        progress(f"slices: {key}", number, len(chosen))
        try:
            evaluation = rebuilder(key, noted, chance=chance)
            rows, note = _search(rebuilder, evaluation, key, level)
            rows = _answered(rows, answers(key))
            if play is not None:
                rows = _played(rows, rebuilder.samples(key.dataset), play)
        except BenchmarkError as error:
            report.not_searched[str(key)] = str(error)
            continue
        path = folders.slices(key.target, key.model, key.dataset)
        files.write_text(path, to_csv(rows), only_changed=True)
        report.searched.append(Searched(key, str(path), rows, note))
    return report


def _cells(
    benchmark: Benchmark, folders: Paths, choice: SearchChoice, report: SlicesReport
) -> Iterator[tuple[CellKey, Mapping[str, Any], bool]]:
    """One cell for each target, model and dataset, with what its manifest notes about it."""
    manifests = {
        (path.parent.parent.name, path.parent.name): path
        for path in sorted(folders.method_tests.glob("*/*/manifest.json"))
    }
    _check(benchmark, folders, choice, {model for _, model in manifests})
    noted: Mapping[str, Any]
    for (name, model), path in manifests.items():
        target = benchmark.targets.get(name)
        skipped = (choice.targets and name not in choice.targets) or (
            choice.models and model not in choice.models
        )
        manifest = None if target is None or skipped else Manifest.read(path)
        if target is None or manifest is None:
            continue
        chance = bool(manifest.model.get("chance"))
        if chance and not choice.models:
            continue
        if kinds.of(target).is_ragged:
            reason = "its samples have several events each, not one error; 'events' compares lists"
            report.not_searched[name] = reason
            continue
        cells: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for test in benchmark.tests.values():
            if test.design_name == DESIGN and _is_agreement(test, target):
                for key, noted in manifest.cells.items():
                    of, _, dataset = key.partition("/")
                    if of == test.id and noted.get("status") == "done":
                        cells.setdefault(dataset, (test.id, noted))
        for dataset, (of, noted) in cells.items():
            if not choice.datasets or dataset in choice.datasets:
                yield CellKey(name, model, of, dataset), noted, chance


def _check(benchmark: Benchmark, folders: Paths, choice: SearchChoice, models: set[str]) -> None:
    if not models:
        raise ConfigError(
            f"no results in {folders.method_tests}; make them with: {advice.command('run')}"
        )
    for name in choice.targets:
        benchmark.find("targets", name, "--target")
    for name in choice.datasets:
        benchmark.find("datasets", name, "--dataset")
    for name in choice.models:
        if name not in models:
            raise unknown("model with results", name, models, "--model")


def _is_agreement(test: Test, target: Target) -> bool:
    """Whether a test compares single samples, not distributions."""
    return any(METRICS.get(use.metric).direction == "higher" for use in test.uses(target.kind))


def _search(
    rebuilder: Rebuilder, evaluation: Evaluation, key: CellKey, level: float
) -> tuple[list[SliceRow], str]:
    view, cell = evaluation.view, evaluation.cell
    properties, note = _properties(rebuilder, view)
    losses, unit = loss(view)
    speakers = speakers_of(view)
    findings = search(
        losses, speakers, properties, seed=view.seed, keys=("slices", key.dataset), level=level
    )
    version = str(cell.parts["model_version"])
    rows = []
    for finding in findings:
        status = _status(finding, level)
        members = np.logical_and.reduce([properties[p].codes == v for p, v in finding.parts])
        names = [f"{properties[p].name}: {properties[p].values[v]}" for p, v in finding.parts]
        values = (
            *(key.target, key.model, version, key.test, key.dataset, ", ".join(names)),
            *(status, unit, *_numbers(finding), level, cell.hash),
            () if status == TRIED else _clips(view, losses, speakers, members),
        )
        rows.append(SliceRow(*values))
    return rows, note


def loss(view: View) -> tuple[np.ndarray, str]:
    """How wrong each prediction is, and what that is called; NaN without an annotation."""
    truth, prediction = view.truth, view.prediction
    if kinds.of(view.target).is_number:
        gaps = np.abs(np.asarray(prediction, dtype=float) - np.asarray(truth, dtype=float))
        return gaps, "absolute error"
    wrong = [
        float(b != a) if a is not None else np.nan for a, b in zip(truth, prediction, strict=True)
    ]
    return np.array(wrong), "share of wrong answers"


def speakers_of(view: View) -> np.ndarray:
    """Name of the speaker of each sample; a sample whose speaker is not known stands alone."""
    samples = view.samples
    alone = np.array([f"sample {number}" for number in range(len(samples))], dtype=object)
    if CLUSTER not in samples:
        return alone
    names = samples[CLUSTER]
    # no name of a speaker can be that of a sample
    return np.where(names.notna(), "speaker " + names.astype(str), alone).astype(object)


def _properties(rebuilder: Rebuilder, view: View) -> tuple[list[Property], str]:
    """Everything that divides the samples, and why some of it is missing."""
    properties = [
        labels(name, values)
        for name, values in _columns(rebuilder, view)
        if 1 < len({value for value in values if value is not None}) <= MOST_VALUES
    ]
    samples = rebuilder.samples(view.dataset)
    try:
        measures = acoustics.measured(replace(samples, table=view.samples), rebuilder.context)
    except DatasetUnavailable as error:
        return properties, f"signals were not measured: {error}"
    for name, values in measures.items():
        properties.append(quantile_bins(NAMES[name], values, BINS, acoustics.UNITS[name]))
    return [part for part in properties if len(part.values) > 1], ""


def _columns(rebuilder: Rebuilder, view: View) -> Iterator[tuple[str, np.ndarray]]:
    """Labels of the samples: columns of words; numbers that are predicted are no labels."""
    for name in datasets.declared_columns(rebuilder.benchmark.datasets[view.dataset]):
        values = view.samples[name].to_numpy()
        is_word = all(value is None or isinstance(value, str) for value in values.tolist())
        if name != CLUSTER and is_word:
            yield name, values


def _status(finding: SliceFinding, level: float) -> str:
    if finding.is_confirmed(level):
        return CONFIRMED
    return TRIED if np.isnan(finding.q) else FOUND


def _numbers(finding: SliceFinding) -> tuple[Any, ...]:
    """Columns of a row from ``n`` to ``found_q``, in their order."""
    first, second = finding.found, finding.held_out
    gaps = [float(half.error - half.elsewhere) for half in (second, first)]
    return (
        *(int(second.n), int(second.speakers), float(second.error), float(second.elsewhere)),
        *(gaps[0], float(second.low), float(second.high), finding.q),
        *(int(first.n), int(first.speakers), gaps[1], finding.q_found),
    )


def _clips(
    view: View, losses: np.ndarray, speakers: np.ndarray, members: np.ndarray
) -> tuple[Clip, ...]:
    """The samples with the largest loss, one of each speaker."""
    table = view.samples
    rows = np.flatnonzero(members & ~np.isnan(losses))
    places = [tuple(table.loc[row, KEYS]) for row in rows]
    order = sorted(range(len(rows)), key=lambda n: (-losses[rows[n]], places[n]))
    clips: list[Clip] = []
    heard: set[str] = set()
    for number in order:
        row = int(rows[number])
        if speakers[row] in heard or len(clips) == CLIPS:
            continue
        heard.add(speakers[row])
        file, start, end = places[number]
        said = [_text(single(values, row)) for values in (view.truth, view.prediction)]
        clips.append(Clip(str(file), int(start), int(end), float(losses[row]), said[0], said[1]))
    return tuple(clips)


class _Answers:
    """Predictions of all models for the samples of a cell, whatever is searched."""

    def __init__(self, benchmark: Benchmark, folders: Paths, rebuilder: Rebuilder):
        self._benchmark, self._folders, self._rebuilder = benchmark, folders, rebuilder
        self._views: dict[CellKey, dict[str, View]] = {}

    def __call__(self, key: CellKey) -> dict[str, View]:
        """Other models -> what they were given and predicted; those in the cache only."""
        place = key._replace(model="")
        if place not in self._views:
            self._views[place] = dict(self._all(place))
        return {model: view for model, view in self._views[place].items() if model != key.model}

    def _all(self, place: CellKey) -> Iterator[tuple[str, View]]:
        for path in sorted(self._folders.method_tests.glob(f"{place.target}/*/manifest.json")):
            manifest = Manifest.read(path)
            cells = manifest.cells if manifest else {}
            noted = cells.get(f"{place.test}/{place.dataset}")
            if manifest is None or noted is None or noted.get("status") != "done":
                continue
            key = place._replace(model=path.parent.name)
            with contextlib.suppress(BenchmarkError):
                chance = bool(manifest.model.get("chance"))
                yield key.model, self._rebuilder(key, noted, chance=chance).view


def _answered(rows: list[SliceRow], views: Mapping[str, View]) -> list[SliceRow]:
    """Rows whose clips have the predictions of other models."""
    places = {(clip.file, clip.start, clip.end) for row in rows for clip in row.clips}
    texts: dict[tuple[str, int, int], list[tuple[str, str]]] = {}
    for model, view in views.items():
        columns = [view.samples[name].tolist() for name in KEYS]
        for number, key in enumerate(zip(*columns, strict=True)):
            if key in places:
                texts.setdefault(key, []).append((model, _text(single(view.prediction, number))))
    return [
        replace(
            row,
            clips=tuple(
                replace(clip, others=tuple(texts.get((clip.file, clip.start, clip.end), ())))
                for clip in row.clips
            ),
        )
        for row in rows
    ]


def _played(rows: list[SliceRow], samples: Samples, play: Play) -> list[SliceRow]:
    """Rows whose clips have their sounds."""
    return [
        replace(
            row,
            clips=tuple(
                replace(clip, sound=play(samples, clip.file, clip.start, clip.end))
                for clip in row.clips
            ),
        )
        for row in rows
    ]


def _text(value: Any) -> str:
    return display.number(value, digits=2) if isinstance(value, float) else str(value)
