"""A model as one file."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from benchmark_site import model_report
from benchmark_site.render import TEMPLATES, environment

from common.cli.main import main
from common.core.errors import BenchmarkError, OutputError
from common.pages import browser, report
from common.spec import load_benchmark


@pytest.fixture(scope="module")
def page(small: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "alpha.html"
    report.write(small.folders, load_benchmark(), "alpha", file)
    return file.read_text("utf-8")


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<body>")[2]).split())


def test_it_needs_nothing_but_itself(page: str) -> None:
    addresses = re.findall(r'\b(?:src|href|poster)="([^"]*)"', page)
    assert addresses
    assert not [a for a in addresses if not a.startswith(("#", "data:", "https://"))]
    assert "<script" not in page and "<link" not in page and "@import" not in page
    assert not re.search(r"url\((?!data:|\"data:)", page)
    names = re.findall(r'\bid="([^"]*)"', page)
    assert len(names) == len(set(names))
    assert {a[1:] for a in addresses if a.startswith("#")} <= set(names)


def test_it_says_what_the_pages_of_the_model_say(page: str, small: Any) -> None:
    shown = words(page)
    assert "0.5004" in shown  # a score
    assert "Not run , so neither passed nor failed: far-away" in shown
    assert "2 speakers with 10 samples, 6 needed" in shown  # a reason
    assert "Version 1.0.0" in shown and "License MIT" in shown
    score = re.search(r"Score <strong>[^<]*</strong>", small.page("results/arousal/model/alpha"))
    assert score is None or score[0] in page
    assert 'src="data:image/webp;base64,' in page and 'alt="rising dots"' in page


def test_what_only_a_website_has_is_not_in_it(page: str, small: Any) -> None:
    """Texts of links, too: tabs between pages, sounds to hear, files to download."""
    website = small.page("results/arousal/model/alpha")
    assert ">Listen<" in website and "badge and card" in website
    shown = words(page)
    for text in ("Listen", "badge", "card", "The numbers behind these figures"):
        assert text not in shown, text
    written = small.folders.manifest("arousal", "alpha").stat().st_mtime
    assert f"written on {datetime.fromtimestamp(written, UTC):%Y-%m-%d}" in shown


def test_names_of_others_are_no_markup(page: str) -> None:
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_published_models_have_one_for_all_targets(small: Any, tmp_path: Path) -> None:
    file = tmp_path / "wavlm.html"
    size = report.write(small.folders, load_benchmark(), "wavlm", file)
    assert size == file.stat().st_size < model_report.MOST
    tabs = '<nav class="tabs"'
    assert tabs in small.page("results/arousal/published/wavlm") and tabs not in file.read_text(
        "utf-8"
    )
    assert '<section class="target-of-report result-page" id="arousal">' in file.read_text("utf-8")
    assert '<section class="target-of-report result-page" id="emotion">' in file.read_text("utf-8")
    regions = re.findall(r'role="region" aria-label="([^"]*)"', file.read_text("utf-8"))
    assert len(regions) == len(set(regions)) > 2


def test_a_file_stays_below_its_limit(
    small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_report, "MOST", 0)
    file = tmp_path / "alpha.html"
    report.write(small.folders, load_benchmark(), "alpha", file)
    text = file.read_text("utf-8")
    assert "data:image" not in text
    assert "<em>Figure: rising dots</em>" in text
    assert re.search(r"\d+ figures? (is|are) left out", text)


def test_an_unknown_model_is_one_line(small: Any, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="unknown model with results 'alpa'"):
        report.write(small.folders, load_benchmark(), "alpa", tmp_path / "x.html")


def test_without_a_browser_there_is_a_clear_line(
    small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(browser, "BROWSERS", ("no-such-browser",))
    file = tmp_path / "alpha.html"
    words = ["report", "alpha", "--pdf", "--out", str(file), "--output", str(small.root)]
    assert main(words) == 2
    line = "cannot be printed, as there is no Chromium here (looked for no-such-browser)"
    assert f"error: {file.with_suffix('.pdf')}: {line}" in capsys.readouterr().err
    assert file.is_file()
    with pytest.raises(OutputError, match="install it, or print the HTML file"):
        report.print_pdf(small.folders, load_benchmark(), "alpha", tmp_path / "alpha.pdf")


@pytest.mark.parametrize("options", [(), ("--pdf",)])
@pytest.mark.parametrize("name", ["alpha.pdf", "alpha.PDF"])
def test_a_name_of_a_pdf_file_gets_no_html(
    small: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    options: tuple[str, ...],
) -> None:
    monkeypatch.setattr(report, "print_pdf", lambda *words: words[-1].write_bytes(b"%PDF"))
    file = tmp_path / name
    words = ["report", "alpha", *options, "--out", str(file), "--output", str(small.root)]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{file}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert file.read_bytes() == b"%PDF"


def test_chromium_prints_it(small: Any, tmp_path: Path) -> None:
    if not any(map(shutil.which, browser.BROWSERS)):
        pytest.skip("no Chromium on this machine")
    file = tmp_path / "alpha.pdf"
    report.print_pdf(small.folders, load_benchmark(), "alpha", file)
    assert file.read_bytes().startswith(b"%PDF")
    assert [path.name for path in tmp_path.iterdir()] == ["alpha.pdf"]


def test_paper_has_the_worst_of_each_group_and_breaks_long_remarks() -> None:
    line = dict.fromkeys(("group", "data", "what", "value", "mark", "css", "rule", "bound"), "x")
    line |= dict.fromkeys(("n", "interval", "effect", "p", "q", "fairness", "on_bound"), "") | {
        "word": "pass"
    }
    source = '{% import "groups.j2" as g %}{{ g.lines(lines, "Groups", "Score", names) }}'
    html = (
        environment()
        .from_string(source)
        .render(names=str, lines=[{**line, "certain": "cannot tell; few"}])
    )
    assert '<td class="text">cannot tell; few</td>' in html  # all others stay on one line
    texts = ('<details class="notes many"><summary>', '<details class="folded"><summary>')
    opened = [model_report.FOLDED.sub("<details open", text) for text in texts]
    assert opened == [texts[0], '<details open class="folded"><summary>']
    names = re.findall(
        r'<details class="([^"]*)"><summary>All', (TEMPLATES / "groups.j2").read_text("utf-8")
    )
    assert names and set(names) == {"notes many"}
