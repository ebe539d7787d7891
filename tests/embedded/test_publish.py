"""Making and publishing the corpus: whole or not at all, and the same on every way."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from common import spec
from common.core import closure, leftovers, paths
from common.core.errors import ConfigError, DataError, OutputError
from common.samples import datasets, demo
from common.samples.demo import acted, publish, recipes, rendering, synthesis, templates

audb = pytest.importorskip("audb")

#: audformat 1.4 calls pandas 3.1 in a way that will end
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")
Reduced = Callable[[int, int], dict[str, Any]]


@pytest.fixture(scope="module")
def folder(
    reduced: Reduced,
    load: Callable[[str], dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A recipe of each kind: ``acted`` has two speakers of 9 utterances, the others 24 in all."""
    folder = tmp_path_factory.mktemp("recipes")
    accent, language, sentiment = load("accent"), load("language"), load("sentiment")
    accent |= {"voices": accent["voices"][1:3], "sentences": accent["sentences"][:2]}
    accent["accents"] = {name: accent["accents"][name] for name in ("english", "japanese")}
    language |= {"voices": language["voices"][2:4]}
    language["languages"] = {name: language["languages"][name] for name in ("ja", "zh")}
    language["texts"] = {name: language["texts"][name][:2] for name in ("ja", "zh")}
    sentiment |= {"voices": sentiment["voices"][2:4], "templates": "templates.yaml"}
    words = yaml.safe_load(templates.BUILTIN.read_text("utf-8"))
    words |= {"number": 2}
    words["languages"] = {name: words["languages"][name] for name in ("de", "pt")}
    contents = {"acted": reduced(1, 1), "accent": accent, "language": language}
    for name, one in {**contents, "sentiment": sentiment, "templates": words}.items():
        text = yaml.safe_dump(one, allow_unicode=True, sort_keys=False)
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def recipe(folder: Path) -> Path:
    """Two speakers of 9 utterances."""
    return folder / "acted.yaml"


def ensure(cache: Path, *found: Path, **options: Any) -> None:
    publish.ensure_corpora(cache, [recipes.load(path) for path in found], **options)


KINDS = ("acted", "accent", "language", "sentiment")


