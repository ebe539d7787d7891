"""``build.py import PATH --guess``: a layout from the names and the tables that are there.

Names are cut where letters, digits and separators meet; the places that all names have in common
become groups. A group is named for what the conventions know of its values. It is a proposal: a
person looks at it, names the rest, and imports with ``--layout``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from ...core.errors import ConfigError, DataError
from . import conventions
from .conventions import Conventions
from .formats.tables import PARTS
from .reading import SPLIT
from .table_files import TABLES, TextTable, read_table
from .tree import FileTree, look

#: share of the files that a name or a table must fit
SHARE = 0.5
#: a column with more labels than this is no list of classes
MANY = 40
SPEAKER, CATEGORY = "speaker", "category"
#: what folders and names of speakers begin with
_SPEAKER = re.compile(
    r"(?<![^\W\d_])(spk|speaker|actor|subject|sub|participant|s|p)[-_]?\d+$", re.I
)
#: words of classes: letters, perhaps several words, no codes such as KLA or s01
_CLASS = re.compile(r"(?!.*[A-Z]{2})(\d+[ ._-]+)?[^\W\d_]+([ _-][^\W\d_]+)*")
#: names of people rather than numbers of sentences and takes: letters and digits, or several capitals
_CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d)[^\W_]+|[A-Z]{2,}")
#: letters that one of the words of classes has at least
LETTERS = 4
_WORD = re.compile(r"[^\W\d_]+|\d+")
#: a part of a name: letters and digits, or what is between
_PIECE = re.compile(r"[^\W_]+|[\W_]+")


@dataclass(frozen=True)
class Shape:
    """How names are put together.

    Args:
        pieces: what stands between the groups, or ``None`` for a group
        values: values of each group, one per file
        classes: regular expression of each group
    """

    pieces: tuple[str | None, ...]
    values: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]


def propose(path: Path) -> str:
    """YAML of a layout that can be imported as it is if the names are regular.

    Args:
        path: folder of a download

    Raises:
        ConfigError: if it is no folder with audio
    """
    source = path.expanduser().resolve()
    if not source.is_dir():
        raise ConfigError(f"--guess: {path} is no folder")
    tree = look(source)
    audio = tree.audio()
    if not audio:
        raise ConfigError(f"--guess: {path} holds no audio; {_endings(tree)}")
    rules = conventions.load()
    shape, fitting = _shape(audio)
    names = _group_names(shape, rules)
    layout: dict[str, Any] = {"label": source.name, "files": _pattern(shape, names)}
    values = {}
    for name, words in zip(names, shape.values, strict=True):
        if name in rules.synonyms or name == CATEGORY:
            values[name] = _labels(name, words, rules)
    groups = dict(zip(names, map(set, shape.values), strict=True))
    tables, notes = _tables(tree, audio, groups, rules)
    if CATEGORY in values:
        notes.append(
            f"{CATEGORY}: unknown words; if they are emotions, rename the group and its values to 'emotion'"
            " and map them to the labels of the suite; if they are people, rename the group to 'speaker'"
        )
    if SPEAKER in names:
        notes.append(
            f"{SPEAKER}: a guess; if these are not people, rename the group, or results by speaker will be wrong"
        )
    if values:
        layout["values"] = values
    if tables:
        layout["tables"] = tables
    layout |= {"expected": {"files": len(fitting)}, "license": "unknown"}
    head = [f"# {len(fitting)} of {len(audio)} audio files are named like this: {fitting[0]}"]
    others = sorted(set(audio) - set(fitting))
    head += (
        [f"# not so: {', '.join(others[:3])}{', ...' if len(others) > 3 else ''}"] if others else []
    )
    for name, words in zip(names, shape.values, strict=True):
        counts = Counter(words)
        some = ", ".join(sorted(counts)[:6]) + (", ..." if len(counts) > 6 else "")
        head.append(f"# {name}: {len(counts)} different: {some}")
    head += [f"# {note}" for note in notes]
    text = yaml.safe_dump(layout, sort_keys=False, allow_unicode=True, width=200)
    return "\n".join(head) + "\n" + text


def _endings(tree: FileTree) -> str:
    counts = Counter(PurePosixPath(name).suffix.lower() or "none" for name in tree.files)
    return "endings: " + ", ".join(f"{e} ({n})" for e, n in counts.most_common(5))


def _shape(audio: Sequence[str]) -> tuple[Shape, list[str]]:
    """Most common shape of the names, and the files that have it.

    Folders are part of it as far as the files that are named alike have the same number of them.
    """
    ways = [
        {name: _pieces(name, whole_folders=whole_folders) for name in audio}
        for whole_folders in (False, True)
    ]
    fits = [(cut, *_most_common(cut)) for cut in ways]
    cut, signs, fitting = max(fits, key=lambda fit: len(fit[2]))  # the first of equal ones
    aligned = list(zip(*(cut[name] for name in fitting), strict=True))
    pieces: list[str | None] = []
    values: list[tuple[str, ...]] = []
    classes: list[str] = []
    for sign, column in zip(signs, aligned, strict=True):
        if sign:
            pieces.append(sign)
            continue
        for words in _split(column):
            if len(set(words)) == 1 and len(fitting) > 1:
                pieces.append(words[0])
            else:
                pieces.append(None)
                values.append(tuple(words))
                classes.append(_class(words))
    return Shape(tuple(pieces), tuple(values), tuple(classes)), fitting


def _pieces(name: str, *, whole_folders: bool) -> list[str]:
    """Parts of a path without its ending; names of folders are cut, too, unless they stay whole.

    >>> _pieces("dog_bark/1-a.wav", whole_folders=True)
    ['dog_bark', '/', '1', '-', 'a']
    """
    path = PurePosixPath(name).with_suffix("")
    if not whole_folders:
        return _PIECE.findall(path.as_posix())
    folders = [piece for folder in path.parent.parts for piece in (folder, "/")]
    return [*folders, *_PIECE.findall(path.name)]


def _most_common(cut: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], list[str]]:
    """Signs between the words of most names (empty for a word), and the names that have them."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name, pieces in cut.items():
        key = tuple("" if any(map(str.isalnum, piece)) else piece for piece in pieces)
        kinds.setdefault(key, []).append(name)
    return max(kinds.items(), key=lambda item: len(item[1]))


