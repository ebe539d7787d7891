"""How data in the wild name columns, labels, files and licences (``conventions.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pydantic

from ...core import paths
from ...core.errors import ConfigError
from ...spec import Record, read_yaml

#: share of the audio files of a folder that must follow a layout
SHARE = 0.5
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


class Layout(Record):
    """Original download whose file names hold the labels.

    Args:
        id: name of the layout
        pattern: regular expression of the whole file name without extension; its named groups
            become columns
        values: column -> what stands in the file name -> label; with ``by``, the column is
            looked up by another one, ``odd`` and ``even`` standing for all numbers
        constants: column -> label of all files
        license: licence of the original
        cite: citation key of the original
    """

    id: str
    pattern: str
    values: Mapping[str, Mapping[str, str]] = {}
    constants: Mapping[str, str] = {}
    license: str = ""
    cite: str = ""

    def labels(self, file: str) -> dict[str, str] | None:
        """Columns that the name of a file holds, None if it does not follow the layout."""
        match = re.fullmatch(self.pattern, Path(file).stem)
        if match is None:
            return None
        labels = {**match.groupdict(), **self.constants}
        for column, names in self.values.items():
            value = labels[names.get("by", column)]
            if value not in names and value.isdigit():
                value = "odd" if int(value) % 2 else "even"
            labels[column] = names.get(value, "")
        return labels


class Conventions(Record):
    """Content of ``conventions.yaml``."""

    columns: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, Mapping[str, tuple[str, ...]]]
    layouts: tuple[Layout, ...]

    def column(self, name: str, there: Iterable[str]) -> str:
        """What a column of the suite is called among the columns of a table, else empty."""
        lower = {column.lower(): column for column in reversed(list(there))}
        return next((lower[n] for n in self.columns.get(name, (name,)) if n in lower), "")

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

    def layout(self, name: str) -> Layout | None:
        """Layout of that id."""
        return next((layout for layout in self.layouts if layout.id == name), None)

    def detect(self, files: Iterable[str]) -> Layout | None:
        """Layout that most of the files follow, None if none fits half of them."""
        names = list(files)
        best, most = None, SHARE * len(names)
        for layout in self.layouts:
            count = sum(layout.labels(name) is not None for name in names)
            if count and count >= most:
                best, most = layout, count
        return best


@cache
def load() -> Conventions:
    """The conventions that come with the program."""
    path = paths.CATALOG / "conventions.yaml"
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
