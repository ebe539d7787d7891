"""Rows of predictions and samples of a dataset: which belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

#: ns by which times of a row may differ from those of a sample: most tools write ms
NEAR = 5_000_000
END = -1


@dataclass
class MatchedRows:
    """What belongs together.

    Args:
        rows: number of a row -> file, start and end in ns of its sample
        missing: samples without prediction, for people
        strangers: names in rows that no sample has
        ambiguous: names in rows that several files may have
        changed: how many names are others in the dataset
        stretched: how many rows end somewhere, and their samples with the file
    """

    rows: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)
    changed: int = 0
    stretched: int = 0


class FileNames:
    r"""Finds files by their names with or without folders and ending, in any case.

    >>> names = FileNames(["wav/a.wav", "wav/b.wav"])
    >>> names.find(r"my data\wav\A.flac"), names.find("b"), names.find("c")
    ({'wav/a.wav'}, {'wav/b.wav'}, set())
    """

    def __init__(self, files: Iterable[str]):
        self._files: dict[str, set[str]] = defaultdict(set)
        for file in files:
            for name in _forms(file):
                self._files[name].add(file)

    def find(self, name: str) -> set[str]:
        """Files that a name may mean, by the longest part of it that any file has."""
        forms = list(_forms(name))
        return next((set(self._files[form]) for form in forms if form in self._files), set())


def _forms(name: str) -> Iterator[str]:
    """A name, then what is left without folders, each with and without ending."""
    parts = name.replace("\\", "/").lower().split("/")
    for first in range(len(parts)):
        rest = "/".join(parts[first:])
        yield rest
        yield str(PurePosixPath(rest).with_suffix("")) if rest.strip(".") else rest


def match(
    rows: Iterable[tuple[int, str, int, int]], samples: Iterable[tuple[str, int, int]]
) -> MatchedRows:
    """Give each row its sample.

    Args:
        rows: number, name of the file, start and end in ns (-1: end of the file)
        samples: file, start and end in ns of a dataset
    """
    by_file: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for file, start, end in samples:
        by_file[file].append((start, end))
    names, matched = FileNames(by_file), MatchedRows()
    all_rows = list(rows)
    counts: dict[str, int] = defaultdict(int)
    for _, name, _, _ in all_rows:
        counts[name] += 1
    for number, name, start, end in all_rows:
        files = names.find(name)
        if len(files) > 1:
            matched.ambiguous.append(name)
            continue
        file = next(iter(files), "")
        segment = _segment(by_file.get(file, []), start, end, alone=counts[name] == 1)
        if segment is None:
            matched.strangers.append(shown(name, start, end))
            continue
        matched.changed += file != name
        matched.stretched += segment == (0, END) != (start, end)
        matched.rows[number] = (file, *segment)
    there = set(matched.rows.values())
    for file, segments in by_file.items():
        matched.missing += [shown(file, *s) for s in segments if (file, *s) not in there]
    return matched


def _segment(
    segments: list[tuple[int, int]], start: int, end: int, *, alone: bool
) -> tuple[int, int] | None:
    """Times of the sample that a row is for; None if there is none."""
    for first, last in segments:
        near = abs(first - start) <= NEAR and abs(last - end) <= NEAR
        if near and (last == END) == (end == END):
            return first, last
    whole = start == 0 and end == END
    # one row and one sample of a file: the whole file, whose length a tool may have written
    if alone and len(segments) == 1 and (whole or (segments[0] == (0, END) and start <= NEAR)):
        return segments[0]
    return None


def shown(file: str, start: int, end: int) -> str:
    """A sample for people: the file, and the times if it is a part of it."""
    last = "end" if end == END else f"{end / 1e9:g} s"
    return file if (start, end) == (0, END) else f"{file} [{start / 1e9:g} s, {last}]"
