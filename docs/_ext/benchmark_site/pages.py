"""All generated pages, written where they changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmark_site import (
    comparison,
    hidden,
    metric_uses,
    modelpages,
    overview,
    provenance_pages,
    rankings,
    testpages,
)
from benchmark_site.content import Content
from benchmark_site.front import FILES
from benchmark_site.memory import Memory
from benchmark_site.page import SUFFIX, Page
from benchmark_site.render import ROOT
from common.core import files


def write(content: Content, source: Path) -> None:
    """Bring the page files below ``source`` up to date.

    Args:
        content: what the pages show
        source: source folder of Sphinx
    """
    memory = Memory(content, source / ROOT / "made.json")
    for name, html in {
        "best-models": overview.cards(content),
        "published-claims": hidden.claims(content),
        "metric-uses": metric_uses.table(content),
    }.items():
        files.write_text(source / FILES[name], html, only_changed=True)
    documents = [_write(overview.index(content), source)]
    for target in content.boards:
        docs = memory.known(target)
        if not docs or not all(_file(source, doc).exists() for doc in docs):
            docs = [_write(page, source) for page in of_target(content, target)]
            memory.keep(target, docs)
        documents += docs
    paths = {_file(source, doc) for doc in documents}
    for path in sorted((source / ROOT).rglob(f"*{SUFFIX}")):
        if path not in paths:
            path.unlink()
    memory.write()


def of_target(content: Content, target: str) -> Iterator[Page]:
    """All pages of a target."""
    plans = comparison.planned(content, target)
    yield rankings.ranking(content, target, plans)
    for test in dict.fromkeys(test for board in content.boards[target] for test in board.tests):
        yield testpages.page(content, target, test)
    for model in content.models(target):
        yield modelpages.page(content, target, model)
        manifest = content.manifests.get((target, model.id))
        if manifest is not None and not model.published:
            yield provenance_pages.page(content, target, model, manifest)
    for plan in plans:
        yield comparison.page(content, target, plan)


def _write(page: Page, source: Path) -> str:
    files.write_text(_file(source, page.doc), page.to_json(), only_changed=True)
    return page.doc


def _file(source: Path, doc: str) -> Path:
    return source / f"{doc}{SUFFIX}"
