"""TorchScript: signals and features go in, tensors come out under the names of the entry."""

from __future__ import annotations

import importlib.util
import sys
import warnings
import zipfile

import numpy as np
import pytest

from common import models
from common.core.errors import ConfigError, MissingDependency, ModelError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is optional: pip install torch"
)
LABELS = ["sadness", "anger", "neutral", "happiness"]
EMOTION = {"emotion": {"labels": LABELS}}
WEIGHTS = np.array([0.1, 0.4, -0.3, 0.2])


def archive(path, *names):
    """A ZIP archive as torch writes it."""
    with zipfile.ZipFile(path, "w") as content:
        for name in names:
            content.writestr(f"m/{name}", b"")


def save(path, forward="one"):
    """Networks of the mean of absolute values."""
    import torch

    class Level(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weights", torch.tensor(WEIGHTS, dtype=torch.float32))

        def level(self, x):
            return x.abs().flatten(1).mean(dim=1, keepdim=True)

    class One(Level):
        def forward(self, x):
            return self.level(x) * self.weights

    class Two(Level):
        def forward(self, x):
            return self.level(x), self.level(x) * self.weights

    class Named(Level):
        def forward(self, x):
            return {"a": self.level(x)[:, 0], "scores": self.level(x) * self.weights}

    network = {"one": One, "two": Two, "named": Named}[forward]().eval()
    example = torch.zeros(2, 100)
    with warnings.catch_warnings():
        # torch 2.15 would have people write another format
        warnings.filterwarnings("ignore", "`torch.jit", FutureWarning)
        torch.jit.trace(network, example, strict=False).save(str(path))


@needs_torch
def test_a_single_tensor_needs_no_name(entry, targets, batch, signals, level, tmp_path):
    save(tmp_path / "m.pt")
    mine = entry(adapter="torchscript", path="m.pt", outputs=EMOTION)
    models.check(mine, targets)
    model = models.load(mine, targets, seed=0)
    assert (model.targets, model.equal_length, model.batch_size) == (("emotion",), True, 1)
    values = model.predict(batch(signals))["emotion"]
    expected = np.array([level(s) * WEIGHTS[[1, 3, 2, 0]] for s in signals])
    np.testing.assert_allclose(values, expected, rtol=1e-5)


@needs_torch
@pytest.mark.parametrize(("forward", "nodes"), [("two", "01"), ("named", ["a", "scores"])])
def test_nodes_have_numbers_or_names(
    entry, targets, batch, signals, level, tmp_path, forward, nodes
):
    save(tmp_path / "m.pt", forward)
    outputs = {"arousal": {"node": nodes[0]}, "emotion": {"node": nodes[1], "labels": LABELS}}
    mine = entry(adapter="torchscript", path="m.pt", outputs=outputs)
    answer = models.load(mine, targets, seed=0).predict(batch(signals))
    assert answer["arousal"] == pytest.approx([level(s) for s in signals], rel=1e-5)
    assert answer["emotion"][4] == pytest.approx(level(signals[4]) * WEIGHTS[[1, 3, 2, 0]])
    wrong = entry(adapter="torchscript", path="m.pt", outputs={"arousal": {"node": "b"}})
    with pytest.raises(
        ModelError, match=rf"target 'arousal': unknown node 'b'.* Known: {nodes[0]}"
    ):
        models.load(wrong, targets, seed=0).predict(batch(signals))


@needs_torch
@pytest.mark.parametrize(
    "more",
    [
        {"params": {"input": "channels"}},
        {"frontend": {"type": "spectrogram", "n_fft": 64, "hop_length": 32}},
    ],
)
def test_other_inputs(entry, targets, batch, signals, tmp_path, more):
    import torch

    class Shape(torch.nn.Module):
        def forward(self, x):
            return torch.tensor([[float(n) for n in x.shape]] * len(x))[:, 1:3]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit", FutureWarning)
        torch.jit.script(Shape()).save(str(tmp_path / "m.pt"))
    labels = {name: {"labels": ["arousal", "valence"]} for name in ("arousal", "valence")}
    mine = entry(adapter="torchscript", path="m.pt", outputs=labels, **more)
    answer = models.load(mine, targets, seed=0).predict(batch(signals[:2]))
    expected = [1, 800] if "params" in more else [33, 26]
    assert [answer["arousal"][0], answer["valence"][1]] == expected


@needs_torch
def test_a_network_that_fails_is_one_line(entry, targets, batch, signals, tmp_path):
    save(tmp_path / "m.pt")
    mine = entry(adapter="torchscript", path="m.pt", outputs={"emotion": {"labels": LABELS[:0]}})
    with pytest.raises(ModelError, match=r"outputs.emotion: not among the outputs"):
        models.check(mine, targets)
    five = entry(
        adapter="torchscript", path="m.pt", outputs={"emotion": {"labels": [*LABELS, "other"]}}
    )
    with pytest.raises(ModelError, match=r"has the shape \(5, 4\), expected \(5, 5\)"):
        models.load(five, targets, seed=0).predict(batch(signals))


@pytest.fixture
def no_runtime(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


def test_files_that_are_no_torchscript(entry, targets, tmp_path, no_runtime):
    mine = entry(adapter="torchscript", path="m.pt", outputs=EMOTION)
    with pytest.raises(ModelError, match=r"path: no such file: m.pt"):
        models.check(mine, targets)
    (tmp_path / "m.pt").write_bytes(b"text")
    with pytest.raises(
        ModelError, match=r"'m.pt' is no TorchScript file, or it is cut off: no ZIP"
    ):
        models.check(mine, targets)
    (tmp_path / "m.pt").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ModelError, match=r"only stands for a file in Git LFS"):
        models.check(mine, targets)
    archive(tmp_path / "m.pt", "data.pkl", "data/0")
    with pytest.raises(ModelError, match=r"is no TorchScript file but weights only; write it with"):
        models.check(mine, targets)
    archive(tmp_path / "m.pt", "other")
    with pytest.raises(ModelError, match=r"is no TorchScript file but another archive"):
        models.check(mine, targets)
    archive(tmp_path / "m.pt", "data.pkl", "constants.pkl", "code/__torch__.py")
    models.check(mine, targets)
    with pytest.raises(
        MissingDependency, match=r"need torch\. Install it with: pip install torch$"
    ):
        models.load(mine, targets, seed=0)


def test_faults_of_entries(entry, targets, tmp_path, no_runtime):
    archive(tmp_path / "m.pt", "constants.pkl", "code/x.py")
    (tmp_path / "m.bin").touch()

    def check(**fields):
        fields = {"path": "m.pt", "outputs": EMOTION, **fields}
        models.check(entry(adapter="torchscript", **fields), targets)

    with pytest.raises(ConfigError, match=r"path: missing; the adapter torchscript needs a \.pt"):
        check(path="")
    with pytest.raises(ModelError, match=r"expected a \.pt file, found 'm.bin'"):
        check(path="m.bin")
    with pytest.raises(ConfigError, match=r"outputs: missing; .* do not say what they predict"):
        check(outputs={})
    with pytest.raises(ConfigError, match=r"unknown input 'channel'\. Did you mean 'channels'\?"):
        check(params={"input": "channel"})
    with pytest.raises(ConfigError, match=r"params: unknown parameter 'inputs'"):
        check(params={"inputs": "channels"})
    with pytest.raises(
        ConfigError, match=r"params.input: leave it out, as 'frontend' has its own 'layout'"
    ):
        front_end = {"type": "spectrogram", "n_fft": 64, "hop_length": 32}
        check(params={"input": "channels"}, frontend=front_end)
    with pytest.raises(ModelError, match=r"missing anger; the model has: a, happiness, neutral"):
        check(outputs={"emotion": {"labels": ["a", "happiness", "neutral", "sadness"]}})
    models.check(
        entry(adapter="torchscript", path="m.pt", outputs={"arousal": {}, "valence": {}}), targets
    )


def test_the_file_is_in_the_fingerprint(entry, tmp_path):
    archive(tmp_path / "m.pt", "constants.pkl", "code/x.py")
    mine = entry(adapter="torchscript", path="m.pt", outputs=EMOTION)
    before = models.fingerprint(mine)
    archive(tmp_path / "m.pt", "constants.pkl", "code/y.py")
    assert models.fingerprint(mine) != before
