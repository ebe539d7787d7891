"""Adapter for TorchScript: a ``.pt`` file that ``torch.jit.save`` wrote, run by torch.

The model takes the signals as (batch, samples), with ``params: {input: channels}`` as (batch, channels, samples),
or features that the entry declares (``frontend``). It returns a tensor, a tuple of tensors, whose nodes are called
``0``, ``1`` and so on, or a dictionary of tensors. What they mean stands in ``outputs`` of the entry; the node of a
single tensor needs no name. TorchScript is a program, which torch lets read and write any file ("from_file"):
it must be allowed as other code.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from . import declared, features, isolated, notes
from .base import Batch, LoadOptions, code_of_adapter, foreign, permit, place
from .footprint import Footprint, size_of
from .outputs import OutputPlace
from .torch_runtime import device_of, inference, runtime

INPUTS = ("samples", "channels")
PARAMS = ("input",)

#: it runs in a process of its own
ISOLATED = True
#: a script of torch may read and write files
code = code_of_adapter


def content(entry: spec.Model, cache: Path | None) -> str:
    """Hash of the file."""
    return notes.content_digest(declared.file(entry, ".pt"), cache, place(entry, "path"))


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``."""
    return tuple(choice.target.id for choice in declared.places(entry, targets))


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look whether the file is TorchScript, without torch."""
    _input(entry)
    declared.places(entry, targets)
    path, where = declared.file(entry, ".pt"), place(entry, "path")
    names = declared.archive(path, where, "TorchScript file")
    parts = {name.partition("/")[2] for name in names}
    if "constants.pkl" not in parts or not any(part.startswith("code/") for part in parts):
        there = "weights only" if "data.pkl" in parts else "another archive"
        raise ModelError(
            f"{where}: '{path.name}' is no TorchScript file but {there}; write it with "
            "torch.jit.save(torch.jit.trace(network, example), path)"
        )


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> ScriptModel:
    """Load the network."""
    check(entry, targets)
    (torch,) = runtime(entry)
    device = device_of(entry, torch, options)
    network = _network(entry, torch, device)
    notes.keep(options.cache, _key(entry, options.cache), _weights(network))
    return ScriptModel(entry, declared.places(entry, targets), torch, network, device, options)


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """Values of parameters and buffers, and the size of the file; torch counts them once."""
    size = size_of([declared.file(entry, ".pt")], place(entry, "path"))
    if entry.parameters is not None:
        return Footprint(None, size)
    weights = notes.recall(cache, _key(entry, cache))
    if weights is None:
        weights = isolated.once(counted_weights, entry)
        notes.keep(cache, _key(entry, cache), weights)
    return Footprint(weights or None, size)


def counted_weights(entry: spec.Model) -> int:
    """Number of values of parameters and buffers; 0: none.

    Raises:
        MissingDependency: if torch is not installed
        ModelError: if the file cannot be read
    """
    (torch,) = runtime(entry)
    return _weights(_network(entry, torch, torch.device("cpu")))


def _key(entry: spec.Model, cache: Path | None) -> str:
    return f"weights-{content(entry, cache)}"


def _network(entry: spec.Model, torch: Any, device: Any) -> Any:
    permit(entry, code(entry))
    path = declared.file(entry, ".pt")
    with foreign(f"{place(entry, 'path')}: '{path.name}'"), warnings.catch_warnings():
        # torch 2.15 would have people write another format; who tests a model cannot change its file
        warnings.filterwarnings("ignore", "`torch.jit", FutureWarning)
        return torch.jit.load(str(path), map_location=device).eval()


def _weights(network: Any) -> int:
    tensors = [*network.parameters(), *network.buffers()]
    return sum(tensor.numel() for tensor in tensors if tensor.is_floating_point())


def _input(entry: spec.Model) -> str:
    for name in entry.params:
        if name not in PARAMS:
            raise unknown("parameter", name, PARAMS, place(entry, "params"))
    shape = str(entry.params.get("input", INPUTS[0]))
    if shape not in INPUTS:
        raise unknown("input", shape, INPUTS, place(entry, "params.input"))
    if entry.frontend is not None and entry.params:
        raise ConfigError(
            f"{place(entry, 'params.input')}: leave it out, as 'frontend' has its own 'layout'"
        )
    return shape


class ScriptModel:
    """A network of TorchScript; may be called by several threads at once.

    Args:
        entry: catalog entry
        choices: where the values of the targets are
        torch: the package
        network: gives tensors
        device: where it runs
        options: its ``threads`` are those of one call on the CPU
    """

    needs_audio = True
    group_size = 1
    fingerprint = ""

    def __init__(
        self,
        entry: spec.Model,
        choices: Sequence[OutputPlace],
        torch: Any,
        network: Any,
        device: Any,
        options: LoadOptions,
    ):
        self.targets = tuple(choice.target.id for choice in choices)
        self.sampling_rate = entry.sampling_rate
        self.batch_size = entry.batch_size or 1
        self.equal_length = entry.frontend is None or not entry.frontend.one_size
        self._choices, self._torch, self._network = choices, torch, network
        self._device, self._threads = device, options.threads
        self._front_end, self._input = entry.frontend, _input(entry)

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One call of the network for all targets."""
        if self._front_end is not None:
            array = features.model_input(self._front_end, batch.signals, batch.sampling_rate)
        else:
            array = np.stack(batch.signals)
            array = array if self._input == "channels" else array[:, 0]
        with inference(self._torch, self._device, self._threads):
            signals = self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)
            nodes = declared.named(self._network(signals), self._torch.Tensor)
            nodes = {name: tensor.float().cpu().numpy() for name, tensor in nodes.items()}
        return {
            choice.target.id: choice.read(declared.node(nodes, choice), len(batch))
            for choice in self._choices
        }
