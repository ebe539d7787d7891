r"""How often a fair model is called unfair, if samples of one speaker resemble each other.

A fair model treats every group alike, but it hears speakers: a part of the variance of its
predictions is that between speakers. Bounds from independent samples do not know of speakers, a
permutation of speakers does. ``build.py simulate --alarms`` shows what this does to each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import rng
from ..core.documents import read_yaml
from ..uncertainty.simulation.bounds import Bounds
from ..uncertainty.simulation.setup import truncated_normal

if TYPE_CHECKING:
    from ..designs import Score, View
    from ..spec import MetricUse, Test

#: parts of the variance of predictions that lie between speakers
SHARES = (0.0, 0.1, 0.3, 0.5)
#: fair models that are simulated for each of them, and permutations of each
MODELS, PERMUTATIONS = 400, 499
#: correlation of truth and prediction of a model that listens
LISTENS = 0.7
#: adjusted p values below this are alarms
LEVEL = 0.05


@dataclass(frozen=True)
class AlarmScene:
    """Samples of a fairness test.

    Args:
        test: id of the test whose regression metrics and bounds are used
        metrics: those of them that are looked at
        groups: number of groups
        speakers: speakers per group
        segments: samples per speaker
    """

    test: str
    metrics: Sequence[str]
    groups: int
    speakers: int
    segments: int


#: scenes that are simulated if no others are given
SCENES = tuple(AlarmScene(**scene) for scene in read_yaml(Path(__file__).with_suffix(".yaml")))


def alarms(
    tests: Mapping[str, Test],
    bounds: Bounds,
    *,
    seed: int,
    models: int = MODELS,
    scenes: tuple[AlarmScene, ...] = SCENES,
    shares: tuple[float, ...] = SHARES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Shares of fair models of which some group is called unfair.

    Args:
        tests: tests of the suite
        bounds: simulates bounds
        seed: of the draws
        models: number of simulated models
        scenes: samples
        shares: parts of the variance that lie between speakers
        progress: told how far it is

    Returns:
        for each scene, metric and part of the variance: shares of models with a score on or
        beyond the ``published`` bound, on or beyond the ``simulated`` one, with an adjusted p
        value below 0.05 (``permuted``), and with both that and a score on or beyond the
        published bound (``unfair``)
    """
    rows = []
    total = len(scenes) * len(shares) * models
    for number, scene in enumerate(scenes):
        uses = [use for use in tests[scene.test].regression if use.metric in scene.metrics]
        for place, share in enumerate(shares):
            counts = {use.metric: np.zeros(4) for use in uses}
            for model in range(models):
                generator = rng.generator(seed, "alarms", scene.test, share, model)
                view = _view(scene, share, generator, model)
                for metric, hits in _judged(tests[scene.test], view, uses, bounds):
                    counts[metric] += hits
                progress((number * len(shares) + place) * models + model + 1, total)
            names = ("published", "simulated", "permuted", "unfair")
            rows += [
                {
                    "test": scene.test,
                    "metric": metric,
                    "between_speakers": share,
                    **dict(zip(names, (hits / models).tolist(), strict=True)),
                    "models": models,
                }
                for metric, hits in counts.items()
            ]
    return rows


def _view(scene: AlarmScene, share: float, generator: np.random.Generator, seed: int) -> View:
    """Truth and predictions of a fair model that listens."""
    import pandas as pd

    from ..designs import ORIGINAL, View
    from ..spec import Target

    speakers = scene.groups * scene.speakers
    speaker = np.repeat(np.arange(speakers), scene.segments)

    def drawn() -> np.ndarray:
        """Standard normal numbers, a part of whose variance lies between speakers."""
        effect = generator.standard_normal(speakers)[speaker]
        rest: np.ndarray = generator.standard_normal(len(speaker))
        return math.sqrt(share) * effect + math.sqrt(1 - share) * rest

    truth = drawn()
    prediction = LISTENS * truth + math.sqrt(1 - LISTENS**2) * drawn()
    group = np.char.add("group ", (speaker // scene.speakers).astype(str)).astype(object)
    samples = pd.DataFrame(
        {
            "file": np.char.add("s", np.arange(len(speaker)).astype(str)).astype(object),
            "start": 0,
            "end": -1,
            "speaker": speaker.astype(str).astype(object),
            "group": group,
            "truth": _uniform(truth),
        }
    )
    target = Target(id="truth", label="Truth", kind="regression", range=(0, 1))
    return View(target, samples, {ORIGINAL: _uniform(prediction)}, seed=seed)


def _uniform(values: np.ndarray) -> np.ndarray:
    """Standard normal numbers as numbers of the chance model."""
    from scipy.special import ndtr

    return truncated_normal(ndtr(values))


def _judged(
    test: Test, view: View, uses: list[MetricUse], bounds: Bounds
) -> Iterator[tuple[str, np.ndarray]]:
    """Of each metric, which of the four judgements raise an alarm for some group."""
    from ..designs import design_of
    from ..designs.certainty import permutations

    grouped = {"attribute": "group", "min_group": 1}
    plain = test.model_copy(update={"design": {test.design_name: grouped}})
    scores: list[Score] = design_of(plain).scores(view, uses)
    outcomes = permutations(scores, view, permutations=PERMUTATIONS)
    for use in uses:
        published = float(use.criterion.threshold)
        hits = np.zeros(4, dtype=bool)
        for score, outcome in zip(scores, outcomes, strict=True):
            if score.metric != use.metric or outcome is None:
                continue
            size, significant = abs(score.value), outcome.p_value < LEVEL
            simulated = bounds.bound(use, view.target, score.sizes).threshold
            beyond = size >= published
            hits |= np.array([beyond, size >= simulated, significant, significant and beyond])
        yield use.metric, hits
