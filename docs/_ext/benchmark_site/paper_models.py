"""Published models and what is known of the networks that they were built on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmark_site.sources import COST, FACTS, FOUNDATION, UNSTATED, WEIGHTS, Model
from common.results import published
from common.results.cost import of_network

#: of the weights of the published models
UNPUBLISHED = "fine-tuned ones are not published"
#: facts of the network that a model was built on
BUILT = frozenset((*FOUNDATION.values(), COST["parameters"], WEIGHTS, FACTS["license"]))


def paper_models(rows: pd.DataFrame) -> dict[str, list[Model]]:
    """Target -> its published models, from all published rows."""
    chance = set(published.chance())
    foundations = published.foundations()
    models: dict[str, list[Model]] = {}
    triples = rows[["target", "model", "model_version"]].drop_duplicates()
    for target, name, version in triples.itertuples(index=False):
        model = Model(
            id=name,
            label=name,
            chance=name in chance,
            published=True,
            facts=(
                *_foundation(foundations.get(name, {})),
                ("Source", "published results of the paper"),
                ("Published id", version),
            ),
            cost=of_network(foundations.get(name, {}).get("parameters_million", "")),
        )
        models.setdefault(target, []).append(model)
    return models


def _foundation(entry: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is known of the network that a model was built on; nothing for chance models."""
    facts = [(label, entry[key]) for key, label in FOUNDATION.items() if entry.get(key)]
    if not facts:
        return []
    if not entry.get("parameters_million"):
        sizes = entry.get("sizes", "")
        facts.append((COST["parameters"], f"{UNSTATED} which size: {sizes}" if sizes else UNSTATED))
    return [
        *facts,
        (WEIGHTS, _weights(entry.get("weights", "").split())),
        (
            FACTS["license"],
            f"of the pre-trained weights: {entry.get('weights_license') or UNSTATED}",
        ),
    ]


def _weights(addresses: Sequence[str]) -> str:
    """What is to be had of the weights of a published model.

    >>> _weights(["https://a.org/b"])
    'fine-tuned ones are not published; pre-trained: https://a.org/b'
    >>> _weights(["https://a.org/b", "https://a.org/c", "https://a.org/d"]).partition("; ")[2]
    'pre-trained (not stated which): https://a.org/b, https://a.org/c or https://a.org/d'
    """
    if not addresses:
        return UNPUBLISHED
    *others, last = addresses
    if not others:
        return f"{UNPUBLISHED}; pre-trained: {last}"
    return f"{UNPUBLISHED}; pre-trained (not stated which): {', '.join(others)} or {last}"
