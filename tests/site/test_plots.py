"""Plots of prose pages that several processes draw."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from common.core import paths

BUILD = """
import sys
from sphinx.application import Sphinx
folder, workers = sys.argv[1:]
settings = {
    "extensions": ["benchmark_site", "matplotlib.sphinxext.plot_directive"],
    "plot_formats": [("png", 30)], "drawing_workers": int(workers), "exclude_patterns": ["out"],
}
Sphinx(folder, None, f"{folder}/out/html", f"{folder}/out/memory/trees", "html", settings,
       status=None, parallel=0).build()
"""
PLOT = """
.. plot::
   :alt: a line

   import os
   from pathlib import Path
   import matplotlib.pyplot as plt
   with Path({notes!r}).open("a") as file:
       file.write(f"{name} {{os.getpid()}}\\n")
   plt.plot([0, {name}])
"""


class Pages:
    """Three pages, of which two have three plots each."""

    def __init__(self, folder: Path):
        self.folder, self.notes = folder / "docs", folder / "notes.txt"
        self.folder.mkdir()
        self.write("index", "Text.\n\n.. toctree::\n\n   b\n   c\n")
        for page, first in (("b", 1), ("c", 4)):
            plots = (PLOT.format(notes=str(self.notes), name=first + n) for n in range(3))
            self.write(page, "".join(plots))

    def write(self, page: str, text: str) -> None:
        (self.folder / f"{page}.rst").write_text(f"{page}\n=\n\n{text}")

    def build(self, workers: int) -> tuple[int, str, dict[str, bytes]]:
        """Process and messages of Sphinx, and all pages and pictures."""
        path = os.pathsep.join([str(paths.DOCS / "_ext"), str(paths.REPOSITORY)])
        process = subprocess.Popen(
            [sys.executable, "-c", BUILD, str(self.folder), str(workers)],
            env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg"},
            stderr=subprocess.PIPE,
            text=True,
        )
        messages = process.communicate()[1]
        assert process.returncode == 0, messages
        html = self.folder / "out" / "html"
        return (
            process.pid,
            messages,
            {
                path.name: path.read_bytes()
                for path in html.rglob("*")
                if path.suffix in (".html", ".png")
            },
        )

    def drawn(self) -> list[tuple[int, int]]:
        """Plots, each with the process that drew it."""
        lines = [line.split() for line in self.notes.read_text().splitlines()]
        self.notes.unlink()
        return sorted((int(name), int(process)) for name, process in lines)


@pytest.fixture
def prose(tmp_path: Path) -> Pages:
    return Pages(tmp_path)


def test_each_plot_is_drawn_once_and_the_pages_are_the_same(prose: Pages, tmp_path: Path) -> None:
    pid, _, several = prose.build(2)
    drawn = prose.drawn()
    assert [plot for plot, _ in drawn] == [1, 2, 3, 4, 5, 6]
    processes = {process for _, process in drawn}
    assert len(processes) == 2 and pid not in processes
    (tmp_path / "other").mkdir()
    other = Pages(tmp_path / "other")
    pid, _, alone = other.build(1)
    assert {process for _, process in other.drawn()} == {pid}
    assert several.keys() == alone.keys()
    pictures = [name for name in alone if name.endswith(".png")]
    assert len(pictures) >= 6
    assert all(several[name] == alone[name] for name in pictures)


def test_few_plots_are_drawn_where_the_pages_are_read(prose: Pages) -> None:
    prose.write("c", "Text.\n")
    pid, _, _ = prose.build(2)
    assert {process for _, process in prose.drawn()} == {pid}


def test_what_is_wrong_with_a_plot_is_said_once(prose: Pages) -> None:
    with (prose.folder / "b.rst").open("a") as file:
        file.write("\n.. plot::\n\n   raise ValueError('no such line')\n")
    _, messages, pages = prose.build(2)
    assert len(re.findall("ValueError: no such line", messages)) == 1
    assert "c.html" in pages
    assert {1, 2, 3, 4, 5, 6} == {plot for plot, _ in prose.drawn()}


#: a page whose first drawing ends the process that draws it, in the middle of a file
DYING = """
.. plot::

   import os, signal
   from pathlib import Path
   import matplotlib.pyplot as plt
   mark = Path({mark!r})
   if not mark.exists():
       mark.touch()
       plt.plot([0, 1])
       place = Path({folder!r}, "out", "memory", "plot_directive")
       place.mkdir(parents=True, exist_ok=True)
       place.joinpath("c-1.png").write_bytes(b"half")
       os.kill(os.getpid(), signal.SIGKILL)
   plt.plot([0, 1])
"""


def test_a_killed_process_costs_time_and_nothing_else(prose: Pages, tmp_path: Path) -> None:
    text = DYING.format(mark=str(tmp_path / "mark"), folder=str(prose.folder))
    page = (prose.folder / "c.rst").read_text().partition("\n\n")[2]
    prose.write("c", text + page)
    _, messages, pages = prose.build(2)
    assert (tmp_path / "mark").exists() and messages == ""
    prose.drawn()
    (tmp_path / "other").mkdir()
    other = Pages(tmp_path / "other")
    other.write("c", text + page)
    _, _, alone = other.build(1)
    pictures = [name for name in alone if name.endswith(".png")]
    assert len(pictures) >= 7 and b"half" not in alone.values()
    assert all(pages[name] == alone[name] for name in pictures)
