"""How a folder with files of strangers is read: one function for each parser, or one that makes it."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from common import models, spec
from common.cli import run_reports
from common.core import archives
from common.core.documents import parse_json
from common.core.errors import ConfigError
from common.core.paths import Paths
from common.models import declared, hub_folders, onnx_files, skops
from common.models.answers import AnsweringModel, answer_of
from common.models.base import Batch, SampleKey
from common.models.checked import Checked
from common.models.importing import PredictionRequest, import_predictions
from common.reports.bundles import INDEX, checking
from common.reports.reference import import_reference
from common.results import (
    dataset_facts,
    history,
    published,
    sums,
)
from common.samples import audio, datasets
from common.samples.importing import import_dataset
from common.spec.loading import load_entries
from tests.fuzzing import seeds, seeds_of_results

Files = dict[str, bytes]


def _model(folder: Path, **fields: Any) -> spec.Model:
    content = {"id": "mine", "version": "1.0.0", **fields}
    return spec.parse(spec.Model, content, folder / "models.yaml", "models[0]", builtin=False)


def _dataset(folder: Path, **fields: Any) -> spec.Dataset:
    content = {"id": "mine", "version": "1.0.0", "adapter": "folder", "path": ".", **fields}
    return spec.parse(spec.Dataset, content, folder / "datasets.yaml", "datasets[0]", builtin=False)


# -- catalogs ------------------------------------------------------------------------------------


def entries(name: str) -> Callable[[Path], object]:
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


def predictions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        entry = _model(folder, adapter="predictions", path=name)
        models.offered_targets(entry, seeds.TARGETS)
        model = models.load(entry, seeds.TARGETS, seed=0)
        keys = [SampleKey("db", "1.0.0", f"{name}.wav", 0, -1) for name in "ab"]
        model.predict(Batch(keys, [], 16000))

    return read


def predicted_events(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        entry = _model(folder, adapter="predictions", path=name, outputs={"sounds": {}})
        model = models.load(entry, seeds.TARGETS, seed=0)
        model.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [], 16000))

    return read


def imported_predictions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        request = PredictionRequest(folder / name, "mine", folder / "catalog")
        import_predictions(request, seeds.benchmark(), folder / "cache")

    return read


def onnx_folder(folder: Path) -> None:
    entry = _model(folder, adapter="onnx", path="model")
    files = onnx_files.layout(entry)
    onnx_files.content_digests(files, None, "models[0]")
    models.offered_targets(entry, seeds.TARGETS)


def hub(folder: Path) -> None:
    hub = hub_folders.read(folder, "models[0]")
    hub.architecture, hub.labels, hub.sampling_rate  # noqa: B018 (properties that read)
    hub_folders.tensor_names(hub, "models[0]")
    hub_folders.weights(hub, "models[0]")


def answer(folder: Path) -> None:
    entry = _model(folder, adapter="command", outputs={"arousal": {}, "emotion": {}})
    text = (folder / "answer.json").read_bytes()
    model = AnsweringModel(entry, seeds.TARGETS, lambda signal, rate: answer_of(text, "it"))
    checked = Checked(model, entry, seeds.TARGETS, "")
    checked.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [seeds.SIGNAL], 16000))


def events_answer(folder: Path) -> None:
    entry = _model(folder, adapter="command", outputs={"sounds": {}})
    text = (folder / "answer.json").read_bytes()
    model = AnsweringModel(entry, seeds.TARGETS, lambda signal, rate: answer_of(text, "it"))
    checked = Checked(model, entry, seeds.TARGETS, "")
    checked.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [seeds.SIGNAL], 16000))


class _Socket:
    """What a server answers, whatever it is asked."""

    def __init__(self, answer: bytes):
        self.answer = answer

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self.answer)

    def sendall(self, data: object) -> None:
        pass

    def close(self) -> None:
        pass


def http_answer(folder: Path) -> None:
    def connect(connection: Any) -> None:
        connection.sock = _Socket((folder / "answer.http").read_bytes())

    url = "http://127.0.0.1:8000/predict"
    entry = _model(folder, adapter="http", params={"url": url}, outputs={"arousal": {}})
    model = Checked(models.load(entry, seeds.TARGETS, seed=0), entry, seeds.TARGETS, "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(http.client.HTTPConnection, "connect", connect)
        model.predict(Batch([SampleKey("db", "1.0.0", "a.wav", 0, -1)], [seeds.SIGNAL], 16000))


def skops_file(folder: Path) -> None:
    entry = _model(folder, adapter="skops", path="m.skops", outputs={"arousal": {}})
    skops.check(entry, seeds.TARGETS)
    skops.counted_weights(entry)


# -- results -------------------------------------------------------------------------------------


def bundled(content: Files) -> Files:
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


def bundle(folder: Path) -> str:
    benchmark, bundle = seeds_of_results.mini_benchmark(), folder / "loud.zip"
    folders = Paths(folder / "out", folder / "cache")
    return checking.check(benchmark, folders, bundle, unpack=True).text()


def sums_file(folder: Path) -> object:
    return sums.scores(sums.read(folder / "sums.parquet"))


def histories(folder: Path) -> object:
    return history.versions(Paths(folder, folder / "cache"), "arousal", "loud")


def facts(folder: Path) -> object:
    path = Paths(folder).dataset_facts("tones")
    with contextlib.suppress(ConfigError, ValueError, TypeError, AttributeError, OSError):
        # who forges a file gives it the right checksum
        content = parse_json(path.read_text("utf-8"))
        signed = {key: value for key, value in content.items() if key != dataset_facts.SUM}
        path.write_text(dataset_facts.text_of(signed))
    return dataset_facts.read("tones", Paths(folder, folder / "cache"))


def published_tables(folder: Path) -> None:
    published.load(folder)
    published.foundations(folder)
    published.comparisons(folder)
    published.thresholds(folder)
    published.datasets(folder)
    published.target_order(folder)


# -- data ----------------------------------------------------------------------------------------


def metadata(folder: Path) -> None:
    entry = _dataset(folder)
    datasets.declared_columns(entry)
    samples = datasets.load(entry, folder / "cache", {})
    datasets.media(samples)


def audformat(folder: Path) -> None:
    columns = {"emotion": "emotion"}
    entry = _dataset(folder, adapter="audformat", table="files", columns=columns)
    datasets.declared_columns(entry)
    datasets.load(entry, folder / "cache", {})


def imported(folder: Path) -> None:
    import_dataset(folder / "data", "mine", None, folder / "catalog", benchmark=seeds.benchmark())


def run_report(folder: Path) -> None:
    place = SimpleNamespace(run_report=folder / "report.json")
    context = SimpleNamespace(
        folders=place, args=SimpleNamespace(json=False), answer=lambda content: None
    )
    run_reports.show(context)


def audio_file(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        audio.info(folder / name)
        audio.load(folder / name, 0, -1, 16000)

    return read


def one(function: Callable[..., object], name: str, **options: Any) -> Callable[[Path], object]:
    return lambda folder: function(folder / name, **options)


def reference(folder: Path) -> None:
    import_reference(folder / "tree", folder / "catalog")


def pictures(name: str) -> Callable[[Path], object]:
    return lambda folder: seeds.pictures().size(folder / name)


def archive(name: str) -> Callable[[Path], object]:
    return lambda folder: declared.archive(folder / name, "models[0]", "archive")