@pytest.fixture(scope="module")
def published(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cache folder with the published corpora of the recipes; not to be changed."""
    if importlib.util.find_spec(synthesis.PACKAGE) is None:
        pytest.skip("the optional synthesiser is not installed: pip install espeakng-loader")
    cache = tmp_path_factory.mktemp("cache")
    told: list[tuple[int, int]] = []
    found = [folder / f"{name}.yaml" for name in KINDS]
    ensure(cache, *found, workers=2, progress=lambda done, total: told.append((done, total)))
    total = 18 + 8 + 8 + 12
    assert told == [(0, 0), *((n, total) for n in range(1, total + 1))]
    return cache


@pytest.fixture(autouse=True)
def audb_config(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])


def load_database(cache: Path, recipe: Path) -> Any:
    audb.config.REPOSITORIES = [demo.repository(cache)]
    root = str(paths.Paths(cache=cache).audb)
    corpus = recipes.load(recipe)
    return audb.load(corpus.id, version=corpus.version, cache_root=root, verbose=False)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_round_trip(published: Path, recipe: Path) -> None:
    folders = [path.name for path in (published / "embedded").iterdir() if path.is_dir()]
    assert folders == ["repo"], "no temporary folder is left"
    db = load_database(published, recipe)
    corpus = recipes.load(recipe)
    assert isinstance(corpus, acted.Acted)
    assert db.license == "CC0-1.0"
    assert db.description == corpus.description
    assert sorted(db.tables) == ["emotion.test", "emotion.train"]
    for split in ("train", "test"):
        table = db[f"emotion.{split}"]
        assert table.split.type == split
        frame = table.get()
        assert list(frame) == ["emotion", "arousal", "dominance", "valence", "speaker"]
        assert sorted(frame["emotion"]) == sorted(corpus.categories)
        planned = {u.file: u for u in corpus.utterances() if u.split == split}
        root = Path(db.meta["audb"]["root"])
        for file, row in frame.iterrows():
            utterance = planned[Path(str(file)).relative_to(root).as_posix()]
            assert row["emotion"] == utterance.labels["emotion"]
            assert row["valence"] == pytest.approx(utterance.labels["valence"], abs=1e-6)
            assert row["speaker"] == utterance.speaker.id
        joined = table.get(map={"speaker": ["sex", "language", "age"]})
        speaker = next(s for s in corpus.speakers if s.split == split)
        assert set(joined["sex"]) == {speaker.sex}
        assert set(joined["language"]) == {speaker.language}
        assert set(joined["age"]) == {speaker.age}
    info = audb.info.header(corpus.id, version=corpus.version).media["speech"]
    assert (info.sampling_rate, info.channels, info.bit_depth) == (16000, 1, 16)
    durations = audb.info.duration(corpus.id, version=corpus.version).total_seconds()
    assert 18 * 0.6 < durations < 18 * 3


@pytest.mark.parametrize("name", KINDS[1:])
def test_round_trip_of_readings(published: Path, folder: Path, name: str) -> None:
    corpus = recipes.load(folder / f"{name}.yaml")
    utterances = corpus.utterances()
    db = load_database(published, folder / f"{name}.yaml")
    assert list(db.tables) == [f"{name}.test"]
    table = db[f"{name}.test"]
    frame = table.get()
    assert list(frame) == [*corpus.schemes(), "speaker"]
    for column in corpus.schemes():
        assert list(frame[column]) == [utterance.labels[column] for utterance in utterances]
    assert list(frame["speaker"]) == [utterance.speaker.id for utterance in utterances]
    assert list(table.get(map={"speaker": "sex"})["sex"]) == [u.speaker.sex for u in utterances]
    assert audb.info.duration(corpus.id, version=corpus.version).total_seconds() > len(frame)


def test_the_catalog_describes_the_databases(published: Path, folder: Path) -> None:
    """Every recipe has an entry, and its columns can be loaded."""
    benchmark = spec.load_benchmark()
    entries = {d.id: d for d in benchmark.datasets.values() if d.embedded}
    whole = {d.id: d for d in spec.load_benchmark(full=True).datasets.values() if d.embedded}
    both = [*entries.values(), *whole.values()]
    assert {(entry.database, entry.version) for entry in both} == {
        (recipe.id, recipe.version) for recipe in recipes.choose()
    }
    for name in KINDS:
        corpus = recipes.load(folder / f"{name}.yaml")
        samples = datasets.load(whole[corpus.id], published, benchmark.targets)
        assert set(samples.table) == {"file", "start", "end", *entries[corpus.id].columns}
        assert not samples.table.isna().any(axis=None)
        assert set(samples.table["sex"]) <= {"female", "male"}


def test_workers_and_order_change_no_byte(
    published: Path,
    recipe: Path,
    tmp_path: Path,
    reduced: Reduced,
    write: Callable[[Any], Path],
) -> None:
    """Two processes made the published files; one makes the same, in another order."""
    root = Path(load_database(published, recipe).meta["audb"]["root"])
    files = {name: data for name, data in tree(root).items() if name.endswith(".flac")}
    assert len(files) == 18
    assert all(data.startswith(b"fLaC") for data in files.values())
    small = reduced(1, 1)
    backwards = recipes.load(write({**small, "speakers": small["speakers"][::-1]}))
    rendering.render_all(backwards, tmp_path / "one", workers=1)
    assert tree(tmp_path / "one") == files


def test_what_is_there_is_not_made_again(
    published: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the synthesiser is needed."""
    before = tree(published / "embedded" / "repo")
    monkeypatch.setattr(synthesis, "PACKAGE", "no_such_package")
    ensure(published, recipe, workers=2)
    assert not publish.missing(published, [recipes.load(recipe)])
    assert tree(published / "embedded" / "repo") == before


def test_a_changed_recipe_replaces_its_own_data_only(
    published: Path,
    folder: Path,
    recipe: Path,
    tmp_path: Path,
    reduced: Reduced,
    write: Callable[[Any], Path],
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(published / "embedded", cache / "embedded")
    assert len(load_database(cache, recipe).files) == 18
    others = [folder / f"{name}.yaml" for name in KINDS[1:]]
    assert len(load_database(cache, others[0]).files) == 8
    told: list[tuple[int, int]] = []
    changed = write(reduced(2, 1))
    ensure(cache, changed, *others, workers=2, progress=lambda n, total: told.append((n, total)))
    assert told[-1] == (36, 36), "others were made again"
    assert len(load_database(cache, changed).files) == 36, "old data come from the cache of audb"
    assert len(load_database(cache, others[0]).files) == 8


TWO = """
import sys
from pathlib import Path
import filelock
from common.samples.demo import publish, recipes, synthesis

lock_of = publish._lock

def lock(path):
    found = lock_of(path)
    try:
        found.acquire(timeout=0)
        found.release()
    except filelock.Timeout:
        print("waits", flush=True)
    return found

def make(cache, todo, build, *more):
    (build / "repo" / publish.REPOSITORY / todo[0].id).mkdir(parents=True)
    print("makes", flush=True)
    sys.stdin.readline()
    publish._install(cache, todo[0], build)

publish._lock, publish._make, synthesis.PACKAGE = lock, make, "numpy"
publish.ensure_corpora(Path(sys.argv[1]), [recipes.load(Path(sys.argv[2]))], workers=1)
"""


def test_two_processes_at_once(tmp_path: Path, recipe: Path) -> None:
    """One makes the data, the other waits for them; what is made does not matter here."""

    def start() -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-c", TWO, str(tmp_path), str(recipe)],
            cwd=paths.REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        return process, process.stdout.readline()

    first, told = start()
    assert told == "makes\n"
    second, told = start()
    assert told == "waits\n"
    rest = [process.communicate("go on\n")[0] for process in (first, second)]
    assert rest == ["", ""], "made once"
    assert (first.returncode, second.returncode) == (0, 0)


@pytest.mark.spoken
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_nothing_that_counts(tmp_path: Path) -> None:
    """Also what an earlier, killed run has left is gone."""
    left = tmp_path / "embedded" / f"{publish.BUILD}left"
    left.mkdir(parents=True)
    (left / "half.flac").write_bytes(b"fL")
    code = (
        "import sys; from pathlib import Path; from common.samples import demo;"
        "demo.ensure(Path(sys.argv[1]), workers=2, progress=lambda n, _: print(n, flush=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=paths.REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    assert process.stdout.readline() == "1\n"
    process.send_signal(signal.SIGINT)
    told, complaint = process.communicate(timeout=30)
    assert process.returncode != 0
    assert complaint.strip().endswith("KeyboardInterrupt")
    assert told.count("\n") < 500, "it went on"
    assert tree(tmp_path / "embedded").keys() <= {".lock"}


#: as if the power had gone while audb packs a file
KILLED = """
import os, signal, sys
from pathlib import Path

import audeer

from common.samples.demo import publish, recipes

audeer.create_archive = lambda *args, **options: os.kill(os.getpid(), signal.SIGKILL)
publish.ensure_corpora(Path(sys.argv[1]), [recipes.load(Path(sys.argv[2]))], workers=2)
"""


@pytest.mark.spoken
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a folder is")
def test_what_a_killed_publication_leaves_in_the_temporary_folder_is_cleared(
    tmp_path: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "cache"), str(recipe)],
        cwd=paths.REPOSITORY,
        env={**os.environ, "TMPDIR": str(temporary)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL and list(temporary.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    leftovers.clear()
    assert list(temporary.iterdir()) == []


@pytest.mark.spoken
def test_a_failing_share_ends_all_and_is_named(
    tmp_path: Path, reduced: Reduced, write: Callable[[Any], Path]
) -> None:
    broken = reduced(1, 1)
    broken["speakers"] = [broken["speakers"][0], {**broken["speakers"][1], "voice": "nobody"}]
    message = r"demo-emotion: cannot be made: espeak-ng: audio/.*: unknown voice '..\+nobody'"
    with pytest.raises(DataError, match=message):
        ensure(tmp_path, write(broken), workers=2)
    assert tree(tmp_path / "embedded").keys() <= {".lock"}


@pytest.mark.spoken
def test_a_cache_that_cannot_be_written(tmp_path: Path, recipe: Path) -> None:
    (tmp_path / "embedded").write_text("a file in the way")
    with pytest.raises(OutputError, match=r"embedded.*: cannot be written: "):
        ensure(tmp_path, recipe, workers=1)


def test_fingerprint_covers_recipe_templates_and_code(
    content: dict[str, Any],
    load: Callable[[str], dict[str, Any]],
    write: Callable[[Any], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fingerprint(content: Any) -> str:
        return publish.fingerprint(recipes.load(write(content)))

    same = fingerprint(content)
    assert same == fingerprint(dict(reversed(content.items())))
    assert same != fingerprint({**content, "seed": content["seed"] + 1})
    copy = tmp_path / paths.PACKAGE.name
    shutil.copytree(paths.PACKAGE, copy)
    monkeypatch.setattr(closure, "SOURCES", closure.Sources(copy))
    assert same == fingerprint(content)
    for module in ("acted", "render", "database", "acoustics", "espeak_worker"):
        source = copy / "samples" / "demo" / f"{module}.py"
        source.write_text(source.read_text("utf-8") + "\nCHANGED = 1\n", "utf-8")
        closure.SOURCES.forget()
        assert fingerprint(content) != same, module
        same = fingerprint(content)
    source = copy / "samples" / "demo" / "scenes.py"
    source.write_text(source.read_text("utf-8") + "\nCHANGED = 1\n", "utf-8")
    closure.SOURCES.forget()
    assert same == fingerprint(content)
    monkeypatch.undo()
    sentiment = {**load("sentiment"), "templates": "words.yaml"}
    words = tmp_path / "words.yaml"
    words.write_text(templates.BUILTIN.read_text("utf-8"), "utf-8")
    same = fingerprint(sentiment)
    words.write_text(words.read_text("utf-8").replace("wonderful", "marvellous"), "utf-8")
    assert same != fingerprint(sentiment)


def test_names_choose_what_is_made(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(
        publish, "ensure_corpora", lambda cache, found, **_: made.append([r.id for r in found])
    )
    demo.ensure(published, ["demo-language"], workers=1)
    demo.ensure(published, workers=1)
    assert made[0] == ["demo-language"]
    assert made[1] == [recipe.id for recipe in recipes.choose()]
    assert demo.missing(published, ["demo-language"]) == ["demo-language"], "a smaller one"
    with pytest.raises(ConfigError, match="unknown embedded database 'demo-lang'"):
        demo.ensure(published, ["demo-lang"], workers=1)
