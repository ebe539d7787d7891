"""Results of a model for its card: a ``model-index`` block and a section in Markdown.

The block follows the metadata of model cards on the Hugging Face hub: a list of results, each
with a task, a dataset and metrics. It holds the scores of the correctness tests that are one
number, with their interval, and for each dataset the share of executed cells that each family
passes. The score of the model stands in the section, as the ranking has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pandas as pd
import yaml

from ...core.display import percent
from ...metrics import METRICS
from ...results import STATUSES
from ...results.tally import VerdictCounts, family_of, half_up
from ...spec.records import Target
from ..metric_names import name_of

Row = Mapping[Any, Any]


#: libyaml writes the same text many times faster, where it is there
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

TASK = "audio-classification"
SOURCE = "speechproof"
FAMILY = "correctness"
#: type of the metric that is the share of passed tests
SHARE = "passed_tests"
#: columns of a row that a card looks at
COLUMNS = [
    *("target", "model_version", "dataset", "dataset_version", "test", "metric", "label"),
    *("value", "n", "ci_low", "ci_high", "criterion", "status"),
]


class Scored(NamedTuple):
    """Score of the model in a ranking.

    Args:
        target: the target
        title: what the ranking rests on
        score: its score there; None: it is not compared
        chance: score of the best chance model there; None: there is none
    """

    target: str
    title: str
    score: Fraction | None
    chance: Fraction | None


def records(rows: pd.DataFrame) -> list[Row]:
    """What a card looks at in result rows."""
    columns = (rows[name].tolist() for name in COLUMNS)
    return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]


def model_index(
    name: str, rows: Sequence[Row], families: Mapping[str, str], targets: Mapping[str, Target]
) -> dict[str, Any]:
    """Metadata block of a model.

    Args:
        name: name of the model
        rows: its result rows, of any targets, see :func:`records`
        families: test -> family
        targets: declared targets, for their labels
    """
    parts: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["target"], row["dataset"], row["dataset_version"]), []).append(row)
    entries = []
    for (target, dataset, version), part in sorted(parts.items(), key=lambda item: item[0]):
        metrics = [*_scores(part, families), *_shares(part, families)]
        if metrics:
            label = _label(target, targets)
            entries.append(
                {
                    "task": {"type": TASK, "name": f"{label} prediction"},
                    "dataset": {"name": dataset, "type": dataset, "revision": version},
                    "metrics": metrics,
                    "source": {"name": SOURCE},
                }
            )
    return {"model-index": [{"name": name, "results": entries}]}


def _label(target: str, targets: Mapping[str, Target]) -> str:
    return targets[target].label if target in targets else target


def _scores(rows: Sequence[Row], families: Mapping[str, str]) -> list[dict[str, Any]]:
    """Scores of correctness tests that are one number."""
    entries: list[dict[str, Any]] = []
    for row in rows:
        if row["label"] or pd.isna(row["value"]) or families.get(row["test"], "") != FAMILY:
            continue
        args = {"test": row["test"], "criterion": row["criterion"], "verdict": row["status"]}
        if pd.notna(row["n"]):
            args["n"] = int(row["n"])
        if pd.notna(row["ci_low"]):
            args["interval_95"] = [float(row["ci_low"]), float(row["ci_high"])]
        entries.append(
            {
                "type": row["metric"],
                "name": name_of(row["metric"]).full if row["metric"] in METRICS else row["metric"],
                "value": float(row["value"]),
                "args": args,
            }
        )
    return entries


def _shares(rows: Sequence[Row], families: Mapping[str, str]) -> list[dict[str, Any]]:
    """Share of passed tests of each family."""
    verdicts = Counter((family_of(row["test"], families), row["status"]) for row in rows)
    entries = []
    for family in sorted({family for family, _ in verdicts}):
        passed, failed, skipped, _ = (verdicts[family, status] for status in STATUSES)
        executed = passed + failed
        if executed:
            entries.append(
                {
                    "type": SHARE,
                    "name": f"Share of executed {family} cells that pass",
                    "value": half_up(Fraction(passed, executed), 4),
                    "args": {"passed": passed, "executed": executed, "skipped": skipped},
                }
            )
    return entries


def card(
    name: str,
    rows: Sequence[Row],
    families: Mapping[str, str],
    targets: Mapping[str, Target],
    *,
    facts: Mapping[str, Any],
    scores: Sequence[Scored],
    built: Sequence[tuple[str, str]] = (),
) -> str:
    """Model card: the metadata block, then a section to be pasted into a card.

    Args:
        name: name of the model
        rows: its result rows, see :func:`records`
        families: test -> family
        targets: declared targets
        facts: what is known about the model, for example its ``license``
        scores: where it stands, target by target
        built: name and value of what is known of the network that it was built on
    """
    block: dict[str, Any] = {}
    if facts.get("license"):
        block["license"] = str(facts["license"]).lower()
    block |= model_index(name, rows, families, targets)
    text = yaml.dump(block, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    body = section(name, rows, families, targets, facts=facts, scores=scores, built=built)
    return f"---\n{text}---\n\n{body}"


def section(
    name: str,
    rows: Sequence[Row],
    families: Mapping[str, str],
    targets: Mapping[str, Target],
    *,
    facts: Mapping[str, Any],
    scores: Sequence[Scored],
    built: Sequence[tuple[str, str]] = (),
) -> str:
    """What the tests found, as Markdown."""
    version = facts.get("version", "")
    lines = [f"## Test results of {markdown(f'{name} {version}'.strip())}", ""]
    lines.append(
        "Tests of correctness, fairness and robustness by speechproof. The score is the share of "
        "passed cells, averaged over tests and families. It means something only beside scores "
        "on the same data. Skipped cells have no verdict."
    )
    if built:
        lines.append("")
    lines += [f"* {markdown(label)}: {markdown(value)}" for label, value in built]
    by_target: dict[str, list[Row]] = {}
    for row in rows:
        by_target.setdefault(row["target"], []).append(row)
    for target, part in sorted(by_target.items()):
        label = _label(target, targets)
        lines += ["", f"### {markdown(label)}", ""]
        texts = [_told(item) for item in scores if item.target == target]
        lines += [line for text in texts for line in (text, "")]
        lines += [
            "| family | test | passed / executed | skipped | errors |",
            "|---|---|---:|---:|---:|",
        ]
        for (_, family, test), tally in _tallies(part, families):
            share = f"{tally.passed} / {tally.executed}"
            cells = (family, test, share, str(tally.skipped), str(tally.errors))
            lines.append("| " + " | ".join(map(markdown, cells)) + " |")
        datasets = sorted({(row["dataset"], row["dataset_version"]) for row in part})
        text = ", ".join(f"{dataset} {version}" for dataset, version in datasets)
        lines += ["", f"Data: {markdown(text)}."]
    return "\n".join(lines) + "\n"


def _tallies(
    rows: Sequence[Row], families: Mapping[str, str]
) -> list[tuple[tuple[str, str, str], VerdictCounts]]:
    """Verdicts of each version of the model, family and test, in this order."""
    verdicts: dict[tuple[str, str, str], Counter[str]] = {}
    for row in rows:
        key = (row["model_version"], family_of(row["test"], families), row["test"])
        verdicts.setdefault(key, Counter())[row["status"]] += 1
    return [
        (key, VerdictCounts(*(number[status] for status in STATUSES)))
        for key, number in sorted(verdicts.items())
    ]


def _told(item: Scored) -> str:
    chance = "" if item.chance is None else f", chance {percent(item.chance)}"
    where = f" ({markdown(item.title)})" if item.title else ""
    if item.score is None:
        return f"Not ranked{where}."
    return f"Score **{percent(item.score)}**{chance}{where}."


def markdown(text: str) -> str:
    r"""Text that no Markdown reader takes for markup.

    >>> markdown("a|b <c>"), markdown("correctness_regression")
    ('a\\|b &lt;c&gt;', 'correctness\\_regression')
    """
    plain = " ".join(str(text).split()).replace("&", "&amp;")
    plain = plain.replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", plain)
