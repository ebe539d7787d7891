"""Labels that occur, and the one that stands for no class of the target."""

from __future__ import annotations

import numpy as np

#: a prediction that names a class which the target does not have: wrong for every sample, and no
#: class of its own, so that it has no part in an average over classes
NO_CLASS = "no class"


def observed_labels(*values: np.ndarray) -> tuple[str, ...]:
    """Sorted union of the labels that occur in the arrays; :data:`NO_CLASS` is none.

    >>> observed_labels(np.array(["b", "a"], dtype=object), np.array(["c", "a"], dtype=object))
    ('a', 'b', 'c')
    >>> observed_labels(np.array(["b", NO_CLASS], dtype=object))
    ('b',)
    """
    labels = {str(label) for array in values for label in np.unique(array)}
    return tuple(sorted(labels - {NO_CLASS}))
