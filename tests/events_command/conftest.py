"""Runs the command ``events`` on small lists, through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from common.cli import main

#: two recordings with three events, and a third without
TRUTH = "a.wav\t0.0\t2.0\tdog\na.wav\t5.0\t6.0\tcat\nb.wav\t1.0\t3.0\tdog\nc.wav\n"
#: the first event is found, the second taken for another label, the third missed; one is invented
ESTIMATE = "a.wav\t0.1\t2.1\tdog\na.wav\t5.0\t6.1\tdog\nc.wav\t4.0\t5.0\tcat\n"
DURATIONS = "filename\tduration\na.wav\t10\nb.wav\t10\nc.wav\t10\n"


class Folder:
    """A folder with lists, and the command that scores them."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]):
        self.path = path
        self._capsys = capsys
        for name, text in (("truth.txt", TRUTH), ("est.txt", ESTIMATE), ("dur.tsv", DURATIONS)):
            self.write(name, text)

    def write(self, name: str, text: str) -> Path:
        """Write a file, and return its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def run(self, *words: str, truth: str = "truth.txt", durations: str | None = "dur.tsv") -> Any:
        """Exit code, standard output and standard error of ``events``.

        Words with ``@`` in front are files of the folder.
        """
        given = ["--truth", f"@{truth}"]
        given += ["--durations", f"@{durations}"] if durations else []
        arguments = [
            str(self.path / word[1:]) if word.startswith("@") else word for word in [*given, *words]
        ]
        code = main.main(["events", "--output", str(self.path / "out"), *arguments])
        out, err = self._capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    def json(self, *words: str, **options: Any) -> dict[str, Any]:
        """The answer of a run that must succeed."""
        done = self.run(*words, "--json", **options)
        assert done.code == main.OK, done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    def refused(self, *words: str, **options: Any) -> str:
        """The one line of a run that must be refused."""
        done = self.run(*words, **options)
        assert done.code == main.USAGE, done.out
        assert not done.out
        (line,) = done.err.splitlines()
        return line.removeprefix("error: ").replace(f"{self.path}/", "")


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    """A folder with ``truth.txt``, ``est.txt`` and ``dur.tsv``."""
    return Folder(tmp_path, capsys)


@pytest.fixture
def scores(folder: Folder) -> Callable[..., None]:
    """Writes frame scores of 1 s for the three recordings into ``scores/``."""

    def write(**columns: dict[str, list[float]]) -> None:
        for file in ("a", "b", "c"):
            values = columns.get(file, {"cat": [0.1] * 10, "dog": [0.1] * 10})
            lines = ["onset\toffset\t" + "\t".join(values)]
            for at in range(10):
                cells = "\t".join(str(column[at]) for column in values.values())
                lines.append(f"{at}\t{at + 1}\t{cells}")
            folder.write(f"scores/{file}.tsv", "\n".join(lines) + "\n")

    return write
