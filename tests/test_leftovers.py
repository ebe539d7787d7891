"""Shared memory, semaphores and temporary folders of runs that were killed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import pytest

from common.cli.main import main
from common.core import files, leftovers, paths, processes
from common.core.errors import ModelError
from common.models import measuring
from common.spec import Model

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such folder")

#: a run with processes and shared memory, which says so and waits
RUN = """
import sys
from multiprocessing.shared_memory import SharedMemory
from common.core import leftovers, processes

if __name__ == "__main__":
    memory = SharedMemory(leftovers.new_name(), create=True, size=100)
    with processes.pool(2) as pool:
        assert pool.submit(abs, -1).result() == 1
        print(leftovers.owner(), flush=True)
        sys.stdin.read()
    memory.close()
    memory.unlink()
"""


@pytest.fixture
def run(tmp_path: Path):
    """Starts that run in a group of its own; returns it and how its names begin."""
    script = tmp_path / "run.py"
    script.write_text(RUN)
    begun = []

    def start() -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(paths.REPOSITORY)},
        )
        begun.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _files(owner: str) -> list[str]:
    return sorted(p.name for p in leftovers.SHARED.iterdir() if f"{owner}-" in p.name)


@linux
def test_what_a_killed_run_leaves_is_cleared_by_the_next(run) -> None:
    killed, owner = run()
    living, other = run()
    assert any(name.startswith("sem.") for name in _files(owner)) and len(_files(owner)) > 2
    kept = _files(other)
    # with all its helpers, as a batch system does it
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert _files(owner)
    removed = leftovers.clear()
    assert set(_files(owner)) == set() and any(owner in name for name in removed)
    assert _files(other) == kept
    output, _ = living.communicate("")
    assert living.returncode == 0 and not _files(other), output


@linux
def test_a_temporary_folder_of_a_killed_process_is_cleared_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys, tempfile; from common.core import leftovers\n"
        "with tempfile.TemporaryDirectory(prefix=leftovers.prefix()) as folder:\n"
        "    open(folder + '/measured', 'w').close(); print(folder, flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        assert folder.name not in leftovers.clear() and list(folder.iterdir())
        process.kill()
    assert folder.name in leftovers.clear() and list(tmp_path.iterdir()) == []


#: a process that is in the middle of a file
WRITING = """
import sys
from pathlib import Path
from common.core import files

def wait(*_: object) -> None:
    print("writes", flush=True)
    sys.stdin.read()

