"""Figures of sed_eval for random scenes in which several maximum matchings exist.

Run with an interpreter that has sed_eval 0.2.1 (MIT licence)::

    python tests/golden/sed_eval/make_matching.py > tests/golden/sed_eval/matching.json

It needs nothing of this repository. Written are the scenes whose substitutions depend on the
order of the events, by comparison of the scene with itself in reversed order, and every fortieth
of the others.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
import sys

import dcase_util
import sed_eval

SCENES = 2400
LABELS = ("dog", "bell", "horn", "door")
COLLAR_S, SHARE = 0.25, 0.5
COUNTS = ("Nref", "Nsys", "Nsubs", "Ntp", "Nfp", "Nfn")


def scene(number: int) -> tuple[list[list], list[list]]:
    """Reference and estimate: crowded events whose estimates often fit more than one."""
    draw = random.Random(number)
    reference, estimate = [], []
    for _ in range(draw.randint(3, 9)):
        onset = round(draw.uniform(0, 3), 2)
        reference.append([onset, round(onset + draw.uniform(0.3, 1.2), 2), draw.choice(LABELS)])
    for _ in range(draw.randint(3, 9)):
        onset, offset, label = draw.choice(reference)
        onset = round(max(0.0, onset + draw.uniform(-0.35, 0.35)), 2)
        label = label if draw.random() < 0.6 else draw.choice(LABELS)
        estimate.append(
            [onset, round(max(onset + 0.1, offset + draw.uniform(-0.4, 0.4)), 2), label]
        )
    return reference, estimate


def counts(reference: list[list], estimate: list[list]) -> list[int]:
    """Overall counts of event-based metrics with onset and offset."""

    def events(rows: list[list]) -> dcase_util.containers.MetaDataContainer:
        return dcase_util.containers.MetaDataContainer(
            [
                {"filename": "a.wav", "onset": on, "offset": off, "event_label": label}
                for on, off, label in rows
            ]
        )

    metrics = sed_eval.sound_event.EventBasedMetrics(
        list(LABELS), t_collar=COLLAR_S, percentage_of_length=SHARE
    )
    metrics.evaluate(events(reference), events(estimate))
    return [int(metrics.overall[name]) for name in COUNTS]


def main() -> None:
    """Write the scenes as JSON to standard output."""
    scenes = []
    for number in range(SCENES):
        reference, estimate = scene(number)
        found = counts(reference, estimate)
        depends = found != counts(reference[::-1], estimate[::-1])
        if depends or number % 40 == 0:
            scenes.append(
                {"reference": reference, "estimate": estimate, "counts": found, "depends": depends}
            )
    content = {
        "made_by": f"sed_eval {importlib.metadata.version('sed_eval')}",
        "labels": LABELS,
        "t_collar": COLLAR_S,
        "percentage_of_length": SHARE,
        "counts": COUNTS,
        "scenes": scenes,
    }
    json.dump(content, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
