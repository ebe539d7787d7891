"""Names of recordings, where lists of a system and of the truth write them differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from ...core.errors import DataError
from ...samples.event_lists import EventTable


class Names:
    """Completes names without extension or folder.

    Args:
        files: the complete names

    >>> names = Names(["audio/a.wav", "audio/b.wav"])
    >>> names.of("a"), names.of("a.wav"), names.of("c")
    ('audio/a.wav', 'audio/a.wav', 'c')
    """

    def __init__(self, files: Sequence[str]):
        self.files = tuple(files)
        self._whole = set(files)
        self._short: dict[str, set[str]] = {}
        for file in files:
            path = PurePosixPath(file)
            for short in {path.stem, path.name, str(path.with_suffix(""))} if file else set():
                self._short.setdefault(short, set()).add(file)

    def of(self, name: str, where: str = "") -> str:
        """The complete name; the name itself if it stands for none.

        Raises:
            DataError: if it may stand for several
        """
        if name in self._whole:
            return name
        path = PurePosixPath(name)
        for short in dict.fromkeys((name, path.name, path.stem)):
            matches = sorted(self._short.get(short, ()))
            # a name with another extension is another recording
            if short != name and path.suffix and matches and not self._same_ending(path, matches):
                continue
            if len(matches) > 1:
                shown = " or ".join(matches[:3])
                raise DataError(f"{where}: recording '{name}' is ambiguous: {shown}")
            if matches:
                return matches[0]
        return name

    @staticmethod
    def _same_ending(path: PurePosixPath, files: Sequence[str]) -> bool:
        return all(path.suffix == PurePosixPath(file).suffix for file in files)

    def complete(self, table: EventTable, *, alone: str | None = None) -> EventTable:
        """The table with complete names.

        Args:
            table: rows of event lists
            alone: the recording of rows that name none; None: they stay without
        """
        names: dict[str | None, str | None] = {None: alone}
        values = []
        for at, name in enumerate(table.file):
            if name not in names:
                names[name] = self.of(name, table.place(at))
            values.append(names[name])
        file = np.empty(len(values), dtype=object)
        file[:] = values
        return EventTable(file, table.onset, table.offset, table.label, table.row, table.source)
