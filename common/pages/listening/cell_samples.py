"""The samples behind every cell of own results, for the pages on which they are listened to.

For each target and dataset ``extra/media/tables/<target>/<dataset>.js`` has the samples with truth
and all answers (:mod:`common.pages.listening.sample_table`), and which of them can be heard: the
worst ones, until their share of the room is full. ``extra/media/<target>/samples.json`` says which tests
have such a table, or why a dataset has none. Nothing is said about samples that may not be
published. What is there and was made from what is there now is left alone.
"""

from __future__ import annotations

import csv
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core import closure, files, paths, processes, provenance
from ...core.errors import BenchmarkError
from ...core.paths import Paths
from ...core.rng import DEFAULT_SEED
from ...perturbations.library import Library
from ...results import sample_tables
from ...results.keys import CellKey
from ...results.sample_tables import PICTURE
from ...spec import Benchmark, Dataset
from ...spec.view import ORIGINAL
from . import licences
from .sample_groups import SampleGroup, sample_groups
from .sample_table import AnsweredCell, SampleTable, WorstFirst
from .samples import Rebuild, condition_label
from .sounds import Key, SoundMaker

logger = logging.getLogger(__name__)

#: a sample, and the id of the perturbation that it is heard after, or ``original``
State = tuple[Key, str]

#: sounds and pictures of a table without annotations take at most so much room
MOST_MB_UNKNOWN = 0.75


class TableMade(NamedTuple):
    """What became of a table.

    Args:
        silent: why there is none; empty: there is one
        files: sounds and pictures that it needs, below ``extra/media/``
        compared: tests in which models can be better or worse on a sample, as it is annotated or changed
    """

    silent: str
    files: set[str]
    compared: set[str]


#: target and dataset -> what became of their table
Outcomes = dict[tuple[str, str], TableMade]


