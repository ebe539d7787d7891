"""Where an entry stands, in messages of the command line.

Messages about an entry name its file without folders, because they become result rows, which must not depend on
the machine (:func:`common.models.base.place`). Who reads a message on this machine wants the path that he typed.
"""

from __future__ import annotations

import re
from typing import Any


class Places:
    """Puts the folder, as it was typed, before the file of each entry of a user's catalog."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}

    def learn(self, benchmark: Any) -> None:
        """Note where the models of a benchmark stand."""
        from ..models.base import place

        for entry in benchmark.models.values():
            if not entry.builtin:
                bare = place(entry)
                path = bare.replace(entry.origin.name, str(entry.origin), 1)
                self._paths[bare] = path

    def __call__(self, text: str) -> str:
        r"""A message with the paths.

        >>> places = Places()
        >>> places._paths["models.yaml: model 'a'"] = "mine/models.yaml: model 'a'"
        >>> places("models.yaml: model 'a': path: no such file")
        "mine/models.yaml: model 'a': path: no such file"
        >>> places("else/models.yaml: model 'a': path: no such file")
        "else/models.yaml: model 'a': path: no such file"
        """
        for bare, path in self._paths.items():
            if bare in text:
                text = path.join(re.split(rf"(?<![\w/\\]){re.escape(bare)}", text))
        return text
