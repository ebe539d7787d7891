"""What is written into a catalog from a reference tree, and what is said about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import BenchmarkError, ConfigError
from ...core.files import write_text
from ...core.paths import PUBLISHED_NAME
from ...core.wording import counted
from ...models.importing.drafting import draft
from ...results import published
from ...samples.importing.kept import kept
from ...spec import Benchmark, load_benchmark
from . import scores, suite, verdicts
from .tree import LeftOut, ReferenceTree, read

#: file beside the tables of scores -> what it lists
LEFT_OUT, VERDICTS = "left-out.csv", "verdicts.csv"


@dataclass
class ReferenceReport:
    """What was taken from a reference tree.

    Args:
        catalog: the folder that was written
        rows: number of scores, missing ones included
        models: names of models with scores
        labels: those of them that readers know by another name -> that name
        targets: their targets
        tests: tests that have other thresholds or data than the built-in ones
        entries: ids of models that got an entry
        verdicts: reason -> number of verdicts that differ or are unsure
        left_out: what has no counterpart
    """

    catalog: Path
    rows: int = 0
    models: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        left_out = [item._asdict() for item in self.left_out]
        return {**vars(self), "catalog": str(self.catalog), "left_out": left_out}

    def text(self) -> str:
        """For people."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.rows:
            yield (
                f"{counted(self.rows, 'score')} of {counted(len(self.models), 'model')} for "
                f"{', '.join(self.targets)}: "
                f"{self.catalog / PUBLISHED_NAME}"
            )
            yield (
                "  these scores are ranked by the command summary; the website does not show them, as it "
                "shows results of runs and those of the paper"
            )
        for name, label in self.labels.items():
            yield f"  model '{label}': its id is {name}"
        for reason, count in self.verdicts.items():
            yield f"  verdict ({counted(count, 'score')}, {VERDICTS}): {reason}"
        yield f"tests with other thresholds or data: {', '.join(self.tests) or 'none'}"
        yield f"models with an entry: {', '.join(self.entries) or 'none'}"
        counts = Counter(item.reason for item in self.left_out)
        if counts:
            yield f"left out: {len(self.left_out)}, one line each in {self.catalog / PUBLISHED_NAME / LEFT_OUT}"
        for reason, count in counts.items():
            first = next(item for item in self.left_out if item.reason == reason)
            more = f" and {count - 1} more" if count > 1 else ""
            yield f"  {first.place}, {first.what}{more}: {reason}"


def import_reference(
    path: Path, to: Path, *, networks: Path | None = None, force: bool = False
) -> ReferenceReport:
    """Write published results, tests and entries of models into a catalog.

    Args:
        path: clone of the reference suite, or its folder of results
        to: catalog folder
        networks: folder that holds the network of a model in a folder named as its id
        force: replace what an earlier import wrote

    Raises:
        ConfigError: if the folder is no tree of the reference suite, or something would be replaced
        DataError: if a table cannot be read
    """
    catalog = to.expanduser().resolve()
    benchmark, names = load_benchmark(), scores.ReferenceNames.of_paper()
    tree = read(path.expanduser(), list(names.kinds), (names.comparison[2], names.comparison[3]))
    texts = scores.tables(tree, names)
    tests = suite.overrides(tree, names, benchmark)
    report = ReferenceReport(catalog, tests=sorted(tests))
    places = [catalog / PUBLISHED_NAME, *(catalog / "suite" / f"{name}.yaml" for name in tests)]
    for place in places:
        if place.exists() and not force:
            raise ConfigError(f"{place}: already exists; --force replaces it")
    with kept(*places):
        for name, text in tests.items():
            write_text(catalog / "suite" / f"{name}.yaml", text)
        if texts:
            _write_scores(catalog, texts, report)
        report.entries = _entries(tree, networks, catalog, benchmark, force)
        report.left_out = tree.left_out
        lines = [item._asdict() for item in tree.left_out]
        write_text(catalog / PUBLISHED_NAME / LEFT_OUT, scores.text(lines, LeftOut._fields))
    return report


def _write_scores(catalog: Path, texts: dict[str, str], report: ReferenceReport) -> None:
    folder = catalog / PUBLISHED_NAME
    for name, text in texts.items():
        write_text(folder / name, text)
    rows = published.load(folder)
    report.rows = len(rows)
    report.models = list(rows["model"].unique())
    report.labels = published.labels(folder)
    report.targets = list(rows["target"].unique())
    benchmark = load_benchmark([catalog])
    lines = verdicts.different(rows, benchmark)
    report.verdicts = dict(Counter(str(line["why"]) for line in lines))
    columns = (*verdicts.COLUMNS, *verdicts.ADDED)
    write_text(folder / VERDICTS, scores.text(lines, columns))


def _entries(
    tree: ReferenceTree, networks: Path | None, catalog: Path, benchmark: Benchmark, force: bool
) -> list[str]:
    """Make an entry of each model whose network is there; the others are left out."""
    entries = []
    for model in dict.fromkeys(result.model for result in tree.results):
        if model in benchmark.models:
            continue
        folder = networks / model if networks is not None else None
        if folder is None or not folder.is_dir():
            where = (
                f"{networks} has no folder of this name"
                if networks
                else "--networks names no folder"
            )
            reason = f"no entry: its network lies in a repository of audmodel, and {where}"
            tree.leave_out(model, "model", reason)
            continue
        try:
            drafted = draft(str(folder), model, catalog, benchmark=benchmark, force=force)
        except BenchmarkError as error:
            tree.leave_out(model, "model", f"no entry: {error}")
            continue
        entries.append(model)
        for text in drafted.todo:
            tree.leave_out(model, "entry of the model", text)
    return entries
