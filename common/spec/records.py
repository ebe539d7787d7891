"""Frozen, validated records of what catalog and suite declare; :mod:`common.spec.loading` loads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import pydantic

from ..core import names
from ..core.registry import unknown
from .axis import Severity
from .criterion import Chance, Criterion, MetricUse, Record
from .frontend import FrontEnd
from .isolation import Isolation
from .permission import Permission
from .ratings import Ratings
from .sizes import Sizes

__all__ = [
    "Benchmark",
    "Chance",
    "Column",
    "Criterion",
    "Dataset",
    "Detection",
    "Entry",
    "MetricUse",
    "Model",
    "Output",
    "Perturbation",
    "Ratings",
    "Record",
    "Severity",
    "Target",
    "Test",
]

KindName = Literal["regression", "classification", "events"]  # modules of common.spec.kinds
KINDS: tuple[KindName, ...] = get_args(KindName)
ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
#: versions stand in names of folders
VERSION_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"


class Entry(Permission):
    """Base of catalog entries; ``origin`` is the file that an entry came from."""

    id: str = pydantic.Field(pattern=ID_PATTERN)
    origin: Path = pydantic.Field(default=Path(), exclude=True)

    _names = pydantic.field_validator("id", "version", "name", check_fields=False)(names.usable)

    def resolve(self, path: str) -> Path:
        """Path relative to the file of the entry."""
        return (self.origin.parent / Path(path).expanduser()).resolve()


class Detection(Record):
    """How frame scores of sound events become events.

    Args:
        hop_s: length of a frame in s, of models that do not say otherwise
        threshold: an event is where the score is above it; one for all classes, or one for each
        median_s: length in s of the median filter of the scores before; 0: none
    """

    hop_s: float = pydantic.Field(gt=0)
    threshold: float | Mapping[str, float] = 0.5
    median_s: float | Mapping[str, float] = 0.0


class Target(Entry):
    """What a model predicts.

    ``labels`` order classes or sound events; ``range`` bounds a regression target.
    """

    label: str
    kind: KindName
    range: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    detection: Detection | None = None
    description: str = ""

    @pydantic.model_validator(mode="after")
    def _complete(self) -> Target:
        from . import kinds

        kinds.of(self).check_target(self)
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the prediction columns: the target, or ``target/label`` per class."""
        from . import kinds

        return kinds.of(self).columns(self)


class Column(Record):
    """Where a column of the sample table comes from.

    Args:
        column: column in the table
        table: other table that holds it, joined by segment if it is segmented, else by file
        map: key of the labels of the column's scheme (audformat), for example ``gender``
        value: a constant for the whole dataset instead of a column
        by_table: a constant for each sample table instead of a column
        overlap: sound events of one class that overlap are an ``error``, or ``merge`` to one
        otherwise: where to look if the data have no such table or column
        optional: whether samples then have no value, instead of an error
    """

    column: str = ""
    table: str = ""
    map: str = ""
    value: str | float | None = None
    by_table: Mapping[str, str] = {}
    overlap: Literal["error", "merge"] = "error"
    otherwise: Column | None = None
    optional: bool = False


