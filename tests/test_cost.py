"""What models cost: calls that are timed, memory of a process of its own, and the table of figures."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest

from common import models
from common.cli import main as command_line
from common.core import machine
from common.core.errors import ConfigError, DataError, ModelError
from common.core.paths import Paths
from common.engine import cost as measuring_costs
from common.engine.plan import Filters
from common.models import measuring
from common.models.measuring import DURATIONS_S, DurationTimes, Measurement
from common.models.timing import call_times
from common.results import cost
from common.results.cost import CostRow
from common.results.manifest import Manifest
from common.spec import load_benchmark

knows_memory = pytest.mark.skipif(
    machine.peak_bytes() is None, reason="this system does not say how much memory a process had"
)
MEGABYTE = 10**6
HEAVY = 150 * MEGABYTE


class Ticking:
    """A clock that a model sets forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """A model whose calls take the times that it has, one after the other."""

    def __init__(self, clock: Ticking, *times: float):
        self.clock, self.times, self.calls = clock, itertools.cycle(times), 0

    def predict(self, batch: object) -> dict[str, int]:
        self.clock.now += next(self.times)
        self.calls += 1
        return {"call": self.calls}


# -- calls -----------------------------------------------------------------------------------


def test_the_first_call_is_apart_and_the_median_counts() -> None:
    clock = Ticking()
    model = Slow(clock, 9.0, 1.0, 2.0, 6.0)
    times = call_times(model, None, repetitions=3, clock=clock)  # type: ignore[arg-type]
    assert (times.first_s, times.later_s) == (9.0, (1.0, 2.0, 6.0))
    assert (times.latency_s, times.spread_s) == (2.0, (1.0, 6.0))
    assert times.answer == {"call": 4}


@pytest.mark.parametrize(("seconds", "calls"), [(1.0, 9), (5.0, 4), (50.0, 3)])
def test_a_slow_model_is_called_less_often(seconds: float, calls: int) -> None:
    clock = Ticking()
    model = Slow(clock, seconds)
    times = call_times(
        model,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        repetitions=9,
        longest_s=20.0,
        fewest=3,
        clock=clock,
    )
    assert len(times.later_s) == calls == model.calls - 1


def test_signals_are_the_same_everywhere() -> None:
    first, again = measuring.signal(1.0, 16000), measuring.signal(1.0, 16000)
    assert first.shape == (1, 16000) and first.dtype == np.float32
    assert np.array_equal(first, again)
    assert 0.05 < np.abs(first).max() <= 1 and np.isfinite(first).all()
    assert measuring.signal(3.0, 8000).shape == (1, 24000)


# -- a process of its own --------------------------------------------------------------------

MODEL = """
import os
import numpy as np

class Mine:
    targets = ("arousal",)

    def __init__(self, does=""):
        print("loading")
        self.does = does
        self.weights = np.ones(HEAVY // 8) if does == "heavy" else None

    def predict(self, signals, sampling_rate):
        if os.environ.get("OMP_NUM_THREADS") != "1":
            raise ValueError("libraries have more than one thread")
        if self.does == "fail":
            raise ValueError("no speech")
        if self.does == "end":
            os._exit(7)
        return {"arousal": [min(1.0, len(s[0]) / 1e6) for s in signals]}
"""
PROGRAM = """
import json, sys
weights = bytearray(HEAVY)
for place in range(0, len(weights), 4096):
    weights[place] = 1
for line in sys.stdin:
    print(json.dumps({"arousal": 0.5}), flush=True)
"""


#: a module that another test has loaded cannot be loaded again
NUMBERS = itertools.count()


@pytest.fixture
def benchmark(tmp_path: Path):
    """Models that can be measured and models that cannot."""
    module = f"measured_model_{next(NUMBERS)}"
    (tmp_path / f"{module}.py").write_text(MODEL.replace("HEAVY", str(HEAVY)))
    (tmp_path / "program.py").write_text(PROGRAM.replace("HEAVY", str(HEAVY)))
    (tmp_path / "p.csv").write_text("file,arousal\na.wav,0.5\n")
    entries = [
        f'- {{id: {name}, version: 1.0.0, adapter: python, entry: "{module}:Mine", '
        f"params: {{does: {name}}}}}"
        for name in ("light", "heavy", "fail", "end")
    ]
    entries.append(
        '- {id: program, version: 1.0.0, adapter: command, entry: "python program.py", '
        "outputs: {arousal: {}}}"
    )
    entries.append("- {id: table, version: 1.0.0, adapter: predictions, path: p.csv}")
    (tmp_path / "models.yaml").write_text("\n".join(entries) + "\n")
    return load_benchmark([tmp_path], allow_code=True)


