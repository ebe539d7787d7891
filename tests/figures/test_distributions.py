from __future__ import annotations

import numpy as np

from common.figures import FIGURES, alt
from common.figures.distributions import describe_shares


def test_truth_and_prediction_are_told_apart(view, options) -> None:  # type: ignore[no-untyped-def]
    (axes,) = FIGURES.get("distributions")(view("regression", 50), options, "t")[""].axes
    from matplotlib.colors import to_hex

    assert [to_hex(patch.get_facecolor()) for patch in axes.patches] == ["#828282", "#3277b4"]
    assert axes.get_xlabel() == "Value"


def test_one_figure_per_group_with_one_panel_per_context(view, options) -> None:  # type: ignore[no-untyped-def]
    for kind in ("regression", "classification"):
        drawings = FIGURES.get("histogram_by_context")(view(kind, 60), options, "t")
        assert list(drawings) == ["female", "male"]
        samples = view(kind, 60).samples
        for axes, context in zip(
            drawings["female"].axes, ["negative", "neutral", "positive"], strict=True
        ):
            inside = samples[samples["sentiment"] == context]
            women = (inside["sex"] == "female").sum()
            title = f"{context} ({women} of {len(inside)} samples)"
            assert axes.get_title(loc="left") == title


def test_shares_of_many_classes_are_cut_to_those_that_differ() -> None:
    labels = [f"c{n}" for n in range(12)]
    truth, prediction = np.array(labels, object), np.array(["c7"] * 12, object)
    text = describe_shares({"the truth": truth, "the predictions": prediction}, labels)
    assert text.startswith(
        "largest differences: c7 8 % of the truth and 100 % of the predictions; "
    )
    assert text.count(";") == 2


def test_alternative_texts(view, options) -> None:  # type: ignore[no-untyped-def]
    data = view("regression", 50)
    data.samples["arousal"] = np.linspace(0, 1, 50)
    data.predictions["original"][:] = 0.5
    assert alt("distributions", data, options) == (
        "Histograms of the truth and the predictions of 50 samples. "
        "Truth: mean 0.50, half of them 0.25 to 0.75. "
        "Predictions: mean 0.50, half of them 0.50 to 0.50."
    )
    data = view("classification", 40)
    data.samples["emotion"] = ["anger"] * 30 + ["neutral"] * 10
    data.predictions["original"][:] = "neutral"
    assert alt("class_counts", data, options) == (
        "Bar chart of the classes of 40 samples: anger 75 % of the truth and 0 % of the predictions; "
        "happiness 0 % of the truth and 0 % of the predictions; neutral 25 % of the truth and 100 % "
        "of the predictions; sadness 0 % of the truth and 0 % of the predictions."
    )
    women = int((data.samples["sex"] == "female").sum())
    text = alt("histogram_by_group", data, options, "female")
    assert text.startswith(f"Distribution of the predictions for female, {women} of 40 samples: ")
    assert "neutral 100 % of all samples and 100 % of female" in text
    assert "In negative, " in alt("histogram_by_context", data, options, "male")
