"""Whether a table of predictions holds the annotation itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...core.wording import counted
from ...spec import Target, kinds

if TYPE_CHECKING:
    import pandas as pd

#: with fewer samples, a good model may give the annotation of all of them
FEWEST = 4
#: two numbers on the scale of a target that differ by less are the same
TOLERANCE = 1e-6


def equal_annotations(
    rows: Mapping[int, Mapping[str, str]],
    segments: Mapping[int, tuple[str, int, int]],
    samples: pd.DataFrame,
    outputs: Mapping[str, Mapping[str, Any]],
    targets: Mapping[str, Target],
    dataset: str,
) -> Iterator[str]:
    """A warning for each target whose predictions are the annotation of all samples.

    Args:
        rows: row -> its cells, for each target one of its name, or none
        segments: row -> file, start and end in ns, as in the dataset
        samples: sample table of the dataset
        outputs: target -> what its entry will say about it
        targets: all targets of the suite
        dataset: id of the dataset
    """
    keys = zip(*(samples[key].tolist() for key in ("file", "start", "end")), strict=True)
    places = {key: place for place, key in enumerate(keys)}
    for name, output in outputs.items():
        if name not in samples:
            continue
        truth = samples[name].tolist()
        pairs = [
            (truth[places[segments[number]]], row[name])
            for number, row in rows.items()
            if row.get(name) and segments[number] in places
        ]
        pairs = [
            (annotated, cell)
            for annotated, cell in pairs
            if annotated is not None and annotated == annotated
        ]
        same = (_same(targets[name], annotated, cell, output) for annotated, cell in pairs)
        if len(pairs) >= FEWEST and all(same):
            yield (
                f"warning: '{name}' equals the annotation of '{dataset}' on all {counted(len(pairs), 'sample')}; "
                f"if it is no prediction, say which column is: --columns {name}=NAME"
            )


def _same(target: Target, annotated: Any, cell: str, output: Mapping[str, Any]) -> bool:
    """Whether a prediction is the annotation of its sample."""
    if not kinds.of(target).is_number:
        label = output.get("mapping", {}).get(cell, cell)
        return bool(annotated == label or (label is None and annotated not in target.labels))
    low, high = target.range or (0.0, 1.0)
    first, last = output.get("scale", (low, high))
    value = low + (float(cell) - first) * (high - low) / (last - first)
    return math.isclose(value, annotated, rel_tol=0.0, abs_tol=TOLERANCE * (high - low))
