"""What single raters said: the part of a dataset's entry that names their columns."""

from __future__ import annotations

from collections.abc import Mapping

import pydantic

from .criterion import Record


class Ratings(Record):
    """What single raters said about each sample: a column per rater, or counted votes.

    Args:
        columns: columns of raters; whose they are may differ from sample to sample
        votes: class -> column with the number of raters who chose it
        table: other table that holds the columns, joined by segment if it is segmented, else by
            file
    """

    columns: tuple[str, ...] = ()
    votes: Mapping[str, str] = {}
    table: str = ""

    @pydantic.model_validator(mode="after")
    def _one(self) -> Ratings:
        if bool(self.columns) == bool(self.votes):
            raise ValueError("needs either columns or votes")
        if len(self.columns) == 1:
            raise ValueError("needs the columns of two raters or more")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return self.columns or tuple(self.votes.values())
