"""What the pages of each target were made from, so that unchanged ones are not made again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from benchmark_site.content import Content
from common.core import files, paths
from common.core.mirror import contents, stats
from common.pages import identity

#: folders whose content decides about the pages of all targets, besides the code that makes them
SHOWN = (paths.DOCS / "_templates" / "pages", paths.PUBLISHED)


class Memory:
    """Remembers per target a hash of all inputs and the documents that came out.

    Args:
        content: what the pages show
        file: where to remember
    """

    def __init__(self, content: Content, file: Path):
        self.content = content
        self.file = file
        self._common = _hash(
            [
                identity.results_code(),
                [contents(folder) for folder in SHOWN],
                repr(content.benchmark),
                sorted(content.method_pages),
                [
                    [target, [m.slug for m in content.models(target)], [b.tests for b in boards]]
                    for target, boards in content.boards.items()
                ],
            ]
        )
        try:
            self._known: dict[str, Any] = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            self._known = {}
        file.unlink(missing_ok=True)
        self._made: dict[str, Any] = {}

    def key(self, target: str) -> str:
        """Hash of everything that the pages of a target are made from."""
        folders = self.content.paths
        runs = contents(folders.method_tests / target)
        people = folders.human.read_text("utf-8") if folders.human.exists() else ""
        stale = [
            [*key, list(why["reasons"])]
            for key, why in self.content.stale.items()
            if key.target == target
        ]
        return _hash([stale, self._common, runs, people, stats(folders.media / target)])

    def known(self, target: str) -> list[str]:
        """Documents of a target if they need not be made again, else an empty list."""
        entry = self._known.get(target, {})
        if entry.get("key") != self.key(target):
            return []
        self._made[target] = entry
        documents: list[str] = entry["documents"]
        return documents

    def keep(self, target: str, documents: list[str]) -> None:
        """Remember the documents of a target."""
        self._made[target] = {"key": self.key(target), "documents": documents}

    def write(self) -> None:
        """Write what is remembered; called when all pages are written."""
        files.write_text(self.file, json.dumps(self._made))


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
