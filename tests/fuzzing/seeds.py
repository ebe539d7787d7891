"""Valid miniature inputs of every parser: path in a folder -> bytes, each made once."""

from __future__ import annotations

import atexit
import io
import json
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from common import spec
from common.core import paths
from common.reports.bundles import making, recomputing
from common.results import SEVERITY_COLUMNS, cost, dataset_facts, sample_tables
from common.results.slices import SLICE_COLUMNS
from common.spec import load_benchmark
from tests.conftest import Mini
from tests.test_reference_suite import TREE

Files = dict[str, bytes]

LABELS = ("anger", "happiness", "neutral", "sadness")
TARGETS = {
    "arousal": spec.Target(id="arousal", label="Arousal", kind="regression", range=(0, 1)),
    "emotion": spec.Target(id="emotion", label="Emotion", kind="classification", labels=LABELS),
    "sounds": spec.Target(
        id="sounds",
        label="Sounds",
        kind="events",
        labels=("x", "y"),
        detection={"hop_s": 0.5, "threshold": 0.5, "median_s": 0.5},
    ),
}
SIGNAL = np.full((1, 16000), 0.1, dtype=np.float32)


def of(name: str, text: str | bytes) -> Callable[[], Files]:
    """One file."""
    return lambda: {name: text.encode() if isinstance(text, str) else text}


@cache
def _empty_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzzing-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# -- documents and catalogs ----------------------------------------------------------------------

any_yaml = of(
    "any.yaml",
    "a: &x {b: 1, c: [1.5, true, 2020-01-01, 'text', \"t\\t\"]}\nd: *x\ne: {<<: *x, f: null}\n"
    "g: |\n  lines\n? h\n: 0x1f\ni: 12:30:45\nj: 2001-12-14t21:59:43.10-05:00\nk: !!str 5\nl: .inf\n",
)
any_json = of("any.json", '{"a": [1, 2.5, null, true, "t\\u00e9"], "b": {"c": [[], {}]}, "d": 1e5}')


def catalog(name: str) -> Callable[[], Files]:
    """Some entries of the built-in catalog that together use most keys."""

    def make() -> Files:
        text = (paths.CATALOG / name).read_text("utf-8")
        entries = [f"- id:{part}" for part in text.split("\n- id:")[1:]]
        if name == "datasets.yaml":
            entries = [entries[0], *entries[-2:]]
        elif name == "models.yaml":
            entries = [*entries[:3], _OTHER_MODELS]
        elif name == "perturbations.yaml":
            entries = [entries[0], entries[2], *entries[-3:]]
        return {name: "\n".join(entries).encode()}

    return make


_OTHER_MODELS = """\
- id: net
  version: 1.0.0
  adapter: onnx
  path: net/model.onnx
  frontend: {type: log-mel, n_fft: 64, hop_length: 32, n_mels: 5, pool: [mean, std]}
  outputs:
    emotion: {node: logits, labels: [a, b], mapping: {a: anger, b: null}}
    arousal: {node: dim, scale: [1, 7]}
  max_signal_length: 3
  params: {providers: [cpu]}
"""


def suite() -> Files:
    """Tests of three designs."""
    names = ("robustness_background_noise", "fairness_sex", "events_event_based")
    return {f"suite/{n}.yaml": (paths.SUITE / f"{n}.yaml").read_bytes() for n in names} | {
        f"{n}.yaml": (paths.SUITE / f"{n}.yaml").read_bytes() for n in names
    }


def layout() -> Files:
    """A layout with most keys."""
    return {"layout.yaml": (paths.CATALOG / "layouts" / "emodb.yaml").read_bytes()}


# -- models --------------------------------------------------------------------------------------

_PREDICTIONS = (
    "file,start,end,arousal,emotion/anger,emotion/happiness,emotion/neutral,emotion/sadness,dataset\n"
    "a.wav,,,0.25,0.1,0.2,0.3,0.4,db\nb.wav,0,,0.5,1,0,0,0,db-1.0.0\n"
    "b.wav,0 days 00:00:01.5,2.5,1e-1,0,0,0,1,\n"
)
predictions_csv = of("p.csv", _PREDICTIONS)


