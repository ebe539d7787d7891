"""Shards on the workers of a dask cluster: the same bytes, whatever happens to workers and scheduler."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from common.cli.main import main
from common.core import leftovers, paths
from common.core.errors import BenchmarkError, ConfigError
from common.engine.plan import Filters
from common.engine.run import Engine
from common.predictions import cluster as cluster_module
from common.predictions import executing, inputs, predict, remote
from common.predictions.cluster import Cluster, _Round
from common.predictions.remote import PATHS, RefusedWorkError, Setting
from common.predictions.schedulers import CLUSTERS, EXTRA, ClusterFile, scheduler
from common.predictions.shards import Shard
from common.predictions.starting import LOGGING

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

#: worker -> the same, with a note of each shard that it computes; one that it may be told to die of
PRELOAD = """
import json, os, pathlib, signal, tempfile
from distributed import get_worker
from common.predictions import remote
from common.predictions.shards import compute

folder = pathlib.Path({folder!r})

def noted(shard, resources):
    models = sorted({{wish.model for wish in shard.wishes}})
    note = {{"key": shard.key, "models": models, "resources": dict(get_worker().state.total_resources)}}
    # as audb has one while it fetches a file; this one is never removed
    note["folder"] = tempfile.mkdtemp()
    with (folder / "notes.jsonl").open("a") as file:
        file.write(json.dumps(note) + "\\n")
    once = folder / "die-once"
    if once.exists():
        once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    always = folder / "die-of"
    if always.exists() and always.read_text() in models:
        os.kill(os.getpid(), signal.SIGKILL)
    return compute(shard, resources)

remote.compute = noted
"""
TEST = ("robustness_small_changes",)
CHOSEN = {"models": ("loud", "chance-value"), "tests": TEST}


#: seconds after which a test that waits for something is ended
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def end() -> Iterator[None]:
    """A test that waits for what never comes fails."""

    def alarm(*_: object) -> None:
        raise TimeoutError(f"not done within {PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, alarm)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


class Notes:
    """What workers note of shards that they compute, and how they are told to die."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.preload = folder / "preload.py"
        self.preload.write_text(PRELOAD.format(folder=str(folder)))

    def __call__(self) -> list[dict]:
        path = self.folder / "notes.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def shards(self) -> list[str]:
        return [note["key"] for note in self()]

    def clear(self) -> None:
        (self.folder / "notes.jsonl").unlink(missing_ok=True)


@contextmanager
def cluster_of(notes: Notes, workers: int = 2, **settings) -> Iterator[distributed.LocalCluster]:
    """Processes with a thread each."""
    fixed = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(
        n_workers=workers, preload=[str(notes.preload)], **{**fixed, **settings}
    ) as cluster:
        yield cluster


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    folder = tmp_path / "notes"
    folder.mkdir()
    return Notes(folder)


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Iterator[tuple[distributed.LocalCluster, Notes]]:
    """A cluster of two workers that no test harms."""
    notes = Notes(tmp_path_factory.mktemp("notes"))
    with cluster_of(notes) as cluster:
        yield cluster, notes


@pytest.fixture
def two(shared) -> tuple[str, Notes]:
    """Address of that cluster, and what its workers note in this test."""
    cluster, notes = shared
    notes.clear()
    return cluster.scheduler_address, notes


@pytest.fixture
def many(mini, monkeypatch):
    """A miniature benchmark with many shards."""
    monkeypatch.setattr(inputs, "CHUNK_S", 2.0)
    return mini


def engine_of(mini, out: str, address: str, cache: str = "", **settings) -> Engine:
    made = mini.engine(out, cache=cache or out)
    return Engine(made.benchmark, made.folders, scheduler=scheduler(address), **settings)


def run(mini, out: str, address: str, chosen=CHOSEN, **settings):
    """A run on a cluster."""
    filters = Filters(datasets=("tones",), **chosen)
    return engine_of(mini, out, address, **settings).run(filters)


