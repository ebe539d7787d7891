"""What stands around the content of every page, and how pages behave for everybody."""

from __future__ import annotations

import functools
import http.server
import json
import re
import struct
import threading
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from site_frame.head import properties, tags

from tests.site.conftest import DRAWN

LISTEN = "method/listen"
OWN = "results/arousal/model/alpha"
RANKING = "results/arousal/index"


def pages(site: Any) -> list[Any]:
    return [path for path in sorted(site.html.rglob("*.html")) if "_static" not in path.parts]


# -- images and sounds -------------------------------------------------------------------------------


def test_images_have_their_place_before_they_are_loaded(small: Any) -> None:
    count = 0
    for path in pages(small):
        html = path.read_text("utf-8")
        article = html.partition("<article")[2]
        images = re.findall(r"<img\b[^>]*>", article)
        for number, image in enumerate(images):
            assert re.search(r'\bwidth="\d+"', image), (path, image)
            assert re.search(r'\bheight="\d+"', image), (path, image)
            assert number == 0 or 'loading="lazy"' in image, (path, image)
            count += 1
    assert count > 5


def test_the_size_of_an_image_is_that_of_its_file(visit: Any) -> None:
    page = visit(LISTEN)
    for image in page.locator("article img").all():
        image.scroll_into_view_if_needed()
        image.evaluate("node => node.decode()")
        width, height = image.evaluate("node => [node.naturalWidth, node.naturalHeight]")
        assert image.get_attribute("width") == str(width)
        assert image.get_attribute("height") == str(height)


@pytest.mark.parametrize(
    "options",
    [{"quality": 60}, {"lossless": True}, {"quality": 60, "exif": b"Exif\0\0"}],
    ids=["lossy", "lossless", "extended"],
)
def test_the_size_of_a_webp_is_read_from_its_head(tmp_path: Path, options: Any) -> None:
    from PIL import Image
    from site_frame.pictures import size

    path = tmp_path / "picture.webp"
    Image.new("RGB", (691, 374), (200, 30, 90)).save(path, **options)
    assert size(path) == (691, 374)


def test_drawings_of_prose_are_light(small: Any) -> None:
    drawings = [path for path in (small.html / "_images").iterdir() if "listen" in path.name]
    assert len(drawings) >= 3
    for path in drawings:
        assert path.suffix == ".webp"
        assert path.stat().st_size < 50_000, path


FIGURE = re.compile(r"<figure>.*?</figure>(?:(?!<figure>)(?!<div).)*", re.S)
GROUP = re.compile(r'<div class="figures".*?</div>', re.S)


def test_every_figure_has_the_numbers_behind_it(small: Any) -> None:
    count = 0
    for path in (small.html / "results").rglob("*.html"):
        html = path.read_text("utf-8")
        for figure in FIGURE.findall(html):
            group = next((part for part in GROUP.findall(html) if figure[:200] in part), "")
            link = re.search(r'<a class="numbers" href="([^"#]*)(#[^"]*)?">', figure + group)
            assert link, (path, figure[:200])
            address, place = link.groups()
            if address:
                text = (path.parent / unquote(address)).read_text("utf-8")
                assert text.startswith(("target,model,", "source,model,")), (path, address)
            else:
                assert f'id="{place[1:]}"' in html, (path, place)
            count += 1
    assert count > 5


def test_no_sound_is_loaded_before_a_reader_wants_it(small: Any) -> None:
    count = 0
    for path in pages(small):
        for player in re.findall(r"<audio\b[^>]*>", path.read_text("utf-8")):
            assert 'preload="none"' in player, (path, player)
            count += 1
    assert count > 5


# -- people with assistive technology ----------------------------------------------------------------


def test_roles_are_those_in_use() -> None:
    from site_frame.roles import mended

    html = '<div role="list"><div class="citation" role="doc-biblioentry">A</div></div>'
    assert mended(html) == '<div role="list"><div class="citation" role="listitem">A</div></div>'


LIGHT = """() => {
    const light = (text) => {
        const context = document.createElement("canvas").getContext("2d");
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => v / 255);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const { color, backgroundColor } = getComputedStyle(document.body);
    const cell = document.querySelector("td.p, th, code");
    return [light(color), light(backgroundColor), light(getComputedStyle(cell).color)];
}"""


@pytest.mark.parametrize("scripts", [True, False])
def test_a_dark_system_gets_dark_pages_with_or_without_scripts(visit: Any, scripts: bool) -> None:
    for name in (RANKING, "results/arousal/correctness_regression"):
        for scheme in ("light", "dark"):
            page = visit(name, color_scheme=scheme, java_script_enabled=scripts)
            text, back, cell = page.evaluate(LIGHT)
            if scheme == "dark":
                assert back < 0.15 and text > 0.6 and cell > 0.4, (name, text, back, cell)
            else:
                assert back > 0.9 and text < 0.3 and cell < 0.4, (name, text, back, cell)
            page.close()


