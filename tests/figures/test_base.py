from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from common.figures.base import aligned, groups, labels_of, option, shifts
from common.spec import Target
from common.spec.view import View

VIEW = View(
    Target(id="emotion", label="Emotion", kind="classification", labels=("b", "a")),
    pd.DataFrame(
        {
            "emotion": pd.Series(["a", None, "b", "a"], dtype=object),
            "sex": pd.Series(["female", "male", None, "male"], dtype=object),
            "age": pd.Series(["old", "old", "old", "young"], dtype=object),
        }
    ),
    {
        "original": np.array(["a", "a", "b", "x"], object),
        "tilt-up": np.array(["a", None, "a", "a"], object),
    },
)


def test_option_reads_records_and_mappings() -> None:
    assert option(SimpleNamespace(unit="speaker"), "unit") == "speaker"
    assert option({"unit": "speaker"}, "unit") == "speaker"
    assert option({}, "unit", "file") == "file"
    assert option(None, "unit") is None


def test_aligned_drops_samples_without_truth() -> None:
    truth, prediction = aligned(VIEW)
    assert truth.tolist() == ["a", "b", "a"]
    assert prediction.tolist() == ["a", "b", "x"]


def test_labels_keep_the_order_of_the_target() -> None:
    assert labels_of(VIEW, *aligned(VIEW)) == ["b", "a", "x"]


def test_groups_of_one_and_two_attributes() -> None:
    assert {name: mask.tolist() for name, mask in groups(VIEW, "sex").items()} == {
        "female": [True, False, False, False],
        "male": [False, True, False, True],
    }
    assert list(groups(VIEW, ["sex", "age"])) == ["female, old", "male, old", "male, young"]


def test_a_missing_attribute_is_no_group() -> None:
    samples = pd.DataFrame({"sex": pd.Series(["None", None, np.nan], dtype=object)})
    found = groups(View(VIEW.target, samples, {}), "sex")
    assert {name: mask.tolist() for name, mask in found.items()} == {"None": [True, False, False]}


def test_shifts_compare_with_the_original_or_with_the_given_condition() -> None:
    (suffix, (reference, changed, before, after)), *rest = shifts(VIEW, {}).items()
    assert (suffix, reference, changed, rest) == ("tilt-up", "original", "tilt up", [])
    assert before.tolist() == ["a", "b", "x"]
    assert after.tolist() == ["a", "a", "a"]
    turned = shifts(VIEW, {"pairs": [["tilt-up", "original"]]})
    assert list(turned) == ["original"]
    assert turned["original"][3].tolist() == ["a", "b", "x"]
