"""Pages are frames that Sphinx wrote, filled with what results change; Sphinx runs only for frames."""

from __future__ import annotations

import json
import os
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from site_frame import filling, page_file, patterns, pictures, slots
from sphinx.errors import ExtensionError

from common.core import files

FRAME = (
    "<html><head>\n<!--@about:{}-->"
    '\n<link href="../_static/site.css?v=1" />\n<link href="../_static/field.css?v=1" />'
    '\n<script defer="defer" src="../_static/export.js?v=2"></script>\n</head>\n'
    '<body><img src="logo.png"><!--@begin--><h1>@title@</h1>{}<!--@end--></body></html>\n'
)
ABOUT = {"title": "@title@", "type": "website", "site_name": "x"}


@pytest.fixture
def parts(tmp_path: Path) -> filling.Folders:
    """A frame with slots for a page of results and a file."""
    folders = filling.Folders(*(tmp_path / name for name in ("frames", "source", "site", "media")))
    about = slots.slot_of_tags(ABOUT).removeprefix("<!--@about:").removesuffix("-->")
    inside = slots.SLOT_OF_PAGE + slots.slot_of_file("x.html")
    files.write_text(
        folders.frames / "patterns" / "results" / "pattern.html",
        FRAME.replace("{}", about, 1).replace("{}", inside),
    )
    write(folders, "<table></table>")
    files.write_text(folders.source / "x.html", '<a href="index.html">')
    return folders


def write(folders: filling.Folders, html: str, name: str = "results/a") -> None:
    """Page whose section of a section has this HTML."""
    inner = {"id": "inner", "title": "Inner", "html": html, "sections": []}
    outer = {"id": "outer", "title": "Scores > -1", "html": "", "sections": [inner]}
    page = {"html": "", "sections": [outer]}
    files.write_bytes(folders.source / f"{name}.page", page_file.data("A", page))


def filled(folders: filling.Folders) -> str:
    """The page after bringing it up to date."""
    titles = page_file.titles(folders.source, ["results/a"])
    filling.fill(folders, ["results/a"], titles, folders.site.parent / "notes.json")
    return (folders.site / "results" / "a.html").read_text("utf-8")


def test_a_page_has_its_parts_and_loads_what_these_need(parts: filling.Folders) -> None:
    html = filled(parts)
    assert re.findall(r"<h\d>[^<]*", html) == ["<h1>A", "<h2>Scores &gt; −1", "<h3>Inner"]
    assert '<section id="inner">\n<h3>Inner<a class="headerlink" href="#inner"' in html
    assert '<div class="no-search"><table></table></div></section>\n</section>\n' in html
    assert '<a href="../index.html"></body>' in html
    assert "export.js" in html and "site.css" in html and "field.css" not in html
    assert '<meta property="og:title" content="A">' in html
    assert "<!--@" not in html
    write(parts, '<div class="scroll field">')
    html = filled(parts)
    assert "export.js" not in html and "field.css" in html


def test_the_size_of_an_image_follows_its_file(parts: filling.Folders) -> None:
    write(parts, '<img src="../extra/media/a.svg">')
    assert '<img src="../extra/media/a.svg">' in filled(parts)
    for width in (10, 200):
        files.write_text(parts.media / "a.svg", f'<svg width="{width}" height="20"></svg>')
        assert f'width="{width}" height="20"' in filled(parts)


def test_two_processes_fill_the_same_pages(
    parts: filling.Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"results/{number}" for number in range(filling.MANY)]
    for name in names:
        write(parts, f"<p>{name}</p>", name)
    asked: list[int] = []
    monkeypatch.setattr(
        filling.processes,
        "beside",
        lambda workers, work, make=filling.processes.beside: (
            asked.append(workers) or make(workers, work)
        ),
    )
    made, notes = [], tmp_path / "notes.json"
    for workers in (1, 2):
        filling.fill(parts, names, dict.fromkeys(names, "A"), notes, workers=workers)
        pages = [parts.site / f"{name}.html" for name in names]
        made.append([path.read_text("utf-8") for path in pages])
        entries = json.loads(notes.read_text("utf-8"))["pages"]
        assert list(entries) == sorted(names) and all(entries.values())
        for path in (*pages, notes):
            path.unlink()
    assert asked == [1, 2] and made[0] == made[1] and len(set(made[0])) == len(names)