def test_same_bytes_as_a_local_run_and_each_shard_once(many, two) -> None:
    address, notes = two
    local = many.run("local", cache="local", **CHOSEN)
    report = run(many, "out", address)
    assert (report.calls, report.errors) == (local.calls, {}) and report.calls > 280 * 10
    assert many.files("out") == many.files("local")
    keys = notes.shards()
    assert len(keys) == len(set(keys)) > 5
    assert run(many, "again", address, cache="out").calls == 0 and notes.shards() == keys


def test_peaks_come_along(many, two, monkeypatch) -> None:
    sources = []
    original = predict.Predictor.run
    monkeypatch.setattr(
        predict.Predictor, "run", lambda self: (original(self), sources.append(self.source))[0]
    )
    run(many, "out", two[0])
    many.run("local", cache="local", **CHOSEN)
    assert (
        np.array_equal(sources[0].peaks, sources[1].peaks) and (sources[0].peaks > 0).sum() == 280
    )


def test_a_worker_that_is_killed_in_the_middle(many, notes) -> None:
    many.run("local", cache="local", **CHOSEN)
    with cluster_of(notes) as cluster:
        engine = engine_of(many, "out", cluster.scheduler_address)
        killed = []

        def told(stage: str, done: int, total: int) -> None:
            if stage.startswith("predict") and done and not killed:
                killed.append(done)
                (notes.folder / "die-once").touch()

        engine.progress = told
        report = engine.run(Filters(datasets=("tones",), **CHOSEN))
    assert killed and not (notes.folder / "die-once").exists()
    assert not report.errors and many.files("out") == many.files("local")
    keys = notes.shards()
    # the shard of the dead worker, and at most what lay there and on its way
    assert 1 <= len(keys) - len(set(keys)) <= 4


def test_temporary_folders_of_workers_are_cleared(many, notes) -> None:
    """Those of workers that end, and, by later workers, those of workers that were killed."""
    with cluster_of(notes, workers=1) as cluster:
        (notes.folder / "die-once").touch()
        assert not run(many, "out", cluster.scheduler_address).errors
        places = [Path(note["folder"]).parent for note in notes()]
        # a worker was killed with its first shard, and another one came
        owners = [place.name.rpartition("-")[0] for place in places]
        assert len(set(owners)) == 2 and all(name.startswith("speechproof-") for name in owners)
        assert not places[0].exists() and places[-1].is_dir()
    assert not any(place.exists() for place in places)


def test_a_model_that_kills_workers_takes_no_other_with_it(mini, notes, monkeypatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK_S", 700.0)
    (notes.folder / "die-of").write_text("loud")
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster_of(notes) as it:
        report = run(mini, "out", it.scheduler_address)
    reasons = set(report.errors.values())
    assert len(reasons) == 1 and "model 'loud': the workers that computed it died" in reasons.pop()
    assert all("loud" in name for name in report.errors) and report.computed


def test_a_model_that_always_fails_is_given_up(many, two) -> None:
    many.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load",'
        " params: {fail: raise}}\n",
    )
    report = run(many, "out", two[0], {"models": ("loud",), "tests": ("correctness_regression",)})
    assert 5 <= report.calls <= 5 * 4 < 280
    assert all("out of luck" in reason for reason in report.errors.values())


def test_an_interrupted_run_keeps_what_was_computed(many, two) -> None:
    address, _ = two
    many.run("local", cache="local", **CHOSEN)
    engine = engine_of(many, "out", address)

    def told(stage: str, done: int, total: int) -> None:
        if stage.startswith("predict") and done:
            raise KeyboardInterrupt

    engine.progress = told
    with pytest.raises(KeyboardInterrupt):
        engine.run(Filters(datasets=("tones",), **CHOSEN))
    rest = run(many, "out", address)
    assert 0 < rest.calls < rest.distinct
    assert many.files("out") == many.files("local")


#: where a program of its own has modules from: not from the folder in which it is started
PYTHON = {"PYTHONPATH": str(paths.REPOSITORY), "PYTHONSAFEPATH": "1"}


