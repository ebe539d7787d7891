"""Which repositories there are and which answer, without audb and without a network."""

from __future__ import annotations

import socket
import sys
import threading
from pathlib import Path

import pytest

from common.core.errors import ConfigError
from common.samples import repositories
from common.samples.repositories import Repository


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repositories, "_reached", {})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home of a user in whose process audb is not imported."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "audb", None)
    return tmp_path


def configure(home: Path, text: str, name: str = ".config/audb.yaml") -> None:
    path = home / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def remote(*hosts: str) -> list[Repository]:
    return [Repository(f"r{n}", host, "s3") for n, host in enumerate(hosts)]


def test_the_configuration_of_the_user(home):
    text = "repositories:\n- {name: one, host: ~/data, backend: file-system}\n"
    configure(home, text)
    configure(home, "repositories: []", ".audb.yaml")  # the older file does not count then
    assert repositories.known() == [Repository("one", "~/data", "file-system")]
    (folder,) = (r.folder for r in repositories.known())
    assert folder == home / "data" / "one"


def test_the_default_configuration_names_a_remote_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delitem(sys.modules, "audb", raising=False)
    configure(tmp_path, "cache_root: ~/x\n")  # says nothing about repositories
    assert [(r.name, r.is_remote) for r in repositories.known()] == [("audb-public", True)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repositories: [", r"audb\.yaml, line \d, column \d: not valid YAML"),
        (
            "repositories:\n- {name: a, host: b}\n",
            r"audb\.yaml: repositories\[0\]\.backend: missing",
        ),
        ("repositories: [x]\n", r"audb\.yaml: repositories\[0\]\.name: missing"),
    ],
)
def test_a_broken_configuration(home, text, message):
    configure(home, text)
    with pytest.raises(ConfigError, match=message):
        repositories.known()


def test_audb_is_asked_once_it_is_imported(monkeypatch):
    import audb

    mine = [audb.Repository("one", "/path/to", "file-system")]
    monkeypatch.setattr(audb.config, "REPOSITORIES", mine)
    assert repositories.known() == [Repository("one", "/path/to", "file-system")]


def test_versions_of_a_file_system_repository(tmp_path):
    repository = Repository("one", str(tmp_path), "file-system")
    for version in ("1.1.0", "1.0.0"):
        folder = tmp_path / "one" / "db" / version
        folder.mkdir(parents=True)
        (folder / "db.yaml").touch()
    (tmp_path / "one" / "db" / "meta" / "1.0.0").mkdir(parents=True)
    assert repository.versions("db") == ["1.0.0", "1.1.0"]
    assert repository.holds("db", "1.1.0")
    assert not repository.holds("db", "2.0.0") and not repository.holds("other", "1.0.0")
    assert repository.versions("other") == []


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("s3.example.org", ("s3.example.org", 443)),
        ("https://x.example.org/artifactory", ("x.example.org", 443)),
        ("http://x.example.org", ("x.example.org", 80)),
        ("localhost:9000", ("localhost", 9000)),
    ],
)
def test_addresses(host, address):
    assert Repository("r", host, "s3").address == address


def test_a_host_that_listens_is_reachable_and_a_closed_port_is_not():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        here, other = remote(f"127.0.0.1:{port}", "127.0.0.1:1")
        local = Repository("l", "/path/to", "file-system")
        assert repositories.reachable([local, other, here]) == [here]


def test_each_host_is_tried_once_per_process(monkeypatch):
    tried = []

    def connect(address):
        tried.append(address)
        raise OSError("no network")

    monkeypatch.setattr(repositories, "connect", connect)
    for _ in range(3):
        assert repositories.reachable(remote("a", "b", "a")) == []
    assert sorted(tried) == [("a", 443), ("b", 443)]


def test_a_slow_name_look_up_counts_as_unreachable(monkeypatch):
    go_on, done = threading.Event(), threading.Event()

    def connect(address):
        go_on.wait(20)
        done.set()

    monkeypatch.setattr(repositories, "connect", connect)
    monkeypatch.setattr(repositories, "TIMEOUT_S", 0.01)
    assert repositories.reachable(remote("a", "b", "c")) == []
    go_on.set()
    assert done.wait(20)
    assert repositories.reachable(remote("a")) == []  # an answer that is late changes nothing


def test_the_configuration_of_audb_is_restored(monkeypatch):
    import audb

    mine = [audb.Repository("one", "/path/to", "file-system")]
    monkeypatch.setattr(audb.config, "REPOSITORIES", mine)
    with (
        pytest.raises(ValueError, match="inside"),
        repositories.only([Repository("two", "~/x", "file-system")]) as module,
    ):
        (now,) = module.config.REPOSITORIES
        assert (now.name, now.host) == ("two", str(Path("~/x").expanduser()))
        raise ValueError("inside")
    assert audb.config.REPOSITORIES is mine
