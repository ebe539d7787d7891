"""A miniature benchmark on synthesised tones, for everything above the adapters."""

from __future__ import annotations

import copy
import itertools
import os
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
import soundfile

from common.core import advice, files
from common.core.paths import Paths
from common.engine.plan import Filters
from common.engine.publish import Publisher
from common.engine.run import Engine, Report
from common.figures import drawing
from common.predictions.predict import Predictor
from common.spec import load_benchmark

#: scripts that make golden figures run with the interpreter of another tool
collect_ignore_glob = ["golden/*/make_*.py"]

#: how long an example takes depends on the machine
UNTIMED = [hypothesis.HealthCheck.too_slow]
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=UNTIMED)
hypothesis.settings.load_profile("untimed")

#: most tests are about something else than whether their own models may run
os.environ[advice.ALLOW_CODE] = "1"

RATE = 16000
CLASSES = ("anger", "happiness", "neutral", "sadness")

#: a model that listens: the level decides
MODEL = """
import numpy as np

CALLS = []

class Loud:
    targets = ["arousal", "emotion"]
    labels = {"emotion": ["anger", "happiness", "neutral", "sadness"]}

    def __init__(self, gain=1.0, fail=""):
        self.gain, self.fail = gain, fail

    def predict(self, signals, sampling_rate):
        CALLS.append(len(signals))
        level = np.array([float(np.sqrt(np.mean(np.square(s, dtype=float)))) for s in signals])
        if self.fail == "raise":
            raise RuntimeError("out of luck")
        if self.fail == "nan":
            level = level * np.nan
        if self.fail == "shape":
            level = level[:, None].repeat(2, 1)
        if self.fail == "loud" and (level > 0.5).any():
            raise ValueError("too loud")
        scores = np.stack([-abs(level - x) for x in (0.55, 0.4, 0.25, 0.1)], axis=1)
        return {"arousal": np.clip(self.gain * level * 1.5, 0, 1), "emotion": scores}

def load(**params):
    return Loud(**params)
"""

MODELS = """
- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", isolate: false}
- {id: chance-value, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}
- {id: chance-class, version: 1.0.0, adapter: chance, params: {distribution: categorical}}
"""

