"""Details of sound event tests: they agree with the result rows and say what they claim."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from common.figures import details
from common.figures.details import class_wise, content, curves, drawings, scenes
from common.metrics import METRICS
from common.metrics.events.frames import FrameScores
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.pages.listening.scenes import picture
from common.uncertainty import Bootstrap, Recipe
from common.uncertainty.recipe import Term

LABELS = ("dog", "bell", "horn")
PARAMS: dict[str, dict[str, Any]] = {
    "segment": {"time_resolution": 1.0},
    "event": {"t_collar": 0.2, "percentage_of_length": 0.2},
    "intersection": {"dtc": 0.5, "gtc": 0.5},
}


@pytest.fixture(scope="module")
def view() -> Any:
    """Twelve recordings with random events and scores that follow them; no horn is annotated."""
    rng = np.random.default_rng(3)
    count, frames, hop = 12, 50, 0.2
    onset = rng.uniform(0, 8, (count, 2)).round(1)
    events = EventList(
        np.repeat(np.arange(count), 2), np.tile([0, 1], count), onset.ravel(), onset.ravel() + 1.5
    )
    time = np.arange(frames) * hop
    values = rng.uniform(0, 0.7, (count, frames, 3))
    for file, label, on in zip(events.file, events.label, events.onset, strict=True):
        values[file, (time >= on) & (time < on + 1.5), label] += 0.3
    times = np.tile(np.arange(frames + 1) * hop, count)
    scores = FrameScores(values.reshape(-1, 3), times, np.full(count, frames))
    durations = np.full(count, frames * hop)
    truth = SoundEvents(LABELS, events, durations)
    prediction = SoundEvents(LABELS, scores.events(0.6), durations, scores)
    samples = pd.DataFrame({"file": [f"{n:02}.wav" for n in range(count)], "start": 0, "end": -1})
    return SimpleNamespace(
        truth=truth, prediction=prediction, samples=samples, seed=0, dataset="scenes"
    )


@pytest.mark.parametrize("name", PARAMS)
def test_values_and_intervals_of_f_are_those_of_the_metrics(view: Any, name: str) -> None:
    rows = class_wise.class_wise(name, view, PARAMS[name])["rows"]
    bootstrap = Bootstrap(np.arange(len(view.truth)), seed=0, keys=("scenes",))
    metric = METRICS.get(f"{name}_f_per_class")
    values = metric.function(view.truth, view.prediction, **PARAMS[name])
    recipe = Recipe(Term(metric.id, (view.truth, view.prediction), params=PARAMS[name]))
    for row, label in zip(rows[1:3], LABELS, strict=False):
        value, low, high = row["f"]
        interval = bootstrap.interval(recipe, label)
        assert value == pytest.approx(values[label], abs=1e-12)
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-12)
        assert row["tp"] + row["fn"] == row["ref"]
        assert value == pytest.approx(2 * row["tp"] / (2 * row["tp"] + row["fp"] + row["fn"]))
        for figure in ("p", "r"):
            assert 0 <= row[figure][1] <= row[figure][0] <= row[figure][2] <= 1
    assert all(np.isnan(rows[3]["f"])) and rows[3]["ref"] == 0  # no horn is annotated


@pytest.mark.parametrize("name", ["segment", "event"])
def test_parts_of_the_error_rate_add_up_to_it(view: Any, name: str) -> None:
    found = class_wise.class_wise(name, view, PARAMS[name])
    errors = found["errors"]
    parts = sum(errors[kind] for kind in ("substitutions", "deletions", "insertions"))
    metric = METRICS.get(f"{name}_error_rate")
    rate = metric.function(view.truth, view.prediction, **PARAMS[name])
    assert parts / errors["reference"] == pytest.approx(rate)
    recipe = Recipe(Term(metric.id, (view.truth, view.prediction), params=PARAMS[name]))
    interval = Bootstrap(np.arange(12), seed=0, keys=("scenes",)).interval(recipe)
    assert found["rows"][0]["er"] == pytest.approx((rate, interval.low, interval.high))
    assert found["rows"][1]["er"][0] == pytest.approx(
        (found["rows"][1]["fn"] + found["rows"][1]["fp"]) / found["rows"][1]["ref"]
    )


def ref_of(rows: list[dict[str, Any]]) -> int:
    """Annotated items of all classes."""
    return sum(row["ref"] for row in rows)


@pytest.mark.parametrize("name", PARAMS)
def test_the_threshold_of_the_target_gives_the_counts_of_the_table(view: Any, name: str) -> None:
    detection = SimpleNamespace(threshold=0.6)
    found = curves.picker(name, view.truth, view.prediction, PARAMS[name], detection)
    assert found is not None and found["thresholds"][found["start"]] == 0.6
    rows = class_wise.class_wise(name, view, PARAMS[name])["rows"][1:]
    assert curves.is_scored(found, rows)
    if name == "intersection":
        assert found["errors"] is None
    else:
        rate = METRICS.get(f"{name}_error_rate").function(
            view.truth, view.prediction, **PARAMS[name]
        )
        assert found["errors"][found["start"]] == pytest.approx(rate * ref_of(rows))
    other = curves.picker(
        name, view.truth, view.prediction, PARAMS[name], SimpleNamespace(threshold=0.9)
    )
    assert other is not None and not curves.is_scored(other, rows)
    for row, (ref, tp, fp) in zip(rows, found["counts"], strict=True):
        assert (row["ref"], row["tp"], row["fp"]) == (
            ref,
            tp[found["start"]],
            fp[found["start"]],
        )


def test_without_scores_there_is_nothing_to_pick(view: Any) -> None:
    silent = SoundEvents(LABELS, view.prediction.events, view.prediction.durations)
    use = SimpleNamespace(metric="psds_1", params={})
    assert curves.picker("event", view.truth, silent, PARAMS["event"], None) is None
    assert curves.rocs(view.truth, silent, [use]) == {}
    assert set(curves.rocs(view.truth, view.prediction, [use])) == {"psds_1"}


def test_a_written_curve_has_the_area_of_its_psds(view: Any) -> None:
    use = SimpleNamespace(metric="psds_2", params={})
    found = curves.rocs(view.truth, view.prediction, [use])["psds_2"]
    # 200 stairs instead of all
    assert np.mean(found["etpr"][:-1]) == pytest.approx(found["psds"], abs=0.01)
    assert list(found["classes"]) == ["dog", "bell"] and found["areas"][2] != found["areas"][2]


def test_recordings_are_chosen_by_what_they_hold_and_in_any_order() -> None:
    file, label = [0, 1, 1, 2, 3, 3, 3], [0, 0, 1, 2, 0, 1, 1]
    times = np.arange(7.0)
    events = EventList(np.array(file), np.array(label), times, times + 1)
    truth = SoundEvents(LABELS, events, np.full(5, 20.0))
    files = [f"{name}.wav" for name in "abcde"]
    assert [files[row] for row in scenes.chosen(truth, files)] == [
        "d.wav",
        "c.wav",
        "b.wav",
        "a.wav",
    ]
    turned = truth[[4, 3, 2, 1, 0]]
    assert [files[::-1][row] for row in scenes.chosen(turned, files[::-1])] == [
        files[row] for row in scenes.chosen(truth, files)
    ]


@pytest.mark.parametrize(
    "name, truth, prediction",
    [
        # one estimate of half a second in the first event; one that fits the second closely
        ("event", [False, True], [False, True]),
        ("intersection", [False, True], [True, True]),
        ("segment", [True, True], [True, True]),
    ],
)
def test_what_has_a_partner_depends_on_the_way_to_count(
    name: str, truth: list[bool], prediction: list[bool]
) -> None:
    one = EventList(np.zeros(2), np.zeros(2), np.array([0.0, 5.0]), np.array([2.0, 6.0]))
    other = EventList(np.zeros(2), np.zeros(2), np.array([1.0, 5.1]), np.array([1.5, 6.0]))
    found = scenes.partners(one, other, name, PARAMS[name])
    assert [flags.tolist() for flags in found] == [truth, prediction]


def test_the_file_knows_no_nan_and_no_infinity() -> None:
    text = details.text({"a": [float("nan"), np.float64("inf"), 0.1 + 0.2], "b": np.int64(3)})
    assert json.loads(text, parse_constant=pytest.fail) == {"a": [None, None, 0.3], "b": 3}


def test_a_place_in_the_picture_is_a_time(tmp_path: Any) -> None:
    rate = 16000
    signal = np.zeros((1, 4 * rate))
    signal[0, 2 * rate :] = np.sin(2 * np.pi * 6000 * np.arange(2 * rate) / rate)
    path = tmp_path / "picture.png"
    path.write_bytes(picture(signal, rate))
    assert picture(signal, rate) == path.read_bytes()
    loud = np.array(Image.open(path).convert("L")) > 128
    rows, columns = np.nonzero(loud)
    assert columns.min() / loud.shape[1] == pytest.approx(0.5, abs=0.01)
    # the top of the picture is 8 kHz
    assert np.median(rows) / loud.shape[0] == pytest.approx(0.25, abs=0.03)


@pytest.fixture(scope="module")
def told(view: Any) -> dict[str, Any]:
    """Details of the scenes as a run writes them."""
    truth, prediction = view.truth, view.prediction
    families = {
        name: {"params": params, **class_wise.class_wise(name, view, params), "picker": None}
        for name, params in PARAMS.items()
    }
    uses = [SimpleNamespace(metric="psds_1", params={})]
    counts = content._confusion(truth, prediction, PARAMS["intersection"])
    return {
        "labels": list(LABELS),
        "families": families,
        "rocs": curves.rocs(truth, prediction, uses),
        "confusion": counts,
    }


def made(told: dict[str, Any], *families: str) -> dict[str, tuple[Any, str]]:
    """Figures of the details with some families: end of the file name -> figure, text."""
    chosen = {name: told["families"][name] for name in families}
    found = drawings.drawings({**told, "families": chosen})
    return {suffix: (figure, alt) for suffix, figure, alt in found}


@pytest.mark.parametrize("name", ["segment", "event"])
def test_error_rates_in_the_figure_are_those_of_the_table(
    view: Any, told: dict[str, Any], name: str
) -> None:
    figure, alt = made(told, name)["errors"]
    (axes,) = figure.axes
    rows = told["families"][name]["rows"]
    widths = {group.get_label(): [bar.get_width() for bar in group] for group in axes.containers}
    drawn = np.sum(list(widths.values()), axis=0)
    rates = [row["er"][0] for row in rows]
    known = np.isfinite(rates)
    assert drawn[known] == pytest.approx(np.array(rates)[known])
    rate = METRICS.get(f"{name}_error_rate").function(view.truth, view.prediction, **PARAMS[name])
    assert drawn[0] == pytest.approx(rate)
    words = [text.get_text() for text in axes.texts]
    assert (
        words[0].split()[0] == f"{rate:.2f}"
        and words[known.tolist().index(False)] == "no reference"
    )
    most = {kind: max(np.array(values)[known]) for kind, values in widths.items()}
    for kind, value in most.items():
        assert (f"{kind} up to {value:.2f} for " if value else f"no {kind}") in alt


def test_the_confusion_figure_has_the_counts_of_the_table(told: dict[str, Any]) -> None:
    figure, alt = made(told)["confusion"]
    counts = np.array(told["confusion"]["counts"])
    words = [int(text.get_text()) for text in figure.axes[0].texts]
    shown = np.asarray(figure.axes[0].images[0].get_array())
    sums = counts.sum(axis=1, keepdims=True)
    assert shown == pytest.approx(counts / np.maximum(sums, 1), nan_ok=True)
    assert words == counts[counts > 0].tolist()
    assert f"{np.trace(counts[:, :3])} annotated events found, {counts[:, 3].sum()} false" in alt


def test_the_curve_in_the_figure_has_the_area_of_the_table(view: Any, told: dict[str, Any]) -> None:
    figure, alt = made(told)["psds-1"]
    score = METRICS.get("psds_1").function(view.truth, view.prediction)
    assert f"PSDS {score:.3f}" in alt
    (line,) = [one for one in figure.axes[0].lines if one.get_label() == "eTPR"]
    x, y = (np.asarray(values, dtype=float) for values in (line.get_xdata(), line.get_ydata()))
    # the curve is thinned to what can be seen
    assert (np.diff(x) * y[:-1]).sum() / x[-1] == pytest.approx(score, abs=0.01)
