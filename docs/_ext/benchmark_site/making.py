"""The pages of results and the data of the site, made from results without Sphinx."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from benchmark_site.memory import Memory
from common.core.paths import Paths
from common.spec import Benchmark

#: what is told while pages of results are made
STAGE = "parts of the website"
#: folders of rows of results and of what pages show of models, which know by themselves what they
#: are, and of compiled templates
ROWS, COLUMNS, TEMPLATES = "rows", "columns", "templates"


def make(
    folders: Paths,
    benchmark: Benchmark,
    *,
    workers: int,
    stale: Mapping[str, Mapping[str, Any]],
    results: Sequence[Sequence[str]] | None = None,
    cache: Path,
    progress: Callable[[str, int, int], None],
) -> Callable[[], None]:
    """Write the pages of results into the source folder of Sphinx and the data into the site.

    Files are written only where they changed, so that nothing is done to them that need not be. No
    page needs a download other than badges: they are written when a processor is free.

    Args:
        folders: where results lie and where to build
        benchmark: catalog and suite
        workers: processes that make the pages of targets
        stale: key of a cell -> why its rows are stale
        results: name and hash of each file of own results, if they are known
        cache: folder for rows as columns, what pages show of models, and compiled templates
        progress: gets a stage, how much of it is done, and how much there is

    Returns:
        function that waits for the last files, notes what was made from what, and raises what went
        wrong with them
    """
    import pyarrow

    from benchmark_site import cell_data, export, figure_data, pages, population_data, preview
    from benchmark_site.content import load
    from benchmark_site.downloads import Downloads
    from benchmark_site.fragments import Fragments
    from benchmark_site.memory import Inputs
    from benchmark_site.placed import place
    from benchmark_site.render import ROOT, compiled
    from benchmark_site.team import Team
    from common.results import run_report

    # its own pool gives memory back and gets it anew, page by page, which takes longer than reading all rows
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    source, site = folders.source, folders.html
    run_report.published(folders)  # what cannot be read is refused before anything is made
    prose = [p.relative_to(source).with_suffix("").as_posix() for p in source.rglob("*.rst")]
    compiled(cache / TEMPLATES)
    content = load(folders, benchmark, prose, stale, cache / ROWS, results)
    memory, inputs = Memory(source / ROOT / "made.json"), Inputs(content)
    downloads = Downloads(content, site / "data", memory, inputs, workers)

    def write_cells(target: str, notes: Memory) -> None:
        cell_data.write(content, target, site, notes, inputs)

    def of_target(target: str, notes: Memory) -> None:
        export.write_badges(content, target, site / "data")
        pages.write_target(content, target, source, notes, inputs, cache / COLUMNS)
        figure_data.write(content, target, site, notes, inputs)
        if target not in ranked:
            write_cells(target, notes)

    with ExitStack() as begun:
        begun.callback(downloads.settle)
        downloads.begin(export.write_rows)
        documents: set[str] = set()
        ranked = place(
            content,
            memory,
            inputs,
            workers,
            then=write_cells,
            meanwhile=lambda: documents.update(
                pages.write_datasets(content, source, memory, inputs)
            ),
        )
        downloads.begin(export.write)
        downloads.begin(export.write_columns, late=True)
        # those with new results take longest; what needs a look alone is not worth a process
        targets = sorted(content.boards, key=lambda target: target not in ranked)
        due = [t for t in targets if not pages.current(t, source, memory, inputs)]
        with Team(memory, workers, lambda done: progress(STAGE, done, len(due) + 1)) as team:
            parts = [partial(of_target, target) for target in due]
            team.begin(*parts, lambda notes: population_data.write(content, site, notes, inputs))
            for target in (t for t in targets if t not in due):
                of_target(target, memory)
            preview.write(content, site, memory, inputs)
            documents |= pages.write(content, source, memory, inputs)
            downloads.begin_last(export.write_archive)
        documents = documents.union(*(memory.content(target) for target in content.boards))
        pages.remove_others(source, documents)
        cell_data.remove_others(content, site)
        figure_data.remove_others(content, site)
        Fragments(cache / COLUMNS).remove_others(content)
        memory.write()  # what is known by now, should this program be killed before the end
        begun.pop_all()
    return downloads.finish
