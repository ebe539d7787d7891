"""Where results come from, and which of them may be compared.

A share of passed cells means something only beside shares on the same data and by the same
rules. So own runs, own runs on the embedded demonstration data, and the published results
are kept apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmark_site.page import slug
from common import results
from common.core import display
from common.core.mirror import contents
from common.core.paths import PUBLISHED, Paths
from common.core.provenance import digest
from common.pages.listening import licences
from common.results import kept, published
from common.results.cost import LATENCY_S, RTF_S, CostRow, ModelCost, of_model
from common.results.keys import CellKey
from common.results.manifest import Manifest
from common.results.sample_tables import INDEX, read_index
from common.spec import Benchmark

#: entries of a manifest's model that pages show, with their names
FACTS = {
    "id": "Id",
    "version": "Version",
    "license": "License",
    "author": "Author",
    "sampling_rate": "Sampling rate (Hz)",
    "adapter": "Adapter",
    "source": "Source",
    "fingerprint": "Fingerprint",
    "description": "Description",
}
#: the same for the network that a published model was built on
FOUNDATION = {
    "architecture": "Built on",
    "developer": "Developed by",
    "parameters_million": "Parameters (million, about)",
    "paper": "Paper",
    "link": "Link",
}
#: what pages call the cost of a model
COST = {
    "parameters": "Parameters",
    "size": "Size",
    "rtf": "Real-time factor",
    "latency": "Latency",
    "memory": "Peak memory",
    "machine": "Measured on",
}
#: who says how many parameters there are
ORIGINS = {
    "files": "counted in its files",
    "entry": "as its entry says",
    "network": "about, of the network it was built on",
}
#: shown where nobody says it
UNSTATED = "not stated"
WEIGHTS = "Weights"
DEMO = "Own runs on embedded demonstration data"
Manifests = Mapping[tuple[str, str], Manifest]


def amount(n: float) -> str:
    r"""A number of parameters, with a narrow space between thousands as in all numbers of the website.

    >>> amount(6726)
    '6\u202f726'
    """
    return display.amount(n).replace(",", "\u202f")


@dataclass(frozen=True, eq=False)
class Model:
    """A model as the pages show it.

    Args:
        id: id of the model
        label: name shown
        chance: whether it never looks at the input
        published: whether its scores come from the paper
        facts: name and value of what is known about it
        not_run: ``test/dataset`` -> reason
        traced: tests whose cells are in the manifest
        cost: parameters and size, and what was measured
    """

    id: str
    label: str
    chance: bool = False
    published: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    not_run: Mapping[str, str] = field(default_factory=dict)
    traced: frozenset[str] = frozenset()
    cost: ModelCost = field(default_factory=ModelCost)

    @property
    def slug(self) -> str:
        """Part of its addresses."""
        return slug(self.id)


@dataclass(frozen=True)
class Part:
    """Results of one target that may be compared.

    Args:
        name: part of anchors
        title: heading
        published: whether they come from the paper
        models: models with results
        table: result rows
        absent: model -> ``test/dataset`` -> why it was not run
    """

    name: str
    title: str
    published: bool
    models: list[Model]
    table: pd.DataFrame
    absent: dict[str, dict[str, str]]


def rows(
    folders: Paths, memory: Path | None, digests: Sequence[Sequence[str]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Published and own rows; parsed once where there is a folder that keeps them.

    Args:
        folders: where own results lie
        memory: folder that keeps rows
        digests: name and hash of each file of own results
    """
    if memory is None:
        return published.load(), results.read_all(folders.method_tests)
    key = digest(contents(PUBLISHED))
    paper = kept.kept(memory / "published", key, published.load)
    return paper, kept.read_all(folders.method_tests, memory / "rows", dict(digests))


