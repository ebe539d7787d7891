"""What reads the files of strangers: for each parser a valid miniature input, and a call that reads it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import models, spec
from common.core import archives, documents
from common.core.paths import Paths
from common.models import declared, hub_folders, onnx_files, onnx_header
from common.models.answers import AnsweringModel, answer_of
from common.models.base import Batch, SampleKey
from common.models.checked import Checked
from common.models.importing import PredictionRequest, import_predictions
from common.reports.bundles import INDEX, NAMES, checking
from common.reports.reference import import_reference
from common.results import (
    cost,
    dataset_facts,
    dose,
    history,
    published,
    sample_tables,
    slices,
    sums,
    tables,
)
from common.samples import audio, datasets, event_lists
from common.samples.event_lists.durations import read_durations
from common.samples.event_lists.frame_scores import read_scores
from common.samples.importing import import_dataset
from common.samples.importing.layouts import read_layout
from common.samples.importing.table_files import read_table
from common.spec.loading import load_entries, load_tests
from tests.fuzzing import seeds
from tests.fuzzing.mutation import BINARY, TEXT

Files = dict[str, bytes]


@dataclass(frozen=True)
class FuzzedParser:
    """A parser of files that somebody else may have made.

    Args:
        read: reads the folder that holds the files
        files: makes a valid input: path in the folder -> bytes
        changed: paths that are changed; empty: all
        kinds: kinds of edits, each as often as it shall be drawn
        weight: cases, in relation to others; a slow parser has few
        complete: makes files that follow from others, after the change
    """

    read: Callable[[Path], object]
    files: Callable[[], Files]
    changed: Sequence[str] = ()
    kinds: Sequence[str] = TEXT
    weight: int = 10
    complete: Callable[[Files], Files] = dict


def _text(**files: str) -> Callable[[], Files]:
    return lambda: {name.replace("__", "."): text.encode() for name, text in files.items()}


def _model(folder: Path, **fields: Any) -> spec.Model:
    content = {"id": "mine", "version": "1.0.0", **fields}
    return spec.parse(spec.Model, content, folder / "models.yaml", "models[0]", builtin=False)


def _dataset(folder: Path, **fields: Any) -> spec.Dataset:
    content = {"id": "mine", "version": "1.0.0", "adapter": "folder", "path": ".", **fields}
    return spec.parse(spec.Dataset, content, folder / "datasets.yaml", "datasets[0]", builtin=False)


# -- catalogs ------------------------------------------------------------------------------------


def _entries(name: str) -> Callable[[Path], object]:
    record = {
        "targets": spec.Target,
        "models": spec.Model,
        "datasets": spec.Dataset,
        "perturbations": spec.Perturbation,
    }[name]

    def read(folder: Path) -> object:
        entries = load_entries(record, folder / f"{name}.yaml", builtin=False)
        for entry in entries.values():
            if name == "datasets":
                datasets.check(entry)
        return entries

    return read


# -- models --------------------------------------------------------------------------------------


def _predictions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        entry = _model(folder, adapter="predictions", path=name)
        models.offered_targets(entry, seeds.TARGETS)
        model = models.load(entry, seeds.TARGETS, seed=0)
        keys = [SampleKey("db", "1.0.0", f"{name}.wav", 0, -1) for name in "ab"]
        model.predict(Batch(keys, [], 16000))

    return read


def _predicted_events(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        entry = _model(folder, adapter="predictions", path=name, outputs={"sounds": {}})
        model = models.load(entry, seeds.TARGETS, seed=0)
        model.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [], 16000))

    return read


def _imported_predictions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        request = PredictionRequest(folder / name, "mine", folder / "catalog")
        import_predictions(request, seeds.benchmark(), folder / "cache")

    return read


def _onnx_folder(folder: Path) -> None:
    entry = _model(folder, adapter="onnx", path="model")
    files = onnx_files.layout(entry)
    onnx_files.content_digests(files, None, "models[0]")
    models.offered_targets(entry, seeds.TARGETS)


def _hub(folder: Path) -> None:
    hub = hub_folders.read(folder, "models[0]")
    hub.architecture, hub.labels, hub.sampling_rate  # noqa: B018 (properties that read)
    hub_folders.tensor_names(hub, "models[0]")
    hub_folders.weights(hub, "models[0]")


def _answer(folder: Path) -> None:
    entry = _model(folder, adapter="command", outputs={"arousal": {}, "emotion": {}})
    text = (folder / "answer.json").read_bytes()
    model = AnsweringModel(entry, seeds.TARGETS, lambda signal, rate: answer_of(text, "it"))
    checked = Checked(model, entry, seeds.TARGETS, "")
    checked.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [seeds.SIGNAL], 16000))


def _events_answer(folder: Path) -> None:
    entry = _model(folder, adapter="command", outputs={"sounds": {}})
    text = (folder / "answer.json").read_bytes()
    model = AnsweringModel(entry, seeds.TARGETS, lambda signal, rate: answer_of(text, "it"))
    checked = Checked(model, entry, seeds.TARGETS, "")
    checked.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [seeds.SIGNAL], 16000))


# -- results -------------------------------------------------------------------------------------


def _bundled(content: Files) -> Files:
    """Hashes of manifests and of the index made again, so that the change itself is looked at."""
    content = dict(content)
    for name in [name for name in content if name.endswith("manifest.json")]:
        folder = name.rpartition("/")[0]
        try:
            manifest = json.loads(content[name])
            for test in manifest["tables"]:
                digest = hashlib.sha256(content.get(f"{folder}/{test}.csv", b"")).hexdigest()
                manifest["tables"][test] = digest
            content[name] = json.dumps(manifest).encode()
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    try:
        index = json.loads(content[INDEX])
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
        index["files"] = {name: value for name, value in hashes.items() if name != INDEX}
        content[INDEX] = json.dumps(index).encode()
    except (ValueError, TypeError, RecursionError):
        pass
    return {"loud.zip": archives.packed(content)}


def _bundle(folder: Path) -> str:
    benchmark, bundle = seeds.mini_benchmark(), folder / "loud.zip"
    folders = Paths(folder / "out", folder / "cache")
    return checking.check(benchmark, folders, bundle, unpack=True).text()


def _sums(folder: Path) -> object:
    return sums.scores(sums.read(folder / "sums.parquet"))


def _history(folder: Path) -> object:
    return history.versions(Paths(folder, folder / "cache"), "arousal", "loud")


def _facts(folder: Path) -> object:
    return dataset_facts.read("tones", Paths(folder, folder / "cache"))


def _published(folder: Path) -> None:
    published.load(folder)
    published.foundations(folder)
    published.comparisons(folder)
    published.thresholds(folder)
    published.datasets(folder)
    published.target_order(folder)


# -- data ----------------------------------------------------------------------------------------


def _metadata(folder: Path) -> None:
    entry = _dataset(folder)
    datasets.declared_columns(entry)
    samples = datasets.load(entry, folder / "cache", {})
    datasets.media(samples)


def _audformat(folder: Path) -> None:
    columns = {"emotion": "emotion"}
    entry = _dataset(folder, adapter="audformat", table="files", columns=columns)
    datasets.declared_columns(entry)
    datasets.load(entry, folder / "cache", {})


def _imported(folder: Path) -> None:
    import_dataset(folder / "data", "mine", None, folder / "catalog", benchmark=seeds.benchmark())


def _audio(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        audio.info(folder / name)
        audio.load(folder / name, 0, -1, 16000)

    return read


def _one(function: Callable[..., object], name: str, **options: Any) -> Callable[[Path], object]:
    return lambda folder: function(folder / name, **options)


def _reference(folder: Path) -> None:
    import_reference(folder / "tree", folder / "catalog")


def _pictures(name: str) -> Callable[[Path], object]:
    return lambda folder: seeds.pictures().size(folder / name)


def _archive(name: str) -> Callable[[Path], object]:
    return lambda folder: declared.archive(folder / name, "models[0]", "archive")


PARSERS: Mapping[str, FuzzedParser] = {
    "yaml": FuzzedParser(_one(documents.read_yaml, "any.yaml"), seeds.any_yaml, weight=40),
    "yaml-words": FuzzedParser(
        _one(documents.read_yaml, "any.yaml", words=True), seeds.any_yaml, weight=10
    ),
    "json": FuzzedParser(_one(documents.read_json, "any.json"), seeds.any_json, weight=20),
    **{
        name: FuzzedParser(_entries(name), seeds.catalog(f"{name}.yaml"), weight=40)
        for name in ("targets", "models", "datasets", "perturbations")
    },
    "suite": FuzzedParser(lambda folder: load_tests(folder, builtin=False), seeds.suite, weight=40),
    "layout": FuzzedParser(_one(read_layout, "layout.yaml"), seeds.layout, weight=40),
    "predictions-csv": FuzzedParser(_predictions("p.csv"), seeds.predictions_csv, weight=60),
    "predictions-parquet": FuzzedParser(
        _predictions("p.parquet"), seeds.predictions_parquet, kinds=BINARY, weight=40
    ),
    **{
        f"predictions-events-{ending}": FuzzedParser(
            _predicted_events(f"e.{ending}"), make, weight=10
        )
        for ending, make in seeds.EVENTS.items()
        if ending in ("tsv", "parquet", "json")
    },
    "predictions-scores": FuzzedParser(_predicted_events("s.tsv"), seeds.scores_tsv),
    **{
        f"import-predictions-{ending}": FuzzedParser(
            _imported_predictions(f"p.{ending}"), make, weight=20
        )
        for ending, make in seeds.IMPORTED_PREDICTIONS.items()
    },
    "bundle": FuzzedParser(_bundle, seeds.bundle, complete=_bundled, weight=4),
    "bundle-zip": FuzzedParser(_bundle, seeds.bundle_zip, kinds=BINARY, weight=20),
    "archive": FuzzedParser(
        lambda folder: archives.unpacked(folder / "loud.zip", NAMES), seeds.small_zip, kinds=BINARY
    ),
    "rows": FuzzedParser(_one(tables.read_csv, "rows.csv"), seeds.rows, weight=20),
    "sums": FuzzedParser(_sums, seeds.sums_file, kinds=BINARY, weight=30),
    "history": FuzzedParser(_history, seeds.history, weight=8),
    "cost": FuzzedParser(_one(cost.read, "cost.csv"), seeds.cost_table, weight=20),
    "dataset-facts": FuzzedParser(_facts, seeds.facts, weight=20),
    "slices": FuzzedParser(_one(slices.read, "slices.csv"), seeds.slices_table, weight=20),
    "severity": FuzzedParser(_one(dose.read, "severity.csv"), seeds.severity, weight=20),
    "sample-table": FuzzedParser(_one(sample_tables.read, "t.js"), seeds.sample_table, weight=20),
    "published": FuzzedParser(_published, seeds.published_tables, weight=3),
    "onnx": FuzzedParser(
        lambda folder: onnx_header.read(folder / "m.onnx", "models[0]"),
        seeds.onnx_graph,
        kinds=BINARY,
        weight=60,
    ),
    "onnx-folder": FuzzedParser(
        _onnx_folder, seeds.onnx_folder, changed=("model/model.yaml", "model/labels.yaml")
    ),
    "safetensors": FuzzedParser(
        _hub, seeds.hub_folder, changed=("model.safetensors",), kinds=(*BINARY, *TEXT), weight=20
    ),
    "hub-json": FuzzedParser(
        _hub, seeds.hub_folder, changed=("config.json", "preprocessor_config.json"), weight=20
    ),
    "torch-zip": FuzzedParser(_archive("loud.zip"), seeds.small_zip, kinds=BINARY),
    "answer": FuzzedParser(_answer, seeds.answer, weight=30),
    "answer-events": FuzzedParser(_events_answer, seeds.events_answer, weight=20),
    "reference-tree": FuzzedParser(_reference, seeds.reference_tree, weight=3),
    "metadata": FuzzedParser(_metadata, seeds.metadata, changed=("metadata.csv",), weight=20),
    "audformat-header": FuzzedParser(
        _audformat, seeds.database, changed=("db.yaml", "db.files.csv"), weight=10
    ),
    "import-folder": FuzzedParser(
        _imported, seeds.data_folder, changed=("data/metadata.csv",), weight=3
    ),
    **{
        f"table-{ending}": FuzzedParser(_one(read_table, f"t.{ending}"), make, weight=20)
        for ending, make in seeds.TABLES.items()
    },
    **{
        f"events-{ending}": FuzzedParser(
            _one(event_lists.read_events, f"e.{ending}"), make, weight=20
        )
        for ending, make in seeds.EVENTS.items()
    },
    "durations": FuzzedParser(_one(read_durations, "d.csv"), seeds.durations, weight=20),
    "pairs": FuzzedParser(_one(event_lists.read_pairs, "pairs.csv"), seeds.pairs, weight=10),
    "frame-scores-tsv": FuzzedParser(_one(read_scores, "s.tsv"), seeds.scores_tsv, weight=20),
    "frame-scores-npz": FuzzedParser(
        _one(read_scores, "s.npz"), seeds.scores_npz, kinds=BINARY, weight=20
    ),
    "frame-scores-npy": FuzzedParser(
        _one(read_scores, "s.npy", labels=["x", "y"], hop=0.5),
        seeds.scores_npy,
        kinds=BINARY,
        weight=20,
    ),
    **{
        f"audio-{ending}": FuzzedParser(_audio(f"a.{ending}"), make, kinds=BINARY, weight=15)
        for ending, make in seeds.AUDIO.items()
    },
    **{
        f"picture-{ending}": FuzzedParser(
            _pictures(f"p.{ending}"), make, kinds=(*BINARY, *TEXT), weight=10
        )
        for ending, make in seeds.PICTURES.items()
    },
}

__all__ = ["PARSERS", "Files", "FuzzedParser"]
