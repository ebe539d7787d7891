"""Slices of the samples in which a model is worse than elsewhere: their files.

They are written by :mod:`common.reports.slices`, one file per target, model and dataset, with all
slices that were tried, the worst confirmed one first.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..core.documents import parse_json
from ..core.errors import DataError

CONFIRMED, FOUND, TRIED = "confirmed", "not confirmed", "not found"

#: column -> meaning; the order is the order in the files
SLICE_COLUMNS = {
    "target": "what is predicted",
    "model": "id of the model",
    "model_version": "version of the model",
    "test": "test whose samples and predictions were used",
    "dataset": "id of the dataset in the catalog",
    "slice": "one property or two with their values",
    "status": "confirmed: worse on speakers who had no part in finding it, too; not confirmed: "
    "found on one half of the speakers only; not found: tried",
    "loss": "what is averaged: the absolute error, or the share of wrong answers",
    "n": "number of samples of the slice among the speakers that confirm",
    "speakers": "number of these speakers",
    "error": "mean loss in the slice, of the speakers that confirm",
    "elsewhere": "mean loss of their other samples",
    "difference": "error minus elsewhere",
    "ci_low": "lower end of the 95 % interval of the difference",
    "ci_high": "upper end of it",
    "q": "q value among all slices found (Benjamini and Yekutieli); empty: it was not found",
    "found_n": "number of samples of the slice among the speakers that search",
    "found_speakers": "number of these speakers",
    "found_difference": "difference of the mean losses among them",
    "found_q": "q value among all slices tried (Benjamini and Hochberg)",
    "level": "level of both q values",
    "cell": "hash of the cell that the predictions belong to",
    "clips": "samples with the largest loss, of different speakers, JSON; of slices found only",
}


@dataclass(frozen=True)
class SliceSound:
    """A sound file.

    Args:
        src: path below ``extra/media/``
        seconds: its length
        lufs: its loudness
        picture: path of its spectrogram below ``extra/media/``
    """

    src: str
    seconds: float
    lufs: float
    picture: str = ""


@dataclass(frozen=True)
class Clip:
    """One sample of a slice.

    Args:
        file: path in the database
        start: in ns
        end: in ns; -1: end of the file
        loss: how wrong the prediction is
        truth: annotation
        prediction: prediction
        sound: what a page plays; None: nothing
        others: model and prediction of each other model
    """

    file: str
    start: int
    end: int
    loss: float
    truth: str
    prediction: str
    sound: SliceSound | None = None
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SliceRow:
    """One slice; the fields are the columns of :data:`SLICE_COLUMNS`, NaN where there is none."""

    target: str
    model: str
    model_version: str
    test: str
    dataset: str
    slice: str
    status: str
    loss: str
    n: int
    speakers: int
    error: float
    elsewhere: float
    difference: float
    ci_low: float
    ci_high: float
    q: float
    found_n: int
    found_speakers: int
    found_difference: float
    found_q: float
    level: float
    cell: str
    clips: tuple[Clip, ...] = ()


def to_csv(rows: Iterable[SliceRow]) -> str:
    """Rows as CSV text; floats in the shortest form that reads back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SLICE_COLUMNS)
    for row in rows:
        writer.writerow([_text(getattr(row, name)) for name in SLICE_COLUMNS])
    return text.getvalue()


def _text(value: object) -> str:
    if isinstance(value, tuple):
        clips = [asdict(clip) for clip in value]
        return json.dumps(clips, ensure_ascii=False) if clips else ""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def read(path: Path) -> list[SliceRow]:
    """Rows of a file, in its order.

    Raises:
        DataError: if it is no file of slices
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.DictReader(file)
            missing = [name for name in SLICE_COLUMNS if name not in (lines.fieldnames or ())]
            if missing:
                raise DataError(f"{path}: not a file of slices, column missing: {missing[0]}")
            return [_row(line) for line in lines]
    except (OSError, ValueError, TypeError, KeyError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as slices: {error}") from None


def _row(line: dict[str, str]) -> SliceRow:
    values: dict[str, object] = {}
    for entry in fields(SliceRow):
        text = line[entry.name]
        if entry.name == "clips":
            values["clips"] = tuple(map(_clip, parse_json(text))) if text else ()
        elif entry.type == "float":
            values[entry.name] = float(text) if text else math.nan
        else:
            values[entry.name] = int(text) if entry.type == "int" else text
    return SliceRow(**values)  # type: ignore[arg-type]


def _clip(content: dict[str, Any]) -> Clip:
    sound = content.pop("sound", None)
    others = tuple((str(model), str(text)) for model, text in content.pop("others", ()))
    return Clip(**content, sound=None if sound is None else SliceSound(**sound), others=others)
