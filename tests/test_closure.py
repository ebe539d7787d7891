"""A number belongs to the code that made it: no module that works on a cell is left out."""

from __future__ import annotations

import ast
import dataclasses
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from common.core import closure, paths
from common.core.closure import STOPS, Sources, code_hash, facts_of
from common.engine import identity
from common.engine.plan import Filters
from common.engine.publish import Publisher
from common.engine.run import Engine
from common.figures import drawing
from common.metrics import METRICS
from common.pages import identity as page_identity
from common.pages import site
from common.samples.demo import recipes

OWN = """
title: Own
family: robustness
design: {perturbed: {conditions: [softer, hiss]}}
regression:
  - {metric: change_ccc, above: -0.05}
classification:
  - {metric: change_uar, above: -0.05}
"""
PERTURBATIONS = """
- {id: softer, label: Softer, function: gain, params: {gain_db: [-6, -3]}}
- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 10}}
"""
#: (target, test): five cells of different designs, kinds and metrics
CELLS = (
    ("arousal", "correctness_regression"),
    ("emotion", "correctness_classification"),
    ("emotion", "fairness_sex"),
    ("arousal", "own"),
    ("sound-events", "events_intersection_based"),
)
#: modules of which a change left cells "up to date" before, and a cell of each
FORGOTTEN = {
    "samples.audio": CELLS[0],
    "samples.tables": CELLS[0],
    "perturbations.library": CELLS[3],
    "predictions.predict": CELLS[0],
    "metrics.events.matching": ("sound-events", "events_event_based"),
    "metrics.events.exact_intersection": CELLS[4],
    "engine.scoring": CELLS[1],
    "spec.criterion": CELLS[1],
    "core.rng": CELLS[2],
}


def write(root: Path, **modules: str) -> Sources:
    """A package ``common`` of a few modules; dots in names are written as ``__``."""
    folder = root / "common"
    for name, text in modules.items():
        path = folder.joinpath(*name.replace("INIT", "__init__").split("__", 1)).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Sources(folder, stops=())


class TestFacts:
    def test_meaning_counts_and_form_does_not(self) -> None:
        plain = 'def f(x):\n    """Say."""\n    return x + 1\n'
        same = "# a remark\ndef f(x):\n    return (x\n        + 1)\n"
        other = "def f(x):\n    return x + 2\n"
        hashes = [code_hash(ast.parse(text)) for text in (plain, same, other)]
        assert hashes[0] == hashes[1] != hashes[2]

    def test_nothing_and_none_are_not_the_same(self) -> None:
        texts = ("def f():\n    return\n", "def f():\n    return None\n", "def f():\n    1\n")
        assert len({code_hash(ast.parse(text)) for text in texts}) == 3

    def test_the_hash_does_not_depend_on_the_version_of_python(self) -> None:
        """Fields that a later Python adds are empty, such as ``type_params`` of 3.12."""
        text = (
            "@d\nasync def f(a, /, b: int = 1, *c, **k) -> str:\n    return f'{a!r:>{b}}' + u'x'\n"
        )
        assert code_hash(ast.parse(text)) == "e58fd34566b873c4"

    def test_only_used_imports_of_running_code_count(self) -> None:
        text = (
            "from __future__ import annotations\n"
            "from typing import TYPE_CHECKING\n"
            "from common.a import unused, used, Shown, Field\n"
            "if TYPE_CHECKING:\n    from common.b import Hidden\n"
            "class Record:\n    field: Field\n"
            "def f(x: Shown) -> Hidden:\n"
            "    from common.c import late\n"
            "    y: Shown = used(x)\n"
            "    return late(y)\n"
        )
        uses = {
            use for use in facts_of(text, "common", ("common",)).uses if use[0].startswith("common")
        }
        assert uses == {("common.a", "used"), ("common.a", "Field"), ("common.c", "late")}

    def test_relative_imports(self) -> None:
        text = "from . import near\nfrom ..far import thing\nnear.x\nthing()\n"
        assert set(facts_of(text, "common.inner", ("common",)).uses) == {
            ("common.inner", "near"),
            ("common.inner.near", "x"),
            ("common.far", "thing"),
        }


