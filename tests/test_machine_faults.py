"""A machine that refuses, or misleads: folders that cannot be written, little memory, half a module, a wrong clock."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from common.cli.refusals import ADVICE, BLAS_THREADS, advised, blas_threads, check_memory, refusal
from common.core import files, launching, machine, paths
from common.core.errors import ConfigError, OutputError
from tests.test_full_disk import run, undisturbed

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for it")
#: of Linux: what drops a right of a process for good, and the rights to write and read everywhere
DROP, EVERYWHERE = 24, (1, 2)


def without_rights() -> None:
    """Let permissions of files count for root, too."""
    for right in EVERYWHERE:
        ctypes.CDLL(None).prctl(DROP, right, 0, 0, 0)


def lock(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*folder.rglob("*"), folder]:
        path.chmod(path.stat().st_mode & ~0o222)


def unlock(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


@linux
@pytest.mark.parametrize("name", ["out", "cache-out"])
def test_a_folder_that_cannot_be_written(mini, name) -> None:
    lock(mini.root / name)
    done = run(mini, "out", without_rights)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert str(mini.root / name) in line and "Permission denied" in line
    assert "choose another place with '--output' or '--cache'" in line
    unlock(mini.root / name)
    assert run(mini, "out").returncode == 0
    assert mini.files() == undisturbed(mini)


def test_a_folder_in_place_of_results_is_told_with_what_helps(mini) -> None:
    path = paths.Paths(mini.root / "out").results("arousal", "loud", "correctness_regression")
    (path / "inside").mkdir(parents=True)
    done = run(mini, "out")
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert str(path) in line and "remove this folder, which lies where files" in line
    assert (path / "inside").is_dir()
    (path / "inside").rmdir()
    path.rmdir()
    assert run(mini, "out").returncode == 0
    assert mini.files() == undisturbed(mini)


def test_no_other_place_is_advised_for_a_file_that_was_named(tmp_path) -> None:
    folder = tmp_path / "out" / "a.csv"
    folder.mkdir(parents=True)
    texts = []
    for folders in ([tmp_path / "out"], [tmp_path / "elsewhere"]):
        with pytest.raises(OutputError) as caught:
            files.write_text(folder, "text")
        texts.append(advised(caught.value, folders))
    assert texts[0] == f"{texts[1]}: {ADVICE[errno.EISDIR]}; what was computed is kept"


@linux
@pytest.mark.parametrize("name", ["out", "cache-out"])
def test_what_was_made_before_cannot_be_written(mini, name) -> None:
    assert run(mini, "out").returncode == 0
    lock(mini.root / name)
    done = run(mini, "out", without_rights)
    assert (done.returncode, done.stderr) == (0, "") and "nothing to do" in done.stdout
    unlock(mini.root / name)
    assert mini.files() == undisturbed(mini)


@linux
def test_a_folder_of_reports_that_cannot_be_written(mini) -> None:
    lock(mini.root / "state")
    done = run(mini, "out", without_rights, XDG_STATE_HOME=str(mini.root / "state"))
    assert (
        done.returncode == 0 and "the run itself is complete except for this report" in done.stderr
    )
    unlock(mini.root / "state")
    assert mini.files() == undisturbed(mini)


@linux
def test_a_website_that_cannot_be_written_is_refused_in_one_line(tmp_path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "site.json").write_text("{}")
    lock(tmp_path)
    done = subprocess.run(
        [sys.executable, str(paths.REPOSITORY / "build.py"), "site", f"--output={tmp_path}"],
        preexec_fn=without_rights,
        capture_output=True,
        text=True,
        check=False,
    )
    unlock(tmp_path)
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(rf"error: {tmp_path}\S*: .*Permission denied.*\n", done.stderr)


@linux
@pytest.mark.parametrize("name", ["catalog", "catalog/tones"])
def test_an_input_that_cannot_be_read_is_no_matter_of_other_folders(mini, name) -> None:
    folder = mini.root / name
    folder.chmod(0)
    done = run(mini, "out", without_rights)
    folder.chmod(0o700)
    assert done.returncode == 2
    assert re.fullmatch(rf"error: {folder}\S*: cannot be read: Permission denied\n", done.stderr)


def test_what_is_refused_without_a_file_is_a_fault_of_the_program() -> None:
    assert refusal(PermissionError(errno.EPERM, "Operation not permitted")) == ""
    assert refusal(ValueError("no")) == refusal(ImportError("no module")) == ""
    line = refusal(PermissionError(errno.EACCES, "Permission denied", "a/b"))
    assert line.startswith("a/b: Permission denied: choose another place with '--output'")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("x.so: failed to map segment from shared object"),
        OSError("cannot load library 'x.so': Cannot allocate memory"),
        RuntimeError("can't start new thread"),
    ],
    ids=str,
)
def test_too_little_memory_is_said_by_libraries_in_many_ways(error: Exception) -> None:
    assert "try '--workers 1', which needs the least" in refusal(error)
    try:
        raise ImportError("a package failed to import") from error
    except ImportError as outer:
        assert refusal(outer) == refusal(error)


@linux
def test_a_limit_of_memory_at_which_libraries_hang(mini, monkeypatch) -> None:
    for name in BLAS_THREADS:  # dask sets them where it starts workers
        monkeypatch.delenv(name, raising=False)

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (560 << 20, 560 << 20))

    done = run(mini, "out", little)
    assert done.returncode == 2 and not (mini.root / "out").exists()
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "error: a limit of 587 MB on the address space of a process ('ulimit -v')"
    )
    assert line.endswith(" with OPENBLAS_NUM_THREADS=1)") or os.cpu_count() == 1


def test_more_threads_need_more_memory() -> None:
    check_memory(None, 1000)
    check_memory(4 << 30, 4)
    with pytest.raises(
        ConfigError, match=r"a limit of 4\.29 GB .* needs 10\.7 GB \(2\.28 GB with OPEN"
    ):
        check_memory(4 << 30, 64)
    assert blas_threads(8, {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "4"}) == 2
    assert blas_threads(8, {"OPENBLAS_NUM_THREADS": "", "OMP_NUM_THREADS": "no"}) == 8
    assert blas_threads(8, {"OMP_NUM_THREADS": "99"}) == 8
    assert machine.address_limit_bytes() is None or machine.address_limit_bytes() > 0


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """Half a compiled module of the command line."""
    assert listing(tmp_path).returncode == 0
    (path,) = tmp_path.rglob("cli/main.*.pyc")
    path.write_bytes(path.read_bytes()[:2000])
    return path


def listing(compiled: Path, fault=None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run(
        [sys.executable, str(paths.REPOSITORY / "build.py"), "list", "targets"],
        env=environment,
        preexec_fn=fault,
        capture_output=True,
        text=True,
        check=False,
    )


def test_half_a_compiled_module_is_made_again(tmp_path: Path, compiled: Path) -> None:
    done, again = listing(tmp_path), listing(tmp_path)
    assert (done.returncode, again.returncode, again.stderr) == (0, 0, "")
    assert done.stdout == again.stdout != ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{compiled}: only half of a compiled module")


@linux
def test_half_a_compiled_module_that_cannot_be_removed(tmp_path: Path, compiled: Path) -> None:
    lock(compiled.parent)
    done = listing(tmp_path, without_rights)
    unlock(compiled.parent)
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {compiled}: ") and line.endswith("Permission denied")


def test_other_errors_are_about_no_compiled_module() -> None:
    with pytest.raises(EOFError) as caught:
        raise EOFError("marshal data too short")
    assert launching.half_compiled(caught.value) is None


#: a clock that is years ahead and goes back with every look at it
CLOCK = """
import itertools, time as clock

now, steps = clock.time, itertools.count()
clock.time = lambda: now() + 3e8 - 1e6 * next(steps)
clock.time_ns = lambda: int(clock.time() * 1e9)
"""


def test_a_clock_that_jumps_and_files_of_the_future(mini) -> None:
    (mini.root / "clock").mkdir()
    (mini.root / "clock" / "sitecustomize.py").write_text(CLOCK)
    variables = {"PYTHONPATH": str(mini.root / "clock")}
    for n, path in enumerate(sorted(mini.catalog.rglob("*"))):
        os.utime(path, (4e9 - n, 4e9 - n))
    assert run(mini, "out", **variables).returncode == 0
    for n, path in enumerate(sorted((mini.root / "out").rglob("*"))):
        os.utime(path, (n, 4e9 + n))
    done = run(mini, "out", **variables)
    assert (done.returncode, done.stderr) == (0, "") and "nothing to do" in done.stdout
    assert mini.files() == undisturbed(mini)
