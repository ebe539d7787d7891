"""Evidence is part of the repository: golden figures, no path of a machine, nothing timed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.core.paths import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "golden"
FOLDERS = sorted(path.name for path in GOLDEN.iterdir() if (path / "README.md").is_file())
#: the script of these is a person: names were copied from a page
BY_HAND = {"audb"}
FIGURES = (".json", ".npz", ".csv")

#: paths that mean the same on every machine of their kind
SYSTEM = {
    "/etc/passwd": "what hostile input asks for",
    "/usr/bin/env": "first line of a script",
    "/dev/shm": "shared memory on Linux",
    "/proc": "processes on Linux",
    "/proc/cpuinfo": "processor on Linux",
}
MACHINE = re.compile(
    r"(?<![\w.:/<>~\-})$*\]])/(?:bin|data|dev|etc|home|lib|media|mnt|nfs|opt|private|proc|root|run"
    r"|scratch|srv|sys|tmp|usr|Users|var|Volumes|work|workspace)\b(?:/[\w.-]*\w)*"
    r"|\b[A-Za-z]:\\\w[\w\\]*|file:///\w[\w/]*"
)
OUTSIDE = re.compile(r"\b(?:REPOSITORY|ROOT)\.parent\b|\.\./shared|Path\.home\(")
TIMED = re.compile(
    r"process_time|perf_counter|monotonic\(|time\.time\(|ru_minflt|getrusage|\bsleep\("
    r"|wait_for_timeout"
)


def tracked(*patterns: str) -> Iterator[tuple[str, str]]:
    """Text files that belong to the repository, with their content."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *patterns],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, done.stdout.split("\0")):
        path = REPOSITORY / name
        content = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in content:
            yield name, content.decode("utf-8")


def faults(pattern: re.Pattern[str], name: str, text: str) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for match in pattern.finditer(text)
        if match[0] not in SYSTEM
    ]


# -- golden figures --------------------------------------------------------------------------


@pytest.mark.parametrize("folder", FOLDERS)
def test_golden_figures_say_what_made_them(folder: str) -> None:
    text = (GOLDEN / folder / "README.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| (.+) \|$", text, re.MULTILINE))
    assert {"Tool", "Licence", "Script", "Needs"} <= set(rows)
    scripts = sorted(path.name for path in (GOLDEN / folder).glob("make_*.py"))
    assert re.findall(r"make_\w+\.py", rows["Script"]) == scripts or folder in BY_HAND
    for path in filter(Path.is_file, (GOLDEN / folder).iterdir()):
        assert path.suffix != ".py" or f"`{path.name}`" in rows["Script"]
        assert path.suffix not in FIGURES or f"`{path.name}`" in text
        made = re.search(r'"made_by": ?"([^"]+)"', path.read_text("utf-8", "replace"))
        if path.suffix == ".json" and made:
            for part in made[1].split(", "):  # a tool with its version
                assert part in rows["Tool"]


def test_every_folder_of_golden_figures_is_listed_and_read() -> None:
    assert {path.name for path in GOLDEN.iterdir() if path.is_dir()} - {"__pycache__"} == set(
        FOLDERS
    )
    text = (GOLDEN / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\[.+?) \| .+ \| (.+) \|$", text, re.MULTILINE)
    assert sorted(name for first, _ in rows for name in re.findall(r"\[(\w+)\]", first)) == FOLDERS
    for first, readers in rows:
        for reader in re.findall(r"`(tests/[\w/]+\.py)`", readers):
            content = (REPOSITORY / reader).read_text("utf-8")
            assert any(name in content for name in re.findall(r"\[(\w+)\]", first)), (first, reader)


@pytest.mark.parametrize("script", ["sound_events/make_scenes.py", "samples/make_samples.py"])
def test_inputs_of_the_tools_are_made_again_to_the_byte(script: str) -> None:
    path = GOLDEN / script
    done = subprocess.run([sys.executable, str(path)], capture_output=True, check=True)
    assert done.stdout == (path.parent / f"{path.stem.removeprefix('make_')}.json").read_bytes()


def test_golden_figures_are_small() -> None:
    sizes = [path.stat().st_size for path in GOLDEN.rglob("*") if path.suffix in FIGURES]
    assert len(sizes) >= len(FOLDERS) and sum(sizes) < 1_500_000


# -- the repository alone ----------------------------------------------------------------------


def test_no_file_names_a_path_of_a_machine() -> None:
    """Examples say ``/path/to``."""
    found = [fault for name, text in tracked() for fault in faults(MACHINE, name, text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Path("/' + 'work/data")', True),
        ("written to /" + "home/me/x.csv", True),
        ("C:" + "\\Users\\me", True),
        ("#!/usr/bin/env bash", False),
        ("/path/to/data, docs/data/x, https://a.b/data/c, a /datasets/ b, {root}/data", False),
    ],
)
def test_paths_of_machines_are_known(text: str, found: bool) -> None:
    assert bool(faults(MACHINE, "file", text)) == found


def test_tests_look_outside_at_one_place_only() -> None:
    """Recordings whose licences keep them out; what they test is tested without them, too."""
    found = [fault for name, text in tracked("tests/*.py") for fault in faults(OUTSIDE, name, text)]
    own = Path(__file__).name
    assert {line.partition(":")[0] for line in found} - {f"tests/{own}"} == {"tests/recordings.py"}


def test_nothing_is_timed() -> None:
    """Machines differ: tests count calls and wait for events, benchmarks measure."""
    texts = (
        (name, text)
        for name, text in tracked("tests/*.py")
        if name != f"tests/{Path(__file__).name}"
    )
    assert [fault for name, text in texts for fault in faults(TIMED, name, text)] == []
