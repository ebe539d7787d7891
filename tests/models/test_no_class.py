"""A model may name a class that the target does not have: an error, unless the entry says what it is."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from common import models, results
from common.core.errors import ConfigError, ModelError
from common.figures.confusion import confusion_counts
from common.models.base import Batch, SampleKey
from common.models.labels import one_hot
from common.spec import kinds

NULL = {"emotion": {"mapping": {"fearful": None}}}
SCORED = {"emotion": {"labels": ["anger", "happiness", "neutral", "sadness", "fearful"]}}


#: of the same entry before null could stand in a mapping
FINGERPRINT = "127327e060a72ee8"


def load(entry, targets):
    return models.load(entry, targets, seed=0)


def ask(model, *files):
    keys = [SampleKey("db", "1.0.0", file, 0, -1) for file in files]
    return model.predict(Batch(keys, [], 16000))


def decoded(targets, values):
    target = targets["emotion"]
    return (
        kinds.get(target.kind).decode(target, pd.DataFrame(values, columns=target.columns)).tolist()
    )


def test_the_error_says_what_can_be_done(entry, targets, tmp_path):
    (tmp_path / "p.csv").write_text("file,emotion\na.wav,fearful\nb.wav,anger\nc.wav,bored\n")
    with pytest.raises(ModelError) as caught:
        load(entry(adapter="predictions", path="p.csv"), targets)
    assert str(caught.value).endswith(
        "p.csv: row 2: column 'emotion': unknown label 'fearful'. "
        "Known: anger, happiness, neutral, sadness. The entry of the model can map it, "
        "'outputs: {emotion: {mapping: {fearful: CLASS}}}', or count it as a wrong answer, "
        "'mapping: {fearful: null}'. Not known either: bored"
    )


def test_null_is_no_class_and_survives_the_store(entry, targets, tmp_path):
    (tmp_path / "p.csv").write_text("file,emotion\na.wav,fearful\nb.wav,sadness\n")
    model = load(entry(adapter="predictions", path="p.csv", outputs=NULL), targets)
    values = ask(model, "a.wav", "b.wav")["emotion"]
    assert np.isfinite(values).all()
    assert decoded(targets, values) == ["no class", "sadness"]


def test_equal_scores_are_a_class_as_before(targets):
    assert decoded(targets, np.zeros((1, 4))) == ["anger"]
    assert decoded(targets, np.full((1, 4), -1e300)) == ["anger"]


def test_names_of_a_python_model(targets):
    values = one_hot(targets["emotion"], np.array(["fearful", "anger"]), 2, {"fearful": None})
    assert decoded(targets, values) == ["no class", "anger"]


def test_an_entry_without_null_keeps_its_fingerprint(entry, tmp_path):
    """A fingerprint is written into manifests: it must not change without need."""
    (tmp_path / "p.csv").write_text("file,emotion\na.wav,anger\n")
    mapped = {"emotion": {"mapping": {"angry": "anger"}}}
    known = models.fingerprint(entry(adapter="predictions", path="p.csv", outputs=mapped))
    assert known == FINGERPRINT


def test_null_among_scores_or_numbers_is_refused(entry, targets, tmp_path):
    names = ",".join(f"emotion/{name}" for name in SCORED["emotion"]["labels"])
    (tmp_path / "p.csv").write_text(f"file,arousal,{names}\na.wav,1,1,2,3,4,5\n")
    with pytest.raises(ConfigError, match=r"emotion\.mapping\.fearful: null is for models that na"):
        load(entry(adapter="predictions", path="p.csv", outputs=NULL), targets)
    wrong = {"arousal": {"mapping": {"loud": None}}}
    with pytest.raises(ConfigError, match=r"arousal\.mapping\.loud: null is for classes"):
        load(entry(adapter="predictions", path="p.csv", outputs=wrong), targets)


def test_null_among_scores_of_a_graph_is_refused(entry, targets, graph, tmp_path):
    graph(tmp_path / "m.onnx", {"scores": [1, 2, 3, 4, 5]})
    outputs = {"emotion": {**SCORED["emotion"], **NULL["emotion"]}}
    with pytest.raises(ConfigError, match=r"mapping\.fearful: null is for models that name"):
        load(entry(adapter="onnx", path="m.onnx", outputs=outputs), targets)


def test_such_an_answer_is_wrong_for_recall_and_no_part_of_precision(mini):
    """Every second sample of anger is called fearful, everything else is right."""
    with (mini.catalog / "tones" / "metadata.csv").open() as file:
        rows = [(row["file"], row["emotion"]) for row in csv.DictReader(file)]
    fearful = [file for file, label in rows if label == "anger"][::2]
    told = [f"{file},{'fearful' if file in fearful else label}" for file, label in rows]
    mini.write("told.csv", "\n".join(["file,emotion", *told]) + "\n")
    mini.write(
        "models.yaml",
        "- {id: told, version: 1, adapter: predictions, path: told.csv,"
        " outputs: {emotion: {mapping: {fearful: null}}}}\n",
    )
    report = mini.run(models=("told",))
    assert not report.errors
    table = results.read_csv(
        mini.root / "out/method-tests/emotion/told/correctness_classification.csv"
    )
    found = {(row.metric, row.label): row.value for row in table.itertuples()}
    assert {label for _, label in found} == {"", "anger", "happiness", "neutral", "sadness"}
    assert found["recall_per_class", "anger"] == 0.5
    assert found["precision_per_class", "anger"] == 1.0
    assert found["uar", ""] == (0.5 + 3) / 4
    assert table["ci_low"].notna().all() and (table["ci_low"] <= table["value"]).all()


def test_a_confusion_matrix_shows_them(targets):
    rows = np.array(["anger", "anger"], dtype=object)
    columns = np.array(["no class", "anger"], dtype=object)
    assert confusion_counts(rows, columns, ["anger", "no class"]).tolist() == [[1, 1], [0, 0]]
