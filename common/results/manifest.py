"""What result rows were made from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.documents import read_json
from ..core.errors import ConfigError

FORMAT = "3"
#: what a model and a cell may hold, where it is there; ``id`` and ``hash`` must be
_MODEL: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "version", "fingerprint", "label", "adapter", "license"), (str,)),
    **dict.fromkeys(("author", "source", "description"), (str,)),
    "sampling_rate": (int, float),
    "chance": (bool,),
}
_CELL: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("hash", "data", "status", "sums", "sums_digest"), (str,)),
    **dict.fromkeys(("figures", "details", "drawn", "made_of"), (dict,)),
    "rows": (int,),
    "missing": (list,),
}


@dataclass
class Manifest:
    """What the rows of one (target, model) were made from.

    Args:
        target: id of the target
        model: id and version, fingerprint, label and facts of the model
        cells: ``test/dataset`` -> hash of all that the rows depend on, and details
        not_run: ``test/dataset`` -> reason
        tables: test -> SHA-256 of its result file
        environment: versions of the packages that decide about numbers
        seed: seed of the run
    """

    target: str
    model: dict[str, Any]
    seed: int = 0
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    format: str = FORMAT

    def to_json(self) -> str:
        """Deterministic text form."""
        content = {
            "format": self.format,
            "target": self.target,
            "model": self.model,
            "seed": self.seed,
            "environment": self.environment,
            "cells": dict(sorted(self.cells.items())),
            "not_run": dict(sorted(self.not_run.items())),
            "tables": dict(sorted(self.tables.items())),
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Manifest | None:
        """Manifest of a file; None if there is none or it is of another format or broken."""
        try:
            content = read_json(path)
            if content.pop("format") != FORMAT:
                return None
            manifest = cls(**content)
        except (ConfigError, TypeError, KeyError, AttributeError):
            return None
        return manifest if manifest.is_sound() else None

    def noted(self, kind: str) -> dict[str, dict[str, str]]:
        """What is noted about the files of a kind, ``figures`` or ``details``: test -> file -> text."""
        texts: dict[str, dict[str, str]] = {}
        for key, cell in self.cells.items():
            texts.setdefault(key.split("/")[0], {}).update(cell.get(kind, {}))
        return texts

    def is_sound(self) -> bool:
        """Whether everything in it, which others may have written, is of the right kind."""
        texts = (self.not_run, self.tables, self.environment)
        return (
            isinstance(self.target, str)
            and type(self.seed) is int
            and _are_texts(*texts)
            and _fits(self.model, "id", _MODEL)
            and isinstance(self.cells, dict)
            and all(_is_cell(cell) for cell in self.cells.values())
        )


def _are_texts(*parts: Any) -> bool:
    """Whether all are mappings to texts."""
    return all(
        isinstance(part, dict) and all(type(value) is str for value in part.values())
        for part in parts
    )


def _fits(content: Any, needed: str, kinds: dict[str, tuple[type, ...]]) -> bool:
    """Whether content is a mapping that has a key, with values of the right kinds."""
    return (
        isinstance(content, dict)
        and needed in content
        and all(type(value) in kinds.get(key, (type(value),)) for key, value in content.items())
    )


def _is_cell(cell: Any) -> bool:
    if not _fits(cell, "hash", _CELL):
        return False
    drawn, of = cell.get("drawn", {}), cell.get("made_of", {})
    return (
        _are_texts(cell.get("figures", {}), cell.get("details", {}), drawn.get("files", {}))
        and isinstance(drawn.get("source", ""), str)
        and _are_texts(of.get("perturbations", {}))
        and all(type(name) is str for name in cell.get("missing", ()))
    )
