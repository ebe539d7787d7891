"""Which tests use which metric, as the suite says: a table for the page on metrics."""

from __future__ import annotations

from benchmark_site import glossary
from benchmark_site.content import Content
from benchmark_site.naming import metric_names
from benchmark_site.page import Page
from benchmark_site.render import render
from common.metrics import METRICS
from common.spec import KINDS


def table(content: Content) -> str:
    """All metrics with the tests that use them, with addresses as seen from the top."""
    top = Page("index", "")
    uses: dict[str, list[str]] = {}
    for test in content.benchmark.tests.values():
        for kind in KINDS:
            for use in test.uses(kind):
                if test.id not in uses.setdefault(use.metric, []):
                    uses[use.metric].append(test.id)
    lines = [
        {
            "id": metric.id,
            "place": glossary.place(metric.id),
            "meaning": glossary.meaning(metric.id),
            "label": metric_names(metric.id)[0],
            "tests": [
                {
                    "label": content.benchmark.tests[test].title,
                    "family": content.benchmark.tests[test].family,
                    "href": top.href(f"method/{test}")
                    if f"method/{test}" in content.method_pages
                    else "",
                }
                for test in sorted(uses.get(metric.id, []))
            ],
        }
        for metric in sorted(METRICS, key=lambda metric: metric.id)
    ]
    return render(
        "metric_uses.j2",
        used=[line for line in lines if line["tests"]],
        unused=[line for line in lines if not line["tests"]],
    )
