"""Front ends of entries: what librosa computes, and what is done to it for a model."""

from __future__ import annotations

import json

import numpy as np
import pydantic
import pytest

from common import models
from common.core import paths
from common.core.errors import ConfigError, ModelError
from common.models.features import features, mel_filters, model_input
from common.spec.frontend import FrontEnd
from tests.recordings import recordings

GOLDEN = paths.REPOSITORY / "tests" / "golden" / "librosa"
CASES = json.loads((GOLDEN / "cases.json").read_text("utf-8"))
SMALL = {"type": "log-mel", "n_fft": 64, "hop_length": 32, "n_mels": 5}


@pytest.fixture(scope="module")
def figures():
    with np.load(GOLDEN / "figures.npz") as content:
        return dict(content)


@pytest.mark.parametrize("case", CASES)
def test_the_same_values_as_librosa(case, figures):
    signal = figures["signal"] / 32768
    values = features(FrontEnd(**CASES[case]), signal, 16000)
    assert values.shape == figures[case].shape
    np.testing.assert_allclose(values, figures[case], atol=1e-5, rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_the_declared_number_of_bins(case, figures):
    assert FrontEnd(**CASES[case]).bins == len(figures[case])


def test_bands_have_one_area_or_one_height():
    front_end = FrontEnd(type="log-mel", n_fft=2048, hop_length=1, n_mels=8, fmin=500)
    areas = mel_filters(front_end, 16000).sum(axis=1) * 16000 / 2048
    np.testing.assert_allclose(areas, 1, atol=0.01)
    peaks = mel_filters(front_end.model_copy(update={"norm": "none"}), 16000).max(axis=1)
    assert (peaks > 0.95).all() and (peaks <= 1).all()


@pytest.fixture
def noise():
    return np.random.default_rng(2).standard_normal((3, 1, 640)).astype(np.float32) / 8


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (None, (3, 5, 21)),
        (["batch", "frames", "bins"], (3, 21, 5)),
        (["batch", "channel", "bins", "frames"], (3, 1, 5, 21)),
        (["batch", "bins", "frames", "channel"], (3, 5, 21, 1)),
    ],
)
def test_axes_in_the_order_of_the_layout(noise, layout, shape):
    more = {} if layout is None else {"layout": layout}
    array = model_input(FrontEnd(**SMALL, **more), noise, 16000)
    assert array.shape == shape and array.dtype == np.float32
    one = features(FrontEnd(**SMALL), noise[2, 0], 16000).astype(np.float32)
    axes = [n for n, name in enumerate(layout or ["batch", "bins"]) if name in ("batch", "channel")]
    last = np.moveaxis(array, axes, range(len(axes)))[(2, 0)[: len(axes)]]
    np.testing.assert_array_equal(last if last.shape[0] == 5 else last.T, one)


def test_a_layout_without_batch_takes_one_signal(noise):
    front_end = FrontEnd(**SMALL, layout=["frames", "bins"])
    assert model_input(front_end, noise[:1], 16000).shape == (21, 5)
    with pytest.raises(ModelError, match="no axis for more than one signal"):
        model_input(front_end, noise, 16000)


@pytest.mark.parametrize(
    ("side", "count", "first"), [("end", 10, 0), ("both", 11, 5), ("end", 30, 0), ("both", 30, 4)]
)
def test_a_number_of_frames(noise, side, count, first):
    whole = features(FrontEnd(**SMALL), noise[0, 0], 16000)
    front_end = FrontEnd(**SMALL, frames=count, side=side, fill=-3.0)
    cut = features(front_end, noise[0, 0], 16000)
    assert cut.shape == (5, count)
    if count < 21:
        np.testing.assert_array_equal(cut, whole[:, first : first + count])
    else:
        np.testing.assert_array_equal(cut[:, first : first + 21], whole)
        assert (np.delete(cut, range(first, first + 21), axis=1) == -3).all()


def test_values_are_normalised_per_bin_then_shifted(noise):
    plain = features(FrontEnd(**SMALL), noise[0, 0], 16000)
    centred = features(FrontEnd(**SMALL, normalize="mean"), noise[0, 0], 16000)
    np.testing.assert_allclose(centred, plain - plain.mean(axis=1, keepdims=True))
    scaled = features(FrontEnd(**SMALL, normalize="mean-std"), noise[0, 0], 16000)
    np.testing.assert_allclose(scaled.std(axis=1), 1)
    shifted = features(FrontEnd(**SMALL, mean=-4, std=2), noise[0, 0], 16000)
    np.testing.assert_allclose(shifted, (plain + 4) / 2)


