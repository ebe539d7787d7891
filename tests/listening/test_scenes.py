"""Sounds and spectrograms of the recordings whose events pages show."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.core.paths import Paths
from common.pages.listening import scenes
from common.results.manifest import Manifest
from common.spec import Benchmark, load_benchmark

RATE, SECONDS = 8000, 3.0
TARGETS = """\
- {id: beeps, label: Beeps, kind: events, labels: [low], detection: {hop_s: 0.1}}
"""
DATASET = """\
- id: tones
  version: 1.0.0
  adapter: folder
  path: data
  license: LICENSE
  columns: {beeps: {table: events.tsv, column: event_label}}
"""
MODELS = """\
- {id: quiet, version: 1.0.0, adapter: chance, params: {distribution: silent}, sampling_rate: 8000}
"""


def declared(tmp_path: Path, license: str = "CC0-1.0") -> Benchmark:
    """A catalog with two recordings."""
    data = tmp_path / "catalog" / "data"
    data.mkdir(parents=True, exist_ok=True)
    for name in ("a.wav", "b.wav"):
        time = np.arange(round(RATE * SECONDS)) / RATE
        soundfile.write(data / name, 0.3 * np.sin(2 * np.pi * 700 * time), RATE)
    (data / "metadata.csv").write_text("file\na.wav\nb.wav\n")
    (data / "events.tsv").write_text(
        "filename\tonset\toffset\tevent_label\na.wav\t0.5\t1.5\tlow\nb.wav\t1\t2\tlow\n"
    )
    texts = {"targets": TARGETS, "datasets": DATASET.replace("LICENSE", license), "models": MODELS}
    for name, text in texts.items():
        (tmp_path / "catalog" / f"{name}.yaml").write_text(text)
    return load_benchmark([tmp_path / "catalog"])


@pytest.fixture
def folders(tmp_path: Path) -> Paths:
    """Results whose details name one of the recordings, the first two seconds of it."""
    made = Paths(tmp_path / "out", tmp_path / "cache")
    cell = {"hash": "1", "status": "done", "details": {"events_tones.json": "1"}}
    manifest = Manifest("beeps", {"id": "quiet"}, cells={"events_event_based/tones": cell})
    path = made.manifest("beeps", "quiet")
    path.parent.mkdir(parents=True)
    path.write_text(manifest.to_json())
    details = made.figures("beeps", "quiet", "events_event_based") / "events_tones.json"
    details.parent.mkdir(parents=True)
    scene = {"file": "a.wav", "start_ns": 0, "seconds": 2.0}
    details.write_text(json.dumps({"format": 1, "scenes": [scene]}))
    return made


def index(folders: Paths) -> dict:
    return scenes.read(folders.media / "beeps" / "scenes.json")


def test_what_is_shown_is_cut_and_drawn_once(tmp_path: Path, folders: Paths) -> None:
    benchmark = declared(tmp_path)
    assert scenes.update(benchmark, folders) == 2
    entry = index(folders)["tones"]
    assert entry["silent"] == "" and list(entry["scenes"]) == ["a.wav@0"]
    sound = folders.media / entry["scenes"]["a.wav@0"]["src"]
    signal, rate = soundfile.read(sound)
    assert len(signal) / rate == 2.0
    before = sound.read_bytes()
    assert scenes.update(benchmark, folders) == 0
    sound.unlink()
    assert scenes.update(benchmark, folders) == 2 and sound.read_bytes() == before


def test_a_licence_that_does_not_allow_it_is_respected(tmp_path: Path, folders: Paths) -> None:
    scenes.update(declared(tmp_path), folders)
    assert scenes.update(declared(tmp_path, "CC-BY-NC-4.0"), folders) == 0
    entry = index(folders)["tones"]
    assert "CC-BY-NC-4.0" in entry["silent"] and entry["scenes"] == {}
    assert not list((folders.media / "scenes").rglob("*.*"))


def test_sound_that_cannot_be_had_is_a_reason_and_is_tried_again(
    tmp_path: Path, folders: Paths
) -> None:
    benchmark = declared(tmp_path)
    audio = tmp_path / "catalog" / "data" / "a.wav"
    content = audio.read_bytes()
    audio.write_bytes(b"no sound")
    assert scenes.update(benchmark, folders) == 0
    assert "cannot be had" in index(folders)["tones"]["silent"]
    audio.write_bytes(content)
    assert scenes.update(declared(tmp_path), folders) == 2


def test_without_details_nothing_is_left(tmp_path: Path, folders: Paths) -> None:
    benchmark = declared(tmp_path)
    scenes.update(benchmark, folders)
    folders.manifest("beeps", "quiet").unlink()
    assert scenes.update(benchmark, folders) == 0
    assert index(folders) == {}
    assert not list((folders.media / "scenes").rglob("*.*"))
