"""Models: an entry of the catalog becomes something that predicts.

What can be asked without a model runtime (:func:`fingerprint`, :func:`offered_targets`) is
apart from :func:`load`, which imports the adapter's runtime. To add an adapter, write a
module with the functions of :class:`common.models.base.ModelAdapter` and name it here.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.provenance import digest
from ..core.registry import unknown
from . import base, features, isolated
from .base import LoadedModel, LoadOptions, ModelAdapter, place
from .checked import Checked
from .copies import Copies
from .footprint import Footprint
from .isolated import Isolated

#: adapters by the name in the catalog: modules of this package
ADAPTERS = (
    "onnx",
    "huggingface",
    "torchscript",
    "skops",
    "command",
    "http",
    "python",
    "predictions",
    "chance",
)

#: fields of an entry that decide about its predictions
_FIELDS = {
    "adapter",
    "entry",
    "params",
    "sampling_rate",
    "outputs",
    "max_signal_length",
    "batch_size",
    "frontend",
}
#: adapters whose models may take features that the entry declares
_FEATURES = ("onnx", "torchscript", "skops")


def load(
    entry: spec.Model,
    targets: Mapping[str, spec.Target],
    *,
    seed: int,
    device: str = "auto",
    threads: int = 1,
    cache: Path | None = None,
) -> LoadedModel:
    """Load a model.

    Args:
        entry: its catalog entry
        targets: all targets of the suite by id
        seed: seed of the run; only chance models look at it
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``
        threads: threads of one call on the CPU; one by default, so that neither the number
            of workers nor that of cores can change a digit
        cache: cache folder of the program

    Returns:
        a model whose answers are checked: right shape, finite, float64; in a process of its own
        if its adapter or its entry asks for one

    Raises:
        ConfigError: if the entry is wrong, or names code that may not be run
        ModelError: if the model cannot be loaded
        MissingDependency: if its runtime is not installed
    """
    permit(entry)
    options = LoadOptions(seed=seed, device=device, threads=threads, cache=cache)
    adapter = _adapter(entry)
    if isolated.is_apart(entry, getattr(adapter, "ISOLATED", False)):
        serial = getattr(adapter, "SERIAL", False)
        apart = partial(Isolated, entry, targets, options, serial=serial)
        return Copies(apart(), apart, entry.processes) if entry.processes > 1 else apart()
    return load_here(entry, targets, options)


def load_here(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> LoadedModel:
    """As :func:`load`, in this process in any case."""
    permit(entry)
    identity = fingerprint(entry, cache=options.cache)
    model = _adapter(entry).load(entry, targets, options)
    return Checked(model, entry, targets, identity)


def code_of(entry: spec.Model) -> str:
    """What of a model runs code that an entry or one of its files names: its place, and what it is.

    Empty if nothing does. What cannot be read is refused where it is opened.
    """
    look = getattr(_adapter(entry), "code", None)
    return str(look(entry)) if look is not None else ""


def permit(entry: spec.Model) -> None:
    """Refuse a model whose code nobody has allowed to run.

    Raises:
        ConfigError: if it runs code that a user's catalog names and that was not allowed
    """
    if not entry.may_run_code:
        base.permit(entry, code_of(entry))


def fingerprint(entry: spec.Model, *, cache: Path | None = None) -> str:
    """Hash of everything that decides about the predictions of a model.

    Fields of the entry and the content of the model's files. Not in it: the code of the adapter
    and the seed (keys of their own), labels and descriptions, where the files are, and the
    device, which changes the last digits only.

    Args:
        entry: catalog entry
        cache: cache folder of the program, keeps hashes of files

    Raises:
        ConfigError: if the entry is wrong
        ModelError: if a file of the model is missing
    """
    adapter = _adapter(entry)
    _check_front_end(entry)
    fields = entry.model_dump(include=_FIELDS, mode="json", fallback=repr)
    if entry.frontend is None:
        del fields["frontend"]
    return digest([fields, adapter.content(entry, cache)])


def offered_targets(
    entry: spec.Model, targets: Mapping[str, spec.Target], *, cache: Path | None = None
) -> tuple[str, ...]:
    """Ids of the targets that a model predicts, in the order of ``targets``.

    From the entry and the headers of files where these tell; else the model is opened once
    and what was found is kept in ``cache``.

    Raises:
        ConfigError: if the entry is wrong
        ModelError: if the model offers no target, or cannot be opened
        MissingDependency: if the model must be opened and its runtime is not installed
    """
    return _adapter(entry).offered(entry, targets, cache)


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look for faults in the files of a model, without its runtime and without predicting.

    Raises:
        ConfigError: if the entry is wrong
        ModelError: if a file is not what the entry says, or the model offers no target
    """
    adapter = _adapter(entry)
    _check_front_end(entry)
    look = getattr(adapter, "check", None)
    if look is not None:
        look(entry, targets)
    if entry.parameters is not None and hasattr(adapter, "footprint"):
        fault = adapter.footprint(entry, None).fault(entry)
        if fault:
            raise ModelError(f"{place(entry)}: {fault}")


