"""What is held against a parser: its own deeds, and nothing that happens beside it."""

from __future__ import annotations

import gc
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from common.core.errors import BenchmarkError
from tests.fuzzing import oracle
from tests.fuzzing.parsers import FuzzedParser


def judged(read: Callable[[Path], object], folder: Path) -> str:
    """What is said of a parser that reads one file."""
    files = {"a.txt": b"1"}
    return oracle.check(FuzzedParser(read, lambda: files), folder, files)


def test_what_is_written_outside_of_the_folder_is_noticed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    with pytest.raises(AssertionError, match=f"open {outside}"):
        judged(lambda folder: outside.write_bytes(b""), tmp_path)


def test_what_is_written_into_the_folder_is_not(tmp_path: Path) -> None:
    assert judged(lambda folder: (folder / "inside").write_bytes(b""), tmp_path) == ""


def test_a_message_of_two_lines_is_noticed(tmp_path: Path) -> None:
    def read(folder: Path) -> None:
        error = BenchmarkError("a line")
        error.args = ("a line\nanother",)
        raise error

    with pytest.raises(AssertionError, match="control character"):
        judged(read, tmp_path)


def test_garbage_that_others_left_is_not_held_against_a_parser(tmp_path: Path) -> None:
    class Owner:
        """Has a folder that goes with it, and is found only when garbage is collected."""

        def __init__(self, folder: Path):
            self.itself = self
            folder.mkdir()
            weakref.finalize(self, shutil.rmtree, folder)

    folder = tmp_path / "of-an-earlier-test"
    Owner(folder)
    assert judged(lambda place: [[] for _ in range(100_000)], tmp_path) == ""
    gc.collect()
    assert not folder.exists()
