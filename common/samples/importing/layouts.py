"""How corpora lie in their original downloads: one YAML per corpus in ``common/catalog/layouts/``.

A layout says how the paths of the audio files look, what their parts mean, which tables of the
download hold more labels, and how many files there should be. A user's own layout is a YAML of the
same kind, for ``build.py import PATH --layout FILE``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from string import Formatter
from typing import Any

import pydantic

from ...core import paths
from ...core.errors import ConfigError
from ...core.registry import unknown
from ...spec import Entry, Record, parse, read_yaml

#: share of the audio files of a folder that must follow a layout
SHARE = 0.5
#: as many files decide which layout a folder has: all patterns on all files of a large corpus take minutes
DECIDE = 1000
#: how much a label must be like one of the suite to be taken for a typing error
NEARLY = 0.8
LAYOUTS = paths.CATALOG / "layouts"
#: columns that every file has before its path is taken apart
GIVEN = ("file", "name", "stem")


class LabelTable(Record):
    """A table in the download that tells more about the files.

    Args:
        file: regular expression of its path; several files may follow it, and named groups
            become columns
        key: column of a file -> column of the table with the same value
        columns: column of a file -> column of the table, or the names it has in different versions
        line: regular expression of the lines of a text that has no columns; its named groups are
            the columns
        where: column of the table -> regular expression of the rows that count
        encoding: of the text; UTF-8 if empty
        required: without it there are no labels, and files that it does not list are left out
    """

    file: str
    key: Mapping[str, str]
    columns: Mapping[str, str | tuple[str, ...]]
    line: str = ""
    where: Mapping[str, str] = {}
    encoding: str = ""
    required: bool = False


class Partition(Record):
    """Parts of a corpus such as training and test.

    Args:
        by: column that decides
        parts: part -> values of that column; without it, the values are the parts
        paper: part that the paper used, which is imported unless another one is asked for
    """

    by: str
    parts: Mapping[str, tuple[str, ...]] = {}
    paper: str = ""

    def part(self, value: str) -> str:
        """Part of a value, empty if it is in none."""
        if not self.parts:
            return value
        return next((name for name, values in self.parts.items() if value in values), "")


class MatlabAudio(Record):
    """Audio in MATLAB files, which is written as WAV files.

    Args:
        variable: name of the variable with the signal
        sampling_rate: in Hz
        file: path of the WAV file, with columns in braces
        channel: column that tells the channels of one file apart
    """

    variable: str
    sampling_rate: int
    file: str
    channel: str


class Layout(Entry):
    """Original download of one corpus.

    Args:
        label: name of the corpus
        files: regular expression of the path of an audio file without its ending; folders
            before it may have any name, and its named groups become columns
        ignore: regular expressions of paths that are no samples of the corpus
        ignore_case: whether capital letters make no difference in paths and labels
        values: column -> what stands there -> label, ``null`` for none; with ``by``, it is looked
            up by another column, ``odd`` and ``even`` standing for all numbers; ``*`` stands for
            all others, and in the place of a label for what stands there
        constants: column -> label of all files
        compose: column -> text with other columns in braces
        tables: tables in the download
        first: column -> columns of which the first that the download has is taken
        scale: column -> smallest and largest value in the data
        split: parts of the corpus
        expected: ``files``, a column, or ``split.PART`` -> how many there are in a complete
            download; several numbers if versions differ
        matlab: how audio in MATLAB files is read
        examples: path -> columns and labels that follow from it; the tests build a miniature of it
        obtain: how to get data that only their owners may give away
        unconfirmed: what of the layout could not be compared with a real copy; empty if all could
    """

    label: str = ""
    files: str
    ignore: tuple[str, ...] = ()
    ignore_case: bool = False
    values: Mapping[str, Mapping[str, str | None]] = {}
    constants: Mapping[str, str] = {}
    compose: Mapping[str, str] = {}
    tables: tuple[LabelTable, ...] = ()
    first: Mapping[str, tuple[str, ...]] = {}
    scale: Mapping[str, tuple[float, float]] = {}
    split: Partition | None = None
    expected: Mapping[str, int | tuple[int, ...]] = {}
    matlab: MatlabAudio | None = None
    examples: Mapping[str, Mapping[str, str]] = {}
    obtain: str = ""
    unconfirmed: str = ""
    license: str = ""
    source: str = ""
    cite: str = ""
    description: str = ""

    @pydantic.model_validator(mode="after")
    def _expressions(self) -> Layout:
        """Regular expressions that cannot be read are faults of the YAML, not of the data."""
        texts = [("files", self.files), *((f"ignore[{n}]", t) for n, t in enumerate(self.ignore))]
        for n, table in enumerate(self.tables):
            rules = {"file": table.file, "line": table.line}
            rules |= {f"where.{name}": text for name, text in table.where.items()}
            texts += [(f"tables[{n}].{key}", text) for key, text in rules.items()]
        for key, text in texts:
            try:
                re.compile(text)
            except re.error as error:
                fault = f"'{text:.60}' is no regular expression: {error}"
                raise ValueError(f"{key}: {fault}") from None
        return self

    @pydantic.model_validator(mode="after")
    def _references(self) -> Layout:
        """Columns that are named must come from somewhere."""
        columns = {*GIVEN, *re.compile(self.files).groupindex, *self.constants}
        for column, text in self.compose.items():
            for _, name, _, _ in Formatter().parse(text):
                _exists(name, columns, f"compose.{column}")
        there = {*columns, *self.compose, *(c for table in self.tables for c in table.columns)}
        for table in self.tables:
            for name in table.key:
                _exists(name, there, "tables.key")
        for column, names in self.first.items():
            for name in names:
                _exists(name, there, f"first.{column}")
        there |= {*self.first}
        for column, labels in self.values.items():
            _exists(labels.get("by") or column, there, f"values.{column}")
        _exists(self.split.by if self.split else None, there, "split.by")
        return self

    @cached_property
    def _flags(self) -> re.RegexFlag:
        return re.IGNORECASE if self.ignore_case else re.NOFLAG

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"(?:.*/)?(?:{self.files})", self._flags)

    @cached_property
    def endings(self) -> frozenset[str]:
        """Endings of the files that hold the audio, in lower case."""
        from .conventions import AUDIO

        return AUDIO if self.matlab is None else frozenset((".mat",))

    def is_ignored(self, file: str) -> bool:
        """Whether a path is no sample of the corpus."""
        return any(re.search(pattern, file, self._flags) for pattern in self.ignore)

    def parts(self, file: str) -> dict[str, str] | None:
        """Columns that the path of a file holds, as written there; None if it does not follow.

        Args:
            file: path in the folder, with its ending
        """
        path = PurePosixPath(file)
        if path.suffix.lower() not in self.endings:
            return None
        match = self._pattern.fullmatch(path.with_suffix("").as_posix())
        if match is None:
            return None
        groups = {name: value or "" for name, value in match.groupdict().items()}
        columns = {"file": file, "name": path.name, "stem": path.stem, **groups, **self.constants}
        return columns | {name: text.format(**columns) for name, text in self.compose.items()}

    def table_pattern(self, table: LabelTable) -> re.Pattern[str]:
        """Pattern of the paths of a table."""
        return re.compile(f"(?:.*/)?(?:{table.file})", self._flags)


def _exists(name: str | None, there: Iterable[str], where: str) -> None:
    if name is not None and name not in there:
        raise ValueError(f"{where}: no group or column '{name}'; known: {', '.join(sorted(there))}")


def read_layout(path: Path, *, builtin: bool = False) -> Layout:
    """A layout from a YAML.

    Raises:
        ConfigError: for its first fault
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    content: Any = read_yaml(path)
    if isinstance(content, Mapping):
        content = {"id": path.stem, **content}
    layout = parse(Layout, content, path, "", builtin=builtin)
    if not builtin:
        _check_labels(layout)
    return layout


