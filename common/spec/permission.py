"""Whether code that a catalog names may be run."""

from __future__ import annotations

from typing import Self

import pydantic

from .criterion import Record


class Permission(Record):
    """What an entry may do: no key of a file decides about it.

    Args:
        builtin: whether it belongs to the catalog of this program
    """

    builtin: bool = pydantic.Field(default=True, exclude=True)
    _allowed: bool = pydantic.PrivateAttr(default=False)

    @property
    def may_run_code(self) -> bool:
        """Whether code that the entry names may run: that of this program or of an allowed catalog."""
        return self.builtin or self._allowed

    def allowed(self) -> Self:
        """The same entry, whose code may run."""
        entry = self.model_copy()
        entry._allowed = True
        return entry
