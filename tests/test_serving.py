"""``build.py site --serve --watch``: files are watched, the site built anew, pages load again."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from common.cli import serving
from common.core.paths import Paths


class Served(NamedTuple):
    """A site that is served."""

    address: str
    watch: serving.Watch


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.rst").write_text("A")
    return folder


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, texts: Path, lines: list[str]) -> Iterator[Served]:
    """A site that shows the text whenever it is built."""
    html = tmp_path / "html"
    (html / "method").mkdir(parents=True)

    def build() -> str:
        text = (texts / "a.rst").read_text()
        if "broken" in text:
            return "error: a.rst: broken"
        (html / "index.html").write_text(f"<html><body>{text}</body></html>")
        (html / "method" / "index.html").write_text("<body>method</body>")
        (html / "data.csv").write_text("</body>")
        return ""

    build()
    watch = serving.Watch([texts], build, lines.append)
    handler = partial(serving.WatchedHandler, directory=str(html), watch=watch)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Served(f"http://127.0.0.1:{server.server_port}", watch)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_address_that_leads_nowhere_gets_the_page_of_the_website(
    served: Served, tmp_path: Path, method: str
) -> None:
    asked = urllib.request.Request(f"{served.address}/method/gone.html", method=method)
    texts = []
    for there in (False, True):
        if there:
            (tmp_path / "html" / "404.html").write_text("lost?")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(asked)
        assert caught.value.code == 404
        texts.append(caught.value.read().decode())
    assert (texts[1] == "lost?") == (method == "GET")
    assert "lost?" not in texts[0]


def get(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode())


def test_pages_load_themselves_again_and_other_files_are_as_they_are(served: Served) -> None:
    address = served.address
    tag = serving.TAG.decode()
    for place in ("/", "/index.html", "/index.html?a=b", "/method/"):
        assert get(address + place).count(f"{tag}</body>") == 1
    assert get(f"{address}/data.csv") == "</body>"
    assert "location.reload()" in get(address + serving.SCRIPT)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(f"{address}/away.html")


def test_a_change_builds_and_moves_the_state(served: Served, texts: Path, lines: list[str]) -> None:
    address, watch = served
    assert get(address + serving.STATE) == "0" and not watch.look() and not lines
    (texts / "b.rst").write_text("new")
    assert watch.look() and not watch.look()
    assert get(address + serving.STATE) == "1"
    (texts / "a.rst").write_text("broken")
    assert watch.look()
    assert get(address + serving.STATE) == "1"  # the last site is still shown
    assert lines == ["website built anew", "error: a.rst: broken"]
    (texts / "a.rst").write_text("mended")
    watch.look()
    assert "mended" in get(address) and get(address + serving.STATE) == "2"


def test_a_file_that_vanishes_in_between_does_not_end_the_watching(
    served: Served, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(folder: Path) -> list[Any]:
        raise FileNotFoundError(folder / ".a.rst.swp")

    (texts / "b.rst").write_text("new")
    with monkeypatch.context() as patch:
        patch.setattr(serving, "stats", gone)
        assert not served.watch.look()
    assert served.watch.look()


def test_code_texts_catalogs_and_results_are_watched(tmp_path: Path) -> None:
    folders = Paths(output=tmp_path / "out")
    watched = serving.watched(folders, [tmp_path / "catalog"])
    assert {folder.name for folder in watched} == {
        *("docs", "common", "catalog", "method-tests", "media"),
    }


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    fault = serving.rebuild([f"--catalog={tmp_path / 'away'}"])
    assert fault.startswith("error: ") and "away" in fault