def predictions_parquet() -> Files:
    """The same as parquet."""
    table = pd.DataFrame(
        {
            "file": ["a.wav", "b.wav"],
            "start": pd.to_timedelta([0, 0], unit="s"),
            "end": pd.to_timedelta([None, None]),
            "arousal": [0.25, 0.5],
            "emotion": ["anger", "neutral"],
        }
    )
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return {"p.parquet": out.getvalue()}


IMPORTED_PREDICTIONS = {
    "csv": of("p.csv", "path;begin;end;arousal;label\nx/a.wav;0;1,5;0,25;anger\nb.wav;;;0,5;sad\n"),
    "jsonl": of(
        "p.jsonl",
        '{"audio": "a.wav", "start": 0.5, "end": 1, "arousal": 0.5, "emotion": "anger"}\n'
        '{"audio": "b.wav", "start": null, "end": null, "arousal": 1, "emotion": "neutral"}\n',
    ),
}


def onnx_graph() -> Files:
    """A graph with a weight, metadata, and shapes of numbers and names."""
    from onnx import TensorProto, helper, numpy_helper

    signal = helper.make_tensor_value_info("signal", TensorProto.FLOAT, [1, "time"])
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 4])
    weight = numpy_helper.from_array(np.ones((1, 4), dtype=np.float32), "w")
    nodes = [
        helper.make_node("ReduceMean", ["signal"], ["m"], keepdims=1),
        helper.make_node("MatMul", ["m", "w"], ["logits"]),
    ]
    graph = helper.make_graph(nodes, "g", [signal], [output], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"labels": '["a", "b"]'})
    return {"m.onnx": model.SerializeToString()}


def onnx_folder() -> Files:
    """A folder as audonnx writes it."""
    described = (
        "$audonnx.core.model.Model==0.7.0:\n  path: model.onnx\n  device: cpu\n  transform: null\n"
        "  labels:\n    logits: [anger, happiness, neutral, sadness]\n"
    )
    return {
        "model/model.onnx": onnx_graph()["m.onnx"],
        "model/model.yaml": described.encode(),
        "model/labels.yaml": b"logits: [anger, happiness, neutral, sadness]\n",
    }


def hub_folder() -> Files:
    """A folder of transformers with weights as safetensors."""
    header = {
        "__metadata__": {"format": "pt"},
        "a.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
    }
    text = json.dumps(header).encode()
    config = {
        "model_type": "wav2vec2",
        "architectures": ["Wav2Vec2ForSequenceClassification"],
        "id2label": {"0": "anger", "1": "neutral"},
        "label2id": {"anger": 0, "neutral": 1},
    }
    extractor = {"sampling_rate": 16000, "do_normalize": True, "feature_size": 1}
    return {
        "config.json": json.dumps(config).encode(),
        "preprocessor_config.json": json.dumps(extractor).encode(),
        "model.safetensors": len(text).to_bytes(8, "little") + text + bytes(24),
    }


