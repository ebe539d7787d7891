"""Figures of scikit-learn for the synthetic samples.

Run with an interpreter that has scikit-learn 1.9.1 (BSD licence)::

    python tests/golden/scikit_learn/make_figures.py > tests/golden/scikit_learn/figures.json

It needs nothing of this repository but ``tests/golden/samples/samples.json``.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import numpy as np
import sklearn.metrics

SAMPLES = json.loads((Path(__file__).parents[1] / "samples" / "samples.json").read_text("utf-8"))
#: inner edges of four bins; a value on an edge belongs to the bin below
EDGES = (0.25, 0.5, 0.75)


def by_class(truth: list, prediction: list, labels: list) -> dict:
    """Recall, precision, and their means, by the ids of this program."""
    options = {"labels": labels, "zero_division": 0}
    recall = sklearn.metrics.recall_score(truth, prediction, average=None, **options)
    precision = sklearn.metrics.precision_score(truth, prediction, average=None, **options)
    return {
        "recall_per_class": dict(zip(labels, recall.tolist(), strict=True)),
        "precision_per_class": dict(zip(labels, precision.tolist(), strict=True)),
        "uar": sklearn.metrics.recall_score(truth, prediction, average="macro", **options),
        "uap": sklearn.metrics.precision_score(truth, prediction, average="macro", **options),
        "percentage_unchanged_classes": sklearn.metrics.accuracy_score(truth, prediction),
    }


def by_value(truth: list, prediction: list) -> dict:
    """The error, and recall and precision of four bins, by the ids of this program."""
    codes = [np.digitize(values, EDGES, right=True).tolist() for values in (truth, prediction)]
    options = {"labels": range(4), "average": None, "zero_division": 0}
    return {
        "mae": sklearn.metrics.mean_absolute_error(truth, prediction),
        "recall_per_bin": sklearn.metrics.recall_score(*codes, **options).tolist(),
        "precision_per_bin": sklearn.metrics.precision_score(*codes, **options).tolist(),
    }


def main() -> None:
    """Write the figures as JSON to standard output."""
    labels = SAMPLES["labels"]
    classes = {
        name: by_class(each["truth"], each["prediction"], labels)
        for name, each in SAMPLES["classes"].items()
    }
    values = {
        name: by_value(each["truth"], each["prediction"])
        for name, each in SAMPLES["values"].items()
    }
    version = importlib.metadata.version("scikit-learn")
    content = {"made_by": f"scikit-learn {version}", "classes": classes, "values": values}
    json.dump(content, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
