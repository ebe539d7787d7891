"""The package as it is installed: built, put into an empty folder, and used from another one."""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from common.core import closure, paths

GUIDE = paths.DOCS / "howto" / "score_in_python.rst"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder that packages are imported from, with this one and no clone in sight."""
    root = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-w",
        str(root / "dist"),
    ]
    subprocess.run([*build, str(paths.REPOSITORY)], check=True, capture_output=True, text=True)
    (wheel,) = (root / "dist").glob("speechproof-*.whl")
    folder = root / "packages"
    into = [*pip, "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    subprocess.run(into, check=True, capture_output=True, text=True)
    return folder


def _run(
    installed: Path, folder: Path, *arguments: str, cache: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "XDG_CACHE_HOME": str(cache or folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_wheel_holds_what_the_program_reads_and_no_name_of_others(installed: Path) -> None:
    (wheel,) = (installed.parent / "dist").glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    first = {name.split("/")[0] for name in names}
    assert first == {"speechproof", next(name for name in first if name.endswith(".dist-info"))}
    assert not [name for name in names if "__pycache__" in name]
    kinds = (".py", ".yaml", ".csv", ".json", ".txt")
    for path in paths.PACKAGE.rglob("*"):
        if path.suffix in kinds and "__pycache__" not in path.parts:
            assert f"speechproof/{path.relative_to(paths.PACKAGE).as_posix()}" in names
    for name in ("docs/conf.py", "docs/index.rst", "docs/refs.bib", "extra/published/emotion.csv"):
        assert f"speechproof/share/{name}" in names


def test_command_is_called_speechproof_and_advises_so(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, tmp_path, "-m", "speechproof", "--help")
    assert done.stdout.startswith("usage: speechproof ")
    done = _run(installed, tmp_path, "-m", "speechproof", "check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no fault in" in done.stdout
    script = installed / "bin" / "speechproof"
    assert "speechproof.__main__ import run" in script.read_text("utf-8")


def test_a_number_belongs_to_the_same_code_in_a_clone_and_installed(
    installed: Path, tmp_path: Path
) -> None:
    starts = ("common.engine.scoring", "common.models.demo.baseline", "benchmark_site")
    code = (
        "from speechproof.core import closure\n"
        f"print(*(closure.code_of(start) for start in {starts!r}))"
    )
    done = _run(installed, tmp_path, "-c", code)
    assert done.stdout.split() == [closure.code_of(start) for start in starts], done.stderr


def test_library_leaves_the_name_of_the_clone_to_others(installed: Path, tmp_path: Path) -> None:
    own = tmp_path / "common"
    own.mkdir()
    (own / "__init__.py").write_text("whose = 'mine'\n", "utf-8")
    code = (
        "import sys, speechproof\n"
        "speechproof.metrics.ccc, speechproof.events.EventList, speechproof.evaluate, speechproof.perturb\n"
        "import common\n"
        "print(common.whose, [n for n in sys.modules if n.startswith('common.')])"
    )
    done = _run(installed, tmp_path, "-c", code)
    assert done.stdout.strip() == "mine []", done.stderr


def test_command_takes_both_names_for_one_module(installed: Path, tmp_path: Path) -> None:
    code = (
        "from speechproof.core import alias\n"
        "alias.install(); alias.install()\n"
        "import common.core.errors, common.spec.kinds, speechproof.spec.kinds.base\n"
        "from common.spec.kinds import base\n"
        "errors = common.core.errors\n"
        "print(base is speechproof.spec.kinds.base, errors.__name__, errors.__spec__.name)"
    )
    done = _run(installed, tmp_path, "-c", code)
    assert done.stdout.split() == ["True", "speechproof.core.errors", "speechproof.core.errors"]


def test_examples_of_the_guide_are_true(installed: Path, tmp_path: Path) -> None:
    code = (
        "import doctest, sys\n"
        "done = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)\n"
        "print(done.attempted, done.failed)"
    )
    done = _run(installed, tmp_path, "-c", code, str(GUIDE))
    attempted, failed = map(int, done.stdout.split()[-2:])
    assert attempted > 30 and failed == 0, done.stdout


def test_website_is_that_of_a_clone(installed: Path, tmp_path: Path) -> None:
    clone = [str(paths.REPOSITORY / "build.py"), "site", "--quiet", "--output", "clone"]
    for arguments in (["-m", "speechproof", "site", "--quiet", "--output", "wheel"], clone):
        done = _run(installed, tmp_path, *arguments, cache=tmp_path / f"cache-{arguments[-1]}")
        assert (done.returncode, done.stderr) == (0, "")
    one, other = (tmp_path / name / "build" / "html" for name in ("wheel", "clone"))
    pages = sorted(path.relative_to(one) for path in one.rglob("*.html"))
    assert pages == sorted(path.relative_to(other) for path in other.rglob("*.html"))
    assert len(pages) > 100
    assert filecmp.cmpfiles(one, other, [str(page) for page in pages], shallow=False)[1:] == (
        [],
        [],
    )


@pytest.mark.parametrize("words", [["--help"], ["check"], ["run"]], ids=" ".join)
def test_a_missing_package_is_one_line(installed: Path, tmp_path: Path, words: list[str]) -> None:
    """``-S`` hides the packages of this machine; nothing but this one is there."""
    done = _run(installed, tmp_path, "-S", "-m", "speechproof", *words)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    package = line.removeprefix("error: the package '").partition("'")[0]
    assert line.endswith(f"what this program needs is installed with: pip install {package}")
