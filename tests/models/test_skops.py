"""Pipelines of scikit-learn: trusted types only, scores by the names of their classes."""

from __future__ import annotations

import importlib.util
import sys
import zipfile

import numpy as np
import pytest

from common import models
from common.core.errors import ConfigError, MissingDependency, ModelError
from common.models.features import model_input
from common.models.outputs import OutputPlace
from common.spec.frontend import FrontEnd

needs_skops = pytest.mark.skipif(
    importlib.util.find_spec("skops") is None, reason="skops is optional: pip install skops"
)
POOLED = {"type": "log-mel", "n_fft": 64, "hop_length": 32, "n_mels": 5, "pool": ["mean", "std"]}
EMOTION = {"emotion": {}}


def training(kind="words"):
    """Random features with classes that depend on them."""
    x = np.random.default_rng(4).standard_normal((80, 10))
    x[:, :5] = 4 * x[:, :5] - 40
    names = {
        "words": ["ang", "hap", "neu", "sad"],
        "numbers": [0, 1, 2, 3],
    }[kind]
    return x, np.array(names)[np.digitize(x[:, 0], [-44, -40, -36])]


def save(path, estimator, x, y):
    import skops.io
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), estimator).fit(x, y)
    skops.io.dump(pipeline, path)
    return pipeline


@pytest.fixture
def rows(signals):
    return model_input(FrontEnd(**POOLED), signals, 16000)


@needs_skops
def test_probabilities_by_the_names_of_classes(entry, targets, batch, signals, rows, tmp_path):
    from sklearn.linear_model import LogisticRegression

    pipeline = save(tmp_path / "m.skops", LogisticRegression(), *training())
    mine = entry(adapter="skops", path="m.skops", frontend=POOLED, outputs=EMOTION)
    models.check(mine, targets)
    model = models.load(mine, targets, seed=0)
    assert not model.equal_length
    known = pipeline.predict_proba(rows)
    np.testing.assert_allclose(model.predict(batch(signals))["emotion"], known, atol=1e-12)


@needs_skops
def test_other_scores(entry, targets, batch, signals, rows, tmp_path):
    from sklearn.neighbors import NearestCentroid
    from sklearn.svm import LinearSVC

    mine = entry(adapter="skops", path="m.skops", frontend=POOLED, outputs=EMOTION)
    pipeline = save(tmp_path / "m.skops", LinearSVC(), *training())
    values = models.load(mine, targets, seed=0).predict(batch(signals))["emotion"]
    np.testing.assert_allclose(values, pipeline.decision_function(rows), atol=1e-12)

    class Plain(NearestCentroid):
        decision_function = predict_proba = property()

    from common.models.skops import PipelineModel

    plain = Plain().fit(*training("numbers"))
    place = OutputPlace(targets["emotion"], "output", ((0,), (1,), (2,), (3,)), 4)
    model = PipelineModel(mine, [place], plain, ("0", "1", "2", "3"))
    values = model.predict(batch(signals))["emotion"]
    assert values.argmax(axis=1).tolist() == plain.predict(rows).tolist()
    assert (values.sum(axis=1) == 1).all()


@needs_skops
def test_classes_without_names_get_those_of_the_entry(entry, targets, batch, signals, tmp_path):
    from sklearn.linear_model import LogisticRegression

    save(tmp_path / "m.skops", LogisticRegression(), *training("numbers"))
    fields = {"adapter": "skops", "path": "m.skops", "frontend": POOLED}
    with pytest.raises(ModelError, match=r"missing anger, happiness.*; the model has: 0, 1, 2, 3"):
        models.load(entry(**fields, outputs=EMOTION), targets, seed=0)
    labels = ["sadness", "neutral", "anger", "happiness"]
    model = models.load(entry(**fields, outputs={"emotion": {"labels": labels}}), targets, seed=0)
    other = models.load(
        entry(**fields, outputs={"emotion": {"mapping": dict(zip("0123", labels, strict=True))}}),
        targets,
        seed=0,
    )
    for_one = model.predict(batch(signals))["emotion"]
    np.testing.assert_array_equal(for_one, other.predict(batch(signals))["emotion"])


