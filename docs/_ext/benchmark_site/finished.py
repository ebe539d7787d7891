"""Files of finished HTML that pages of prose show."""

from __future__ import annotations

from benchmark_site.render import ROOT

#: directive -> file in the source folder that holds its HTML
FILES = {
    "field-at-a-glance": f"{ROOT}/field.html",
    "paper-conclusions": f"{ROOT}/checked.html",
    "published-claims": f"{ROOT}/claims.html",
    "metric-uses": f"{ROOT}/metrics.html",
}