def _split(column: Sequence[str]) -> list[tuple[str, ...]]:
    """Cut words where letters and digits meet, if that is at the same place in all of them."""
    parts = [_WORD.findall(word) for word in column]
    joined = all("".join(words) == word for words, word in zip(parts, column, strict=True))
    shapes = {tuple((p.isdigit(), len(p)) for p in words[:-1]) for words in parts}
    kinds = {tuple(p.isdigit() for p in words) for words in parts}
    if not joined or len(shapes) != 1 or len(kinds) != 1 or len(parts[0]) == 1:
        return [tuple(column)]
    words = list(zip(*parts, strict=True))
    # names of people keep what is the same in all: s01, Actor_01, EB0
    if any(len(set(part)) == 1 for part in words):
        return [tuple(column)]
    return words


def _class(words: Iterable[str]) -> str:
    words = list(words)
    if all(word.isdigit() for word in words):
        lengths = {len(word) for word in words}
        return rf"\d{{{lengths.pop()}}}" if len(lengths) == 1 else r"\d+"
    if all(word.isalpha() for word in words):
        return r"[^\W\d_]+"
    return r"[^\W_]+" if all(word.isalnum() for word in words) else "[^/]+"


def _group_names(shape: Shape, rules: Conventions) -> list[str]:
    """What each group is, by its values; part1, part2 and so on if nobody knows."""
    names: dict[int, str] = {}
    for column in rules.synonyms:
        shares = {
            n: rules.share(column, values)
            for n, values in enumerate(shape.values)
            if n not in names and 1 < len(set(values)) <= MANY
        }
        best = max(shares, key=lambda n: shares[n], default=-1)
        if best >= 0 and shares[best] > SHARE:
            names[best] = column
    for n, values in enumerate(shape.values):
        if n not in names and len(set(values)) > 1 and all(map(PARTS.fullmatch, values)):
            names[n] = SPLIT
    words = _words(shape, names)
    speaker = _speaker(shape, {**names, **dict.fromkeys(words, CATEGORY)}, sounds=bool(words))
    if speaker >= 0:
        names[speaker] = SPEAKER
    if words and CATEGORY not in names.values():
        names[words[0]] = CATEGORY
    return [names.get(n, f"part{n + 1}") for n in range(len(shape.values))]


