"""Faults of HTML that browsers mend in silence: nesting, ids, references, what a control may hold."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}
#: a paragraph ends where one of these begins, and its end tag is left over
BLOCKS = {
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
}
#: what may stand in none of the same kind
INTERACTIVE = {"a", "button", "select", "textarea", "audio", "label"}
PARENTS = {
    "li": {"ul", "ol", "menu"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "tr": {"thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
    "thead": {"table"},
    "tbody": {"table"},
    "caption": {"table"},
    "figcaption": {"figure"},
    "summary": {"details"},
    "option": {"select", "optgroup", "datalist"},
}
CHILDREN = {
    "ul": {"li"},
    "ol": {"li"},
    "tr": {"td", "th"},
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot"},
    "select": {"option", "optgroup"},
}
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for")


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.references: list[str] = []

    def fault(self, text: str) -> None:
        self.faults.append(f"line {self.getpos()[0]}: {text}, in {' '.join(self.open[-4:])}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        foreign = "svg" in self.open or "math" in self.open
        parent = self.open[-1] if self.open else ""
        if not foreign:
            if "p" in self.open and tag in BLOCKS:
                self.fault(f"<{tag}> in a paragraph")
            if tag in PARENTS and parent not in PARENTS[tag]:
                self.fault(f"<{tag}> in <{parent}>")
            if parent in CHILDREN and tag not in CHILDREN[parent]:
                self.fault(f"<{tag}> in <{parent}>")
            if tag in INTERACTIVE and tag in self.open:
                self.fault(f"<{tag}> in <{tag}>")
            if tag in INTERACTIVE - {"label"} and {"a", "button"} & set(self.open):
                self.fault(f"<{tag}> in a link or button")
        self.attributes(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        here = dict(attrs)
        if len(set(names)) < len(names):
            self.fault(f"an attribute of <{tag}> stands twice")
        if name := here.get("id"):
            if name in self.ids or " " in name:
                self.fault(f"id {name!r} stands twice, or has a blank")
            self.ids.add(name)
        if tag == "img" and not {"alt", "src"} <= set(names):
            self.fault("<img> without text or address")
        for name in REFERENCES:
            self.references += (here.get(name) or "").split()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> closes nothing")
            if tag not in self.open:
                return
            while self.open[-1] != tag:
                self.open.pop()
        self.open.pop()


def faults(html: str, config: Any = None) -> list[str]:
    """What is wrong with a page; empty if nothing is.

    >>> faults('<!DOCTYPE html><html lang="en"><head><title>a</title></head><body><p>b</p></body></html>')
    []
    >>> faults("<p><b>a</p>")[:2]
    ['no doctype', 'no language']
    """
    checker = _Checker()
    checker.feed(html)
    checker.close()
    found = [] if html.startswith("<!DOCTYPE html>") else ["no doctype"]
    found += [] if '<html lang="' in html[:200] else ["no language"]
    found += [] if html.partition("</head>")[0].count("<title>") == 1 else ["not one title"]
    found += [f"<{tag}> is left open" for tag in checker.open]
    missing = sorted(set(checker.references) - checker.ids)
    return [*found, *checker.faults, *(f"no element has the id {name!r}" for name in missing)]
