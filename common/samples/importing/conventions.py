"""How data in the wild name columns, labels and licences (``conventions.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pydantic

from ...core import paths
from ...core.errors import ConfigError
from ...spec import Record, read_yaml

#: endings of files that are taken for audio
AUDIO = frozenset(
    (".aac", ".aif", ".aiff", ".amr", ".flac", ".m4a", ".mp3", ".mp4", ".ogg", ".opus", ".wav")
)

_CC = re.compile(r"CC[ -]BY(?:[ -](NC))?(?:[ -](SA|ND))?[ -](\d\.\d)(?!\d)", re.IGNORECASE)
_OTHER = {
    "CC0-1.0": re.compile(r"\bCC0\b|\bCC-?0[ -]1\.0", re.IGNORECASE),
    "MIT": re.compile(r"\bMIT\b"),
    "Apache-2.0": re.compile(r"\bApache[ -](?:Licen[cs]e,? )?(?:Version )?2\.0", re.IGNORECASE),
    "ODbL-1.0": re.compile(r"\bODbL\b", re.IGNORECASE),
}
_STATEMENT = re.compile(r"licen[cs]ed?\b\W{0,12}(?:under |the |is |data\W+)*([^\n;(]{2,60})", re.I)


class Conventions(Record):
    """Content of ``conventions.yaml``."""

    columns: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, Mapping[str, tuple[str, ...]]]
    keys: Mapping[str, tuple[str, ...]]

    def column(self, name: str, there: Iterable[str]) -> str:
        """What a column of the suite is called among the columns of a table, else empty."""
        return _first(self.columns.get(name, (name,)), there)

    def key(self, name: str, there: Iterable[str]) -> str:
        """What file, start or end are called among the columns of a table, else empty."""
        return _first(self.keys.get(name, (name,)), there)

    def mapping(self, column: str, labels: Iterable[str]) -> dict[str, str]:
        """Labels in the data -> labels of the suite, where they differ.

        >>> load().mapping("sex", ["F", "male", "x"])
        {'F': 'female'}
        """
        names = {
            synonym: label
            for label, synonyms in self.synonyms.get(column, {}).items()
            for synonym in (label, *synonyms)
        }
        suite_labels = {label: names.get(label.lower(), label) for label in labels}
        return {old: new for old, new in suite_labels.items() if old != new}

    def share(self, column: str, labels: Iterable[str]) -> float:
        """Share of the different labels that are labels of a column, or other words for them.

        >>> load().share("sex", ["F", "male", "x", "y"])
        0.5
        """
        synonyms = self.synonyms.get(column, {}).items()
        words = {word for label, others in synonyms for word in (label, *others)}
        there = {label.lower() for label in labels}
        return len(there & words) / len(there) if there else 0.0


def _first(names: Iterable[str], there: Iterable[str]) -> str:
    """First name that is there, however it is written, as it is written there; else empty.

    >>> _first(["speaker_id"], ["file", "Speaker ID"]), _first(["my-target"], ["my-target"])
    ('Speaker ID', 'my-target')
    """
    columns = {_plain(column): column for column in reversed(list(there))}
    return next((columns[_plain(name)] for name in names if _plain(name) in columns), "")


def _plain(name: str) -> str:
    """A name in small letters, its words joined by underscores."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


@cache
def load() -> Conventions:
    """The conventions that come with the program."""
    path = paths.CONVENTIONS
    try:
        return Conventions.model_validate(read_yaml(path))
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def license_of(folder: Path, statements: Iterable[str]) -> str:
    """SPDX id of the licence of a dataset, empty if it is not stated or not the same everywhere.

    Args:
        folder: its README is read if there are no statements
        statements: licence of each sample, as the data say it
    """
    stated = {statement.strip() for statement in statements}
    if stated:
        licenses = {_spdx(statement) for statement in stated}
    else:
        licenses = {_spdx(match) for text in _readmes(folder) for match in _STATEMENT.findall(text)}
        licenses.discard("")
    return licenses.pop() if len(licenses) == 1 else ""


def _readmes(folder: Path) -> list[str]:
    names = sorted(path for path in folder.iterdir() if path.name.lower().startswith("readme"))
    return [path.read_text("utf-8", errors="replace") for path in names if path.is_file()]


def _spdx(text: str) -> str:
    """SPDX id of a licence as people write it.

    >>> _spdx("CC BY-NC-SA 4.0"), _spdx("cc0"), _spdx("all rights reserved")
    ('CC-BY-NC-SA-4.0', 'CC0-1.0', '')
    """
    match = _CC.search(text)
    if match:
        return "-".join(["CC-BY", *(part.upper() for part in match.groups() if part)])
    licenses = [name for name, pattern in _OTHER.items() if pattern.search(text)]
    return licenses[0] if len(licenses) == 1 else ""
