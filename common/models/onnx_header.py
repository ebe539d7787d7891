"""What an ONNX file says about itself, read without a runtime.

A check must find a file that is no model, is cut off, or has other outputs than its entry says,
at once and where onnxruntime is not installed. So the few fields that tell are read here, from
the wire format of Protocol Buffers; tensors are stepped over. Numbers of fields are those of
``onnx.proto3``: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from common.core.errors import ModelError

#: fields of ModelProto, GraphProto, ValueInfoProto, TensorProto and others that are read
IR_VERSION, GRAPH, METADATA = 1, 7, 14
INITIALIZER, INPUT, OUTPUT = 5, 11, 12
NAME, TYPE = 1, 2
TENSOR_TYPE, ELEMENT, SHAPE, DIMENSION = 1, 1, 2, 1
SIZE, SYMBOL = 1, 2
KEY, VALUE = 1, 2
TENSOR_NAME, EXTERNAL_DATA = 8, 13
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
#: element types that the adapter takes, in its own words
ELEMENTS = {1: "tensor(float)", 10: "tensor(float16)", 11: "tensor(double)"}
#: bytes 4 to 8 of the format of onnxruntime, which is another one
ORT_FORMAT = b"ORTM"
SHOWN = 24


class Value(NamedTuple):
    """Input or output of a graph; ``shape`` is None if the file does not say it."""

    name: str
    type: str
    shape: list[Any] | None


class Header(NamedTuple):
    """Inputs without those that are constants, outputs, metadata, and names of tensor files."""

    inputs: list[Value]
    outputs: list[Value]
    metadata: dict[str, str]
    external: list[str]


class _Broken(Exception):
    """The bytes are no message; how far they reached into which field."""

    def __init__(self, field: int, missing: int = 0):
        super().__init__(field)
        self.field, self.missing = field, missing


class _Field(NamedTuple):
    number: int
    wire: int
    value: int
    start: int
    end: int


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
            return _model(data, size, f"{where}: '{graph.name}'")
    except OSError as error:
        raise ModelError(
            f"{where}: '{graph.name}' cannot be read: {error.strerror or error}"
        ) from None


def _model(data: Any, size: int, where: str) -> Header:
    metadata: dict[str, str] = {}
    body = None
    versioned = False
    try:
        for field in _fields(data, 0, size):
            versioned |= field.number == IR_VERSION and field.wire == VARINT
            if field.number == GRAPH and field.wire == LENGTH:
                body = field
            elif field.number == METADATA and field.wire == LENGTH:
                key, value = _pair(data, field)
                metadata[key] = value
        if body is not None and versioned:
            return _graph(data, body, metadata)
    except _Broken as error:
        if versioned and error.field == GRAPH and error.missing:
            raise ModelError(
                f"{where} is cut off: {error.missing} bytes of its graph are missing"
            ) from None
    except UnicodeDecodeError:
        pass
    raise ModelError(
        f"{where} is no ONNX file: expected a model with a graph, found {size} bytes that begin "
        f"with {bytes(data[:SHOWN])!r}"
    )


def _graph(data: Any, body: _Field, metadata: dict[str, str]) -> Header:
    inputs, outputs = [], []
    constants, external = set(), set()
    for field in _fields(data, body.start, body.end):
        if field.number == INPUT:
            inputs.append(_value(data, field))
        elif field.number == OUTPUT:
            outputs.append(_value(data, field))
        elif field.number == INITIALIZER:
            for part in _fields(data, field.start, field.end):
                if part.number == EXTERNAL_DATA:
                    key, value = _pair(data, part)
                    external |= {value} if key == "location" else set()
                elif part.number == TENSOR_NAME:
                    constants.add(_text(data, part))
    fed = [value for value in inputs if value.name not in constants]
    return Header(fed, outputs, metadata, sorted(external))


def _value(data: Any, field: _Field) -> Value:
    name, kind, shape = "", "", None
    for part in _fields(data, field.start, field.end):
        if part.number == NAME:
            name = _text(data, part)
        elif part.number == TYPE:
            for choice in _fields(data, part.start, part.end):
                if choice.number == TENSOR_TYPE:
                    kind, shape = _tensor(data, choice)
    return Value(name, kind, shape)


def _tensor(data: Any, field: _Field) -> tuple[str, list[Any] | None]:
    kind, shape = "", None
    for part in _fields(data, field.start, field.end):
        if part.number == ELEMENT and part.wire == VARINT:
            kind = ELEMENTS.get(part.value, f"element type {part.value}")
        elif part.number == SHAPE:
            dimensions = _fields(data, part.start, part.end)
            shape = [_size(data, item) for item in dimensions if item.number == DIMENSION]
    return kind, shape


def _size(data: Any, field: _Field) -> Any:
    for part in _fields(data, field.start, field.end):
        if part.number == SIZE and part.wire == VARINT:
            return part.value
        if part.number == SYMBOL:
            return _text(data, part)
    return None


def _pair(data: Any, field: _Field) -> tuple[str, str]:
    found = {p.number: _text(data, p) for p in _fields(data, field.start, field.end)}
    return found.get(KEY, ""), found.get(VALUE, "")


def _text(data: Any, field: _Field) -> str:
    if field.wire != LENGTH:
        raise _Broken(field.number)
    return bytes(data[field.start : field.end]).decode("utf-8")


def _fields(data: Any, position: int, end: int) -> Iterator[_Field]:
    """Fields of a message between two positions."""
    while position < end:
        tag, position = _varint(data, position, end)
        number, wire = tag >> 3, tag & 7
        value, start, stop = 0, position, position
        if wire == VARINT:
            value, stop = _varint(data, position, end)
        elif wire == LENGTH:
            length, start = _varint(data, position, end)
            stop = start + length
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            stop = position + (8 if wire == EIGHT_BYTES else 4)
        else:
            raise _Broken(number)
        if stop > end or number == 0:
            raise _Broken(number, stop - end)
        yield _Field(number, wire, value, start, stop)
        position = stop


def _varint(data: Any, position: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= end:
            raise _Broken(0)
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
    raise _Broken(0)
