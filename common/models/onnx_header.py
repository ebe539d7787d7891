"""What an ONNX file says about itself, read by ``onnx``, without a runtime.

A check must find a file that is no model, is cut off, or has other outputs than its entry says, at
once. ``onnx.load`` would take twice the size of the file in memory for weights that nobody looks
at, so nodes and values of tensors are stepped over and the rest is handed to the messages of
``onnx`` (decision 18). Numbers of fields are those of ``onnx.proto3``:
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import ModelError

#: fields of ModelProto, GraphProto and TensorProto that are looked into or stepped over
GRAPH, NODE, INITIALIZER = 7, 1, 5
TENSOR_SHAPE, TENSOR_TYPE, TENSOR_NAME, EXTERNAL_DATA = 1, 2, 8, 13
DESCRIBING = (TENSOR_SHAPE, TENSOR_TYPE, TENSOR_NAME, EXTERNAL_DATA)
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
#: bytes 4 to 8 of the format of onnxruntime, which is another one
ORT_FORMAT = b"ORTM"
#: types whose values are no weights but shapes, places, truth values and texts
NO_WEIGHTS = ("INT64", "UINT64", "BOOL", "STRING")
SHOWN = 24


class Value(NamedTuple):
    """Input or output of a graph; ``shape`` is None if the file does not say it."""

    name: str
    type: str
    shape: list[Any] | None


class Header(NamedTuple):
    """Inputs without those that are constants, outputs, metadata, names of tensor files, weights.

    ``weights`` is the number of values in the tensors of the graph, those of files beside it too.
    """

    inputs: list[Value]
    outputs: list[Value]
    metadata: dict[str, str]
    external: list[str]
    weights: int


class _Broken(Exception):
    """The bytes are no message: the field that is broken, and how many of its bytes are missing."""

    def __init__(self, field: int = 0, missing: int = 0):
        super().__init__(field, missing)
        self.field, self.missing = field, missing


def read(graph: Path, where: str) -> Header | None:
    """Read the header of a file; None if it has the format of onnxruntime.

    Raises:
        ModelError: if it is no ONNX file, or not a whole one
    """
    try:
        size = graph.stat().st_size
        if size == 0:
            raise ModelError(f"{where}: '{graph.name}' is no ONNX file: it is empty")
        with graph.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[4:8] == ORT_FORMAT:
                return None
            return _header(data, size, f"{where}: '{graph.name}'")
    except OSError as error:
        raise ModelError(
            f"{where}: '{graph.name}' cannot be read: {error.strerror or error}"
        ) from None


def _header(data: Any, size: int, where: str) -> Header:
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    model = ModelProto()
    try:
        for number, start, content, end in _fields(data, 0, size):
            if number == GRAPH:
                _merge_graph(model.graph, data, content, end)
            else:
                model.MergeFromString(data[start:end])
        if model.HasField("graph") and model.ir_version:
            return _described(model)
    except _Broken as error:
        if model.ir_version and error.field == GRAPH and error.missing:
            raise ModelError(
                f"{where} is cut off: {error.missing} bytes of its graph are missing"
            ) from None
    except (DecodeError, UnicodeDecodeError):
        pass
    raise ModelError(
        f"{where} is no ONNX file: expected a model with a graph, found {size} bytes that begin "
        f"with {bytes(data[:SHOWN])!r}"
    )


def _merge_graph(graph: Any, data: Any, start: int, end: int) -> None:
    """Give a graph what stands between two positions, without nodes and values of tensors."""
    graph.SetInParent()
    for number, first, content, last in _fields(data, start, end):
        if number == INITIALIZER:
            tensor = graph.initializer.add()
            for part, begin, _, stop in _fields(data, content, last):
                if part in DESCRIBING:
                    tensor.MergeFromString(data[begin:stop])
        elif number != NODE:
            graph.MergeFromString(data[first:last])


def _described(model: Any) -> Header:
    tensors = model.graph.initializer
    constants = {tensor.name for tensor in tensors}
    pairs = [pair for tensor in tensors for pair in tensor.external_data]
    return Header(
        [_value(item) for item in model.graph.input if item.name not in constants],
        [_value(item) for item in model.graph.output],
        {pair.key: pair.value for pair in model.metadata_props},
        sorted({pair.value for pair in pairs if pair.key == "location"}),
        sum(_weights(tensor) for tensor in tensors),
    )


def _weights(tensor: Any) -> int:
    from onnx import TensorProto

    others = {TensorProto.DataType.Value(name) for name in NO_WEIGHTS}
    return 0 if tensor.data_type in others else math.prod(tensor.dims)


def _value(item: Any) -> Value:
    from onnx import TensorProto

    tensor = item.type.tensor_type
    names = {number: name.lower() for name, number in TensorProto.DataType.items()}
    kind = f"tensor({names.get(tensor.elem_type, tensor.elem_type)})" if tensor.elem_type else ""
    sizes = [getattr(d, d.WhichOneof("value") or "", None) for d in tensor.shape.dim]
    return Value(item.name, kind, sizes if tensor.HasField("shape") else None)


def _fields(data: Any, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Fields of a message between two positions: number, begin, begin of the content, end."""
    while position < end:
        tag, start = _varint(data, position, end)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            _, stop = _varint(data, start, end)
        elif wire == LENGTH:
            length, start = _varint(data, start, end)
            stop = start + length
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            stop = start + (8 if wire == EIGHT_BYTES else 4)
        else:
            raise _Broken(number)
        if stop > end or number == 0:
            raise _Broken(number, stop - end)
        yield number, position, start, stop
        position = stop


def _varint(data: Any, position: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= end:
            raise _Broken()
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
    raise _Broken()