def manifests(paths: Paths, digests: Sequence[Sequence[str]]) -> dict[tuple[str, str], Manifest]:
    """(target, model) -> manifest of every own run; arguments as of :func:`rows`."""
    by_model = {}
    for target, model, *rest in sorted(name.split("/") for name, _ in digests if "/" in name):
        if rest == ["manifest.json"]:
            manifest = Manifest.read(paths.manifest(target, model))
            if manifest is not None:
                by_model[target, model] = manifest
    return by_model


def marked(rows: pd.DataFrame, stale: Mapping[CellKey, Mapping[str, Any]]) -> pd.DataFrame:
    """Own rows with a column ``stale``, why they are, and a remark beside the score if so."""
    if not stale:
        return rows.assign(stale=pd.Series("", index=rows.index, dtype="str"))
    reasons = []
    names = ("target", "model", "test", "dataset", "condition")
    for *key, condition in zip(*(rows[name].tolist() for name in names), strict=True):
        why = stale.get(CellKey(*key))
        concerned = why is not None and condition in (why["conditions"] or [condition])
        reasons.append("; ".join(why["reasons"]) if why and concerned else "")
    rows = rows.assign(stale=pd.Series(reasons, index=rows.index, dtype="str"))
    notes = [
        f"stale{'; ' if note else ''}{note}" if reason else note
        for note, reason in zip(rows["note"].tolist(), reasons, strict=True)
    ]
    return rows.assign(note=pd.Series(notes, index=rows.index, dtype="str"))


def parts(
    benchmark: Benchmark,
    manifests: Manifests,
    target: str,
    runs: pd.DataFrame,
    paper: pd.DataFrame,
    paper_models: Mapping[str, list[Model]],
    costs: Sequence[CostRow] = (),
) -> list[Part]:
    """Results of a target, the most telling ones first.

    Args:
        benchmark: catalog and suite
        manifests: of own runs
        target: the target
        runs: own rows
        paper: published rows
        paper_models: what :func:`benchmark_site.paper_models.paper_models` gives
        costs: what was measured
    """
    embedded = {dataset.id for dataset in benchmark.datasets.values() if dataset.embedded}
    theirs = _where(paper, (paper["target"] == target).to_numpy(bool))
    mine = _where(runs, (runs["target"] == target).to_numpy(bool))
    is_demo = mine["dataset"].isin(embedded).to_numpy(bool)
    demo, real = _where(mine, is_demo), _where(mine, ~is_demo)
    models = _own_models(benchmark, manifests, target, mine, costs)
    apart = len(real) > 0 and len(demo) > 0
    away = {model.id: dict(model.not_run) for model in models}
    candidates = [
        Part("run", "Own runs", False, *_own(models, real, away, embedded, apart, False)),
        Part("published", "Published results", True, paper_models.get(target, []), theirs, {}),
        Part("demo", DEMO, False, *_own(models, demo, away, embedded, apart, True)),
    ]
    return [
        part
        for part in candidates
        if len(part.table) or (part.name == "run" and part.models and mine.empty)
    ]


def _where(table: pd.DataFrame, mask: np.ndarray) -> pd.DataFrame:
    """Rows of a table; those that follow each other are not copied."""
    rows = np.flatnonzero(mask)
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return table.iloc[rows[0] : rows[-1] + 1]
    return table.iloc[rows]


def _own(
    models: list[Model],
    rows: pd.DataFrame,
    away: dict[str, dict[str, str]],
    embedded: set[str],
    apart: bool,
    demo: bool,
) -> tuple[list[Model], pd.DataFrame, dict[str, dict[str, str]]]:
    """Models of a part, its rows, and what was not run; with two parts each has its own."""
    absent = {
        name: {
            key: reason
            for key, reason in reasons.items()
            if not apart or (key.split("/")[1] in embedded) == demo
        }
        for name, reasons in away.items()
    }
    tested = set(rows["model"].unique())
    return [m for m in models if m.id in tested or absent[m.id]], rows, absent


