"""Every metric that the browser computes is that of Python, whatever the values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from common.core import paths
from common.metrics import METRICS, Metric
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.metrics.shift import Shift

SCRIPTS = [
    (paths.DOCS / "_static" / name).read_text("utf-8")
    for name in ("sums.js", "metrics.js", "event_metrics.js")
]
#: metrics that the browser does not compute, with the reason that its page gives
CHANGED = "compares predictions on original and on changed signals"
NOT_HERE = {
    "percentage_unchanged": CHANGED,
    "percentage_unchanged_classes": CHANGED,
    "unchanged_segments": CHANGED,
    **{metric.id: CHANGED for metric in METRICS if metric.takes == "change"},
}
SCORED = [m for m in METRICS if m.id not in NOT_HERE and m.kind != "events"]
EVENTS = [m for m in METRICS if m.id not in NOT_HERE and m.kind == "events"]
#: parameters of metrics of sound events
LIMITS = {
    "time_resolution": [1.0, 0.1, 0.3],
    "t_collar": [0.2, 0.0],
    "percentage_of_length": [0.2, 0.5],
    "dtc": [0.5, 0.1, 0.7],
    "gtc": [0.5, 0.3, 0.0],
}
CLASSES = ("dog", "alarm", "cough")
LABELS = ["b", "a", "\U0001f600", "\uffee", "d d"]
#: parameters of a metric, several of each
PARAMS: dict[str, list[Any]] = {
    "bins": [1, 3, 4, 10],
    "min_count": [0, 1, 4],
    "low": [None, 0.3],
    "high": [None, 0.6],
    "labels": [LABELS, LABELS[1:3], []],
}
SIZES = (0, 1, 2, 3, 7, 40, 300)


@pytest.fixture(scope="module")
def in_browser(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Function that evaluates a script on a page with the metrics."""
    path = tmp_path_factory.mktemp("metrics") / "page.html"
    path.write_text("<!doctype html><title>Metrics</title>")
    page = browser.new_page()
    page.goto(f"file://{path}")
    for script in SCRIPTS:
        page.add_script_tag(content=script)
    return page.evaluate  # type: ignore[no-any-return]


def choices(metric: Metric, draw: np.random.Generator) -> dict[str, Any]:
    """Parameters, by chance."""
    # a target has labels; of those that occur, there may be none
    most = {"labels": 2} if metric.takes in ("groups", "shares") else {}
    return {
        name: PARAMS[name][int(draw.integers(most.get(name, len(PARAMS[name]))))]
        for name in metric.keywords
    }


def numbers(draw: np.random.Generator, size: int) -> list[float]:
    """Values as they are, tied, constant, on edges of bins, far from zero, and beyond the range."""
    kinds = (
        lambda: draw.random(size),
        lambda: np.round(draw.random(size), 1),
        lambda: np.full(size, draw.choice([0.0, 0.1, 0.7, 1 / 3])),
        lambda: draw.choice([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 1.0], size),
        lambda: 1e6 + draw.random(size),
        lambda: 1e-9 * draw.random(size),
        lambda: draw.normal(0.5, 3, size),
        lambda: draw.normal(0.5, 0.1, size) * 1e120,
        lambda: draw.random(size) + 1e-13 * draw.random(size),
    )
    values: np.ndarray = kinds[int(draw.integers(len(kinds)))]()
    if size and draw.random() < 0.05:
        values[0] = np.nan
    return values.astype(float).tolist()


def names(draw: np.random.Generator, size: int, params: Mapping[str, Any]) -> list[str]:
    """Classes, among them some that are no label, perhaps all the same."""
    pool = [*LABELS[: int(draw.integers(1, len(LABELS) + 1))], "elsewhere"]
    return [str(name) for name in draw.choice(np.array(pool, object), size)]


def arguments(metric: Metric, draw: np.random.Generator, params: Mapping[str, Any]) -> list[Any]:
    """Arrays of a metric, as JSON has them."""
    size = int(draw.choice(SIZES))
    values = names if metric.kind == "classification" else lambda d, n, p: numbers(d, n)
    if metric.takes == "range":
        return [numbers(draw, size)]
    if metric.takes == "shares":
        shape = (size, len(params["labels"]))
        return [draw.integers(0, 4, shape).astype(float).tolist() for _ in range(2)]
    if metric.takes == "groups":
        group = [f"g{n}" for n in draw.integers(0, 4, size)]
        context = (draw.random(size) < draw.choice([0.0, 0.1, 0.5, 1.0])).tolist()
        return [values(draw, size, params), group, context]
    other = int(draw.choice(SIZES)) if metric.level is not None else size
    truth = values(draw, size, params)
    if draw.random() < 0.15:
        return [truth, truth[:other] if metric.level is None else values(draw, other, params)]
    return [truth, values(draw, other, params)]


def in_python(metric: Metric, arrays: list[Any], params: Mapping[str, Any]) -> Any:
    """What the function in Python says, as JSON has it."""
    types: list[Any] = [object if metric.kind == "classification" else float] * 2
    types = [types[0], object, bool] if metric.takes == "groups" else types
    types = [float, float] if metric.takes == "shares" else types
    given = []
    for values, kind in zip(arrays, types, strict=False):
        array = np.array(values, dtype=kind)
        if metric.takes == "shares":
            array = array.reshape(len(values), len(params["labels"]))
        given.append(array)
    with np.errstate(all="ignore"):
        return plain(metric.function(*given, **params))


def plain(value: Any) -> Any:
    if isinstance(value, Shift):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    return float(value)


def far(expected: Any, shown: Any) -> bool:
    """Whether two results differ by more than 1e-9, of the number where that is large."""
    if isinstance(expected, dict):
        if set(expected) != set(shown):
            return True
        return any(far(value, shown[name]) for name, value in expected.items())
    if math.isnan(expected) or math.isnan(shown):
        return math.isnan(expected) != math.isnan(shown)
    return abs(expected - shown) > 1e-9 * max(1.0, abs(expected))


