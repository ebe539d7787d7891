"""Pages run and load nothing but files of the website, whatever text slips into them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from common.core import policy

#: what each page may begin with
STATED = policy.element(policy.PAGE)
#: markup of a stranger: each part leaves a mark if it is obeyed
SMUGGLED = """
<script>document.title = "script"</script>
<img src="nothing.png" onerror="document.title = 'handler'">
<svg onload="document.title = 'svg'"></svg>
<iframe srcdoc="<script>parent.document.title = 'frame'</script>"></iframe>
<a id="bait" href="javascript:void(document.title = 'address')">here</a>
<style>h1 { color: rgb(1, 2, 3) !important }</style>
<img src="http://stranger.invalid/pixel.png">
<form id="form" action="http://stranger.invalid/"><button>Send</button></form>
"""


def test_every_page_states_what_it_may_load_before_it_loads_anything(small: Any) -> None:
    for path in small.html.rglob("*.html"):
        html = path.read_text("utf-8")
        head = html.partition("</head>")[0]
        stated = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', head)
        assert stated, path
        assert not re.search(r"<(?:link|script|style|base)\b", head[: stated.start()]), path
        directives = dict(part.split(" ", 1) for part in stated[1].split("; "))
        assert directives["default-src"] == "'none'", path
        assert "unsafe" not in directives["script-src"], path
        assert "*" not in stated[1], path
        if path.name != "404.html":
            assert stated[0] == STATED, path


def test_no_page_needs_what_its_policy_refuses(small: Any) -> None:
    for path in small.html.rglob("*.html"):
        html = path.read_text("utf-8")
        handlers = re.findall(r"<[a-z][^<>]*\son[a-z]+=[^<>]*>", html)
        assert handlers == [], path
        assert not re.search(r"""(?:href|src)=["']javascript:""", html), path
        if path.name != "404.html":
            scripts = re.findall(r"<script\b(?![^>]*(?:\bsrc=|application/json))[^>]*>", html)
            assert scripts == [], path


@pytest.mark.parametrize("obeyed", [False, True], ids=["with policy", "without"])
def test_markup_of_a_stranger_does_nothing(
    small: Any, browser: Any, tmp_path: Path, obeyed: bool
) -> None:
    html = small.page("results/index").replace("</article>", f"{SMUGGLED}</article>")
    if obeyed:
        html = html.replace(STATED, "")
    place = tmp_path / "page.html"
    place.write_text(html, "utf-8")
    page = browser.new_page()
    sent: list[str] = []
    page.route(
        "http://stranger.invalid/**", lambda route: (sent.append(route.request.url), route.abort())
    )
    page.goto(place.as_uri())
    marks = [page.title()]
    page.evaluate("document.getElementById('bait').click()")
    marks.append(page.title())
    colour = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    page.evaluate("document.getElementById('form').submit()")
    page.close()
    assert (marks[0] in {"script", "handler", "svg", "frame"}) == obeyed, marks
    assert (marks[1] == "address") == obeyed, marks
    assert (colour == "rgb(1, 2, 3)") == obeyed
    assert bool(sent) == obeyed, sent