Path.chmod = wait
files.write_text(Path(sys.argv[1]), "all of it")
"""


@linux
def test_a_file_that_a_killed_process_had_begun_goes_when_the_folder_is_written_to(
    tmp_path: Path,
) -> None:
    begun = []
    for name in ("killed", "living"):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITING, str(tmp_path / name)],
            env={**os.environ, "PYTHONPATH": str(paths.REPOSITORY)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        assert process.stdout is not None and process.stdout.readline() == "writes\n"
    killed, living = begun
    assert [path.suffix for path in tmp_path.iterdir()] == [".tmp", ".tmp"]
    killed.kill()
    killed.communicate()
    files.write_text(tmp_path / "mine", "mine")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[1:] == ["mine"] and f"-{living.pid}-" in names[0]
    living.communicate("")
    assert living.returncode == 0 and (tmp_path / "living").read_text() == "all of it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["living", "mine"]


def test_folders_of_other_packages_lie_in_one_of_the_process_while_it_wants_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with leftovers.contained():
        with leftovers.contained(), tempfile.TemporaryDirectory() as inner:
            assert Path(inner).parent.name.startswith(leftovers.prefix())
            assert Path(inner).parent.parent == tmp_path
        # a part has ended, the whole has not
        with tempfile.TemporaryDirectory() as other:
            assert Path(other).parent == Path(inner).parent
    assert tempfile.gettempdir() == str(tmp_path) and list(tmp_path.iterdir()) == []


def test_a_folder_that_is_still_used_stays_until_the_process_ends(tmp_path: Path) -> None:
    code = (
        "import tempfile; from pathlib import Path; from common.core import leftovers\n"
        "with leftovers.contained():\n"
        "    path = Path(tempfile.mkdtemp()) / 'a'; path.write_text('a')\n"
        "print(path.read_text(), tempfile.gettempdir(), len(list(path.parents[2].iterdir())))"
    )
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"a {tmp_path} 1\n" and list(tmp_path.iterdir()) == []


@linux
def test_a_command_clears_and_contains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # as an earlier process of this number
    left = tmp_path / f"{leftovers.owner().rpartition('-')[0]}-0-x"
    left.mkdir()

    def command(_: object) -> int:
        (folder,) = tmp_path.iterdir()
        assert tempfile.gettempdir() == str(folder) and folder.name.startswith(leftovers.owner())
        left.mkdir()
        assert left.name in leftovers.clear()  # it looks around that folder, not into it
        return 0

    monkeypatch.setattr("common.cli.main._command", lambda name: command)
    assert main(["list", "models"]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="other systems do not fork")
def test_a_forked_process_is_not_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def told(_: object) -> str:
        outer = tempfile.gettempdir()
        with leftovers.contained():
            inner = tempfile.gettempdir()
        return f"{outer} {Path(inner).parent} {tempfile.gettempdir()}"

    with leftovers.contained():
        fork = processes.Fork(told)
        assert fork.result() == f"{tmp_path} {tmp_path} {tmp_path}"


def test_where_no_folder_can_be_made_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with leftovers.contained():
        assert tempfile.gettempdir() == str(tmp_path / "none")
    assert tempfile.gettempdir() == str(tmp_path / "none")


@linux
def test_the_folder_in_which_a_model_is_measured_bears_the_name_of_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folders = []

    def ran(*_: object, input: bytes, **__: object) -> subprocess.CompletedProcess[bytes]:
        path = pickle.loads(input)[0]
        folders.append(path.parent.name)
        path.write_bytes(pickle.dumps("no model"))
        return subprocess.CompletedProcess([], 0, b"", b"")

    monkeypatch.setattr(subprocess, "run", ran)
    with pytest.raises(ModelError, match="no model"):
        measuring.measure_apart(Model(id="m", version="1", adapter="onnx"), {})
    (name,) = folders
    assert name.startswith(f"{leftovers.owner()}-")


@linux
def test_names_tell_the_process() -> None:
    memory = SharedMemory(leftovers.new_name(), create=True, size=10)
    try:
        assert memory.name.startswith(leftovers.owner())
        assert memory.name not in leftovers.clear()
        SharedMemory(memory.name).close()
    finally:
        memory.close()
        memory.unlink()


@linux
def test_names_of_semaphores_tell_the_process() -> None:
    """In a process of its own: joblib, which scikit-learn brings along, names them otherwise."""
    code = (
        "from multiprocessing import get_context; from common.core import leftovers; "
        "leftovers.name_semaphores(); lock = get_context('spawn').Lock(); "
        "print(lock._semlock.name.startswith(f'/{leftovers.owner()}-'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


class System:
    """A folder as /proc, with processes, and one as /dev/shm."""

    def __init__(self, root: Path):
        self.shared, self.processes = root / "shm", root / "proc"
        self.shared.mkdir()
        (self.processes / "self" / "ns").mkdir(parents=True)
        (self.processes / "self" / "ns" / "pid").symlink_to("pid:[77]")
        boot = self.processes / "sys" / "kernel" / "random" / "boot_id"
        boot.parent.mkdir(parents=True)
        boot.write_text("this start of this machine")

    def process(self, number: int, start: int) -> None:
        (self.processes / str(number)).mkdir()
        middle = " ".join(["0"] * 18)
        text = f"{number} (a) b (c) S {middle} {start} 0 0\n"
        (self.processes / str(number) / "stat").write_text(text)

    def file(self, name: str) -> str:
        (self.shared / name).write_text("")
        return name

    def clear(self) -> list[str]:
        return leftovers.clear([self.shared], self.processes)


#: this start of this machine, and its namespace
HERE = "6512338377"


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_only_what_is_dead_and_ours(system: System) -> None:
    system.process(5, 100)
    for kept in (
        f"speechproof-{HERE}-5-100-0",  # living
        f"sem.speechproof-{HERE}-5-100-xyz",
        f"speechproof-{HERE[:-1]}8-9-100-0",  # of another namespace, where process 9 may live
        f"speechproof-0{HERE}-9-100-0",  # of another machine
        "psm_1234",  # of other programs
        "sem.mp-1234",
        "speechproof-x",
    ):
        system.file(kept)
    dead = [
        system.file(f"sem.speechproof-{HERE}-9-100-xyz"),
        system.file(f"speechproof-{HERE}-5-99-0"),  # the number was given again
        system.file(f"speechproof-{HERE}-9-100-0"),
    ]
    assert system.clear() == dead
    assert len(list(system.shared.iterdir())) == 7 and system.clear() == []


def test_other_users(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    system.file(f"speechproof-{HERE}-9-100-0")
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert system.clear() == []


def test_systems_that_cannot_tell(system: System, tmp_path: Path) -> None:
    system.file(f"speechproof-{HERE}-9-100-0")
    assert leftovers.clear([system.shared], tmp_path / "no-proc") == []
    assert leftovers.clear([tmp_path / "nowhere"], system.processes) == []
    assert leftovers.owner(tmp_path / "no-proc") == ""


def test_a_folder_that_nobody_may_look_into(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refused)
    assert system.clear() == []
