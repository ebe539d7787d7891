"""What is computed: presets, options that change them, and what older tools do differently."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from ...core.errors import ConfigError
from ...core.registry import unknown
from ...metrics.events.criteria import Criteria
from ...metrics.events.detection_rates import UNITS, Compatibility, check_alpha_ct
from ...metrics.events.fitting import Collar
from ...metrics.events.matching import MATCHINGS, Matching
from ...metrics.events.presets import (
    DCASE_TASK4_COLLAR,
    DCASE_TASK4_INTERSECTION,
    PSDS,
    PsdsSettings,
)
from ...metrics.events.report import Options
from .options import FAMILIES

#: what is used without a preset: the defaults of psds_eval, and the largest rate of its example
DEFAULT_PSDS = PSDS["psds-eval-readme"]
#: cross-trigger criterion of the confusion matrix where the PSDS counts none
SHOWN_CTTC = 0.3
#: parameters of the metrics that have an option -> its name
_OPTIONS = {
    **{name: f"--{name}-threshold" for name in ("dtc", "gtc", "cttc")},
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (
            *("t_collar", "percentage_of_length", "tolerance", "evaluate_onset"),
            *("evaluate_offset", "factor", "beta", "alpha_ct"),
        )
    },
}
#: a nanosecond; finer steps are below the precision of times
MOST_DECIMALS = 9
#: decimals to which sed_scores_eval rounds
SED_SCORES_EVAL_DECIMALS = 6


@dataclass(frozen=True)
class EventSettings:
    """All that the figures depend on, to be reported with them.

    Args:
        metrics: families of metrics
        time_resolution: length of a segment in s
        factor: weight of the sensitivity in the balanced accuracy
        beta: weight of the recall in F
        collar: what fits
        event_matching_type: how events are matched
        zero_score: whether the precision of a class without output is 0 and not NaN
        psds: name -> settings of a PSDS
        f_criteria: limits of the intersection-based F
        threshold: frame scores above it are events
        decimals: decimals of a second of comparisons; None: exact
        compatibility: tools whose figures are wanted
    """

    metrics: tuple[str, ...]
    time_resolution: float
    factor: float
    beta: float
    collar: Collar
    event_matching_type: Matching
    zero_score: bool
    psds: Mapping[str, PsdsSettings]
    f_criteria: Criteria
    threshold: float
    decimals: int | None
    compatibility: tuple[str, ...]

    @property
    def shown_criteria(self) -> Criteria:
        """Limits of the confusion matrix: those of the first PSDS that counts cross triggers."""
        criteria = [s.criteria for s in self.psds.values() if s.criteria.cttc is not None]
        if criteria:
            return criteria[0]
        first = next(iter(self.psds.values())).criteria
        return Criteria(first.dtc, first.gtc, SHOWN_CTTC, first.decimals)

    @property
    def sed_eval(self) -> Literal["sed_eval"] | None:
        """As the metrics take it."""
        return "sed_eval" if "sed_eval" in self.compatibility else None

    @property
    def psds_eval(self) -> Compatibility | None:
        """As the rates take it."""
        if "psds_eval-0.3" in self.compatibility:
            return "psds_eval-0.3"
        return "psds_eval-0.5" if "psds_eval-0.5" in self.compatibility else None

    def plain(self) -> dict[str, Any]:
        """Settings as plain values."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        content["collar"] = asdict(self.collar)
        content["f_criteria"] = asdict(self.f_criteria)
        content["psds"] = {
            name: {**s._asdict(), "criteria": asdict(s.criteria)} for name, s in self.psds.items()
        }
        return content


@contextmanager
def _options_named() -> Iterator[None]:
    """Let errors of the metrics name the options of the command line instead of their parameters."""
    try:
        yield
    except ConfigError as error:
        place, colon, reason = str(error).partition(": ")
        names = [_OPTIONS.get(name, "") for name in place.split(", ")]
        if not colon or not all(names):
            raise
        raise ConfigError(f"{', '.join(names)}: {reason}") from None


