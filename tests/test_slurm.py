"""Shards as jobs of a real SLURM, where one answers; ``.ci/slurm`` starts one on this machine.

With ``qsub`` and ``qdel``, which it understands as well, it takes the jobs that are written for PBS.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from common.core import paths
from common.engine.plan import Filters
from common.engine.run import Engine
from common.predictions import inputs
from common.predictions.schedulers import scheduler

#: most seconds that commands of SLURM may take
PATIENCE_S = 20


def _said(*command: str) -> str:
    """What a command of SLURM prints; nothing if it cannot say it."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
pytestmark = pytest.mark.skipif(
    "idle" not in _said("sinfo", "--noheader", "--format", "%T"), reason="no SLURM is running here"
)

CHOSEN = {"models": ("loud", "chance-value"), "tests": ("robustness_small_changes",)}


def cluster_file(mini, batch: str = "SLURM", jobs: int = 2, **arguments) -> Path:
    """A cluster file as in the guide."""
    fitted = {
        "cores": 1,
        "processes": 1,
        "memory": "1GB",
        "walltime": "00:10:00",
        "python": sys.executable,
        "job_script_prologue": [f"export PYTHONPATH={paths.REPOSITORY}"],
        "log_directory": str(mini.root / "logs"),
        **arguments,
    }
    content = {
        "cluster": f"dask_jobqueue.{batch}Cluster",
        "arguments": fitted,
        "jobs": jobs,
    }
    file = Path(mini.root / "cluster.yaml")
    file.write_text(yaml.safe_dump(content), "utf-8")
    return file


def engine_of(mini, out: str, batch: str) -> Engine:
    """An engine whose shards are computed by jobs."""
    file = cluster_file(mini, batch)
    made = mini.engine(out, cache=out)
    return Engine(made.benchmark, made.folders, scheduler=scheduler(str(file)))


def jobs(*, ended: bool = True) -> list[str]:
    """Numbers of the jobs that run or wait, and of those that were ended and are still being cleared away."""
    lines = map(str.split, _said("squeue", "--noheader", "--format", "%i %t").splitlines())
    return [number for number, state in lines if ended or state != "CG"]


@pytest.mark.parametrize("batch, submit", [("SLURM", "sbatch"), ("PBS", "qsub")])
def test_a_job_that_is_cancelled_in_the_middle(mini, monkeypatch, batch, submit) -> None:
    """Others compute what it had, the bytes are those of a local run, and no job is left."""
    if shutil.which(submit) is None:
        pytest.skip(f"no {submit} is here")
    monkeypatch.setattr(inputs, "CHUNK_S", 2.0)
    monkeypatch.chdir(mini.root)  # where the qsub of SLURM writes what jobs say
    before = set(jobs())
    local = mini.run("local", cache="local", **CHOSEN)
    engine = engine_of(mini, "out", batch)
    cancelled: list[str] = []

    def told(stage: str, done: int, total: int) -> None:
        if stage.startswith("predict") and done and not cancelled:
            cancelled.append(min(set(jobs()) - before))
            _said("scancel", cancelled[0])

    engine.progress = told
    report = engine.run(Filters(datasets=("tones",), **CHOSEN))
    assert cancelled
    assert (report.calls, report.errors) == (local.calls, {})
    assert mini.files("out") == mini.files("local")
    assert not {*jobs(ended=False)} - before - {*cancelled}


def test_a_batch_system_that_refuses_a_job_ends_the_run(mini) -> None:
    file = cluster_file(mini, queue="no-such-queue")
    selection = ["--model", "loud", "--dataset", "tones", "--test", *CHOSEN["tests"]]
    places = ["--catalog", mini.catalog, "--output", mini.root / "o", "--cache", mini.root / "c"]
    command = [sys.executable, "build.py", "run", "--allow-code", *selection, *places]
    done = subprocess.run(
        [*map(str, command), "--scheduler", str(file)],
        cwd=paths.REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.search(r"SLURMCluster: cannot start jobs: .*no-such-queue", done.stderr), done.stderr
