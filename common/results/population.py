r"""Scores of a population in which speakers have other shares than in the sample.

"Will it work for my users: 70 % women, mostly German" is a question of weights. The sums of each
speaker are kept (:mod:`common.results.sums`), and a score is a function of sums, so it is answered
exactly: the sums of speaker :math:`c` are multiplied by a weight :math:`w_c` before they are
added up,

.. math:: f\Bigl(\sum_c w_c \mathbf s_c\Bigr), \quad
    w_c = \frac{\pi_{g(c)}}{N_{g(c)} / N},

where :math:`\pi_g` is the share of group :math:`g` in the population, :math:`N_g` the number of its
samples and :math:`N` that of all samples *of the state whose sums these are*. A score that is the
difference of two states is the difference of their weighted scores. With shares of several
traits, sex and language for example, weights are multiplied by :math:`\pi_g N / N_g` for one trait after
the other, with :math:`N_g` of weighted samples, until all shares hold (raking, Deming and Stephan 1940).

A state has the groups that it has: shares of groups without a sample in it are left out, and the others
add up to one. Speakers of no named group share what is left of one, as they do in the sample.

How certain such a score is follows from leaving out each speaker once, with weights found anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.documents import parse_json
from ..core.errors import ConfigError
from ..metrics import METRICS
from ..uncertainty.student import LEVEL, two_sided
from .sums import ABOUT

if TYPE_CHECKING:
    import pandas as pd

#: trait of speakers -> group -> its share in the population
PopulationShares = Mapping[str, Mapping[str, float]]
#: (metric, state, group, label) of a score
ScoreKey = tuple[str, str, str, str]
#: state of all samples, to which a group is compared if nothing else is named
ALL = "all"
#: state of unchanged signals
UNCHANGED = "original"
#: raking ends where no weight changes by more than this part, or after so many rounds
CLOSE, ROUNDS = 1e-13, 500
#: standard errors below this are rounding
ROUNDING = 1e-12
NAN = float("nan")


class WeightedScore(NamedTuple):
    """Score of a population, or the difference of two models there.

    Args:
        value: the score
        low: lower end of its 95 % interval; NaN where each speaker left out tells nothing
        high: upper end
        speakers: number of speakers whose weight is not zero
        p: probability of a value at least as far from zero if it is zero
    """

    value: float
    low: float
    high: float
    speakers: int
    p: float


class _Sums(NamedTuple):
    """Sums of the speakers in a state."""

    metric: str
    place: int
    params: dict[str, object]
    speakers: np.ndarray
    samples: np.ndarray
    sums: np.ndarray
    traits: list[tuple[np.ndarray, np.ndarray]]


def weights_of(samples: np.ndarray, traits: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Weight of each speaker such that groups have their shares of all weighted samples.

    Args:
        samples: number of samples of each speaker, shape (C,)
        traits: of each trait, the group of each speaker, shape (C,), and the shares of the groups;
            those without a sample are left out

    Returns:
        shape (C,); their sum over samples is the number of samples

    >>> codes = np.array([0, 1, 1])
    >>> weights_of(np.array([10, 10, 20]), [(codes, np.array([0.7, 0.3]))]).round(6).tolist()
    [2.8, 0.4, 0.4]
    """
    weights = np.ones(len(samples))
    for _ in range(ROUNDS):
        change = 0.0
        for codes, shares in traits:
            counts = np.bincount(codes, weights=weights * samples, minlength=len(shares))
            goal = np.where(counts > 0, shares, 0.0)
            if goal.sum() <= 0:
                continue
            factor = np.ones(len(shares))
            there = counts > 0
            factor[there] = goal[there] / goal.sum() * counts.sum() / counts[there]
            weights = weights * factor[codes]
            change = max(change, float(np.abs(factor - 1).max()))
        if change < CLOSE:
            break
    return weights


def population_score(
    table: pd.DataFrame,
    key: ScoreKey,
    population: PopulationShares,
    reference: ScoreKey | None = None,
) -> WeightedScore:
    r"""Score of a population, with its interval.

    The standard error is that of the jackknife of speakers: with :math:`C` speakers, the score
    :math:`f` and the one without speaker :math:`c`, the square root of
    :math:`\frac{C - 1}{C} \sum_c (f_{-c} - f)^2`. Critical values are those of Student's t with one degree
    of freedom less than there are speakers of equal weight, Kish's
    :math:`(\sum w_c n_c)^2 / \sum (w_c n_c)^2`.

    Args:
        table: sums of a model, test and dataset (:func:`common.results.sums.read`)
        key: metric, state, group and label
        population: shares of groups, between 0 and 1, for example ``{"sex": {"female": 0.7}}``;
            shares that add up to more than 1 are divided by their sum
        reference: what the score of ``key`` is compared with; None: nothing

    Raises:
        ConfigError: if a share is negative, or if the table has no such score

    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "metric": "mae", "state": "original", "speaker": ["a", "b", "c"], "samples": [10, 10, 20],
    ...     "sums": [[10.0, 1.0], [10.0, 3.0], [20.0, 8.0]], "keys": '[["", ""]]', "given": "{}",
    ...     "speaker_sex": ["female", "male", "male"]})
    >>> key = ("mae", "original", "", "")
    >>> population_score(table, key, {}).value, population_score(table, key, {"sex": {"female": 0.25}}).value
    (0.3, 0.3)
    >>> round(population_score(table, key, {"sex": {"female": 0.7}}).value, 6)
    0.18
    """
    return _judged(_signed(table, key, population, reference, 1), METRICS.get(key[0]).bounds)


