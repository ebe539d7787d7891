"""Making and publishing the corpus: whole or not at all, and the same on every way."""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from common import embedded, paths
from common.embedded import publish, speech, synthesis
from common.errors import DataError, OutputError

audb = pytest.importorskip("audb")

#: audformat 1.4 calls pandas 3.1 in a way that will end
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")
Reduced = Callable[[int, int], dict[str, Any]]


@pytest.fixture(scope="module")
def recipe(reduced: Reduced, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two speakers of 9 utterances."""
    path = tmp_path_factory.mktemp("recipe") / "recipe.yaml"
    path.write_text(yaml.safe_dump(reduced(1, 1), allow_unicode=True), "utf-8")
    return path


@pytest.fixture(scope="module")
def published(recipe: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cache folder with the published corpus of the recipe; not to be changed."""
    if importlib.util.find_spec(synthesis.PACKAGE) is None:
        pytest.skip("the optional synthesiser is not installed: pip install espeakng-loader")
    cache = tmp_path_factory.mktemp("cache")
    told: list[tuple[int, int]] = []
    publish.ensure_corpus(
        cache, workers=2, recipe=recipe, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(n, 18) for n in range(1, 19)]
    return cache


@pytest.fixture(autouse=True)
def audb_config(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])


def load(cache: Path, **options: Any) -> Any:
    audb.config.REPOSITORIES = [embedded.repository(cache)]
    root = str(paths.Paths(cache=cache).audb)
    return audb.load("demo-emotion", version="1.0.0", cache_root=root, verbose=False, **options)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_round_trip(published: Path, recipe: Path) -> None:
    folders = [path.name for path in (published / "embedded").iterdir() if path.is_dir()]
    assert folders == ["repo"], "no temporary folder is left"
    db = load(published)
    corpus = speech.load(recipe)
    assert db.license == "CC0-1.0"
    assert db.description == corpus.description
    assert sorted(db.tables) == ["emotion.test", "emotion.train"]
    for split in ("train", "test"):
        table = db[f"emotion.{split}"]
        assert table.split.type == split
        frame = table.get()
        assert list(frame) == ["emotion", "arousal", "dominance", "valence", "speaker"]
        assert sorted(frame["emotion"]) == sorted(corpus.categories)
        planned = {u.file: u for u in speech.plan(corpus) if u.speaker.split == split}
        root = Path(db.meta["audb"]["root"])
        for file, row in frame.iterrows():
            utterance = planned[Path(str(file)).relative_to(root).as_posix()]
            assert row["emotion"] == utterance.category
            assert row["valence"] == pytest.approx(utterance.dimensions["valence"], abs=1e-6)
            assert row["speaker"] == utterance.speaker.id
        joined = table.get(map={"speaker": ["sex", "language", "age"]})
        speaker = next(s for s in corpus.speakers if s.split == split)
        assert set(joined["sex"]) == {speaker.sex}
        assert set(joined["language"]) == {speaker.language}
        assert set(joined["age"]) == {speaker.age}
    info = audb.info.header("demo-emotion", version="1.0.0").media["speech"]
    assert (info.sampling_rate, info.channels, info.bit_depth) == (16000, 1, 16)
    durations = audb.info.duration("demo-emotion", version="1.0.0").total_seconds()
    assert 18 * 0.6 < durations < 18 * 3


def test_workers_and_order_change_no_byte(
    published: Path, tmp_path: Path, reduced: Reduced, write: Callable[[Any], Path]
) -> None:
    """Two processes made the published files; one makes the same, in another order."""
    root = Path(load(published).meta["audb"]["root"])
    files = {name: data for name, data in tree(root).items() if name.endswith(".flac")}
    assert len(files) == 18
    assert all(data.startswith(b"fLaC") for data in files.values())
    small = reduced(1, 1)
    backwards = speech.load(write({**small, "speakers": small["speakers"][::-1]}))
    publish.render_all(backwards, tmp_path / "one", workers=1)
    assert tree(tmp_path / "one") == files


