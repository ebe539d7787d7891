"""Synthetic sound event scenes, on which other tools and this program are compared.

Run with any Python; nothing else is needed::

    python tests/golden/sound_events/make_scenes.py > tests/golden/sound_events/scenes.json

No recording and no annotation of a data set is behind the scenes: they are drawn. Seeds are fixed,
and of :mod:`random` only ``random()`` is used, whose numbers no release of Python changes.
"""

from __future__ import annotations

import json
import random
import sys

LABELS = ("alarm", "dog", "speech", "water")
#: the last operating point has no events
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FRAME_S = 0.25

Row = tuple[str, float, float, str]


def between(draw: random.Random, low: float, high: float) -> float:
    """A number of an interval with equal chances."""
    return low + (high - low) * draw.random()


def one_of(draw: random.Random, values: tuple[str, ...]) -> str:
    """One of the values with equal chances."""
    return values[int(draw.random() * len(values))]


def line(draw: random.Random, length_s: float, label: str, file: str, touch: float) -> list[Row]:
    """Events of one class in one recording; they do not overlap, the share ``touch`` touches."""
    rows, time_s = [], between(draw, 0, 6)
    while time_s < length_s:
        digits = 1 if draw.random() < 0.3 else 3
        onset = max(round(time_s, digits), rows[-1][2] if rows else 0.0)
        offset = min(round(onset + between(draw, 0.2, 4), digits), length_s)
        if offset > onset:
            rows.append((file, onset, offset, label))
        time_s = offset + (0 if draw.random() < touch else between(draw, 0.3, 9))
    return rows


def detections(draw: random.Random, truth: list[Row], durations: dict[str, float]) -> list:
    """Events with a score: found, found with wrong limits, with a wrong label, and invented."""
    scored = []
    for file, onset, offset, label in truth:
        wide = between(draw, 0, 0.6) if draw.random() < 0.6 else 0.05
        start = max(0.0, onset + between(draw, -wide, wide))
        stop = min(durations[file], max(start + 0.05, offset + between(draw, -wide, wide)))
        named = label if draw.random() < 0.8 else one_of(draw, LABELS[:3])
        if label == "water" and draw.random() < 0.7:
            continue
        scored.append((file, round(start, 3), round(stop, 3), named, between(draw, 0.05, 1)))
        if draw.random() < 0.15:
            scored.append((file, round(start, 3), round(stop, 3), label, between(draw, 0, 0.9)))
    for file, length_s in durations.items():
        if draw.random() < 0.5:
            onset = between(draw, 0, length_s - 1)
            stop = min(length_s, onset + between(draw, 0.2, 3))
            label = one_of(draw, LABELS[:3])
            scored.append((file, round(onset, 3), round(stop, 3), label, between(draw, 0, 0.7)))
    return [row for row in scored if row[1] < row[2]]


def apart(scored: list) -> list:
    """The same without events that touch an earlier one of their class in their recording."""
    kept: list = []
    for row in scored:
        same = [other for other in kept if (other[0], other[3]) == (row[0], row[3])]
        if all(row[1] > other[2] or row[2] < other[1] for other in same):
            kept.append(row)
    return kept


def town() -> dict[str, object]:
    """Thirty recordings with ten operating points of one system."""
    draw = random.Random(2026)
    durations = {f"town{n:02d}.wav": round(between(draw, 8, 40), 1) for n in range(30)}
    silent = ("town04.wav", "town17.wav")
    truth: list[Row] = []
    for file, length_s in durations.items():
        for label in LABELS:
            if file not in silent and draw.random() < 0.55:
                truth += line(draw, length_s, label, file, touch=0.1)
    scored = apart(detections(draw, truth, durations))
    points = [[row[:4] for row in scored if row[4] >= threshold] for threshold in THRESHOLDS]
    return {"durations": durations, "truth": truth, "points": points}


def crowded() -> dict[str, object]:
    """Eight recordings in which events of one class overlap, on a grid of a tenth of a second."""
    draw = random.Random(12)
    durations = {f"crowd{n}.wav": 8.0 for n in range(8)}

    def drawn(file: str, most: int) -> list[Row]:
        rows = []
        for _ in range(int(between(draw, 1, most))):
            onset = round(between(draw, 0, 6), 1)
            offset = round(onset + between(draw, 0.1, 2), 1)
            rows.append((file, onset, offset, one_of(draw, LABELS)))
        return rows

    truth = [row for file in list(durations)[:-1] for row in drawn(file, 9)]

    def near(time_s: float) -> float:
        return max(0, time_s + between(draw, -0.3, 0.3))

    estimate = []
    for file, onset, offset, label in truth:
        if draw.random() < 0.8:
            start = round(near(onset), 1)
            stop = max(round(start + 0.1, 1), round(near(offset), 1))
            named = label if draw.random() < 0.7 else one_of(draw, (*LABELS, "whistle"))
            estimate.append((file, start, stop, named))
    estimate += drawn("crowd7.wav", 4)
    return {"durations": durations, "truth": truth, "points": [estimate]}


def frames() -> dict[str, object]:
    """Scores of a system for frames of a quarter of a second, in twelve recordings."""
    draw = random.Random(5)
    durations = {f"frames{n:02d}.wav": 6 + FRAME_S * int(20 * draw.random()) for n in range(12)}
    truth: list[Row] = []
    scores = {}
    for file, length_s in durations.items():
        if file != "frames03.wav":
            for label in LABELS[:3]:
                truth += line(draw, length_s, label, file, touch=0)
        table = []
        for number in range(int(length_s / FRAME_S)):
            middle = (number + 0.5) * FRAME_S
            row = []
            for label in LABELS[:3]:
                active = any(
                    (f, name) == (file, label) and on <= middle < off for f, on, off, name in truth
                )
                row.append(round(0.35 * active + 0.65 * draw.random(), 2))
            table.append(row)
        scores[file] = table
    return {"durations": durations, "truth": truth, "scores": scores, "labels": LABELS[:3]}


def main() -> None:
    """Write the scenes as JSON to standard output."""
    scenes = {"labels": LABELS, "frame_s": FRAME_S}
    json.dump(
        {**scenes, "town": town(), "crowded": crowded(), "frames": frames()},
        sys.stdout,
        separators=(",", ":"),
    )
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
