"""Directives that put numbers of the results on pages of prose."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import Directive
from site_frame.slots import SLOT_OF_PAGE, slot_of_file

from benchmark_site.finished import FILES


class Finished(Directive):
    """A slot for HTML that was made from the results.

    ``field-at-a-glance``: families, models and targets as one heat map. ``paper-conclusions``: what the
    paper concludes, and what this site finds. ``published-claims``: what a ranking by
    the share of passed cells hides in the published results. ``metric-uses``: which tests of the
    suite use which metric.
    """

    def run(self) -> list[nodes.Node]:
        """Node in place of the directive."""
        return [nodes.raw("", slot_of_file(FILES[self.name]), format="html", classes=["no-search"])]


class Rest(Directive):
    """``made-from-results``: a slot for all that the page of this name shows below its title."""

    def run(self) -> list[nodes.Node]:
        """Node in place of the directive."""
        return [nodes.raw("", SLOT_OF_PAGE, format="html")]
