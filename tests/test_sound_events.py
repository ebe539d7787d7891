"""Sound events end to end: a miniature benchmark from a folder, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from common import results
from common.core import closure
from common.core.errors import ConfigError, ModelError
from common.core.paths import Paths
from common.engine import identity
from common.engine.plan import Filters
from common.engine.run import Engine
from common.predictions.array_store import ArrayStore
from common.samples.base import definition
from common.spec import kinds, load_benchmark
from common.spec.records import Detection, Output, Target

RATE, SECONDS = 8000, 4.0
TARGET = Target(
    id="beeps",
    label="Beeps",
    kind="events",
    labels=("low", "high"),
    detection=Detection(hop_s=0.1),
)
TARGETS = """\
- id: beeps
  label: Beeps
  kind: events
  labels: [low, high]
  detection: {hop_s: 0.1}
"""
DATASETS = """\
- id: tones
  version: 1.0.0
  adapter: folder
  path: data
  columns: {beeps: {table: events.tsv, column: event_label}, place: place}
"""
MODELS = """\
- {id: listens, version: 1.0.0, adapter: python, entry: "beep_model:load", sampling_rate: 8000}
- {id: lists, version: 1.0.0, adapter: predictions, path: data/events.tsv, outputs: {beeps: {}}}
- {id: quiet, version: 1.0.0, adapter: chance, params: {distribution: silent}, sampling_rate: 8000}
"""
CODE = """\
import numpy as np

CALLS = []

