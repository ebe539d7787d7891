"""Tests of this suite with the thresholds and data of a reference tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ...core.documents import read_yaml
from ...spec import Benchmark, Dataset, MetricUse, Test
from .scores import ReferenceNames, Row, data_line, is_number, slug
from .tree import ReferenceTree

_BOUNDS = ("above", "below", "within", "between")
_HEADER = "# {title}, with what the reference suite says: {changes}\n"
FIGURES = "visualization"


def overrides(tree: ReferenceTree, names: ReferenceNames, benchmark: Benchmark) -> dict[str, str]:
    """Test -> text of the YAML that replaces the built-in one; only tests that change.

    What the suite cannot say goes to the list of the tree.
    """
    texts = {}
    tests = dict.fromkeys(name for by_name in tree.tests.values() for name in by_name)
    for name in sorted(tests):
        test = benchmark.tests.get(name)
        if test is None:
            for target in (t for t, by_name in tree.tests.items() if name in by_name):
                tree.leave_out(
                    f"test/{target}/{name}.yaml", "test", "the suite has no test of this name"
                )
            continue
        content = dict(read_yaml(test.origin))
        changes = [
            *_thresholds(tree, names, benchmark, test, content),
            *_datasets(tree, benchmark, test, content),
        ]
        if changes:
            header = _HEADER.format(title=test.title, changes="; ".join(changes))
            body = yaml.safe_dump(
                content, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
            )
            texts[name] = header + body
    return texts


def _thresholds(
    tree: ReferenceTree,
    names: ReferenceNames,
    benchmark: Benchmark,
    test: Test,
    content: dict[str, Any],
) -> Iterator[str]:
    """Put other thresholds into the content of a test; what was changed, in words."""
    stated: dict[tuple[str, str], dict[float, str]] = {}
    for target, by_name in tree.tests.items():
        place = f"test/{target}/{test.id}.yaml"
        for item in by_name.get(test.id, {}).get("Metrics", ()):
            metric, bound = slug(item["name"]), item.get("threshold")
            line = names.metric(target, test.id, metric)
            if metric.startswith(FIGURES):
                tree.leave_out(
                    place, item["name"], "a figure; those of a test are named in the suite"
                )
            elif line is None:
                tree.leave_out(place, item["name"], "the suite has no such metric in this test")
            elif not is_number(bound):
                tree.leave_out(
                    place, item["name"], f"threshold {bound!r:.40}: a criterion has one number"
                )
            else:
                kind = benchmark.targets[target].kind
                stated.setdefault((kind, line["metric"]), {}).setdefault(
                    float(bound), f"{place}: {item['name']}"
                )
    for (name, metric), bounds in stated.items():
        use = next((use for use in test.uses(name) if use.metric == metric), None)
        if use is None:
            tree.leave_out(
                next(iter(bounds.values())), metric, f"this test does not use it for {name}"
            )
        elif len(bounds) > 1:
            values = ", ".join(f"{bound:g} ({place})" for bound, place in bounds.items())
            reason = f"several thresholds: {values}; the suite has one for all targets and conditions, {use.criterion}"
            tree.leave_out(f"test/*/{test.id}.yaml", metric, reason)
        else:
            (bound,) = bounds
            if f"{bound:g}" != use.criterion.threshold:
                yield _replaced(content, name, use, bound)


def _replaced(content: dict[str, Any], kind: str, use: MetricUse, bound: float) -> str:
    """Give a metric of a test another bound."""
    name = next(name for name in _BOUNDS if getattr(use.criterion, name) is not None)
    content[kind] = [
        {**item, name: bound} if item["metric"] == use.metric else item for item in content[kind]
    ]
    if content.get("bounds") == "published":
        content["bounds"] = "declared"
    return f"{use.metric} {name} {bound:g} instead of {use.criterion.threshold}"


def _datasets(
    tree: ReferenceTree, benchmark: Benchmark, test: Test, content: dict[str, Any]
) -> Iterator[str]:
    """Name datasets of the catalog that the reference uses and the test does not."""
    for target, by_name in tree.tests.items():
        for number, item in enumerate(by_name.get(test.id, {}).get("Data", ())):
            line = data_line(item)
            same = [entry.id for entry in benchmark.datasets.values() if _is_same(entry, line)]
            if any(name in content.get("datasets", ()) for name in same):
                continue
            if len(same) == 1:
                content["datasets"] = [*content.get("datasets", ()), same[0]]
                yield f"on {same[0]}, too"
                continue
            label = " ".join(filter(None, (line["dataset"], line["version"], line["tables"])))
            reason = f"several datasets of the catalog are {label}: {', '.join(same)}; name one in the test"
            if not same:
                reason = f"no dataset of the catalog is {label}; make an entry for it, it then takes part"
            tree.leave_out(f"test/{target}/{test.id}.yaml", f"Data[{number}]", reason)


def _is_same(entry: Dataset, line: Row) -> bool:
    """Whether an entry of the catalog is the data that a line names."""
    tables = set(filter(None, line["tables"].split("|")))
    compared = {line["compare_table"]} - {""}
    return (
        entry.database == line["dataset"]
        and entry.version == line["version"]
        and (
            not tables
            or set(entry.tables) == tables
            or (bool(compared) and tables | compared <= set(entry.tables))
        )
    )


def criteria(benchmark: Benchmark) -> Mapping[tuple[str, str, str], MetricUse]:
    """(kind, test, metric) -> how the suite uses it."""
    return {
        (kind, test.id, use.metric): use
        for test in benchmark.tests.values()
        for kind in {target.kind for target in benchmark.targets.values()}
        for use in test.uses(kind)
    }
