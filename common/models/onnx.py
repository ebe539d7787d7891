"""Adapter for ONNX models, by onnxruntime.

The model takes the signal as ``[time]``, ``[batch, time]`` or ``[batch, channels, time]``, or features
that the entry declares (``frontend``, see :mod:`common.models.features`).
A whole segment goes in at once: no framing and no padding. All targets come from one call
that computes the needed output nodes only.

More than one signal per call is possible if the batch dimension is free and the entry has
``batch_size``; signals of one call have the same length. The last digits of a prediction may
then depend on its neighbours, so the default is one.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import BenchmarkError, ModelError
from ..core.files import is_file
from ..core.wording import counted
from . import notes, onnx_header
from .base import Batch, LoadOptions, place
from .footprint import Footprint, size_of
from .onnx_files import ModelFiles, content_digests, layout
from .onnx_inputs import Description, FeatureInput, SignalInput, Tensor, graph_input
from .onnx_session import open_graph, open_transformed
from .outputs import Node, OutputPlace, choose, wanted

#: signals that are taken at once, of which each is a call: reading the answers costs less
GROUP = 64


def content(entry: spec.Model, cache: Path | None) -> list[list[str]]:
    """Hashes of the graph, its external tensors and the YAML files."""
    return content_digests(layout(entry), cache, place(entry, "path"))


def code(entry: spec.Model) -> str:
    """The transform of a folder, which audonnx makes from whatever classes it names."""
    try:
        transform = layout(entry).transform
    except BenchmarkError:
        return ""
    return f"{place(entry, 'path')}: the transform of its folder runs code" if transform else ""


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``; else those found by the names in the model."""
    if entry.outputs:
        return tuple(wanted(entry, targets))
    files = layout(entry)
    key = "graph-" + notes.content_digest(files.graph, cache, place(entry, "path"))
    note = notes.recall(cache, key)
    if note is None:
        description = describe(open_graph(entry, files.graph, LoadOptions(device="cpu")))
        notes.keep(cache, key, description)
    else:
        inputs, outputs, metadata = note
        description = Description(
            [Tensor(*item) for item in inputs], [Tensor(*item) for item in outputs], metadata
        )
    if not files.transform:
        graph_input(entry, description)
    return tuple(c.target.id for c in choose(entry, targets, nodes(entry, files, description)))


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look at the graph as :func:`load` does, as far as that can be done without a runtime."""
    files, where = layout(entry), place(entry, "path")
    header = onnx_header.read(files.graph, where)
    if header is None:
        return
    for name in header.external:
        if not is_file(files.graph.parent / name):
            raise ModelError(f"{where}: '{files.graph.name}' needs the file '{name}' beside it")
    inputs, outputs = ([Tensor(n, t, s or []) for n, t, s in part] for part in header[:2])
    description = Description(inputs, outputs, header.metadata)
    if not files.transform and all(value.shape is not None for value in header.inputs):
        graph_input(entry, description)
    choose(entry, targets, nodes(entry, files, description))
    _check_rate(entry, description)


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """Values in the tensors of the graph, and the size of graph and tensor files."""
    graph, where = layout(entry).graph, place(entry, "path")
    key = "weights-" + notes.content_digest(graph, cache, where)
    note = notes.recall(cache, key)
    if not isinstance(note, list):
        header = onnx_header.read(graph, where)
        note = [header.weights, header.external] if header else [0, []]
        notes.keep(cache, key, note)
    weights, names = note
    size = size_of([graph, *(graph.parent / name for name in names)], where)
    return Footprint(weights or None, size)


def load(entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions) -> OnnxModel:
    """Open the model and find its input and the values of its targets."""
    files = layout(entry)
    transformed = open_transformed(entry, files.graph, options) if files.transform else None
    session = transformed.sess if transformed else open_graph(entry, files.graph, options)
    description = describe(session)
    signal = None if transformed else graph_input(entry, description)
    choices = choose(entry, targets, nodes(entry, files, description), warn=True)
    _check_rate(entry, description)
    return OnnxModel(entry, session, choices, signal, transformed)


def describe(session: Any) -> Description:
    """Inputs, outputs and metadata of an open graph."""
    return Description(
        [Tensor(i.name, i.type, list(i.shape)) for i in session.get_inputs()],
        [Tensor(o.name, o.type, list(o.shape)) for o in session.get_outputs()],
        dict(session.get_modelmeta().custom_metadata_map),
    )


def nodes(entry: spec.Model, files: ModelFiles, description: Description) -> list[Node]:
    """Output nodes with the names of their values.

    Names come from the YAML files of the folder, else from the metadata ``labels`` of the
    graph (separated by commas) if it has one output.

    Raises:
        ModelError: if names and values differ in number
    """
    single = len(description.outputs) == 1
    labels = dict(files.labels)
    if "" in labels and not single:
        raise ModelError(f"{place(entry)}: labels without node, but the graph has several outputs")
    stated = description.metadata.get("labels", "")
    result = []
    for output in description.outputs:
        width = output.shape[-1] if output.shape and isinstance(output.shape[-1], int) else None
        names = labels.get(output.name, labels.get("", ()))
        if not names and single and stated:
            names = tuple(label.strip() for label in stated.split(","))
        if names and width not in (None, len(names)):
            raise ModelError(
                f"{place(entry)}: {counted(len(names), 'label')}, but output '{output.name}' "
                f"has {counted(width or 0, 'value')}"
            )
        result.append(Node(output.name, names, width, files.classes if single else ()))
    return result


class OnnxModel:
    """A model that onnxruntime runs; may be called by several threads at once.

    Args:
        entry: catalog entry
        session: open graph
        choices: where the values of the targets are
        signal: input of the graph, signal or features; None if ``transformed`` takes the signal
        transformed: model of audonnx that turns the signal into features first
    """

    needs_audio = True
    fingerprint = ""

    def __init__(
        self,
        entry: spec.Model,
        session: Any,
        choices: Sequence[OutputPlace],
        signal: SignalInput | FeatureInput | None,
        transformed: Any = None,
    ):
        self.targets = tuple(choice.target.id for choice in choices)
        self.sampling_rate = entry.sampling_rate
        self._session = session
        self._choices = choices
        self._nodes = list(dict.fromkeys(choice.node for choice in choices))
        self._transformed = transformed
        self._lock = threading.Lock()
        self._input = signal
        free = signal is not None and signal.batch is None
        if not free and (entry.batch_size or 1) > 1:
            raise ModelError(f"{place(entry, 'batch_size')}: the model takes one signal per call")
        self.batch_size = entry.batch_size or 1
        self.equal_length = signal is None or signal.equal_length
        self.group_size = GROUP if self.batch_size == 1 else 1

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One call of the graph for all targets; with ``batch_size`` 1, one for each signal."""
        size = len(batch) if self.batch_size > 1 else 1
        starts = range(0, len(batch), size)
        calls = [self._call(batch.signals[n : n + size], batch.sampling_rate) for n in starts]
        return {choice.target.id: _read(choice, calls, size) for choice in self._choices}

    def _call(self, signals: Sequence[np.ndarray], sampling_rate: int) -> dict[str, np.ndarray]:
        """Node -> values."""
        if self._input is None:
            # the session may be shared by threads, the transform perhaps not
            with self._lock:
                by_node = self._transformed(signals[0], sampling_rate, outputs=self._nodes)
            return dict(by_node)
        feed = {self._input.name: self._input.array(signals, sampling_rate)}
        return dict(zip(self._nodes, self._session.run(self._nodes, feed), strict=True))


def _read(choice: OutputPlace, calls: Sequence[Mapping[str, np.ndarray]], size: int) -> np.ndarray:
    """Values of a target from calls of ``size`` signals each."""
    parts = [np.asarray(by_node[choice.node]) for by_node in calls]
    if size == 1 and all(part.shape == (1, choice.width) for part in parts):
        return choice.read(np.concatenate(parts), len(parts))
    return np.concatenate([choice.read(part, size) for part in parts])


def _check_rate(entry: spec.Model, description: Description) -> None:
    stated = description.metadata.get("sampling_rate", "")
    try:
        rate = float(stated) if stated else math.nan
    except ValueError:
        return
    if not math.isnan(rate) and rate != entry.sampling_rate:
        raise ModelError(
            f"{place(entry, 'sampling_rate')}: {entry.sampling_rate} Hz, "
            f"but the model file says {stated}"
        )