def population_difference(
    table: pd.DataFrame,
    other: pd.DataFrame,
    key: ScoreKey,
    population: PopulationShares,
    reference: ScoreKey | None = None,
) -> WeightedScore:
    """Score of the second model minus that of the first, paired by speakers.

    As :func:`population_score`; each speaker is left out of both models at once.

    Args:
        table: sums of the first model
        other: sums of the second one, of the same test and dataset
        key: metric, state, group and label
        population: shares of groups; empty: speakers as they are in the sample
        reference: what the score of ``key`` is compared with; None: nothing

    Raises:
        ConfigError: if a share is negative, or if a table has no such score
    """
    parts = _signed(other, key, population, reference, 1)
    parts += _signed(table, key, population, reference, -1)
    return _judged(parts)


def _signed(
    table: pd.DataFrame,
    key: ScoreKey,
    population: PopulationShares,
    reference: ScoreKey | None,
    sign: int,
) -> list[tuple[int, _Sums]]:
    parts = [(sign, _state(table, key, population))]
    if reference is not None:
        parts.append((-sign, _state(table, reference, population)))
    return parts


def _state(table: pd.DataFrame, key: ScoreKey, population: PopulationShares) -> _Sums:
    metric, state, group, label = key
    rows = table[(table["metric"] == metric) & (table["state"] == state)]
    for params, part in rows.groupby("given", sort=False):
        keys = [tuple(each) for each in parse_json(part["keys"].iloc[0])]
        if (group, label) in keys:
            return _Sums(
                metric,
                keys.index((group, label)),
                parse_json(str(params)),
                part["speaker"].fillna("").to_numpy(dtype=object),
                part["samples"].to_numpy(dtype=np.float64),
                np.stack(part["sums"].to_list()).astype(np.float64),
                [
                    _trait(part[f"{ABOUT}{name}"].to_numpy(dtype=object), shares)
                    for name, shares in population.items()
                    if f"{ABOUT}{name}" in part
                ],
            )
    raise ConfigError(f"there are no sums of {' '.join(filter(None, key))!r}")


def _trait(values: np.ndarray, shares: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Group of each speaker, the last one for all others, and shares of the groups."""
    numbers = np.array(list(shares.values()), dtype=np.float64)
    if (numbers < 0).any() or not np.isfinite(numbers).all():
        raise ConfigError(f"shares are numbers of 0 or more, found {dict(shares)}")
    if numbers.sum() > 1:
        numbers = numbers / numbers.sum()
    place = {name: code for code, name in enumerate(shares)}
    codes = np.array([place.get(value, len(place)) for value in values], dtype=np.int64)
    return codes, np.append(numbers, max(0.0, 1 - numbers.sum()))


def _weights(part: _Sums, keep: np.ndarray) -> np.ndarray:
    return weights_of(part.samples[keep], [(codes[keep], shares) for codes, shares in part.traits])


def _value(part: _Sums, without: object = None) -> float:
    """Score of a state, with all speakers or without one."""
    keep = part.speakers != without if without is not None else np.ones(len(part.speakers), bool)
    function = METRICS.get(part.metric).sums
    assert function is not None
    weighted = _weights(part, keep) @ part.sums[keep]
    return float(function.of(weighted, part.sums.sum(axis=0), part.params)[part.place])


def _judged(
    parts: Sequence[tuple[int, _Sums]], limits: tuple[float, float] = (-np.inf, np.inf)
) -> WeightedScore:
    from scipy.special import stdtrit

    sizes = [_weights(part, np.ones(len(part.samples), bool)) * part.samples for _, part in parts]
    value = sum(sign * _value(part) for sign, part in parts)
    names = sorted(
        {
            name
            for (_, part), size in zip(parts, sizes, strict=True)
            for name in part.speakers[size > 0]
        }
    )
    without = np.array([sum(sign * _value(part, name) for sign, part in parts) for name in names])
    count = len(names)
    error = float(np.sqrt((count - 1) / count * ((without - value) ** 2).sum()))
    if count < 2 or not error > ROUNDING:
        return WeightedScore(value, NAN, NAN, count, NAN)
    equal = min(float(size.sum() ** 2 / (size**2).sum()) for size in sizes)
    freedom = max(1.0, equal - 1)
    arm = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    low, high = value - arm, value + arm
    if len(parts) == 1:
        low, high = max(low, limits[0]), min(high, limits[1])
    p = float(two_sided(np.array(value / error), np.array(freedom)))
    return WeightedScore(value, low, high, count, p)


def groups_named(data: Iterable[str]) -> dict[str, str]:
    """Data of the rows of a cell -> name of their group in its sums: the place in their order.

    >>> groups_named(["d-german", "d-english", "d-german"])
    {'d-english': '0', 'd-german': '1'}
    """
    return {name: str(place) for place, name in enumerate(sorted({*map(str, data)}))}


def sources(row: Mapping[str, Any], group: str) -> Sequence[tuple[ScoreKey, ...]]:
    """Scores of sums that the score of a row may be, or the two that it is the difference of.

    Args:
        row: result row
        group: name of the group, where a metric compares groups that the data of rows name
    """
    metric = METRICS.get(row["metric"]).of or row["metric"]
    state, label = str(row["condition"]), _text(row["label"])
    reference = _text(row.get("reference")) or ALL
    score: ScoreKey = (metric, state, "", label)
    pair = (score, (metric, reference, "", label))
    changed = METRICS.get(row["metric"]).of or state != UNCHANGED
    simple: list[tuple[ScoreKey, ...]] = [
        (score,),
        ((metric, label, "", ""),),
        ((metric, state, group, label),),
    ]
    return [pair, *simple] if changed else simple


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
