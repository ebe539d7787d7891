"""Sphinx extension for the pages of results, and for directives that prose needs.

:mod:`benchmark_site.making` writes pages of results while Sphinx reads texts, and needs no Sphinx,
which is therefore imported where Sphinx asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


#: what citations and their list are written with
PLUGINS = (
    ("pybtex.backends", "plaintext"),
    ("pybtex.backends", "docutils"),
    ("pybtex.style.formatting", "plain"),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives, and what draws plots."""
    from pybtex.plugin import find_plugin, register_plugin

    from benchmark_site import plots
    from benchmark_site.front import FILES, Finished, Rest
    from benchmark_site.listening import Listen, MadeOf, Sound
    from benchmark_site.minus import Minus
    from benchmark_site.named import Named
    from common.core import closure

    for name in FILES:
        app.add_directive(name, Finished)
    app.add_directive("made-from-results", Rest)
    app.add_directive("listen", Listen)
    app.add_directive("sound", Sound)
    app.add_directive("made-of", MadeOf)
    app.add_transform(Minus)
    app.add_transform(Named)
    app.connect("builder-inited", plots.place)
    app.connect("env-get-outdated", plots.outdated)
    drawn = plots.DrawnAhead()
    app.add_config_value(plots.WORKERS, 1, "", int)
    app.connect("env-before-read-docs", drawn.begin)
    app.connect("env-purge-doc", drawn.wait)
    app.connect("build-finished", plots.numbers)
    # each citation asks for these, and looks through all packages that are installed
    for group, name in PLUGINS:
        register_plugin(group, name, find_plugin(group, name), force=True)
    # pages are read again where the code that reads them has changed
    modules = (Finished, Listen, Minus, Named)
    reading = int(closure.code_of(*(part.__module__ for part in modules))[:12], 16)
    return {"env_version": reading, "parallel_read_safe": True, "parallel_write_safe": True}
