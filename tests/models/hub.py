"""Tiny models of transformers with random weights, saved as people save theirs."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

LABELS = ("neu", "hap", "ang", "sad")

needs_torch = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("torch", "transformers")),
    reason="torch and transformers are optional: pip install torch transformers",
)


def names(labels: Sequence[str]) -> dict[str, Any]:
    return {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: n for n, label in enumerate(labels)},
    }


def tiny(kind: str = "Wav2Vec2", labels: Sequence[str] = LABELS, norm: str = "layer") -> Any:
    """Configuration of a network of some thousand weights."""
    import transformers

    return getattr(transformers, f"{kind}Config")(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        conv_dim=(8, 8, 8),
        conv_kernel=(10, 3, 3),
        conv_stride=(5, 4, 4),
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2,
        classifier_proj_size=12,
        feat_extract_norm=norm,
        do_stable_layer_norm=norm == "layer",
        num_labels=len(labels),
        **names(labels),
    )


def extractor(folder: Path, *, masked: bool = True, rate: int = 16000) -> None:
    """Write the file of a feature extractor."""
    content = {
        "feature_extractor_type": "Wav2Vec2FeatureExtractor",
        "do_normalize": True,
        "feature_size": 1,
        "padding_side": "right",
        "padding_value": 0.0,
        "return_attention_mask": masked,
        "sampling_rate": rate,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(content))


def save_classifier(folder: Path, config: Any, *, masked: bool = True) -> Any:
    """Write a network with the head of transformers; returns it."""
    import torch
    import transformers

    torch.manual_seed(3)
    network = transformers.AutoModelForAudioClassification.from_config(config).eval()
    for weight in network.classifier.parameters():  # random heads say almost the same of all
        torch.nn.init.normal_(weight, std=2.0)
    network.save_pretrained(folder)
    extractor(folder, masked=masked)
    return network


def published(config: Any, last: str = "out_proj") -> Any:
    """The class on the card of audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim."""
    import torch
    from torch import nn
    from transformers.models.hubert.modeling_hubert import HubertModel, HubertPreTrainedModel
    from transformers.models.wav2vec2.modeling_wav2vec2 import (
        Wav2Vec2Model,
        Wav2Vec2PreTrainedModel,
    )

    hubert = config.model_type == "hubert"
    parent = HubertPreTrainedModel if hubert else Wav2Vec2PreTrainedModel

    class RegressionHead(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.dense = nn.Linear(config.hidden_size, config.hidden_size)
            self.dropout = nn.Dropout(config.final_dropout)
            setattr(self, last, nn.Linear(config.hidden_size, config.num_labels))

        def forward(self, features, **kwargs):
            x = self.dropout(features)
            x = torch.tanh(self.dense(x))
            x = self.dropout(x)
            return getattr(self, last)(x)

    class EmotionModel(parent):
        def __init__(self, config):
            super().__init__(config)
            self.config = config
            encoder = HubertModel(config) if hubert else Wav2Vec2Model(config)
            setattr(self, "hubert" if hubert else "wav2vec2", encoder)
            self.classifier = RegressionHead(config)
            self.post_init()

        def forward(self, input_values):
            encoder = self.hubert if hubert else self.wav2vec2
            hidden_states = torch.mean(encoder(input_values)[0], dim=1)
            return hidden_states, self.classifier(hidden_states)

    torch.manual_seed(5)
    return EmotionModel(config).eval()


def save_published(folder: Path, config: Any, *, last: str = "out_proj", binary: bool = False):
    """Write a network with the published head, by the names and files of the original."""
    import torch

    network = published(config, last)
    for weight in network.classifier.parameters():
        torch.nn.init.normal_(weight, std=1.0)
    network.save_pretrained(folder)
    if binary:
        (folder / "model.safetensors").unlink()
        torch.save(network.state_dict(), folder / "pytorch_model.bin")
    written = json.loads((folder / "config.json").read_text("utf-8"))
    written["architectures"] = ["Wav2Vec2ForSpeechClassification"]
    (folder / "config.json").write_text(json.dumps(written))
    extractor(folder)
    return network


def folder_without_torch(folder: Path, *, labels: Sequence[str] = LABELS, **more: Any) -> Path:
    """A folder that looks as if transformers had written it; its only weight is one number."""
    folder.mkdir(parents=True)
    config = {
        "model_type": "wav2vec2",
        "architectures": ["Wav2Vec2ForSequenceClassification"],
        "id2label": {str(n): label for n, label in enumerate(labels)},
        **more,
    }
    (folder / "config.json").write_text(json.dumps(config))
    extractor(folder)
    header = json.dumps(
        {"classifier.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    ).encode()
    weights = len(header).to_bytes(8, "little") + header + bytes(4)
    (folder / "model.safetensors").write_bytes(weights)
    return folder
