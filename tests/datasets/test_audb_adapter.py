"""audb repositories: local, remote, unreachable and embedded."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import audb
import audbackend
import numpy as np
import pytest
import soundfile

from common.core import paths
from common.core.errors import AudioError, DataError, DatasetUnavailable
from common.samples import audb_adapter, audio, datasets, repositories

#: raised inside of audb and audformat
pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in:pandas.errors.Pandas4Warning"
)
NS = 1_000_000_000
#: a backend that the program takes for remote
REMOTE = "remote-for-tests"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, database) -> Path:
    """Host of repository ``repo``, which holds version 1.0.0 of ``minidb``."""
    host = tmp_path_factory.mktemp("host")
    (host / "repo").mkdir()
    build = tmp_path_factory.mktemp("build")
    for name in ("a.wav", "b.wav"):
        soundfile.write(build / name, np.full(1600, 0.5), 16000)
    database().save(str(build))
    repository = audb.Repository("repo", str(host), "file-system")
    archives = {"a.wav": "one", "b.wav": "two"}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(audb.config, "REPOSITORIES", [repository])  # it looks for older versions
        warnings.simplefilter("ignore")  # of pandas, inside of audb
        audb.publish(str(build), "1.0.0", repository, archives=archives, verbose=False)
    return host


@pytest.fixture(autouse=True)
def configuration(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user knows the repository and nothing else; nobody may use a network."""
    monkeypatch.setattr(
        audb.config, "REPOSITORIES", [audb.Repository("repo", str(published), "file-system")]
    )
    monkeypatch.setattr(repositories, "_reached", {})
    monkeypatch.setattr(repositories, "connect", refuse)
    monkeypatch.delenv("AUDB_CACHE_ROOT", raising=False)


def refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError(f"asked for {args}")


