"""Templates of the generated pages, and the addresses of these pages."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from benchmark_site import cells
from benchmark_site.page import slug
from benchmark_site.sources import Model
from common.core.display import percent

TEMPLATES = Path(__file__).resolve().parents[2] / "_templates" / "pages"
ROOT = "results"
#: an address within a text
ADDRESS = re.compile(r"(https://[^\s;,<>\"']+)")
#: attributes of every dictionary
METHODS = frozenset(dir(dict))


class _Environment(jinja2.Environment):
    """Jinja without an exception for each name that is an entry of a dictionary, as most are."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What ``obj.attribute`` means in a template: an attribute, or else an entry."""
        if type(obj) is dict and attribute in obj and attribute not in METHODS:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Jinja with escaping on; an unknown name in a template is an error."""
    env = _Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,  # a look at the file at every use costs more than the use
    )
    env.filters["percent"] = percent
    env.filters["count"] = cells.count
    env.filters["width"] = cells.width
    env.filters["bar"] = cells.bar
    env.filters["linked"] = linked
    return env


def linked(text: str) -> Markup:
    """A text in which addresses are links, shown without their beginning.

    >>> linked("<i> at https://a.org/b; or")
    Markup('&lt;i&gt; at <a href="https://a.org/b">a.org/b</a>; or')
    """
    parts = ADDRESS.split(text)
    # every second part is an address
    return Markup("").join(
        Markup('<a href="{}">{}</a>').format(part, part.removeprefix("https://"))
        if at % 2
        else part
        for at, part in enumerate(parts)
    )


def compiled(folder: Path) -> None:
    """Compile all templates, or take them from a folder of the cache, before processes share them."""
    folder.mkdir(parents=True, exist_ok=True)
    env = environment()
    env.bytecode_cache = jinja2.FileSystemBytecodeCache(str(folder))
    for name in env.list_templates(("j2",)):
        env.get_template(name)


def render(template: str, /, **values: Any) -> str:
    """HTML of a template.

    >>> "&lt;b&gt;" in render("text.j2", text="<b>")
    True
    """
    return environment().get_template(template).render(**values)


def target_doc(target: str) -> str:
    """Ranking of a target."""
    return f"{ROOT}/{slug(target)}/index"


def test_doc(target: str, test: str) -> str:
    """All models side by side in a test."""
    name = slug(test)
    return f"{ROOT}/{slug(target)}/{'index-test' if name == 'index' else name}"


def dataset_doc(dataset: str) -> str:
    """Page of a dataset."""
    name = slug(dataset)
    return f"{ROOT}/dataset/{'index-dataset' if name == 'index' else name}"


def model_doc(target: str, model: Model) -> str:
    """All tests of a model; an own model may bear the name of a published one."""
    folder = "published" if model.published else "model"
    return f"{ROOT}/{slug(target)}/{folder}/{model.slug}"


def provenance_doc(target: str, model: Model) -> str:
    """What the cells of an own model were made from."""
    return f"{ROOT}/{slug(target)}/provenance/{model.slug}"


def comparison_doc(target: str, name: str) -> str:
    """A baseline beside candidates."""
    return f"{ROOT}/{slug(target)}/comparison/{name}"
