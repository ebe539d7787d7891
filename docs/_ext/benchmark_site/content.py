"""What the pages are made from: results, models and tests, read once and put in order.

Nothing is computed anew here: scores and verdicts come from result rows, counts from
:mod:`common.results.tally`, ranks and tables from :mod:`common.reports.summary`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from benchmark_site import sources
from benchmark_site.paper_models import paper_models
from benchmark_site.ranked import Ranked
from benchmark_site.scores import BoardScores
from benchmark_site.sources import Model, TestFacts, facts_of, words
from common import results
from common.core.mirror import contents
from common.core.paths import Paths
from common.reports import summary
from common.reports.summary import Scores, Standing, Standings, standings
from common.reports.summary.outcomes import Outcomes, outcomes
from common.results import cost
from common.results.keys import CellKey, split
from common.results.manifest import Manifest
from common.results.tally import VerdictCounts, counts, family_of, mean_over_tests, tallies, total
from common.spec import Benchmark, Test

if TYPE_CHECKING:
    from benchmark_site.groups import TestGroups
    from benchmark_site.page import Page

#: families of tests in the order of the pages
FAMILIES: tuple[str, ...] = get_args(Test.model_fields["family"].annotation)


@dataclass
class Board:
    """Results of one target that may be compared with each other.

    Args:
        target: the target
        name: part of anchors
        title: heading
        models: models with results or with data that were not there
        published: whether they come from the paper
        table: result rows
        absent: model -> ``test/dataset`` -> why it was not run
        families: test -> family
        people: rows of single raters on the same data
    """

    target: str
    name: str
    title: str
    published: bool
    models: list[Model]
    table: pd.DataFrame
    absent: Mapping[str, Mapping[str, str]]
    families: Mapping[str, str]
    people: pd.DataFrame | None = None

    @cached_property
    def raters(self) -> Scores:
        """test -> metric -> line -> score of single raters."""
        rater_scores: Scores = {}
        rows = self.people
        if rows is None:
            return rater_scores
        for test in sorted(set(rows["test"])):
            for metric, matrix in summary.matrix(rows, self.target, test).items():
                lines = zip(matrix.index, matrix.cells, strict=True)
                scores = {key: cells[0] for key, cells in lines if cells[0] is not None}
                rater_scores.setdefault(test, {})[metric] = scores
        return rater_scores

    @cached_property
    def datasets_of(self) -> dict[str, set[str]]:
        """Test -> datasets with rows of it."""
        pairs = self.table[["test", "dataset"]].drop_duplicates()
        datasets: dict[str, set[str]] = {}
        for test, name in pairs.itertuples(index=False, name=None):
            datasets.setdefault(test, set()).add(name)
        return datasets

    @cached_property
    def datasets(self) -> frozenset[str]:
        """Datasets with rows."""
        return frozenset().union(*self.datasets_of.values())

    @cached_property
    def parts(self) -> frozenset[tuple[str, str]]:
        """Datasets with rows and their parts, as result files name them."""
        pairs = self.table[["dataset", "data"]].drop_duplicates()
        return frozenset(pairs.itertuples(index=False, name=None))

    @cached_property
    def tests(self) -> list[str]:
        """Tests with rows, or that were not run, in the order of their families."""
        noted = {key.split("/")[0] for reasons in self.absent.values() for key in reasons}
        order = {family: place for place, family in enumerate(FAMILIES)}

        def place(test: str) -> tuple[int, str]:
            return order.get(self.families[test], len(order)), test

        return sorted(noted.union(self.datasets_of), key=place)

    @cached_property
    def _verdicts(self) -> pd.DataFrame:
        return counts(self.table, self.families)

    @cached_property
    def tallies(self) -> dict[str, dict[str, VerdictCounts]]:
        """model -> test -> verdicts."""
        if self.table.empty:
            return {}
        return {owner[2]: blocks["all"] for owner, blocks in tallies(self._verdicts).items()}

    def tally(self, model: Model, test: str) -> VerdictCounts | None:
        """Verdicts of a model in a test; None if it has none."""
        return self.tallies.get(model.id, {}).get(test)

    @property
    def _chance(self) -> list[str]:
        return [model.id for model in self.models if model.chance]

    @cached_property
    def outcomes(self) -> Outcomes | None:
        """What models made of the cells; None without a row."""
        return None if self.table.empty else outcomes(self.table)

    @cached_property
    def standings(self) -> Standings:
        """Scores, tiers and rank intervals on common cells."""
        return standings(
            self.table, self.target, self.families, chance=self._chance, outcome_table=self.outcomes
        )

    def standing(self, model: Model) -> Standing | None:
        """Where a model stands in the ranking; None if it has no row."""
        return next((s for s in self.standings.lines if s.model == model.id), None)

    def score(self, model: Model) -> Fraction | None:
        """The score of a model, wherever one is shown; None if it is not compared."""
        standing = self.standing(model)
        return standing.score if standing else None

    @cached_property
    def positions(self) -> list[tuple[str, int | None, str]]:
        """Each model with rows, its place by share of passed cells, and why it has none."""
        if self.table.empty:
            return []
        table = summary.ranking(
            self.table, self.target, self.families, chance=self._chance, verdicts=self._verdicts
        )
        return [
            (name, None if pd.isna(position) else int(position), remark)
            for name, position, remark in zip(
                *(table[column].tolist() for column in ("model", "position", "remark")),
                strict=True,
            )
        ]

    @cached_property
    def counted(self) -> list[Ranked]:
        """All models by share of passed cells; chance models and what has no place at the end."""
        models = {model.id: model for model in self.models}
        lines = [
            self._ranked(models.pop(name), position, remark)
            for name, position, remark in self.positions
        ]
        lines += [self._ranked(model, None, "not run") for model in models.values()]
        return sorted(lines, key=lambda line: (line.position is None, line.model.chance))

    @cached_property
    def ranking(self) -> list[Ranked]:
        """All models by score on common cells; then chance models, and what is not compared."""
        order = {line.model: place for place, line in enumerate(self.standings.lines)}
        return sorted(self.counted, key=lambda line: order.get(line.model.id, len(order)))

    def _ranked(self, model: Model, position: int | None, remark: str) -> Ranked:
        tests = self.tallies.get(model.id, {})
        families: dict[str, list[VerdictCounts]] = {}
        for test, tally in tests.items():
            families.setdefault(self.families[test], []).append(tally)
        return Ranked(
            position=position,
            remark=remark,
            model=model,
            total=total(tests.values()),
            mean=mean_over_tests(tests.values()),
            families={family: mean_over_tests(verdicts) for family, verdicts in families.items()},
            standing=self.standing(model),
        )

    @property
    def scored(self) -> list[Model]:
        """Models that listen and have a score, best first."""
        lines = [line for line in self.ranking if not line.model.chance]
        return [line.model for line in lines if self.score(line.model) is not None]

    @property
    def judged(self) -> list[Ranked]:
        """Models that listen and have a verdict, with or without a place."""
        return [line for line in self.ranking if line.total.executed and not line.model.chance]

    def chance(self, test: str | None = None) -> Fraction | None:
        """Largest share that a chance model passes, of all cells or of a test."""
        names = [model.id for model in self.models if model.chance]
        verdicts = [self.tallies.get(name, {}) for name in names]
        sums = [total(t for name, t in tests.items() if test in (None, name)) for tests in verdicts]
        return max((tally.share for tally in sums if tally.share is not None), default=None)

    @cached_property
    def groups(self) -> TestGroups:
        """Groups of fairness tests."""
        from benchmark_site.groups import TestGroups

        return TestGroups(self.table, self.families)

    @cached_property
    def scores(self) -> BoardScores:
        """Scores of all models, columns in the order of the ranking."""
        return BoardScores(self.table, self.target, [line.model.id for line in self.ranking])


@dataclass
class Content:
    """Everything that the pages show.

    Args:
        benchmark: catalog and suite
        paths: where own results and figures lie
        boards: target -> results that may be compared
        tests: facts of every test with results
        comparisons: published comparisons
        method_pages: pages of prose that generated pages may link to
        table: all rows with a column ``source``
        manifests: (target, model) -> what own results were made from
        stale: cells whose rows are stale -> why
        files: name and hash of each file of own results, as they were read
    """

    benchmark: Benchmark
    paths: Paths
    boards: dict[str, list[Board]]
    tests: dict[str, TestFacts]
    comparisons: list[sources.Comparison]
    method_pages: frozenset[str]
    table: pd.DataFrame
    manifests: Mapping[tuple[str, str], Manifest]
    stale: Mapping[CellKey, Mapping[str, Any]]
    files: Sequence[Sequence[str]] = ()
    _samples: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def label(self, target: str) -> str:
        """Name of a target."""
        entry = self.benchmark.targets.get(target)
        return entry.label if entry else words(target)

    def description(self, target: str) -> str:
        """Sentence about a target."""
        entry = self.benchmark.targets.get(target)
        return entry.description if entry else ""

    def dataset(self, name: str) -> str:
        """Name of a dataset, which may be one whose parts are entries of the catalog."""
        entries = self.benchmark.datasets
        if name in entries:
            return entries[name].label or name
        parts = (entry.label for entry in entries.values() if entry.name == name)
        return next(parts, "").partition(" (")[0] or name

    def uncertainty(self, page: Page) -> str:
        """Address of the page about intervals, p values and effect sizes; empty without it."""
        name = "method/uncertainty"
        return page.href(name) if name in self.method_pages else ""

    def sample_datasets(self, target: str) -> Mapping[str, Any]:
        """Datasets whose samples a run has written for a target, or why they may not be shown."""
        if all(board.published for board in self.boards[target]):
            return {}
        if target not in self._samples:
            self._samples[target] = sources.sample_datasets(self.paths, self.benchmark, target)
        return self._samples[target]

    @cached_property
    def folders(self) -> frozenset[str]:
        """Folders of own results that hold files, as ``target/model`` and below it."""
        return frozenset(name.rpartition("/")[0] for name, _ in self.files if name.count("/") > 1)

    @cached_property
    def illustrated(self) -> set[tuple[str, ...]]:
        """Target and model of all that has figures."""
        return {path.parts[-2:] for path in self.paths.media.glob("*/*")}

    def models(self, target: str) -> list[Model]:
        """All models of a target, each once."""
        return list(self._models[target].values())

    @cached_property
    def _models(self) -> dict[str, dict[tuple[bool, str], Model]]:
        """Target -> its models by origin and id."""
        return {
            target: {(model.published, model.id): model for b in boards for model in b.models}
            for target, boards in self.boards.items()
        }

    def targets_of(self, model: Model) -> dict[str, Model]:
        """Targets that a model has an entry for -> what is known of it there."""
        key = model.published, model.id
        return {target: models[key] for target, models in self._models.items() if key in models}

    def boards_of(self, target: str, model: Model) -> list[Board]:
        """Boards of a target on which a model stands, be it the entry of another target."""
        return [
            board
            for board in self.boards[target]
            if any((m.published, m.id) == (model.published, model.id) for m in board.models)
        ]


def alike(content: Content) -> list[list[Board]]:
    """Boards of all targets whose results have one origin, origin by origin."""
    groups: dict[str, list[Board]] = {}
    for boards in content.boards.values():
        for board in boards:
            groups.setdefault(board.name, []).append(board)
    return list(groups.values())


def load(
    paths: Paths,
    benchmark: Benchmark,
    docs: Iterable[str],
    stale: Mapping[str, Mapping[str, Any]] | None = None,
    memory: Path | None = None,
    digests: Sequence[Sequence[str]] | None = None,
) -> Content:
    """Read published results, own results and manifests.

    Args:
        paths: where own results lie
        benchmark: catalog and suite
        docs: names of the prose pages, to link method pages that exist
        stale: key of a cell -> ``reasons`` and ``conditions``, see :mod:`common.engine.staleness`
        memory: folder that keeps rows as columns; None: all files are parsed
        digests: name and hash of each file of own results, if they are known
    """
    if digests is None:
        digests = contents(paths.method_tests)
    paper, runs = sources.rows(paths, memory, digests)
    people = results.read_csv(paths.human) if paths.human.exists() else results.frame([])
    stale_cells = {split(key)[0]: entry for key, entry in (stale or {}).items()}
    runs = sources.marked(runs, stale_cells)
    table = pd.concat([runs.assign(source="run"), paper.assign(source="published")])
    suite = {test.id: test.family for test in benchmark.tests.values()}
    manifests, costs = sources.manifests(paths, digests), cost.read(paths.cost)
    theirs = paper_models(paper)
    noted = {key.split("/")[0] for entry in manifests.values() for key in entry.not_run}
    names = sorted(noted.union(table["test"].unique()))
    families = {test: family_of(test, suite) for test in names}
    boards: dict[str, list[Board]] = {}
    present = set(table["target"].unique()) | {target for target, _ in manifests}
    for target in [*benchmark.targets, *sorted(present - set(benchmark.targets))]:
        parts = sources.parts(benchmark, manifests, target, runs, paper, theirs, costs)
        boards[target] = [
            Board(target, families=families, people=_people(people, target, part), **vars(part))
            for part in parts
        ]
    return Content(
        benchmark=benchmark,
        paths=paths,
        boards=boards,
        tests={test: facts_of(benchmark, test, family) for test, family in families.items()},
        comparisons=sources.comparisons(),
        method_pages=frozenset(doc for doc in docs if doc.startswith(("method/", "howto/"))),
        table=table,
        manifests=manifests,
        stale=stale_cells,
        files=digests,
    )


def _people(people: pd.DataFrame, target: str, part: sources.Part) -> pd.DataFrame:
    """Rows of raters on the data of a part."""
    if part.published or people.empty:
        return people.iloc[:0]
    here = people["dataset"].isin(part.table["dataset"].unique()) & (people["target"] == target)
    return people[here]