def footprint(entry: spec.Model, *, cache: Path | None = None) -> Footprint:
    """Number of parameters and size of the files of a model, as far as they are stated.

    What only a runtime can count is counted once and kept in ``cache``.

    Args:
        entry: catalog entry
        cache: cache folder of the program

    Raises:
        ConfigError: if the entry is wrong
        ModelError: if its files cannot be read
        MissingDependency: if the runtime that can count is not installed
    """
    look = getattr(_adapter(entry), "footprint", None)
    return (look(entry, cache) if look else Footprint()).with_entry(entry)


def unanswered(
    entry: spec.Model,
    condition: str,
    targets: Mapping[str, spec.Target],
    *,
    cache: Path | None = None,
) -> str:
    """Why a model has no predictions on changed signals; empty if it has or makes them.

    Predictions that were made elsewhere need not be there for every condition.

    Args:
        entry: catalog entry
        condition: id of a perturbation
        targets: all targets of the suite
        cache: cache folder of the program, keeps what was found in files

    Raises:
        ConfigError: if the entry is wrong
        ModelError: if its files cannot be read
    """
    conditions = getattr(_adapter(entry), "conditions", None)
    condition_names = () if conditions is None else conditions(entry, targets, cache)
    if conditions is None or condition in condition_names:
        return ""
    path = entry.resolve(entry.path).name
    return f"model '{entry.id}': {path} has predictions for {', '.join(condition_names)} only"


def may_be_elsewhere(entry: spec.Model) -> bool:
    """Whether the path of an entry may be a name, such as that of a model in a cache."""
    look = getattr(_adapter(entry), "may_be_elsewhere", None)
    return look is not None and bool(look(entry))


def listens(entry: spec.Model) -> bool:
    """Whether a model computes its predictions from signals; precomputed and chance models do not.

    The predictions of one that does depend on nothing else: they are taken for the same signal of
    another version of a database.
    """
    return not getattr(_adapter(entry), "DEAF", False)


def has_memory_here(entry: spec.Model) -> bool:
    """Whether the memory of a model is that of this process and of those that it starts."""
    return not getattr(_adapter(entry), "ELSEWHERE", False)


def module(entry: spec.Model) -> str:
    """Dotted name of the adapter of an entry.

    Raises:
        ConfigError: if there is no such adapter
    """
    if entry.adapter not in ADAPTERS:
        raise unknown("adapter", entry.adapter, ADAPTERS, place(entry, "adapter"))
    return f"{__name__}.{entry.adapter}"


def _adapter(entry: spec.Model) -> ModelAdapter:
    return cast(ModelAdapter, importlib.import_module(module(entry)))


def _check_front_end(entry: spec.Model) -> None:
    """Refuse features that no model would get, or that the sampling rate does not allow."""
    if entry.frontend is not None and entry.adapter not in _FEATURES:
        raise ConfigError(
            f"{place(entry, 'frontend')}: the adapter {entry.adapter} takes none; those that do: "
            f"{', '.join(_FEATURES)}"
        )
    features.check(entry)
