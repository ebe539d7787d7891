"""Files of an ONNX model: one ``.onnx`` file, or a folder as audonnx writes it.

In a folder, ``model.yaml`` names the graph and the labels of its output nodes;
``encoder.yaml`` may hold the classes of a single node. Older folders have ``model.onnx`` and
``labels.yaml``. The files are read here; audonnx is needed only for a folder whose
``transform`` turns the signal into features.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import spec
from ..core.display import shortened
from ..core.documents import read_yaml
from ..core.errors import BrokenFile, ConfigError, ModelError
from ..core.files import is_file
from .base import place
from .notes import content_digest

#: larger graphs hold their tensors themselves; they are not searched for names of files
SEARCHED_BYTES = 64 * 2**20
_NULL = ("", "null", "Null", "NULL", "~")


@dataclass(frozen=True)
class ModelFiles:
    """Where the parts of a model are.

    Args:
        graph: the ``.onnx`` file
        labels: output node -> names of its values; the node ``""`` is the only one
        classes: labels of ``encoder.yaml``
        transform: whether the signal must be transformed by audonnx
        described: YAML files that belong to the model
    """

    graph: Path
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    transform: bool = False
    described: tuple[Path, ...] = ()


def layout(entry: spec.Model) -> ModelFiles:
    """Find and read the files of a model.

    Raises:
        ConfigError: if the entry has no path
        ModelError: if a file is missing or cannot be read
    """
    where = place(entry, "path")
    if not entry.path:
        raise ConfigError(f"{where}: missing; the adapter onnx needs a file or folder")
    path = entry.resolve(entry.path)
    if path.is_dir():
        return _folder(path, where)
    if not path.is_file():
        raise ModelError(f"{where}: no such file or folder: {entry.path}")
    return ModelFiles(path)


def _folder(folder: Path, where: str) -> ModelFiles:
    described = [folder / name for name in ("model.yaml", "labels.yaml", "transform.yaml")]
    model, labels, transform = (_yaml(path, where) for path in described)
    encoder = _yaml(folder / "encoder.yaml", where)
    content = _unwrap(model)
    name = content.get("path", "model.onnx") if isinstance(content, dict) else "model.onnx"
    label_content = (
        content.get("labels") if isinstance(content, dict) and model is not None else labels
    )
    changed = content.get("transform") if isinstance(content, dict) else transform
    classes = _unwrap(encoder)
    return ModelFiles(
        _graph(folder, str(name), where),
        _labels(label_content, where),
        _names(classes.get("labels") if isinstance(classes, dict) else classes, where),
        transform=not _empty(changed),
        described=tuple(p for p in (*described, folder / "encoder.yaml") if p.is_file()),
    )


def _graph(folder: Path, name: str, where: str) -> Path:
    graph = folder / name
    if is_file(graph):
        return graph
    names = sorted(path.name for path in folder.glob("*.onnx"))
    if len(names) == 1 and not (folder / "model.yaml").is_file():
        return folder / names[0]
    raise ModelError(
        f"{where}: folder '{folder.name}' has no '{shortened(name)}'; "
        f"its .onnx files: {', '.join(names) or 'none'}"
    )


def _yaml(path: Path, where: str) -> Any:
    """Content of a YAML file with all values as text, None if there is no file."""
    if not path.is_file():
        return None
    try:
        return read_yaml(path, words=True)  # a class named 'no' or 'off' is no truth value
    except ConfigError as error:
        text = str(error).replace(str(path), path.name, 1)
        raise BrokenFile(f"{where}: {text:.200}") from None


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in _NULL) or value in ({}, [])


def _unwrap(content: Any) -> Any:
    """Arguments of a serialised object: what stands below its only key ``$class``."""
    if isinstance(content, dict) and len(content) == 1:
        key, value = next(iter(content.items()))
        return value if str(key).startswith("$") else content
    return content


def _labels(content: Any, where: str) -> dict[str, tuple[str, ...]]:
    if _empty(content):
        return {}
    if isinstance(content, dict):
        return {str(node): _names(labels, where) for node, labels in content.items()}
    return {"": _names(content, where)}


def _names(labels: Any, where: str) -> tuple[str, ...]:
    if _empty(labels):
        return ()
    if isinstance(labels, str):
        return (labels,)
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ModelError(f"{where}: expected a list of labels, found {labels!r:.80}")
    if len(set(labels)) < len(labels):
        raise ModelError(f"{where}: a label appears twice: {', '.join(labels)}")
    return tuple(labels)


def content_digests(model_files: ModelFiles, cache: Path | None, where: str) -> list[list[str]]:
    """Name and hash of every file that decides about the predictions.

    Besides the graph and the YAML files these are the files beside the graph whose names
    stand in it: its external tensors.

    Raises:
        BrokenFile: if one of them cannot be read
    """
    graph = model_files.graph
    digests = [
        [path.name, content_digest(path, cache, where)] for path in (graph, *model_files.described)
    ]
    return digests + [[path.name, content_digest(path, cache, where)] for path in external(graph)]


def external(graph: Path) -> list[Path]:
    """Files beside a graph whose names stand in it."""
    others = [p for p in sorted(graph.parent.iterdir()) if p != graph and p.is_file()]
    size = graph.stat().st_size
    if not others or not 0 < size <= SEARCHED_BYTES:
        return []
    with graph.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return [path for path in others if text.find(path.name.encode()) >= 0]
