"""What stands around the content of every page, and how pages behave for everybody."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

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


# -- search engines, previews, lost readers ----------------------------------------------------------


def test_every_page_describes_itself(small: Any) -> None:
    for path in pages(small):
        html = path.read_text("utf-8")
        (about,) = re.findall(r'<meta name="description" content="([^"]*)"', html)
        assert 20 <= len(about) <= 200, path
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


def test_addresses_are_complete_where_the_place_of_the_site_is_known() -> None:
    from types import SimpleNamespace

    from site_frame.head import tags

    config = SimpleNamespace(html_baseurl="https://example.org/a", project="x")
    assert '<meta property="og:url" content="https://example.org/a/b/c.html">' in tags(
        config, "b/c", {"body": "", "title": "<em>T</em>"}
    )
