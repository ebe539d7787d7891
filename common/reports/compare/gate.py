"""Which differences count: levels, sizes, and what a user allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pydantic

from ...core.errors import ConfigError
from ...core.registry import unknown
from ...core.wording import counted
from ...spec import fault, read_yaml
from ...spec.records import Benchmark, Record
from ...uncertainty import benjamini_hochberg
from .pairs import IGNORED, Comparison, Outcome, Pair

#: word of a rule that counts no difference
IGNORE = "ignore"


class Rules(Record):
    """When a difference counts.

    Args:
        alpha: level of the false discovery rate
        min_effect: smallest gain or loss that counts, in the unit of the metric
        tests: test -> its own smallest effect, or ``ignore``
        metrics: metric -> its own smallest effect, or ``ignore``; a test goes first
        allow_missing: whether the gate may pass although scores of the baseline could not be
            compared
    """

    alpha: float = 0.05
    min_effect: float = 0.0
    tests: Mapping[str, float | Literal["ignore"]] = {}
    metrics: Mapping[str, float | Literal["ignore"]] = {}
    allow_missing: bool = False

    @pydantic.field_validator("alpha")
    @classmethod
    def _level(cls, value: float) -> float:
        if not 0 < value < 1:
            raise ValueError("must lie between 0 and 1")
        return value

    @pydantic.field_validator("min_effect")
    @classmethod
    def _size(cls, value: float) -> float:
        if not 0 <= value < math.inf:
            raise ValueError("must be a number of at least 0")
        return value

    @pydantic.field_validator("tests", "metrics", mode="before")
    @classmethod
    def _sizes(cls, value: object) -> object:
        """Checks sizes before pydantic does, which would name the types that they may have."""
        for name, size in value.items() if isinstance(value, Mapping) else ():
            if size != IGNORE and not _is_size(size):
                raise ValueError(
                    f"'{name}': an effect is a number of at least 0, or {IGNORE}; found {size!r:.60}"
                )
        return value

    def effect(self, pair: Pair) -> float | None:
        """Smallest effect that counts for a pair; None: it is ignored."""
        size = self.tests.get(pair.test, self.metrics.get(pair.metric, self.min_effect))
        return None if isinstance(size, str) else size


def _is_size(value: object) -> bool:
    """Whether a value of YAML is the size of an effect."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    try:
        return 0 <= float(value) < math.inf
    except ValueError:
        return False


def load_rules(
    path: Path | None,
    benchmark: Benchmark,
    *,
    alpha: float | None,
    min_effect: float | None,
    allow_missing: bool | None,
) -> Rules:
    """Rules of a YAML file, with what the command line says on top: None says nothing.

    Raises:
        ConfigError: with file and place, for what is wrong or unknown
    """
    from ...metrics import METRICS

    content = (read_yaml(path) or {}) if path is not None else {}
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: expected key: value lines, found {content!r:.60}")
    options = {"alpha": alpha, "min_effect": min_effect, "allow_missing": allow_missing}
    content = {**content, **{name: value for name, value in options.items() if value is not None}}
    try:
        rules = Rules.model_validate(content)
    except pydantic.ValidationError as error:
        reason = fault(Rules, "", error)
        name, _, rest = reason.partition(": ")
        if options.get(name) is not None:
            raise ConfigError(f"--{name.replace('_', '-')}: {rest}") from None
        raise ConfigError(f"{path}: {reason}") from None
    for name in rules.tests:
        if name not in benchmark.tests:
            raise unknown("test", name, benchmark.tests, f"{path}: tests")
    for name in rules.metrics:
        if name not in METRICS:
            raise unknown("metric", name, METRICS.names(), f"{path}: metrics")
    return rules


def judged(comparison: Comparison, rules: Rules) -> Comparison:
    """The comparison with adjusted p values and outcomes.

    All pairs that were tested count for the correction, also those that rules ignore, so that
    a rule cannot make another difference significant.
    """
    q = benjamini_hochberg(np.array([pair.p for pair in comparison.pairs], dtype=float))
    pairs = [
        pair
        if not pair.method
        else replace(pair, q=float(value), outcome=_outcome(pair, value, rules))
        for pair, value in zip(comparison.pairs, q, strict=True)
    ]
    pairs = [
        replace(pair, outcome="not compared", reason=IGNORED)
        if rules.effect(pair) is None
        else pair
        for pair in pairs
    ]
    return replace(comparison, pairs=pairs)


def _outcome(pair: Pair, q: float, rules: Rules) -> Outcome:
    least = rules.effect(pair)
    if pair.gain == 0 and pair.low == pair.high == 0:
        return "equal"
    if math.isnan(q) or q > rules.alpha or least is None or abs(pair.gain) < least:
        return "cannot tell"
    return "better" if pair.gain > 0 else "worse"


def compared(comparison: Comparison) -> int:
    """Number of pairs with an outcome."""
    return len(comparison.pairs) - comparison.count("not compared")


def passes(comparison: Comparison, rules: Rules) -> tuple[bool, str]:
    """Whether the candidate may replace the baseline, and why not.

    A gate that compared nothing does not pass, as it has nothing to say. Nor does one that could
    not compare a score of the baseline, as it may hide what got worse, unless rules allow it.
    """
    worse, count = comparison.count("worse"), compared(comparison)
    if worse:
        return False, f"{worse} of {count} compared scores got significantly worse"
    if not count:
        return False, "nothing could be compared"
    lost = sum(pair.missing for pair in comparison.pairs)
    if lost and not rules.allow_missing:
        return (
            False,
            f"{counted(lost, 'score')} of the baseline could not be compared (--allow-missing)",
        )
    return True, f"none of {count} compared scores got significantly worse"
