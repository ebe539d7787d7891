"""Models of Hugging Face: the same numbers as transformers and the published class give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.core.errors import MissingDependency, ModelError

from .hub import LABELS, extractor, needs_torch, save_classifier, save_published, tiny

pytestmark = [
    needs_torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch"),
]
CLASSES = ("anger", "happiness", "neutral", "sadness")
ORDER = [LABELS.index(name) for name in ("ang", "hap", "neu", "sad")]


@pytest.fixture
def lengths(signals):
    """Mono signals of different lengths."""
    return [signal[:, : 400 + 90 * n] for n, signal in enumerate(signals)]


@pytest.mark.parametrize("kind", ["Wav2Vec2", "Hubert", "WavLM"])
def test_the_same_logits_as_transformers(entry, targets, batch, lengths, tmp_path, kind):
    import torch
    import transformers

    network = save_classifier(tmp_path / "m", tiny(kind))
    model = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    assert model.targets == ("emotion",)
    prepare = transformers.AutoFeatureExtractor.from_pretrained(tmp_path / "m")
    for signal in lengths:
        features = prepare(signal[0], sampling_rate=16000, return_tensors="pt")
        with torch.no_grad():
            known = network(**features).logits.numpy()[0, ORDER]
        values = model.predict(batch([signal]))["emotion"]
        assert values.shape == (1, 4)
        np.testing.assert_allclose(values[0], known, atol=1e-5, rtol=0)


def test_the_same_scores_as_the_pipeline(entry, targets, batch, lengths, tmp_path):
    import transformers

    save_classifier(tmp_path / "m", tiny())
    model = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    pipeline = transformers.pipeline("audio-classification", model=str(tmp_path / "m"))
    for signal in lengths:
        answer = pipeline({"raw": signal[0], "sampling_rate": 16000}, top_k=4)
        known = {each["label"]: each["score"] for each in answer}
        scores = np.exp(model.predict(batch([signal]))["emotion"][0])
        expected = [known[label] for label in ("ang", "hap", "neu", "sad")]
        np.testing.assert_allclose(scores / scores.sum(), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", ["Wav2Vec2", "Hubert"])
@pytest.mark.parametrize("binary", [False, True])
def test_the_published_head(entry, targets, batch, lengths, tmp_path, kind, binary):
    import torch
    import transformers

    config = tiny(kind, labels=("arousal", "dominance", "valence"))
    network = save_published(tmp_path / "m", config, binary=binary)
    model = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    assert model.targets == ("arousal", "valence")
    prepare = transformers.AutoFeatureExtractor.from_pretrained(tmp_path / "m")
    for signal in lengths:
        values = prepare(signal[0], sampling_rate=16000)["input_values"][0].reshape(1, -1)
        with torch.no_grad():
            known = network(torch.from_numpy(values))[1].numpy()[0]
        answer = model.predict(batch([signal]))
        assert answer["arousal"][0] == pytest.approx(known[0], abs=1e-5)
        assert answer["valence"][0] == pytest.approx(known[2], abs=1e-5)


def test_the_head_with_another_name_and_pooling(entry, targets, batch, signals, tmp_path):
    import torch

    config = tiny(labels=("valence",))
    config.pooling_mode = "max"
    network = save_published(tmp_path / "m", config, last="output")
    model = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    signal = signals[0][0]
    normal = (signal - signal.mean()) / np.sqrt(signal.var() + 1e-7)
    with torch.no_grad():
        frames = network.wav2vec2(torch.from_numpy(normal[None]))[0]
        known = network.classifier(frames.max(dim=1).values).numpy()
    assert model.predict(batch(signals[:1]))["valence"] == pytest.approx(known[0], abs=1e-5)
    written = json.loads((tmp_path / "m" / "config.json").read_text("utf-8"))
    (tmp_path / "m" / "config.json").write_text(json.dumps({**written, "pooling_mode": "median"}))
    with pytest.raises(ModelError, match="pooling_mode: expected one of mean, sum, max, found 'me"):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0)


@pytest.mark.parametrize("published", [False, True])
def test_padding_changes_nothing_where_it_is_masked(
    entry, targets, batch, lengths, tmp_path, published
):
    (save_published if published else save_classifier)(tmp_path / "m", tiny())
    one = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    many = models.load(entry(adapter="huggingface", path="m", batch_size=5), targets, seed=0)
    assert (one.batch_size, many.batch_size, many.equal_length) == (1, 5, False)
    together = many.predict(batch(lengths))["emotion"]
    alone = np.concatenate([one.predict(batch([signal]))["emotion"] for signal in lengths])
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)
    assert np.ptp(alone, axis=0).max() > 1e-3  # else the comparison would say nothing


@pytest.mark.parametrize(("norm", "masked"), [("group", True), ("layer", False)])
def test_other_networks_get_signals_of_one_length(entry, targets, tmp_path, norm, masked):
    save_classifier(tmp_path / "m", tiny(norm=norm), masked=masked)
    model = models.load(entry(adapter="huggingface", path="m", batch_size=4), targets, seed=0)
    assert model.equal_length


def test_weights_that_are_not_there_are_not_invented(entry, targets, tmp_path):
    from safetensors.torch import load_file, save_file

    save_classifier(tmp_path / "m", tiny())
    file = tmp_path / "m" / "model.safetensors"
    weights = load_file(file)
    weights["head.weight"] = weights.pop("classifier.weight")
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks 1 weight of Wav2Vec2ForSequenceClassification"):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0)


def test_a_pickle_that_runs_something_is_refused(entry, targets, tmp_path):
    import torch

    save_classifier(tmp_path / "m", tiny())
    (tmp_path / "m" / "model.safetensors").unlink()

    class Evil:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "run",))

    torch.save({"classifier.weight": Evil()}, tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(ModelError, match="UnpicklingError: Weights only load failed"):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    assert not (tmp_path / "run").exists()


def test_signals_that_are_too_short_are_one_line(entry, targets, batch, signals, tmp_path):
    save_classifier(tmp_path / "m", tiny())
    model = models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
    with pytest.raises(ModelError, match=r"model 'mine': predict raised RuntimeError"):
        model.predict(batch([signals[0][:, :5]]))


def test_cuda_that_is_not_there(entry, targets, tmp_path):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is CUDA here")
    save_classifier(tmp_path / "m", tiny())
    with pytest.raises(MissingDependency, match="device cuda: torch finds no such device"):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0, device="cuda")


def test_windows_of_one_length(entry, targets, batch, lengths, tmp_path):
    import transformers

    config = transformers.ASTConfig(
        **{"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2},
        **{"intermediate_size": 16, "max_length": 64, "num_mel_bins": 16},
        num_labels=4,
        id2label=dict(enumerate(LABELS)),
        label2id={label: n for n, label in enumerate(LABELS)},
    )
    network = transformers.ASTForAudioClassification(config).eval()
    network.save_pretrained(tmp_path / "m")
    prepare = transformers.ASTFeatureExtractor(num_mel_bins=16, max_length=64)
    prepare.save_pretrained(tmp_path / "m")
    model = models.load(entry(adapter="huggingface", path="m", batch_size=5), targets, seed=0)
    assert not model.equal_length
    features = prepare([s[0] for s in lengths], sampling_rate=16000, return_tensors="pt")
    known = network(**features).logits.detach().numpy()[:, ORDER]
    np.testing.assert_allclose(model.predict(batch(lengths))["emotion"], known, atol=1e-5, rtol=0)


def test_another_rate_of_the_extractor(entry, targets, tmp_path):
    save_classifier(tmp_path / "m", tiny())
    extractor(tmp_path / "m", rate=8000)
    with pytest.raises(ModelError, match=r"sampling_rate: 16000 Hz, but .* says 8000"):
        models.load(entry(adapter="huggingface", path="m"), targets, seed=0)