def test_what_is_there_is_not_made_again(
    published: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the synthesiser is needed."""
    before = tree(published / "embedded" / "repo")
    monkeypatch.setattr(synthesis, "PACKAGE", "no_such_package")
    publish.ensure_corpus(published, workers=2, recipe=recipe)
    assert tree(published / "embedded" / "repo") == before


def test_a_changed_recipe_replaces_the_data(
    published: Path, tmp_path: Path, reduced: Reduced, write: Callable[[Any], Path]
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(published / "embedded", cache / "embedded")
    assert len(load(cache).files) == 18
    publish.ensure_corpus(cache, workers=2, recipe=write(reduced(2, 1)))
    assert len(load(cache).files) == 36, "old data come from the cache of audb"


def test_two_processes_at_once(tmp_path: Path, recipe: Path) -> None:
    """One makes the data, the other waits for them; what is made does not matter here."""
    code = """
import sys, time
from pathlib import Path
from common.embedded import publish, synthesis

def make(corpus, build, *_):
    (build / "repo" / publish.REPOSITORY / corpus.id).mkdir(parents=True)
    time.sleep(0.5)
    print("made")

publish._make, synthesis.PACKAGE = make, "numpy"
print("ready")
publish.ensure_corpus(Path(sys.argv[1]), workers=1, recipe=Path(sys.argv[2]))
"""
    command = [sys.executable, "-c", code, str(tmp_path), str(recipe)]
    both = [
        subprocess.Popen(command, cwd=paths.REPOSITORY, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = "".join(process.communicate(timeout=60)[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert told.count("ready") == 2
    assert told.count("made") == 1


@pytest.mark.spoken
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_nothing_that_counts(tmp_path: Path) -> None:
    """Also what an earlier, killed run has left is gone."""
    left = tmp_path / "embedded" / f"{publish.BUILD}left"
    left.mkdir(parents=True)
    (left / "half.flac").write_bytes(b"fL")
    code = (
        "import sys; from pathlib import Path; from common import embedded;"
        "embedded.ensure(Path(sys.argv[1]), workers=2, progress=lambda n, _: print(n, flush=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=paths.REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    process.send_signal(signal.SIGINT)
    told, complaint = process.communicate(timeout=30)
    assert process.returncode != 0
    assert complaint.strip().endswith("KeyboardInterrupt")
    assert told.count("\n") < 500, "it went on"
    assert tree(tmp_path / "embedded").keys() <= {".lock"}


@pytest.mark.spoken
def test_a_failing_share_ends_all_and_is_named(
    tmp_path: Path, reduced: Reduced, write: Callable[[Any], Path]
) -> None:
    broken = reduced(1, 1)
    broken["speakers"] = [broken["speakers"][0], {**broken["speakers"][1], "voice": "nobody"}]
    message = r"demo-emotion: cannot be made: espeak-ng: audio/.*: unknown voice '..\+nobody'"
    with pytest.raises(DataError, match=message):
        publish.ensure_corpus(tmp_path, workers=2, recipe=write(broken))
    assert tree(tmp_path / "embedded").keys() <= {".lock"}


@pytest.mark.spoken
def test_a_cache_that_cannot_be_written(tmp_path: Path, recipe: Path) -> None:
    (tmp_path / "embedded").write_text("a file in the way")
    with pytest.raises(OutputError, match=r"embedded.*: cannot be written: "):
        publish.ensure_corpus(tmp_path, workers=1, recipe=recipe)


def test_fingerprint_covers_recipe_and_code(
    content: dict[str, Any],
    write: Callable[[Any], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same = publish.fingerprint(write(content))
    assert same == publish.fingerprint(write(dict(reversed(content.items()))))
    assert same != publish.fingerprint(write({**content, "seed": content["seed"] + 1}))
    monkeypatch.setattr(publish, "CODE", publish.CODE[:-1])
    assert same != publish.fingerprint(write(content))
    monkeypatch.undo()
    assert embedded.fingerprint() == publish.fingerprint()