def test_a_page_follows_its_title_and_those_above_it(parts: filling.Folders) -> None:
    pattern = parts.frames / "patterns" / "results" / "_" / "_" / "pattern.html"
    step = '\n<li><a href="../../index.html">@above@</a></li>'
    files.write_text(pattern, f"<ol>{step}\n</ol><!--@begin--><h1>@title@</h1><!--@end-->")
    doc, notes = "results/a/model/b", parts.site.parent / "notes.json"
    files.write_bytes(
        parts.source / f"{doc}.page", page_file.data("", {"html": "", "sections": []})
    )
    way = {"results/index": "Results", "results/a/index": "Arousal & more", doc: "B"}
    for up, title in [("Arousal & more", "B"), ("<Arousal>", "B"), ("<Arousal>", "C")]:
        titles = {**way, "results/a/index": up, doc: title}
        filling.fill(parts, [doc], titles, notes)
        shown = {"Arousal & more": "Arousal &amp; more", "<Arousal>": "‹Arousal›"}[up]
        assert (parts.site / f"{doc}.html").read_text("utf-8") == (
            '<ol>\n<li><a href="../../index.html">Results</a></li>'
            f'\n<li><a href="../index.html">{shown}</a></li>\n</ol><h1>{title}</h1>'
        )


@pytest.mark.parametrize("html", ["", "a\nb", "a\r\nb\r", "−1\u2028<b>", "x" * 10_000])
def test_a_page_file_keeps_every_character_and_tells_when_some_are_lost(
    parts: filling.Folders, html: str
) -> None:
    write(parts, html)
    data = (parts.source / "results" / "a.page").read_bytes()
    [outer] = page_file.content(data)["sections"]
    inner = {"id": "inner", "title": "Inner", "html": html.encode(), "sections": []}
    assert outer["title"] == "Scores > -1" and outer["html"] == b""
    assert outer["sections"] == [inner]
    for other in (data + b"x", data[:-1]):
        with pytest.raises(ValueError):
            page_file.content(other)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>no image</p>", "<p>no image</p>"),
        ('<img src="a">x<img src="b" />', '<img src="a">x<img src="b" loading="lazy" />'),
        ("<img alt='b'><img width=\"1\">", '<img alt=\'b\'><img width="1" loading="lazy">'),
        ("<imgs><img><imaginary><img>", '<imgs><img><imaginary><img loading="lazy">'),
        ("never closed: <img src", "never closed: <img src"),
    ],
)
def test_only_images_get_a_time_of_loading(tmp_path: Path, html: str, expected: str) -> None:
    images = pictures.Files("results/a", tmp_path, tmp_path)
    assert pictures.sized(html.encode(), images).decode() == expected


def test_a_page_is_left_alone_while_nothing_changes(parts: filling.Folders) -> None:
    filled(parts)
    page = parts.site / "results" / "a.html"
    os.utime(page, ns=(1, 1))
    filled(parts)
    assert page.stat().st_mtime_ns == 1
    page.unlink()
    assert filled(parts)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"code": 1, "pages": []}', "null"])
def test_damaged_notes_are_no_notes(parts: filling.Folders, text: str) -> None:
    html = filled(parts)
    (parts.site / "results" / "a.html").write_text("x" * len(html))
    (parts.site.parent / "notes.json").write_text(text)
    assert filled(parts) == html


def test_a_note_that_was_altered_does_not_count(parts: filling.Folders) -> None:
    html = filled(parts)
    notes, page = parts.site.parent / "notes.json", parts.site / "results" / "a.html"
    page.write_text("short")
    notes.write_text(notes.read_text("utf-8").replace(str(len(html)), "5"))
    assert filled(parts) == html


# -- the whole site ----------------------------------------------------------------------------------


def change(site: Any) -> None:
    """Another score of a model, which changes ranks."""
    text = site.result_file("alpha").read_text("utf-8")
    changed = text.replace(",0.7512345678901234,", ",0.25,", 1).replace(",fail,", ",pass,", 1)
    assert changed != text
    site.result_file("alpha").write_text(changed)


def remembered(site: Any) -> tuple[int, list[Path]]:
    """When Sphinx wrote down what it knows, and all frames."""
    (known,) = site.cache.rglob("environment.pickle")
    return known.stat().st_mtime_ns, sorted(site.cache.rglob("frames/**/*.html"))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_changed_value_is_put_into_frames_without_sphinx(
    new_site: Callable[..., Any], workers: int
) -> None:
    site = new_site("alpha", "beta")
    assert site.build(workers=workers)["built"]
    before, (time, _) = site.files(), remembered(site)
    change(site)
    assert site.build(workers=workers)["built"]
    assert remembered(site)[0] == time
    new = new_site("alpha", "beta")
    change(new)
    assert new.build(seed=3)["built"]
    assert site.files() == new.files() != before
    # Sphinx makes the same of it
    (site.html / "_static" / "site.css").unlink()
    assert site.build(workers=workers)["built"]
    assert remembered(site)[0] >= time
    assert site.files() == new.files()


def test_a_model_more_comes_into_frames_from_patterns(new_site: Callable[..., Any]) -> None:
    """Its pages are those of a new site, listed and searched like the others, and Sphinx is not called."""
    site = new_site("alpha")
    assert site.build(workers=2)["built"]
    time, _ = remembered(site)
    site.add_model("beta")
    assert site.build(workers=2)["built"]
    assert remembered(site)[0] == time
    new = new_site("alpha")
    new.add_model("beta")
    assert new.build(seed=3)["built"]
    assert site.files() == new.files()
    for name in ("sitemap.xml", "_static/search-index.js"):
        assert "results/arousal/model/beta.html" in (site.html / name).read_text("utf-8")