CALL = "([id, cases]) => cases.map(([arrays, params]) => metrics.TABLE[id](...arrays, params))"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", SCORED, ids=lambda metric: metric.id)
def test_the_browser_computes_what_python_computes(metric: Metric, in_browser: Any) -> None:
    draw = np.random.default_rng(13)
    cases = []
    for _ in range(300):
        params = choices(metric, draw)
        cases.append([arguments(metric, draw, params), params])
    shown = in_browser(CALL, [metric.id, cases])
    for (arrays, params), result in zip(cases, shown, strict=True):
        expected = in_python(metric, arrays, params)
        assert not far(expected, result), (arrays, params, expected, result)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "metric", [m for m in SCORED if m.level is not None], ids=lambda metric: metric.id
)
def test_levels_of_differences_are_those_of_python(metric: Metric, in_browser: Any) -> None:
    draw = np.random.default_rng(14)
    call = CALL.replace("TABLE", "LEVELS")
    cases = []
    for _ in range(100):
        params = choices(metric, draw)
        cases.append([arguments(metric, draw, params)[:1], params])
    shown = in_browser(call, [metric.id, cases])
    for (arrays, params), result in zip(cases, shown, strict=True):
        kind: Any = object if metric.kind == "classification" else float
        assert metric.level is not None
        expected = plain(metric.level(np.array(arrays[0], dtype=kind), **params))
        assert not far(expected, result), (arrays, params, expected, result)


def test_every_metric_is_computed_or_told_why_not(in_browser: Any) -> None:
    there = set(in_browser("() => Object.keys(metrics.TABLE)"))
    declared = {metric.id for metric in METRICS}
    assert there | set(NOT_HERE) == declared
    assert not there & set(NOT_HERE)


def test_arrays_of_two_lengths_are_refused(in_browser: Any) -> None:
    for metric in SCORED:
        if metric.takes != "pair" or metric.level is not None or metric.id.startswith("jensen"):
            continue
        refused = in_browser(
            """(id) => {
                try { metrics.TABLE[id](["a", "a"], ["a"], { labels: ["a"], bins: 2, min_count: 0 }); }
                catch (error) { return error.message; }
                return "";
            }""",
            metric.id,
        )
        assert refused == "arrays differ in length (2, 1)", metric.id


# -- sound events --------------------------------------------------------------------------------------


def drawn_events(draw: np.random.Generator, seconds: list[float]) -> list[dict[str, Any]]:
    """Events of recordings, on a grid or not, close to each other, some without length."""
    grid = draw.choice([0.0, 0.05, 0.1])
    recordings = []
    for length in seconds:
        number = int(draw.choice([0, 1, 2, 5, 12]))
        onset = draw.random(number) * length
        offset = np.minimum(onset + draw.choice([0.0, 0.2, 0.5, 2.0], number), length)
        if grid:
            onset, offset = (np.round(times / grid) * grid for times in (onset, offset))
        label = draw.integers(0, int(draw.integers(1, len(CLASSES) + 1)), number)
        rows = zip(onset.tolist(), np.maximum(onset, offset).tolist(), label.tolist(), strict=True)
        events = [dict(zip(("onset", "offset", "label"), row, strict=True)) for row in rows]
        recordings.append({"seconds": length, "events": events})
    return recordings


def shaken(draw: np.random.Generator, recordings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same events a little off, some lost or of another class."""
    moved = []
    for one in recordings:
        events = []
        for event in one["events"]:
            off = np.round(draw.choice([0.0, 0.1, 0.2, -0.2, 0.4], 2), 1)
            onset = max(0.0, event["onset"] + off[0])
            label = event["label"] if draw.random() < 0.8 else int(draw.integers(len(CLASSES)))
            if draw.random() < 0.9:
                end = max(onset, event["offset"] + off[1])
                events.append({"onset": onset, "offset": end, "label": label})
        moved.append({**one, "events": events})
    return moved


def sound_events(recordings: list[dict[str, Any]]) -> SoundEvents:
    rows = [
        (number, event["label"], event["onset"], event["offset"])
        for number, one in enumerate(recordings)
        for event in one["events"]
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.empty(0)] * 4
    return SoundEvents(
        CLASSES, EventList(*columns), np.array([one["seconds"] for one in recordings])
    )


@pytest.mark.parametrize("metric", EVENTS, ids=lambda metric: metric.id)
def test_the_browser_computes_scores_of_sound_events(metric: Metric, in_browser: Any) -> None:
    draw = np.random.default_rng(15)
    cases: list[Any] = []
    for number in range(150):
        limits = {
            name: LIMITS[name][int(draw.integers(len(LIMITS[name])))]
            for name in metric.keywords
            if name in LIMITS
        }
        seconds = [float(draw.choice([4.0, 3.7, 0.3])) for _ in range(int(draw.integers(1, 5)))]
        truth = drawn_events(draw, seconds)
        prediction = shaken(draw, truth) if number % 2 else drawn_events(draw, seconds)
        cases.append([[truth, prediction], {**limits, "labels": CLASSES}])
    shown = in_browser(CALL, [metric.id, cases])
    lacking = {"cttc": None, "alpha_ct": 0.0, "alpha_st": 0.0, "max_efpr": None}
    for (arrays, params), result in zip(cases, shown, strict=True):
        given = {name: value for name, value in params.items() if name != "labels"}
        given |= {name: value for name, value in lacking.items() if name in metric.keywords}
        expected = plain(metric.function(*(sound_events(array) for array in arrays), **given))
        assert not far(expected, result), (arrays, params, expected, result)
