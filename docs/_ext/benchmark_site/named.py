"""Datasets in the prose on methods: by their names, which lead to their pages, and not by their ids."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.transforms import Transform

from benchmark_site.page import Page
from benchmark_site.render import dataset_doc
from common.core import paths
from common.spec import Dataset
from common.spec.loading import load_entries

FOLDER = "method/"
FILE = paths.CATALOG / "datasets.yaml"


@cache
def _datasets() -> dict[str, Dataset]:
    """Datasets of our catalog that are not embedded: all of them have a page in each website."""
    entries = dict(load_entries(Dataset, FILE))
    return {name: entry for name, entry in entries.items() if not entry.embedded}


class Named(Transform):
    """Writes the name of a dataset in place of its id, which stays as a title."""

    default_priority: ClassVar[int] = 870

    def apply(self, **kwargs: Any) -> None:
        """Rewrite the ids of the document, where it is on a method."""
        env = self.document.settings.env
        if not env.docname.startswith(FOLDER):
            return
        env.note_dependency(str(FILE))
        for literal in list(self.document.findall(nodes.literal)):
            entry = _datasets().get(literal.astext())
            if entry is not None:
                address = Page(env.docname, "").href(dataset_doc(entry.database))
                text = entry.label or entry.id
                link = nodes.reference("", text, refuri=address, reftitle=entry.id, internal=True)
                literal.parent.replace(literal, link)
