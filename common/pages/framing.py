"""Frames of pages: what Sphinx makes of texts, and patterns of the frames of generated pages.

What Sphinx remembers of a build are pickles, and loading a pickle can run any code. An output
folder may come from anybody, so they lie in the cache folder, which is the user's own.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..core import files, paths, processes, provenance
from ..core.documents import parse_json
from ..core.errors import BenchmarkError, OutputError
from ..core.mirror import stats
from ..core.paths import Paths
from ..core.wording import counted

#: folder in the cache, with a folder for each website
MEMORY = "site"
#: what is remembered of a website: frames, what they were made from, what pages were filled with
FRAMES, GIVEN, FILLED = "frames", "given.json", "filled.json"
LEVEL = re.compile(r"(^|: )(WARNING|ERROR|CRITICAL|SEVERE): ")
LONGEST = 300
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

#: takes a stage, how much of it is done, and how much there is
Progress = Callable[[str, int, int], None]


class FrameMaker:
    """Lets Sphinx make frames, unless they are made from what there is.

    It needs nothing of the pages of results, so a copy of this process calls it while these are made.

    Args:
        folders: where the website is built
        workers: as :func:`common.pages.rendering.render`
        key: hash of all that frames are made from
        intact: whether the website is as it was left
        places: where the parts of pages lie
    """

    def __init__(self, folders: Paths, workers: int, key: str, *, intact: bool, places: Any):
        self._folders, self._key = folders, key
        self._last = _remembered(folders)
        if not intact:
            self._last = {}
        self._run = partial(_sphinx, folders, workers)
        self._early: processes.Fork[set[str]] | None = None
        if self._last.get("key") == key:
            return
        extension("site_frame.filling").forget_lost(places)
        (memory(folders) / GIVEN).unlink(missing_ok=True)
        if workers > 1 and processes.can_fork():
            self._early = processes.Fork(self._run, daemon=False)

    def __enter__(self) -> FrameMaker:
        return self

    def __exit__(self, *error: object) -> None:
        if self._early is not None:
            self._early.close()

    def make(self, progress: Progress) -> set[str]:
        """Bring frames up to date; returns the names of all texts.

        Args:
            progress: gets a stage, how much of it is done, and how much there is

        Raises:
            OutputError: if Sphinx has a warning, with one line for each, or cannot go on
        """
        if self._last.get("key") == self._key:
            return set(self._last["texts"])
        return self._run(progress) if self._early is None else self._early.result(progress)

    def note(self, texts: Iterable[str]) -> None:
        """Note what the frames that are there were made from.

        Args:
            texts: names of all texts
        """
        note = {"key": self._key, "texts": sorted(texts), "frames": _frames(self._folders)}
        files.keep(memory(self._folders) / GIVEN, json.dumps(note))


def _remembered(folders: Paths) -> dict[str, Any]:
    """What is noted of the frames that are there; nothing if they are not as they were left.

    Such frames are made again, with all that Sphinx knows.
    """
    try:
        text = (memory(folders) / GIVEN).read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        text = ""
    try:
        note = parse_json(text)
        if note["frames"] == _frames(folders):
            return {"key": note["key"], "texts": list(note["texts"])}
    except (ValueError, LookupError, TypeError):
        pass  # it was altered, or an earlier version wrote it
    forget(folders)
    return {}


def _frames(folders: Paths) -> str:
    """Hash of names, sizes and times of all frames."""
    return provenance.digest(stats(memory(folders) / FRAMES))


def _sphinx(folders: Paths, workers: int, progress: Progress) -> set[str]:
    """Run Sphinx in this process.

    Args:
        folders: where the website is built
        workers: as :class:`FrameMaker`
        progress: as :meth:`FrameMaker.make`

    Returns:
        names of all texts
    """
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    # matplotlib copies it after the pages are written; lying there before, it would get a
    # checksum in their heads, and a second build would differ from the first
    (folders.html / "_static" / "plot_directive.css").unlink(missing_ok=True)
    warnings = io.StringIO()
    with faults(folders), patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=folders.source,
            confdir=paths.DOCS,
            outdir=folders.html,
            doctreedir=doctrees(folders),
            buildername="html",
            status=None,
            warning=warnings,
            warningiserror=True,
            confoverrides={"drawing_workers": workers},
        )
        extension("site_frame.frames").tell(app, progress)
        app.build()
        documents = set(app.env.found_docs)
    lines = _lines(warnings.getvalue(), folders)
    if lines:
        forget(folders)
        raise OutputError(f"website: {counted(len(lines), 'warning')} from Sphinx", *lines)
    return documents


def extension(name: str) -> Any:
    """Module of our extensions of Sphinx, which lie beside the texts."""
    place = str(paths.DOCS / "_ext")
    if place not in sys.path:
        sys.path.insert(0, place)
    return importlib.import_module(name)


@contextlib.contextmanager
def faults(folders: Paths) -> Iterator[None]:
    """Forget what an interrupted build left behind, and say in one line what Sphinx says."""
    try:
        yield
    except Exception as error:
        from sphinx.errors import ExtensionError, SphinxError

        forget(folders)
        if isinstance(error, ExtensionError):
            cause = error.orig_exc
            if isinstance(cause, BenchmarkError | ImportError | OSError | MemoryError):
                raise cause from None
            raise
        if isinstance(error, SphinxError):
            raise OutputError(f"website: {error}") from None
        raise


def forget(folders: Paths) -> None:
    """Make Sphinx read all pages again.

    It does not repeat a warning about a page that it knows, trusts what an interrupted build
    left behind, and remembers where the repository lay.
    """
    for folder in (doctrees(folders), memory(folders) / FRAMES):
        shutil.rmtree(folder, ignore_errors=True)
    for name in (GIVEN, FILLED):
        (memory(folders) / name).unlink(missing_ok=True)


def _lines(text: str, folders: Paths) -> list[str]:
    """Warnings, one line each, with paths as the writer of a page knows them."""
    warnings: list[str] = []
    for line in ESCAPES.sub("", text).replace(f"{folders.source}/", "docs/").splitlines():
        if LEVEL.search(line) or not warnings:
            warnings.append(line)
        else:
            warnings[-1] += f" {line.strip()}"
    return [textwrap.shorten(line, LONGEST, placeholder=" ...") for line in warnings]


def memory(folders: Paths) -> Path:
    """Where Sphinx keeps what it knows about the website of an output folder."""
    return folders.cache / MEMORY / provenance.digest(str(folders.output))


def doctrees(folders: Paths) -> Path:
    """What Sphinx knows about the pages."""
    return memory(folders) / "doctrees"
