"""What ``.ci/faults.py`` compares after its kills: it must see everything that a kill could do."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from common.cli.options import parser
from common.core import leftovers, paths
from common.core.documents import read_yaml
from common.engine.cost import rows_of
from common.models import measuring
from common.predictions.schedulers import ClusterFile
from common.predictions.store import PredictionStore
from common.results import cost
from common.spec import Model

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux does")
STORE = "cache/speechproof/predictions/m-1.0.0/d-1.0.0/original-1"


@pytest.fixture(scope="module")
def faults() -> ModuleType:
    spec = importlib.util.spec_from_file_location("faults", paths.REPOSITORY / ".ci" / "faults.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill(place: Path, *parts: range) -> None:
    """Folders of a run, with a store in some files."""
    for name in ("method-tests/a.csv", "extra/media/b.png", "build/html/index.html"):
        path = place / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    store = PredictionStore(place / STORE, {"model": "m"})
    for part in parts:
        keys = pd.DataFrame({"file": [f"{n}.wav" for n in part], "start": 0, "end": -1})
        store.append(keys, np.array([[float(n)] for n in part]), ["x"])


def half(place: Path) -> None:
    (place / "out/method-tests/a.csv").write_text("meth")


def lost(place: Path) -> None:
    (place / "out/build/html/index.html").unlink()


def more(place: Path) -> None:
    (place / "out/extra/c.png").write_text("")


def begun(place: Path) -> None:
    (place / "out/build/.site.json.x.tmp").write_text("")


def aside(place: Path) -> None:
    (place / "cache/speechproof/x.json.broken1").write_text("")


def temporary(place: Path) -> None:
    (place / "tmp/pymp-1").mkdir()


def no_store(place: Path) -> None:
    shutil.rmtree(place / STORE)


def other_value(place: Path) -> None:
    no_store(place)
    fill(place, range(3), range(4, 5))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (half, "method-tests/a.csv: other bytes"),
        (lost, "build/html/index.html: is not there"),
        (more, "extra/c.png: is not there"),
        (begun, ".site.json.x.tmp: left behind"),
        (aside, "x.json.broken1: left behind"),
        (temporary, "tmp/pymp-1: left behind"),
        (no_store, "stored in one of the caches only"),
        (other_value, "other predictions"),
    ],
)
def test_every_difference_is_seen(
    faults: ModuleType, tmp_path: Path, change: Callable[[Path], None], text: str
) -> None:
    places = [faults.Place(tmp_path / name) for name in ("undisturbed", "disturbed")]
    fill(places[0].root, range(4))
    fill(places[1].root, range(2), range(1, 4))
    assert faults.compare(*places) == []
    change(places[1].root)
    (found,) = faults.compare(*places)
    assert text in found


def cost_rows(model: str, *lengths: float) -> list[cost.CostRow]:
    """What was measured of a model with signals of some lengths."""
    times = tuple(measuring.DurationTimes(length, 3, 0.1, 0.1, 0.1, 0.1) for length in lengths)
    measurement = measuring.Measurement(0.1, times, None, None)
    return rows_of(Model(id=model, version="1", adapter="onnx"), "", "cpu", measurement)


def test_a_table_of_cost_is_whole_or_not(faults: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "cost.csv"
    assert list(faults.cost_faults(path)) == []
    assert [text.split(": ", 1)[1] for text in faults.cost_faults(path, ["m"])] == [
        "m: measured at [] s"
    ]
    cost.add(path, cost_rows("m", *measuring.DURATIONS_S))
    assert list(faults.cost_faults(path, ["m"])) == []
    cost.add(path, cost_rows("other", 1.0))
    assert "other: measured at [1.0] s" in "".join(faults.cost_faults(path, ["m"]))
    path.write_bytes(path.read_bytes()[:-20])
    assert "cannot be read" in "".join(faults.cost_faults(path))


def test_every_command_can_be_given(faults: ModuleType, tmp_path: Path) -> None:
    place = faults.Place(tmp_path)
    commands = {command for reset in faults.RESETS for command in faults.commands_of(reset)}
    assert commands == set(faults.KILLS)
    for command in commands:
        words = place.words(command, 2)
        assert parser().parse_args([*words, "--quiet", "--force"]).command == words[0]
    assert ClusterFile.model_validate(read_yaml(tmp_path / "cluster.yaml")).jobs == 2


@linux
def test_processes_that_have_not_ended_are_seen(faults: ModuleType) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    start = leftovers.started(process.pid)
    assert faults.running(process.pid, start)
    assert not faults.running(process.pid, start + "0")
    process.kill()
    process.communicate()
    assert not faults.running(process.pid, start)


@linux
def test_shared_memory_of_the_living_is_left_alone(
    faults: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "SHARED", tmp_path)
    (tmp_path / f"{leftovers.owner()}-0").touch()
    (tmp_path / "psm_1").touch()
    (tmp_path / f"sem.loky-{os.getpid()}-abc").touch()
    (tmp_path / f"sem.loky-{2**22 + 1}-abc").touch()
    dead = f"sem.speechproof-{leftovers.namespace()}-{2**22 + 1}-5-x"
    monkeypatch.setattr(leftovers, "left", lambda: [dead])
    assert faults.shared_memory() == {"psm_1", f"sem.loky-{2**22 + 1}-abc", dead}


TRACKER = """python3.11/multiprocessing/resource_tracker.py:123: UserWarning: process died unexpectedly
Traceback (most recent call last):
  File "python3.11/multiprocessing/resource_tracker.py", line 239, in main
    cache[rtype].remove(name)
KeyError: '/speechproof-7-465-1126783-12'
"""
BEGUN = """Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "python3.11/multiprocessing/spawn.py", line 132, in _main
    self = reduction.pickle.load(from_parent)
"""
WORKER = """Traceback (most recent call last):
  File "lib/site-packages/tornado/iostream.py", line 1174, in read_from_fd
    return self.socket.recv_into(buf, len(buf))
ConnectionResetError: [Errno 104] Connection reset by peer
Traceback (most recent call last):
  File "lib/site-packages/distributed/worker.py", line 1165, in heartbeat
    response = await retry_operation(
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", False),
        ("error: a process that draws figures was killed\n", False),
        (TRACKER, False),
        (TRACKER + BEGUN, False),
        (WORKER, False),
        (WORKER + '  File "common/predictions/remote.py", line 177, in compute\n', True),
        (BEGUN + '  File "common/core/processes.py", line 3, in _begin\n', True),
        (TRACKER + TRACKER.replace("multiprocessing/resource_tracker", "shutil"), True),
        ("Traceback (most recent call last):\n", True),
    ],
)
def test_tracebacks_are_those_of_the_program(faults: ModuleType, said: str, expected: bool) -> None:
    assert faults.is_traceback_of_ours(said) is expected
