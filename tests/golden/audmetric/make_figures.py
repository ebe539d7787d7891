"""Figures of audmetric for the synthetic samples.

Run with an interpreter that has audmetric 1.4.2 (MIT licence)::

    python tests/golden/audmetric/make_figures.py > tests/golden/audmetric/figures.json

It needs nothing of this repository but ``tests/golden/samples/samples.json``.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import audmetric

SAMPLES = json.loads((Path(__file__).parents[1] / "samples" / "samples.json").read_text("utf-8"))
#: metric of this program -> function of audmetric
CLASSES = {
    "uar": audmetric.unweighted_average_recall,
    "uap": audmetric.unweighted_average_precision,
    "recall_per_class": audmetric.recall_per_class,
    "precision_per_class": audmetric.precision_per_class,
}
VALUES = {
    "ccc": audmetric.concordance_cc,
    "pcc": audmetric.pearson_cc,
    "mae": audmetric.mean_absolute_error,
}


def main() -> None:
    """Write the figures as JSON to standard output."""
    labels = SAMPLES["labels"]
    classes = {
        name: {
            metric: function(each["truth"], each["prediction"], labels=labels, zero_division=0)
            for metric, function in CLASSES.items()
        }
        for name, each in SAMPLES["classes"].items()
    }
    values = {
        name: {
            metric: float(function(each["truth"], each["prediction"]))
            for metric, function in VALUES.items()
        }
        for name, each in SAMPLES["values"].items()
    }
    version = importlib.metadata.version("audmetric")
    content = {"made_by": f"audmetric {version}", "classes": classes, "values": values}
    json.dump(content, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
