"""What the published results say about the conclusions of the paper."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from common.reports import summary
from common.results import published
from common.results.tally import family_of
from common.spec import load_benchmark

SENTIMENT = "fairness_linguistic_sentiment"


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    rows = published.load()
    families = {test.id: test.family for test in load_benchmark().tests.values()}
    families |= {test: family_of(test, families) for test in rows["test"].unique()}
    chance = published.chance()
    claims = {
        target: summary.claims(
            rows,
            target,
            families,
            standings=summary.standings(rows, target, families, chance=chance),
            chance=chance,
            family="fairness",
        )
        for target in rows["target"].unique()
    }
    headline = summary.table7(rows, published.target_order())
    return summary.conclusions(claims, headline, families, sentiment=SENTIMENT, family="fairness")


def test_better_models_pass_fewer_cells_of_text_sentiment(found: dict[str, Any]) -> None:
    assert all(facts.rho < 0 for facts in found.values())
    certain = {target for target, facts in found.items() if facts.is_shortcut}
    assert certain == {"emotion"}
    assert all(facts.q >= summary.LEVEL for t, facts in found.items() if t not in certain)


def test_rho_is_that_of_table_7_and_of_the_shares_of_the_ranking(found: dict[str, Any]) -> None:
    facts = found["emotion"]
    headline = summary.table7(published.load(), published.target_order())
    models = sorted(facts.sentiment)

    def ranks(values: list[float]) -> list[float]:
        return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]

    a = ranks([headline[model]["emotion"] for model in models])
    b = ranks([float(facts.sentiment[model]) for model in models])
    mean = (len(models) + 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    under = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    assert facts.rho == pytest.approx(over / under, abs=1e-12)


def test_chance_passes_what_is_fair(found: dict[str, Any]) -> None:
    for facts in found.values():
        low, high = facts.fairness
        assert facts.chance == 1
        assert low.share < high.share < Fraction(1)
        assert 0 < facts.fair_cells[1] < facts.fair_cells[0]


def test_without_results_nothing_is_concluded() -> None:
    assert summary.conclusions({}, {}, {}, sentiment=SENTIMENT, family="fairness") == {}