@_options_named()
def settings(args: argparse.Namespace) -> EventSettings:
    """Settings of the command line.

    Raises:
        ConfigError: for a value that is not allowed
    """
    threshold = _given(args.threshold, 0.5)
    if math.isnan(threshold):
        raise ConfigError("--threshold: expected a number, found nan")
    if not 0 <= args.slack < math.inf:
        raise ConfigError(f"--slack: expected a finite number of 0 or more, found {args.slack}")
    dcase = [name for name in args.preset if name.startswith("dcase")]
    compatibility = tuple(dict.fromkeys(args.compatibility))
    if {"psds_eval-0.3", "psds_eval-0.5"} <= set(compatibility):
        raise ConfigError("--compatibility: psds_eval-0.3 and psds_eval-0.5 exclude each other")
    decimals = args.decimals
    if decimals is not None and not 0 <= decimals <= MOST_DECIMALS:
        raise ConfigError(f"--decimals: expected 0 to {MOST_DECIMALS}, found {decimals}")
    if decimals is None and "sed_scores_eval" in compatibility:
        decimals = SED_SCORES_EVAL_DECIMALS
    matching = args.matching
    if matching is None:
        matching = "sed_eval" if "sed_eval" in compatibility else "optimal"
    if matching not in MATCHINGS:
        raise unknown("--matching", matching, MATCHINGS)
    handling = args.empty_system_output_handling
    if handling is None:
        handling = "nan" if "sed_eval" in compatibility else "zero_score"
    rates = Options(beta=_above(args.beta, "--beta", 1.0), factor=_given(args.factor, 0.5))
    share = DCASE_TASK4_COLLAR["percentage_of_length"] if dcase else 0.5
    named = _psds(args, decimals)
    first = next(iter(named.values())).criteria
    return EventSettings(
        metrics=tuple(name for name in FAMILIES if name in args.metrics),
        time_resolution=_above(args.time_resolution, "--time-resolution", 1.0),
        factor=rates.factor,
        beta=rates.beta,
        collar=Collar(
            _given(args.t_collar, 0.2),
            _given(args.percentage_of_length, share),
            _given(args.evaluate_onset, True),
            _given(args.evaluate_offset, True),
            _given(args.tolerance, 0.0),
        ),
        event_matching_type=matching,
        zero_score=handling == "zero_score",
        psds=named,
        f_criteria=DCASE_TASK4_INTERSECTION.rounded(decimals)
        if dcase and args.dtc_threshold is None and args.gtc_threshold is None
        else first.without_cross_triggers(),
        threshold=threshold,
        decimals=decimals,
        compatibility=compatibility,
    )


def _psds(args: argparse.Namespace, decimals: int | None) -> dict[str, PsdsSettings]:
    """Name -> settings of each PSDS: presets with what the options change."""
    overrides = {
        name: getattr(args, name)
        for name in ("alpha_ct", "alpha_st", "max_efpr")
        if getattr(args, name) is not None
    }
    if args.duration_unit is not None:
        overrides["unit"] = args.duration_unit
        if args.duration_unit not in UNITS:
            raise unknown("unit of time", args.duration_unit, UNITS, "--duration-unit")
    check_alpha_ct(overrides.get("alpha_ct", 0.0))
    if not overrides.get("alpha_st", 0.0) >= 0:
        raise ConfigError(f"--alpha-st: {args.alpha_st} is negative")
    if not 0 < overrides.get("max_efpr", 1.0) < math.inf:
        raise ConfigError(f"--max-efpr: expected a finite number above 0, found {args.max_efpr}")
    limits = {
        name: getattr(args, f"{name}_threshold")
        for name in ("dtc", "gtc", "cttc")
        if getattr(args, f"{name}_threshold") is not None
    }
    scenarios = {}
    for name in args.preset or ["PSDS"]:
        if args.preset and name not in PSDS:
            raise unknown("--preset", name, PSDS)
        base = PSDS.get(name, DEFAULT_PSDS)
        criteria = Criteria(**{**asdict(base.criteria), "decimals": decimals, **limits})
        scenarios[name] = base._replace(criteria=criteria, **overrides)
        if scenarios[name].alpha_ct and criteria.cttc is None:
            raise ConfigError(
                f"--alpha-ct: '{name}' counts no cross triggers; add --cttc-threshold"
            )
    return scenarios


def _given(value: Any, default: Any) -> Any:
    return default if value is None else value


def _above(value: float | None, name: str, default: float) -> float:
    value = default if value is None else value
    if not 0 < value < math.inf:
        raise ConfigError(f"{name}: expected a finite number above 0, found {value}")
    return value
