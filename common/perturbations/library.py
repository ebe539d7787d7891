"""Perturbations of the catalog, ready to be applied to samples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import closure, provenance, rng
from ..core.errors import DatasetUnavailable
from ..core.registry import unknown
from ..samples import datasets
from ..spec import Benchmark, Dataset, Perturbation, Target, kinds
from . import amr
from .base import PERTURBATIONS
from .corpora import Corpora, CorpusSpec, Located, corpus_spec
from .severity import levels

if TYPE_CHECKING:
    from ..models.base import SampleKey

#: parameter that names recordings of a dataset
CORPUS = "corpus"
#: modules that need more than the program itself -> why they cannot be used
NEEDS: dict[str, Callable[[], str]] = {amr.__name__: amr.missing}


class Library:
    """All perturbations of a benchmark.

    Args:
        benchmark: declarations
        cache: cache folder of the program
        seed: seed of the run
        download: id of a dataset -> whether it may be fetched from a remote repository
    """

    def __init__(
        self,
        benchmark: Benchmark,
        cache: Path,
        *,
        seed: int = rng.DEFAULT_SEED,
        download: Callable[[str], bool] = lambda dataset: False,
    ):
        self.benchmark = benchmark
        self.seed = seed
        self.cache = cache
        self._digests: dict[str, str] = {}
        self._specs: dict[str, CorpusSpec | None] = {}
        entries = benchmark.perturbations.items()
        self._variants = {(e.variant_of, e.corpora): name for name, e in entries if e.variant_of}
        self.corpora = Corpora(benchmark, cache, download)

    def entry(self, name: str) -> Perturbation:
        """Entry of the catalog; raises ConfigError with the nearest id."""
        perturbation: Perturbation = self.benchmark.find("perturbations", name)
        return perturbation

    def variant(self, name: str, corpora: str) -> str:
        """Id of the perturbation that stands for another one with a set of corpora.

        Args:
            name: id of a perturbation, as in a test
            corpora: set that a dataset wants; empty: that of the paper

        Returns:
            the variant of that set; ``name`` itself if the set has none, as for changes that
            need no recordings
        """
        return self._variants.get((name, corpora), name)

    def recordings(self, name: str) -> Dataset | None:
        """Entry of the dataset that a perturbation draws from, if it needs one."""
        spec = _corpus(self.entry(name))
        return None if spec is None else self.corpora.dataset(spec)

    def remark(self, name: str) -> str:
        """Which recordings a perturbation draws from, for a row; empty if it needs none."""
        dataset = self.recordings(name)
        return "" if dataset is None else f"recordings of {dataset.database} {dataset.version}"

    def unfit(self, target: Target, name: str) -> str:
        """Why predictions of a target cannot be compared after a perturbation; empty: they can."""
        if self.entry(name).keeps_timing or not kinds.get(target.kind).keeps_time:
            return ""
        return "it moves the signal in time, by which events are annotated"

    def missing(self, name: str) -> str:
        """Why a perturbation cannot be applied on this machine; empty if it can."""
        entry = self.entry(name)
        spec = _corpus(entry)
        if spec is not None and self.corpora.missing(spec):
            others = sorted(corpora for base, corpora in self._variants if base == name)
            hint = (
                f". Other recordings: 'corpora: {others[0]}' in the dataset's entry"
                if others
                else ""
            )
            return self.corpora.missing(spec) + hint
        used = closure.SOURCES.modules(PERTURBATIONS.get(entry.function))
        reasons = (why() for module, why in NEEDS.items() if module in used)
        return next((reason for reason in reasons if reason), "")

    def prepare(self, name: str) -> str:
        """Fetch what a perturbation needs; returns why that cannot be had, empty if it is there.

        Raises:
            DataError: if its recordings are not as the catalog says
        """
        reason = self.missing(name)
        spec = _corpus(self.entry(name))
        if spec is not None and not reason:
            try:
                self.corpora.get(spec)
            except DatasetUnavailable as error:
                return str(error)
        return reason

    def digest(self, name: str) -> str:
        """Hash of what decides about the outcome besides signal and seed.

        These are id and parameters, the code of the function and of this class with all that
        they use, and the recordings it draws from.
        """
        if name not in self._digests:
            self._digests[name] = self._digest(self.entry(name))
        return self._digests[name]

    def _digest(self, entry: Perturbation) -> str:
        spec = _corpus(entry)
        function = PERTURBATIONS.get(entry.function)
        return provenance.digest(
            {
                "id": entry.id,
                "function": entry.function,
                "params": dict(entry.params),
                "code": closure.code_of(function, type(self)),
                "recordings": "" if spec is None else self.corpora.fingerprint(spec),
            }
        )

    def perturb(
        self, name: str, signal: np.ndarray, sampling_rate: int, key: SampleKey
    ) -> np.ndarray:
        """Changed signal of a sample.

        Draws depend on the seed, the id of the perturbation, the database, the file and the
        start of the sample, and on nothing else.

        Args:
            name: id of the perturbation
            signal: float32, shape (channels, samples)
            sampling_rate: in Hz
            key: identity of the sample

        Returns:
            float32, shape (channels, samples); the number of samples may differ
        """
        random = rng.generator(
            self.seed, self.entry(name).id, key.database, key.file, int(key.start)
        )
        return self.apply(name, signal, sampling_rate, random)

    def apply(
        self,
        name: str,
        signal: np.ndarray,
        sampling_rate: int,
        generator: np.random.Generator,
        *,
        demo: bool = False,
        params: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Changed signal, with draws of a given generator.

        Args:
            name: id of the perturbation
            signal: float32, shape (channels, samples)
            sampling_rate: in Hz
            generator: source of all draws
            demo: whether to draw from few recordings only
            params: parameters that differ from those of the entry
        """
        entry = self.entry(name)
        arguments = {**entry.params, **(params or {})}
        spec = self._spec(entry)
        if spec is not None:
            corpus = self.corpora.get(spec)
            arguments[CORPUS] = corpus.first(spec.demo) if demo else corpus
        changed: np.ndarray = PERTURBATIONS.get(entry.function)(
            signal, sampling_rate, generator, **arguments
        )
        return changed

    def located(self, name: str) -> Located:
        """Where the recordings are that a perturbation draws from, for other processes."""
        spec = self._spec(self.entry(name))
        return {} if spec is None else self.corpora.located(spec)

    def _spec(self, entry: Perturbation) -> CorpusSpec | None:
        """Which recordings a perturbation draws from; checked once, not for each signal."""
        if entry.id not in self._specs:
            self._specs[entry.id] = _corpus(entry)
        return self._specs[entry.id]