class Programs:
    """Schedulers and workers that are programs of their own."""

    def __init__(self) -> None:
        self.begun: list[subprocess.Popen] = []

    def start(self, program: str, *arguments: str, says: str, **environment: str) -> str:
        """Start one; returns the line in which it says that it is ready."""
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **PYTHON, **environment},
        )
        self.begun.append(process)
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if says in line:
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return line
        raise AssertionError("".join(lines))

    def scheduler(self, **environment: str) -> str:
        """Address of a new scheduler."""
        own = ("--port=0", "--no-dashboard")
        line = self.start("dask_scheduler", *own, says="Scheduler at:", **environment)
        return line.split()[-1]

    def worker(self, address: str, *arguments: str, **environment: str) -> None:
        """Start a worker without a nanny, registered with the scheduler."""
        own = ("--no-dashboard", "--no-nanny", "--nthreads=1")
        self.start("dask_worker", address, *own, *arguments, says="Registered to:", **environment)

    def stop(self) -> None:
        for process in self.begun:
            process.kill()
        for process in self.begun:
            process.wait()
            with suppress(ValueError):
                process.stderr.close()


@pytest.fixture
def programs() -> Iterator[Programs]:
    made = Programs()
    yield made
    made.stop()


def test_a_scheduler_that_is_killed_in_the_middle(many, programs) -> None:
    many.run("local", cache="local", **CHOSEN)
    address = programs.scheduler()
    programs.worker(address)
    engine = engine_of(many, "out", address)
    settled = []

    def told(stage: str, done: int, total: int) -> None:
        if stage.startswith("predict") and done and not settled:
            settled.append(done)
            os.kill(programs.begun[0].pid, signal.SIGKILL)

    engine.progress = told
    with pytest.raises(BenchmarkError, match=r"^the scheduler .* cannot be reached any more; .*$"):
        engine.run(Filters(datasets=("tones",), **CHOSEN))
    rest = many.run("out", cache="out", **CHOSEN)
    assert 0 < rest.calls <= rest.distinct - settled[0]
    assert many.files("out") == many.files("local")


def test_two_runs_at_the_same_time_on_one_store(many, notes, monkeypatch) -> None:
    alone = many.run("local", **CHOSEN).calls
    submitted: dict[int, list[str]] = {}
    ready = threading.Barrier(3, timeout=PATIENCE_S / 2)
    settle = _Round._settle

    def both(self: _Round, killed) -> None:
        if id(self) not in submitted:
            submitted[id(self)] = list(self._running)
            ready.wait()
        settle(self, killed)

    monkeypatch.setattr(_Round, "_settle", both)
    with cluster_of(notes, workers=0) as cluster, ThreadPoolExecutor(2) as pool:
        address = cluster.scheduler_address
        runs = [pool.submit(run, many, out, address, cache="store") for out in ("a", "b")]
        ready.wait()
        cluster.scale(2)
        reports = [future.result() for future in runs]
    assert not any(report.errors for report in reports)
    assert many.files("a") == many.files("b") == many.files("local")
    first, second = submitted.values()
    assert len(first) == len(second) == 2 and not set(first) & set(second)
    assert len(notes.shards()) == len(set(notes.shards()))
    assert sum(report.calls for report in reports) == alone, "what one computes the other does not"


@pytest.fixture
def call(mini, capsys) -> Callable[..., tuple[int, str]]:
    """The command line on the miniature benchmark; exit code and what it says on standard error."""

    def call(*options: str) -> tuple[int, str]:
        where = ("--catalog", mini.catalog, "--output", mini.root / "out")
        chosen = ("--model", "loud", "--test", "correctness_regression", "--dataset", "tones")
        code = main(["run", *chosen, *map(str, where), "--cache", str(mini.root / "out"), *options])
        return code, capsys.readouterr().err

    return call


def test_a_worker_with_other_code_is_refused_before_anything_is_computed(
    mini, call, programs, tmp_path
) -> None:
    clone = tmp_path / "clone"
    ignore = shutil.ignore_patterns("__pycache__", "*.js", "*.css")
    shutil.copytree(paths.PACKAGE, clone / "common", ignore=ignore)
    (clone / "docs" / "_ext").mkdir(parents=True)
    module = clone / "common" / "samples" / "audio.py"
    module.write_text(module.read_text() + "\nCHANGED = 1\n")
    address = programs.scheduler()
    programs.worker(address, PYTHONPATH=str(clone))
    code, said = call("--scheduler", address)
    (line,) = said.splitlines()
    assert code == 2 and line.startswith("error: worker tcp://")
    assert "would not compute what this run asks for: code " in line and "instead of" in line
    assert not list((mini.root / "out" / "predictions").rglob("*.parquet"))