def _check_labels(layout: Layout) -> None:
    """Refuse labels that are nearly one of the suite, which are typing errors."""
    from . import conventions

    rules = conventions.load()
    for column, labels in rules.synonyms.items():
        names = layout.values.get(column, {})
        stated = {f"values.{column}.{old}": new for old, new in names.items() if old != "by"}
        stated[f"constants.{column}"] = layout.constants.get(column)
        for key, label in stated.items():
            if not label or label == "*" or rules.share(column, [label]):
                continue
            near = difflib.get_close_matches(label.lower(), labels, n=1, cutoff=NEARLY)
            if near:
                fault = f"unknown label '{label}'. Did you mean '{near[0]}'?"
                raise ConfigError(f"{layout.origin}: {key}: {fault}")


@cache
def known() -> dict[str, Layout]:
    """Layouts that come with the program, by id."""
    layouts = [read_layout(path, builtin=True) for path in sorted(LAYOUTS.glob("*.yaml"))]
    return {layout.id: layout for layout in layouts}


def detect(files: Iterable[str]) -> tuple[Layout | None, str]:
    """Layout that most of the files follow, and what is nearest if none fits half of them.

    Args:
        files: paths in a folder, of whatever kind

    Raises:
        ConfigError: if two layouts fit equally well
    """
    names = list(files)
    fits: list[tuple[float, int, Layout]] = []
    for layout in known().values():
        audio = [n for n in names if n[n.rfind(".") :].lower() in layout.endings]
        audio = audio[:: -(-len(audio) // DECIDE)] if audio else []
        audio = [n for n in audio if not layout.is_ignored(n)]
        count = sum(layout.parts(name) is not None for name in audio)
        if count:
            fits.append((count / len(audio), count, layout))
    fits.sort(key=lambda fit: fit[0], reverse=True)
    if not fits:
        return None, ""
    share, count, layout = fits[0]
    if share < SHARE:
        total = round(count / share)
        return None, f"nearest is {layout.id}, which {count} of {total} files follow"
    rivals = [other.id for other_share, _, other in fits if other_share == share]
    if len(rivals) > 1:
        raise ConfigError(f"the audio is named as in {' and '.join(rivals)}; --format chooses")
    return layout, ""


def find(name: str, others: Iterable[str] = ()) -> Layout:
    """Layout of that id.

    Args:
        name: the id
        others: formats that are no layout, for the message

    Raises:
        ConfigError: if there is none
    """
    if name not in known():
        raise unknown("format", name, (*others, *known()), "--format")
    return known()[name]