@needs_skops
def test_numbers(entry, targets, batch, signals, rows, tmp_path):
    from sklearn.linear_model import Ridge

    x, _ = training()
    pipeline = save(tmp_path / "m.skops", Ridge(), x, x[:, 0] / 80 + 1)
    fields = {"adapter": "skops", "path": "m.skops", "frontend": POOLED}
    model = models.load(entry(**fields, outputs={"valence": {}}), targets, seed=0)
    known = pipeline.predict(rows)
    assert model.predict(batch(signals))["valence"] == pytest.approx(known)
    pipeline = save(tmp_path / "m.skops", Ridge(), x, x[:, :2] / 80 + 1)
    labels = {name: {"labels": ["valence", "arousal"]} for name in ("arousal", "valence")}
    answer = models.load(entry(**fields, outputs=labels), targets, seed=0).predict(batch(signals))
    assert answer["arousal"] == pytest.approx(pipeline.predict(rows)[:, 1])


@needs_skops
def test_the_signal_itself(entry, targets, batch, signals, tmp_path):
    from sklearn.linear_model import Ridge

    x = np.concatenate(signals)
    pipeline = save(tmp_path / "m.skops", Ridge(), x, np.arange(5) / 5)
    model = models.load(
        entry(adapter="skops", path="m.skops", outputs={"arousal": {}}), targets, seed=0
    )
    assert model.equal_length
    answer = model.predict(batch(signals))["arousal"]
    assert answer == pytest.approx(pipeline.predict(x))
    with pytest.raises(ModelError, match=r"predict raised ValueError: X has 700 features"):
        model.predict(batch([signals[0][:, :700]]))


def as_it_is(x):
    return x


@needs_skops
def test_types_that_are_not_trusted(entry, targets, batch, signals, tmp_path):
    import skops.io
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(as_it_is), Ridge())
    pipeline.fit(np.concatenate(signals), np.arange(5) / 5)
    skops.io.dump(pipeline, tmp_path / "m.skops")
    fields = {"adapter": "skops", "path": "m.skops", "outputs": {"arousal": {}}}
    message = (
        rf"holds types that are not trusted: {__name__}\.as_it_is\. If you trust them: 'params"
    )
    with pytest.raises(ModelError, match=message):
        models.load(entry(**fields), targets, seed=0)
    trusting = entry(**fields, params={"trusted": [f"{__name__}.as_it_is"]})
    values = models.load(trusting, targets, seed=0).predict(batch(signals))["arousal"]
    assert values == pytest.approx(pipeline.predict(np.concatenate(signals)))


def test_files_and_entries_without_skops(entry, targets, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    mine = entry(adapter="skops", path="m.skops", outputs=EMOTION)
    (tmp_path / "m.skops").write_bytes(b"text")
    with pytest.raises(ModelError, match=r"'m.skops' is no skops file, or it is cut off"):
        models.check(mine, targets)
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as content:
        content.writestr("other.json", "{}")
    with pytest.raises(ModelError, match=r"'m.skops' is no skops file but another archive"):
        models.check(mine, targets)
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as content:
        content.writestr("schema.json", "{}")
    models.check(mine, targets)
    assert models.offered_targets(mine, targets) == ("emotion",)
    with pytest.raises(MissingDependency, match=r"need skops.* Install it with: pip install skops"):
        models.load(mine, targets, seed=0)
    with pytest.raises(ConfigError, match=r"outputs: missing; models of the adapter skops"):
        models.check(entry(adapter="skops", path="m.skops"), targets)
    with pytest.raises(ConfigError, match=r"params.trusted: expected a list of types"):
        models.check(
            entry(adapter="skops", path="m.skops", outputs=EMOTION, params={"trusted": "x"}),
            targets,
        )
