"""Adapter for models of Hugging Face that classify audio, by torch and transformers.

``path`` is a folder that ``save_pretrained`` wrote (network and feature extractor), or the name
of a model that is in the cache of the hub; nothing is fetched. The outputs are the logits with
the names of ``id2label``; names that are known (``ang``, ``hap``, ``neu``, ``activation``) are taken for those
of the suite, and a run says which.

Signals of one call have the same length, unless the network ignores padding: those of wav2vec 2.0
and its relatives that were trained with an attention mask, and those that always hear a window
of one length.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ModelError
from ..core.provenance import digest
from . import hub_folders, notes, synonyms
from .base import Batch, LoadOptions, foreign, place
from .footprint import Footprint, size_of
from .hub_folders import HubFolder
from .outputs import Node, OutputPlace, choose
from .torch_runtime import device_of, inference, runtime

NODE = "logits"
#: types that pad every signal to the length of one window
WINDOWED = ("audio-spectrogram-transformer", "whisper", "clap")

#: it runs in a process of its own
ISOLATED = True


def content(entry: spec.Model, cache: Path | None) -> list[Any]:
    """Hashes of the files, and what the names of outputs are taken for."""
    hub_folder = hub_folders.find(entry)
    digests = hub_folders.content_digests(hub_folder, cache, place(entry, "path"))
    stated = (label for output in entry.outputs.values() for label in output.labels)
    return [digests, synonyms.known([*hub_folder.labels, *stated])]


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``; else those that the labels of the folder allow."""
    choices, _ = _choices(entry, targets, hub_folders.find(entry))
    return tuple(choice.target.id for choice in choices)


def may_be_elsewhere(entry: spec.Model) -> bool:
    """Whether the path looks like the name of a model in the cache of the hub."""
    return hub_folders.HUB_NAME.fullmatch(entry.path) is not None


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look at the folder as :func:`load` does, as far as that can be done without a runtime."""
    hub_folder = hub_folders.find(entry)
    hub_folders.tensor_names(hub_folder, place(entry, "path"))
    _choices(entry, targets, hub_folder)


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """Values of the weights and the size of their files; those of torch are counted by torch."""
    hub_folder, where = hub_folders.find(entry), place(entry, "path")
    files = [path for path in hub_folder.weights if path.suffix != ".json"]
    weights = hub_folders.weights(hub_folder, where)
    if weights is None and entry.parameters is None:
        key = "weights-" + digest(hub_folders.content_digests(hub_folder, cache, where))
        weights = notes.recall(cache, key)
        if weights is None:
            weights = _in_pickles(entry, [path for path in files if path.suffix == ".bin"])
            notes.keep(cache, key, weights)
    return Footprint(weights, size_of(files, where))


def _in_pickles(entry: spec.Model, files: Sequence[Path]) -> int:
    """Values of the weights in the format of torch, read without running what a pickle may hold."""
    (torch,) = runtime(entry, ("torch",))
    with foreign(place(entry, "path")):
        tensors = [
            tensor
            for path in files
            for tensor in torch.load(path, map_location="meta", weights_only=True).values()
        ]
    return sum(tensor.numel() for tensor in tensors if tensor.is_floating_point())


def load(entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions) -> HubModel:
    """Load network and feature extractor."""
    from . import hub_networks

    hub_folder, where = hub_folders.find(entry), place(entry, "path")
    choices, news = _choices(entry, targets, hub_folder)
    names = hub_folders.tensor_names(hub_folder, where)
    torch, transformers = runtime(entry, ("torch", "transformers"))
    device = device_of(entry, torch, options)
    synonyms.tell(entry, news)
    with foreign(where):
        extractor = hub_networks.extractor(transformers, hub_folder)
        network = hub_networks.load(torch, transformers, hub_folder, names, where).to(device)
    return HubModel(entry, choices, torch, network, extractor, options.threads)


def _choices(
    entry: spec.Model, targets: Mapping[str, spec.Target], hub_folder: HubFolder
) -> tuple[tuple[OutputPlace, ...], dict[str, dict[str, str]]]:
    """Where the values of the targets are, and the labels that were taken for others."""
    rate = hub_folder.sampling_rate
    if rate not in (None, entry.sampling_rate):
        raise ModelError(
            f"{place(entry, 'sampling_rate')}: {entry.sampling_rate} Hz, but "
            f"'{hub_folder.extractor_file.name}' says {rate}"
        )
    labels = hub_folder.labels
    entry, news = synonyms.translated(entry, targets, labels)
    node = Node(NODE, labels, len(labels) or None)
    return choose(entry, targets, [node], warn=True), news


class HubModel:
    """A network of transformers; may be called by several threads at once.

    Args:
        entry: catalog entry
        choices: where the values of the targets are
        torch: the package
        network: gives logits
        extractor: makes its input of signals
        threads: of one call on the CPU
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
        extractor: Any,
        threads: int,
    ):
        self.targets = tuple(choice.target.id for choice in choices)
        self.sampling_rate = entry.sampling_rate
        self.batch_size = entry.batch_size or 1
        self._choices = choices
        self._torch, self._network, self._extractor = torch, network, extractor
        self._threads = threads
        self._lock = threading.Lock()
        config = network.config
        # with a norm over time instead of channels, padding changes what is heard
        self._masked = (
            getattr(config, "feat_extract_norm", "") == "layer"
            and getattr(extractor, "return_attention_mask", False) is True
        )
        self.equal_length = not self._masked and config.model_type not in WINDOWED

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One call of the network for all targets."""
        signals = [signal[0] for signal in batch.signals]
        lengths = {len(signal) for signal in signals}
        padding = {"padding": True} if self._masked and len(lengths) > 1 else {}
        with self._lock:  # extractors keep state
            features = self._extractor(
                signals, sampling_rate=batch.sampling_rate, return_tensors="pt", **padding
            )
        device = self._network.device
        # plans of cuDNN for a new length took longer than the rest (10 of 17 ms; wav2vec 2.0, base, on an H200)
        with inference(self._torch, device, self._threads, cudnn=False):
            features = features.to(device)
            logits = self._network(**features).logits.float().cpu().numpy()
        return {choice.target.id: choice.read(logits, len(batch)) for choice in self._choices}
