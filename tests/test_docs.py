"""The texts keep their promises: names, paths, commands and examples in them exist and work."""

from __future__ import annotations

import argparse
import doctest
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from common import models
from common.cli import main
from common.cli.options import BENCHES
from common.core import paths
from common.core.paths import Paths
from common.engine.check import faults
from common.metrics import METRICS, Metric
from common.models.base import Batch, SampleKey
from common.reports.metric_names import name_of
from common.results import COLUMNS, STATUSES
from common.results.criteria import write_criteria
from common.results.manifest import Manifest
from common.spec import KINDS, Criterion, load_benchmark

DOCS, ROOT = paths.DOCS, paths.REPOSITORY
PROSE = sorted(DOCS.rglob("*.rst"))
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "method-tests" / "README.md"]
METHOD = {path.stem: path.read_text("utf-8") for path in sorted((DOCS / "method").glob("*.rst"))}
HOWTO = sorted((DOCS / "howto").glob("*.rst"))
COMMAND_LINE = (DOCS / "howto" / "use_the_command_line.rst").read_text("utf-8")
EVENTS = (DOCS / "howto" / "score_event_lists.rst").read_text("utf-8")
#: options of the run, and those of every command
OF_RUN, OF_ALL = COMMAND_LINE.partition("\nOptions of run and all\n")[2].split(
    "\nOptions of every command\n"
)
BENCHMARK = load_benchmark()
#: a command on a line of its own, in a box or between backticks
COMMAND = re.compile(r"(?:^|[\s`(])python build\.py(?P<words>[^`\n]*)", re.MULTILINE)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, language: str) -> list[str]:
    """Code blocks of a page, without their indentation."""
    start = re.compile(rf"\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)")
    found = start.findall(path.read_text("utf-8") + "\n")
    return ["\n".join(line[3:] for line in text.splitlines()).strip() + "\n" for text in found]


def references() -> set[str]:
    return set(re.findall(r"^@\w+\{([^,\s]+),$", (DOCS / "refs.bib").read_text("utf-8"), re.M))


# -- references ------------------------------------------------------------------------------


def test_the_bibliography_can_be_read_and_has_no_key_twice() -> None:
    from pybtex.database import parse_file

    database = parse_file(str(DOCS / "refs.bib"))
    assert set(database.entries) == references()
    for key, entry in database.entries.items():
        assert entry.persons.get("author"), key
        assert {"title", "year"} <= set(entry.fields), key


def test_every_citation_has_a_reference() -> None:
    known = references()
    for path in PROSE:
        for keys in re.findall(r":cite:[pt]:`([^`]+)`", path.read_text("utf-8")):
            for key in keys.split(","):
                assert key.strip() in known, f"{name(path)}: {key}"


def test_what_datasets_and_tests_cite_has_a_reference() -> None:
    cited = [e.cite for e in (*BENCHMARK.datasets.values(), *BENCHMARK.tests.values()) if e.cite]
    assert set(cited) <= references()


@pytest.mark.parametrize("metric", list(METRICS), ids=lambda metric: metric.id)
def test_every_metric_has_a_reference_and_a_method_page(metric: Metric) -> None:
    assert metric.cite in references()
    assert f"\n``{metric.id}``: {name_of(metric.id).full}\n" in METHOD["metrics"]


def test_the_page_of_metrics_knows_their_range_and_what_is_best() -> None:
    best = {"higher": "high", "lower": "low", "zero": "0"}
    for metric in METRICS:
        _, _, text = METHOD["metrics"].partition(f"``{metric.id}``")
        (shown,) = re.findall(r"\A.*\n   (.*?)\.", text)
        low, high = metric.bounds
        if not np.isfinite(low):
            expected = "any number"
        else:
            expected = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"
        assert shown == f"{expected}, {best[metric.direction]} is best", metric.id


def test_formulas_are_written_so_that_the_converter_reads_them_rightly() -> None:
    for path in PROSE:  # \\frac12 would become 12 above the next character
        assert not re.search(r"\\[dt]?frac(?!\{)", path.read_text("utf-8")), name(path)


# -- method pages ----------------------------------------------------------------------------


@pytest.mark.parametrize("test", list(BENCHMARK.tests))
def test_every_test_has_a_method_page_with_its_metrics_and_datasets(test: str) -> None:
    assert test in METHOD, f"docs/method/{test}.rst is missing"
    page, declared = METHOD[test], BENCHMARK.tests[test]
    uses = [*declared.regression, *declared.classification, *declared.events]
    for metric in {use.metric for use in uses}:
        assert f"``{metric}``" in page, metric
    for dataset in declared.datasets:
        assert f"``{dataset}``" in page, dataset
    assert f":doc:`{test}`" in METHOD["index"]