def apart(benchmark, name: str) -> Measurement:
    return measuring.measure_apart(benchmark.models[name], benchmark.targets)


@knows_memory
def test_memory_is_that_of_the_model_and_not_of_who_measures(benchmark) -> None:
    """``ru_maxrss`` of a process is at least what the one that started it had."""
    mine = np.ones(2 * HEAVY // 8)
    light, heavy = apart(benchmark, "light"), apart(benchmark, "heavy")
    assert mine[-1] == 1 and (machine.peak_bytes() or 0) > 2 * HEAVY
    for measured in (light, heavy):
        assert measured.idle_bytes is not None and measured.peak_bytes is not None
    assert light.peak_bytes < HEAVY  # type: ignore[operator]
    added = heavy.peak_bytes - heavy.idle_bytes  # type: ignore[operator]
    assert HEAVY <= added < HEAVY + 60 * MEGABYTE


@knows_memory
def test_memory_of_a_program_counts(benchmark) -> None:
    measured = apart(benchmark, "program")
    assert measured.peak_bytes - measured.idle_bytes >= HEAVY  # type: ignore[operator]


def test_all_lengths_are_measured(benchmark) -> None:
    measured = apart(benchmark, "light")
    assert tuple(times.duration_s for times in measured.times) == DURATIONS_S
    assert {cost.LATENCY_S, cost.RTF_S} <= set(DURATIONS_S)
    for times in measured.times:
        assert 0 < times.fastest_s <= times.latency_s <= times.slowest_s
        assert times.calls == measuring.REPETITIONS
        assert times.real_time_factor == times.latency_s / times.duration_s


@pytest.mark.parametrize(
    ("name", "message"),
    [("fail", "model 'fail': .*no speech"), ("end", "model 'end': .* ended with exit code 7")],
)
def test_what_cannot_be_measured_is_told_in_one_line(benchmark, name, message) -> None:
    with pytest.raises(ModelError, match=message) as error:
        apart(benchmark, name)
    assert "\n" not in str(error.value)


def test_memory_of_a_server_is_not_known(benchmark) -> None:
    entry = benchmark.models["light"]
    assert models.has_memory_here(entry)
    assert not models.has_memory_here(entry.model_copy(update={"adapter": "http"}))


def test_a_system_that_says_nothing(tmp_path: Path) -> None:
    """Folders of processes as Linux has them, one without a peak, one without children."""
    for name, text in (("7", "VmPeak: 9 kB\nVmHWM:\t   12 kB\n"), ("8", "VmRSS: 1 kB\n")):
        (tmp_path / name / "task" / name).mkdir(parents=True)
        (tmp_path / name / "status").write_text(text)
    (tmp_path / "7" / "task" / "7" / "children").write_text("8 \n")
    assert machine.peak_bytes(7, tmp_path) == 12 * 1024
    assert machine.peak_bytes(8, tmp_path) is machine.peak_bytes(9, tmp_path) is None
    assert list(machine.descendants(7, tmp_path)) == [8]


# -- the table -------------------------------------------------------------------------------


def row(model: str = "a", duration_s: float = 10.0, **more: object) -> CostRow:
    content: dict[str, object] = {
        **{"model": model, "version": "1.0.0", "fingerprint": "f", "protocol": 1},
        **{"device": "cpu", "threads": 1, "processor": "Fast, new", "packages": "numpy=2"},
        **{"date": "2026-11-23", "load_s": 0.1, "idle_bytes": 50, "peak_bytes": None},
        **{"duration_s": duration_s, "calls": 9, "first_s": 0.3, "latency_s": 0.1 + 0.2},
        **{"fastest_s": 0.1, "slowest_s": 0.5, "real_time_factor": 0.03},
    }
    return CostRow(**{**content, **more})  # type: ignore[arg-type]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "cost.csv"
    assert cost.read(path) == []
    rows = [row(), row(duration_s=3.0), row("b", peak_bytes=70)]
    cost.add(path, rows)
    assert cost.read(path) == sorted(rows, key=lambda row: row.place)
    before = path.read_bytes()
    cost.add(path, rows[::-1])
    assert path.read_bytes() == before


def test_a_measurement_replaces_one_of_the_same_machine(tmp_path: Path) -> None:
    path = tmp_path / "cost.csv"
    cost.add(path, [row(), row(duration_s=3.0)])
    cost.add(path, [row("b")])
    cost.add(path, [row(processor="Slow")])
    cost.add(path, [row(latency_s=7.0)])
    kept = {(r.model, r.processor, r.duration_s): r.latency_s for r in cost.read(path)}
    assert kept == {
        ("a", "Fast, new", 10.0): 7.0,
        ("a", "Slow", 10.0): 0.1 + 0.2,
        ("b", "Fast, new", 10.0): 0.1 + 0.2,
    }


@pytest.mark.parametrize("change", [("0.1", "soon"), ("model", "name"), (",9,", ",9.5,")])
def test_a_damaged_table_is_told_in_one_line(tmp_path: Path, change: tuple[str, str]) -> None:
    path = tmp_path / "cost.csv"
    path.write_text(cost.written([row()]).replace(*change, 1))
    with pytest.raises(DataError, match=r"cost.csv: cannot be read as measured cost") as error:
        cost.read(path)
    assert "\n" not in str(error.value)


FACTS = {"id": "a", "version": "1.0.0", "fingerprint": "f"}


def test_figures_of_another_state_of_a_model_are_stale() -> None:
    assert not cost.of_model(FACTS, [row()]).stale
    assert cost.of_model({**FACTS, "fingerprint": "g"}, [row()]).stale
    assert cost.of_model({**FACTS, "version": "1.1.0"}, [row()]).stale
    nothing = cost.of_model({**FACTS, "id": "b"}, [row()])
    assert nothing.measured == () and not nothing.stale


def test_figures_of_the_machine_that_most_models_were_measured_on_are_taken() -> None:
    rows = [row(processor="Z"), row(), row("b"), row("c", processor="Z"), row("d")]
    assert cost.of_model(FACTS, rows).measured == (rows[1],)
    assert cost.of_model({**FACTS, "id": "c"}, rows).measured == (rows[3],)


@pytest.mark.parametrize("strange", ["lots", -1, True, 1.5, None, [1], "<b>"])
def test_manifests_of_others_may_say_anything(strange: object) -> None:
    facts = {**FACTS, "parameters": strange, "size_bytes": strange}
    assert cost.of_model(facts, [])[:3:2] == (None, None)


# -- measuring in a run ----------------------------------------------------------------------


class Measured:
    """Stand-in for a measurement that counts."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, entry, targets, *, device, cache) -> Measurement:
        self.asked.append((entry.id, device))
        if entry.id == "fail":
            raise ModelError("model 'fail': no speech")
        times = tuple(DurationTimes(s, 9, 0.2, 0.1, 0.1, 0.3) for s in DURATIONS_S)
        return Measurement(1.0, times, 10, 30)


def update(benchmark, folders: Paths, measure: Measured, *names: str, **more: object):
    filters = Filters(models=names or ("light", "heavy"))
    return measuring_costs.update(benchmark, folders, filters, measure=measure, **more)


def test_what_is_known_is_not_measured_again(benchmark, tmp_path: Path) -> None:
    folders, measure = Paths(tmp_path / "out", tmp_path / "cache"), Measured()
    assert update(benchmark, folders, measure).measured == ["light", "heavy"]
    before = folders.cost.read_bytes()
    again = update(benchmark, folders, measure)
    assert (again.measured, again.current) == ([], ["light", "heavy"])
    assert measure.asked == [("light", "cpu"), ("heavy", "cpu")]
    assert folders.cost.read_bytes() == before
    assert update(benchmark, folders, measure, "light", force=True).measured == ["light"]
    assert update(benchmark, folders, measure, "light", device="cuda").measured == ["light"]
    assert measure.asked[-1] == ("light", "cuda")


@pytest.mark.parametrize("change", ["version", "content", "protocol"])
def test_a_changed_model_is_measured_again(benchmark, tmp_path, monkeypatch, change) -> None:
    folders, measure = Paths(tmp_path / "out", tmp_path / "cache"), Measured()
    update(benchmark, folders, measure)
    if change == "version":
        text = (tmp_path / "models.yaml").read_text()
        (tmp_path / "models.yaml").write_text(
            text.replace("light, version: 1.0.0", "light, version: 1.1.0")
        )
    elif change == "content":
        text = (tmp_path / "models.yaml").read_text()
        (tmp_path / "models.yaml").write_text(text.replace("does: light", "does: lighter"))
    else:
        monkeypatch.setattr(measuring, "PROTOCOL", 2)
    again = update(load_benchmark([tmp_path], allow_code=True), folders, measure)
    both = ["light", "heavy"]
    assert again.measured == (both if change == "protocol" else ["light"])


def test_models_that_do_not_listen_and_faults_are_told(benchmark, tmp_path: Path) -> None:
    folders, measure = Paths(tmp_path / "out", tmp_path / "cache"), Measured()
    names = ("random-gaussian", "table", "fail", "light")
    report = update(benchmark, folders, measure, *names)
    assert list(report.not_measured) == ["random-gaussian", "table"]
    assert report.errors == {"fail": "model 'fail': no speech"}
    assert report.measured == ["light"]
    with pytest.raises(ConfigError, match="Did you mean 'light'"):
        update(benchmark, folders, measure, "ligth")


def test_only_an_asked_run_measures(benchmark, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(command_line, "_run_tests", lambda context: (0, {"computed": 0}))
    monkeypatch.setattr(command_line, "sounds_after", lambda context: lambda: None)
    monkeypatch.setattr(command_line, "score_people", lambda context: {})
    options = ["--catalog", tmp_path, "--output", tmp_path / "out", "--cache", tmp_path / "cache"]
    command = ["run", "--json", "--model", "light", *map(str, options)]
    table = tmp_path / "out" / "method-tests" / "cost.csv"
    assert command_line.main(command) == 0 and not table.exists()
    assert "cost" not in json.loads(capsys.readouterr().out)
    assert command_line.main([*command, "--cost"]) == 0
    assert json.loads(capsys.readouterr().out)["cost"]["measured"] == ["light"]
    assert {r.model for r in cost.read(table)} == {"light"}
    assert command_line.main([*command, "--cost", "--model", "fail"]) == 3
    assert "error (cost of fail): model 'fail'" in capsys.readouterr().err


# -- facts of files in a run -----------------------------------------------------------------


def facts(mini, out: str = "out", model: str = "loud") -> dict[str, object]:
    manifest = Manifest.read(Paths(mini.root / out).manifest("arousal", model))
    assert manifest is not None
    return {name: manifest.model[name] for name in ("parameters", "size_bytes", "parameters_from")}


def test_a_run_notes_what_models_weigh_and_measures_nothing(mini) -> None:
    mini.write("models.yaml", MINI.replace("STATED", "parameters: 12"))
    mini.run(tests=("correctness_regression",))
    assert facts(mini) == {"parameters": 12, "size_bytes": None, "parameters_from": "entry"}
    nothing = {"parameters": None, "size_bytes": None, "parameters_from": ""}
    assert facts(mini, model="chance-value") == nothing
    assert not Paths(mini.root / "out").cost.exists()
    mini.run("again", cache="other", tests=("correctness_regression",), workers=2)
    assert mini.files("again") == mini.files("out")


MINI = """
- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", STATED}
- {id: chance-value, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}
- {id: chance-class, version: 1.0.0, adapter: chance, params: {distribution: categorical}}
"""


def test_another_number_is_noted_without_computing_anything(mini) -> None:
    mini.write("models.yaml", MINI.replace("STATED", "parameters: 12"))
    tests = ("correctness_regression",)
    first = mini.run(tests=tests)
    assert mini.run(tests=tests).settled
    mini.write("models.yaml", MINI.replace("STATED", "parameters: 13"))
    again = mini.run(tests=tests)
    assert (again.settled, again.computed, again.current) == (False, 0, first.computed)
    assert facts(mini)["parameters"] == 13
    assert mini.run(tests=tests).settled


def test_manifests_of_older_versions_get_their_facts(mini) -> None:
    tests = ("correctness_regression",)
    mini.run(tests=tests)
    path = Paths(mini.root / "out").manifest("arousal", "loud")
    before = path.read_bytes()
    content = json.loads(before)
    del content["model"]["size_bytes"]
    path.write_text(json.dumps(content))
    assert mini.run(tests=tests).computed == 0
    assert path.read_bytes() == before


def test_the_clock_of_a_measurement_can_be_set(benchmark, monkeypatch) -> None:
    """In this process, with a clock that goes a second forward whenever it is looked at."""
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", "1")
    clock = map(float, itertools.count())
    entry = benchmark.models["light"]
    measured = measuring.measure(entry, benchmark.targets, clock=lambda: next(clock))
    assert measured.load_s == 1.0
    assert [times.latency_s for times in measured.times] == [1.0, 1.0, 1.0]
    assert [times.real_time_factor for times in measured.times] == [1.0, 1 / 3, 0.1]
