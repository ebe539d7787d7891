"""What a user asks for when data are imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import ConfigError
from ...core.names import unusable
from ...core.registry import unknown
from ...spec import ID_PATTERN
from . import conventions

#: all parts of a corpus
ALL = "all"


@dataclass(frozen=True)
class ImportRequest:
    """Where data are, and what is said about them.

    Args:
        source: folder or file, resolved
        audio: folder for audio that has to be written as files, such as that of archives
        columns: name in the suite -> column of the data; the others are guessed
        part: part of the corpus, ``all``, or empty for that of the paper
        encoding: of texts; UTF-8 if empty
    """

    source: Path
    audio: Path
    columns: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    encoding: str = ""

    def key(self, name: str, there: Iterable[str]) -> str:
        """Column of the data that holds file, start or end; empty if there is none.

        Raises:
            ConfigError: if the column that was asked for is not there
        """
        names = list(there)
        if name not in self.columns:
            return conventions.load().key(name, names)
        if self.columns[name] not in names:
            raise unknown("column", self.columns[name], names, f"--columns {name}")
        return self.columns[name]

    def chosen(self, parts: Mapping[Path, str]) -> tuple[list[Path], list[str]]:
        """Files of the part that is asked for: without a wish, the test part if there is one.

        Args:
            parts: file -> part of the data that it holds; empty: there are no parts

        Returns:
            the files, and a note if some are left out

        Raises:
            ConfigError: if there is no such part
        """
        names = sorted({name for name in parts.values() if name})
        if self.part not in ("", ALL, *names):
            raise unknown("part", self.part, (ALL, *names), "--split")
        part = self.part or ("test" if "test" in names and len(names) > 1 else ALL)
        if part == ALL:
            return list(parts), []
        note = f"takes the part '{part}' of {', '.join(names)}; --split all takes all"
        return [path for path in parts if parts[path] == part], [note]


def check_id(name: str) -> None:
    """Refuse what cannot be an id.

    Args:
        name: what ``--as`` says, or the name of the data without it

    Raises:
        ConfigError: if it is none

    >>> check_id("nul")
    Traceback (most recent call last):
    ...
    common.core.errors.ConfigError: --as nul: this id is the name of a device on Windows; choose another one
    """
    if not re.match(ID_PATTERN, name):
        raise ConfigError(f"--as {name}: an id holds letters, digits, '.', '_' and '-' only")
    reason = unusable(name)
    if reason:
        raise ConfigError(f"--as {name}: this id {reason}; choose another one")


def parse_columns(texts: Iterable[str], *, empty: bool = False) -> dict[str, str]:
    """``--columns`` as a mapping.

    Args:
        texts: one or more NAME=COLUMN each
        empty: whether COLUMN may be empty, for no column

    Raises:
        ConfigError: if a part is not NAME=COLUMN or a name stands there twice

    >>> parse_columns(["emotion=label,speaker=spk"])
    {'emotion': 'label', 'speaker': 'spk'}
    """
    columns: dict[str, str] = {}
    for text in texts:
        for part in text.split(","):
            name, equals, column = (piece.strip() for piece in part.partition("="))
            if not (name and equals and (column or empty)):
                raise ConfigError(f"--columns {part}: expected NAME=COLUMN, such as emotion=label")
            if name in columns:
                raise ConfigError(f"--columns: '{name}' is given twice")
            columns[name] = column
    return columns
