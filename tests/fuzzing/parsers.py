"""What reads the files of strangers: for each parser a valid miniature input, and a call that reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from common.core import archives, documents
from common.models import onnx_header
from common.reports.bundles import NAMES
from common.results import (
    cost,
    dose,
    sample_tables,
    slices,
    tables,
)
from common.samples import event_lists
from common.samples.event_lists.durations import read_durations
from common.samples.event_lists.frame_scores import read_scores
from common.samples.importing.layouts import read_layout
from common.samples.importing.table_files import read_table
from common.spec.loading import load_tests
from tests.fuzzing import reading, seeds, seeds_of_models, seeds_of_results
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


PARSERS: dict[str, FuzzedParser] = {
    "yaml": FuzzedParser(reading.one(documents.read_yaml, "any.yaml"), seeds.any_yaml, weight=40),
    "yaml-words": FuzzedParser(
        reading.one(documents.read_yaml, "any.yaml", words=True), seeds.any_yaml, weight=10
    ),
    "json": FuzzedParser(reading.one(documents.read_json, "any.json"), seeds.any_json, weight=20),
    **{
        name: FuzzedParser(reading.entries(name), seeds.catalog(f"{name}.yaml"), weight=40)
        for name in ("targets", "models", "datasets", "perturbations")
    },
    "suite": FuzzedParser(lambda folder: load_tests(folder, builtin=False), seeds.suite, weight=40),
    "layout": FuzzedParser(reading.one(read_layout, "layout.yaml"), seeds.layout, weight=40),
    "predictions-csv": FuzzedParser(
        reading.predictions("p.csv"), seeds_of_models.predictions_csv, weight=60
    ),
    "predictions-parquet": FuzzedParser(
        reading.predictions("p.parquet"),
        seeds_of_models.predictions_parquet,
        kinds=BINARY,
        weight=40,
    ),
    **{
        f"predictions-events-{ending}": FuzzedParser(
            reading.predicted_events(f"e.{ending}"), make, weight=10
        )
        for ending, make in seeds.EVENTS.items()
        if ending in ("tsv", "parquet", "json")
    },
    "predictions-scores": FuzzedParser(reading.predicted_events("s.tsv"), seeds.scores_tsv),
    **{
        f"import-predictions-{ending}": FuzzedParser(
            reading.imported_predictions(f"p.{ending}"), make, weight=20
        )
        for ending, make in seeds_of_models.IMPORTED_PREDICTIONS.items()
    },
    "bundle": FuzzedParser(
        reading.bundle, seeds_of_results.bundle, complete=reading.bundled, weight=4
    ),
    "bundle-zip": FuzzedParser(
        reading.bundle, seeds_of_results.bundle_zip, kinds=BINARY, weight=20
    ),
    "archive": FuzzedParser(
        lambda folder: archives.unpacked(folder / "loud.zip", NAMES),
        seeds_of_models.small_zip,
        kinds=BINARY,
    ),
    "rows": FuzzedParser(
        reading.one(tables.read_csv, "rows.csv"), seeds_of_results.rows, weight=20
    ),
    "sums": FuzzedParser(reading.sums_file, seeds_of_results.sums_file, kinds=BINARY, weight=30),
    "history": FuzzedParser(reading.histories, seeds_of_results.history, weight=8),
    "cost": FuzzedParser(
        reading.one(cost.read, "cost.csv"), seeds_of_results.cost_table, weight=20
    ),
    "dataset-facts": FuzzedParser(reading.facts, seeds_of_results.facts, weight=20),
    "slices": FuzzedParser(
        reading.one(slices.read, "slices.csv"), seeds_of_results.slices_table, weight=20
    ),
    "severity": FuzzedParser(
        reading.one(dose.read, "severity.csv"), seeds_of_results.severity, weight=20
    ),
    "sample-table": FuzzedParser(
        reading.one(sample_tables.read, "t.js"), seeds_of_results.sample_table, weight=20
    ),
    "run-report": FuzzedParser(reading.run_report, seeds_of_results.run_reports, weight=20),
    "published": FuzzedParser(
        reading.published_tables, seeds_of_results.published_tables, weight=3
    ),
    "onnx": FuzzedParser(
        lambda folder: onnx_header.read(folder / "m.onnx", "models[0]"),
        seeds_of_models.onnx_graph,
        kinds=BINARY,
        weight=60,
    ),
    "onnx-folder": FuzzedParser(
        reading.onnx_folder,
        seeds_of_models.onnx_folder,
        changed=("model/model.yaml", "model/labels.yaml"),
    ),
    "safetensors": FuzzedParser(
        reading.hub,
        seeds_of_models.hub_folder,
        changed=("model.safetensors",),
        kinds=(*BINARY, *TEXT),
        weight=20,
    ),
    "hub-json": FuzzedParser(
        reading.hub,
        seeds_of_models.hub_folder,
        changed=("config.json", "preprocessor_config.json"),
        weight=20,
    ),
    "torch-zip": FuzzedParser(reading.archive("loud.zip"), seeds_of_models.small_zip, kinds=BINARY),
    "answer": FuzzedParser(reading.answer, seeds_of_models.answer, weight=30),
    "answer-events": FuzzedParser(reading.events_answer, seeds_of_models.events_answer, weight=20),
    "answer-http": FuzzedParser(reading.http_answer, seeds_of_models.http_answer, weight=20),
    "reference-tree": FuzzedParser(reading.reference, seeds.reference_tree, weight=3),
    "metadata": FuzzedParser(
        reading.metadata, seeds.metadata, changed=("metadata.csv",), weight=20
    ),
    "audformat-header": FuzzedParser(
        reading.audformat, seeds.database, changed=("db.yaml", "db.files.csv"), weight=10
    ),
    "import-folder": FuzzedParser(
        reading.imported, seeds.data_folder, changed=("data/metadata.csv",), weight=3
    ),
    "import-kaldi": FuzzedParser(
        reading.imported,
        seeds.kaldi,
        changed=[name for name in seeds.kaldi() if not name.endswith(".wav")],
        weight=5,
    ),
    "import-datasets-parquet": FuzzedParser(
        reading.imported, seeds.datasets_parquet, kinds=(*BINARY, *TEXT), weight=5
    ),
    "import-datasets-arrow": FuzzedParser(
        reading.imported, seeds.datasets_arrow, kinds=(*BINARY, *TEXT), weight=5
    ),
    **{
        f"table-{ending}": FuzzedParser(reading.one(read_table, f"t.{ending}"), make, weight=20)
        for ending, make in seeds.TABLES.items()
    },
    **{
        f"events-{ending}": FuzzedParser(
            reading.one(event_lists.read_events, f"e.{ending}"), make, weight=20
        )
        for ending, make in seeds.EVENTS.items()
    },
    "durations": FuzzedParser(reading.one(read_durations, "d.csv"), seeds.durations, weight=20),
    "pairs": FuzzedParser(reading.one(event_lists.read_pairs, "pairs.csv"), seeds.pairs, weight=10),
    "frame-scores-tsv": FuzzedParser(
        reading.one(read_scores, "s.tsv"), seeds.scores_tsv, weight=20
    ),
    "frame-scores-npz": FuzzedParser(
        reading.one(read_scores, "s.npz"), seeds.scores_npz, kinds=BINARY, weight=20
    ),
    "frame-scores-npy": FuzzedParser(
        reading.one(read_scores, "s.npy", labels=["x", "y"], hop=0.5),
        seeds.scores_npy,
        kinds=BINARY,
        weight=20,
    ),
    **{
        f"audio-{ending}": FuzzedParser(
            reading.audio_file(f"a.{ending}"), make, kinds=BINARY, weight=15
        )
        for ending, make in seeds.AUDIO.items()
    },
    **{
        f"picture-{ending}": FuzzedParser(
            reading.pictures(f"p.{ending}"), make, kinds=(*BINARY, *TEXT), weight=10
        )
        for ending, make in seeds.PICTURES.items()
    },
}

if find_spec("skops"):  # an optional package
    PARSERS["skops"] = FuzzedParser(
        reading.skops_file, seeds_of_models.skops_file, kinds=BINARY, weight=10
    )

__all__ = ["PARSERS", "Files", "FuzzedParser"]
