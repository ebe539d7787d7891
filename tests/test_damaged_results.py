"""Files of an output folder that are not as a run wrote them: noticed, told, and made again."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from common.cli.main import main
from common.core.checksums import NAME, Checksums
from tests.conftest import DATASETS

NOTHING = "nothing to do"


def _shorter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def _one_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def _gone(path: Path) -> None:
    path.unlink()


@pytest.fixture
def run(mini_with_figures, capsys):
    """A run of a model with figures, details and sounds."""
    mini = mini_with_figures
    mini.write("datasets.yaml", f"{DATASETS.rstrip()}\n  license: CC0-1.0\n")
    tests = ("fairness_sex", "correctness_regression", "robustness_small_changes")
    where = [
        "--catalog",
        mini.catalog,
        "--cache",
        mini.root / "cache",
        "--output",
        mini.root / "out",
    ]
    chosen = [
        "--model",
        "loud",
        "--target",
        "arousal",
        "--dataset",
        "tones",
        "--allow-code",
        "--workers",
        "1",
    ]
    options = [*map(str, where), *chosen, *(part for test in tests for part in ("--test", test))]

    def run() -> str:
        code = main(["run", *options])
        told = "".join(capsys.readouterr())
        assert code == 0, told
        return told

    run.out = mini.root / "out"
    run.where = [*map(str, where), "--allow-code", "--workers", "1"]
    return run


#: files of which one is damaged at a time
KINDS = [
    "method-tests/arousal/fairness_sex.csv",
    "method-tests/correctness_consistency_ranges.csv",
    "method-tests/arousal/loud/fairness_sex.csv",
    "method-tests/arousal/loud/manifest.json",
    "method-tests/arousal/loud/sums/fairness_sex--tones.parquet",
    "method-tests/datasets/tones.json",
    "extra/media/arousal/loud/fairness_sex/visualization_*.png",
    "extra/media/arousal/loud/fairness_sex/alt.json",
    "extra/media/arousal/samples.json",
    "extra/media/arousal/listen_robustness_small_changes.json",
    "extra/media/tables/arousal/tones.js",
    "extra/media/own/index.json",
    "extra/media/own/arousal--tones.js",
    "extra/media/samples/*/*/*.flac",
    "extra/media/samples/*/*/*.webp",
]


@pytest.mark.parametrize("damage", [_shorter, _one_bit, _no_text, _gone])
def test_every_damaged_file_is_made_again(run, damage: Callable[[Path], None]) -> None:
    run()
    assert NOTHING in run()
    before = {path: path.read_bytes() for path in run.out.rglob("*") if path.is_file()}
    for kind in KINDS:
        path = sorted(run.out.glob(kind))[0]
        damage(path)
    run()
    after = {path: path.read_bytes() for path in run.out.rglob("*") if path.is_file()}
    assert {str(path) for path in before if after.get(path) != before[path]} == set()
    assert {
        str(path) for path in after if path not in before and ".broken" not in str(path)
    } == set()
    assert NOTHING in run()


@pytest.mark.parametrize("kind", KINDS)
def test_one_damaged_file_is_noticed(run, kind: str) -> None:
    run()
    path = sorted(run.out.glob(kind))[0]
    before = path.read_bytes()
    _one_bit(path)
    run()
    assert path.read_bytes() == before


HELPS = "; make it again with: python build.py run "
#: those that pages would show other than they were, or leave out
READ = [
    "method-tests/arousal/loud/fairness_sex.csv",
    "method-tests/arousal/loud/sums/fairness_sex--tones.parquet",
    "method-tests/datasets/tones.json",
    "extra/media/arousal/samples.json",
    "extra/media/arousal/listen_robustness_small_changes.json",
    "extra/media/tables/arousal/tones.js",
    "extra/media/own/index.json",
    "extra/media/own/arousal--tones.js",
]


def _remarks(caplog) -> list[str]:
    """What is said of files to be made again, and no more."""
    said = [text for text in caplog.messages if HELPS in text]
    caplog.clear()
    return said


def test_the_website_says_what_is_not_as_it_was_and_what_helps(run, caplog, monkeypatch) -> None:
    run()
    monkeypatch.setattr("common.pages.site.render", lambda *args, **options: ([], []))
    words = ["site", *run.where]
    main(words)
    assert _remarks(caplog) == []
    paths = [run.out / kind for kind in READ]
    before = [path.read_bytes() for path in paths]
    for path, content in zip(paths, before, strict=True):
        _one_bit(path)
        assert main(words) == 0
        (said,) = _remarks(caplog)
        assert said.startswith(f"{path}: is not as it was written{HELPS}")
        path.write_bytes(content)
        main(words)
        assert _remarks(caplog) == []
    for path in paths:
        _shorter(path)
    for _ in range(2):
        main(words)
        first, *others = _remarks(caplog)
        assert first.startswith(f"{paths[0]}: is not as it was written (and 1 more file beside it)")
        assert sorted(text.partition(": is ")[0] for text in others) == sorted(map(str, paths[2:]))
    run()
    assert [path.read_bytes() for path in paths] == before
    caplog.clear()
    main(words)
    assert _remarks(caplog) == []


def test_the_website_says_which_table_is_missing_and_which_manifest_cannot_be_read(
    run, caplog, monkeypatch
) -> None:
    run()
    monkeypatch.setattr("common.pages.site.render", lambda *args, **options: ([], []))
    folder = run.out / "method-tests/arousal/loud"
    _gone(folder / "fairness_sex.csv")
    main(["site", *run.where])
    (said,) = _remarks(caplog)
    assert said.startswith(
        f"{folder}/fairness_sex.csv: is missing{HELPS}--model loud --target arousal"
    )
    _shorter(folder / "manifest.json")
    main(["site", *run.where])
    (said,) = _remarks(caplog)
    assert said.startswith(f"{folder}/manifest.json: is damaged: not valid JSON{HELPS}--model loud")


def test_who_tells_of_results_says_that_they_are_not_as_they_were(run, caplog, tmp_path) -> None:
    run()
    path = run.out / "method-tests/arousal/loud/fairness_sex.csv"
    whole = path.read_text("utf-8")
    for words in (
        ["summary"],
        ["summary", "--card", "loud"],
        ["report", "loud", "--out", str(tmp_path / "r.html")],
        ["bundle", "loud", "--out", str(tmp_path / "b.zip")],
    ):
        caplog.clear()
        assert main([*words, *run.where]) == 0
        assert _remarks(caplog) == [], words
        path.write_text("".join(whole.splitlines(keepends=True)[:-1]), "utf-8")
        assert main([*words, *run.where]) == 0
        (said,) = _remarks(caplog)
        assert said.startswith(
            f"{path}: is not as it was written{HELPS}--model loud --target arousal"
        ), words
        path.write_text(whole, "utf-8")


def test_a_table_that_cannot_be_read_is_named(run, caplog, capsys, tmp_path) -> None:
    run()
    path = run.out / "method-tests/arousal/loud/fairness_sex.csv"
    whole = path.read_bytes()
    report = ["report", "loud", "--out", str(tmp_path / "r.html")]
    last = whole.count(b"\n") - 1
    for content, why in (
        (whole[: whole.rindex(b"\n", 0, -1) + 30], f"row {last}: status ''"),
        (whole + b"a,b,c\n", f"row {last + 1}: status ''"),
        (b"target,model\n", "column missing: "),
        (None, "Is a directory. Remove this folder"),
    ):
        path.unlink()
        path.mkdir() if content is None else path.write_bytes(content)
        for words in (["summary"], report):
            assert main([*words, *run.where]) == 2, (words, why)
            said = capsys.readouterr().err
            assert f"error: {path}: " in said and why in said and "Errno" not in said, said
        if content is None:
            path.rmdir()
        else:
            caplog.clear()
            said = run() + caplog.text
            assert "index out of range" not in said and "not in list" not in said, said
    path.write_bytes(whole)


def test_nobody_can_tell_whether_cells_without_a_manifest_are_stale(run, caplog) -> None:
    run()
    path = run.out / "method-tests/arousal/loud/manifest.json"
    _shorter(path)
    assert main(["list", "stale", *run.where]) == 0
    assert f"{path}: is damaged: not valid JSON{HELPS}--model loud" in caplog.text


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    names = ["a.wav", "b/c d.js", "odd\nname.wav", "back\\slash.wav", "ä.wav"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    Checksums(tmp_path).write(names)
    answer = subprocess.run(["sha256sum", "--check", NAME], cwd=tmp_path, capture_output=True)
    assert answer.returncode == 0, answer.stderr
    for name in names:
        (tmp_path / name).write_text("other")
    again = Checksums(tmp_path)
    assert again.discard_damaged() == len(names)
    assert not any((tmp_path / name).exists() for name in names)


def test_checksums_lead_to_no_file_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("precious")
    inside = tmp_path / "in"
    inside.mkdir()
    digest = hashlib.sha256(b"other").hexdigest()
    lines = [f"{digest}  ../outside.txt", f"{digest}  {outside}", f"{digest}  .", "rubbish", digest]
    (inside / NAME).write_text("\n".join(lines))
    assert Checksums(inside).discard_damaged() == 0
    assert outside.read_text() == "precious"


def test_what_changed_since_it_was_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.js"
    path.write_text("one")
    Checksums(tmp_path).write([path.name])
    sums = Checksums(tmp_path)
    assert sums.discard_damaged() == 0
    path.write_text("three")
    sums.write([path.name])
    assert hashlib.sha256(b"three").hexdigest() in (tmp_path / NAME).read_text()


def test_a_file_that_vanishes_while_sums_are_written_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"a")
    sums = Checksums(tmp_path)
    sums.write(["a.wav", "b.wav"])
    (tmp_path / "a.wav").unlink()
    (tmp_path / "b.wav").write_bytes(b"b")
    sums.write(["a.wav", "b.wav"])
    assert (tmp_path / NAME).read_text().split("  ")[1:] == ["b.wav\n"]
