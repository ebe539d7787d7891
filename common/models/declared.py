"""Models whose files do not say what their outputs mean: the entry says it.

For TorchScript, skops, programs and servers, ``outputs`` of the entry name the targets. For classes,
``labels`` name the values of a node in their order.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import archives
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from . import notes
from .base import place
from .outputs import Node, OutputPlace, choose

#: node of a model that gives one array without a name
ONLY = "output"


def file(entry: spec.Model, ending: str) -> Path:
    """File of a model.

    Raises:
        ConfigError: if the entry has no path
        ModelError: if there is no such file, or its name ends in another way
    """
    where = place(entry, "path")
    if not entry.path:
        raise ConfigError(f"{where}: missing; the adapter {entry.adapter} needs a {ending} file")
    path = entry.resolve(entry.path)
    if not path.is_file():
        raise ModelError(f"{where}: no such file: {entry.path}")
    if path.suffix != ending:
        raise ModelError(f"{where}: expected a {ending} file, found '{path.name}'")
    return path


def archive(path: Path, where: str, what: str) -> list[str]:
    """Names in a ZIP archive.

    Args:
        path: the file
        where: start of the message
        what: what the file should be

    Raises:
        ModelError: if it is none, or cut off
    """
    try:
        notes.begin(path, where)
        with zipfile.ZipFile(path) as content:
            return content.namelist()
    except archives.DAMAGED:
        raise ModelError(
            f"{where}: '{path.name}' is no {what}, or it is cut off: no ZIP archive"
        ) from None


def places(
    entry: spec.Model, targets: Mapping[str, spec.Target], nodes: tuple[Node, ...] = ()
) -> tuple[OutputPlace, ...]:
    """Where the values of the targets are, as the entry says.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        nodes: what the model says about its outputs, if anything

    Raises:
        ConfigError: if the entry has no outputs, or names something that does not exist
        ModelError: if its labels do not hold all classes
    """
    check_outputs(entry)
    if nodes:
        return choose(entry, targets, nodes)
    outputs = {
        name: output.model_copy(update={"node": output.node or ONLY})
        for name, output in entry.outputs.items()
    }
    names = dict.fromkeys(output.node for output in outputs.values())
    complete = entry.model_copy(update={"outputs": outputs})
    return choose(complete, targets, [Node(name) for name in names])


def check_outputs(entry: spec.Model) -> None:
    """Refuse an entry that does not say what its model predicts."""
    if not entry.outputs:
        raise ConfigError(
            f"{place(entry, 'outputs')}: missing; models of the adapter {entry.adapter} do not say "
            "what they predict"
        )


def named(answer: Any, tensor: type) -> dict[str, Any]:
    """Node -> values, of what a network returned.

    >>> named((1.0, 2.0), float)
    {'0': 1.0, '1': 2.0}

    Raises:
        ModelError: if it is nothing of the kind
    """
    if isinstance(answer, tensor):
        return {"": answer}
    if isinstance(answer, Mapping):
        nodes = {str(name): value for name, value in answer.items()}
    elif isinstance(answer, list | tuple):
        nodes = {str(number): value for number, value in enumerate(answer)}
    else:
        nodes = {}
    nodes = {name: value for name, value in nodes.items() if isinstance(value, tensor)}
    if not nodes:
        raise ModelError(f"expected tensors, found {type(answer).__name__}")
    return nodes


def node(nodes: Mapping[str, np.ndarray], choice: OutputPlace) -> np.ndarray:
    """Values of the node of a target; a single one without name is everybody's.

    Raises:
        ModelError: if there is no such node
    """
    if set(nodes) == {""}:
        return nodes[""]
    if choice.node not in nodes:
        where = f"target '{choice.target.id}'"
        raise ModelError(str(unknown("node", choice.node, nodes, where)))
    return nodes[choice.node]