def _corpus(entry: Perturbation) -> CorpusSpec | None:
    content = entry.params.get(CORPUS)
    place = f"{entry.origin}: {entry.id}.params.{CORPUS}"
    return None if content is None else corpus_spec(content, place)


def corpus_of(entry: Perturbation) -> str:
    """Id of the dataset that a perturbation draws from, empty if it needs none."""
    spec = _corpus(entry)
    return "" if spec is None else spec.dataset


def faults(benchmark: Benchmark, entry: Perturbation) -> Iterator[str]:
    """What is wrong with an entry of the catalog, one line each."""
    where = f"{entry.origin}: {entry.id}"
    function = PERTURBATIONS.get(entry.function, f"{where}.function")
    parameters = inspect.signature(function).parameters
    types = {n: p.annotation for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    for name, value in entry.params.items():
        if name not in types:
            yield str(unknown(f"parameter of '{entry.function}'", name, types, f"{where}.params"))
        elif not _fits(types[name], value):
            yield f"{where}.params.{name}: expected {_EXPECTED[types[name]]}, found {value!r:.60}"
    for name in types:
        if name not in entry.params:
            yield f"{where}.params: parameter '{name}' of '{entry.function}' is missing"
    spec = _corpus(entry)
    if spec is not None:
        dataset = benchmark.find("datasets", spec.dataset, f"{where}.params.{CORPUS}.dataset")
        columns = datasets.declared_columns(dataset)  # none: a folder that is not here
        for column in spec.where:
            if columns and column not in columns:
                yield str(unknown("column", column, columns, f"{where}.params.{CORPUS}.where"))
    base = benchmark.perturbations.get(entry.variant_of)
    axes = (None if base is None else base.severity, entry.severity)
    if axes[0] and axes[1] and axes[0].levels != axes[1].levels:
        yield f"{where}.severity: other levels than those of '{entry.variant_of}'"
    for level in levels(entry):
        for fault in faults(benchmark, level.entry):
            at = f"{where}.severity, level {level.level:g}"
            yield fault.replace(f"{where}.params", at, 1)
            return


#: annotation of a parameter -> what a catalog must give
_EXPECTED = {
    "Choice": "a number or several to draw from",
    "float": "a number",
    "int": "a whole number",
}


def _fits(annotation: str, value: Any) -> bool:
    """Whether a value of the catalog can be given for a parameter."""
    if annotation == "Choice" and isinstance(value, list | tuple):
        return bool(value) and all(_fits("float", item) for item in value)
    kinds = {"Choice": (int, float), "float": (int, float), "int": (int,)}
    if annotation not in kinds:
        return True
    return isinstance(value, kinds[annotation]) and not isinstance(value, bool)
