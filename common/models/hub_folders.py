"""Files of a model that transformers saved: a folder, or a snapshot in the cache of the hub.

Read without torch and transformers: what the model is, its labels, its sampling rate, the names
of its weights, and whether its files are whole. Nothing is fetched: a name such as
organisation and model must be in the cache already (decision 3).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import spec
from ..core.documents import parse_json, read_json
from ..core.errors import BrokenFile, ConfigError, ModelError
from ..core.files import is_file
from ..core.registry import unknown
from . import notes
from .base import place

CONFIG = "config.json"
#: files that describe the feature extractor; the second one holds it among others
EXTRACTORS = ("preprocessor_config.json", "processor_config.json")
#: weights, the likeliest first; an index names the files of weights in parts
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
#: name on the hub: organisation and model
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
LARGEST_HEADER = 100 * 2**20
PARAMS = ("revision",)
#: types whose values are no weights
NO_WEIGHTS = ("I64", "U64", "BOOL")


@dataclass(frozen=True)
class HubFolder:
    """What a folder says about its model.

    Args:
        folder: where the files are
        config: content of ``config.json``
        extractor: what is known of the feature extractor
        extractor_file: where that stands
        weights: files of the weights, those of an index first
    """

    folder: Path
    config: Mapping[str, Any]
    extractor: Mapping[str, Any]
    extractor_file: Path
    weights: tuple[Path, ...]

    @property
    def architecture(self) -> str:
        """Name of the class that was saved; empty if the folder does not say it."""
        names = self.config.get("architectures")
        return str(names[0]) if isinstance(names, list) and names else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the outputs in their order."""
        named = self.config.get("id2label") or {}
        try:
            return tuple(str(named[key]) for key in sorted(named, key=int))
        except (ValueError, TypeError):
            return ()

    @property
    def sampling_rate(self) -> int | None:
        """Rate in Hz that the feature extractor wants; None if it does not say it."""
        rate = self.extractor.get("sampling_rate")
        return int(rate) if isinstance(rate, int | float) and math.isfinite(rate) else None


def find(entry: spec.Model) -> HubFolder:
    """Find and read the files of a model.

    Raises:
        ConfigError: if the entry has no path, or a parameter that does not exist
        ModelError: if a file is missing or cannot be read
    """
    where = place(entry, "path")
    for name in entry.params:
        if name not in PARAMS:
            raise unknown("parameter", name, PARAMS, place(entry, "params"))
    if not entry.path:
        raise ConfigError(
            f"{where}: missing; the adapter huggingface needs a folder, or the name of a model "
            "that is in the cache of the hub"
        )
    return read(_locate(entry, where), where)


def read(folder: Path, where: str) -> HubFolder:
    """What a folder says about its model.

    Args:
        folder: where the files are
        where: start of the message

    Raises:
        ModelError: if a file is missing or cannot be read
    """
    config = _json(folder / CONFIG, where)
    if not isinstance(config.get("model_type"), str):
        raise ModelError(
            f"{where}: '{CONFIG}' has no 'model_type', so it does not describe a model"
        )
    file = next((folder / name for name in EXTRACTORS if (folder / name).is_file()), None)
    if file is None:
        raise ModelError(
            f"{where}: folder has no '{EXTRACTORS[0]}', which says how signals are prepared; "
            "write it with feature_extractor.save_pretrained(folder)"
        )
    extractor = _json(file, where)
    inner = extractor.get("feature_extractor")
    extractor = inner if isinstance(inner, dict) else extractor
    return HubFolder(folder, config, extractor, file, _weights(folder, where))


def _locate(entry: spec.Model, where: str) -> Path:
    path = entry.resolve(entry.path)
    if path.is_dir():
        return path
    if path.exists() or not HUB_NAME.fullmatch(entry.path):
        raise ModelError(f"{where}: no such folder: {entry.path}")
    revision = str(entry.params.get("revision", "main"))
    snapshot = cached(entry.path, revision)
    if snapshot is None:
        flag = "" if revision == "main" else f" --revision {revision}"
        raise ModelError(
            f"{where}: no folder '{entry.path}' beside the catalog, and no model of that name in "
            f"the cache of the hub. Download it with: hf download {entry.path}{flag}"
        )
    return snapshot