def test_silence_has_no_deviation_and_stays_finite():
    front_end = FrontEnd(**SMALL, normalize="mean-std")
    assert np.isfinite(features(front_end, np.zeros(640), 16000)).all()


def test_statistics_instead_of_frames(noise):
    front_end = FrontEnd(**SMALL, pool=["mean", "std", "max"])
    matrix = features(front_end, noise[1, 0], 16000)
    vector = model_input(front_end, noise, 16000)[1]
    expected = [*matrix.mean(axis=1), *matrix.std(axis=1), *matrix.max(axis=1)]
    np.testing.assert_allclose(vector, expected, rtol=1e-6)


def test_signals_of_different_lengths(noise):
    signals = [noise[0], noise[1, :, :500]]
    with pytest.raises(ModelError, match="different numbers of frames; set 'frames'"):
        model_input(FrontEnd(**SMALL), signals, 16000)
    assert model_input(FrontEnd(**SMALL, frames=12), signals, 16000).shape == (2, 5, 12)


@pytest.mark.parametrize(
    ("more", "samples", "least"),
    [({"center": False}, 63, 64), ({"pad_mode": "reflect"}, 32, 33), ({}, 0, 1)],
)
def test_signals_that_are_too_short(more, samples, least):
    message = f"the signal has {samples} samples, the front end needs {least} or more"
    with pytest.raises(ModelError, match=message):
        features(FrontEnd(**SMALL, **more), np.zeros(samples), 16000)


def test_changes_need_frames():
    with pytest.raises(ModelError, match="the signal has 4 frames, deltas need 9 or more"):
        features(FrontEnd(**SMALL, deltas=1), np.zeros(100), 16000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"win_length": 65}, "win_length 65 is more than n_fft 64"),
        ({"n_mels": None}, "type log-mel needs n_mels"),
        ({"type": "mfcc"}, "type mfcc needs n_mfcc, at most n_mels"),
        ({"type": "mfcc", "n_mfcc": 6}, "type mfcc needs n_mfcc, at most n_mels"),
        ({"fmin": 900, "fmax": 900}, "fmax 900 is not above fmin 900"),
        ({"layout": ["bins", "batch"]}, "layout needs bins and frames, and each axis once"),
        ({"layout": ["bins", "frames", "bins"]}, "layout needs bins and frames"),
        ({"pool": ["mean"], "frames": 3}, "with pool there are no frames"),
        ({"hop": 3}, "hop"),
    ],
)
def test_what_does_not_fit_together(change, message):
    with pytest.raises(pydantic.ValidationError, match=message):
        FrontEnd(**{**SMALL, **change})


def test_an_entry_says_where_it_is_wrong(entry, targets):
    with pytest.raises(ConfigError, match=r"models.yaml: .*frontend.*n_mels"):
        entry(adapter="onnx", path="m.onnx", frontend={**SMALL, "n_mels": None})
    mine = entry(adapter="onnx", path="m.onnx", frontend={**SMALL, "fmax": 9000})
    with pytest.raises(ConfigError, match=r"frontend.fmax: 9000 Hz, which is above half of the"):
        models.check(mine, targets)
    other = entry(adapter="chance", params={"distribution": "silent"}, frontend=SMALL)
    with pytest.raises(ConfigError, match=r"frontend: the adapter chance takes none; those that"):
        models.fingerprint(other)


def feature_graph(path, shape, *, pooled=False):
    """Graph whose two outputs are the mean and the largest of all values of a signal."""
    import onnx
    from onnx import TensorProto, helper

    axes = list(range(1, len(shape)))
    steps = [
        helper.make_node("ReduceMean", ["x"], ["mean"], axes=axes, keepdims=0),
        helper.make_node("ReduceMax", ["x"], ["most"], axes=axes, keepdims=0),
        helper.make_node("Unsqueeze", ["mean", "one"], ["a"]),
        helper.make_node("Unsqueeze", ["most", "one"], ["b"]),
        helper.make_node("Concat", ["a", "b"], ["scores"], axis=1),
    ]
    one = onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "one")
    model = helper.make_model(
        helper.make_graph(
            steps,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [shape[0], 2])],
            [one],
        ),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    onnx.save(model, path)


OUTPUTS = {name: {"labels": ["arousal", "valence"]} for name in ("arousal", "valence")}


