"""The command cache: what lies there, whether it is whole, what is of use, and as a table."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from common import results
from common.cli.main import main
from common.core.paths import Paths
from common.predictions.store import parts_of

TEST = "correctness_regression"


@pytest.fixture
def run(mini: Any, capsys: Any) -> Any:
    """Runs a command on the miniature benchmark; returns its exit code and its answer."""

    def command(*words: str, out: str = "out", code: int = 0) -> Any:
        assert main([*words, *where(mini, out), "--json"]) == code, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    command("run", "--model", "loud", "--test", TEST, "--dataset", "tones")
    return command


def where(mini: Any, out: str = "out") -> list[str]:
    """Options that name the folders of the miniature benchmark."""
    folders = ("--catalog", mini.catalog, "--output", mini.root / out)
    return [*map(str, folders), "--cache", str(mini.root / "cache")]


def stores(mini: Any) -> list[Path]:
    return sorted(
        path.parent for path in Paths(cache=mini.root / "cache").predictions.rglob("key.json")
    )


def test_sizes_are_those_of_the_files(run: Any, mini: Any) -> None:
    parts = {row["part"]: row for row in run("cache")["parts"]}
    (folder,) = stores(mini)
    files = list(folder.iterdir())
    assert parts["predictions"]["files"] == len(files)
    assert parts["predictions"]["bytes"] == sum(file.stat().st_size for file in files)
    assert sum(row["files"] for row in parts.values()) == sum(
        path.is_file() for path in (mini.root / "cache").rglob("*")
    )


def test_a_damaged_file_is_named_and_made_again(run: Any, mini: Any) -> None:
    assert run("cache", "verify") == {"damaged": []}
    (folder,) = stores(mini)
    (part,) = parts_of(folder)
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    damaged = run("cache", "verify", code=1)["damaged"]
    assert damaged == [{"file": str(part), "reason": "content and name do not belong together"}]
    assert part.exists()
    run("run", "--model", "loud", "--test", TEST, "--dataset", "tones", "--force")
    assert run("cache", "verify") == {"damaged": []}


def test_what_only_reads_leaves_a_damaged_file_where_it_is(
    run: Any, mini: Any, caplog: Any, capsys: Any
) -> None:
    (folder,) = stores(mini)
    (part,) = parts_of(folder)
    part.write_bytes(b"")
    cell = f"arousal/loud/{TEST}/tones"
    assert main(["explain", cell, *where(mini), "--json"]) in (1, 2)
    assert f"{part}: damaged: " in caplog.text and "set aside" not in caplog.text
    capsys.readouterr()
    assert [Path(row["file"]) for row in run("cache", "verify", code=1)["damaged"]] == [part]


def test_a_link_that_leads_nowhere_is_a_damaged_file(run: Any, mini: Any) -> None:
    (folder,) = stores(mini)
    (part,) = parts_of(folder)
    part.unlink()
    part.symlink_to(mini.root / "nowhere")
    reason = "No such file or directory"
    assert run("cache", "verify", code=1)["damaged"] == [{"file": str(part), "reason": reason}]
    assert run("cache", "prune")["stores"] == []
    assert run("cache")["parts"]


@pytest.mark.parametrize("action", ["show", "verify", "prune", "export"])
def test_a_folder_that_cannot_be_read_is_named(
    run: Any, mini: Any, capsys: Any, monkeypatch: Any, action: str
) -> None:
    (folder,) = stores(mini)

    def refused(path: Any = ".") -> Any:
        if Path(path) == folder.parent:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return listed(path)

    listed = os.listdir
    scanned = os.scandir
    monkeypatch.setattr(os, "listdir", refused)
    monkeypatch.setattr(
        os, "scandir", lambda path=".": scanned(path) if refused(path) is not None else None
    )
    words = ["--model", "loud"] if action == "export" else []
    assert main(["cache", action, *words, *where(mini)]) == 2
    assert f"error: {folder.parent}: cannot be read: Permission denied\n" in capsys.readouterr().err


def test_a_store_that_does_not_say_what_it_is(run: Any, mini: Any) -> None:
    (folder,) = stores(mini)
    (folder / "key.json").write_text("[" * 100_000)
    (fault,) = run("cache", "verify", code=1)["damaged"]
    assert fault["file"] == str(folder / "key.json")
    # a run with these catalogs reads it
    assert run("cache", "prune")["stores"] == []
    path = mini.catalog / "models.yaml"
    path.write_text(path.read_text("utf-8").replace("version: 1.0.0", "version: 2.0.0"), "utf-8")
    (row,) = run("cache", "prune")["stores"]
    assert row["reason"] == "no readable key.json"


def test_data_that_another_choice_takes_are_of_use(run: Any, mini: Any) -> None:
    path = mini.catalog / "datasets.yaml"
    lines = path.read_text("utf-8").rstrip()
    assert run("cache", "prune", "--full")["stores"] == []
    path.write_text(f"{lines}\n  full: more-tones\n", "utf-8")
    assert run("cache", "prune", "--full")["stores"] == []
    assert run("cache", "prune")["stores"] == []


def test_perturbations_that_have_changed_or_are_gone(run: Any, mini: Any) -> None:
    test = "robustness_small_changes"
    run("run", "--model", "loud", "--test", test, "--dataset", "tones")
    assert run("cache", "prune")["stores"] == []
    folders = [folder for folder in stores(mini) if "original-" not in folder.name]
    key = folders[0] / "key.json"
    text = key.read_text("utf-8")
    content = json.loads(text)
    key.write_text(json.dumps(content | {"perturbation": "another"}))
    (row,) = run("cache", "prune")["stores"]
    assert row["reason"] == f"the perturbation '{content['condition']}' has changed"
    key.write_text(json.dumps(content | {"condition": "no-such-change"}))
    (row,) = run("cache", "prune")["stores"]
    assert row["reason"] == "no perturbation 'no-such-change' in the catalog"


def test_a_table_is_not_exported_where_a_store_has_lost_its_files(
    run: Any, mini: Any, capsys: Any
) -> None:
    (folder,) = stores(mini)
    for part in parts_of(folder):
        part.rename(part.with_name(part.name + ".broken"))
    assert main(["cache", "export", "--model", "loud", *where(mini)]) == 2
    assert f"{folder}: has no predictions any more; run the model" in capsys.readouterr().err


@pytest.mark.parametrize("fault", ["gone", "empty", "of another"])
def test_a_run_says_again_what_predictions_are_of(run: Any, mini: Any, fault: str) -> None:
    (folder,) = stores(mini)
    path = folder / "key.json"
    text = path.read_text()
    path.unlink() if fault == "gone" else path.write_text("{}" if fault == "of another" else "")
    assert len(run("cache", "verify", code=1)["damaged"]) == 1
    run("run", "--model", "loud", "--test", TEST, "--dataset", "tones", "--force")
    assert run("cache", "verify") == {"damaged": []}
    assert path.read_text() == text


@pytest.mark.parametrize("fault", ["key.json", "part"])
def test_a_table_that_would_not_be_whole_is_not_exported(
    run: Any, mini: Any, capsys: Any, fault: str
) -> None:
    (folder,) = stores(mini)
    (part,) = parts_of(folder)
    (folder / fault).write_text("") if fault == "key.json" else part.write_bytes(b"x")
    out = mini.root / "loud.csv"
    words = ["export", "--model", "loud", "--out", str(out)]
    where = ["--catalog", str(mini.catalog), "--cache", str(mini.root / "cache")]
    for _ in range(2):
        assert main(["cache", *words, *where, "--output", str(mini.root / "out")]) == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert line.startswith(f"error: {folder}") and "then export" in line
    assert not out.exists() and parts_of(folder) == [part]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "--yes"), "cache show: --yes belongs to 'cache prune'"),
        (("prune", "--model", "loud", "--yes"), "cache prune: --model belongs to 'cache export'"),
        (("verify", "--out", "x.csv"), "cache verify: --out belongs to 'cache export'"),
        (("verify", "--cache", "no/such"), "no/such: is not a folder"),
    ],
)
def test_what_makes_no_sense(capsys: Any, tmp_path: Path, words: Any, message: str) -> None:
    cache = () if "--cache" in words else ("--cache", str(tmp_path))
    assert main(["cache", *words, *cache, "--output", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("error: ") and line.endswith(message)


CHANGES = {
    "no model 'loud' in the catalog": ("id: loud", "id: quiet"),
    "the version of the model is 2.0.0 now": ("version: 1.0.0", "version: 2.0.0"),
    "entry or files of the model have changed": (
        '"MODULE:load"',
        '"MODULE:load", params: {gain: 2.0}',
    ),
}


@pytest.mark.parametrize(("reason", "change"), CHANGES.items(), ids=CHANGES)
def test_what_nothing_asks_for_is_listed_and_removed_on_demand(
    run: Any, mini: Any, reason: str, change: tuple[str, str]
) -> None:
    assert run("cache", "prune", "--yes") == {"removed": False, "stores": []}
    (folder,) = stores(mini)
    path = mini.catalog / "models.yaml"
    before, after = (text.replace("MODULE", mini.module) for text in change)
    text = path.read_text("utf-8")
    path.write_text(text.replace(before, after), "utf-8")
    answer = run("cache", "prune")
    assert [row["reason"] for row in answer["stores"]] == [reason]
    assert not answer["removed"]
    assert folder.exists()
    assert run("cache", "prune", "--yes")["removed"]
    assert stores(mini) == []
    path.write_text(text, "utf-8")
    run("run", "--model", "loud", "--test", TEST, "--dataset", "tones", "--force")
    assert stores(mini) == [folder]


def test_data_that_are_gone(run: Any, mini: Any) -> None:
    path = mini.catalog / "datasets.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("version: 1.0.0", "version: 1.1.0"), "utf-8")
    (row,) = run("cache", "prune")["stores"]
    assert row["reason"] == "the version of the database is 1.1.0 now"
    path.write_text(text.replace("id: tones", "id: noises"), "utf-8")
    (row,) = run("cache", "prune")["stores"]
    assert row["reason"] == "no dataset of the database 'tones' in the catalog"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_predictions_give_the_same_scores_without_the_model(
    run: Any, mini: Any, ending: str
) -> None:
    out = mini.catalog / f"loud.{ending}"
    rows = run("cache", "export", "--model", "loud", "--out", str(out))["rows"]
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    assert len(table) == rows == 280
    mini.write(
        "models.yaml", f"- {{id: loud, version: 1.0.0, adapter: predictions, path: loud.{ending}}}"
    )
    chosen = ("--model", "loud", "--test", TEST, "--dataset", "tones")
    run("run", *chosen, out="again")
    numbers = [
        results.read_all(mini.root / place / "method-tests").set_index(["target", "metric"])[
            "value"
        ]
        for place in ("out", "again")
    ]
    assert len(numbers[0]) > 2
    assert numbers[0].to_dict() == numbers[1].to_dict()


def test_predictions_of_two_runs_are_not_mixed(run: Any, mini: Any, capsys: Any) -> None:
    """Those that are drawn belong to a seed; others that differ for one sample are told."""
    chosen = ("--model", "chance-value", "--test", TEST, "--dataset", "tones")
    tables = {}
    for seed in ("0", "1"):
        run("run", *chosen, "--seed", seed, out=f"out{seed}")
    for seed in ("0", "1"):
        out = mini.root / f"{seed}.csv"
        words = ("cache", "export", "--model", "chance-value", "--seed", seed, "--out", str(out))
        assert run(*words)["rows"] == 280
        tables[seed] = out.read_text()
    assert tables["0"] != tables["1"]
    first = next(folder for folder in stores(mini) if "loud-" in str(folder))
    other = first.with_name(first.name[:-2] + "00")
    shutil.copytree(first, other)
    where = ("--catalog", mini.catalog, "--cache", mini.root / "cache", "--output", mini.root)
    assert main(["cache", "export", "--model", "loud", *map(str, where)]) == 2
    line = capsys.readouterr().err
    assert "two predictions of " in line and str(first) in line and str(other) in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "cache export: missing --model ID"),
        (("--model", "loudd"), "--model: unknown model 'loudd'"),
        (("--model", "chance-value"), "--model chance-value: the cache has no predictions"),
        (("--model", "loud", "--out", "x.txt"), "--out x.txt: expected a name that ends in"),
    ],
)
def test_what_cannot_be_exported(
    run: Any, mini: Any, capsys: Any, words: Any, message: str
) -> None:
    where = (
        "--catalog",
        mini.catalog,
        "--cache",
        mini.root / "cache",
        "--output",
        mini.root / "out",
    )
    assert main(["cache", "export", *words, *map(str, where)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert message in line
