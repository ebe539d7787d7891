"""All generated pages, written where they changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from site_frame.page_file import PAGE

from benchmark_site import (
    checked,
    compare_page,
    comparison,
    costs,
    datasetpages,
    field,
    figure_data,
    hidden,
    metric_uses,
    modelpages,
    overview,
    own_page,
    provenance_pages,
    rankings,
    runpage,
    samplepages,
    testpages,
)
from benchmark_site.content import Content
from benchmark_site.finished import FILES
from benchmark_site.fragments import Fragments
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.page import Page, Planned, sections_of
from benchmark_site.render import ROOT, model_doc, provenance_doc, target_doc, test_doc
from benchmark_site.sources import Model
from common.core import files

#: a comparison, and what it is made from
Comparison = tuple[comparison.Plan, list[Any]]


def write_datasets(content: Content, source: Path, memory: Memory, inputs: Inputs) -> set[str]:
    """Bring the pages of datasets, which need no ranking, up to date; arguments and result as of :func:`write`."""
    return {
        _bring(page, digest([inputs.common, page.inputs]), source, memory)
        for page in datasetpages.planned(content)
    }


def write(content: Content, source: Path, memory: Memory, inputs: Inputs) -> set[str]:
    """Bring the pages of several targets up to date, but for those of datasets.

    Args:
        content: what the pages show
        source: source folder of Sphinx
        memory: what the pages were made from last time
        inputs: what they are made from

    Returns:
        names of the documents
    """
    paper_key = digest([inputs.common, list(content.boards)])
    paper, counts = {}, hidden.counting(content)
    for name, make in {
        "paper-conclusions": checked.checked,
        "published-claims": hidden.claims,
    }.items():
        paper[name] = memory.recall(name, paper_key) or make(content, counts)
        memory.keep(name, paper_key, paper[name])
    for name, html in {
        "field-at-a-glance": field.field(content),
        **paper,
        "metric-uses": metric_uses.table(content),
    }.items():
        files.write_text(source / FILES[name], html, only_changed=True)
    documents = [_write(overview.index(content), source)]
    documents.append(_write(own_page.page(content), source))
    if any(content.boards.values()):
        figures = {name: list(figure_data.drawn(content, inputs, name)) for name in content.boards}
        documents.append(_write(compare_page.page(content, figures), source))
        documents.append(_write(costs.page(content), source))
    took = runpage.page(content)
    if took is not None:
        documents.append(_write(took, source))
    return set(documents)


def remove_others(source: Path, documents: Iterable[str]) -> None:
    """Remove page files that belong to no document any more."""
    paths = {_file(source, doc) for doc in documents}
    for path in sorted((source / ROOT).rglob(f"*{PAGE}")):
        if path not in paths:
            path.unlink()


def write_target(
    content: Content,
    target: str,
    source: Path,
    memory: Memory,
    inputs: Inputs,
    columns: Path | None = None,
) -> None:
    """Bring the pages of a target up to date, where they are not known.

    Args:
        content: what the pages show
        target: the target
        source: source folder of Sphinx
        memory: what the pages were made from last time
        inputs: what they are made from
        columns: folder that keeps what pages of tests show of each model; None: it is not kept
    """
    # made here, so that its code belongs to the code of the pages
    fragments = None if columns is None else Fragments(columns)
    docs = current(target, source, memory, inputs)
    if docs:
        for doc in docs:
            memory.carry(doc)
            memory.carry(_sections(doc))
        memory.carry(_comparisons(target))
        return
    whole = inputs.key(target)
    for page in of_target(content, target, source, inputs, memory, fragments):
        key = whole if page.inputs is None else digest(page.inputs)
        docs.append(_bring(page, key, source, memory))
    memory.keep(target, whole, docs)


def current(target: str, source: Path, memory: Memory, inputs: Inputs) -> list[str]:
    """Pages of a target, if they are as they were left and nothing that they show changed; else none."""
    docs: list[str] = memory.recall(target, inputs.key(target)) or []
    return docs if all(_is_as_left(source, doc, memory) for doc in docs) else []


def _bring(page: Planned, key: str, source: Path, memory: Memory) -> str:
    """Bring a page up to date; returns the name of the document."""
    if memory.recall(page.doc, key) and _is_as_left(source, page.doc, memory):
        memory.carry(_sections(page.doc))
    else:
        _write(page.make(), source)
        memory.keep(page.doc, key, _stat(source, page.doc))
    return page.doc


def of_target(
    content: Content,
    target: str,
    source: Path,
    inputs: Inputs,
    memory: Memory,
    fragments: Fragments | None = None,
) -> Iterator[Planned]:
    """All pages of a target."""
    planned = ((p, inputs.of_comparison(target, p)) for p in comparison.planned(content, target))
    plans = _shown(target, planned, memory)
    shown = [plan for plan, _ in plans]
    yield Planned(target_doc(target), None, lambda: rankings.ranking(content, target, shown))
    for test in dict.fromkeys(test for board in content.boards[target] for test in board.tests):
        yield Planned(
            test_doc(target, test),
            inputs.of_test(target, test),
            partial(_of_test, content, target, test, source, inputs, memory, fragments),
        )
    for model in content.models(target):
        yield Planned(
            model_doc(target, model),
            inputs.of_model(target, model),
            partial(_of_model, content, target, model, source, inputs, memory),
        )
        manifest = content.manifests.get((target, model.id))
        if manifest is not None and not model.published:
            yield Planned(
                provenance_doc(target, model),
                [inputs.of_model_alone(target, model), provenance_pages.linked(content, manifest)],
                partial(provenance_pages.page, content, target, model, manifest),
            )
    if content.sample_datasets(target):
        yield Planned(
            samplepages.doc(target),
            inputs.of_samples(target, samplepages.models_of(content, target)),
            partial(samplepages.page, content, target),
        )
    for plan, parts in plans:
        yield Planned(plan.doc, parts, partial(comparison.page, content, target, plan))


def _of_test(
    content: Content,
    target: str,
    test: str,
    source: Path,
    inputs: Inputs,
    memory: Memory,
    fragments: Fragments | None,
) -> Page:
    """Page of a test; sections of published results are the same whatever is run.

    Of own results, what is shown of a model is the same whoever stands beside it.
    """
    doc = test_doc(target, test)
    file, name, key = _file(source, doc), _sections(doc), digest(inputs.common)
    is_same = memory.recall(name, key) and _is_as_left(source, doc, memory)
    memory.keep(name, key, True)
    boards = [board for board in content.boards[target] if test in board.tests]
    published = [board.name for board in boards if board.published]
    sections = sections_of(file.read_bytes(), published) if is_same else []
    if fragments is None:
        return testpages.page(content, target, test, sections)
    keys = [(board, inputs.of_columns(board, test)) for board in boards if not board.published]
    for board, of_models in keys:
        fragments.give(board, test, of_models)
    page = testpages.page(content, target, test, sections)
    for board, of_models in keys:
        fragments.keep(board, test, of_models)
    return page


def _of_model(
    content: Content, target: str, model: Model, source: Path, inputs: Inputs, memory: Memory
) -> Page:
    """Page of a model; where it stands changes with other models, and little else does."""
    doc = model_doc(target, model)
    file, name, key = (
        _file(source, doc),
        _sections(doc),
        digest(inputs.of_model_alone(target, model)),
    )
    is_same = memory.recall(name, key) and _is_as_left(source, doc, memory)
    memory.keep(name, key, True)
    before = file.read_bytes() if is_same else b""
    return modelpages.page(content, target, model, before)


def _sections(doc: str) -> str:
    """Name in the memory for sections of a page that can be taken from its file."""
    return f"{doc}: sections"


def _comparisons(target: str) -> str:
    """Name in the memory for whether the models of each comparison have a cell in common."""
    return f"{target}: comparisons"


def _shown(target: str, planned: Iterable[Comparison], memory: Memory) -> list[Comparison]:
    """Comparisons whose models have a cell in common, which is remembered for each."""
    before: dict[str, list[Any]] = memory.before(_comparisons(target)) or {}
    now: dict[str, list[Any]] = {}
    shown = []
    for plan, parts in planned:
        key = digest(parts)
        last = before.get(plan.doc, [])
        now[plan.doc] = last if last[:1] == [key] else [key, plan.telling]
        if now[plan.doc][1]:
            shown.append((plan, parts))
    memory.keep(_comparisons(target), "", now)
    return shown


def _write(page: Page, source: Path) -> str:
    files.write_over(_file(source, page.doc), page.data)
    return page.doc


def _file(source: Path, doc: str) -> Path:
    return source / f"{doc}{PAGE}"


def _is_as_left(source: Path, doc: str, memory: Memory) -> bool:
    """Whether the file of a page is there, with the size and time that it was left with."""
    try:
        return _stat(source, doc) == memory.before(doc)
    except OSError:
        return False


def _stat(source: Path, doc: str) -> list[int]:
    """Size and time of the file of a page."""
    stat = _file(source, doc).stat()
    return [stat.st_size, stat.st_mtime_ns]
