"""Networks of transformers: loaded from a folder, nothing of it run, nothing of it invented.

Besides the classes of ``AutoModelForAudioClassification`` there is one that many published models
of speech emotion have and that transformers lacks: an encoder (wav2vec 2.0, HuBERT, WavLM), the
mean of its frames, and a head of two layers, ``dense``, tanh, ``out_proj``. Of that kind is
audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim (Wagner et al., *Dawn of the transformer
era in speech emotion recognition*, 2023), whose card has the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import ModelError
from ..core.wording import counted
from .hub_folders import HubFolder

#: what the class of a pooled encoder with a head of two layers is called
POOLED = "ForSpeechClassification"
DENSE = "classifier.dense.weight"
#: names of the second layer of the head
LAST = ("out_proj", "output")
#: weights of training only
UNUSED = ("masked_spec_embed",)
POOLINGS = ("mean", "sum", "max")


def load(torch: Any, transformers: Any, hub_folder: HubFolder, names: set[str], where: str) -> Any:
    """The network in a folder, in 32-bit floats, without dropout.

    Args:
        torch: the package
        transformers: the package
        hub_folder: what was read of the folder
        names: names of the weights as far as they are known
        where: start of the message

    Raises:
        ModelError: if weights are missing: transformers would draw them at random
    """
    names = names or _names_in_pickles(torch, hub_folder)
    with _silent(transformers):
        network: Any = transformers.AutoModelForAudioClassification
        if is_pooled(hub_folder, names):
            network = _pooled(torch, transformers, hub_folder, names, where)
        loaded, info = network.from_pretrained(
            str(hub_folder.folder),
            local_files_only=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    missing = sorted(name for name in info["missing_keys"] if name.rpartition(".")[2] not in UNUSED)
    if missing:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise ModelError(
            f"{where}: the folder lacks {counted(len(missing), 'weight')} of {type(loaded).__name__} "
            f"({shown}); with random ones its answers would mean nothing. It was saved as "
            f"'{hub_folder.architecture or 'an unknown class'}': use the adapter python for it"
        )
    return loaded.eval()


def extractor(transformers: Any, hub_folder: HubFolder) -> Any:
    """The feature extractor in a folder."""
    with _silent(transformers):
        return transformers.AutoFeatureExtractor.from_pretrained(
            str(hub_folder.folder), local_files_only=True
        )


def is_pooled(hub_folder: HubFolder, names: set[str]) -> bool:
    """Whether a network is an encoder with pooling and a head of two layers."""
    if not names:
        return hub_folder.architecture.endswith(POOLED)
    return DENSE in names and any(f"classifier.{name}.weight" in names for name in LAST)


def _names_in_pickles(torch: Any, hub_folder: HubFolder) -> set[str]:
    """Names of weights in the format of torch, read without running what a pickle may hold."""
    names: set[str] = set()
    for path in hub_folder.weights:
        if path.suffix == ".bin":
            names |= set(torch.load(path, map_location="meta", weights_only=True))
    return names


def _pooled(
    torch: Any, transformers: Any, hub_folder: HubFolder, names: set[str], where: str
) -> Any:
    """Class of an encoder with pooling and a head of two layers."""
    config = transformers.AutoConfig.from_pretrained(str(hub_folder.folder), local_files_only=True)
    pooling = str(getattr(config, "pooling_mode", "mean"))
    if pooling not in POOLINGS:
        raise ModelError(
            f"{where}: config.json: pooling_mode: expected one of {', '.join(POOLINGS)}, "
            f"found '{pooling}'"
        )
    last = next((name for name in LAST if f"classifier.{name}.weight" in names), LAST[0])
    with torch.device("meta"):
        encoder = type(transformers.AutoModel.from_config(config))
    parent: Any = encoder.__bases__[0]
    prefix = parent.base_model_prefix
    if not hasattr(parent, "_get_feature_vector_attention_mask"):
        raise ModelError(f"{where}: '{config.model_type}' with a head of two layers is not known")

    class Head(torch.nn.Module):  # type: ignore[misc]
        """Two layers with tanh between them."""

        def __init__(self) -> None:
            super().__init__()
            self.dense = torch.nn.Linear(config.hidden_size, config.hidden_size)
            setattr(self, last, torch.nn.Linear(config.hidden_size, config.num_labels))

        def forward(self, frames: Any) -> Any:
            """Outputs of the model from its pooled frames."""
            return getattr(self, last)(torch.tanh(self.dense(frames)))

    class PooledEncoder(parent):  # type: ignore[misc]
        """Encoder, pooling over frames that are no padding, and head."""

        def __init__(self, settings: Any) -> None:
            super().__init__(settings)
            setattr(self, prefix, encoder(settings))
            self.classifier = Head()
            self.post_init()

        def forward(self, input_values: Any, attention_mask: Any = None) -> Any:
            """Outputs of the model, shape (batch, labels)."""
            frames = getattr(self, prefix)(input_values, attention_mask=attention_mask)[0]
            mask = torch.ones(frames.shape[:2], dtype=torch.bool, device=frames.device)
            if attention_mask is not None:
                mask = self._get_feature_vector_attention_mask(frames.shape[1], attention_mask)
            logits = self.classifier(_pool(frames, mask.bool()[..., None], pooling))
            return transformers.modeling_outputs.SequenceClassifierOutput(logits=logits)

    return PooledEncoder


def _pool(frames: Any, mask: Any, pooling: str) -> Any:
    if pooling == "max":
        return frames.masked_fill(~mask, float("-inf")).max(dim=1).values
    total = frames.masked_fill(~mask, 0.0).sum(dim=1)
    return total / mask.sum(dim=1) if pooling == "mean" else total


@contextmanager
def _silent(transformers: Any) -> Iterator[None]:
    """No progress bars and no remarks, which would stand among the messages of a run."""
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()
