"""Every page of the published website, texts of the documentation among them."""

from __future__ import annotations

import os
import subprocess
import sys
from operator import le
from pathlib import Path
from typing import Any

import pytest
from valid_html import faults

from common.core import paths
from common.pages.weight import LIMITS, weight

NARROW = 320
#: how far a page scrolls sideways, in pixels
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website that a clone makes of the published results."""
    place = tmp_path_factory.mktemp("published")
    subprocess.run(
        [sys.executable, "build.py", "site", "--quiet", "--output", str(place)],
        cwd=paths.REPOSITORY,
        env={**os.environ, "XDG_CACHE_HOME": str(place / "cache")},
        check=True,
    )
    return place / "build" / "html"


@pytest.fixture(scope="module")
def names(html: Path) -> list[Path]:
    """Its pages: results, and each text of the documentation."""
    pages = [path for path in sorted(html.rglob("*.html")) if "_static" not in path.parts]
    texts = {
        path.relative_to(paths.DOCS).with_suffix(".html") for path in paths.DOCS.rglob("*.rst")
    }
    shown = {path.relative_to(html) for path in pages}
    assert len(texts & shown) > 60 and len(shown) > 150
    return pages


def test_no_page_scrolls_sideways_on_a_narrow_screen(browser: Any, names: list[Path]) -> None:
    page = browser.new_page(viewport={"width": NARROW, "height": 700})
    wide = {}
    for path in names:
        page.goto(path.as_uri())
        if over := page.evaluate(SIDEWAYS):
            wide[path.name] = over
    assert not wide
    page.evaluate(
        """() => {
            const wide = document.createElement("p");
            wide.textContent = "wide";
            wide.style.minWidth = "400px";
            document.querySelector("article").append(wide);
        }"""
    )
    assert page.evaluate(SIDEWAYS) > 0  # the check can fail
    page.close()


def test_every_page_is_valid_and_light(names: list[Path]) -> None:
    for path in names:
        sizes = weight(path)
        assert all(map(le, sizes, LIMITS)), (path, sizes)
        assert not faults(path.read_text("utf-8")), path
