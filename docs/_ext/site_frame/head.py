"""What search engines and previews read of a page: its title and description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any
from urllib.parse import quote

from common.figures.preview import SIZE
from common.pages.identity import PREVIEW

#: what a description begins with: the answer or lead of a page, else its first paragraph
PARAGRAPHS = (
    re.compile(r'<p class="(?:answer|lead)[^"]*">(.*?)</p>', re.S),
    re.compile(r'<div class="lead[^"]*">\s*<p>(.*?)</p>', re.S),
    re.compile(r"<p(?: [^>]*)?>(.*?)</p>", re.S),
)
FORMULA = re.compile(r"<annotation\b.*?</annotation>", re.S)
#: a drawing at the end of an answer, which says the same
DRAWN = re.compile(r'<span class="score-bar".*', re.S)
TAG = re.compile(r"<[^>]+>")
LONGEST = 160
SHORTEST = 40
#: so many characters of a page are searched for it
REACH = 20_000
#: what the website is, for pages that say nothing about themselves
SITE = "Tests of speech models: correctness, fairness and robustness, with every number explained."


def plain(html: str) -> str:
    r"""Text of HTML on one line.

    >>> plain("<b>CCC</b> &gt; 0.5,\n  see below")
    'CCC > 0.5, see below'
    """
    return " ".join(unescape(TAG.sub("", FORMULA.sub("", html))).split())


def begin(body: bytes) -> str:
    """As much of a page as is searched for what describes it."""
    return body[: 4 * REACH].decode(errors="ignore")[:REACH]


def description(body: str) -> str:
    """One or two sentences about a page, from its first paragraph.

    >>> description("<h1>Pitch</h1><p>Short.</p><p>How models treat high and low voices, by group.</p>")
    'How models treat high and low voices, by group.'
    >>> description('<p class="answer">Score 78.5 %, chance 41.2 %, rank 1 to 11. <span class="score-bar">78.5 %</span></p>')
    'Score 78.5 %, chance 41.2 %, rank 1 to 11.'
    """
    for pattern in PARAGRAPHS:
        for match in pattern.finditer(body):
            text = plain(DRAWN.sub("", match[1]))
            if len(text) >= SHORTEST:
                return shorten(text)
    return SITE


def shorten(text: str) -> str:
    """Text of at most ``LONGEST`` characters, cut between words."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"


def properties(config: Any, page: str, context: Mapping[str, Any]) -> dict[str, str]:
    """What describes a page besides its content."""
    title = plain(context.get("title", "")) or config.project
    entries = {"title": title, "type": "website", "site_name": config.project}
    if config.html_baseurl:
        entries["url"] = address(config.html_baseurl, page)
        entries |= {
            "image": f"{config.html_baseurl.rstrip('/')}/{PREVIEW}",
            "image:width": str(SIZE[0]),
            "image:height": str(SIZE[1]),
            "image:alt": f"{SITE} Heat map of what each model passes.",
        }
    return entries


def tags(entries: Mapping[str, str], body: str) -> str:
    """Elements of the head that describe a page with this content."""
    about = description(body)
    lines = [f'<meta name="description" content="{escape(about)}">']
    entries = {"title": entries["title"], "description": about, **entries}
    lines += [
        f'<meta property="og:{name}" content="{escape(value)}">' for name, value in entries.items()
    ]
    card = "summary_large_image" if "image" in entries else "summary"
    lines.append(f'<meta name="twitter:card" content="{card}">')
    return "".join(f"{line}\n" for line in lines)


def address(base: str, page: str) -> str:
    """Address of a page of the website at ``base``; relative to its top if that is empty.

    >>> address("https://example.org/bench", "results/index")
    'https://example.org/bench/results/index.html'
    """
    return (f"{base.rstrip('/')}/" if base else "") + quote(f"{page}.html")
