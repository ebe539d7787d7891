"""What a figure is: a function from aligned arrays to matplotlib figures, and its text for the blind.

Importing this package costs nothing but numpy: matplotlib is loaded when the first figure is
drawn, so a check of the suite can resolve figure names in no time.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import DataError
from ..core.registry import Registry
from ..spec.view import ORIGINAL, View
from . import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: (view, design options, title) -> {suffix of the file name: figure}; suffix "" for a single one
Draw = Callable[[View, Any, str], "dict[str, Figure]"]
#: (view, design options) -> {suffix: alternative text}, with the suffixes of the figures
Describe = Callable[[View, Any], dict[str, str]]
#: details -> end of the file name, figure and alternative text of each
DrawDetails = Callable[[Mapping[str, Any]], "Iterator[tuple[str, Figure, str]]"]

FIGURES: Registry[Draw] = Registry("figure")
ALTS: Registry[Describe] = Registry("figure")
#: design -> what draws the details of its tests
DETAILS: Registry[DrawDetails] = Registry("drawing of details")


def figure(name: str, alt: Describe) -> Callable[[Draw], Draw]:
    """Decorator that registers a figure with its alternative text and draws it in our style."""

    def add(draw: Draw) -> Draw:
        @functools.wraps(draw)
        def styled(view: View, options: Any, title: str) -> dict[str, Figure]:
            with style.applied():
                return draw(view, options, title)

        ALTS.add(name, alt)
        return FIGURES.add(name, styled)

    return add


def alt(name: str, view: View, options: Any, suffix: str = "") -> str:
    """Alternative text of a figure: what a reader who cannot see it needs to know.

    Args:
        name: name of the figure in :data:`FIGURES`
        view: the arrays that the figure shows
        options: options of the design
        suffix: which one, if the figure has several

    Raises:
        ConfigError: if there is no figure of that name
        DataError: if the figure has no such suffix
    """
    texts = ALTS.get(name)(view, options)
    if suffix not in texts:
        text = ", ".join(repr(text) for text in texts) or "none"
        raise DataError(f"figure '{name}': no suffix {suffix!r} here. Known: {text}")
    return texts[suffix]


def option(options: Any, name: str, default: Any = None) -> Any:
    """Field of design options, which may be a record or a mapping.

    >>> option({"unit": "speaker"}, "unit"), option(None, "unit", "file")
    ('speaker', 'file')
    """
    if isinstance(options, Mapping):
        return options.get(name, default)
    return getattr(options, name, default)


def aligned(view: View, condition: str = ORIGINAL) -> tuple[np.ndarray, np.ndarray]:
    """Truth and prediction in a condition without the samples that miss one of them."""
    truth, prediction = view.truth, view.predictions[condition]
    keep = present(truth) & present(prediction)
    return truth[keep], prediction[keep]


def present(values: np.ndarray) -> np.ndarray:
    """Where a value is there: finite numbers, labels that are not None.

    >>> present(np.array([0.5, np.nan])).tolist()
    [True, False]
    """
    values = np.asarray(values)
    if values.dtype == object:
        import pandas as pd

        return ~pd.isna(values)
    return np.isfinite(values)


def labels_of(view: View, *values: np.ndarray) -> list[str]:
    """Classes of the target in its order, then any other label that occurs, sorted."""
    labels = list(view.target.labels)
    seen = {str(label) for part in values for label in part}
    return labels + sorted(seen - set(labels))


def groups(view: View, attribute: str | Iterable[str]) -> dict[str, np.ndarray]:
    """Rows of every group, by name in alphabetical order.

    Args:
        view: the arrays
        attribute: column of the samples, or several for their intersections

    Returns:
        group (``value``, or ``value, value``) -> mask over the samples; samples without the
        attribute are in none
    """
    columns = [attribute] if isinstance(attribute, str) else list(attribute)
    table = view.samples[columns]
    there = table.notna().all(axis=1).to_numpy(dtype=bool)
    names = np.array([", ".join(map(str, row)) for row in table.to_numpy(dtype=object)], object)
    return {name: there & (names == name) for name in sorted(set(names[there]))}


def by_group(view: View, options: Any) -> dict[str, tuple[str, np.ndarray, np.ndarray]]:
    """Suffix -> group, truth and prediction of its samples; ``options.attribute`` names it."""
    truth, prediction = view.truth, view.prediction
    there = present(truth) & present(prediction)
    masks = groups(view, option(options, "attribute"))
    return {
        suffix: (name, truth[there & masks[name]], prediction[there & masks[name]])
        for name, suffix in suffixes(masks).items()
    }


def shifts(view: View, options: Any) -> dict[str, tuple[str, str, np.ndarray, np.ndarray]]:
    """Suffix -> names of reference and changed condition, and the predictions in both.

    ``options.pairs`` lists (reference, changed); without it every condition is compared with
    the first, which is the original if there is one. Conditions that were not run have none.
    """
    here = list(view.predictions)
    pairs = option(options, "pairs") or [(here[0], name) for name in here[1:]]
    pairs = [pair for pair in pairs if set(pair) <= set(here)]
    names = suffixes(changed for _, changed in pairs)
    entries = {}
    for reference, changed in pairs:
        before, after = view.predictions[reference], view.predictions[changed]
        there = present(before) & present(after)
        words = (
            condition.replace("-", " ").replace("_", " ") for condition in (reference, changed)
        )
        entries[names[changed]] = (*words, before[there], after[there])
    return entries


def suffixes(names: Iterable[str]) -> dict[str, str]:
    """Name -> suffix that is safe in a file name and unique among the names.

    >>> suffixes(["female", "low, female", "Low/Female"])
    {'female': 'female', 'low, female': 'low-female', 'Low/Female': 'low-female-2'}
    """
    slugs: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"\W+", "-", name.lower()).strip("-") or "other"
        suffix, n = stem, 1
        while suffix in slugs.values():
            n += 1
            suffix = f"{stem}-{n}"
        slugs[name] = suffix
    return slugs
