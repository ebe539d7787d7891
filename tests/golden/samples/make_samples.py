"""Synthetic truth and predictions, on which audmetric, scikit-learn and this program are compared.

Run with any Python; nothing else is needed::

    python tests/golden/samples/make_samples.py > tests/golden/samples/samples.json

Seeds are fixed, and of :mod:`random` only ``random()`` is used, whose numbers no release of
Python changes.
"""

from __future__ import annotations

import json
import random
import sys

LABELS = ("anger", "happiness", "neutral", "sadness")
#: chances of the labels in the truth, and share of samples that are predicted right
SETS = {
    "balanced": ((0.25, 0.25, 0.25, 0.25), 0.6),
    "rare": ((0.7, 0.25, 0.04, 0.01), 0.4),
    "absent from the truth": ((0.5, 0.3, 0.2, 0.0), 0.3),
    "all right": ((0.4, 0.3, 0.2, 0.1), 1.0),
}
#: number of samples, slope, offset, and range of the noise
VALUES = {
    "good": (200, 0.9, 0.05, 0.1),
    "compressed": (150, 0.3, 0.5, 0.2),
    "reversed": (120, -0.7, 0.9, 0.3),
    "on the edges of bins": (100, 1.0, 0.0, 0.0),
}


def drawn(draw: random.Random, chances: tuple[float, ...]) -> str:
    """A label with given chances."""
    left = draw.random()
    for label, chance in zip(LABELS, chances, strict=True):
        left -= chance
        if left < 0:
            return label
    return LABELS[0]


def classes(seed: int, chances: tuple[float, ...], right: float) -> dict[str, list[str]]:
    """Labels and predictions of 150 samples; of what is wrong, no prediction is sadness."""
    draw = random.Random(seed)
    truth = [drawn(draw, chances) for _ in range(150)]
    wrong = (0.4, 0.3, 0.3, 0.0)
    return {
        "truth": truth,
        "prediction": [t if draw.random() < right else drawn(draw, wrong) for t in truth],
    }


def values(seed: int, n: int, slope: float, offset: float, noise: float) -> dict[str, list[float]]:
    """Values in [0, 1] with three decimals; without noise, multiples of a quarter."""
    draw = random.Random(seed)
    truth = [round(draw.random(), 3) for _ in range(n)]
    if not noise:
        truth = [round(4 * value) / 4 for value in truth]
        prediction = [round(4 * draw.random()) / 4 for _ in truth]
    else:
        prediction = [slope * t + offset + noise * (draw.random() - 0.5) for t in truth]
    return {"truth": truth, "prediction": [round(min(1, max(0, p)), 3) for p in prediction]}


def main() -> None:
    """Write the samples as JSON to standard output."""
    content = {
        "labels": LABELS,
        "classes": {name: classes(seed, *each) for seed, (name, each) in enumerate(SETS.items())},
        "values": {name: values(seed, *each) for seed, (name, each) in enumerate(VALUES.items())},
    }
    json.dump(content, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
