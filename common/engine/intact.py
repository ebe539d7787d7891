"""Whether files of results are as a run wrote them. Those that are not are made again by the next run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core import provenance
from ..core.paths import Paths
from ..figures.drawing import Drawn
from ..results.keys import CellKey
from ..results.manifest import Manifest


def is_intact(noted: Mapping[str, Any], folders: Paths, key: CellKey) -> bool:
    """Whether figures, details and sums of a cell are there and hold what was written.

    Args:
        noted: what its manifest notes
        folders: where results are
        key: the cell
    """
    folder = folders.figures(key.target, key.model, key.test)
    details = noted.get("details", {})
    return (
        Drawn.of(noted).lie_in(folder)
        and all(_text_digest(folder / name) == digest for name, digest in details.items())
        and ("sums" not in noted or _digest(folders.sums(*key)) == noted.get("sums_digest"))
    )


def alternatives(manifest: Manifest, folders: Paths) -> dict[Path, str]:
    """Files beside the figures with a text for each, and what is in them.

    Args:
        manifest: notes the texts
        folders: where results are
    """
    texts = {}
    for test, noted in manifest.noted("figures").items():
        if noted:
            path = folders.figures(manifest.target, str(manifest.model["id"]), test) / "alt.json"
            text = json.dumps(noted, indent=1, ensure_ascii=False, sort_keys=True)
            texts[path] = text + "\n"
    return texts


def holds(path: Path, text: str) -> bool:
    """Whether a file is there and holds a text."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _digest(path: Path) -> str | None:
    """SHA-256 of a file; None if it cannot be read."""
    try:
        return provenance.file_digest(path)
    except OSError:
        return None


def _text_digest(path: Path) -> str | None:
    """Short hash of the text of a file; None if it cannot be read as text."""
    try:
        return provenance.digest(path.read_bytes().decode())
    except (OSError, ValueError):
        return None
