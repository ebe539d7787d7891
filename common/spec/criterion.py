"""When a score passes: the part of a test that judges."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal

import pydantic


class Record(pydantic.BaseModel):
    """Base of all records: frozen, unknown keys refused."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class Criterion(Record):
    """When a score passes. Bounds are exclusive, as in the paper.

    ``within: simulated`` stands for a bound that follows from what chance models reach with
    the samples at hand (:mod:`common.uncertainty.simulation`); it is replaced before a score is judged.

    >>> str(Criterion(above=0.5)), str(Criterion(within=0.1)), str(Criterion(between=(0.2, 0.4)))
    ('> 0.5', '|x| < 0.1', '0.2 < x < 0.4')
    """

    above: float | None = None
    below: float | None = None
    within: float | Literal["simulated"] | None = None
    between: tuple[float, float] | None = None

    @pydantic.model_validator(mode="after")
    def _one(self) -> Criterion:
        rules = [n for n in ("above", "below", "within", "between") if getattr(self, n) is not None]
        if len(rules) != 1:
            raise ValueError("needs exactly one of: above, below, within, between")
        return self

    @classmethod
    @lru_cache(maxsize=256)
    def of_text(cls, text: str) -> Criterion:
        """The criterion that a result row names, the inverse of ``str``.

        Raises:
            ValueError: if a text is none

        >>> rules = ("> 0.5", "< -0.1", "|x| < 0.075", "0.2 < x < 0.4")
        >>> all(str(Criterion.of_text(rule)) == rule for rule in rules)
        True
        """
        for pattern, make in _RULES:
            if match := re.fullmatch(pattern, text):
                return cls(**make(*map(float, match.groups())))
        raise ValueError(f"'{text}' is no criterion")

    def pointless(self, low: float, high: float) -> str:
        """Why the criterion tells no scores apart; empty: it does.

        Args:
            low: smallest possible score
            high: largest possible score

        >>> Criterion(above=1.4).pointless(0, 1), Criterion(within=0.1).pointless(-1, 1)
        ('> 1.4: no score from 0 to 1 meets it', '')
        >>> Criterion(below=2).pointless(0, 1)
        '< 2: every score from 0 to 1 meets it'
        """
        if self.is_simulated:
            return ""
        least, most = self._ends
        scores = f"score from {low:g} to {high:g} meets it"
        if least >= most or least >= high or most <= low:
            return f"{self}: no {scores}"
        return f"{self}: every {scores}" if least < low and most > high else ""

    @property
    def _ends(self) -> tuple[float, float]:
        """What scores lie between, both exclusive, of criteria that are not simulated."""
        if self.within is not None:
            return -float(self.within), float(self.within)
        if self.between is not None:
            return self.between
        least = -math.inf if self.above is None else self.above
        return least, math.inf if self.below is None else self.below

    @property
    def is_simulated(self) -> bool:
        """Whether the bound has to be simulated first."""
        return self.within == "simulated"

    @property
    def threshold(self) -> str:
        """The number alone, as in the criteria tables."""
        if self.is_simulated:
            return "simulated"
        if self.between is not None:
            return f"{self.between[0]:g} to {self.between[1]:g}"
        bound = next(b for b in (self.above, self.below, self.within) if b is not None)
        return f"{bound:g}"

    def __str__(self) -> str:
        if self.above is not None:
            return f"> {self.above:g}"
        if self.below is not None:
            return f"< {self.below:g}"
        if self.within is not None:
            return f"|x| < {self.threshold}"
        low, high = self.between or (float("nan"), float("nan"))
        return f"{low:g} < x < {high:g}"


_NUMBER = r"(-?\d[^ ]*)"
_RULES: tuple[tuple[str, Callable[..., dict[str, Any]]], ...] = (
    (rf"> {_NUMBER}", lambda bound: {"above": bound}),
    (rf"< {_NUMBER}", lambda bound: {"below": bound}),
    (rf"\|x\| < {_NUMBER}", lambda bound: {"within": bound}),
    (rf"{_NUMBER} < x < {_NUMBER}", lambda low, high: {"between": (low, high)}),
)


class MetricUse(Record):
    """One metric of a test with its criterion and parameters."""

    metric: str
    criterion: Criterion
    params: Mapping[str, Any] = {}

    @pydantic.model_validator(mode="before")
    @classmethod
    def _flat(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or "criterion" in value:
            return value
        for key in value:
            if isinstance(key, (int, float)):
                raise ValueError(f"found the key {key}; numbers have a decimal point, not a comma")
        bounds = {k: v for k, v in value.items() if k in Criterion.model_fields}
        rest = {k: v for k, v in value.items() if k not in bounds and k != "metric"}
        return {"metric": value.get("metric"), "criterion": bounds, "params": rest}


class Chance(Record):
    """For which number of samples thresholds were chosen from simulated chance models.

    Args:
        samples: samples per group; for shifts per group and context
        groups: number of groups
    """

    samples: int = pydantic.Field(ge=1)
    groups: int = pydantic.Field(ge=2)
