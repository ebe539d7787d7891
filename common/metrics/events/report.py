"""Tables of figures with the words of sed_eval: overall, class by class, and their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.errors import ConfigError
from . import figures

#: group of figures -> name of the figure -> its value
Figures = dict[str, dict[str, float]]
#: as :data:`Figures`, with one value per class or file
Columns = Mapping[str, Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class Options:
    """How figures are computed from counts.

    Args:
        zero_score: whether the precision of a class without output is 0 and not NaN
        beta: weight of the recall in F
        factor: weight of the sensitivity in the balanced accuracy
        compatibility: ``sed_eval``: its rates over an empty reference, and its weights of the
            balanced accuracy; None: as documented here

    Raises:
        ConfigError: for values out of range
    """

    zero_score: bool = True
    beta: float = 1.0
    factor: float = 0.5
    compatibility: str | None = None

    def __post_init__(self) -> None:
        if self.compatibility not in (None, "sed_eval"):
            raise ConfigError(f"compatibility: '{self.compatibility}' is neither None nor sed_eval")
        if not self.beta > 0:
            raise ConfigError(f"beta: {self.beta} is not above 0")
        if not 0 <= self.factor <= 1:
            raise ConfigError(f"factor: {self.factor} is not in [0, 1]")

    @property
    def epsilon(self) -> float:
        """What is added to the denominators of rates."""
        return figures.SED_EVAL_EPSILON if self.compatibility else 0.0


def f_figures(
    tp: np.ndarray, ref: np.ndarray, sys: np.ndarray, options: Options
) -> dict[str, np.ndarray]:
    """F-measure, precision and recall from true positives, reference and system items."""
    precision = figures.precision(tp, sys, zero_score=options.zero_score)
    recall = figures.recall(tp, ref)
    return {
        "f_measure": figures.f_measure(precision, recall, beta=options.beta),
        "precision": precision,
        "recall": recall,
    }


def error_rates(
    errors: Mapping[str, np.ndarray], ref: np.ndarray, options: Options
) -> dict[str, np.ndarray]:
    """Rates of several kinds of errors, and their sum as ``error_rate``."""
    rates = {
        name: figures.rate(count, ref, epsilon=options.epsilon) for name, count in errors.items()
    }
    return {"error_rate": np.sum(list(rates.values()), axis=0), **rates}


class Scores(NamedTuple):
    """Figures of a test set.

    Args:
        overall: from counts that are summed over classes (micro average)
        class_wise: label -> figures
        class_wise_average: mean over classes of each figure, NaN left out (macro average)
    """

    overall: Figures
    class_wise: dict[str, Figures]
    class_wise_average: Figures


def scores(overall: Columns, class_wise: Columns, labels: Sequence[str]) -> Scores:
    """Figures as plain numbers in nested dictionaries.

    Args:
        overall: figures, each of shape ()
        class_wise: figures, each of shape (labels,); the group ``count`` is not averaged
        labels: names of the classes
    """
    return Scores(
        overall=_plain(overall),
        class_wise={
            label: {
                group: {name: float(values[code]) for name, values in columns.items()}
                for group, columns in class_wise.items()
            }
            for code, label in enumerate(labels)
        },
        class_wise_average={
            group: {name: figures.mean_of_classes(values) for name, values in columns.items()}
            for group, columns in class_wise.items()
            if group != "count"
        },
    )


def _plain(columns: Columns) -> Figures:
    return {
        group: {name: float(value) for name, value in part.items()}
        for group, part in columns.items()
    }
