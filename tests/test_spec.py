"""Records and their messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from common.core.errors import ConfigError
from common.engine.check import faults
from common.spec import Criterion, Test, load_benchmark, load_entries, read_yaml
from common.spec import Model as ModelEntry

GOOD = "- {id: a, version: 1.0.0, adapter: chance}\n"


def _write(folder: Path, text: str, name: str = "models.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_user_catalog_comes_on_top(tmp_path: Path) -> None:
    _write(tmp_path, "- {id: random-gaussian, version: 9.9.9, adapter: chance}\n" + GOOD)
    benchmark = load_benchmark([tmp_path])
    assert benchmark.models["random-gaussian"].version == "9.9.9"
    assert not benchmark.models["a"].builtin
    assert "random-categorical" in benchmark.models


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- {id: a, version: 1, adaptor: onnx}\n",
            r"models\.yaml: models\[0\] \(a\).adaptor: "
            r"unknown key\. Did you mean 'adapter'\?",
        ),
        ("- {id: a, adapter: onnx}\n", r"models\[0\] \(a\)\.version: missing"),
        ("- {id: a, version: ../../b, adapter: onnx}\n", r"version: .* found '\.\./\.\./b'"),
        (GOOD + GOOD, r"models\[1\] \(a\): id 'a' is used twice"),
        ("- {id: ../a, version: 1, adapter: onnx}\n", r"models\[0\].*\.id: .* found '\.\./a'"),
        ("a: 1\n", "expected a list of entries"),
        ("- a\n", r"models\[0\]: expected key: value lines, found 'a'"),
        (
            "- {id: a, id: b, version: 1, adapter: onnx}\n",
            r"line 1, column 11: .* 'id' appears twice",
        ),
        ("- id: a\n  version: 1\n  params: {x: 1, x: 2}\n", r"line 3.*: the key 'x' appears twice"),
        (
            "- {id: 5, version: 1, adapter: onnx}\n",
            r"\.id: expected text; put .* in quotes, found 5",
        ),
        (
            "- {id: a, version: 1, adapter: onnx, outputs: [b]}\n",
            r"outputs: expected key: value pair",
        ),
        (
            "- {id: a, version: 1.0.0, adapter: chance, sampling_rate: 16}\n",
            r"sampling_rate: .* 1000, found 16",
        ),
        ("- {id: a\n  b", r"models\.yaml, line 3, column \d+: not valid YAML"),
    ],
)
def test_faults_are_one_line_with_place(tmp_path: Path, text: str, message: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as error:
        load_entries(ModelEntry, path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("name", "most"), [("models", 10_000), ("targets", 1_000)])
def test_a_file_of_a_catalog_has_a_largest_number_of_entries(
    tmp_path: Path, name: str, most: int
) -> None:
    _write(tmp_path, "- {}\n" * (most + 1), f"{name}.yaml")
    message = rf"{name}\.yaml: {most + 1:,} entries, at most {most:,} are read$"
    with pytest.raises(ConfigError, match=message):
        load_benchmark([tmp_path])
    _write(tmp_path, "- {}\n" * most, f"{name}.yaml")
    with pytest.raises(ConfigError, match=rf"{name}\[0\]\.id: missing"):
        load_benchmark([tmp_path])


def test_a_file_that_is_no_utf_8_text(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_bytes("- {id: a, label: Bär}".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"models\.yaml: is not UTF-8 text \(byte 18\)$"):
        read_yaml(path)


def test_an_empty_test_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "own.yaml").write_text("")
    with pytest.raises(
        ConfigError, match=r"suite/own\.yaml: expected key: value lines, found None"
    ):
        load_benchmark([tmp_path])


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_yaml(tmp_path / "absent.yaml")
    with pytest.raises(ConfigError, match="no such folder"):
        load_benchmark([tmp_path / "absent"])
    with pytest.raises(ConfigError, match="holds none of"):
        load_benchmark([tmp_path])


def test_all_faults_of_a_catalog_are_told_at_once(tmp_path: Path) -> None:
    wrong = "".join(f"- {{id: m{n}, version: 1.0.0, adaptor: chance}}\n" for n in range(30))
    _write(tmp_path, GOOD + wrong)
    _write(tmp_path, "title: 1\n", "suite/one.yaml")
    _write(tmp_path, "- {id: ../d}\n", "datasets.yaml")
    with pytest.raises(ConfigError) as error:
        load_benchmark([tmp_path])
    lines = str(error.value).splitlines()
    assert len(lines) == 21 and re.fullmatch(r"and \d+ more", lines[-1])
    assert "datasets.yaml: datasets[0]" in lines[0]
    assert "models[1] (m0).adaptor: unknown key" in lines[1]
    _write(tmp_path, GOOD + "- {id: m, version: 1.0.0, adaptor: chance}\n")
    with pytest.raises(ConfigError) as error:
        load_benchmark([tmp_path])
    files = [line.partition(": ")[0] for line in str(error.value).splitlines()]
    assert [Path(name).name for name in files] == ["datasets.yaml", "models.yaml", "one.yaml"]


@pytest.mark.parametrize(
    ("design", "metrics", "message"),
    [
        (
            "against_truth",
            "[{metric: uar, above: 1.4}]",
            "classification[0]: criterion > 1.4: no score from 0 to 1 meets it",
        ),
        (
            "against_truth",
            "[{metric: uar, above: -0.1}]",
            "classification[0]: criterion > -0.1: every score from 0 to 1 meets it",
        ),
        (
            "against_truth",
            "[{metric: uar, between: [0.6, 0.4]}]",
            "classification[0]: criterion 0.6 < x < 0.4: no score from 0 to 1 meets it",
        ),
        ("{by_group: {attribute: sex, min_group: 2}}", "[{metric: uar, above: -0.1}]", ""),
        (
            "{by_group: {attribute: sex, min_group: 2}}",
            "[{metric: uar, within: 1.1}]",
            "classification[0]: criterion |x| < 1.1: every score from -1 to 1 meets it",
        ),
    ],
)
def test_criteria_tell_scores_apart(
    tmp_path: Path, design: str, metrics: str, message: str
) -> None:
    text = f"title: T\nfamily: correctness\ndesign: {design}\nclassification: {metrics}\n"
    path = _write(tmp_path, text, "suite/own.yaml")
    assert faults(load_benchmark([tmp_path])) == ([f"{path}: {message}"] if message else [])


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (
            "\n- metric: uar\n  above: 0,4",
            r"\.above: expected a number with a decimal point, found '0,4'",
        ),
        (" [{metric: uar, above: 0,4}]", r"\[0\]: found the key 4; numbers have a decimal point"),
    ],
)
def test_a_decimal_comma_is_named(tmp_path: Path, metrics: str, message: str) -> None:
    text = f"title: T\nfamily: correctness\ndesign: against_truth\nclassification:{metrics}\n"
    _write(tmp_path, text, "suite/own.yaml")
    with pytest.raises(ConfigError, match=message):
        load_benchmark([tmp_path])


def test_criterion_needs_exactly_one_rule() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        Criterion()
    with pytest.raises(ValueError, match="exactly one of"):
        Criterion(above=0.1, below=0.2)


def test_metric_parameters_stand_beside_the_criterion(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "title: T\nfamily: correctness\ndesign: against_truth\n"
        "regression: [{metric: jensen_shannon_distance, below: 0.2, bins: 10}]\n",
        "suite/own_test.yaml",
    )
    test: Test = load_benchmark([tmp_path]).tests["own_test"]
    assert test.design_name == "against_truth"
    assert test.regression[0].params == {"bins": 10}
    assert str(test.regression[0].criterion) == "< 0.2"


def test_every_declaration_loads() -> None:
    benchmark = load_benchmark()
    assert set(benchmark.targets) >= {"arousal", "dominance", "valence", "emotion"}
    correctness = [t for t in benchmark.tests.values() if t.family == "correctness"]
    assert len(correctness) >= 6


def test_a_metric_stands_once_in_a_test(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "title: T\nfamily: correctness\ndesign: against_truth\n"
        "regression: [{metric: mae, below: 0.05}, {metric: mae, below: 0.2}]\n",
        "suite/own.yaml",
    )
    with pytest.raises(ConfigError, match=r"own\.yaml: regression: metric 'mae' appears twice"):
        load_benchmark([tmp_path])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("CON", "the name of a device on Windows"),
        ("nul.csv", "the name of a device on Windows"),
        ("Com1", "the name of a device on Windows"),
        ("a.", "ends in a dot"),
        ("versions", "the name of a folder of this program"),
        ("Samples", "the name of a folder of this program"),
        ("fairness_sex.csv", "ends as files of results do"),
        ("a" * 101, "longer than 100 characters"),
    ],
)
def test_ids_that_are_no_folder(tmp_path: Path, name: str, reason: str) -> None:
    _write(tmp_path, f"- {{id: {name}, version: 1.0.0, adapter: chance}}\n")
    with pytest.raises(
        ConfigError, match=rf"models\[0\].*\.id: (?:is )?{reason}.*, found '{re.escape(name)[:50]}"
    ):
        load_benchmark([tmp_path])


def test_versions_and_databases_that_are_no_folder(tmp_path: Path) -> None:
    _write(tmp_path, "- {id: a, version: '1.0.', adapter: chance}\n")
    with pytest.raises(ConfigError, match=r"\.version: ends in a dot"):
        load_benchmark([tmp_path])
    _write(tmp_path, GOOD)
    for name, message in (("../x", "expected letters"), ("nul", "a device on Windows")):
        _write(
            tmp_path,
            f"- {{id: d, version: 1.0.0, adapter: audb, name: {name}}}\n",
            "datasets.yaml",
        )
        with pytest.raises(ConfigError, match=rf"\(d\)\.name: .*{message}"):
            load_benchmark([tmp_path])


def test_ids_that_differ_in_case_only(tmp_path: Path) -> None:
    _write(tmp_path, GOOD + GOOD.replace("id: a", "id: A"))
    with pytest.raises(ConfigError, match=r"models: 'a' \(.*\) and 'A' differ in upper and lower"):
        load_benchmark([tmp_path])
    _write(tmp_path, GOOD.replace("id: a", "id: Random-Gaussian"))
    with pytest.raises(ConfigError, match=r"'random-gaussian' .* and 'Random-Gaussian' differ"):
        load_benchmark([tmp_path])
