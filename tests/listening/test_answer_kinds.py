"""Lists of events behind cells: how wrong they are, and what a table tells of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from common.core.paths import Paths
from common.engine.plan import Filters
from common.engine.run import Engine
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.pages.listening import cell_samples, sample_table
from common.pages.listening.answer_kinds import EventAnswers, kind_of
from common.pages.listening.sample_table import SampleTable
from common.reports.rebuild import Rebuilder
from common.results import sample_tables
from common.spec import load_benchmark
from common.spec.records import Detection, Target

TARGET = Target(
    id="beeps", label="Beeps", kind="events", labels=("low", "high"), detection=Detection(hop_s=0.1)
)
RATE, SECONDS = 16000, 4.0
CATALOG = {
    "targets": """\
- {id: beeps, label: Beeps, kind: events, labels: [low, high], detection: {hop_s: 0.1}}
""",
    "datasets": """\
- id: tones
  version: 1.0.0
  adapter: folder
  path: data
  license: CC0-1.0
  columns: {beeps: {table: events.tsv, column: event_label}, place: place}
""",
    "models": """\
- {id: hears, version: 1.0.0, adapter: python, entry: "tone_model:load", sampling_rate: 16000}
- {id: quiet, version: 1.0.0, adapter: chance, params: {distribution: silent}, sampling_rate: 16000}
""",
}
CODE = """\
import numpy as np