@pytest.mark.parametrize("test", list(BENCHMARK.tests))
def test_every_method_page_shows_the_criteria_of_all_kinds(test: str) -> None:
    shown = re.findall(rf":file: \.\./method-tests/([\w-]+)/{test}\.csv", METHOD[test])
    kinds = {BENCHMARK.targets[target].kind for target in shown}
    assert kinds == {kind for kind in KINDS if BENCHMARK.tests[test].uses(kind)}


@pytest.mark.parametrize("test", list(BENCHMARK.tests))
def test_one_table_stands_for_all_targets_of_a_kind(test: str, tmp_path: Path) -> None:
    write_criteria(BENCHMARK, Paths(output=tmp_path))
    for kind in ("regression", "classification"):
        targets = [t.id for t in BENCHMARK.targets.values() if t.kind == kind]
        files = [tmp_path / "method-tests" / target / f"{test}.csv" for target in targets]
        assert len({file.read_bytes() for file in files if file.exists()}) <= 1


def test_every_table_in_a_page_is_one_that_the_runner_writes(tmp_path: Path) -> None:
    write_criteria(BENCHMARK, Paths(output=tmp_path))
    found = 0
    for path in PROSE:
        for file in re.findall(r"^ +:file: (.+)$", path.read_text("utf-8"), re.MULTILINE):
            place = os.path.normpath(tmp_path / path.relative_to(DOCS).parent / file)
            assert Path(place).is_file(), f"{name(path)}: {file}"
            found += 1
    assert found >= len(BENCHMARK.tests)


def test_examples_of_figures_have_three_lines_at_most_and_a_text() -> None:
    found = 0
    for path in PROSE:
        block = re.compile(r"^( *)\.\. plot::\n((?:\1   .*\n|\n)+)", re.MULTILINE)
        for _, example in block.findall(path.read_text("utf-8")):
            lines = [line.strip() for line in example.splitlines() if line.strip()]
            assert lines[0].startswith(":alt: "), f"{name(path)}: a figure without text"
            assert len([line for line in lines if not line.startswith(":")]) <= 3, name(path)
            found += 1
    assert found > 30


def test_the_numbers_of_the_regression_example_are_those_of_its_figure() -> None:
    page = METHOD["correctness_regression"]
    (line,) = re.findall(r"^   (truth = .*)$", page, re.MULTILINE)
    values: dict[str, Any] = {"np": np}
    exec(line, values)
    pcc, ccc = (
        METRICS.get(i).function(values["truth"], values["prediction"]) for i in ("pcc", "ccc")
    )
    assert f"Its PCC is {pcc:.2f}, its CCC {ccc:.2f}" in page


def test_the_ranges_of_the_page_are_those_of_the_test() -> None:
    ranges = BENCHMARK.tests["correctness_consistency"].options["ranges"]
    shown = {
        "low": r"p \le {1:g}`",
        "neutral": r"{0:g} \le p \le {1:g}`",
        "high": r"p \ge {0:g}`",
    }
    for range_name, text in shown.items():
        low, high = (np.nan if end is None else end for end in ranges[range_name])
        assert text.format(low, high) in METHOD["correctness_consistency"], range_name


def test_the_numbers_of_the_speaker_pages_are_those_of_the_tests() -> None:
    for test in ("correctness_speaker_average", "correctness_speaker_ranking"):
        options = BENCHMARK.tests[test].options
        assert (options["min_samples"], options["min_per_class"], options["min_units"]) == (
            10,
            8,
            6,
        )
        text = " ".join(METHOD[test].replace("**", "").split())
        assert "at least 10 samples" in text
        assert "at least 8" in text
        assert "six speakers" in text or "six such speakers" in text


def test_the_page_on_verdicts_shows_criteria_as_the_program_does() -> None:
    page = METHOD["verdict"].replace("\\|", "|")
    for line, criterion in re.findall(r"- ``(.+: .+)``\n +- (.+)\n", page):
        assert str(Criterion(**yaml.safe_load(line))) == criterion
    for status in STATUSES:
        assert f"**{status}**" in page


# -- result files ----------------------------------------------------------------------------


def test_every_column_and_every_part_of_a_manifest_is_explained() -> None:
    page = (DOCS / "reference" / "result_files.rst").read_text("utf-8")
    for column in COLUMNS:
        assert f"``{column}``" in page, column
    for field in Manifest.__dataclass_fields__:
        assert f"``{field}``" in page, field