def test_a_reader_can_choose_the_theme(visit: Any) -> None:
    page = visit("index", color_scheme="dark")
    for name, back in (("light", True), ("dark", False), ("as the system", False)):
        page.locator("button.theme").click()
        assert page.get_by_role("button", name=f"Colours: {name}").count() == 1
        assert (page.evaluate(LIGHT)[1] > 0.9) == back
    page.close()


@pytest.mark.parametrize("media", ["screen", "print"])
def test_pictures_have_a_soft_ground_in_the_dark_and_a_white_one_on_paper(
    visit: Any, media: str
) -> None:
    page = visit("results/arousal/correctness_regression", color_scheme="dark")
    page.emulate_media(media=media, color_scheme="dark")
    light = "document.querySelector('.figures img') && getComputedStyle(document.querySelector('.figures img')).filter"
    assert page.evaluate(light) == ("brightness(0.88)" if media == "screen" else "brightness(1)")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert page.evaluate(light) == "brightness(1)"
    page.emulate_media(media=media, color_scheme="light")
    # the page is told of the other scheme before it draws the next time, and follows it
    page.evaluate(DRAWN)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate(light) == ("brightness(0.88)" if media == "screen" else "brightness(1)")
    page.close()


def test_paper_shows_whole_tables(visit: Any) -> None:
    page = visit("results/arousal/correctness_regression", 720)
    page.emulate_media(media="print")
    assert not page.locator("header.site-head").is_visible()
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".scroll, .table-scroll")]
            .filter((box) => box.getClientRects().length && box.scrollWidth > box.clientWidth + 1)
            .map((box) => [box.scrollWidth, box.clientWidth])"""
    )
    assert cut == []
    sticky = page.eval_on_selector_all(
        ".scroll *", "all => all.filter((n) => getComputedStyle(n).position === 'sticky').length"
    )
    assert sticky == 0
    astray = page.eval_on_selector_all(
        ".share .bar > i",
        """marks => marks.filter((mark) => {
            const [a, b] = [mark, mark.parentElement].map((node) => node.getBoundingClientRect());
            return a.top < b.top - 10 || a.bottom > b.bottom + 10 || a.left < b.left - 3 || a.right > b.right + 3;
        }).length""",
    )
    assert astray == 0
    page.close()


#: words that a narrow column has broken, names with hyphens, dots and lines apart
BROKEN_WORDS = """() => {
    const broken = [];
    for (const cell of document.querySelectorAll(":is(.scroll, .table-scroll) :is(th, td)")) {
        if (!cell.getClientRects().length) continue;
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
            if (node.parentElement.closest("small, b, .visually-hidden")) continue;
            for (const match of node.data.matchAll(/[\\p{L}\\d]+/gu)) {
                const range = document.createRange();
                range.setStart(node, match.index);
                range.setEnd(node, match.index + match[0].length);
                const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
                if (lines.size > 1) broken.push(node.data);
            }
        }
    }
    return broken;
}"""
#: width of an A4 page between its margins, in pixels of CSS
PAPER = 680
#: columns of a table that is printed upright
MOST_COLUMNS = 8


@pytest.mark.parametrize(
    "name",
    ["index", "results/index", "results/arousal/index", "results/arousal/correctness_regression"],
)
def test_paper_breaks_no_words_in_tables_and_cuts_nothing(visit: Any, name: str) -> None:
    page = visit(name, PAPER)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate(
        """columns => document.querySelectorAll("table.ranking tr, table.scores tr").forEach((row) => {
            while (row.cells.length > 1 && row.cells.length < columns) row.append(row.lastElementChild.cloneNode(true));
        })""",
        MOST_COLUMNS,
    )
    assert page.locator(".scroll table").count() > 0
    assert page.evaluate(BROKEN_WORDS) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.close()


def test_paper_has_no_buttons_and_waits_for_no_picture(visit: Any) -> None:
    page = visit("results/arousal/index")
    head = page.locator("#published-counted thead").first
    words = head.inner_text().split()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("button.sort").count() == 0
    assert head.inner_text().split() == words
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("button.sort").count() > 10
    executed = head.locator("th", has_text="Executed")
    executed.get_by_role("button").click()
    assert executed.get_attribute("aria-sort") == "descending"
    page.close()
    page = visit("results/arousal/correctness_regression")
    assert page.locator('img[loading="lazy"]').count() > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator('img[loading="lazy"]').count() == 0
    page.close()


def test_a_page_with_a_wide_table_is_printed_across(visit: Any) -> None:
    page = visit("results/arousal/index")
    for columns, across in ((MOST_COLUMNS, False), (MOST_COLUMNS + 1, True)):
        page.evaluate(
            """columns => document.querySelectorAll(".scroll thead tr").forEach((row) => {
                while (row.cells.length > columns) row.lastElementChild.remove();
                while (row.cells.length < columns) row.append(document.createElement("th"));
            })""",
            columns,
        )
        paper = page.pdf(prefer_css_page_size=True)
        box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", paper)
        assert box
        assert (float(box[1]) > float(box[2])) == across
    page.close()


def test_no_page_scrolls_sideways_on_the_narrowest_screen(visit: Any, small: Any) -> None:
    for path in pages(small):
        page = visit(path.relative_to(small.html).with_suffix("").as_posix(), 320)
        wide = page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll("main, article")]
                .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.tagName)"""
        )
        assert wide == [], path
        page.close()