@pytest.mark.parametrize("who", ["worker tcp://", "the scheduler cannot"])
def test_a_worker_or_scheduler_without_the_program_is_refused(call, programs, who) -> None:
    without = {"PYTHONPATH": ""}
    address = programs.scheduler(**({} if who.startswith("worker") else without))
    programs.worker(address, **(without if who.startswith("worker") else {}))
    code, said = call("--scheduler", address)
    (line,) = said.splitlines()
    assert code == 2 and line.startswith(f"error: {who}")
    assert (
        "cannot run this program: " in line and "No module named" in line and "PYTHONPATH" in line
    )


def test_versions_of_packages_are_compared() -> None:
    mine = dict(remote.identity())
    assert remote.difference(mine) == "" and mine.keys() > {"code", "python", "numpy"}
    assert remote.difference({**mine, "numpy": "0.1"}) == f"numpy {mine['numpy']} instead of 0.1"
    assert remote.difference({**mine, "what": "1"}) == "what is missing instead of 1"


@pytest.fixture
def one(mini, monkeypatch) -> tuple[Setting, Shard, object]:
    """Setting, a shard, and its result."""
    seen = []
    original = executing.compute

    def noted(shard, resources):
        result = original(shard, resources)
        seen.append((shard, result))
        return result

    monkeypatch.setattr(executing, "compute", noted)
    mini.run(models=("loud",), tests=TEST)
    engine = mini.engine()
    setting = Setting.of(engine.benchmark, engine.folders.cache, 0, "auto")
    shard, result = seen[0]
    return setting, shard, result


def test_folders_that_a_worker_calls_otherwise(mini, one, monkeypatch) -> None:
    setting, shard, result = one
    there = mini.root / "elsewhere"
    shutil.move(mini.catalog, there)
    with pytest.raises(RefusedWorkError, match=r"^tones: no folder \S+/catalog/tones$"):
        remote._Process(setting).compute(shard)
    monkeypatch.setenv(PATHS, f"/nowhere=/some:{mini.catalog}={there}")
    monkeypatch.delitem(sys.modules, mini.module)  # as in another process
    again = remote._Process(setting).compute(shard)
    for answer, expected in zip(again.answers, result.answers, strict=True):
        assert not answer.failed
        assert answer.segments == expected.segments and (answer.values == expected.values).all()
    monkeypatch.setenv(PATHS, "here")
    with pytest.raises(ConfigError, match="SPEECHPROOF_PATHS: expected FROM=TO, found 'here'"):
        remote._Process(setting)


def test_a_worker_with_another_model_or_perturbation_is_refused(one) -> None:
    setting, shard, _ = one
    for field, condition, message in (
        ("fingerprint", "original", "files of model 'loud' here differ"),
        ("perturbation", "", "recordings of perturbation '.*' here differ"),
    ):
        wish = next(w for w in shard.wishes if not condition or w.condition == condition)
        if not condition:
            wish = next(w for w in shard.wishes if w.condition != "original")
        changed = replace(wish, made_of={**wish.made_of, field: "other"})
        with pytest.raises(RefusedWorkError, match=message):
            remote._Process(setting).compute(shard.of([changed]))


def test_a_worker_with_other_audio_is_refused(mini, one) -> None:
    """An old copy, or one of which a part is missing: what it would compute would be taken for right."""
    setting, shard, _ = one
    sizes = remote.audio_sizes(shard)
    assert set(sizes) == set(shard.files)
    remote._Process(setting).compute(shard, sizes)
    path = mini.catalog / "tones" / shard.files[0]
    path.write_bytes(path.read_bytes() + b"xy")
    with pytest.raises(
        RefusedWorkError, match=r"has \d+ bytes here, \d+ where the run was started"
    ):
        remote._Process(setting).compute(shard, sizes)
    path.unlink()
    with pytest.raises(RefusedWorkError, match=r"\.wav: No such file"):
        remote._Process(setting).compute(shard, sizes)


