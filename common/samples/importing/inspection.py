"""What imported data are like and what is wrong with them, row by row."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from ...core import advice
from ...core.errors import AudioError
from ...core.wording import counted
from ...spec import Target, kinds
from .. import audio
from ..base import Samples
from ..decode import SLACK_S
from ..entries import limits

NS = 1_000_000_000
#: how many examples a message names
EXAMPLES = 3
#: columns with more labels, or longer ones, are not counted label by label
MANY, LONG = 12, 30
SPEAKER, SEX = "speaker", "sex"
#: from this similarity on, a label is a class with a slip of the pen
ALIKE = 0.85
#: endings of files whose header tells the length, however much of it is there; what is read of the end
SILENTLY_CUT, TAIL_S = (".flac",), 0.1
#: beginning of the text that stands for a file in a repository with Git LFS
_POINTER = b"version https://git-lfs"
_CUT = "is truncated or damaged: the end cannot be read"
_POINTS = "is still in Git LFS; 'git lfs pull' fetches the audio"


@dataclass(frozen=True)
class Inspection:
    """What was found in the data.

    Args:
        id: id of the dataset
        catalog: file that holds the entry
        entry: the entry
        samples: number of rows
        files: number of audio files
        duration_s: seconds of audio in all files that can be read
        speakers: number of speakers
        labels: column -> label -> number of samples, of columns with few labels
        faults: what is wrong with the data
        notes: what is worth knowing
    """

    id: str
    catalog: Path
    entry: Mapping[str, Any]
    samples: int
    files: int
    duration_s: float
    speakers: int
    labels: Mapping[str, Mapping[str, int]]
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON can hold them."""
        return {**asdict(self), "catalog": str(self.catalog)}

    def text(self) -> str:
        """Summary for people."""
        size = f"{counted(self.samples, 'sample')} in {counted(self.files, 'file')}, {self.duration_s / 3600:.2f} hours"
        speakers = f", {counted(self.speakers, 'speaker')}" if self.speakers else ""
        lines = [f"{self.id} {self.entry['version']}: {size}{speakers}"]
        for column, counts in self.labels.items():
            lines.append(f"  {column}: " + ", ".join(f"{k} {n}" for k, n in counts.items()))
        lines += [f"  fault: {fault}" for fault in self.faults]
        lines += [f"  note: {note}" for note in self.notes]
        if self.entry.get("audio"):
            database = self.catalog.parent / self.entry["path"]
            lines.append(f"audformat database: {database} (the audio stays where it is)")
        place = shlex.quote(str(self.catalog.parent))
        lines.append(f"written to {self.catalog}; use it with --catalog {place}")
        words = ("list", "tests", "--dataset", self.id, "--catalog", self.catalog.parent)
        lines.append(f"its tests: {advice.command(*words)}")
        return "\n".join(lines)


def inspect(
    samples: Samples, entry: Mapping[str, Any], catalog: Path, targets: Mapping[str, Target]
) -> Inspection:
    """Look at every row and at the header of every audio file.

    Args:
        samples: loaded so that regression targets are still the text of the data
        entry: what is to be written into the catalog
        catalog: file that gets it
        targets: declares ranges and classes
    """
    table = samples.table
    durations, faults = _listen(samples)
    faults += _late(table, durations)
    counts: dict[str, dict[str, int]] = {}
    notes = _elsewhere(samples)
    columns = [name for name in table.columns if name in samples.dataset.columns]
    for column in columns:
        labels = table[column].dropna()
        label_counts = {str(k): int(n) for k, n in labels.value_counts().sort_index().items()}
        target = targets.get(column)
        if target is not None and kinds.of(target).is_number:
            faults += _numbers(column, labels, target, limits(samples.dataset, column))
        elif target is not None or (
            column != SPEAKER and len(label_counts) <= MANY and max(map(len, label_counts)) <= LONG
        ):
            counts[column] = label_counts
        if target is not None and target.labels:
            notes += _strangers(column, label_counts, target)
            faults += _misspelt(column, label_counts, target)
    faults += _ambiguous(table)
    if not set(columns) & set(targets):
        notes.append("has no labels of a target; serves tests that need none")
    return Inspection(
        id=samples.dataset.id,
        catalog=catalog,
        entry=entry,
        samples=len(table),
        files=int(table["file"].nunique()),
        duration_s=sum(durations.values()),
        speakers=int(table[SPEAKER].nunique()) if SPEAKER in columns else 0,
        labels=counts,
        faults=faults,
        notes=notes,
    )


def _listen(samples: Samples) -> tuple[dict[str, float], list[str]]:
    """Duration of each file in seconds, and what is wrong with the others."""
    durations: dict[str, float] = {}
    wrong: dict[str, list[str]] = {}
    top = samples.root.resolve()
    for file in samples.table["file"].unique():
        path = samples.root / file
        if _leads_out(path, top):
            wrong.setdefault("leads out of the folder through a link", []).append(file)
        try:
            durations[file] = audio.info(path).duration_s
        except AudioError as error:
            fault = str(error).removeprefix(f"{path}: ")
            fault = "does not exist" if fault == "no such file" else fault
            wrong.setdefault(_POINTS if _is_pointer(path) else fault, []).append(file)
            continue
        if path.suffix.lower() in SILENTLY_CUT:
            try:
                audio.read(path, round(max(durations[file] - TAIL_S, 0) * NS))
            except AudioError:
                wrong.setdefault(_CUT, []).append(file)
    return durations, [several(files, "audio file", what) for what, files in _alike(wrong).items()]