# -- weight ------------------------------------------------------------------------------------------

FEW = 15


def test_a_page_weighs_little_before_its_content(small: Any) -> None:
    """All that a page loads but its images and sounds, and its own HTML around the article."""
    for path in pages(small):
        html = path.read_text("utf-8")
        frame = html.partition("<article")[0] + html.rpartition("</article>")[2]
        found = re.findall(r'<(?:script|link)\b[^>]*(?:src|href)="([^"?#]+)', html)
        sizes = {name: (path.parent / name).stat().st_size for name in found}
        assert sum(sizes.values()) + len(frame) <= 150_000, (path, sizes)
        assert len(sizes) < FEW, (path, sizes)


def test_a_page_loads_no_font_and_no_file_of_others(small: Any) -> None:
    for path in small.html.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link)\b[^>]*>", path.read_text("utf-8"))
        assert not re.search(r"bootstrap|fontawesome|woff|pydata|searchindex", " ".join(loaded))


# -- search ------------------------------------------------------------------------------------------


def hits(page: Any, words: str) -> list[str]:
    box = page.get_by_role("searchbox", name="Search all pages")
    box.fill(words)
    return [str(text) for text in page.locator(".hit-title").all_inner_texts()]


def test_search_works_from_the_disk_and_as_one_types(visit: Any) -> None:
    page = visit(RANKING)
    assert "search-index.js" not in page.content()  # loaded when it is wanted
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox", name="Search all pages").wait_for()
    assert hits(page, "regr")[0] == "Regression"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/method/correctness_regression.html")
    assert page.faults == []
    page.close()


def test_search_has_a_page_of_its_own(visit: Any) -> None:
    page = visit("search")
    page.get_by_role("searchbox", name="Search all pages").wait_for()
    assert hits(page, "regression")[0] == "Regression"
    assert hits(page, "regression 0.5") == hits(page, "regression")  # numbers are not in the index
    assert hits(page, "nosuchword") == []
    assert page.get_by_role("status").inner_text() == "0 pages"
    assert page.faults == []
    page.close()


def test_the_index_holds_words_and_no_formulas(small: Any) -> None:
    text = (small.html / "_static" / "search-index.js").read_text("utf-8")
    entries = {e[0]: e for e in json.loads(text.partition("=")[2].rstrip(";\n"))}
    assert r"\\frac" not in text and r"\\text" not in text
    assert entries["method/correctness_regression.html"][1:4] == ["Method", 12, "Regression"]
    assert entries[f"{OWN}.html"][-1] == ""
    assert not (small.html / "searchindex.js").exists()


def test_every_page_has_its_way_up_and_beside(small: Any) -> None:
    html = small.page(OWN)
    assert (
        '<li><a href="../index.html">' in html.partition('class="trail"')[2].partition("</nav>")[0]
    )
    assert 'aria-current="true">' in html.partition('class="site-nav"')[2].partition("</nav>")[0]


def test_a_new_title_reaches_the_frames_of_all_pages(new_site: Any) -> None:
    site = new_site()
    assert site.build()["built"]
    assert ">Regression</a>" in site.page(LISTEN)
    page = site.docs / "method" / "correctness_regression.rst"
    page.write_text("Renamed\n=======\n\nText.\n")
    assert site.build()["built"]
    for name in (LISTEN, RANKING, "search"):
        head = site.page(name).partition("<article")[0]
        assert ">Renamed</a>" in head, name
        assert ">Regression</a>" not in head, name


# -- search engines, previews, lost readers ----------------------------------------------------------


