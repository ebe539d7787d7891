"""What a ranking by the share of passed cells hides, counted in given results.

The page on the published results shows these numbers; they are computed from the scores each
time the site is built.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...core import rng
from ...core.rng import DEFAULT_SEED
from ...results.tally import family_of
from .outcomes import OWNER, verdict_table
from .standings import Standings

#: number of resamples of cells
DRAWS = 2000
#: lower end of a 95 % interval
TAIL = 0.025


class Claims(NamedTuple):
    """Numbers of one target.

    Args:
        executed: smallest and largest number of executed cells, chance models included
        winners: models with the largest share of their executed cells
        common_winners: models with the largest share of the common cells
        common: number of common cells, chance models included
        fairness: share of the fairness cells that chance passes; None: it has none
        below: models with a smaller score than chance, on the cells of the ranking
        same: share of the common cells with one verdict for all models and chance
        same_models: the same without chance
        like_winner: models whose share of common cells cannot be told from the largest one by a
            paired bootstrap of cells
        made: scores, tiers and rank intervals
    """

    executed: tuple[int, int]
    winners: tuple[str, ...]
    common_winners: tuple[str, ...]
    common: int
    fairness: float | None
    below: tuple[str, ...]
    same: float
    same_models: float
    like_winner: int
    made: Standings

    @property
    def changed(self) -> bool:
        """Whether no winner is one on common cells too."""
        return not set(self.winners) & set(self.common_winners)


def claims(
    rows: pd.DataFrame,
    target: str,
    families: Mapping[str, str],
    *,
    standings: Standings,
    chance: Collection[str],
    family: str,
) -> Claims:
    """Count.

    Args:
        rows: result rows of one scope with at least one cell that all models executed
        target: the target
        families: test -> family
        standings: of the same rows
        chance: names of chance models
        family: family of tests in which the share of chance is looked up
    """
    target_rows = rows[rows["target"] == target]
    verdicts = verdict_table(target_rows).droplevel(OWNER[1], axis="columns")
    names = [str(name) for name in verdicts.columns]
    models = [name for name in names if name not in chance]
    dice = [name for name in names if name in chance]
    tests = verdicts.index.get_level_values("test")
    inside = np.array([family_of(str(test), families) == family for test in tests])
    everything = verdicts.dropna()
    common = everything[models]
    shares = {name: float(verdicts[name].mean()) for name in names}
    shared = {name: float(common[name].mean()) for name in models}
    executed = verdicts.notna().sum()
    fair = verdicts[dice].to_numpy()[inside]
    return Claims(
        executed=(int(executed.min()), int(executed.max())),
        winners=_best({name: shares[name] for name in models}),
        common_winners=_best(shared),
        common=len(common),
        fairness=float(np.nanmean(fair)) if (fair == fair).any() else None,
        below=tuple(
            sorted(s.model for s in standings.compared if s.beyond is not None and s.beyond < 0)
        ),
        same=float((everything.nunique(axis=1) == 1).mean()),
        same_models=float((common.nunique(axis=1) == 1).mean()),
        like_winner=_like_winner(common.to_numpy(), target),
        made=standings,
    )


def _best(shares: Mapping[str, float]) -> tuple[str, ...]:
    most = max(shares.values())
    return tuple(sorted(name for name, share in shares.items() if share == most))


def _like_winner(passed: np.ndarray, target: str) -> int:
    """Models, besides the first, whose difference from it has an interval with zero in it."""
    cells = len(passed)
    drawn = rng.generator(DEFAULT_SEED, "claims", target).multinomial(
        cells, np.full(cells, 1 / cells), size=DRAWS
    )
    shares = drawn @ passed / cells
    first = int(passed.mean(axis=0).argmax())
    low = np.quantile(shares[:, [first]] - shares, TAIL, axis=0)
    return int((low <= 0).sum()) - 1