def test_a_worker_that_comes_later_refuses_each_shard(one) -> None:
    setting, _, _ = one
    other = replace(setting, identity={**setting.identity, "code": "other"})
    with pytest.raises(RefusedWorkError, match=r"code \w+ instead of other"):
        remote._process(other)
    assert setting.digest != other.digest


def test_other_errors_of_a_worker_come_as_text(one, monkeypatch) -> None:
    def endless(shard, resources):
        return endless(shard, resources)

    setting, shard, _ = one
    monkeypatch.setattr(remote, "compute", endless)
    with pytest.raises(RuntimeError, match="RecursionError: maximum recursion depth") as error:
        remote.work(setting, shard)
    assert error.value.__suppress_context__


def test_predictions_of_a_wish_are_sent_in_one_piece(one) -> None:
    setting, shard, result = one
    sent = remote.work(setting, shard)
    assert max(len(answer.parts) for answer in result.answers) > 1
    for answer, expected in zip(sent.answers, result.answers, strict=True):
        assert len(answer.parts) == 1 and (answer.values == expected.values).all()


def test_it_is_said_that_no_worker_has_a_gpu(many, notes, monkeypatch) -> None:
    """Also in the middle of a run; it goes on once one comes."""
    monkeypatch.setattr(cluster_module, "TELL_S", 0.05)
    # dask asks now and then for no worker, and remembers that in place of what was answered before
    refresh = distributed.Client._update_scheduler_info
    monkeypatch.setattr(
        distributed.Client, "_update_scheduler_info", lambda client, n_workers=0: refresh(client)
    )
    said, messages = threading.Event(), []

    def hear(message: str, *args: object) -> None:
        messages.append(message % args)
        said.set()

    monkeypatch.setattr(cluster_module.logger, "warning", hear)
    with cluster_of(notes, workers=1) as cluster, ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, many, "out", cluster.scheduler_address, device="cuda")
        assert said.wait(60)
        first = cluster.worker_spec[0]
        options = {**first["options"], "resources": {"GPU": 1}}
        cluster.worker_spec[1] = {**first, "options": options}
        cluster.sync(cluster._correct_state)
        assert not running.result(60).errors
    assert set(messages) == {"the cluster has no worker with the resource GPU yet; waiting for one"}


def test_models_that_need_a_gpu_go_to_workers_that_have_one(many, notes) -> None:
    with cluster_of(notes, resources={"GPU": 1}, workers=1) as cluster:
        cluster.worker_spec[1] = {
            **cluster.worker_spec[0],
            "options": {**cluster.worker_spec[0]["options"], "resources": {}},
        }
        cluster.sync(cluster._correct_state)
        cluster.wait_for_workers(2)
        report = run(many, "out", cluster.scheduler_address, device="cuda")
    assert not report.errors
    assert {tuple(n["models"]) for n in notes()} == {("loud",), ("chance-value",)}
    assert all(n["resources"] == {"GPU": 1} for n in notes() if n["models"] == ["loud"])
    many.run("local", cache="local", **CHOSEN)
    assert many.files("out") == many.files("local")


def test_a_file_starts_a_cluster_for_the_run(mini, call) -> None:
    file = mini.root / "cluster.yaml"
    file.write_text(
        "cluster: distributed.LocalCluster\n"
        "arguments: {n_workers: 0, threads_per_worker: 1, dashboard_address: ':0'}\n"
        "jobs: 1\n"
    )
    code, said = call("--scheduler", str(file))
    assert code == 0 and "error" not in said and LOGGING not in os.environ
    assert list((mini.root / "out" / "predictions").rglob("*.parquet"))