def test_the_embedded_data_are_what_their_page_says() -> None:
    (path,) = (paths.PACKAGE / "samples" / "demo").rglob("emotion.yaml")
    recipe = yaml.safe_load(path.read_text("utf-8"))
    page = (DOCS / "reference" / "embedded_data.rst").read_text("utf-8")
    splits = [speaker["split"] for speaker in recipe["speakers"]]
    train, test = splits.count("train"), splits.count("test")
    assert f"- {len(splits)}, of whom {train} are for training and {test} for testing" in page
    sexes = [speaker["sex"] for speaker in recipe["speakers"]]
    assert sexes.count("female") == sexes.count("male")
    assert {speaker["language"] for speaker in recipe["speakers"]} == set(recipe["texts"])
    assert len(recipe["texts"]) == 5
    assert {len(texts) for texts in recipe["texts"].values()} == {12}
    (categories,) = re.findall(r"\* - Categories\n +- (.*)\n", page)
    assert sorted(categories.lower().split(", ")) == sorted(recipe["categories"])


# -- commands --------------------------------------------------------------------------------


def commands() -> Iterator[Any]:
    for path in [*PROSE, *GUIDES]:
        for n, found in enumerate(COMMAND.finditer(path.read_text("utf-8"))):
            words = found["words"].split("  ")[0].split(" #")[0].split(" && ")[0].split(" | ")[0]
            yield pytest.param(words, id=f"{name(path)}-{n}")


@pytest.mark.parametrize("words", list(commands()))
def test_every_command_in_the_texts_is_one(words: str) -> None:
    words = re.sub(r"\b[A-Z]{2,}\b", "tests", words)  # the word for something to fill in
    if "--help" not in words:
        main.parser().parse_args(shlex.split(words) or ["all"])


def test_the_page_on_the_command_line_is_complete() -> None:
    parser = main.parser()
    (sub,) = [a for a in parser._actions if a.dest == "command"]
    assert sub.choices is not None
    for command, own in dict(sub.choices).items():
        assert re.search(rf"^   \* - ``{command}( [\w.]+)*``$", COMMAND_LINE, re.M), command
        page = COMMAND_LINE + (EVENTS if command == "events" else "")
        where = _rows()[command] + OF_ALL + (EVENTS if command == "events" else "")
        where += OF_RUN if command in ("run", "all") else ""
        for action in own._actions:
            if action.help == argparse.SUPPRESS:  # another spelling
                continue
            for option in action.option_strings:
                if option in ("-h", "--help"):
                    continue
                assert f"``{option}" in page, option
                assert re.search(rf"{option}(?![\w-])", where), (command, option)


def _rows() -> dict[str, str]:
    """Command -> what its row on the page says."""
    starts = re.finditer(r"^   \* - ``([\w-]+)", COMMAND_LINE, re.MULTILINE)
    return {m[1]: COMMAND_LINE[m.start() :].partition("\n   * - ")[0] for m in starts}


def test_the_page_on_the_command_line_has_no_command_that_does_not_exist() -> None:
    (sub,) = [a for a in main.parser()._actions if a.dest == "command"]
    assert sub.choices is not None
    table = COMMAND_LINE.partition("\nCommands\n")[2].partition("\nOptions of")[0]
    shown = re.findall(r"^   \* - ``([\w-]+)", table, re.MULTILINE)
    assert sorted(shown) == sorted(dict(sub.choices))


def test_the_page_on_the_command_line_names_every_value_of_an_argument() -> None:
    (sub,) = [a for a in main.parser()._actions if a.dest == "command"]
    assert sub.choices is not None
    rows = _rows()
    values = [
        (command, str(value))
        for command, own in dict(sub.choices).items()
        for action in own._actions
        if action.choices and not action.option_strings
        for value in action.choices
    ]
    assert len(values) > 20
    missing = [
        (command, value)
        for command, value in values
        if not re.search(rf"``(?:{command} )?{value}\b", rows[command])
    ]
    assert not missing


def test_the_page_on_speed_has_every_benchmark() -> None:
    text = (DOCS / "howto" / "speed.rst").read_text("utf-8")
    shown = re.findall(r"^   \* - ``(\w+)``$", text, re.MULTILINE)
    assert sorted(shown) == sorted(BENCHES)


def test_the_readme_lists_every_command() -> None:
    (sub,) = [a for a in main.parser()._actions if a.dest == "command"]
    assert sub.choices is not None
    text = (ROOT / "README.md").read_text("utf-8")
    listed = text.partition("`python build.py --help` lists the commands: ")[2].partition(". ")[0]
    assert sorted(re.findall(r"`([\w-]+)`", listed)) == sorted(dict(sub.choices))


