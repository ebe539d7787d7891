"""A database of as many segments as wanted, with a catalog that tests models on it.

One long recording per speaker holds many short segments that overlap. How loud a segment is decides
about its labels, so a model that listens is better than chance.
"""

from __future__ import annotations

import csv
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...core import rng
from ...spec import Target, kinds, load_benchmark

#: id of the dataset, of the model that listens, and of the test with changed signals
DATASET, LISTENER, CHANGED = "scale", "loudness", "robustness_gain"
#: tests of the built-in suite
TESTS = (
    "correctness_classification",
    "correctness_distribution",
    "correctness_regression",
    "correctness_speaker_average",
    "correctness_speaker_ranking",
    "fairness_language",
    "fairness_sex",
)
#: segments of a speaker
PER_SPEAKER = 500
RATE = 16_000
#: length of a segment, and what lies between the starts of two, in samples
LENGTH, STEP = RATE // 10, RATE // 40
#: so many segments in a row are equally loud
EQUAL = 40
SEXES = ("female", "male")
LANGUAGES = ("de", "en", "es", "fr")
#: level of the quietest and of the loudest segments in dB, and standard deviation of annotations
QUIET_DB, LOUD_DB, SPREAD = -50.0, -10.0, 0.1

CATALOG = {
    "datasets.yaml": """- id: {dataset}
  version: 1.0.0
  adapter: folder
  path: ../{dataset}
  license: CC0-1.0
  columns: {{{columns}}}
  tests: [{tests}]
""",
    "models.yaml": """- id: {model}
  version: 1.0.0
  label: Loudness
  adapter: python
  entry: "{module}:load"
  sampling_rate: {rate}
  batch_size: 64
  outputs: {{{number}: {{}}, {category}: {{labels: [{labels}]}}}}
  params: {{number: {number}, category: {category}, classes: {classes}}}
  license: MIT
""",
    "suite/{changed}.yaml": """title: Gain
family: robustness
design: {{perturbed: {{conditions: [gain]}}}}
datasets: []
regression:
  - {{metric: change_ccc, above: -0.05}}
  - {{metric: percentage_unchanged, above: 0.95, tolerance: 0.05}}
classification:
  - {{metric: change_uar, above: -0.02}}
  - {{metric: percentage_unchanged_classes, above: 0.95}}
figures: {{regression: shift_2d, classification: confusion_shift}}
description: Another level should change hardly any prediction.
""",
}


def generate(folder: Path, segments: int) -> Path:
    """Write recordings, metadata and catalog.

    Args:
        folder: where they are written
        segments: number of segments

    Returns:
        folder of the catalog
    """
    data, catalog = folder / DATASET, folder / "catalog"
    data.mkdir(parents=True)
    number, category = targets()
    noise = rng.generator(0, "scale", "noise").standard_normal(PER_SPEAKER * STEP + LENGTH)
    columns = [number.id, category.id, "speaker", "sex", "language"]
    with (data / "metadata.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "start", "end", *columns])
        for speaker, count in enumerate(_counts(segments)):
            loudness = _loudness(speaker, count)
            name = f"speaker-{speaker:05d}.wav"
            _write(data / name, np.roll(noise, 997 * speaker), loudness)
            writer.writerows(_rows(name, speaker, loudness, category.labels))
    values = {
        "dataset": DATASET,
        "columns": ", ".join(f"{name}: {name}" for name in columns),
        "tests": ", ".join((*TESTS, CHANGED)),
        "changed": CHANGED,
        "model": LISTENER,
        "module": f"{__package__}.scale_model",
        "rate": RATE,
        "number": number.id,
        "category": category.id,
        "labels": ", ".join(category.labels),
        "classes": len(category.labels),
    }
    for path, text in CATALOG.items():
        place = catalog / path.format(**values)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.format(**values), "utf-8")
    return catalog


def targets() -> tuple[Target, Target]:
    """The first dimension and the first category of the suite."""
    every = load_benchmark().targets.values()
    number = next(target for target in every if kinds.of(target).is_number)
    return number, next(target for target in every if kinds.of(target).has_classes)


def _counts(segments: int) -> Iterator[int]:
    """Number of segments of each speaker; some speakers also of a small database."""
    per_speaker = min(PER_SPEAKER, max(1, segments // 20))
    for start in range(0, segments, per_speaker):
        yield min(per_speaker, segments - start)


def _loudness(speaker: int, count: int) -> np.ndarray:
    """How loud each segment of a speaker is, from 0 to 1."""
    draw = rng.generator(0, "scale", "loudness", speaker)
    return np.repeat(draw.random(-(-count // EQUAL)), EQUAL)[:count]


def _write(path: Path, noise: np.ndarray, loudness: np.ndarray) -> None:
    level_db = QUIET_DB + (LOUD_DB - QUIET_DB) * np.append(loudness, [loudness[-1]] * 4)
    gain = np.repeat(10 ** (level_db / 20), STEP)[: (len(loudness) - 1) * STEP + LENGTH]
    samples = np.clip(noise[: len(gain)] * gain, -1, 1) * 32767
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.astype("<i2").tobytes())


def _rows(
    file: str, speaker: int, loudness: np.ndarray, labels: Sequence[str]
) -> Iterator[list[str]]:
    draw = rng.generator(0, "scale", "labels", speaker)
    arousal = np.clip(loudness + SPREAD * draw.standard_normal(len(loudness)), 0, 1)
    place = np.minimum((arousal * len(labels)).astype(int), len(labels) - 1)
    about = [f"s{speaker:05d}", SEXES[speaker % 2], LANGUAGES[speaker // 2 % 4]]
    for number, (value, label) in enumerate(zip(arousal, place, strict=True)):
        start = number * STEP / RATE
        end = start + LENGTH / RATE
        yield [file, f"{start:.3f}", f"{end:.3f}", f"{value:.4f}", labels[label], *about]