def _words(shape: Shape, names: Mapping[int, str]) -> list[int]:
    """Groups of words that many files share and that are no codes: classes that nobody knows."""
    before = _before(shape)
    return [
        n
        for n, values in enumerate(shape.values)
        if n not in names
        and 1 < len(set(values)) <= min(MANY, len(values) / 2)
        and all(_CLASS.fullmatch(word) for word in values)
        and max(map(len, values)) >= LETTERS
        and not all(_SPEAKER.search(f"{before[n]}{word}") for word in values)
    ]


def _before(shape: Shape) -> list[str]:
    """What stands before each group."""
    return "".join(piece if piece is not None else "\0" for piece in shape.pieces).split("\0")


def _speaker(shape: Shape, names: Mapping[int, str], *, sounds: bool) -> int:
    """Group that tells speakers apart, -1 if none does: many files each, and called like one.

    Args:
        shape: of the names
        names: of the other groups
        sounds: whether there are classes that nobody knows, such as those of sounds
    """
    rest = [n for n in range(len(shape.values)) if n not in names]
    before = _before(shape)
    called = [
        n for n in rest if all(_SPEAKER.search(f"{before[n]}{word}") for word in shape.values[n])
    ]
    total = len(shape.values[0]) if shape.values else 0
    repeated = [n for n in rest if 1 < len(set(shape.values[n])) <= total / 2]
    # numbers that repeat are takes or parts rather than speakers where classes are no emotions
    likely = [] if sounds else repeated
    coded = [n for n in likely if all(_CODE.fullmatch(word) for word in shape.values[n])]
    for candidates in ([n for n in called if n in repeated], called, coded, likely):
        if candidates:
            return max(candidates, key=lambda n: len(set(shape.values[n])))
    return -1


def _pattern(shape: Shape, names: Sequence[str]) -> str:
    groups = iter(zip(names, shape.classes, strict=True))
    text = ""
    for piece in shape.pieces:
        if piece is None:
            name, expression = next(groups)
            text += f"(?P<{name}>{expression})"
        else:
            text += re.escape(piece).replace(r"\ ", " ").replace(r"\-", "-")
    return text


def _labels(column: str, values: Iterable[str], rules: Conventions) -> dict[str, str]:
    """Values as labels of the suite; those that nobody knows stay as they are."""
    words = sorted(set(values))
    return {value: rules.mapping(column, [value]).get(value, _plain(value)) for value in words}


def _plain(value: str) -> str:
    """A word without the number before it, and in small letters."""
    return re.sub(r"^\d+[ ._-]+(?=\D)", "", value).lower()


def _tables(
    tree: FileTree, audio: Sequence[str], groups: Mapping[str, set[str]], rules: Conventions
) -> tuple[list[dict[str, Any]], list[str]]:
    """Tables with a row for most of the audio files, or for each value of a group, as in a layout."""
    tables, notes = [], []
    for name in tree.files:
        if PurePosixPath(name).suffix.lower() not in TABLES:
            continue
        try:
            table = read_table(tree.folder / name)
        except (ConfigError, DataError):
            continue
        by, column = _key(table, audio, groups)
        if not column:
            continue
        columns = {
            suite: rules.column(suite, table.columns)
            for suite in rules.columns
            if rules.column(suite, table.columns) not in ("", column)
        }
        others = [c for c in table.columns if c != column and c not in columns.values()]
        if others:
            notes.append(f"{name} also has: {', '.join(others[:12])}")
        if columns:
            tables.append(
                {
                    "file": re.escape(name).replace(r"\-", "-"),
                    "key": {by: column},
                    "columns": columns,
                }
            )
    return tables, notes


def _key(table: TextTable, audio: Sequence[str], groups: Mapping[str, set[str]]) -> tuple[str, str]:
    """Which column of a table tells files apart, and what of a path stands in it."""
    paths = [PurePosixPath(name) for name in audio]
    ways = {
        "file": set(audio),
        "name": {path.name for path in paths},
        "stem": {path.stem for path in paths},
    }
    for column in table.columns:
        cells = {row[column] for _, row in table.rows}
        for way, names in ways.items():
            if len(names) == len(audio) and len(names & cells) > SHARE * len(audio):
                return way, column
    for column in table.columns:
        keys = [row[column] for _, row in table.rows]
        for name, values in groups.items():
            if len(keys) == len(set(keys)) and len(values) > 1 and values <= set(keys):
                return name, column
    return "", ""
