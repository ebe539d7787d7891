"""How the versions of a model did: a table and a line on its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from benchmark_site import cells
from benchmark_site.content import Content
from benchmark_site.page import Section
from benchmark_site.render import render
from benchmark_site.sources import Model
from common.core.display import percent
from common.core.errors import BenchmarkError
from common.results import history

#: columns that name a score apart from the version
PLACE = ["test", "dataset", "dataset_version", "data", "condition", "reference", "metric", "label"]
#: size of the figure, and of the space around the plot
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 220, 52, 40, 24, 32


@dataclass(frozen=True)
class Version:
    """One version on the scores that all versions have.

    Args:
        name: the version
        passed: number of passed scores
        executed: number of scores that all versions have a verdict for
        own: number of scores that this version has a verdict for
    """

    name: str
    passed: int
    executed: int
    own: int

    @property
    def share(self) -> Fraction | None:
        """Passed / executed."""
        return Fraction(self.passed, self.executed) if self.executed else None


def section(content: Content, target: str, model: Model) -> Section | None:
    """Section of a model's page; None if only one version has results."""
    if model.published or not content.paths.versions(target, model.id).is_dir():
        return None
    try:
        records = history.versions(content.paths, target, model.id)
    except BenchmarkError:
        return None  # results of an older format have no page of versions
    versions = timeline([(item.version, item.rows) for item in records])
    if len(versions) < 2:
        return None
    html = render(
        "versions.j2",
        versions=versions,
        lines=_lines(versions),
        points=_points(versions),
        size=(WIDTH, HEIGHT),
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=HEIGHT - 10,
        label=f"Share of passed scores of {model.label} by version: "
        + ", ".join(f"{version.name} {percent(version.share)}" for version in versions),
        command=f"python build.py compare {model.id}@{versions[-2].name} {model.id}",
    )
    return Section("versions", "Versions", html)


def timeline(version_rows: Sequence[tuple[str, pd.DataFrame]]) -> list[Version]:
    """Versions that have a verdict, on the scores that all of them have a verdict for.

    Args:
        version_rows: version and its rows, oldest first
    """
    judged = [(name, rows[rows["status"].isin(cells.VERDICTS)]) for name, rows in version_rows]
    tables = [(name, rows.set_index(PLACE)["status"]) for name, rows in judged if len(rows)]
    if not tables:
        return []
    shared = set.intersection(*(set(status.index) for _, status in tables))
    versions = []
    for name, status in tables:
        here = status[[place in shared for place in status.index]]
        versions.append(Version(name, int((here == "pass").sum()), len(here), len(status)))
    return versions


def _height(share: Fraction) -> float:
    return round(float(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)), 1)


def _lines(versions: Sequence[Version]) -> list[tuple[float, str]]:
    """Height and text of the lines of the grid."""
    return [(_height(Fraction(n, 4)), f"{25 * n} %") for n in range(5)]


def _points(versions: Sequence[Version]) -> list[tuple[float, float, str, str]]:
    """Place, version and share of each version."""
    step = (WIDTH - LEFT - RIGHT - 40) / (len(versions) - 1)
    return [
        (round(LEFT + 20 + n * step, 1), _height(v.share), v.name, percent(v.share))
        for n, v in enumerate(versions)
        if v.share is not None
    ]