def cached(name: str, revision: str) -> Path | None:
    """Snapshot of a model in the cache of the hub, None if it is not there.

    Args:
        name: organisation and model with a slash between
        revision: branch, tag or commit
    """
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
    model = cache / f"models--{name.replace('/', '--')}"
    reference = model / "refs" / revision
    commit = reference.read_text("utf-8").strip() if reference.is_file() else revision
    snapshot = model / "snapshots" / commit
    return snapshot if (snapshot / CONFIG).is_file() else None


def content_digests(hub_folder: HubFolder, cache: Path | None, where: str) -> list[list[str]]:
    """Name and hash of every file that decides about the predictions."""
    files = [hub_folder.folder / CONFIG, hub_folder.extractor_file, *hub_folder.weights]
    return [[path.name, notes.content_digest(path, cache, where)] for path in files]


def tensor_names(hub_folder: HubFolder, where: str) -> set[str]:
    """Names of the weights, as far as their files say them without torch.

    Raises:
        ModelError: if a file is damaged, cut off, or only stands for one
    """
    names: set[str] = set()
    for path in hub_folder.weights:
        if path.suffix == ".safetensors":
            names |= set(_safetensors(path, where))
        elif path.suffix == ".bin":
            notes.begin(path, where)
    return names


def weights(hub_folder: HubFolder, where: str) -> int | None:
    """Number of the weights; None if their files do not say it without torch.

    Raises:
        ModelError: if a file is damaged, cut off, or only stands for one
    """
    total = 0
    for path in hub_folder.weights:
        if path.suffix == ".safetensors":
            tensors = _safetensors(path, where).values()
            total += sum(math.prod(t["shape"]) for t in tensors if t["dtype"] not in NO_WEIGHTS)
        elif path.suffix == ".bin":
            return None
    return total


def _json(path: Path, where: str) -> dict[str, Any]:
    if not path.is_file():
        raise ModelError(f"{where}: folder '{path.parent.name}' has no '{path.name}'")
    try:
        content = read_json(path)
    except ConfigError as error:
        text = str(error).replace(str(path), path.name, 1)
        raise BrokenFile(f"{where}: {text}") from None
    if not isinstance(content, dict):
        raise ModelError(f"{where}: '{path.name}': expected a mapping, found {content!r:.60}")
    return content


def _weights(folder: Path, where: str) -> tuple[Path, ...]:
    for name in WEIGHTS:
        index = folder / f"{name}.index.json"
        if (folder / name).is_file():
            return (folder / name,)
        if index.is_file():
            parts = _json(index, where).get("weight_map")
            files = sorted(set(parts.values())) if isinstance(parts, dict) else []
            for part in files:
                if Path(str(part)).name != part or not is_file(folder / part):
                    raise ModelError(
                        f"{where}: '{index.name}' names '{part}', which does not exist"
                    )
            return (index, *(folder / part for part in files))
    raise ModelError(f"{where}: folder has no weights; expected one of: {', '.join(WEIGHTS)}")


def _safetensors(path: Path, where: str) -> dict[str, dict[str, Any]]:
    """Tensors in the header of a file: name -> ``dtype`` and ``shape``.

    The format is that of https://github.com/huggingface/safetensors.
    """
    size = path.stat().st_size
    first = notes.begin(path, where)
    length = int.from_bytes(first[:8], "little")
    if len(first) < 8 or not 2 <= length <= min(size - 8, LARGEST_HEADER):
        raise ModelError(f"{where}: '{path.name}' is no safetensors file, or it is cut off")
    with path.open("rb") as file:
        file.seek(8)
        header = file.read(length)
    try:
        content = parse_json(header)
        tensors = {name: item for name, item in content.items() if name != "__metadata__"}
        end = max((int(item["data_offsets"][1]) for item in tensors.values()), default=0)
        described = {
            name: {"dtype": str(item["dtype"]), "shape": [int(size) for size in item["shape"]]}
            for name, item in tensors.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, json.JSONDecodeError):
        raise ModelError(f"{where}: '{path.name}' is no safetensors file") from None
    missing = 8 + length + end - size
    if missing > 0:
        raise ModelError(f"{where}: '{path.name}' is cut off: {missing} bytes are missing")
    return described