@pytest.mark.parametrize("fault", ["lost", "damaged", "notes", "both", "earlier"])
def test_frames_that_are_not_as_they_were_left_are_made_again(
    new_site: Callable[..., Any], fault: str
) -> None:
    site = new_site("alpha")
    assert site.build()["built"]
    before, (_, frames) = site.files(), remembered(site)
    frame = next(path for path in frames if path.name == "index.html")
    if fault == "lost":
        frame.unlink()
    elif fault == "damaged":
        frame.write_text("<html>")
    elif fault == "both":
        frame.write_text("<html>")
        (site.html / "index.html").write_text("<html>")
    elif fault == "earlier":
        (note,) = site.cache.rglob("given.json")
        content = json.loads(note.read_text("utf-8"))
        note.write_text(json.dumps({**content, "texts": None}))
        (note.parent / "frames" / "index.html").write_text("<html>")
    else:
        next(iter(site.cache.rglob("given.json"))).write_text("[1")
    original = site.result_file("alpha").read_text("utf-8")
    change(site)
    assert site.build()["built"]
    site.result_file("alpha").write_text(original)
    assert site.build()["built"]
    assert site.files() == before
    assert {path.name for path in next(site.cache.rglob("frames")).iterdir()} == {
        "pages",
        "patterns",
        "searched.json",
    }


@pytest.mark.parametrize("doc", ["arousal/index", "arousal/model/alpha", "own"])
def test_a_page_file_that_was_cut_is_written_again(new_site: Callable[..., Any], doc: str) -> None:
    site = new_site("alpha")
    assert site.build()["built"]
    before = site.files()
    (site.root / "build" / "source" / "results" / f"{doc}.page").write_text('"cut')
    (site.html / "index.html").unlink()
    assert site.build()["built"]
    assert site.files() == before


@pytest.mark.parametrize("lost", ["@title@", "@above@", "<!--@about:"])
def test_a_layout_without_a_place_for_titles_is_refused(tmp_path: Path, lost: str) -> None:
    app: Any = types.SimpleNamespace(
        doctreedir=tmp_path / "doctrees", builder=types.SimpleNamespace(format="html")
    )
    text = '<!--@about:{}--><ol>\n<li><a href="x">@above@</a></li></ol><h1>@title@</h1>'
    for change in (str, lambda text: text.replace(lost, "")):
        for place in patterns.NAMES:
            files.write_text(tmp_path / "frames" / "pages" / f"{place}.html", change(text))
        if change is str:
            patterns.settle(app, None)
            assert len(list((tmp_path / "frames" / "patterns").rglob("*.html"))) == 3
    with pytest.raises(ExtensionError, match="the layout has another place for titles"):
        patterns.settle(app, None)


def test_a_page_without_its_sounds_is_read_when_they_come(new_site: Callable[..., Any]) -> None:
    site = new_site("alpha")
    page = site.docs / "method" / "quiet.rst"
    page.write_text(":orphan:\n\nQuiet\n=====\n\n.. listen:: A\n\n   .. sound:: late.wav\n")
    state = site.folders.media / "examples.json"
    content = json.loads(state.read_text("utf-8"))
    state.unlink()
    assert site.build()["built"]
    (read,) = site.cache.rglob("method/quiet.doctree")
    time = read.stat().st_mtime_ns
    site.add_model("beta")
    assert site.build()["built"]
    assert "There is no sound here" in site.page("method/quiet")
    assert read.stat().st_mtime_ns == time
    content["files"]["late.wav"] = next(iter(content["files"].values()))
    state.write_text(json.dumps(content))
    files.write_bytes(site.folders.media / "late.wav", b"RIFF")
    assert site.build()["built"]
    assert "late.wav" in site.page("method/quiet")


def test_a_text_with_a_line_break_stays_whole_in_downloads(new_site: Callable[..., Any]) -> None:
    site, new = new_site("alpha", "beta"), new_site("alpha", "beta")
    for each in (site, new):
        lines = each.result_file("beta").read_text("utf-8").split("\n")
        place = lines[0].split(",").index("note")
        values = lines[1].split(",")
        values[place] = '"two\nlines"'
        lines[1] = ",".join(values)
        each.result_file("beta").write_text("\n".join(lines))
    assert site.build()["built"]
    for each in (site, new):
        change(each)
        assert each.build()["built"]
    assert site.files() == new.files()
    (table,) = (site.html / "data" / "results").rglob("model/beta.csv")
    assert "two\nlines" in table.read_text("utf-8")
    assert "two\nlines" in (site.html / "data" / "results.csv").read_text("utf-8")
