"""Valid miniature inputs of every parser: path in a folder -> bytes, each made once."""

from __future__ import annotations

import atexit
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from common import spec
from common.core import paths
from common.spec import load_benchmark
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
def empty_folder() -> Path:
    """A folder that is gone in the end."""
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


def benchmark() -> spec.Benchmark:
    """The built-in benchmark."""
    return _builtin()


@cache
def _builtin() -> spec.Benchmark:
    return load_benchmark()


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

    folder = empty_folder() / "database"
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


def kaldi() -> Files:
    """A folder of Kaldi, with its audio beside it."""
    tables = {
        "wav.scp": "r1 a.wav\nr2 b.wav\n",
        "segments": "u1 r1 0.00 0.05\nu2 r1 0.05 -1\nu3 r2 0.0 0.1\n",
        "utt2spk": "u1 s1\nu2 s1\nu3 s2\n",
        "spk2gender": "s1 f\ns2 m\n",
        "text": "u1 guten Tag\nu2 schön\nu3 ja\n",
        "utt2emo": "u1\tang\nu2\tneutral\n",
    }
    audio = {f"data/{name}.wav": wav() for name in "ab"}
    return audio | {f"data/{name}": text.encode() for name, text in tables.items()}


def _of_datasets() -> pd.DataFrame:
    """Rows as Hugging Face datasets writes them, with the audio among them."""
    audio = [{"bytes": wav(), "path": f"{name}.wav"} for name in "ab"]
    return pd.DataFrame({"audio": audio, "label": ["anger", "neutral"], "speaker": ["x", "y"]})


def datasets_parquet() -> Files:
    """A folder of Hugging Face datasets as parquet."""
    out = io.BytesIO()
    _of_datasets().to_parquet(out, index=False)
    card = "---\ndataset_info:\n  features:\n  - {name: audio, dtype: audio}\n---\n"
    return {"data/README.md": card.encode(), "data/train-00000-of-00001.parquet": out.getvalue()}


def datasets_arrow() -> Files:
    """The same as it is saved to disk."""
    import pyarrow

    table = pyarrow.Table.from_pandas(
        _of_datasets(), preserve_index=False
    ).replace_schema_metadata()
    out = io.BytesIO()
    with pyarrow.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    features = {
        "audio": {"_type": "Audio"},
        **{name: {"dtype": "string", "_type": "Value"} for name in ("label", "speaker")},
    }
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train"}
    return {
        "data/dataset_info.json": json.dumps({"features": features}).encode(),
        "data/state.json": json.dumps(state).encode(),
        "data/data-00000-of-00001.arrow": out.getvalue(),
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
