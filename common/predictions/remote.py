"""What a worker on another machine does: it refuses what it would compute otherwise, and computes shards.

A worker gets everything by value: a :class:`Setting` once, and shards. It has to have the code of the run,
the same versions of the packages that decide about numbers, the files of the models, and the audio.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from .. import models
from ..core import closure, heap, paths
from ..core.environment import environment
from ..core.errors import BenchmarkError, ConfigError
from ..core.provenance import digest
from ..models.lazy import Lazy
from ..perturbations.base import PERTURBATIONS
from ..perturbations.library import Library
from ..samples import datasets
from ..spec import Benchmark, Entry
from ..spec.kinds import KINDS
from ..spec.view import ORIGINAL
from .lanes import Here, Lane
from .shards import Resources, Shard, ShardResult, Wish, compute

#: variable of the environment of a worker: what folders of the run are called there
PATHS = "SPEECHPROOF_PATHS"
#: settings whose models a worker holds at a time
HELD = 2

E = TypeVar("E", bound=Entry)


class RefusedWorkError(BenchmarkError):
    """A worker would compute something else than the run asks for, or cannot see its files."""


@cache
def identity() -> Mapping[str, str]:
    """What decides about the predictions of this process: its code and versions of packages."""
    adapters = [f"{models.__name__}.{name}" for name in models.ADAPTERS]
    adapters += [f"{datasets.__package__}.{name}_adapter" for name in datasets.ADAPTERS]
    names = [KINDS.origin(name) for name in KINDS.names()]
    names += [PERTURBATIONS.origin(name) for name in PERTURBATIONS.names()]
    starts = [paths.named(name) for name in [__name__, *adapters, *names]]
    versions = {name: version.partition("+")[0] for name, version in environment().items()}
    versions["python"] = versions["python"].rpartition(".")[0]
    return {"code": closure.code_of(*starts), **versions}


def difference(expected: Mapping[str, str]) -> str:
    """In what this process differs from one with another :func:`identity`; empty: in nothing.

    Packages that the other one does not have are its own business.
    """
    mine = identity()
    for name, value in expected.items():
        if mine.get(name) != value:
            return f"{name} {mine.get(name, 'is missing')} instead of {value}"
    return ""


@dataclass(frozen=True, eq=False)
class Setting:
    """What workers need besides shards, by value.

    Args:
        benchmark: declarations
        cache: cache folder of the program
        seed: seed of the run
        device: auto, cpu or cuda
        package: folder of the program where the run was started
        identity: what decides about predictions there
    """

    benchmark: Benchmark
    cache: str
    seed: int
    device: str
    package: str
    identity: Mapping[str, str]

    @classmethod
    def of(cls, benchmark: Benchmark, cache: Path, seed: int, device: str) -> Setting:
        """Setting of a run that is started by this process."""
        declared = benchmark.model_copy(update={"tests": {}})
        return cls(declared, str(cache), seed, device, str(paths.PACKAGE), dict(identity()))

    @cached_property
    def digest(self) -> str:
        """Hash of all of it: equal runs have equal ones."""
        entries = [
            [str(entry.origin), entry.may_run_code, entry.model_dump(mode="json", fallback=repr)]
            for declared in vars(self.benchmark).values()
            for entry in declared.values()
        ]
        parts = [self.cache, self.seed, self.device, self.package, dict(self.identity)]
        return digest([entries, *parts])

    def needs_gpu(self, model: str) -> bool:
        """Whether only workers with the resource GPU compute a model."""
        entry = self.benchmark.models.get(model)
        return entry is not None and models.listens(entry) and self.device.startswith("cuda")


def translations(text: str) -> list[tuple[str, str]]:
    """What :data:`PATHS` says: folders of the run and what they are called on this machine.

    Raises:
        ConfigError: if it is no list of ``FROM=TO``

    >>> translations("/shared/ann=/volume/ann:/audio=/fast/audio")
    [('/shared/ann', '/volume/ann'), ('/audio', '/fast/audio')]
    """
    pairs = []
    for item in filter(None, text.split(os.pathsep)):
        before, equals, after = item.partition("=")
        if not (before and equals and after):
            raise ConfigError(f"{PATHS}: expected FROM=TO, found '{item}'")
        pairs.append((before.rstrip("/") or "/", after))
    return pairs


def translated(path: str, pairs: list[tuple[str, str]]) -> str:
    """Where a folder or file of the run is on this machine; the first pair that fits counts.

    >>> translated("/audio/db/a.wav", [("/shared", "/volume"), ("/audio", "/fast")])
    '/fast/db/a.wav'
    >>> translated("/audiobooks", [("/audio", "/fast")])
    '/audiobooks'
    """
    for before, after in pairs:
        if Path(path).is_relative_to(before):
            return str(Path(after) / Path(path).relative_to(before))
    return path


class _Process:
    """What this process holds for the shards of a setting."""

    def __init__(self, setting: Setting):
        pairs = translations(os.environ.get(PATHS, ""))
        self._pairs = [*pairs, (setting.package, str(paths.PACKAGE))]
        self._cache = Path(translated(setting.cache, pairs))
        closure.SOURCES.keep_in(self._cache)
        heap.keep()
        benchmark = setting.benchmark
        parts = {name: self._placed(entries) for name, entries in vars(benchmark).items()}
        self._benchmark = benchmark.model_copy(update=parts)
        self._library = Library(self._benchmark, self._cache, seed=setting.seed)
        load = partial(models.load, seed=setting.seed, device=setting.device, cache=self._cache)
        targets = self._benchmark.targets
        self._models: dict[str, Lazy] = {
            name: Lazy(partial(load, entry, targets))
            for name, entry in self._benchmark.models.items()
        }
        self._checked: set[str] = set()

    def _placed(self, entries: Mapping[str, E]) -> dict[str, E]:
        """Entries whose files are looked for where they are on this machine."""
        return {
            name: entry.model_copy(
                update={"origin": Path(translated(str(entry.origin), self._pairs))}
            )
            for name, entry in entries.items()
        }

    def compute(self, shard: Shard, sizes: Mapping[str, int] | None = None) -> ShardResult:
        """The result of a shard, once it is clear that it is the one that the run asks for."""
        root = translated(shard.root, self._pairs) if shard.root else ""
        if root and not Path(root).is_dir():
            place = root if root == shard.root else f"{root}, as {PATHS} says"
            raise RefusedWorkError(f"{shard.database}: no folder {place}")
        _check_audio(Path(root), sizes or {})
        for wish in shard.wishes:
            self._check(wish)
        lanes: SimpleQueue[Lane] = SimpleQueue()
        lanes.put(Here(self._library))
        return compute(replace(shard, root=root), Resources(self._models, lanes))

    def _check(self, wish: Wish) -> None:
        """Refuse a model with other files, or a perturbation that draws from other recordings."""
        expected = str(wish.made_of.get("fingerprint")), str(wish.made_of.get("perturbation"))
        key = digest([wish.model, wish.condition, *expected])
        if key in self._checked:
            return
        if wish.model not in self._models:
            raise RefusedWorkError(f"model '{wish.model}' is no entry of the catalog")
        fingerprint = models.fingerprint(self._benchmark.models[wish.model], cache=self._cache)
        if fingerprint != expected[0]:
            raise RefusedWorkError(
                f"the files of model '{wish.model}' here differ from those where the run was started"
            )
        if wish.condition != ORIGINAL and self._library.digest(wish.condition) != expected[1]:
            raise RefusedWorkError(
                f"the recordings of perturbation '{wish.condition}' here differ from those where the run was started"
            )
        self._checked.add(key)


def _check_audio(root: Path, sizes: Mapping[str, int]) -> None:
    """Refuse audio that is not that of the run: a copy that is old, or of which a part is missing."""
    for file, expected in sizes.items():
        try:
            size = (root / file).stat().st_size
        except OSError as error:
            raise RefusedWorkError(f"{root / file}: {error.strerror}") from None
        if size != expected:
            raise RefusedWorkError(
                f"{root / file}: has {size} bytes here, {expected} where the run was started"
            )


_processes: OrderedDict[str, _Process] = OrderedDict()
_lock = threading.Lock()


def _process(setting: Setting) -> _Process:
    """What this process holds for a setting; made with its first shard."""
    with _lock:
        if setting.digest not in _processes:
            reason = difference(setting.identity)
            if reason:
                raise RefusedWorkError(reason)
            _processes[setting.digest] = _Process(setting)
        _processes.move_to_end(setting.digest)
        while len(_processes) > HELD:
            _processes.popitem(last=False)
        return _processes[setting.digest]


def hand_over(setting: Setting) -> Setting:
    """The setting itself: as the result of a task, workers get it from each other."""
    return setting


def audio_sizes(shard: Shard) -> dict[str, int]:
    """Bytes of the audio files of a shard where the run was started, of those that are there."""
    sizes = {}
    for file in dict.fromkeys(shard.files) if shard.root else ():
        with suppress(OSError):
            sizes[file] = (Path(shard.root) / file).stat().st_size
    return sizes


def work(setting: Setting, shard: Shard, sizes: Mapping[str, int] | None = None) -> ShardResult:
    """The result of a shard, on a worker.

    Args:
        setting: of the run
        shard: what is asked
        sizes: of its audio files, see :func:`audio_sizes`; None: nobody has looked

    Raises:
        RefusedWorkError: if this worker would compute something else, or cannot see the files
        RuntimeError: with the traceback of any other error; not all of them can be sent
    """
    try:
        return _packed(_process(setting).compute(shard, sizes))
    except BenchmarkError as error:
        from distributed import get_worker

        raise RefusedWorkError(refusal(get_worker().address, str(error))) from None
    except Exception:
        raise RuntimeError(traceback.format_exc()) from None


def _packed(result: ShardResult) -> ShardResult:
    """A result whose wishes have one array each: many small ones take five times the bytes to send."""
    answers = (replace(answer, parts=[answer.values]) for answer in result.answers)
    return replace(result, answers=tuple(answers))


def refusal(worker: str, reason: str) -> str:
    """What is said of a worker that would compute something else."""
    return f"worker {worker} would not compute what this run asks for: {reason}"


__all__ = [
    "PATHS",
    "RefusedWorkError",
    "Setting",
    "audio_sizes",
    "difference",
    "hand_over",
    "identity",
    "refusal",
    "translations",
    "work",
]
