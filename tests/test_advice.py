"""Commands that messages advise can be copied: they look where the message was about."""

from __future__ import annotations

import shlex
import shutil

import pytest

from common.cli.main import main
from common.core import advice, paths

CELL = ("--model", "loud", "--test", "correctness_regression", "--dataset", "tones")
KEY = "arousal/loud/correctness_regression/tones/ccc"


@pytest.fixture
def bench(mini, capsys):
    """The command line on the miniature benchmark, with a blank in the name of the output."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main([*arguments, "--workers", "1"])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    run.mini = mini
    run.where = (
        *("--catalog", str(mini.catalog), "--output", str(mini.root / "my out")),
        *("--cache", str(mini.root / "cache")),
    )
    assert run("run", *CELL, *run.where)[0] == 0
    return run


def advised(text: str) -> list[list[str]]:
    """Arguments of the commands that a text holds."""
    lines = [line for line in text.splitlines() if "build.py" in line]
    return [shlex.split(line[line.index("python ") :])[2:] for line in lines]


def test_predictions_that_are_gone(bench) -> None:
    shutil.rmtree(bench.mini.root / "cache" / "predictions")
    code, text = bench("explain", KEY, *bench.where)
    (command,) = advised(text)
    assert code == 1 and bench(*command)[0] == 0
    assert bench("explain", KEY, *bench.where)[0] == 0


def test_stale_results(bench) -> None:
    bench.mini.write(
        "models.yaml", '- {id: loud, version: 2.0.0, adapter: python, entry: "MODULE:load"}\n'
    )
    how, again = advised(bench("summary", *bench.where)[1])
    listed = bench(*how)[1]
    assert "changed from 1.0.0 to 2.0.0" in listed
    assert advised(listed) == [again]
    (once,) = advised(bench("explain", KEY, *bench.where)[1])
    assert once[:2] == ["run", "--target"]
    assert bench(*once)[0] == 0
    assert bench("list", "stale", *bench.where)[1].startswith("nothing is stale in ")


def test_options_of_one_command_line_do_not_stay() -> None:
    with advice.given("./build.py", {"catalog": ["a", "b c"], "output": None, "seed": 3}):
        assert advice.command("run") == "python ./build.py run --catalog a --catalog 'b c' --seed 3"
        assert advice.command("run", "--seed", 5).endswith("--catalog 'b c'")
        assert advice.command("run", "--catalog", "c").count("--catalog") == 3
        assert advice.command("run", "--catalog", "a").count("--catalog") == 2
    with advice.given("build.py", {"full": True, "quiet": False}):
        assert advice.command("list", "stale") == "python build.py list stale --full"
        assert advice.command("run", "--full") == "python build.py run --full"
    assert advice.command("run") == "python build.py run"


def test_where_nothing_was_given_nothing_is_repeated(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("common.core.paths.Paths.method_tests", tmp_path)
    assert main(["compare", "a", "b"]) == 2
    assert capsys.readouterr().err.endswith("make them with: python build.py run\n")


def test_a_seed_that_is_not_the_default_is_repeated(bench) -> None:
    code, text = bench(
        "compare", "a", "b", "--output", str(bench.mini.root / "none"), "--seed", "7"
    )
    assert code == 2 and advised(text) == [
        ["run", "--output", str(bench.mini.root / "none"), "--seed", "7"]
    ]


def test_a_folder_that_was_named_is_the_one_that_gets_results(bench) -> None:
    other = bench.mini.root / "other place"
    other.mkdir()
    code, text = bench("compare", str(other), "loud", *bench.where)
    ((*_, option, folder, catalog, _, cache, _),) = advised(text)
    assert code == 2 and (option, folder) == ("--output", str(other))
    assert (catalog, cache) == ("--catalog", "--cache")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is damaged: not valid JSON"),
        ("[]", "is not a manifest of results"),
        ('{"format": "2"}', "written by another version of this program (format 2, "),
    ],
)
def test_a_manifest_that_cannot_be_read_is_made_again(bench, text: str, why: str) -> None:
    path = bench.mini.root / "my out" / "method-tests" / "arousal" / "loud" / "manifest.json"
    path.write_text(text)
    code, found = bench("explain", KEY, *bench.where)
    assert code == 2 and f"manifest.json: {why}" in found
    (command,) = advised(found)
    assert bench(*command, *CELL[2:])[0] == 0
    assert bench("explain", KEY, *bench.where)[0] == 0


def test_keys_that_no_file_can_have(bench) -> None:
    code, text = bench("explain", "a" * 5000 + "/b/c/d", *bench.where)
    assert code == 2 and "cannot be the name of a file" in text and len(text) < 200


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("nowhere/at/all", "no such folder"),
        ("build.py", "unknown model"),
        (str(paths.REPOSITORY / "build.py"), "is no folder with results"),
    ],
)
def test_sides_that_are_no_folders(bench, side: str, message: str) -> None:
    code, text = bench("compare", side, "loud", *bench.where)
    assert code == 2 and message in text
