from __future__ import annotations

import numpy as np

from common.figures import alt, style
from common.figures.confusion import (
    confusion_counts,
    describe_confusion,
    draw_confusion,
    row_shares,
)

LABELS = ["anger", "happiness", "neutral"]
TRUTH = np.array(["anger"] * 4 + ["happiness"] * 1000, dtype=object)
PREDICTION = np.array(
    ["anger"] * 3 + ["happiness"] + ["happiness"] * 750 + ["neutral"] * 250, dtype=object
)


def test_counts_and_shares() -> None:
    counts = confusion_counts(TRUTH, PREDICTION, LABELS)
    assert counts.tolist() == [[3, 1, 0], [0, 750, 250], [0, 0, 0]]
    shares = row_shares(counts)
    assert shares[:2].tolist() == [[0.75, 0.25, 0.0], [0.0, 0.75, 0.25]]
    assert np.isnan(shares[2]).all()


def test_other_labels_are_not_counted() -> None:
    counts = confusion_counts(np.array(["a", "z"], object), np.array(["z", "a"], object), ["a"])
    assert counts.tolist() == [[0]]


def test_cells_hold_percentage_and_count() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_confusion(axes, np.tile(TRUTH, 2), np.tile(PREDICTION, 2), LABELS)
    texts = [text.get_text() for text in axes.texts]
    assert texts[:3] == ["75%\n(6)", "25%\n(2)", "0%\n(0)"]
    assert texts[4] == "75%\n(1.5k)"
    assert texts[6:] == ["–"] * 3
    assert axes.get_ylabel() == "Truth"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == LABELS


def test_text_is_dark_on_light_and_light_on_dark() -> None:
    with style.applied():
        _, (axes,) = style.canvas("")
        draw_confusion(axes, TRUTH, PREDICTION, LABELS)
    assert [text.get_color() for text in axes.texts[:3]] == ["white", "black", "black"]


def test_description() -> None:
    text = describe_confusion(
        TRUTH, PREDICTION, LABELS, same="recognised", other="most often taken for"
    )
    assert text == (
        "Confusion matrix of 1004 samples. Share recognised: anger 75 % (most often taken for "
        "happiness, 25 %) and happiness 75 % (most often taken for neutral, 25 %). "
        "No samples of neutral."
    )


def test_description_of_many_classes_names_best_and_worst() -> None:
    labels = [f"c{n}" for n in range(9)]
    truth = np.array(labels * 2, dtype=object)
    prediction = truth.copy()
    prediction[4] = "c0"
    text = describe_confusion(truth, prediction, labels, same="recognised", other="taken for")
    assert "(best and worst): c0 100 % and c4 50 % (taken for c0, 50 %)." in text


def test_groups_and_conditions_have_their_own_text(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("classification", 40)
    assert alt("confusion_by_group", data, options, "male").startswith("Group male: Confusion")
    text = alt("confusion_shift", data, options, "white-noise")
    assert text.startswith("From original to white noise: Confusion matrix of 40 samples.")
    assert "Share unchanged" in text