class Model:
    targets = ("beeps",)
    labels = {"beeps": ["low", "high"]}

    def predict(self, signals, sampling_rate):
        return {"beeps": [self.scores(signal[0]) for signal in signals]}

    def scores(self, signal):
        frames = signal[: len(signal) // 1600 * 1600].reshape(-1, 1600)
        power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
        share = power[:, 600] / np.maximum(power.sum(axis=1), 1e-6)  # of what is at 6 kHz
        return np.stack([share, np.zeros(len(share))], axis=1)

def load():
    return Model()
"""
EVENTS = {"a.wav": (0.0, 1.0), "b.wav": (1.0, 3.0), "c.wav": None}


def column(*recordings: list[tuple[float, float, int]]) -> np.ndarray:
    rows = [(n, label, on, off) for n, each in enumerate(recordings) for on, off, label in each]
    events = EventList(*(np.array(rows).reshape(-1, 4).T))
    durations = np.full(len(recordings), SECONDS)
    return EventAnswers(TARGET).entries(SoundEvents(TARGET.labels, events, durations))


def test_events_differ_by_the_seconds_in_which_a_class_is_active_in_one_list_alone() -> None:
    kind = kind_of(TARGET)
    truth = column([(0.2, 1.5, 0)], [(1.0, 2.0, 1)], [], [(0.0, 1.0, 0)])
    answers = column([(1.1, 2.5, 0)], [(1.0, 2.0, 0)], [(0.0, 3.0, 1)], [])
    # seconds 0, 1 against 1, 2; a second of each class; three false ones; a missed one
    assert kind.loss(answers, truth).tolist() == [2.0, 2.0, 3.0, 1.0]
    assert kind.shift(truth, answers, None).tolist() == [2.0, 2.0, 3.0, 1.0]
    answers[1] = None
    assert np.isnan(kind.loss(answers, truth)).tolist() == [False, True, False, False]
    assert kind.loss(answers, None).tolist()[0] == 0.0
    assert [rows.tolist() for rows in kind.of_labels(truth)] == [[0, 3], [1]]
    assert kind.written(truth, {}) == [[[0.2, 1.5, 0]], [[1.0, 2.0, 1]], [], [[0.0, 1.0, 0]]]
    assert kind.length([truth]) == 1.0 and kind.length([column([(0, 1, 0), (2, 3, 1)])]) == 2.0


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Table of a run in which a model hears a tone of 6 kHz, also through a telephone."""
    import sys

    catalog = tmp_path / "catalog"
    data = catalog / "data"
    data.mkdir(parents=True)
    for name, text in CATALOG.items():
        (catalog / f"{name}.yaml").write_text(text)
    (catalog / "tone_model.py").write_text(CODE)
    time = np.arange(round(RATE * SECONDS)) / RATE
    lines = ["filename\tonset\toffset\tevent_label"]
    for file, event in EVENTS.items():
        onset, offset = event or (0.0, 0.0)
        inside = (time >= onset) * (time < offset)
        soundfile.write(data / file, 0.3 * np.sin(2 * np.pi * 6000 * time) * inside, RATE)
        lines.append(f"{file}\t{onset}\t{offset}\tlow" if event else f"{file}\t\t\t")
    (data / "events.tsv").write_text("\n".join(lines) + "\n")
    (data / "metadata.csv").write_text("file,place\na.wav,x\nb.wav,y\nc.wav,x\n")
    test = (
        "title: Phone\nfamily: robustness\ndesign: {perturbed: {conditions: [low-quality-phone]}}\n"
        "datasets: [tones]\nevents:\n"
        "  - {metric: unchanged_segments, above: 0.9, time_resolution: 1.0}\n"
        "description: A telephone should change nothing.\n"
    )
    suite = catalog / "suite"
    suite.mkdir()
    (suite / "robustness_phone_of_beeps.yaml").write_text(test)
    benchmark = load_benchmark([catalog], allow_code=True)
    folders = Paths(tmp_path / "out", tmp_path / "cache")
    Engine(benchmark, folders, workers=1).run(filters=Filters(tests=("robustness_phone_of_beeps",)))
    rebuild = Rebuilder(benchmark, folders)
    used = cell_samples.begin(benchmark, folders, rebuild.answered)()
    assert all((folders.media / name).is_file() for name in used)
    yield sample_tables.read(folders.sample_table("beeps", "tones"))
    sys.modules.pop("tone_model", None)


def test_a_perturbed_test_of_sound_events_leads_to_what_is_heard_before_and_after(
    tables: dict[str, Any],
) -> None:
    """A telephone passes no tone of 6 kHz, so what was found without it is missed."""
    assert (tables["kind"], tables["words"]) == ("events", ["low", "high"])
    at = {name: tables["samples"].index(name) for name in EVENTS}
    assert tables["seconds"] == [SECONDS] * 3
    assert tables["truth"][at["b.wav"]] == [[1.0, 3.0, 0]] and tables["truth"][at["c.wav"]] == []
    assert [tables["answers"]["hears"][at[name]] for name in EVENTS] == [
        [[0.0, 1.0, 0]],
        [[1.0, 3.0, 0]],
        [],
    ]
    assert [tables["losses"]["hears"][at[name]] for name in EVENTS] == [0.0, 0.0, 0.0]
    assert [tables["losses"]["quiet"][at[name]] for name in EVENTS] == [1.0, 2.0, 0.0]
    (name,) = tables["changes"]
    assert name == "robustness_phone_of_beeps/low-quality-phone"
    assert [tables["changes"][name]["after"]["hears"][at[file]] for file in EVENTS] == [[], [], []]
    assert [tables["shifts"][name]["hears"][at[file]] for file in EVENTS] == [1.0, 2.0, 0.0]
    before, after = (
        tables["sounds"][place][0] for place in tables["heard"][name][str(at["b.wav"])]
    )
    assert "/original/b-" in before and "/low-quality-phone/b-" in after


def test_a_table_of_many_events_has_the_worst_recordings_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where those that are the worst of some list are too many."""
    table = object.__new__(SampleTable)
    table.kind, table.keys = EventAnswers(TARGET), list(range(40))
    table.truth = column(*([(0.0, 1.0, 0), (2.0, 3.0, 1)] for _ in table.keys))
    worst = [n % 8 for n in table.keys]
    names = [f"model-{n}" for n in range(8)]
    table.answers = {
        name: column(*([] if worst[n] == place else [(0.0, 1.0, 0)] for n in table.keys))
        for place, name in enumerate(names)
    }
    table.changes, table.answered, table.counting = {}, {}, set(names)
    table._losses, table._shifts = {}, {}
    monkeypatch.setattr(sample_table, "MOST_ANSWERS", 9)
    monkeypatch.setattr(sample_table, "FEWEST_SAMPLES", 5)
    rows, depth = table.chosen()
    assert (rows.tolist(), depth) == ([0, 1, 2, 3, 4], 0)