def test_every_page_describes_itself(small: Any) -> None:
    for path in pages(small):
        html = path.read_text("utf-8")
        (about,) = re.findall(r'<meta name="description" content="([^"]*)"', html)
        assert 20 <= len(about) <= 200, path
        assert html.count('name="viewport"') == 1, path
        if path.name != "404.html":
            assert f'<meta property="og:description" content="{about}">' in html
            assert '<meta property="og:title" content="' in html
    about = small.page(RANKING).partition('name="description" content="')[2].partition('"')[0]
    assert about.startswith("How activated a speaker sounds")


def test_the_list_of_pages_is_complete(small: Any) -> None:
    tree = ET.parse(small.html / "sitemap.xml")
    listed = [node.text for node in tree.iter() if node.tag.endswith("}loc")]
    there = {path.relative_to(small.html).as_posix() for path in pages(small)}
    assert sorted(listed) == sorted(there - {"404.html", "search.html"})


def test_the_page_for_lost_readers_needs_no_other_file(small: Any, visit: Any) -> None:
    html = small.page("404")
    assert not re.search(r"<link\b[^>]*stylesheet|<script[^>]* src=|<img", html)
    page = visit("404")
    page.get_by_role("link").click()
    assert page.url.endswith("/index.html")
    assert page.faults == []


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves a folder below a path, with the page for lost readers in place of what is missing."""

    def do_GET(self) -> None:
        """Answer."""
        path = self.translate_path(self.path)
        if Path(path).is_file():
            return super().do_GET()
        body = Path(self.directory, "below", "404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def test_a_lost_reader_finds_the_start_from_any_depth(
    browser: Any, small: Any, tmp_path: Path
) -> None:
    (tmp_path / "below").symlink_to(small.html)
    handler = functools.partial(Server, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/below/results/gone/away.html")
            page.wait_for_function(
                "() => document.querySelector('a').pathname === '/below/index.html'"
            )
            page.get_by_role("link").click()
            page.wait_for_url("**/below/index.html")
            page.close()
        finally:
            server.shutdown()
            thread.join()


def test_addresses_are_complete_where_the_place_of_the_site_is_known() -> None:
    config = SimpleNamespace(html_baseurl="https://example.org/a", project="x")
    entries = properties(config, "b/c", {"title": "<em>T</em>"})
    assert entries["title"] == "T"
    assert '<meta property="og:url" content="https://example.org/a/b/c.html">' in tags(entries, "")


def test_a_link_to_a_page_has_a_picture_where_the_site_has_an_address() -> None:
    for base in ("https://example.org/a", "https://example.org/a/"):
        config = SimpleNamespace(project="P", html_baseurl=base)
        shown = tags(properties(config, "b/c", {"title": "T"}), "")
        assert '<meta property="og:image" content="https://example.org/a/preview.png">' in shown
        assert '<meta name="twitter:card" content="summary_large_image">' in shown
    config = SimpleNamespace(project="P", html_baseurl="")
    shown = tags(properties(config, "b/c", {"title": "T"}), "")
    assert "og:image" not in shown and '<meta name="twitter:card" content="summary">' in shown


def test_the_picture_of_a_link_is_made_of_the_results_and_the_same_again(
    new_site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = new_site("alpha")
    site.build()
    path = site.html / "preview.png"
    assert not path.exists()
    monkeypatch.setenv("SPEECHPROOF_URL", "https://example.org/a")
    site.build()
    first = path.read_bytes()
    assert struct.unpack(">II", first[16:24]) == (1200, 630)
    assert "https://example.org/a/preview.png" in site.page("index")
    path.unlink()
    site.build()
    assert path.read_bytes() == first
    monkeypatch.delenv("SPEECHPROOF_URL")
    site.build()
    assert not path.exists() and "og:image" not in site.page("index")


def test_captions_of_code_may_break(visit: Any) -> None:
    page = visit("method/correctness_regression", 320)
    wide = page.evaluate(
        """() => {
            const caption = document.createElement("div");
            caption.className = "code-block-caption";
            caption.textContent = "ser-tests/docs/results/test/arousal/1543ec32-1.0.3/correctness_speaker_ranking/rho.csv";
            document.querySelector("article").append(caption);
            return document.documentElement.scrollWidth - innerWidth;
        }"""
    )
    assert wide <= 0
    page.close()


def test_a_short_name_of_a_model_is_in_one_line(visit: Any) -> None:
    page = visit("results/arousal/fairness_sex")
    heights = page.evaluate(
        """() => [...document.querySelectorAll("table.scores thead a")].filter((link) => /^[\\w-]{1,20}$/.test(link.textContent)
            && link.checkVisibility()).map((link) => link.getClientRects().length)"""
    )
    assert heights and set(heights) == {1}
    page.close()