@pytest.mark.parametrize(
    ("shape", "more"),
    [
        (["n", 5, "t"], {}),
        (["n", "t", 5], {"layout": ["batch", "frames", "bins"]}),
        (["n", 1, 5, 8], {"layout": ["batch", "channel", "bins", "frames"], "frames": 8}),
        (["n", 10], {"pool": ["mean", "std"]}),
        ([1, 5, "t"], {}),
    ],
)
def test_a_graph_of_features(entry, targets, batch, noise, tmp_path, shape, more):
    feature_graph(tmp_path / "m.onnx", shape)
    front_end = {**SMALL, **more}
    mine = entry(adapter="onnx", path="m.onnx", frontend=front_end, outputs=OUTPUTS)
    models.check(mine, targets)
    assert models.offered_targets(mine, targets) == ("arousal", "valence")
    answer = models.load(mine, targets, seed=0).predict(batch(list(noise)))
    arrays = [model_input(FrontEnd(**front_end), noise[n : n + 1], 16000) for n in range(3)]
    np.testing.assert_allclose(answer["arousal"], [a.mean() for a in arrays], rtol=1e-5)
    np.testing.assert_allclose(answer["valence"], [a.max() for a in arrays], rtol=1e-6)


def test_features_of_one_size_allow_batches_of_all_lengths(entry, targets, batch, noise, tmp_path):
    feature_graph(tmp_path / "m.onnx", ["n", 5, "t"])
    fields = {"adapter": "onnx", "path": "m.onnx", "outputs": OUTPUTS, "batch_size": 3}
    sized = models.load(entry(**fields, frontend={**SMALL, "frames": 9}), targets, seed=0)
    assert not sized.equal_length
    signals = [signal[:, : 300 + 100 * n] for n, signal in enumerate(noise)]
    together = sized.predict(batch(signals))["arousal"]
    alone = [sized.predict(batch([signal]))["arousal"][0] for signal in signals]
    np.testing.assert_allclose(together, alone, rtol=1e-6)
    assert models.load(entry(**fields, frontend=SMALL), targets, seed=0).equal_length


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (["n", 6, "t"], r"frontend: input x .* takes 6 bins, the front end has 5"),
        (["n", 5, 8], r"takes 8 frames, the front end has any number"),
        (["n", 1, 5, "t"], r"does not take floats as \[batch, bins, frames\]; the order of its"),
        ([2, 5, "t"], r"takes exactly 2 signals per call"),
    ],
)
def test_a_graph_of_other_features(entry, targets, tmp_path, shape, message):
    feature_graph(tmp_path / "m.onnx", shape)
    mine = entry(adapter="onnx", path="m.onnx", frontend=SMALL, outputs=OUTPUTS)
    with pytest.raises(ModelError, match=message):
        models.check(mine, targets)


def test_every_field_of_a_front_end_is_in_the_fingerprint(entry, tmp_path):
    feature_graph(tmp_path / "m.onnx", ["n", 5, "t"])
    fields = {"adapter": "onnx", "path": "m.onnx"}
    ends = (None, SMALL, {**SMALL, "fmin": 20}, {**SMALL, "std": 2.0})
    prints = {models.fingerprint(entry(**fields, frontend=end)) for end in ends}
    assert len(prints) == 4


def test_a_published_network_on_features(entry, targets, batch, noise, tmp_path):
    """An LSTM that others trained, without the front end that was built into its graph."""
    import onnx
    import onnxruntime

    whole = recordings("models", "test_a_graph_of_features") / "hkveeranki_lstm39.onnx"
    onnx.utils.extract_model(whole, tmp_path / "m.onnx", ["mfcc"], ["probabilities"])
    front_end = {
        **{"type": "mfcc", "n_fft": 512, "win_length": 320, "hop_length": 160, "center": False},
        **{"n_mels": 40, "n_mfcc": 39, "mel": "htk", "norm": "none", "log": "natural"},
        **{"frames": 198, "side": "both", "layout": ["batch", "frames", "bins"]},
    }
    labels = ["neutral", "anger", "happiness", "sadness"]
    outputs = {"emotion": {"node": "probabilities", "labels": labels}}
    mine = entry(adapter="onnx", path="m.onnx", frontend=front_end, outputs=outputs)
    models.check(mine, targets)
    signals = [np.tile(signal, (1, 60)) for signal in noise]
    answer = models.load(mine, targets, seed=0).predict(batch(signals))["emotion"]
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    arrays = [model_input(FrontEnd(**front_end), [signal], 16000) for signal in signals]
    known = np.concatenate([session.run(None, {"mfcc": array})[0] for array in arrays])
    np.testing.assert_allclose(answer, known[:, [1, 2, 0, 3]], atol=1e-6)
    assert arrays[0].shape == (1, 198, 39)
    np.testing.assert_allclose(answer.sum(axis=1), 1, atol=1e-5)
