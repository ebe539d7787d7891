"""What a graph takes: the signal, or the features that the entry declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import spec
from ..core.errors import ModelError
from ..spec.frontend import FrontEnd
from . import features
from .base import place

_TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16"}


class Tensor(NamedTuple):
    """Input or output of a graph; a free dimension is None or a name."""

    name: str
    type: str
    shape: list[Any]


class Description(NamedTuple):
    """What the graph says about itself."""

    inputs: list[Tensor]
    outputs: list[Tensor]
    metadata: dict[str, str]


class SignalInput(NamedTuple):
    """Input that takes the signal; None: a free dimension."""

    name: str
    dtype: str
    rank: int
    batch: int | None
    channels: int | None
    length: int | None

    @property
    def equal_length(self) -> bool:
        """Whether the signals of a call must have the same length."""
        return True

    def array(self, signals: Sequence[np.ndarray], sampling_rate: int) -> np.ndarray:
        """What the graph takes; raises ModelError if the signals do not fit."""
        return stack(self, signals)


class FeatureInput(NamedTuple):
    """Input that takes the features of a front end; ``batch`` is None if it is free."""

    name: str
    dtype: str
    batch: int | None
    front_end: FrontEnd

    @property
    def equal_length(self) -> bool:
        """Whether the signals of a call must have the same length."""
        return not self.front_end.one_size

    def array(self, signals: Sequence[np.ndarray], sampling_rate: int) -> np.ndarray:
        """What the graph takes; raises ModelError if a signal is too short."""
        array = features.model_input(self.front_end, signals, sampling_rate)
        return array.astype(self.dtype, copy=False)


def graph_input(entry: spec.Model, description: Description) -> SignalInput | FeatureInput:
    """The one input of a graph, as the entry says: the signal, or features of it.

    Raises:
        ModelError: if there are other inputs, or the input takes something else
    """
    if entry.frontend is None:
        return signal_input(entry, description)
    return _feature_input(entry, entry.frontend, description)


def stack(wanted_input: SignalInput, signals: Sequence[np.ndarray]) -> np.ndarray:
    """Signals of one length as the array that a graph takes.

    Raises:
        ModelError: if number of channels or samples is not what the graph takes
    """
    array = signals[0][None] if len(signals) == 1 else np.stack(signals)
    array = array.astype(wanted_input.dtype, copy=False)
    for name, size, count in zip(
        ("channel(s)", "samples"),
        (wanted_input.channels, wanted_input.length),
        array.shape[1:],
        strict=True,
    ):
        if size not in (None, count):
            raise ModelError(
                f"input '{wanted_input.name}' takes {size} {name}, the signal has {count}"
            )
    if wanted_input.rank == 3:
        return array
    return array[:, 0] if wanted_input.rank == 2 else array[0, 0]


def signal_input(entry: spec.Model, description: Description) -> SignalInput:
    """The one input of a graph that takes a signal.

    Raises:
        ModelError: if there are other inputs, or the input is no signal
    """
    (name, kind, shape), shown = _only(entry, description)
    fixed = _fixed(shape)
    of_features = len(fixed) == 3 and fixed[2] is not None and fixed[1] is None
    if kind not in _TYPES or not 1 <= len(shape) <= 3 or of_features:
        raise ModelError(
            f"{place(entry)}: input {shown} takes no signal; "
            "expected floats as [time], [batch, time] or [batch, channels, time]. If it takes "
            "features, the entry can say which: 'frontend'"
        )
    batch = fixed[0] if len(fixed) > 1 else 1
    _check_batch(entry, batch, shown)
    channels = fixed[1] if len(fixed) == 3 else 1
    return SignalInput(name, _TYPES[kind], len(shape), batch, channels, fixed[-1])


def _feature_input(
    entry: spec.Model, front_end: FrontEnd, description: Description
) -> FeatureInput:
    (name, kind, shape), shown = _only(entry, description)
    sizes = {"batch": None, "channel": 1, "bins": front_end.bins, "frames": front_end.frames}
    axes: tuple[str, ...] = front_end.layout
    if front_end.pool:
        axes, sizes["values"] = ("batch", "values"), front_end.bins * len(front_end.pool)
    where = place(entry, "frontend")
    if kind not in _TYPES or len(shape) != len(axes):
        raise ModelError(
            f"{where}: input {shown} does not take floats as [{', '.join(axes)}]; "
            "the order of its axes is 'layout'"
        )
    fixed = dict(zip(axes, _fixed(shape), strict=True))
    for axis, size in fixed.items():
        if axis != "batch" and size not in (None, sizes[axis]):
            there = "any number" if sizes[axis] is None else sizes[axis]
            raise ModelError(
                f"{where}: input {shown} takes {size} {axis}, the front end has {there}"
            )
    batch = fixed.get("batch") if "batch" in axes else 1
    _check_batch(entry, batch, shown)
    return FeatureInput(name, _TYPES[kind], batch, front_end)


def _only(entry: spec.Model, description: Description) -> tuple[Tensor, str]:
    """The one input of a graph, and as it is shown."""
    shown = [f"{i.name} {i.type}[{', '.join(map(_dim, i.shape))}]" for i in description.inputs]
    if len(shown) != 1:
        raise ModelError(
            f"{place(entry)}: expected one input, the signal, found {len(shown)}: "
            f"{'; '.join(shown) or 'none'}. Wrap the model with the adapter python"
        )
    return description.inputs[0], shown[0]


def _fixed(shape: Sequence[Any]) -> list[int | None]:
    """Sizes of dimensions; None: a free one."""
    return [size if isinstance(size, int) and size > 0 else None for size in shape]


def _check_batch(entry: spec.Model, batch: int | None, shown: str) -> None:
    if batch not in (None, 1):
        raise ModelError(f"{place(entry)}: input {shown} takes exactly {batch} signals per call")


def _dim(size: Any) -> str:
    return "?" if size is None else str(size)