def _own_models(
    benchmark: Benchmark,
    manifests: Manifests,
    target: str,
    rows: pd.DataFrame,
    costs: Sequence[CostRow],
) -> list[Model]:
    names = set(rows["model"].unique()) | {model for other, model in manifests if other == target}
    models = []
    for name in sorted(names):
        manifest = manifests.get((target, name))
        facts: dict[str, Any] = dict(manifest.model) if manifest else {}
        entry = benchmark.models.get(name)
        model_cost = of_model({**facts, "id": name}, costs)
        models.append(
            Model(
                id=name,
                label=str(facts.get("label") or (entry.label if entry else "") or name),
                chance=bool(facts.get("chance", entry.is_chance if entry else False)),
                facts=(
                    *((label, _text(facts[key])) for key, label in FACTS.items() if facts.get(key)),
                    *([] if facts.get("chance") else cost_facts(model_cost)),
                ),
                cost=model_cost,
                not_run=dict(manifest.not_run) if manifest else {},
                traced=frozenset(key.split("/")[0] for key in manifest.cells)
                if manifest
                else frozenset(),
            )
        )
    return models


def cost_facts(cost: ModelCost) -> list[tuple[str, str]]:
    """What is known of the cost of a model: name and text."""
    facts = [
        (COST["parameters"], _stated(cost.parameters, amount, cost.parameters_from)),
        (COST["size"], _stated(cost.size_bytes, display.size)),
    ]
    if not cost.measured:
        return facts
    remark = f" (stale: measured for version {cost.measured[0].version})" if cost.stale else ""
    slow, short = cost.at(RTF_S), cost.at(LATENCY_S)
    peak = cost.measured[0].peak_bytes
    measured = (
        ("rtf", slow and display.digits(slow.real_time_factor)),
        ("latency", short and display.duration(short.latency_s)),
        ("memory", peak and display.size(peak)),
    )
    facts += [(COST[key], f"{text}{remark}") for key, text in measured if text]
    return [*facts, (COST["machine"], machine(cost))]


def _stated(value: int | None, say: Callable[[int], str], origin: str = "") -> str:
    if value is None:
        return UNSTATED
    return f"{say(value)} ({ORIGINS[origin]})" if origin in ORIGINS else say(value)


def machine(cost: ModelCost) -> str:
    """Where and when figures were measured; empty if they were not."""
    if not cost.measured:
        return ""
    row = cost.measured[0]
    threads = "1 thread" if row.threads == 1 else f"{row.threads} threads"
    on_cpu = row.device == "cpu"
    where = f"{row.processor}, {threads}" if on_cpu else f"{row.device} ({row.processor})"
    return f"{where}, {row.date}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Comparison(NamedTuple):
    """A published comparison: names of the models, the one to compare with first."""

    target: str
    models: tuple[str, ...]


def comparisons() -> list[Comparison]:
    """Published comparisons."""
    names = published.models().set_index("model_id")["model"]
    lines: Iterable[Any] = published.comparisons().itertuples()
    return [
        Comparison(line.target, tuple(names[name] for name in (line.baseline, *line.candidates)))
        for line in lines
    ]


def sample_datasets(folders: Paths, benchmark: Benchmark, target: str) -> dict[str, Any]:
    """Datasets whose samples a run has written for a target, or why they may not be shown.

    The licence that counts is that of today.
    """
    index = read_index(folders.media / target / INDEX)
    for name, entry in index.items():
        dataset = benchmark.datasets.get(name)
        entry["silent"] = entry["silent"] or (licences.silent(dataset) if dataset else "")
    return index


@dataclass(frozen=True)
class TestFacts:
    """What is said about a test."""

    id: str
    title: str
    family: str
    description: str = ""


def words(name: str) -> str:
    """Text for an id that has no name.

    >>> words("low_quality_phone")
    'Low quality phone'
    """
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def facts_of(benchmark: Benchmark, test: str, family: str) -> TestFacts:
    """Facts of a test; of one that the suite does not have, what its name says."""
    entry = benchmark.tests.get(test)
    if entry:
        return TestFacts(test, entry.title, family, entry.description)
    return TestFacts(test, words(test.removeprefix(f"{family}_")), family)
