"""What result rows were made from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.documents import parse_json

FORMAT = "3"


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
            content = parse_json(path.read_text("utf-8"))
            if content.pop("format") != FORMAT:
                return None
            return cls(**content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
