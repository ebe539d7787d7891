"""The conclusions of the paper beside what this site finds in the same results."""

from __future__ import annotations

from typing import Any

from benchmark_site import hidden
from benchmark_site.content import Content
from benchmark_site.page import Page
from benchmark_site.render import render, target_doc, test_doc
from common.reports import summary
from common.results import published

#: test that asks whether the sentiment of a text moves the answer
SENTIMENT = "fairness_linguistic_sentiment"


def checked(content: Content, counts: hidden.Counts) -> str:
    """All conclusions, one by one, with addresses as seen from the top of the site."""
    top = Page("index", "")
    boards = hidden.published(content)
    rows = content.table[content.table["source"] == "published"]
    order = [target for target in published.target_order() if target in boards]
    families = {test: facts.family for test, facts in content.tests.items()}
    results = summary.conclusions(
        {target: counts(target) for target in boards},
        summary.table7(rows, order) if order else {},
        families,
        sentiment=SENTIMENT,
        family=hidden.FAMILY,
    )
    columns: list[dict[str, Any]] = [
        {
            "label": content.label(target),
            "href": top.href(target_doc(target)),
            "test": top.href(test_doc(target, SENTIMENT)) if facts.sentiment else "",
            "found": facts,
            "claims": facts.claims,
            "sentiment": _range(list(facts.sentiment.values())),
            "by_mean": _first(second, target),
            "listening": _range(
                [n.total.executed for n in boards[target].ranking if not n.model.chance]
            ),
            "by_chance": sum(line.total.executed for line in _chance(boards[target])),
        }
        for second in [summary.all_mean_over_tests(rows, families)]
        for target, facts in results.items()
    ]
    return render(
        "checked.j2",
        columns=columns,
        executed=sum(column["by_chance"] for column in columns),
        fewer=sum(column["listening"][1] < column["by_chance"] for column in columns),
        shortcuts=sum(facts.is_shortcut for facts in results.values()),
        inverse=sum((facts.rho or 0) < 0 for facts in results.values()),
        beaten=sum(_is_beaten(facts) for facts in results.values()),
        everywhere=_everywhere([set(facts.claims.winners) for facts in results.values()]),
        alike=sum(
            len(f.claims.made.tier(1)) == len(f.claims.made.compared) for f in results.values()
        ),
        reordered=sum(not set(c["by_mean"]) & set(c["claims"].winners) for c in columns),
        fair=sum(
            bool(f.fairness and f.fairness[0].share < f.fairness[1].share) for f in results.values()
        ),
        unbiased=sum(facts.claims.fairness == 1 for facts in results.values()),
        reversed=int(rows["note"].eq(published.NEGATIVE_RHO).sum()),
        level=summary.LEVEL,
    )


def _chance(board: Any) -> list[Any]:
    return [line for line in board.ranking if line.model.chance]


def _is_beaten(facts: summary.Conclusions) -> bool:
    """Whether chance passes a larger share of the fairness cells than any model."""
    chance = facts.claims.made.floor.get(hidden.FAMILY)
    return bool(chance is not None and facts.fairness and chance > facts.fairness[1].share)


def _first(table: Any, target: str) -> list[str]:
    """Models with the largest entry of a column."""
    most = max((values[target] for values in table.values()), default=None)
    return sorted(model for model, values in table.items() if values[target] == most)


def _range(shares: list[Any]) -> tuple[Any, Any] | None:
    return (min(shares), max(shares)) if shares else None


def _everywhere(winners: list[set[str]]) -> list[str]:
    """Models that win every target."""
    return sorted(set.intersection(*winners)) if winners else []
