"""How much of a dataset is used: a part is enough to see how everything works."""

from __future__ import annotations

from typing import Self

import pydantic

from .criterion import Record


class Sizes(Record):
    """What an entry of a dataset says about its size.

    Args:
        full: larger database that takes the place of ``name`` where all data are asked for
        limit_perturbed: most samples of a test that changes signals, which costs the model as
            many signals as there are conditions; 0: all. Where all data are asked for, those
            of ``full`` are used
    """

    full: str = ""
    limit_perturbed: int = pydantic.Field(default=0, ge=0)

    def whole(self) -> Self:
        """The entry with its larger database and without a limit, if there is one."""
        if not self.full:
            return self
        return self.model_copy(update={"name": self.full, "limit_perturbed": 0})