@pytest.fixture
def remote(published: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The repository is a remote one and answers; addresses that were asked for."""
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(repositories, "connect", asked.append)
    monkeypatch.setitem(audb.Repository.backend_registry, REMOTE, audbackend.backend.FileSystem)
    monkeypatch.setattr(
        audb.config, "REPOSITORIES", [audb.Repository("repo", str(published), REMOTE)]
    )
    return asked


@pytest.fixture
def mini(entry):
    def mini(**content):
        content = {"id": "mini", "adapter": "audb", "name": "minidb", "table": "words", **content}
        return entry(**content)

    return mini


def test_tables_then_audio(mini, targets, tmp_path, db_columns):
    dataset = mini(columns=db_columns, mapping={"fine": "good"})
    assert datasets.availability(dataset, tmp_path) == ""
    samples = datasets.load(dataset, tmp_path, targets)
    table = samples.table
    assert table["file"].tolist() == ["a.wav", "a.wav"]
    assert table["end"].tolist() == [NS // 20, -1]
    assert table["mood"].tolist() == ["good", None]
    assert table["speaker"].tolist() == ["2", "2"]
    assert table["sex"].tolist() == ["male", "male"]  # from a misc table
    assert table["floor"].tolist() == ["wood", "wood"]  # from a dictionary
    assert samples.root == tmp_path / "audb" / "minidb" / "1.0.0" / audb_adapter.FLAVOR
    assert not (samples.root / "a.wav").exists()
    root = datasets.media(samples)
    assert (root / "a.wav").exists() and not (root / "b.wav").exists()
    (signal,) = audio.load_many(root, "a.wav", [(0, NS // 20)], 16000)
    np.testing.assert_allclose(signal, np.full((1, 800), 0.5), atol=1e-4)


def test_the_folder_of_original_files_is_called_as_audb_calls_it():
    assert (
        audb.flavor_path("minidb", "1.0.0") == f"minidb{os.sep}1.0.0{os.sep}{audb_adapter.FLAVOR}"
    )


def test_what_is_cached_needs_no_repository(mini, targets, tmp_path, db_columns, monkeypatch):
    dataset = mini(columns=db_columns)
    first = datasets.load(dataset, tmp_path, targets)
    datasets.media(first)
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])
    assert datasets.availability(dataset, tmp_path) == ""
    second = datasets.load(dataset, tmp_path, targets)
    assert second.table.equals(first.table)
    assert second.fingerprint == first.fingerprint
    with monkeypatch.context() as patch:
        patch.setattr(repositories, "only", refuse)
        assert datasets.media(second) == first.root
    other = mini(columns={"x": {"table": "files", "column": "note"}}, table="files")
    assert datasets.availability(other, tmp_path) == ""  # its table was loaded to be joined
    with pytest.raises(DatasetUnavailable, match=r"'minidb' 1\.0\.0 cannot be loaded: Cannot find"):
        datasets.media(datasets.load(other, tmp_path, targets))


def test_the_cache_of_the_user(mini, targets, tmp_path, monkeypatch):
    monkeypatch.setenv("AUDB_CACHE_ROOT", str(tmp_path / "own"))
    samples = datasets.load(mini(), tmp_path / "cache", targets)
    assert samples.root.is_relative_to(tmp_path / "own")
    assert not (tmp_path / "cache").exists()


def test_a_file_that_the_database_does_not_hold_is_left_to_the_decoder(mini, targets, tmp_path):
    samples = datasets.load(mini(), tmp_path, targets)
    root = datasets.media(samples, ["a.wav", "no.wav"])
    assert (root / "a.wav").exists()
    with pytest.raises(AudioError, match=r"no\.wav: no such file"):
        audio.read(root / "no.wav")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"table": "wrds"}, r"\.table: unknown table 'wrds'\. Did you mean 'words'\?"),
        ({"table": "people"}, r"\.table: table 'people' has no files"),
        (
            {"columns": {"a": {"table": "fils", "column": "a"}}},
            r"columns\.a\.table: unknown table 'fils'\. Did you mean 'files'\?",
        ),
        ({"columns": {"a": "mod"}}, r"columns\.a: unknown column .*Did you mean 'mood'\?"),
    ],
)
def test_what_the_database_does_not_have(mini, targets, tmp_path, content, message):
    with pytest.raises(DataError, match=r"datasets\.yaml: mini.*" + message):
        datasets.load(mini(**{"columns": {"mood": "mood"}, **content}), tmp_path, targets)


def test_the_repositories_of_the_user_are_restored(mini, targets, tmp_path):
    before = list(audb.config.REPOSITORIES)
    datasets.media(datasets.load(mini(), tmp_path, targets))
    with pytest.raises(DataError, match="unknown table"):
        datasets.load(mini(table="no"), tmp_path, targets)
    assert before == audb.config.REPOSITORIES


def test_an_unknown_version_names_the_others(mini, targets, tmp_path, monkeypatch):
    dataset = mini(version="2.0.0")
    expected = "'minidb' 2.0.0 is in no audb repository (repo): only 1.0.0"
    assert datasets.availability(dataset, tmp_path, download=True) == expected
    with pytest.raises(DatasetUnavailable, match=r"only 1\.0\.0"):
        datasets.load(dataset, tmp_path, targets)
    reason = datasets.availability(mini(name="other"), tmp_path)
    assert reason == "'other' 1.0.0 is in no audb repository (repo): no version of it"
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])
    reason = datasets.availability(mini(name="other"), tmp_path)
    assert reason == "'other' 1.0.0 is in no audb repository (none): no version of it"


def test_a_plain_run_never_asks_a_remote_repository(mini, targets, tmp_path, remote):
    dataset = mini()
    reason = datasets.availability(dataset, tmp_path)
    assert "is not on this machine" in reason
    assert "repo on " in reason
    assert "--dataset mini or --download" in reason
    with pytest.raises(DatasetUnavailable, match="is not on this machine"):
        datasets.load(dataset, tmp_path, targets)
    assert remote == []


def test_a_remote_repository_is_used_on_demand(mini, targets, tmp_path, remote):
    dataset = mini()
    assert datasets.availability(dataset, tmp_path, download=True) == ""
    samples = datasets.load(dataset, tmp_path, targets, download=True)
    assert (datasets.media(samples) / "a.wav").exists()
    assert len(remote) == 1
    again = datasets.load(dataset, tmp_path, targets)  # tables are here now
    assert datasets.media(again) == samples.root
    with pytest.raises(DatasetUnavailable, match="cannot be loaded"):
        datasets.media(again, ["b.wav"])  # but this audio is not, and may not be fetched
    assert datasets.media(samples, ["b.wav"]).joinpath("b.wav").exists()
    assert len(remote) == 1


def test_a_remote_repository_that_answers_but_lacks_the_version(mini, targets, tmp_path, remote):
    reason = datasets.availability(mini(version="2.0.0"), tmp_path, download=True)
    assert reason.startswith("'minidb' 2.0.0 is in no audb repository that can be reached (repo")


def test_an_unreachable_repository_costs_one_attempt_and_audb_is_never_asked(
    entry, mini, targets, tmp_path, remote, monkeypatch
):
    def connect(address):
        remote.append(address)
        raise OSError("no network")

    monkeypatch.setattr(repositories, "connect", connect)
    for name in ("load", "load_table", "load_media", "repository", "versions", "dependencies"):
        monkeypatch.setattr(audb, name, refuse)
    for number in range(40):
        dataset = entry(id=f"d{number}", adapter="audb", table="words")
        reason = datasets.availability(dataset, tmp_path, download=True)
        assert "no repository can be reached (repo on " in reason
        with pytest.raises(DatasetUnavailable, match="no repository can be reached"):
            datasets.load(dataset, tmp_path, targets, download=True)
    assert len(remote) == 1


def test_a_local_repository_is_preferred_to_a_remote_one(
    mini, targets, tmp_path, remote, published, monkeypatch
):
    both = [*audb.config.REPOSITORIES, audb.Repository("repo", str(published), "file-system")]
    monkeypatch.setattr(audb.config, "REPOSITORIES", both)
    samples = datasets.load(mini(), tmp_path, targets, download=True)
    assert (datasets.media(samples) / "a.wav").exists()
    assert remote == []


def test_embedded_data_come_from_their_own_repository_only(
    mini, targets, tmp_path, published, monkeypatch
):
    dataset = mini(embedded=True)
    monkeypatch.setenv("AUDB_CACHE_ROOT", str(tmp_path / "own"))
    reason = datasets.availability(dataset, tmp_path, download=True)
    assert reason == "'minidb' 1.0.0 is embedded data that have not been made yet"
    host = paths.Paths(cache=tmp_path).embedded / "repo"
    shutil.copytree(published / "repo", host / "any-name")
    (host / "minidb.json").write_text("made from one recipe")
    (host / "other.json").write_text("made from one recipe")
    monkeypatch.setattr(audb.config, "REPOSITORIES", [])
    assert datasets.availability(dataset, tmp_path) == ""
    samples = datasets.load(dataset, tmp_path, targets)
    assert samples.root.is_relative_to(tmp_path / "audb")
    assert (datasets.media(samples) / "a.wav").exists()
    (host / "other.json").write_text("made from another recipe")
    assert datasets.fingerprint(dataset, tmp_path) == samples.fingerprint
    (host / "minidb.json").write_text("made from another recipe")
    assert datasets.fingerprint(dataset, tmp_path) != samples.fingerprint
    again = datasets.load(dataset, tmp_path, targets)
    assert again.media_fingerprint != samples.media_fingerprint


def test_the_fingerprint_is_that_of_the_definition(mini, tmp_path):
    first = datasets.fingerprint(mini(), tmp_path)
    assert datasets.fingerprint(mini(id="other", label="x", license="MIT"), tmp_path) == first
    others = [{"table": "files"}, {"version": "1.0.1"}, {"mapping": {"a": "b"}}, {"scale": [0, 2]}]
    others += [{"columns": {"a": "b"}}, {"name": "other"}]
    assert len({first, *(datasets.fingerprint(mini(**o), tmp_path) for o in others)}) == 7


def test_an_entry_declares_its_columns(mini):
    assert datasets.declared_columns(mini(columns={"mood": "m"})) == ["mood"]
    assert datasets.declared_columns(mini()) == []


def test_neither_audb_nor_pandas_readers_are_imported_to_see_what_is_there(published, tmp_path):
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "audb.yaml").write_text(
        f"repositories:\n- {{name: repo, host: {published}, backend: file-system}}\n"
    )
    code = (
        "import sys; from pathlib import Path; from common import spec; from common.samples import datasets\n"
        "every = spec.load_benchmark().datasets.values()\n"
        "content = {'id': 'm', 'name': 'minidb', 'version': '1.0.0', 'adapter': 'audb', 'table': 'words'}\n"
        "mini = spec.parse(spec.Dataset, content, Path('x'), '', builtin=False)\n"
        "cache = Path(sys.argv[1])\n"
        "assert not datasets.availability(mini, cache)\n"
        "assert all(datasets.availability(d, cache) for d in every)\n"
        "found = [datasets.fingerprint(d, cache) for d in every]\n"
        "heavy = {'audb', 'audformat', 'audbackend', 'soundfile', 'av', 'audresample'}\n"
        "print(sorted(heavy & set(sys.modules)), len(found) == len(every))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "cache")],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=paths.REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout, result.stderr) == ("[] True\n", "")


@pytest.mark.parametrize("ago_s", [-1000, 1000])
def test_a_copied_cache_has_other_times(mini, targets, tmp_path, db_columns, ago_s):
    """Earlier versions kept pickles, which audformat refuses if they are older than their table."""
    first, copy = tmp_path / "first", tmp_path / "copy"
    root = str(first / "audb")
    audb.load("minidb", version="1.0.0", only_metadata=True, cache_root=root, verbose=False)
    assert list(first.rglob("db.words.pkl"))
    dataset = mini(columns=db_columns, mapping={"fine": "good"})
    shutil.copytree(first, copy, copy_function=shutil.copy)
    for path in copy.rglob("db.*"):
        time_s = path.stat().st_mtime + (0 if path.suffix == ".pkl" else ago_s)
        os.utime(path, (time_s, time_s))
    expected = datasets.load(dataset, tmp_path / "fresh", targets).table
    assert datasets.load(dataset, copy, targets).table.equals(expected)


def test_the_cache_holds_no_pickled_table(mini, targets, tmp_path, db_columns):
    samples = datasets.load(mini(columns=db_columns), tmp_path, targets)
    assert sorted(path.name for path in samples.root.glob("db.words.*")) == ["db.words.parquet"]


@pytest.mark.parametrize("name", ["db.yaml", "db.words.parquet"])
def test_what_is_damaged_in_our_cache_is_set_aside_and_fetched_again(
    mini, targets, tmp_path, db_columns, caplog, name
):
    dataset = mini(columns=db_columns)
    samples = datasets.load(dataset, tmp_path, targets)
    os.truncate(samples.root / name, 60)
    again = datasets.load(dataset, tmp_path, targets)
    assert again.table.equals(samples.table)
    assert f"{name}: " in caplog.text and "it is set aside and made again" in caplog.text
    assert (samples.root / f"{name}.broken").is_file()


def test_what_audb_keeps_for_others_is_left_alone(
    mini, targets, tmp_path, db_columns, monkeypatch, caplog
):
    monkeypatch.setenv("AUDB_CACHE_ROOT", str(tmp_path / "audb-of-others"))
    dataset = mini(columns=db_columns)
    header = datasets.load(dataset, tmp_path, targets).root / "db.yaml"
    os.truncate(header, 60)
    for _ in range(2):
        with pytest.raises(DataError, match=r"mini: 'minidb' 1\.0\.0 cannot be loaded: "):
            datasets.load(dataset, tmp_path, targets)
    assert header.stat().st_size == 60
    assert caplog.text == ""


def test_a_full_disk_is_no_damage(mini, targets, tmp_path, db_columns, monkeypatch, caplog):
    dataset = mini(columns=db_columns)
    samples = datasets.load(dataset, tmp_path, targets)

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(audb, "load", full)
    # the machine is wrong, and no cell: the run ends
    with pytest.raises(OSError, match=r"No space left on device: '.*audb'"):
        datasets.load(dataset, tmp_path, targets)
    assert (samples.root / "db.yaml").is_file()
    assert caplog.text == ""


@pytest.fixture
def embedded(mini, published, tmp_path, db_columns):
    """Entry of embedded data, and the folder that their repository is in."""
    host = paths.Paths(cache=tmp_path).embedded / "repo"
    shutil.copytree(published / "repo", host / "embedded-data")
    return mini(embedded=True, columns=db_columns), host / "embedded-data" / "minidb"


def test_an_embedded_recording_with_another_checksum_is_fetched_again(
    embedded, targets, tmp_path, caplog
):
    dataset, _ = embedded
    path = datasets.media(datasets.load(dataset, tmp_path, targets)) / "a.wav"
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    datasets.media(datasets.load(dataset, tmp_path, targets))
    assert path.read_bytes() == content
    assert "a.wav: is not as it was written; it is set aside and made again" in caplog.text


def test_a_recording_is_looked_at_without_reading_what_its_version_holds(
    embedded, targets, tmp_path, monkeypatch
):
    dataset, _ = embedded
    samples = datasets.load(dataset, tmp_path, targets)
    root, held = datasets.media(samples), dict(samples.checksums)
    assert held["a.wav"] == hashlib.md5((root / "a.wav").read_bytes()).hexdigest()
    monkeypatch.setattr(audb, "dependencies", lambda *args, **options: pytest.fail("read again"))
    assert datasets.media(samples, ["a.wav"]) == root


@pytest.mark.parametrize("kind", ["meta", "media"])
def test_embedded_data_with_a_damaged_repository_are_made_by_the_next_run(
    embedded, targets, tmp_path, caplog, kind
):
    dataset, repository = embedded
    for path in (repository / kind).rglob("*.*"):
        if path.is_file():
            os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DataError, match=r"cannot be loaded: .*; the next run makes these data"):
        datasets.media(datasets.load(dataset, tmp_path, targets))
    assert not repository.exists() and repository.with_name("minidb.broken").is_dir()
    assert "it is set aside and made again" in caplog.text