class TestModules:
    def test_a_name_of_a_package_leads_to_where_it_is_defined(self, tmp_path: Path) -> None:
        sources = write(
            tmp_path,
            start="from common import tools\ntools.tool()\n",
            tools__INIT="from common.tools.one import tool\nfrom common.tools.two import other\n",
            tools__one="def tool(): ...\n",
            tools__two="def other(): ...\n",
        )
        assert sources.modules("common.start") == (
            "common.start",
            "common.tools",
            "common.tools.one",
        )

    def test_a_name_leads_to_where_it_is_defined(self, tmp_path: Path) -> None:
        """What a package registers or hands on to others is not used by who asks for a name."""
        sources = write(
            tmp_path,
            start="from common.tools import tool\ntool()\n",
            tools__INIT="from common.tools import other\nfrom common.tools.one import tool\n",
            tools__one="from common import deep\ndef tool():\n    return deep.x\n",
            tools__other="",
            deep="x = 1\n",
        )
        assert sources.modules("common.start") == (
            "common.deep",
            "common.start",
            "common.tools.one",
        )

    def test_modules_that_import_each_other(self, tmp_path: Path) -> None:
        sources = write(
            tmp_path,
            a="from common import b\nb.y\nx = 1\n",
            b="def f():\n    from common import a\n    return a.x\ny = 2\n",
        )
        assert sources.modules("common.a") == sources.modules("common.b")

    def test_a_module_that_is_started_as_a_process(self, tmp_path: Path) -> None:
        sources = write(tmp_path, a="RUN = ['-m', 'common.worker']\n", worker="x = 1\n")
        assert sources.modules("common.a") == ("common.a", "common.worker")

    def test_a_file_beside_a_module_that_names_it(self, tmp_path: Path) -> None:
        sources = write(tmp_path, a="COLORS = 'colors.yaml'\n", b="x = 1\n")
        table = tmp_path / "common" / "colors.yaml"
        codes = []
        for text in ("red", "blue"):
            table.write_text(text)
            sources.forget()
            codes.append((sources.code("common.a"), sources.code("common.b")))
        assert codes[0][0] != codes[1][0] and codes[0][1] == codes[1][1]

    def test_other_packages_do_not_count(self) -> None:
        assert closure.SOURCES.modules("numpy", json.dumps) == ()