def _alike(wrong: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Files with the same fault, also where each has numbers of its own.

    >>> _alike({"is cut: 3 of 4 bytes": ["a"], "is cut: 2 of 4 bytes": ["b"], "is empty: 0 bytes": ["c"]})
    {'is cut': ['a', 'b'], 'is empty: 0 bytes': ['c']}
    """
    groups: dict[str, list[str]] = {}
    for what in wrong:
        groups.setdefault(re.sub(r": .*\d.*", "", what), []).append(what)
    return {
        texts[0] if len(texts) == 1 else kind: [file for what in texts for file in wrong[what]]
        for kind, texts in groups.items()
    }


def _leads_out(path: Path, top: Path) -> bool:
    """Whether a file is a link to something outside a folder."""
    try:
        return path.is_symlink() and path.exists() and not path.resolve().is_relative_to(top)
    except OSError:
        return False  # such as a name that is too long; whoever reads it says what is wrong


def _elsewhere(samples: Samples) -> list[str]:
    """Which folders of the data are links to another place: data of one's own may lie on another disk."""
    top = samples.root.resolve()
    folders = {PurePosixPath(file).parent for file in samples.table["file"].unique()}
    linked = sorted(str(folder) for folder in folders if not _is_below(samples.root / folder, top))
    return [several(linked, "folder", "is a link to another place")] if linked else []


def _is_below(folder: Path, top: Path) -> bool:
    """Whether a folder lies in another one, links followed."""
    try:
        return folder.resolve().is_relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return True  # no folder at all; whoever reads its files says what is wrong


def _is_pointer(path: Path) -> bool:
    """Whether a file only says where Git LFS keeps the audio."""
    try:
        with path.open("rb") as file:
            return file.read(len(_POINTER)) == _POINTER
    except OSError:
        return False


def _late(table: pd.DataFrame, durations: Mapping[str, float]) -> list[str]:
    whole = table["file"].map(durations).to_numpy(dtype=float)
    start, end = (table[name].to_numpy() / NS for name in ("start", "end"))
    late = (end > whole + SLACK_S) | ((start >= whole) & (whole > 0))
    names = [f"{table['file'].iloc[n]} from {start[n]:g} s" for n in np.flatnonzero(late)]
    faults = [several(names, "segment", "beyond the end of the file")] if names else []
    silent = table["file"][whole == 0].unique().tolist()
    return [*faults, several(silent, "audio file", "has no samples")] if silent else faults


def _numbers(
    column: str, labels: pd.Series, target: Target, scale: tuple[float, float] | None
) -> list[str]:
    values = pd.to_numeric(labels, errors="coerce")
    low, high = scale or target.range or (0.0, 1.0)
    faults = []
    values = values.where(np.isfinite(values))
    if values.isna().any():
        words = [str(word) for word in labels[values.isna()]]
        # a list of numbers with decimal commas could not be read
        words = [f"'{word}'" if "," in word else word for word in words]
        faults.append(several(words, f"value of {column}", "that is no number"))
    outside = values[(values < low) | (values > high)]
    if len(outside):
        least, most = f"{outside.min():g}", f"{outside.max():g}"
        span = least if least == most else f"from {least} to {most}"
        faults.append(
            f"{column}: {counted(len(outside), 'value')} outside [{low:g}, {high:g}], {span};"
            " add 'scale: [min, max]' to the entry"
        )
    return faults


def _strangers(column: str, counts: Mapping[str, int], target: Target) -> Iterator[str]:
    others = {label: n for label, n in counts.items() if label not in target.labels}
    if others:
        listed = ", ".join(f"{label} ({n})" for label, n in others.items())
        yield f"{column}: labels that are no class of the target (only tests of expected ranges use such labels): {listed}"


def _misspelt(column: str, counts: Mapping[str, int], target: Target) -> Iterator[str]:
    """Labels that are a class but for a letter."""
    for label, n in counts.items():
        begins = [name for name in target.labels if name[:1] == label[:1]]
        near = difflib.get_close_matches(label, begins, 1, ALIKE)
        if near and label not in target.labels:
            yield f"{column}: '{label}' ({counted(n, 'sample')}) is no class; is '{near[0]}' meant?"


def _ambiguous(table: pd.DataFrame) -> list[str]:
    if not {SPEAKER, SEX} <= set(table):
        return []
    rows = table.dropna(subset=[SPEAKER, SEX])
    many = rows.groupby(SPEAKER)[SEX].nunique() > 1
    names = many.index[many].tolist()
    return [several(names, "speaker", "with more than one sex")] if names else []


#: verbs that what is said of one thing may begin with -> of several
_OF_SEVERAL = {
    "is": "are",
    "has": "have",
    "does": "do",
    "lies": "lie",
    "leads": "lead",
    "stands": "stand",
    "gets": "get",
}


def several(items: Collection[object], kind: str, what: str) -> str:
    """How many things there are, what is with them, and the names of the first.

    >>> several(["a.wav", "b.wav"], "audio file", "is empty"), several([3], "value of x", "that is odd")
    ('2 audio files are empty: a.wav, b.wav', '1 value of x that is odd: 3')
    """
    names = [str(item) for item in items]
    more = ", ..." if len(names) > EXAMPLES else ""
    if len(names) != 1:
        head, of, rest = kind.partition(" of ")
        kind = f"{head}s{of}{rest}"
        said, colon, why = what.partition(": ")
        words = [_OF_SEVERAL.get(word, word) for word in said.split(" ")]
        what = " ".join("they" if word == "it" else word for word in words) + colon + why
    return f"{len(names)} {kind} {what}: {', '.join(names[:EXAMPLES])}{more}"