def test_the_exit_codes_are_those_of_the_program() -> None:
    table = COMMAND_LINE.partition("\nExit codes\n")[2]
    codes = {int(code) for code in re.findall(r"^   \* - (\d+)$", table, re.MULTILINE)}
    named = {main.OK, main.FAILED, main.USAGE, main.CELL_ERRORS, main.INTERRUPTED, main.UNREAD}
    assert codes == named


# -- examples --------------------------------------------------------------------------------


def write_examples(page: Path, folder: Path) -> list[Path]:
    """Write the files that the examples of a page are; several of one name are put together."""
    files: dict[str, str] = {}
    for language in ("yaml", "python"):
        for text in blocks(page, language):
            first = text.partition("\n")[0]
            if first.startswith("# my-catalog/"):
                file = first.removeprefix("# my-catalog/")
                files[file] = files.get(file, "") + text
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return [folder / file for file in files]


@pytest.fixture(autouse=True)
def no_module_of_an_example_stays_loaded() -> Iterator[None]:
    yield
    sys.modules.pop("my_module", None)


WITH_EXAMPLES = [p for p in [*HOWTO, DOCS / "index.rst"] if "# my-catalog/" in p.read_text("utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_examples_load_and_only_their_data_are_missing(page: Path, tmp_path: Path) -> None:
    assert write_examples(page, tmp_path)
    benchmark = load_benchmark([tmp_path])
    for fault in faults(benchmark):
        assert str(tmp_path) in fault and "no such" in fault, fault


def test_the_example_of_a_python_model_works(tmp_path: Path) -> None:
    write_examples(DOCS / "howto" / "add_a_model.rst", tmp_path)
    benchmark = load_benchmark([tmp_path], allow_code=True)
    entry = benchmark.models["my-python-model"]
    model = models.load(entry, benchmark.targets, seed=0)
    keys = [SampleKey("db", "1.0.0", f"{n}.wav", 0, -1) for n in range(2)]
    signals = [np.full((1, n), 0.25, dtype=np.float32) for n in (100, 200)]
    answer = model.predict(Batch(keys, signals, entry.sampling_rate))
    assert answer["arousal"].tolist() == [0.25, 0.25]
    assert answer["emotion"].tolist() == [[0.25, 0, 0.5, 0]] * 2


def test_the_example_of_a_metric_is_one() -> None:
    (text,) = blocks(DOCS / "howto" / "add_a_metric.rst", "python")
    given: dict[str, Any] = {}

    def metric(**fields: Any) -> Any:
        given.update(fields)
        return lambda function: function

    from common.metrics.base import floats

    values: dict[str, Any] = {"np": np, "floats": floats, "metric": metric}
    exec("from __future__ import annotations\n" + text, values)
    example = Metric(function=values["max_error"], **given)
    assert example.id not in METRICS
    assert example.cite in references()
    assert example.function(np.array([0.1, 0.5]), np.array([0.1, 0.25])) == 0.25
    assert np.isnan(example.function(np.array([]), np.array([])))
    finder = doctest.DocTestFinder(recurse=False)
    (case,) = finder.find(values["max_error"], "max_error", globs=values)
    assert doctest.DocTestRunner().run(case) == (0, 1)


# -- repository ------------------------------------------------------------------------------


def test_decisions_are_numbered_without_a_gap() -> None:
    files = sorted((DOCS / "decisions").glob("*.md"))
    for number, path in enumerate(files, 1):
        assert path.name.startswith(f"{number:04d}-")
        assert path.read_text("utf-8").startswith(f"# {number}. ")


def test_what_workflows_run_is_there() -> None:
    scripts = []
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            commands = "\n".join(step.get("run", "") for step in job["steps"])
            scripts += re.findall(r"(?<![\w/])(?:\.ci|tests)/[\w./-]*\w", commands)
            # the build renames packages, which an editable installation cannot do
            assert not re.search(r"pip install\b.*\s(-e|--editable)\s", commands), path.name
    assert len(scripts) > 3
    for script in [*scripts, ".ci/run"]:
        assert (ROOT / script).exists(), script
        assert not script.startswith((".ci/r", ".ci/f")) or os.access(ROOT / script, os.X_OK), (
            script
        )


def test_workflow_and_hooks_are_valid_and_test_every_supported_python() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [hook["id"] for repo in hooks["repos"] for hook in repo["hooks"]]


@pytest.mark.parametrize("path", PROSE, ids=name)
def test_documents_that_pages_link_to_exist(path: Path) -> None:
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`<>]+)>?`", path.read_text("utf-8")):
        base = DOCS if target.startswith("/") else path.parent
        assert (base / f"{target.lstrip('/')}.rst").is_file(), f"{name(path)}: {target}"
