"""Files of results that are not as a run wrote them: pages leave out what they hold, or show something else."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core import advice, provenance
from ..core.checksums import Checksums
from ..core.paths import SUMS, Paths
from ..core.wording import counted
from . import dataset_facts
from .history import unread
from .manifest import Manifest

#: endings of media that pages are made from, or that they load
READ = (".json", ".js")
STATE = "is not as it was written"
#: manifest of each own model by its file; None where it cannot be read
Noted = Mapping[Path, Manifest | None]


def manifests(folders: Paths) -> dict[Path, Manifest | None]:
    """Manifest of each own model by its file; None where it cannot be read."""
    paths = sorted(folders.method_tests.glob("*/*/manifest.json"))
    return {path: Manifest.read(path) for path in paths}


def remarks(folders: Paths, noted: Noted, digests: Mapping[str, str]) -> list[str]:
    """One line for each model, and for other files, with the command that makes them again.

    Sounds, pictures and figures are heard and seen by the reader; to look at all of them takes longer than all else.

    Args:
        folders: where results are
        noted: as :func:`manifests` gives them
        digests: name below ``method-tests/`` -> SHA-256 of the file
    """
    others = [*dataset_facts.damaged(folders), *Checksums(folders.media).damaged(*READ)]
    again = advice.command("run")
    lines = [f"{path}: {STATE}; make it again with: {again}" for path in others]
    return of_models(noted, digests) + lines


def of_models(noted: Noted, digests: Mapping[str, str]) -> list[str]:
    """One line for each model whose tables or sums are not as they were written.

    Args:
        noted: as :func:`manifests` gives them
        digests: name below ``method-tests/`` -> SHA-256 of the file
    """
    lines = []
    for path, manifest in noted.items():
        target, model = path.parent.parent.name, path.parent.name
        if manifest is None:
            lines.append(unread(path))
            continue
        written = _written(manifest).items()
        below = f"{target}/{model}"
        altered = [name for name, digest in written if digests.get(f"{below}/{name}") != digest]
        if altered:
            first, count = altered[0], len(altered)
            state = STATE if f"{below}/{first}" in digests else "is missing"
            again = advice.command("run", "--model", model, "--target", target)
            more = "" if count == 1 else f" (and {counted(count - 1, 'more file')} beside it)"
            lines.append(f"{path.parent / first}: {state}{more}; make it again with: {again}")
    return lines


def digests(noted: Noted) -> dict[str, str]:
    """SHA-256 of the tables and sums that manifests name, by name below ``method-tests/``; of those that can be read."""
    digests = {}
    for path, manifest in noted.items():
        for name in _written(manifest) if manifest is not None else ():
            with contextlib.suppress(OSError):
                below = f"{path.parent.parent.name}/{path.parent.name}/{name}"
                digests[below] = provenance.file_digest(path.parent / name)
    return digests


def _written(manifest: Manifest) -> dict[str, Any]:
    """SHA-256 of each table and each file of sums of a model by its name in the folder of the manifest."""
    files: dict[str, Any] = {f"{test}.csv": digest for test, digest in manifest.tables.items()}
    for cell in manifest.cells.values():
        if "sums" in cell:
            files[f"{SUMS}/{cell['sums']}"] = cell.get("sums_digest")
    return files
