"""What a model weighs: its parameters and the size of its files, without predicting.

Counted are the stored values of the network: weights, biases, and constants such as the running means
of a normalisation. The entry may say another number (``parameters``), which then counts: its author
may know which of them are weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .. import spec
from ..core.errors import ModelError

#: who says how many parameters there are
FILES, ENTRY = "files", "entry"
#: a declared number that differs by more than this factor from a counted one is a mistake
FACTOR = 2


class Footprint(NamedTuple):
    """What is known without predicting.

    Args:
        parameters: number of stored values of the network; None: not stated
        size_bytes: size of the files that hold them; None: not stated
        parameters_from: who says the number: ``files`` (or what they hold), ``entry``, or empty
    """

    parameters: int | None = None
    size_bytes: int | None = None
    parameters_from: str = ""

    def with_entry(self, entry: spec.Model) -> Footprint:
        """What the entry says, else what the files say."""
        if entry.parameters is not None:
            return self._replace(parameters=entry.parameters, parameters_from=ENTRY)
        return self if self.parameters is None else self._replace(parameters_from=FILES)

    def fault(self, entry: spec.Model) -> str:
        """What is wrong with the number that an entry says; empty: nothing that files tell.

        >>> entry = spec.Model(id="m", version="1", adapter="onnx", parameters=94)
        >>> Footprint(94_371_712).fault(entry)
        'parameters: 94, but its files hold 94371712 values'
        """
        counted, stated = self.parameters, entry.parameters
        if counted is None or stated is None or counted <= FACTOR * stated <= FACTOR**2 * counted:
            return ""
        return f"parameters: {stated}, but its files hold {counted} values"


def size_of(files: Iterable[Path], where: str) -> int:
    """Bytes of files.

    Args:
        files: files of a model
        where: start of the message if one is not there

    Raises:
        ModelError: if a file cannot be looked at
    """
    total = 0
    for path in files:
        try:
            total += path.stat().st_size
        except OSError as error:
            raise ModelError(
                f"{where}: '{path.name}' cannot be read: {error.strerror or error}"
            ) from None
    return total


def is_noted(facts: Mapping[str, Any], entry: spec.Model) -> bool:
    """Whether what a manifest notes of a model holds its footprint, with what the entry says."""
    if not set(Footprint._fields) <= facts.keys():
        return False
    if entry.parameters is None:
        return facts["parameters_from"] != ENTRY
    return facts["parameters_from"] == ENTRY and facts["parameters"] == entry.parameters