#: a cluster of a file, which says that it is up and waits
STARTS = """
import sys
from common.core import leftovers
from common.predictions.schedulers import scheduler

if __name__ == "__main__":
    with scheduler(sys.argv[1]).client() as client:
        client.wait_for_workers(1)
        print(leftovers.owner(), flush=True)
        sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such folder")
def test_what_a_killed_cluster_leaves_is_cleared_by_the_next_run(tmp_path: Path) -> None:
    file, script = tmp_path / "cluster.yaml", tmp_path / "starts.py"
    file.write_text(
        "cluster: distributed.LocalCluster\n"
        "arguments: {n_workers: 0, threads_per_worker: 1, dashboard_address: ':0'}\n"
        "jobs: 1\n"
    )
    script.write_text(STARTS)
    environment = {"PYTHONPATH": str(paths.REPOSITORY), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, str(script), str(file)],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        owner = process.stdout.readline().strip()
        assert {p.name.split("-", 1)[0] for p in leftovers.SHARED.glob(f"*{owner}*")} == {
            "sem.speechproof"
        }
        # with all its helpers, as a batch system does it
        os.killpg(process.pid, signal.SIGKILL)
    leftovers.clear()
    assert not [path for path in leftovers.SHARED.iterdir() if owner in path.name]


#: the same, on the way to an interrupt; what workers log is for a program
INTERRUPTED = """
import sys, threading
from argparse import Namespace
from common.cli import clusters
from common.cli.logs import start_logs

def task(said):
    import logging, warnings
    logging.getLogger("common").warning(said)
    logging.getLogger("distributed.worker").info("hello")
    warnings.warn("deprecated")
    threading.Event().wait()