def small_zip() -> Files:
    """A ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle.json", b'{"format": "1"}' * 20)
        archive.writestr("method-tests/arousal/manifest.json", b"{}")
    return {"loud.zip": out.getvalue()}


answer = of(
    "answer.json",
    '{"arousal": 0.5, "emotion": {"anger": 0.1, "happiness": 0.2, "neutral": 0.3, "sadness": 0.4}}',
)
events_answer = of("answer.json", '{"sounds": {"events": [[0.1, 0.5, "x"], [0.2, 0.9, "y"]]}}')


# -- results -------------------------------------------------------------------------------------


@cache
def _results() -> SimpleNamespace:
    """Results of a model on a few tones, and their bundle with predictions."""
    root = _empty_folder() / "mini"
    root.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root))
        for module in (making, recomputing):
            patch.setattr(module, "is_open", lambda benchmark, name: name == "tones")
        mini = Mini(root)
        mini.run(models=("loud",), tests=("correctness_regression", "fairness_sex"))
        engine = mini.engine()
        making.write(engine.benchmark, engine.folders, "loud", root / "loud.zip")
    return SimpleNamespace(benchmark=engine.benchmark, folders=engine.folders, root=root)


def benchmark() -> spec.Benchmark:
    """The built-in benchmark."""
    return _builtin()


@cache
def _builtin() -> spec.Benchmark:
    return load_benchmark()


@cache
def mini_benchmark() -> spec.Benchmark:
    """The benchmark that the bundle belongs to; nothing in it is open, so nothing is predicted."""
    whole = _results().benchmark
    datasets = {
        name: entry.model_copy(update={"embedded": False}) for name, entry in whole.datasets.items()
    }
    return whole.model_copy(update={"datasets": datasets})


@cache
def bundle_zip() -> Files:
    """A bundle as it is written."""
    return {"loud.zip": (_results().root / "loud.zip").read_bytes()}


@cache
def bundle() -> Files:
    """Entries of a bundle."""
    with zipfile.ZipFile(_results().root / "loud.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _of_bundle(start: str, ending: str) -> bytes:
    return next(d for n, d in bundle().items() if n.startswith(start) and n.endswith(ending))


def rows() -> Files:
    """Result rows."""
    return {"rows.csv": _of_bundle("method-tests/arousal", "correctness_regression.csv")}


def sums_file() -> Files:
    """Sums of speakers."""
    return {"sums.parquet": _of_bundle("method-tests/", ".parquet")}


def history() -> Files:
    """Results of two versions."""
    place = "method-tests/arousal/loud"
    manifest = _of_bundle("method-tests/arousal", "manifest.json")
    rows_of_test = rows()["rows.csv"]
    return {
        f"{place}/manifest.json": manifest,
        f"{place}/correctness_regression.csv": rows_of_test,
        f"{place}/versions/0.9.0/manifest.json": manifest,
        f"{place}/versions/0.9.0/correctness_regression.csv": rows_of_test,
    }


def _line(columns: dict[str, str], **values: object) -> str:
    return ",".join(str(values.get(name, "")) for name in columns)


def cost_table() -> Files:
    """Measured cost."""
    row = cost.CostRow(
        *("m", "1.0.0", "f", 1, "cpu", 2, "p", "python 3.11", "2026-01-01"),
        *(0.1, 100, 200, 3.0, 10, 0.5, 0.2, 0.1, 0.3, 0.07),
    )
    return {"cost.csv": cost.written([row]).encode()}


def facts() -> Files:
    """Facts of a dataset."""
    durations = dataset_facts.Durations(6.0, 1.0, 2.0, 3.0, (0.0, 2.0, 4.0), (1, 2))
    content = dict.fromkeys(dataset_facts.DatasetFacts.__dataclass_fields__)
    content |= {
        **{"dataset": "tones", "version": "1.0.0", "made_of": "h", "samples": 3, "files": 3},
        **{"durations": asdict(durations), "sampling_rates": {"16000": 3}, "channels": {"1": 3}},
        **{"first_silent": [["a.wav", 0]]},
    }
    text = json.dumps({"format": dataset_facts.FORMAT, **content})
    return {"method-tests/datasets/tones.json": text.encode()}


def slices_table() -> Files:
    """Slices with a clip."""
    clip = {
        **{"file": "a.wav", "start": 0, "end": -1, "loss": 0.5, "truth": "x", "prediction": "y"},
        **{"others": [["m", "x"]], "sound": None},
    }
    clips = '"' + json.dumps([clip]).replace('"', '""') + '"'
    numbers = dict.fromkeys(SLICE_COLUMNS, 1)
    texts = {"target": "arousal", "model": "m", "slice": "sex = female", "clips": ""}
    line = _line(SLICE_COLUMNS, **{**numbers, **texts})
    other = _line(SLICE_COLUMNS, **{**numbers, **texts, "clips": clips})
    return {"slices.csv": "\n".join([",".join(SLICE_COLUMNS), line, other, ""]).encode()}


def severity() -> Files:
    """Rows of a sweep."""
    values = {
        **{"target": "arousal", "model": "m", "test": "t", "dataset": "d", "metric": "ccc"},
        **{"value": 0.5, "n": 10, "ci_low": 0.4, "ci_high": 0.6, "criterion": "> -0.05"},
        **{"status": "pass", "condition": "white-noise", "perturbation": "white-noise"},
        **{"axis": "SNR", "unit": "dB"},
    }
    lines = [_line(SEVERITY_COLUMNS, **values, level=level) for level in (20, 10, 0)]
    return {"severity.csv": "\n".join([",".join(SEVERITY_COLUMNS), *lines, ""]).encode()}


def sample_table() -> Files:
    """A table of samples as a script."""
    content = {
        "kind": "number",
        "truth": [0, 5000, None],
        "answers": {"m": [1, 2, 3]},
        "changes": {"white-noise": {"before": {"m": [1, 2, 3]}, "after": {"m": [1, None, 3]}}},
        "files": ["a.wav", "b.wav", "c.wav"],
    }
    return {"t.js": sample_tables.script("arousal", "tones", content).encode()}


def published_tables() -> Files:
    """The published tables, each with its first lines."""
    return {p.name: p.read_bytes() for p in sorted(paths.PUBLISHED.glob("*.csv"))}


# -- data ----------------------------------------------------------------------------------------

_METADATA = (
    "file,start,end,emotion,arousal,speaker,sex\na.wav,,,anger,0.5,s1,female\n"
    "b.wav,0 days 00:00:00,0.05,neutral,0.25,s2,male\nb.wav,0.05,,sadness,NA,s2,male\n"
)


def wav(format: str = "WAV", subtype: str | None = "PCM_16") -> bytes:
    """A tenth of a second."""
    import soundfile

    out = io.BytesIO()
    signal = 0.3 * np.sin(np.arange(1600) / 9)
    soundfile.write(out, signal, 16000, format=format, subtype=subtype)
    return out.getvalue()


def metadata() -> Files:
    """A folder with audio and its table."""
    return {"metadata.csv": _METADATA.encode(), "a.wav": wav(), "b.wav": wav()}


def data_folder() -> Files:
    """The same in a folder of its own."""
    return {f"data/{name}": data for name, data in metadata().items()}


@cache
def database() -> Files:
    """A database in audformat."""
    import audformat

    folder = _empty_folder() / "database"
    db = audformat.Database("db", source="https://x.org", usage="unrestricted")
    db.schemes["emotion"] = audformat.Scheme(labels=["anger", "neutral"])
    db["files"] = audformat.Table(audformat.filewise_index(["a.wav", "b.wav"]))
    db["files"]["emotion"] = audformat.Column(scheme_id="emotion")
    db["files"]["emotion"].set(["anger", "neutral"])
    db.save(folder, storage_format="csv")
    names = {p.name: p.read_bytes() for p in sorted(folder.glob("db.*")) if p.suffix != ".pkl"}
    return {**names, "a.wav": wav(), "b.wav": wav()}


_RECORDS = [
    {"filename": "a.wav", "onset": 0.5, "offset": "1.0", "event_label": "x"},
    {"filename": "b.wav", "onset": None, "offset": None, "event_label": None},
]
_EVENTS = (
    "filename\tonset\toffset\tevent_label\na.wav\t0.5\t1.0\tx\nb.wav\t1\t2.5\ty\nc.wav\t\t\t\n"
)
_JAMS = {
    "annotations": [
        {
            "namespace": "tag_open",
            "annotation_metadata": {"data_source": ""},
            "data": [{"time": 0.5, "duration": 1.0, "value": "dog", "confidence": None}],
            "sandbox": {},
        }
    ],
    "file_metadata": {"duration": 10.0, "title": "a", "identifiers": {}, "jams_version": "0.3.4"},
    "sandbox": {},
}


def _events_parquet() -> Files:
    out = io.BytesIO()
    pd.DataFrame(_RECORDS).astype({"offset": float}).to_parquet(out, index=False)
    return {"e.parquet": out.getvalue()}


EVENTS = {
    "tsv": of("e.tsv", _EVENTS),
    "csv": of("e.csv", _EVENTS.replace("\t", ",")),
    "txt": of("e.txt", "0.5\t1.0\tdog\n1.5\t2.5\tcat\n"),
    "ann": of("e.ann", "a.wav,0.5,1.0,dog\n"),
    "json": of("e.json", json.dumps(_RECORDS)),
    "yaml": of("e.yaml", "- {filename: a.wav, onset: 0.5, offset: 1.0, event_label: dog}\n"),
    "jams": of("e.jams", json.dumps(_JAMS)),
    "parquet": _events_parquet,
}
durations = of("d.csv", "filename\tduration\na.wav\t10.5\nb.wav\t1e1\n")
pairs = of("pairs.csv", "reference,estimated\na.txt,b.txt\nc.txt,d.txt\n")
scores_tsv = of(
    "s.tsv",
    "filename\tonset\toffset\tx\ty\na.wav\t0\t0.5\t0.1\t0.9\na.wav\t0.5\t1.0\t0.2\t0.8\nb.wav\t0\t1\t0\t1\n",
)


def scores_npz() -> Files:
    """Frame scores as arrays."""
    out = io.BytesIO()
    np.savez(out, scores=np.ones((2, 2)), labels=np.array(["x", "y"]), times=np.arange(3) / 2)
    return {"s.npz": out.getvalue()}


def scores_npy() -> Files:
    """Frame scores as one array."""
    out = io.BytesIO()
    np.save(out, np.ones((3, 2)))
    return {"s.npy": out.getvalue()}


def _table_parquet() -> Files:
    out = io.BytesIO()
    pd.DataFrame({"file": ["a.wav"], "label": ["x"], "n": [1.5]}).to_parquet(out, index=False)
    return {"t.parquet": out.getvalue()}


TABLES = {
    "csv": of("t.csv", 'file;label;note\na.wav;anger;"x;y"\nb.wav;neutral;\n'),
    "tsv": of("t.tsv", "file\tlabel\na.wav\tanger\n"),
    "txt": of("t.txt", "file label\na.wav anger\nb.wav neutral\n"),
    "json": of("t.json", '[{"file": "a.wav", "label": "x"}, {"file": "b.wav", "n": 1.5}]'),
    "jsonl": of("t.jsonl", '{"file": "a.wav", "label": "x"}\n{"file": "b.wav", "n": [1]}\n'),
    "parquet": _table_parquet,
}
AUDIO: dict[str, Callable[[], Files]] = {
    "wav": lambda: {"a.wav": wav()},
    "flac": lambda: {"a.flac": wav("FLAC")},
    "ogg": lambda: {"a.ogg": wav("OGG", "VORBIS")},
    "mp3": lambda: {"a.mp3": wav("MP3", None)},
}


def reference_tree() -> Files:
    """A tree of the reference suite."""
    tests = {
        "test/arousal/correctness_regression.yaml": (
            "Data:\n  - {name: iemocap, version: 2.3.0, tables: [a, b]}\n\nMetrics:\n"
            "  - {name: Concordance Correlation Coeff, threshold: 0.4}\n"
            "  - {name: Mean Absolute Error, threshold: 0.2}\n"
        ),
        "docs/model_names.yml": "1543ec32-1.0.3: CNN14\n",
        "comparison/arousal.yaml": "- {baseline: 1543ec32-1.0.3, candidates: [6d83a25c-1.0.1]}\n",
    }
    results = {f"docs/results/test/{name}": text for name, text in TREE.items()}
    return {f"tree/{name}": text.encode() for name, text in {**results, **tests}.items()}


# -- pictures ------------------------------------------------------------------------------------


@cache
def pictures() -> ModuleType:
    """The module of the website that reads sizes of pictures."""
    extensions = str(paths.DOCS / "_ext")
    if extensions not in sys.path:
        sys.path.insert(0, extensions)
    from site_frame import pictures as module

    return module


def _picture(format: str, **options: object) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (5, 3)).save(out, format, **options)
    return out.getvalue()


PICTURES: dict[str, Callable[[], Files]] = {
    "png": lambda: {"p.png": _picture("PNG")},
    "webp": lambda: {"p.webp": _picture("WEBP", lossless=True)},
    "svg": of("p.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="90.4px" height="20">'),
}