class TestMemory:
    def test_sources_are_parsed_once(self, tmp_path: Path, monkeypatch) -> None:
        first = write(tmp_path, a="from common import b\nb.x\n", b="x = 1\n")
        first.keep_in(tmp_path)
        code = first.code("common.a")
        monkeypatch.setattr(closure, "facts_of", lambda *_: pytest.fail("parsed again"))
        second = Sources(tmp_path / "common", stops=())
        second.keep_in(tmp_path)
        assert second.code("common.a") == code

    @pytest.mark.parametrize("damage", ["", "[]", "{", '{"x": 1}', "[" * 100_000])
    def test_a_damaged_memory_costs_time_only(self, tmp_path: Path, damage: str) -> None:
        sources = write(tmp_path, a="x = 1\n")
        code = sources.code("common.a")
        (tmp_path / closure.MEMO).write_text(damage)
        again = Sources(tmp_path / "common", stops=())
        again.keep_in(tmp_path)
        assert again.code("common.a") == code
        again = Sources(tmp_path / "common", stops=())
        again.keep_in(tmp_path)
        assert again.code("common.a") == code

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        (tmp_path / closure.MEMO).mkdir()
        sources = write(tmp_path, a="x = 1\n")
        sources.keep_in(tmp_path)
        assert sources.code("common.a")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the program, to be changed."""
    folder = tmp_path_factory.mktemp("code") / paths.PACKAGE.name
    shutil.copytree(paths.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def codes(engine: Engine, target: str, test: str) -> tuple[str, ...]:
    """What a cell of a listening model on a folder belongs to."""
    found = engine.benchmark
    model, dataset = found.models["loud"], found.datasets["tones"]
    scores = identity.scoring_code(found.tests[test], found.targets[target])
    used = engine.planner.conditions(found.tests[test], found.targets[target], dataset).values()
    changed = (
        engine.library._digest(engine.library.entry(name))
        for name in used
        if not engine.library.missing(name)
    )
    from common.samples.base import definition

    data = closure.digest([definition(dataset)])
    return scores, identity.prediction_code(model, dataset), data, *changed


@pytest.fixture
def engine(mini) -> Engine:
    mini.write("perturbations.yaml", PERTURBATIONS)
    mini.write("suite/own.yaml", OWN)
    return mini.engine()


@pytest.mark.parametrize(("target", "test"), CELLS)
def test_every_module_of_the_closure_counts_and_no_other(
    engine: Engine, copy: Path, monkeypatch, target: str, test: str
) -> None:
    sources = Sources(copy)
    monkeypatch.setattr(closure, "SOURCES", sources)
    before = codes(engine, target, test)
    counting = reached(engine, target, test)
    assert len(counting) > 30
    modules = {module_name(copy, path): path for path in sorted(copy.rglob("*.py"))}
    with touched(sources, *(path for name, path in modules.items() if name not in counting)):
        assert codes(engine, target, test) == before
    for name in sorted(counting & modules.keys()):
        with touched(sources, modules[name]):
            assert codes(engine, target, test) != before, name


def module_name(root: Path, path: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@contextmanager
def watched() -> Iterator[set[str]]:
    """All modules that digests of code are made of."""
    found: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            closure,
            "code_of",
            lambda *starts: found.update(closure.SOURCES.modules(*starts)) or "",
        )
        yield found


@contextmanager
def touched(sources: Sources, *modules: Path) -> Iterator[None]:
    """Modules while each says something more."""
    texts = {path: path.read_text("utf-8") for path in modules}
    for path, text in texts.items():
        path.write_text(text + "\nTOUCHED = 1\n", "utf-8")
    sources.forget()
    yield
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    sources.forget()


def reached(engine: Engine, target: str, test: str) -> set[str]:
    """All modules that the parts of a cell are made by."""
    with watched() as found:
        codes(engine, target, test)
    return found


@pytest.mark.parametrize(("module", "cell"), FORGOTTEN.items())
def test_what_was_forgotten_makes_cells_stale(
    engine: Engine, copy: Path, monkeypatch, module: str, cell: tuple[str, str]
) -> None:
    sources = Sources(copy)
    monkeypatch.setattr(closure, "SOURCES", sources)
    before = codes(engine, *cell)
    with touched(sources, copy.joinpath(*module.split(".")).with_suffix(".py")):
        assert codes(engine, *cell) != before


@pytest.mark.parametrize(
    ("module", "calls"),
    [("samples.audio", True), ("predictions.predict", True), ("engine.scoring", False)],
)
def test_changed_code_is_run_again(mini, copy: Path, monkeypatch, module: str, calls: bool) -> None:
    """Predictions that other code made are not taken, others are."""
    tests, models = ("correctness_regression",), ("loud",)
    assert mini.run(tests=tests, models=models).calls == 280
    assert mini.run(tests=tests, models=models).computed == 0
    path = copy.joinpath(*module.split(".")).with_suffix(".py")
    text = path.read_text("utf-8")
    path.write_text(text + "\nMEANS = 'something else'\n", "utf-8")
    monkeypatch.setattr(closure, "SOURCES", Sources(copy))
    report = mini.run(tests=tests, models=models)
    path.write_text(text, "utf-8")
    assert report.computed == 1 and report.calls == (280 if calls else 0)


#: modules that pass values on between the parts of a cell that are watched
BETWEEN = {
    "common.engine.run",
    "common.engine.requests",
    "common.engine.journal",
    "common.spec.cell",
    "common.models.lazy",
    "common.engine.publish",
    "common.uncertainty.simulation.bounds",  # made for every cell, asked where a bound is simulated
}


@pytest.mark.parametrize(
    ("target", "test"),
    [
        *CELLS[:4],
        ("arousal", "fairness_sex"),
        ("emotion", "own"),
        ("emotion", "correctness_distribution"),
        ("arousal", "correctness_speaker_ranking"),
        ("arousal", "correctness_speaker_average"),
        ("arousal", "correctness_consistency"),
    ],
)
def test_no_module_that_works_on_a_cell_is_missing(
    engine: Engine, mini, tracer, monkeypatch, target: str, test: str
) -> None:
    monkeypatch.setattr(Publisher, "cell", lambda *_, **__: None)
    filters = Filters(models=("loud",), targets=(target,), tests=(test,), datasets=("tones",))
    report = engine.run(filters)
    assert report.computed == 1 and not report.errors
    counting = reached(engine, target, test)
    model = {engine.benchmark.models["loud"].entry.partition(":")[0]}
    assert {
        "common.engine.scoring",
        "common.results.rows",
        "common.predictions.predict",
    } <= tracer.seen
    assert tracer.seen - counting - STOPS - BETWEEN - model == set()


def test_the_figures_of_a_cell_belong_to_the_code_that_draws(engine: Engine, copy, monkeypatch):
    sources = Sources(copy)
    monkeypatch.setattr(closure, "SOURCES", sources)
    found = engine.benchmark
    cell = found.tests["correctness_regression"], found.targets["arousal"]
    before = identity.figure_code(*cell), identity.scoring_code(*cell)
    with touched(sources, copy / "figures" / "scatter.py"):
        after = identity.figure_code(*cell), identity.scoring_code(*cell)
    assert after[0] != before[0] and after[1] == before[1]
    assert drawing.__name__ in closure.SOURCES.modules(identity.DRAWING)


def test_figures_of_a_test_without_events_need_no_code_of_events(engine: Engine) -> None:
    with watched() as counting:
        for target, test in CELLS[:4]:
            identity.figure_code(engine.benchmark.tests[test], engine.benchmark.targets[target])
    assert "common.figures.scatter" in counting
    assert {n for n in counting if n.startswith("common.figures.details.")} == set()


def test_predictions_belong_to_no_formula_of_a_score(engine: Engine) -> None:
    with watched() as counting:
        identity.prediction_code(
            engine.benchmark.models["loud"], engine.benchmark.datasets["tones"]
        )
    assert "common.models.python" in counting
    formulas = {METRICS.origin(name) for name in METRICS.names()}
    assert counting & formulas == set()


# -- pages ----------------------------------------------------------------------------------------


@pytest.fixture
def everything(copy: Path, tmp_path: Path, monkeypatch) -> Sources:
    """Copies of the program and of our extensions of Sphinx, which count."""
    shutil.copytree(paths.DOCS / "_ext", tmp_path / "_ext")
    sources = Sources(copy, *(tmp_path / "_ext" / path.name for path in paths.extensions()))
    monkeypatch.setattr(closure, "SOURCES", sources)
    return sources


def test_pages_belong_to_the_code_that_makes_them_and_to_no_other(everything, tmp_path, copy):
    """Every module of the command line is outside, and every figure that no page draws."""

    def now() -> tuple[str, str]:
        return page_identity.site_code(), page_identity.results_code()

    before = now()
    with watched() as counting:
        page_identity.results_code()
    results = set(counting)
    with watched() as counting:
        page_identity.site_code()
    assert results < counting
    assert {"benchmark_site.tables", "common.reports.summary.standings"} <= results
    assert {"local_math", "common.figures.scatter", "common.pages.rendering"} <= counting - results
    modules = {
        module_name(root, path): path
        for root in (copy, *sorted(tmp_path.glob("_ext/*")))
        for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])
    }
    with touched(everything, *(path for name, path in modules.items() if name not in counting)):
        assert now() == before
    for name in sorted(counting & modules.keys()):
        with touched(everything, modules[name]):
            changed = tuple(new != old for new, old in zip(now(), before, strict=True))
        assert changed == (True, name in results), name


def test_an_edit_of_the_command_line_makes_nothing_stale(
    engine: Engine, everything, copy: Path, monkeypatch
) -> None:
    def now() -> list[Any]:
        cells = [codes(engine, *cell) for cell in CELLS]
        declared = [(found.tests[test], found.targets[target]) for target, test in CELLS]
        figures = [identity.figure_code(*cell) for cell in declared]
        return [cells, figures, site._texts(found)]

    found = engine.benchmark
    before = now()
    edited = sorted((copy / "cli").rglob("*.py"))
    assert len(edited) > 10
    with touched(everything, *edited):
        assert now() == before
    with touched(everything, copy / "core" / "display.py"):
        assert now()[-1] != before[-1]


def test_what_metrics_declare_counts_for_pages(monkeypatch) -> None:
    before = page_identity.results_code()
    metric = METRICS.get("ccc")
    with monkeypatch.context() as patch:
        patch.setitem(METRICS._items, "ccc", dataclasses.replace(metric, function=len))
        assert page_identity.results_code() == before
        patch.setitem(METRICS._items, "ccc", dataclasses.replace(metric, short="C"))
        assert page_identity.results_code() != before


def test_plots_of_a_page_belong_to_what_they_import() -> None:
    page = (
        "Text\n\n   .. plot::\n      :alt: Two lines\n         of text.\n\n"
        "      from common.figures.ranks import draw_ranks\n\n"
        "      from common.uncertainty.simulation.table import kept\n"
        "      draw_ranks(kept)\n\n   from common.cli import main\n   main()\n"
    )
    modules = ("common.figures.ranks", "common.uncertainty.simulation.table")
    assert page_identity.drawn_by(page) == modules
    assert page_identity.plots_code(page) == closure.code_of(*modules)
    assert page_identity.plots_code("from common.cli import main\n") == ""
    assert page_identity.drawn_by(".. plot::\n\n   import import\n") == ()


def test_every_embedded_corpus_reaches_what_makes_it() -> None:
    for recipe in recipes.choose():
        names = closure.SOURCES.modules(type(recipe), "common.samples.demo.render")
        assert type(recipe).__module__ in names and "common.samples.demo.acoustics" in names
