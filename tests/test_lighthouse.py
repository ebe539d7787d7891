"""Points of Lighthouse, from a program that stands in for it, and from itself where it is installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from common.cli.bench import command, lighthouse, pages
from common.core.errors import ConfigError

#: answers as Lighthouse does: a report at --output-path; what it was asked stands beside it
STAND_IN = f"""#!{sys.executable}
import gzip, json, pathlib, sys, urllib.request
options = dict(each.lstrip("-").split("=", 1) for each in sys.argv[1:] if "=" in each)
asked = urllib.request.Request(sys.argv[1], headers={{"Accept-Encoding": "gzip"}})
page = gzip.decompress(urllib.request.urlopen(asked).read()).decode()
scores = {{name: len(page) / 100 for name in options["only-categories"].split(",")}}
scores["performance"] = None if "slow" in page else 0.94
report = {{"categories": {{name: {{"score": score}} for name, score in scores.items()}}}}
if "broken" in page:
    sys.exit("NO_FCP: nothing was painted")
pathlib.Path(options["output-path"]).write_text("{{" if "torn" in page else json.dumps(report))
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site" / "howto").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("x" * 96)
    (tmp_path / "site" / "howto" / "light.html").write_text("x")
    (tmp_path / "site" / "howto" / "heavy.html").write_text("x" * 100)
    return tmp_path / "site"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("lighthouse", STAND_IN), ("chromium", "")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("installed")
def test_the_heaviest_page_of_each_kind_gets_points(site: Path) -> None:
    assert pages.bench_lighthouse(site) == {
        "start: Lighthouse performance": 94,
        "start: Lighthouse accessibility": 96,
        "start: Lighthouse best-practices": 96,
        "start: Lighthouse seo": 96,
        "how-to: Lighthouse performance": 94,
        "how-to: Lighthouse accessibility": 100,
        "how-to: Lighthouse best-practices": 100,
        "how-to: Lighthouse seo": 100,
    }


def test_what_does_not_ask_for_compressed_texts_gets_none(site: Path) -> None:
    with pages._served(site, pages._Compressing) as address:
        assert urlopen(f"{address}/howto/light.html").read() == b"x"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("broken", "index.html: exit code 1: NO_FCP: nothing was painted"),
        ("slow", "index.html: no points for performance"),
        ("torn", "index.html: not a report of Lighthouse: "),
    ],
)
def test_what_lighthouse_cannot_judge_is_named(site: Path, text: str, message: str) -> None:
    (site / "index.html").write_text(text)
    with pytest.raises(ConfigError, match=message):
        pages.bench_lighthouse(site)


def test_without_lighthouse_the_npx_of_node_fetches_it(installed: Path) -> None:
    (installed / "lighthouse").rename(installed / "npx")
    assert lighthouse.program() == [str(installed / "npx"), "--yes", "lighthouse@13"]


def test_without_node_one_line_says_so(installed: Path, site: Path) -> None:
    (installed / "lighthouse").unlink()
    with pytest.raises(ConfigError, match="neither lighthouse nor npx here; install Node"):
        pages.bench_lighthouse(site)


def test_without_a_browser_one_line_says_so(installed: Path, site: Path) -> None:
    (installed / "chromium").unlink()
    with pytest.raises(ConfigError, match="no Chromium here"):
        pages.bench_lighthouse(site)


def test_without_a_website_one_line_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no website in .*; make it with 'python build.py'"):
        pages.bench_lighthouse(tmp_path)


def test_the_command_prints_points_and_what_they_are_held_to(
    monkeypatch: pytest.MonkeyPatch, site: Path
) -> None:
    monkeypatch.setattr(pages, "bench_pages", lambda site: {"start: requests": 3})
    monkeypatch.setattr(pages, "bench_lighthouse", lambda site: {"start: Lighthouse seo": 90})
    size = command.CaseSize(site=site, lighthouse=True)
    lines: list[str] = []
    command.run("pages", workers=1, say=lines.append, size=size)
    assert lines[:4] == [
        "start: Lighthouse seo: 90",
        "at least Lighthouse performance: 95",
        "at least Lighthouse accessibility: 95",
        "start: requests: 3",
    ]
    assert "at most requests: 15" in lines


@pytest.mark.skipif(not shutil.which("lighthouse"), reason="Lighthouse is not installed")
def test_lighthouse_itself_is_understood(site: Path) -> None:
    text = "<!doctype html><html lang=en><title>A page</title><h1>Words to paint</h1>"
    (site / "index.html").write_text(text)
    (site / "howto" / "heavy.html").unlink()
    (site / "howto" / "light.html").unlink()
    found = pages.bench_lighthouse(site)
    assert len(found) == 4 and found["start: Lighthouse accessibility"] > 80