DATASETS = """
- id: tones
  version: 1.0.0
  adapter: folder
  path: tones
  columns: {emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}
"""


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Reports of runs of tests do not reach the folder of who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def ctrl_c() -> None:
    """A shell that starts the tests behind it (``&``) has its children ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_NUMBERS = itertools.count()


def _dot(job: drawing.Job) -> dict[str, str]:
    """Stand-in for the figures: the name of the cell and how many samples it has."""
    file = f"visualization_{job.cell.dataset.data}.png"
    files.write_text(job.folder / file, f"{job.cell.key} {len(job.view.samples)}")
    return {file: "a dot"}


class Mini:
    """A miniature benchmark in a temporary folder.

    Args:
        root: folder; ``catalog/`` holds the user's catalog, ``out*/`` results
    """

    def __init__(self, root: Path):
        self.root = root
        self.catalog = root / "catalog"
        self.catalog.mkdir()
        self.module = f"tiny_model_{next(_NUMBERS)}"
        self.write("models.yaml", MODELS)
        self.write("datasets.yaml", DATASETS)
        self.write(f"{self.module}.py", MODEL)
        self._audio()

    def write(self, name: str, text: str) -> Path:
        """Write a file of the catalog."""
        path = self.catalog / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).replace("MODULE", self.module), "utf-8")
        return path

    def _audio(self) -> None:
        rng = np.random.default_rng(1)
        rows = ["file,emotion,arousal,speaker,sex"]
        folder = self.catalog / "tones"
        folder.mkdir()
        for number in range(7 * 4 * 10):
            speaker, label = number % 7, CLASSES[number // 7 % 4]
            level = max(
                0.02, 0.5 - 0.15 * CLASSES.index(label) + rng.normal(0, 0.05) + 0.01 * speaker
            )
            size = int(rng.integers(800, 1600))
            tone = np.sin(2 * np.pi * 200 * np.arange(size) / RATE) * np.sqrt(2) * level
            soundfile.write(folder / f"{number:03d}.wav", np.clip(tone, -1, 1), RATE)
            sex = "female" if speaker % 2 else "male"
            rows.append(f"{number:03d}.wav,{label},{min(1, level * 1.5):.3f},s{speaker},{sex}")
        (folder / "metadata.csv").write_text("\n".join(rows) + "\n")

    def copy(self, root: Path) -> Mini:
        """The same in another folder, with all that was done in this one."""
        other = copy.copy(self)
        shutil.copytree(self.root, root, dirs_exist_ok=True)
        other.root, other.catalog = root, root / "catalog"
        return other

    def engine(self, out: str = "out", *, cache: str = "cache", workers: int = 1, seed: int = 0):
        """Engine that writes to ``out`` and keeps predictions in ``cache``."""
        return Engine(
            load_benchmark([self.catalog], allow_code=True),
            Paths(self.root / out, self.root / cache),
            workers=workers,
            seed=seed,
        )

    def run(self, out: str = "out", *, force: bool = False, models: tuple[str, ...] = (), **more):
        """Run the correctness tests; filters by ``tests=``, ``targets=``."""
        tests, targets = more.pop("tests", ()), more.pop("targets", ())
        engine = self.engine(out, **more)
        declared = engine.benchmark.tests.values()
        filters = Filters(
            models=models or ("loud", "chance-value", "chance-class"),
            datasets=("tones",),
            tests=tests or tuple(test.id for test in declared if test.family == "correctness"),
            targets=targets,
        )
        report: Report = engine.run(filters, force=force)
        return report

    def files(self, out: str = "out") -> dict[str, bytes]:
        """Content of all result files and figures by relative path."""
        root = self.root / out
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def without_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, and dots in place of figures."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(drawing, "draw", _dot)
    monkeypatch.setattr(drawing, "POOL_FROM", 10_000)


@pytest.fixture
def mini(tmp_path: Path, without_figures: None) -> Mini:
    """A fresh miniature benchmark without figures."""
    return Mini(tmp_path)


#: what was done in a miniature benchmark -> the benchmark
_DONE: dict[Callable[[Mini], None], Mini] = {}


@pytest.fixture
def mini_after(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, without_figures: None
) -> Callable[[Callable[[Mini], None]], Mini]:
    """Does something in a miniature benchmark, once; each test gets a copy of the outcome."""

    def after(do: Callable[[Mini], None]) -> Mini:
        if do not in _DONE:
            made = Mini(tmp_path_factory.mktemp("mini"))
            do(made)
            _DONE[do] = made
        return _DONE[do].copy(tmp_path)

    return after


@pytest.fixture
def mini_with_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mini:
    """A fresh miniature benchmark that draws."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return Mini(tmp_path)


class Tracer:
    """Notes which modules of the program have functions that run."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            name = str(frame.f_globals.get("__name__", ""))
            if name.startswith("common."):
                self.seen.add(name)

    def within(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, watched, with the threads that it starts."""

        def watched(*args: Any, **kwargs: Any) -> Any:
            threading.setprofile(self)
            sys.setprofile(self)
            try:
                return function(*args, **kwargs)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)

        return watched


@pytest.fixture
def tracer(monkeypatch) -> Iterator[Tracer]:
    """Watches selecting, predicting, scoring and what is noted of sound events."""
    found = Tracer()
    watched = (
        (Engine, "_select"),
        (Engine, "_evaluate"),
        (Predictor, "run"),
        (Publisher, "_details"),
    )
    for owner, name in watched:
        function = found.within(getattr(owner, name))
        static = isinstance(owner.__dict__[name], staticmethod)
        monkeypatch.setattr(owner, name, staticmethod(function) if static else function)
    yield found
    sys.setprofile(None)