if __name__ == "__main__":
    args = Namespace(log_format="json", verbose=False, quiet=False, places=None, scheduler=sys.argv[1])
    start_logs(args)
    try:
        with clusters.scheduler_of(args).client() as client:
            client.submit(task, "one").result()
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other terminals")
@pytest.mark.parametrize("end", [os.killpg, os.kill])
def test_an_interrupted_cluster_says_what_is_wrong_only(tmp_path: Path, end) -> None:
    file, script = tmp_path / "cluster.yaml", tmp_path / "interrupted.py"
    file.write_text(
        "cluster: distributed.LocalCluster\narguments: {n_workers: 0, threads_per_worker: 1}\njobs: 2\n"
    )
    script.write_text(INTERRUPTED)
    with subprocess.Popen(
        [sys.executable, str(script), str(file)],
        env={**os.environ, "PYTHONPATH": str(paths.REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        lines = [process.stderr.readline() for _ in range(2)]
        end(process.pid, signal.SIGINT)
        out, rest = process.communicate()
    assert out == "interrupted\n" and rest == ""
    one, other = map(json.loads, lines)
    assert (one["level"], one["logger"], one["message"]) == ("warning", "common", "one")
    assert "UserWarning: deprecated" in other["message"]


def test_a_port_that_is_taken_is_not_worth_a_word(tmp_path: Path, recwarn) -> None:
    with socket.create_server(("", 0)) as server:
        file = tmp_path / "cluster.yaml"
        file.write_text(
            "cluster: distributed.LocalCluster\njobs: 1\n"
            "arguments: {n_workers: 0, processes: false,"
            f" dashboard_address: ':{server.getsockname()[1]}'}}\n"
        )
        with scheduler(str(file)).client():
            pass
    assert not [str(w.message) for w in recwarn if "already in use" in str(w.message)]


def test_files_in_the_guide_are_read() -> None:
    """The packages of batch systems need not be there; what dask-jobqueue makes of them was looked at."""
    guide = (paths.DOCS / "howto" / "run_on_a_cluster.rst").read_text("utf-8")
    blocks = re.findall(r"code-block:: yaml\n\n((?:   .*\n|\n)+)", guide)
    files = [ClusterFile.model_validate(yaml.safe_load(textwrap.dedent(b))) for b in blocks]
    names = [file.cluster for file in files]
    slurm = "dask_jobqueue.SLURMCluster"
    assert names == [slurm, "dask_kubernetes.operator.KubeCluster", slurm]
    assert {*names, *re.findall(r"``(d[\w.]+Cluster)``", guide)} == {*CLUSTERS}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobs: 1\n", "cluster: missing"),
        ("cluster: distributed.LocalCluster\n", "jobs: missing"),
        ("cluster: distributed.LocalCluster\njobs: 0\n", "jobs: .*greater than 0"),
        ("cluster: os.system\njobs: 1\n", r"cluster: unknown cluster 'os\.system'"),
        ("cluster: dask_jobqueue.SLURMCluste\njobs: 1\n", "Did you mean 'dask_jobqueue.SLURMC"),
        ("cluster: distributed.LocalCluster\njobs: 1\ncode: x\n", "unknown key"),
        ("[1]", "expected key: value lines"),
    ],
)
def test_a_file_with_a_fault(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"^{path}: .*{message}"):
        scheduler(str(path))


# what dask leaves behind where a cluster cannot be made
@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
def test_arguments_that_the_class_does_not_have(mini, call) -> None:
    file = mini.root / "cluster.yaml"
    file.write_text("cluster: distributed.LocalCluster\njobs: 1\narguments: {n_workers: many}\n")
    code, said = call("--scheduler", str(file))
    (line,) = said.splitlines()
    assert code == 2 and "distributed.LocalCluster: cannot be started: " in line


@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # left by dask
def test_the_cause_of_a_cluster_that_cannot_be_started(mini, capfd) -> None:
    file = mini.root / "cluster.yaml"
    file.write_text("cluster: distributed.LocalCluster\njobs: 1\narguments: {nworkers: 1}\n")
    where = ("--catalog", mini.catalog, "--output", mini.root / "out", "--cache", mini.root / "out")
    chosen = ("--model", "loud", "--dataset", "tones", "--test", "correctness_regression")
    assert main(["run", *chosen, *map(str, where), "--scheduler", str(file)]) == 2
    (line,) = capfd.readouterr().err.splitlines()  # with what workers and helpers of dask write
    place = f"error: {file}: distributed.LocalCluster: cannot be started: "
    assert line.startswith(f"{place}TypeError: ")
    assert "unexpected keyword argument 'nworkers'" in line
    gc.collect()  # what it has left is told here, where it is known, and not in the next test


@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
def test_jobs_that_cannot_be_started(tmp_path, monkeypatch, caplog) -> None:
    class Refused(distributed.SpecCluster):
        def _new_worker_name(self, number):
            raise FileNotFoundError("no sbatch")

        def close(self, timeout=None):
            self.shutdown_on_close = False  # dask would try it again when Python ends
            raise AssertionError("Status.created")

    monkeypatch.setattr(distributed, "LocalCluster", Refused)
    path = tmp_path / "cluster.yaml"
    path.write_text("cluster: distributed.LocalCluster\njobs: 1\n")
    with (
        pytest.raises(BenchmarkError, match=r"cannot start jobs: FileNotFoundError: no sbatch$"),
        scheduler(str(path)).client(),
    ):
        pass
    assert not caplog.messages


@pytest.mark.parametrize("text", ["", "localhost", "http://x:1", "tcp://", "cluster.json"])
def test_what_is_no_scheduler(text: str) -> None:
    with pytest.raises(ConfigError, match="expected the address of a scheduler"):
        scheduler(text)


def test_an_empty_option_is_no_scheduler(call) -> None:
    code, said = call("--scheduler", "")
    assert code == 2
    assert said.startswith("error: --scheduler '': expected the address of a scheduler")


def test_without_dask(call, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, said = call("--scheduler", "tcp://127.0.0.1:8786")
    (line,) = said.splitlines()
    assert code == 2 and "--scheduler needs dask" in line
    assert line.endswith(f"Install it with: {EXTRA}")
    guide = (paths.DOCS / "howto" / "run_on_a_cluster.rst").read_text("utf-8")
    assert f"``{EXTRA}``" in guide


def test_without_the_package_of_a_batch_system(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    path = tmp_path / "cluster.yaml"
    path.write_text("cluster: dask_jobqueue.SLURMCluster\njobs: 1\n")
    with pytest.raises(BenchmarkError, match=r"Install it with: pip install dask-jobqueue$"):
        scheduler(str(path))


def test_a_cluster_that_is_not_needed_is_not_asked(mini) -> None:
    mini.run(models=("loud",))
    engine = engine_of(mini, "again", "tcp://127.0.0.1:1", cache="cache")
    tests = tuple(t.id for t in engine.benchmark.tests.values() if t.family == "correctness")
    report = engine.run(Filters(models=("loud",), datasets=("tones",), tests=tests))
    assert report.calls == 0 and report.computed and isinstance(engine.cluster, Cluster)
