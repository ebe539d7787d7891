"""Valid miniature results: path in a folder -> bytes, each made once; see :mod:`tests.fuzzing.seeds`."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from functools import cache
from types import SimpleNamespace

import pytest

from common import spec
from common.core import paths
from common.reports.bundles import making, recomputing
from common.results import SEVERITY_COLUMNS, cost, dataset_facts, run_report, sample_tables
from common.results.slices import SLICE_COLUMNS
from tests.conftest import Mini
from tests.fuzzing.seeds import Files, empty_folder


@cache
def _results() -> SimpleNamespace:
    """Results of a model on a few tones, and their bundle with predictions."""
    root = empty_folder() / "mini"
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
    text = dataset_facts.text_of(content)
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


def run_reports() -> Files:
    """Report of a run."""
    stage = {"stage": "score", "times": 2, "wall_s": 0.5, "processor_s": 0.4, "peak_bytes": 10**8}
    asked = {"distinct": 4, "stored": 1, "calls": 3, "failed": 0}
    report = run_report.RunReport(
        *("run", "done", "2026-01-01T00:00:00+00:00", 2, "a machine", 1.5, 2.5),
        stages=[stage],
        cells={"computed": 1, "errors": 0},
        predictions=[{"model": "m", "condition": "original", "dataset": "d", **asked}],
        slowest=[("a/b/c", 0.5)],
        errors={"no luck": 1},
        peak_bytes=10**8,
    )
    text = json.dumps({"format": run_report.FORMAT, **asdict(report)})
    return {"report.json": text.encode()}
