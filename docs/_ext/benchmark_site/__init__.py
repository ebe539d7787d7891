"""Sphinx extension that makes the pages of results.

Pages are written before Sphinx looks for its sources, and only where they changed, so that
Sphinx reads and writes no more than it must.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from benchmark_site import plots
from benchmark_site.front import FILES, Finished
from benchmark_site.listening import Listen, MadeOf, Sound
from benchmark_site.minus import Minus
from benchmark_site.page import SUFFIX, PageHtml, PageParser, visit_html
from common.core import closure

#: what decides about the text of prose pages, besides that text
READING = (Listen.__module__, Minus.__module__)


def generate(app: Sphinx) -> None:
    """Write the generated pages into the source folder and the data into the site."""
    from benchmark_site import cell_data, export, pages, population_data
    from benchmark_site.content import load
    from benchmark_site.memory import Inputs, Memory
    from benchmark_site.placed import place
    from benchmark_site.render import ROOT
    from benchmark_site.team import Team

    source, site = Path(app.srcdir), Path(app.outdir)
    prose = [p.relative_to(source).with_suffix("").as_posix() for p in source.rglob("*.rst")]
    stale = app.config.benchmark_stale or {}
    content = load(app.config.benchmark_paths, app.config.benchmark, prose, stale)
    memory, inputs = Memory(source / ROOT / "made.json"), Inputs(content)
    place(content, memory, inputs)
    team = Team(memory, app.config.benchmark_workers)

    def of_target(target: str, notes: Memory) -> None:
        pages.write_target(content, target, source, notes, inputs)
        cell_data.write(content, target, site, notes, inputs)

    team.begin(lambda notes: export.write(content, site / "data", notes, inputs))
    for target in content.boards:
        team.begin(partial(of_target, target))
    team.begin(lambda notes: population_data.write(content, site, notes, inputs))
    documents = pages.write(content, source, memory, inputs)
    team.end()
    documents = documents.union(*(memory.content(target) for target in content.boards))
    pages.remove_others(source, documents)
    cell_data.remove_others(content, site)
    memory.write()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the parser of generated pages and their making."""
    app.add_config_value("benchmark", None, "", types=())
    app.add_config_value("benchmark_paths", None, "", types=())
    app.add_config_value("benchmark_workers", 1, "", types=())
    app.add_config_value("benchmark_stale", None, "", types=())
    app.add_source_suffix(SUFFIX, "page")
    app.add_source_parser(PageParser)
    app.add_node(PageHtml, html=(visit_html, None))
    for name in FILES:
        app.add_directive(name, Finished)
    app.add_directive("listen", Listen)
    app.add_directive("sound", Sound)
    app.add_directive("made-of", MadeOf)
    app.add_transform(Minus)
    app.connect("builder-inited", plots.place)
    app.connect("builder-inited", generate)
    app.connect("env-get-outdated", plots.outdated)
    app.connect("build-finished", plots.numbers)
    # pages of prose are read again where the code that reads them has changed
    reading = int(closure.code_of(*READING)[:12], 16)
    return {"env_version": reading, "parallel_read_safe": True, "parallel_write_safe": True}
