"""What a figure shows is what the table says: drawn data and words against the metrics."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common.figures import ALTS, FIGURES
from common.figures.density import BIN_WIDTH
from common.metrics import METRICS

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("figure_views", HERE / "conftest.py")
assert spec and spec.loader
views = importlib.util.module_from_spec(spec)
spec.loader.exec_module(views)

LABELS = list(views.LABELS)


def score(metric: str, *arrays: Any, **params: Any) -> Any:
    """A metric as the table has it."""
    return METRICS.get(metric).function(*arrays, **params)


def drawn(name: str, kind: str, n: int = 60) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """A view, the figures of a kind and their alternative texts."""
    view = views.build(kind, n)
    made = FIGURES.get(name)(view, views.OPTIONS, views.TITLE)
    return view, made, ALTS.get(name)(view, views.OPTIONS)


def percents(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+)\s?%", text)]


def matrix(figure: Any) -> np.ndarray:
    return np.asarray(figure.axes[0].images[0].get_array())


def stairs(axes: Any) -> list[np.ndarray]:
    from matplotlib.patches import StepPatch

    return [p.get_data().values for p in axes.patches if isinstance(p, StepPatch)]


def bars(axes: Any) -> list[list[float]]:
    return [[bar.get_height() for bar in group] for group in axes.containers]


def offsets(axes: Any) -> np.ndarray:
    """Places of the points, shape (N, 2)."""
    from matplotlib.collections import PathCollection

    points = [c for c in axes.collections if isinstance(c, PathCollection)]
    return np.concatenate([np.asarray(c.get_offsets()) for c in points])


def check_confusion() -> None:
    view, made, texts = drawn("confusion", "classification")
    recalls = score("recall_per_class", view.truth, view.prediction, labels=LABELS)
    assert np.diag(matrix(made[""])) == pytest.approx([recalls[label] for label in LABELS])
    words = [text.get_text().split("%")[0] for text in made[""].axes[0].texts]
    assert words[:: len(LABELS) + 1] == [f"{100 * recalls[label]:.0f}" for label in LABELS]
    for label in LABELS:
        said = re.search(rf"{label} (\d+)\s?%", texts[""])
        assert said and int(said[1]) == round(100 * recalls[label])


def check_confusion_by_group() -> None:
    view, made, _ = drawn("confusion_by_group", "classification")
    assert set(made) == {"female", "male"}
    for group, figure in made.items():
        own = (view.samples["sex"] == group).to_numpy()
        recalls = score("recall_per_class", view.truth[own], view.prediction[own], labels=LABELS)
        assert np.diag(matrix(figure)) == pytest.approx([recalls[label] for label in LABELS])


def check_confusion_shift() -> None:
    view, made, _ = drawn("confusion_shift", "classification")
    before, after = view.predictions["original"], view.predictions["white-noise"]
    (figure,) = made.values()
    sizes = np.array([(before == label).sum() for label in LABELS])
    same = np.nansum(np.diag(matrix(figure)) * sizes) / sizes.sum()
    assert same == pytest.approx(score("percentage_unchanged_classes", before, after))


def check_distributions() -> None:
    view, made, _ = drawn("distributions", "regression")
    for heights, values in zip(
        stairs(made[""].axes[0]), (view.truth, view.prediction), strict=True
    ):
        edges = np.arange(len(heights) + 1) * BIN_WIDTH
        assert heights * BIN_WIDTH == pytest.approx(np.histogram(values, edges)[0])


def check_class_counts() -> None:
    view, made, texts = drawn("class_counts", "classification")
    shares = score("relative_difference_per_class", view.truth, view.prediction, labels=LABELS)
    truth, prediction = bars(made[""].axes[0])
    found = (np.array(prediction) - np.array(truth)) / len(view.truth)
    assert found == pytest.approx([shares[label] for label in LABELS])
    for label, count in zip(LABELS, truth, strict=True):
        said = re.search(rf"{label} (\d+)\s?% of the truth", texts[""])
        assert said and int(said[1]) == round(100 * count / len(view.truth))


def check_histogram_by_group() -> None:
    view, made, _ = drawn("histogram_by_group", "classification")
    for group, figure in made.items():
        own = (view.samples["sex"] == group).to_numpy()
        combined, part = (np.array(heights) / 100 for heights in bars(figure.axes[0]))
        shares = [(view.prediction[own] == label).mean() for label in LABELS]
        everyone = [(view.prediction == label).mean() for label in LABELS]
        assert part == pytest.approx(shares) and combined == pytest.approx(everyone)


def check_histogram_by_context() -> None:
    view, made, _ = drawn("histogram_by_context", "classification")
    for group, figure in made.items():
        panels = [axes for axes in figure.axes if axes.containers]
        assert len(panels) == 3
        for axes in panels:
            context = axes.get_title(loc="left").split(" ")[0]
            chosen = (view.samples["sentiment"] == context).to_numpy()
            own = chosen & (view.samples["sex"] == group).to_numpy()
            combined, part = (np.array(heights) / 100 for heights in bars(axes))
            assert part == pytest.approx([(view.prediction[own] == x).mean() for x in LABELS])
            assert combined == pytest.approx(
                [(view.prediction[chosen] == x).mean() for x in LABELS]
            )


def check_expected_ranges() -> None:
    view, made, texts = drawn("expected_ranges", "regression")
    medians = {}
    for label, name in (("anger", "high"), ("neutral", "neutral"), ("sadness", "low")):
        own = view.prediction[(view.samples["emotion"] == label).to_numpy()]
        low, high = views.OPTIONS["ranges"][name]
        share = score(f"samples_in_expected_{name}_range", own, low=low, high=high)
        said = re.search(rf"{label} (\d+)\s?% of (\d+)", texts[""])
        assert said and (int(said[1]), int(said[2])) == (round(100 * share), len(own))
        medians[label] = np.median(own)
    black = [line for line in made[""].axes[0].lines if line.get_linewidth() == 2.0]
    assert sorted(line.get_xdata()[0] for line in black) == pytest.approx(sorted(medians.values()))


def check_null_distributions() -> None:
    view, made, texts = drawn("null_distributions", "regression")
    (figure,), (text,) = made.values(), texts.values()
    rows = [row for row in view.rows if "null" in row]
    shown = sorted(offsets(figure.axes[0])[:, 0])
    assert shown == pytest.approx(sorted(abs(row["value"]) for row in rows))
    assert stairs(figure.axes[0])[0].sum() == len(rows[0]["null"])
    assert figure.axes[0].lines[0].get_xdata()[0] == 0.9 and "is 0.9" in text
    assert f"{sum(row['status'] == 'pass' for row in rows)} within" in text


def check_scatter() -> None:
    view, made, _ = drawn("scatter", "regression")
    points = offsets(made[""].axes[0])
    assert score("ccc", points[:, 0], points[:, 1]) == score("ccc", view.truth, view.prediction)


def check_scatter_by_group() -> None:
    view, made, _ = drawn("scatter_by_group", "regression")
    for group, figure in made.items():
        own = (view.samples["sex"] == group).to_numpy()
        points = offsets(figure.axes[0])
        found = score("ccc", points[:, 0], points[:, 1])
        assert found == score("ccc", view.truth[own], view.prediction[own])


def check_shift_2d() -> None:
    view, made, texts = drawn("shift_2d", "regression")
    before, after = view.predictions["original"], view.predictions["white-noise"]
    (text,), (figure,) = texts.values(), made.values()
    share = score("percentage_unchanged", before, after, tolerance=0.05)
    assert percents(text)[0] == round(100 * share)
    cells = np.ma.filled(figure.axes[0].collections[-1].get_array().astype(float), np.nan)
    beyond = int((np.abs(after - before) > 0.35).sum())
    assert np.nansum(cells) == len(before) - beyond


def check_changes_overview() -> None:
    view, made, texts = drawn("changes_overview", "regression")
    rows = [row for row in view.rows if np.isfinite(row["value"])]
    heights = np.log(offsets(made[""].axes[0])[:, 1])
    assert sorted(heights) == pytest.approx(sorted(row["value"] for row in rows))
    for row in rows:
        name = row["condition"].replace("-", " ").capitalize()
        outcome = "passed" if row["status"] == "pass" else "failed"
        assert re.search(rf"{name} {100 * row['value']:.0f}\s?% \({outcome}\)", texts[""])


def check_unit_averages() -> None:
    view, made, texts = drawn("unit_averages", "regression")
    units = view.samples["speaker"].to_numpy()
    means = [
        np.array([values[units == unit].mean() for unit in sorted(set(units))])
        for values in (view.truth, view.prediction)
    ]
    points = offsets(made[""].axes[0])[:, 1]
    assert sorted(points) == pytest.approx(sorted(np.concatenate(means)))
    error = score("mae", *means)
    assert np.abs(means[1] - means[0]).mean() == pytest.approx(error)
    within = int((np.abs(means[1] - means[0]) < 0.2).sum())
    assert f"{within} of {len(means[0])} predicted within" in texts[""]


def check_unit_ranks() -> None:
    view, made, texts = drawn("unit_ranks", "regression")
    units = view.samples["speaker"].to_numpy()
    truth, prediction = (
        np.array([values[units == unit].mean() for unit in sorted(set(units))])
        for values in (view.truth, view.prediction)
    )
    points = offsets(made[""].axes[0])
    assert np.corrcoef(points.T)[0, 1] == pytest.approx(score("spearmans_rho", truth, prediction))
    assert f"Ranks of {len(truth)} speakers" in texts[""]


CHECKS: dict[str, Callable[[], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}


def test_every_kind_of_figure_is_compared() -> None:
    assert set(CHECKS) == set(FIGURES.names())


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_figure_shows_what_the_table_says(name: str) -> None:
    CHECKS[name]()
