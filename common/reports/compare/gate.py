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

    alpha: float = pydantic.Field(default=0.05, gt=0, lt=1)
    min_effect: float = pydantic.Field(default=0.0, ge=0, allow_inf_nan=False)
    tests: Mapping[str, float | Literal["ignore"]] = {}
    metrics: Mapping[str, float | Literal["ignore"]] = {}
    allow_missing: bool = False

    @pydantic.field_validator("tests", "metrics")
    @classmethod
    def _sizes(
        cls, value: Mapping[str, float | Literal["ignore"]]
    ) -> Mapping[str, float | Literal["ignore"]]:
        for name, size in value.items():
            if isinstance(size, float) and not 0 <= size < math.inf:
                raise ValueError(f"'{name}': an effect is a number of at least 0")
        return value

    def effect(self, pair: Pair) -> float | None:
        """Smallest effect that counts for a pair; None: it is ignored."""
        size = self.tests.get(pair.test, self.metrics.get(pair.metric, self.min_effect))
        return None if isinstance(size, str) else size


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
        where = f"{path}: " if path else ""
        raise ConfigError(f"{where}{fault(Rules, '', error)}") from None
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
