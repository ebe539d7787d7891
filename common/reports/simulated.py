"""``build.py simulate``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import ConfigError
from ..core.files import write_text
from ..core.paths import Paths
from ..metrics import METRICS
from ..spec import Benchmark
from ..uncertainty.simulation import table
from ..uncertainty.simulation.bounds import Bounds
from ..uncertainty.simulation.setup import METRIC_IDS, POINTS, SETUPS, default_setup, points
from ..uncertainty.simulation.table import Draws
from .alarms import MODELS, alarms

#: (stage, done, total) -> None
Progress = Callable[[str, int, int], None]

__all__ = ["Draws", "Wanted", "lines", "run"]


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for; empty: the thresholds of the suite.

    Args:
        metrics: ids of metrics; empty with numbers given: all
        samples: samples per group
        groups: numbers of groups
        table: file for the complete table of the paper
        plots: whether the figures of the method pages are drawn
        alarms: how often a fair model is called unfair, if speakers differ
    """

    metrics: Sequence[str] = ()
    samples: Sequence[int] = ()
    groups: Sequence[int] = ()
    table: Path | None = None
    plots: bool = False
    alarms: bool = False


#: values of one draw; more do not fit into memory, and their differences are far below any bound
MOST_VALUES = 10**7


def run(
    benchmark: Benchmark, folders: Paths, task: Wanted, draws: Draws, progress: Progress
) -> dict[str, Any]:
    """Simulate, write what is asked for, and return what there is to show.

    Raises:
        ConfigError: for a metric that cannot be simulated, or numbers that say nothing
        OutputError: if a file cannot be written
    """

    def tell(done: int, total: int) -> None:
        progress("simulate", done, total)

    answer: dict[str, Any] = {"compat": draws.compat}
    if task.table is not None:
        nulls = table.simulate(SETUPS, POINTS, draws, tell)
        write_text(task.table, _csv(table.published_rows(nulls)))
        answer["table"] = str(task.table)
        answer["rows"] = len(nulls)
    if task.plots:
        answer["plots"] = _plots(folders, draws, tell)
    if task.alarms:
        answer["scores"] = alarms(
            benchmark.tests,
            Bounds(folders.cache),
            seed=draws.seed,
            models=draws.repetitions or MODELS,
            progress=tell,
        )
    elif task.metrics or task.samples or task.groups:
        answer["scores"] = _given(task, draws, tell)
    elif len(answer) == 1:
        tests = benchmark.tests.values()
        answer["scores"] = table.operating_points(tests, draws, tell)
    return answer


def _given(task: Wanted, draws: Draws, tell: Callable[[int, int], None]) -> list[dict[str, object]]:
    if not task.samples or not task.groups:
        missing = [f"--{name}" for name in ("samples", "groups") if not getattr(task, name)]
        raise ConfigError(
            f"simulate: --samples and --groups belong together; missing: {' and '.join(missing)}"
        )
    if min(task.groups) < 2:
        raise ConfigError("simulate: --groups: needs 2 groups or more, found 1")
    if max(task.samples) * max(task.groups) > MOST_VALUES:
        raise ConfigError(
            f"simulate: {max(task.samples)} --samples in {max(task.groups)} --groups are "
            f"{max(task.samples) * max(task.groups):g} values, at most {MOST_VALUES:g} are allowed"
        )
    setups = [default_setup(name) for name in task.metrics or METRIC_IDS]
    rows: list[dict[str, object]] = []
    grid = points(task.samples, task.groups)
    for number, point in enumerate(grid):
        place = {"samples": point[0], "groups": point[1]}
        limits = table.limits(setups, point, draws)
        rows += [{"metric": setup.metric, **place, **facts} for setup, facts in limits.items()]
        tell(number + 1, len(grid))
    return rows


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _plots(folders: Paths, draws: Draws, tell: Callable[[int, int], None]) -> list[str]:
    """Draw the largest difference over the samples per group, one figure per setup."""
    from ..figures.simulation import describe_lines, simulation_lines
    from ..figures.style import save

    names = table.plot_names(SETUPS)
    nulls = table.simulate(list(names.values()), POINTS, draws, tell)
    folder = folders.media / "fairness_thresholds" / "plots"
    texts = {}
    for name, setup in names.items():
        samples, maxima = table.lines_of(nulls, setup)
        figure = simulation_lines(METRICS.get(setup.metric).label, samples, maxima)
        save(figure, folder / f"{name}.png")
        texts[f"{name}.png"] = describe_lines(samples, maxima)
    write_text(folder / "alt.json", json.dumps(texts, indent=1, sort_keys=True) + "\n")
    return [str(folder / name) for name in texts]


def lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The answer for a person."""
    if "table" in answer:
        yield f"{answer['rows']} rows: {answer['table']}"
    for path in answer.get("plots", ()):
        yield f"figure: {path}"
    rows = [{k: _text(v) for k, v in row.items()} for row in answer.get("scores", ())]
    if rows:
        widths = {key: max(len(row[key]) for row in [{key: key}, *rows]) for key in rows[0]}
        for row in [{key: key for key in rows[0]}, *rows]:
            yield "  ".join(row[key].ljust(width) for key, width in widths.items()).rstrip()


def _text(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