class Dataset(Sizes, Entry):
    """One dataset, or one part of it that tests use.

    Args:
        version: version of the data; part of every cache key
        adapter: audb, audformat or folder
        name: name in the audb repository; the id if empty
        path: folder of an audformat or folder dataset
        audio: folder that the files of an audformat dataset are relative to; ``path`` if empty
        table: table or tables that hold the samples
        alias: short name of several tables in the data label
        columns: name in the suite -> column
        mapping: label mapping, per column or for all classification targets
        scale: range of the dimension values in the data, mapped to [0, 1]
        ratings: target -> ratings of single raters
        tests: restricts the tests of a user's dataset
        embedded: made by the program itself on first use
        corpora: noises and rooms that perturbations draw from; empty: those of the paper
    """

    version: str = pydantic.Field(pattern=VERSION_PATTERN)
    label: str = ""
    adapter: Literal["audb", "audformat", "folder"]
    name: str = pydantic.Field(default="", pattern=rf"{ID_PATTERN}|^$")
    path: str = ""
    audio: str = ""
    table: str | tuple[str, ...] = ()
    alias: str = ""
    columns: Mapping[str, Column] = {}
    mapping: Mapping[str, Any] = {}
    scale: Any = None
    license: str = ""
    source: str = ""
    cite: str = ""
    description: str = ""
    ratings: Mapping[str, Ratings] = {}
    tests: tuple[str, ...] | None = None
    embedded: bool = False
    corpora: str = ""

    @pydantic.field_validator("columns", mode="before")
    @classmethod
    def _columns(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: {"column": v} if isinstance(v, str) else v for k, v in value.items()}
        return value

    @pydantic.field_validator("version", mode="before")
    @classmethod
    def _version(cls, value: Any) -> Any:
        return str(value) if isinstance(value, (int, float)) else value

    @property
    def database(self) -> str:
        """Name of the database that holds the audio; several entries may share one."""
        return self.name or self.id

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that hold the samples, in order."""
        return (self.table,) if isinstance(self.table, str) else self.table

    @property
    def data(self) -> str:
        """Label of the data in results: ``{name}-{version}-{table or alias}``."""
        return self.data_of("{table}")

    def data_of(self, part: str) -> str:
        """Label of a part of the data; ``{table}`` in it stands for the table or alias.

        >>> Dataset(id="d", version="1.0.0", adapter="audb", table="t").data_of("{table}-x")
        'd-1.0.0-t-x'
        """
        tail = part.replace("{table}", self.alias or "-".join(self.tables)).strip("-")
        return "-".join(text for text in (self.database, self.version, tail) if text)


class Output(Record):
    """Where a model keeps the values of one target.

    Args:
        node: output node of the model; empty: found by the labels
        labels: names of the values of the node in its order
        mapping: model label -> label of the suite, or None: no class, which is always wrong
        scale: range of the model's values, mapped to the range of the target
        hop_s: sound events: length of a frame of the model in s, if not that of the target
        threshold: sound events: as in the target, if the model has its own
        median_s: likewise
    """

    node: str = ""
    labels: tuple[str, ...] = ()
    mapping: Mapping[str, str | None] = {}
    scale: tuple[float, float] | None = None
    hop_s: float | None = pydantic.Field(default=None, gt=0)
    threshold: float | Mapping[str, float] | None = None
    median_s: float | Mapping[str, float] | None = None


class Model(Entry, Isolation):
    """One model.

    Args:
        adapter: name of a module of :mod:`common.models`, such as onnx or python
        path: file or folder of the model or of its predictions
        entry: ``module:factory`` of a python model
        params: arguments of the factory or of the chance model
        sampling_rate: rate in Hz that the model wants, at least 1000
        outputs: target -> output
        max_signal_length: seconds; only the last part of longer signals is predicted
        batch_size: number of signals per call; more than one only if the model allows it
        frontend: features that the model takes instead of the signal
        parameters: how many it has, where its files do not say it
    """

    version: str = pydantic.Field(pattern=VERSION_PATTERN)
    label: str = ""
    adapter: str
    path: str = ""
    entry: str = ""
    params: Mapping[str, Any] = {}
    sampling_rate: int = pydantic.Field(default=16000, ge=1000)
    outputs: Mapping[str, Output] = {}
    max_signal_length: float | None = pydantic.Field(default=None, gt=0)
    batch_size: int | None = pydantic.Field(default=None, gt=0)
    frontend: FrontEnd | None = None
    license: str = ""
    author: str = ""
    source: str = ""
    cite: str = ""
    description: str = ""
    parameters: int | None = pydantic.Field(default=None, ge=0, strict=True)

    @pydantic.field_validator("version", mode="before")
    @classmethod
    def _version(cls, value: Any) -> Any:
        return str(value) if isinstance(value, (int, float)) else value

    @property
    def is_chance(self) -> bool:
        """Whether the model never looks at its input and stands outside rankings."""
        return self.adapter == "chance"


class Perturbation(Entry):
    """A change of the input signal: a function of the library and its parameters.

    Args:
        variant_of: id of the entry that this one stands for in the datasets that want its
            ``corpora``; what it does not say itself is as there, parameter by parameter
        corpora: name of the set of noises and rooms that it belongs to
    """

    label: str = ""
    function: str = ""
    params: Mapping[str, Any] = {}
    keeps_timing: bool = True
    description: str = ""
    severity: Severity | None = None
    variant_of: str = ""
    corpora: str = ""

    @pydantic.model_validator(mode="after")
    def _complete(self) -> Perturbation:
        if bool(self.variant_of) != bool(self.corpora):
            raise ValueError("variant_of and corpora belong together")
        if not self.variant_of and not (self.label and self.function):
            raise ValueError("needs label and function")
        return self

    def varied(self, variant: Perturbation) -> Perturbation:
        """A variant of this entry with all that it does not say itself."""
        fields = {name: getattr(variant, name) for name in variant.model_fields_set}
        if self.severity and self.severity.at(0).keys() & variant.params.keys():
            fields.setdefault("severity", None)  # an axis along recordings that it does not have
        return self.model_copy(update={**fields, "params": {**self.params, **variant.params}})


class Test(Entry):
    """One test of the suite: the file ``suite/<id>.yaml``.

    ``bounds`` says whether the bounds of groups were published. ``simulated`` names datasets with
    fewer samples than they were made for: theirs are as with ``within: simulated``.
    """

    __test__ = False  # not a pytest class
    title: str
    family: Literal["correctness", "fairness", "robustness"]
    design: Mapping[str, Mapping[str, Any]]
    datasets: tuple[str, ...] = ()
    bounds: Literal["declared", "published"] = "declared"
    simulated: tuple[str, ...] = ()
    regression: tuple[MetricUse, ...] = ()
    classification: tuple[MetricUse, ...] = ()
    events: tuple[MetricUse, ...] = ()
    figures: Mapping[str, str] = {}
    chance: Chance | None = None
    description: str = ""
    cite: str = ""

    @pydantic.field_validator("design", mode="before")
    @classmethod
    def _design(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {value: {}}
        if isinstance(value, Mapping) and len(value) == 1:
            return {k: v or {} for k, v in value.items()}
        raise ValueError("needs exactly one design")

    @pydantic.field_validator("datasets")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for number, name in enumerate(value):
            if name in value[:number]:
                raise ValueError(f"'{name}' appears twice")
        return value

    @pydantic.field_validator(*KINDS)
    @classmethod
    def _each_once(cls, value: tuple[MetricUse, ...]) -> tuple[MetricUse, ...]:
        names = [use.metric for use in value]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"metric '{twice[0]}' appears twice; a test has one criterion for it")
        return value

    @property
    def design_name(self) -> str:
        """Name of the design."""
        return next(iter(self.design))

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the design."""
        return self.design[self.design_name]

    def uses(self, kind: str) -> tuple[MetricUse, ...]:
        """Metrics of the test for a kind of target; empty: the test does not apply."""
        uses: tuple[MetricUse, ...] = getattr(self, kind)
        return uses

    def uses_on(self, kind: str, dataset: str) -> tuple[MetricUse, ...]:
        """As :meth:`uses`, with the criteria that hold on a dataset."""
        if dataset not in self.simulated:
            return self.uses(kind)
        chance = Criterion(within="simulated")
        return tuple(use.model_copy(update={"criterion": chance}) for use in self.uses(kind))


class Benchmark(Record):
    """Everything that is declared: targets, datasets, models, perturbations, tests by id."""

    targets: Mapping[str, Target]
    datasets: Mapping[str, Dataset]
    models: Mapping[str, Model]
    perturbations: Mapping[str, Perturbation]
    tests: Mapping[str, Test]

    def find(self, what: str, name: str, where: str = "") -> Any:
        """Entry by id; raises ConfigError with the nearest id.

        Args:
            what: targets, datasets, models, perturbations or tests
            name: id
            where: file and field that name it, for the message
        """
        items: Mapping[str, Any] = getattr(self, what)
        if name not in items:
            raise unknown(what.removesuffix("s"), name, items, where)
        return items[name]

    def applicable(self, target: str) -> list[Test]:
        """Tests that have metrics for the kind of the target."""
        kind = self.targets[target].kind
        return [test for test in self.tests.values() if test.uses(kind)]