def begin(
    benchmark: Benchmark,
    folders: Paths,
    rebuild: Rebuild,
    *,
    seed: int = DEFAULT_SEED,
    download: bool = False,
    workers: int = 1,
    most_mb: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Callable[[], set[str]]:
    """Bring the tables of all targets up to date, and leave some to other processes.

    Args:
        benchmark: catalog and suite
        folders: where results are, where to write, and the cache
        rebuild: finds samples and predictions of a cell
        seed: seed of the run
        download: whether recordings may be fetched from remote repositories
        workers: so many processes or threads make sounds
        most_mb: room of the sounds of a table; None: what is usual for answers of its kind
        progress: told how many of the tables of this process are up to date

    Returns:
        waits for the others, writes which tables there are, and returns the files with sounds that
        they need

    Raises:
        OutputError: if a file cannot be written
    """
    groups = sample_groups(benchmark, folders)
    maker = _Maker(benchmark, folders, rebuild, seed, download, most_mb)
    return partial(_settled, maker, groups, _outcomes(maker, groups, workers, progress))


def _settled(
    maker: _Maker, groups: Sequence[SampleGroup], wait: Callable[[], Outcomes]
) -> set[str]:
    """Write which tables there are, remove the others, and return the files that they need."""
    folders, outcomes = maker.folders, wait()
    tables: set[Path] = set()
    used: set[str] = set()
    indices: dict[str, dict[str, Any]] = {target: {} for target in maker.benchmark.targets}
    for group in groups:
        silent, sounds, compared = outcomes[group.target.id, group.dataset.id]
        entry = {"silent": silent, "tests": sorted(group.cells), "compared": sorted(compared)}
        indices[group.target.id][group.dataset.id] = entry
        if not silent:
            tables.add(folders.sample_table(group.target.id, group.dataset.id))
            used |= sounds
    for target, index in indices.items():
        place = folders.media / target / sample_tables.INDEX
        if index:
            files.write_text(place, sample_tables.index(index), only_changed=True)
        else:
            place.unlink(missing_ok=True)
    for path in sorted((folders.media / paths.TABLES).rglob("*")):
        if path.is_file() and path not in tables:
            path.unlink()
    return used


def _outcomes(
    maker: _Maker,
    groups: Sequence[SampleGroup],
    workers: int,
    progress: Callable[[int, int], None],
) -> Callable[[], Outcomes]:
    """Bring a share of the tables up to date; what waits for the others and says what became of all.

    The tables of a dataset, which share its sounds, are made in one process; a dataset that may not
    be played costs nothing.
    """
    sizes: dict[str, int] = {}
    for group in groups:
        name = group.dataset.id
        cost = 0 if licences.silent(group.dataset) else sum(map(len, group.cells.values()))
        sizes[name] = sizes.get(name, 0) + cost
    shares: list[list[str]] = [[] for _ in range(max(workers, 1))]
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        min(shares, key=lambda share: sum(map(sizes.__getitem__, share))).append(name)
    shares = [share for share in shares if share] or [[]]
    maker.workers = max(workers // len(shares), 1)
    first, *others = (
        partial(maker.tables, [group for group in groups if group.dataset.id in share])
        for share in shares
    )
    waiting = [processes.beside(workers, other) for other in others]
    mine = first(progress)
    return lambda: reduce(or_, (wait() for wait in waiting), mine)


def _files(content: Mapping[str, Any]) -> set[str]:
    """Sounds and pictures of a table, below ``extra/media/``."""
    sounds = [str(sound[0]) for sound in content.get("sounds", ())]
    return {*sounds, *(str(Path(src).with_suffix(PICTURE).as_posix()) for src in sounds)}


def _compared(content: Mapping[str, Any]) -> set[str]:
    """Tests of a table in which models can be better or worse on a sample."""
    if content.get("truth") is not None:
        return set(content["tests"])
    return {name.partition("/")[0] for name in content.get("changes", ())}


class _Maker:
    """Makes tables and the sounds that they need.

    Attributes:
        workers: so many sounds are made at the same time
    """

    def __init__(
        self,
        benchmark: Benchmark,
        folders: Paths,
        rebuild: Rebuild,
        seed: int,
        download: bool,
        most_mb: float | None,
    ):
        self.benchmark, self.folders, self.rebuild = benchmark, folders, rebuild
        self.most_mb = most_mb
        self.library = Library(benchmark, folders.cache, seed=seed, download=lambda _: download)
        self.workers = 1
        self.code = closure.code_of(type(self))
        self.sounds = SoundMaker(benchmark, folders, self.library, download=download)

    def tables(
        self,
        groups: Sequence[SampleGroup],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Outcomes:
        """Bring tables up to date; for target and dataset what became of it."""
        outcomes = {}
        for number, group in enumerate(groups):
            progress(number, len(groups))
            silent, content = self.table(group)
            place = group.target.id, group.dataset.id
            outcomes[place] = TableMade(silent, _files(content), _compared(content))
        return outcomes

    def table(self, group: SampleGroup) -> tuple[str, Mapping[str, Any]]:
        """Bring a table up to date; why there is none, or what is in it."""
        dataset = group.dataset
        path = self.folders.sample_table(group.target.id, dataset.id)
        silent = licences.silent(dataset)
        if silent:
            return silent, {}
        about = [dataset.license, dataset.label, dataset.source]
        cells = [
            [test, model, noted["hash"]]
            for test, models in group.cells.items()
            for model, noted in sorted(models.items())
        ]
        key = provenance.digest(
            [
                sample_tables.FORMAT,
                [MOST_MB_UNKNOWN, self.most_mb],
                self.code,
                self.library.seed,
                about,
                cells,
                sorted(self._counting(group)),
            ]
        )
        old = sample_tables.read(path)
        there = all((self.folders.media / src).is_file() for src in _files(old))
        if old and old["key"] == key and there:
            return "", old
        answered = self._answered(group)
        if not answered:
            return "The answers of its models are not in the cache any more.", {}
        if sum(map(len, answered.values())) < len(cells):
            key = ""  # the next run tries again
        content = {"key": key, **self._content(group, answered)}
        text = sample_tables.script(group.target.id, dataset.id, content)
        files.write_text(path, text, only_changed=True)
        return "", content

    def _counting(self, group: SampleGroup) -> set[str]:
        """Models that decide which samples are the worst."""
        models = {model for tests in group.cells.values() for model in tests}
        return {m for m in models if not self.benchmark.models[m].is_chance} or models

    def _answered(self, group: SampleGroup) -> dict[str, dict[str, AnsweredCell]]:
        """Cells whose predictions are here."""
        answered: dict[str, dict[str, AnsweredCell]] = {}
        for test, models in group.cells.items():
            for model, noted in models.items():
                key = CellKey(group.target.id, model, test, group.dataset.id)
                try:
                    chance = self.benchmark.models[model].is_chance
                    cell, view = self.rebuild(key, noted, chance=chance)
                except BenchmarkError as error:
                    logger.info("%s: its samples are not shown: %s", key, error)
                    continue
                if view.predictions:
                    lines = self._lines(key)
                    answered.setdefault(test, {})[model] = AnsweredCell(cell, view, lines)
        return answered

    def _lines(self, key: CellKey) -> list[tuple[str, str, str]]:
        """Data, condition and label of the result rows of a cell."""
        path = self.folders.results(key.target, key.model, key.test)
        if not path.exists():
            return []
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["dataset"] == key.dataset]
        return list(dict.fromkeys((r["data"], r["condition"], r["label"]) for r in rows))

    def _content(
        self, group: SampleGroup, answered: Mapping[str, Mapping[str, AnsweredCell]]
    ) -> dict[str, Any]:
        table = SampleTable(group.target, group.dataset, answered, self._counting(group))
        names = {n for c in table.changes.values() for n in (c.condition, c.reference)}
        content = table.content({name: condition_label(self.benchmark, name) for name in names})
        dataset = group.dataset
        about = {
            "label": dataset.label or dataset.id,
            "license": dataset.license,
            "source": dataset.source,
        }
        return {**about, **content, **self._heard(group, table)}

    def _heard(self, group: SampleGroup, table: SampleTable) -> dict[str, Any]:
        """Sounds of the worst samples, and which sample and change they belong to."""
        rows, _ = table.chosen()
        new = {int(row): place for place, row in enumerate(rows)}
        usual = MOST_MB_UNKNOWN if table.truth is None else table.kind.most_mb
        room = usual if self.most_mb is None else self.most_mb
        sounds = _Sounds(self.sounds, group.dataset, room)
        heard: dict[str, dict[str, Any]] = {"": {}}
        silent = ""
        worst = list(_by_rank(table.lists(), rows))
        sounds_of = (_states(table, each, row) for each, row in worst)
        try:
            for places, (each, row) in zip(
                sounds.places(sounds_of, self.workers), worst, strict=False
            ):
                sample = str(new[row])
                if not each.change:
                    heard[""][sample] = places[0]
                    continue
                heard.setdefault(each.change, {})[sample] = places
                if table.changes[each.change].perturbations[0] == ORIGINAL:
                    heard[""].setdefault(sample, places[0])
        except BenchmarkError as error:
            logger.info("%s: samples are not played: %s", group.dataset.id, error)
            silent = f"Not every sound can be made here: {error}"
        return {"sounds": sounds.entries, "heard": heard, "unheard": silent, "mb": room}


def _by_rank(lists: list[WorstFirst], rows: np.ndarray) -> Iterator[tuple[WorstFirst, int]]:
    """The worst sample of each list, then the second worst of each, and so on.

    Args:
        lists: samples, worst first
        rows: samples that are wanted, each once
    """
    ranks = [np.flatnonzero(np.isin(each.samples, rows)) for each in lists]
    numbers = np.repeat(np.arange(len(lists)), [len(each) for each in ranks])
    together = np.concatenate([*ranks, np.empty(0, dtype=np.int64)])
    for place in np.lexsort((numbers, together)):
        each = lists[numbers[place]]
        yield each, int(each.samples[together[place]])


def _states(table: SampleTable, worst: WorstFirst, row: int) -> list[State]:
    """What is heard of a sample: itself, or what it was compared with and what became of it."""
    first = table.keys[row]
    if not worst.change:
        return [(first, ORIGINAL)]
    change = table.changes[worst.change]
    pair = first, table.keys[int(change.partner[row])]
    return list(zip(pair, change.perturbations, strict=True))


class _Sounds:
    """Sounds of a table, each once."""

    def __init__(self, make: SoundMaker, dataset: Dataset, most_mb: float):
        self._make, self._dataset, self._most = make, dataset, most_mb * 1_000_000
        self._begun: dict[State, Future[dict[str, Any]]] = {}
        self._places: dict[State, int] = {}
        self._bytes = 0
        self.entries: list[list[Any]] = []

    def places(self, groups: Iterable[list[State]], workers: int) -> Iterator[list[int]]:
        """Places of sounds in the list, until there is no room for more.

        A few are begun before it is known whether there is room for them.

        Args:
            groups: sounds that belong together
            workers: so many are made at the same time

        Raises:
            BenchmarkError: if one cannot be made
        """
        ahead: deque[list[State]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            for states in groups:
                for state in states:
                    if state not in self._begun:
                        key, used = state
                        self._begun[state] = pool.submit(
                            self._make, self._dataset, key, used, drawn=True
                        )
                ahead.append(states)
                if len(ahead) <= workers:
                    continue
                if self._bytes >= self._most:
                    return
                yield [self._place(state) for state in ahead.popleft()]
            while ahead and self._bytes < self._most:
                yield [self._place(state) for state in ahead.popleft()]

    def _place(self, state: State) -> int:
        if state not in self._places:
            sound = self._begun[state].result()
            self._places[state] = len(self.entries)
            self.entries.append([sound["src"], sound["seconds"], sound["lufs"]])
            path = self._make.folders.media / sound["src"]
            self._bytes += path.stat().st_size + path.with_suffix(PICTURE).stat().st_size
        return self._places[state]