class Model:
    targets = ("beeps",)
    labels = {"beeps": ["high", "low"]}
    batch_size = 3

    def predict(self, signals, sampling_rate):
        CALLS.extend(signals)
        return {"beeps": [self.scores(s[0], sampling_rate) for s in signals]}

    def scores(self, signal, rate):
        frames = signal[: len(signal) // 800 * 800].reshape(-1, 800)
        power = np.abs(np.fft.rfft(frames, axis=1))
        bins = [round(hz * 800 / rate) for hz in (2000, 500)]
        return np.clip(power[:, bins] / 40, 0, 1).astype(np.float32)

def load():
    return Model()
"""
EVENTS = [
    ("a.wav", 0.5, 1.5, "low"),
    ("a.wav", 2.0, 3.0, "high"),
    ("b.wav", 1.0, 2.0, "high"),
    ("d.wav", 0.0, 0.5, "low"),
]
FILES = ["a.wav", "b.wav", "c.wav", "d.wav"]
TESTS = ("events_segment_based", "events_event_based", "events_intersection_based")


def write_data(folder: Path, events: list[tuple[str, float, float, str]]) -> None:
    data = folder / "data"
    data.mkdir(exist_ok=True)
    time = np.arange(round(RATE * SECONDS)) / RATE
    for file in FILES:
        signal = np.zeros(len(time))
        for name, onset, offset, label in EVENTS:
            if name == file:
                hz = 500 if label == "low" else 2000
                signal += 0.3 * np.sin(2 * np.pi * hz * time) * (time >= onset) * (time < offset)
        soundfile.write(data / file, signal, RATE)
    rows = "".join(f"{file},{'xy'[n % 2]}\n" for n, file in enumerate(FILES))
    (data / "metadata.csv").write_text("file,place\n" + rows)
    lines = "".join("\t".join(map(str, row)) + "\n" for row in events)
    silent = "c.wav\t\t\t\n"
    (data / "events.tsv").write_text("filename\tonset\toffset\tevent_label\n" + lines + silent)


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "catalog"
    folder.mkdir()
    for name, text in (("targets", TARGETS), ("datasets", DATASETS), ("models", MODELS)):
        (folder / f"{name}.yaml").write_text(text)
    (folder / "beep_model.py").write_text(CODE)
    write_data(folder, EVENTS)
    yield folder
    import sys

    sys.modules.pop("beep_model", None)


def run(catalog: Path, out: str = "out", cache: str = "cache", workers: int = 1, **filters):
    folders = Paths(catalog.parent / out, catalog.parent / cache)
    engine = Engine(load_benchmark([catalog], allow_code=True), folders, workers=workers)
    filters = {"tests": TESTS, "models": ("listens", "lists", "quiet"), **filters}
    return engine.run(Filters(targets=("beeps",), datasets=("tones",), **filters))


def rows(catalog: Path, out: str = "out") -> pd.DataFrame:
    return results.read_all(catalog.parent / out / "method-tests")


def test_lists_and_scores_are_scored_and_nothing_is_predicted_twice(catalog: Path) -> None:
    first = run(catalog)
    assert not first.errors and first.calls == first.distinct == 3 * len(FILES)
    table = rows(catalog).set_index(["model", "metric", "label"])["value"]
    # the annotation itself, as an event list, is perfect but has no scores
    assert table["lists", "event_f", ""] == 1 and np.isnan(table["lists", "psds_1", ""])
    assert table["listens", "event_f", ""] == 1 and table["listens", "psds_1", ""] == 1
    assert table["quiet", "segment_f", ""] == 0 and table["quiet", "segment_error_rate", ""] == 1
    reasons = rows(catalog).query("model == 'lists' and metric == 'psds_1'")
    notes = rows(catalog).query("model == 'listens' and metric == 'psds_1'")["note"]
    assert notes.str.contains("biased with few recordings").all()
    assert not rows(catalog).query("metric == 'event_f'")["note"].str.contains("biased").any()
    assert reasons.status.tolist() == ["skip"] and reasons.reason.tolist() == ["no frame scores"]
    folder = catalog.parent / "out" / "extra" / "media" / "beeps" / "listens"
    told = json.loads((folder / TESTS[2] / "events_tones-1.0.0.json").read_text())
    assert told["rocs"]["psds_1"]["psds"] == 1
    assert told["confusion"]["counts"] == [[2, 0, 0], [0, 2, 0]]
    assert told["scenes"][0]["truth"] == [[0.5, 1.5, 0, True], [2.0, 3.0, 1, True]]
    told = json.loads((folder / TESTS[1] / "events_tones-1.0.0.json").read_text())
    errors = {"substitutions": 0, "deletions": 0, "insertions": 0, "reference": 4}
    event = told["families"]["event"]
    assert event["errors"] == errors and event["f_per_file"] == [1, 1, None, 1]
    assert run(catalog).computed == 0
    (folder / TESTS[1] / "events_tones-1.0.0.json").unlink()
    assert (
        run(catalog).computed == 1
        and json.loads((folder / TESTS[1] / "events_tones-1.0.0.json").read_text()) == told
    )
    assert run(catalog, out="again").calls == 0


def test_order_and_workers_give_equal_bytes(catalog: Path) -> None:
    run(catalog, "a", "cache-a")
    run(catalog, "b", "cache-b", workers=3)
    for test in reversed(TESTS):
        run(catalog, "c", "cache-c", workers=2, tests=(test,))
    found = [
        {
            path.relative_to(catalog.parent / out).as_posix(): path.read_bytes()
            for path in sorted((catalog.parent / out / "method-tests" / "beeps").rglob("*.csv"))
        }
        for out in "abc"
    ]
    assert len(found[0]) > 9
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (("a.wav", 0.5, 0.9, "middle"), r"events\.tsv: row 6.*unknown label 'middle'.*high, low"),
        (("a.wav", 3.5, 3.2, "low"), r"events\.tsv: row 6.*onset after its offset"),
        (("a.wav", -1.0, 0.2, "low"), r"events\.tsv: row 6.*negative time"),
        (("a.wav", 3.5, 9.0, "low"), r"events\.tsv: row 6.*beyond the end of the file"),
        (("a.wav", 1.0, 1.8, "low"), r"events\.tsv: row 6.*overlaps"),
    ],
)
def test_annotations_that_cannot_be_are_refused(catalog: Path, event, message: str) -> None:
    write_data(catalog, [*EVENTS, event])
    report = run(catalog, models=("listens",))
    assert report.computed == 0
    assert set(rows(catalog).status) == {"error"}
    assert rows(catalog).reason.str.contains(message).all(), rows(catalog).reason.iloc[0]


def test_recordings_without_any_event_have_no_f_score_but_a_reason(catalog: Path) -> None:
    write_data(catalog, [])
    assert not run(catalog, models=("listens",)).errors
    table = rows(catalog)
    assert set(table.status) == {"skip"}
    assert table.reason.str.contains("no annotated events").all()


def test_a_list_that_does_not_name_a_recording_is_no_silent_one(catalog: Path) -> None:
    text = MODELS.replace("data/events.tsv", "short.tsv")
    (catalog / "models.yaml").write_text(text)
    (catalog / "short.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t0\t1\tlow\n")
    report = run(catalog, models=("lists",))
    assert report.errors and rows(catalog).reason.str.contains("names no recording 'b.wav'").all()
    (catalog / "models.yaml").write_text(
        text.replace("outputs: {beeps: {}}", "outputs: {beeps: {}}, params: {missing: silent}")
    )
    assert not run(catalog, models=("lists",)).errors


def test_events_of_a_class_that_is_not_asked_for_can_be_left_out(catalog: Path) -> None:
    assert not run(catalog, models=("lists",)).errors
    text = (catalog / "data" / "events.tsv").read_text()
    (catalog / "more.tsv").write_text(text + "a.wav\t3.5\t3.9\tspeech\n")
    more = MODELS.replace("data/events.tsv", "more.tsv")
    (catalog / "models.yaml").write_text(more)
    report = run(catalog, "b", models=("lists",))
    (reason,) = set(report.errors.values())
    assert "unknown label 'speech'" in reason and "'mapping: {speech: null}'" in reason
    left = more.replace("outputs: {beeps: {}}", "outputs: {beeps: {mapping: {speech: null}}}")
    assert left != more
    (catalog / "models.yaml").write_text(left)
    assert not run(catalog, "c", models=("lists",)).errors
    assert rows(catalog, "c").equals(rows(catalog))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (np.zeros((40, 3)), r"shape \(40, 3\), expected \(frames, 2\)"),
        (np.zeros((20, 2)), r"20 frames of 0\.1 s end at 2 s, but the recording at 4 s"),
        (np.full((40, 2), np.nan), "NaN or infinite scores in 40 of 40 frames"),
        (np.zeros((0, 2)), "scores of no frame"),
        ([(0.0, 1.0, "middle")], "unknown label 'middle'"),
        ([(1.0, 0.5, "low")], "1 to 0.5 s is no event"),
        ([(0.0, 1.0, "low"), (0.5, 2.0, "low")], "overlaps"),
        ([(0.0, 1.0)], "expected \\(onset, offset, label\\)"),
    ],
)
def test_answers_that_cannot_be_are_refused(raw, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        kinds.get("events").encode(TARGET, [raw], n=1, seconds=[SECONDS])


def test_a_model_may_have_its_own_threshold_and_frames() -> None:
    scores = np.array([[0.2, 0.0]] * 10 + [[0.4, 0.0]] * 10)
    output = Output(hop_s=0.2, threshold=0.3)
    value = kinds.get("events").encode(TARGET, [scores], seconds=[SECONDS], output=output)[0, 0]
    assert value["onset"].tolist() == [2.0] and value["offset"].tolist() == [4.0]


def test_targets_of_events_are_checked(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text("- {id: x, label: X, kind: events, labels: [a]}\n")
    with pytest.raises(ConfigError, match="sound events need labels, and detection"):
        load_benchmark([tmp_path])


def test_store_of_arrays_keeps_every_bit(tmp_path: Path) -> None:
    keys = pd.DataFrame({"file": ["a", "b", "c"], "start": 0, "end": -1})
    values = np.full((3, 2), None, dtype=object)
    values[0] = [{"scores": np.float32([[0.1, 0.2]]), "times": np.array([0, 0.1])}, 0.5]
    values[1] = [{"onset": np.array([]), "label": np.array([], np.int64)}, 0.25]
    store = ArrayStore(tmp_path, {"model": "m"})
    store.append(keys, values, ["beeps", "number"])
    store.append(keys.iloc[:1], values[:1], ["beeps", "number"])
    assert store.compact() <= 2
    found = store.read(keys.iloc[::-1], ["beeps", "number"])
    assert found.found.tolist() == [False, True, True]
    back = found.values[2, 0]
    assert back["scores"].dtype == np.float32 and back["times"].tolist() == [0, 0.1]
    assert (back["scores"] == values[0, 0]["scores"]).all() and found.values[1, 1] == 0.25
    assert json.loads((tmp_path / "key.json").read_text())["model"] == "m"


def test_an_onnx_model_gives_scores_of_frames(catalog: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    # mean of the rectified signal in frames of 800 samples; the second class is never there
    shape = helper.make_tensor("shape", onnx.TensorProto.INT64, [3], [1, -1, 800])
    zero = helper.make_tensor("zero", floats, [1, 1, 2], [10.0, 0.0])
    nodes = [
        helper.make_node("Abs", ["signal"], ["size"]),
        helper.make_node("Reshape", ["size", "shape"], ["frames"]),
        helper.make_node("ReduceMean", ["frames"], ["level"], axes=[2], keepdims=1),
        helper.make_node("Mul", ["level", "zero"], ["scores"]),
    ]
    graph = helper.make_graph(
        nodes,
        "levels",
        [helper.make_tensor_value_info("signal", floats, [1, "time"])],
        [helper.make_tensor_value_info("scores", floats, [1, "frames", 2])],
        [shape, zero],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    onnx.save(model, catalog / "levels.onnx")
    (catalog / "models.yaml").write_text(
        "- id: levels\n  version: 1.0.0\n  adapter: onnx\n  path: levels.onnx\n"
        "  sampling_rate: 8000\n"
        "  outputs: {beeps: {labels: [deep, high], mapping: {deep: low}}}\n"
    )
    report = run(catalog, models=("levels",))
    assert not report.errors, report.errors
    found = rows(catalog).set_index(["metric", "label"])["value"]
    # finds every beep, but takes high ones for low ones
    assert found["event_f_per_class", "low"] == pytest.approx(2 * 2 / (2 + 4))
    assert found["event_f_per_class", "high"] == 0


@pytest.mark.filterwarnings("ignore:The inplace keyword in:pandas.errors.Pandas4Warning")
def test_a_segmented_table_is_a_dataset_of_its_own(catalog: Path) -> None:
    audformat = pytest.importorskip("audformat")
    db = audformat.Database("tones")
    db.schemes["label"] = audformat.Scheme(labels=["low", "high", "other"])
    listed = [*EVENTS, ("c.wav", None, None, None), ("b.wav", 3.0, 3.5, "other")]
    index = audformat.segmented_index(
        [file for file, *_ in listed],
        [pd.Timedelta(0 if onset is None else onset, "s") for _, onset, *_ in listed],
        [pd.NaT if offset is None else pd.Timedelta(offset, "s") for *_, offset, _ in listed],
    )
    db["events"] = audformat.Table(index)
    db["events"]["label"] = audformat.Column(scheme_id="label")
    db["events"]["label"].set([label for *_, label in listed])
    db.save(str(catalog / "data"))
    (catalog / "datasets.yaml").write_text(
        "- id: tones\n  version: 1.0.0\n  adapter: audformat\n  path: data\n  table: events\n"
        "  columns: {beeps: label}\n  mapping: {other: null}\n"
    )
    report = run(catalog, models=("listens",))
    assert not report.errors, report.errors
    found = rows(catalog)
    assert set(found.n) == {4}
    assert found.set_index(["metric", "label"])["value"]["event_f", ""] == 1


@pytest.mark.parametrize("test", TESTS)
def test_no_module_that_works_on_a_cell_is_missing(catalog: Path, tracer, test: str) -> None:
    """What runs from samples to rows and details belongs to the identity of a cell."""
    report = run(catalog, tests=(test,), models=("listens",))
    assert report.computed == 1 and not report.errors
    benchmark = load_benchmark([catalog], allow_code=True)
    found = set(closure.STOPS) | {
        "common.engine.run",
        "common.engine.requests",
        "common.engine.journal",
        "common.models.lazy",
        "common.engine.publish",
    }
    found |= {"common.spec.cell", "common.uncertainty.simulation.bounds"}
    # begun from the same place, with identities of their own
    found |= {"common.figures.drawing", "common.engine.answers"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            closure, "code_of", lambda *starts: found.update(closure.SOURCES.modules(*starts))
        )
        identity.scoring_code(benchmark.tests[test], benchmark.targets["beeps"])
        identity.prediction_code(benchmark.models["listens"], benchmark.datasets["tones"])
        definition(benchmark.datasets["tones"])
    assert "common.metrics.events.recordings" in tracer.seen
    assert tracer.seen - found == set()
