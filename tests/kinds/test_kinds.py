from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from common.core.errors import ConfigError, ModelError
from common.spec import Target, kinds

NUMBER = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
CLASS = Target(id="animal", label="Animal", kind="classification", labels=("cat", "dog", "emu"))


def test_every_kind_that_has_predictions_now() -> None:
    assert kinds.KINDS.names() == ["classification", "events", "regression"]


def test_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown kind 'event'.*Known: classification, events, regr"
    ):
        kinds.get("event")


def test_a_new_kind_needs_no_change_here() -> None:
    class Ordinal:
        pass

    kinds.KINDS.add("ordinal", Ordinal())  # type: ignore[arg-type]
    try:
        assert isinstance(kinds.get("ordinal"), Ordinal)
    finally:
        del kinds.KINDS._items["ordinal"]


def test_columns() -> None:
    assert kinds.get("regression").columns(NUMBER) == ("calmness",)
    assert kinds.get("classification").columns(CLASS) == (
        "animal/cat",
        "animal/dog",
        "animal/emu",
    )


class TestEncode:
    def test_regression_takes_one_or_two_dimensions(self) -> None:
        for raw in ([0.5, 2.0], np.array([[0.5], [2.0]], dtype=np.float32)):
            values = kinds.get("regression").encode(NUMBER, raw, n=2)
            assert values.tolist() == [[0.5], [2.0]]
            assert values.dtype == np.float64

    def test_classification(self) -> None:
        raw = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int32)
        values = kinds.get("classification").encode(CLASS, raw, n=2)
        assert values.tolist() == raw.tolist()
        assert values.dtype == np.float64

    def test_empty(self) -> None:
        assert kinds.get("regression").encode(NUMBER, [], n=0).shape == (0, 1)
        assert kinds.get("classification").encode(CLASS, np.empty((0, 3))).shape == (0, 3)

    @pytest.mark.parametrize(
        ("target", "raw", "message"),
        [
            (NUMBER, np.zeros((2, 3)), r"calmness: .* shape \(2, 3\), expected \(2,\) or \(2, 1\)"),
            (NUMBER, np.zeros(3), r"calmness: .* shape \(3,\), expected \(2,\) or \(2, 1\)"),
            (NUMBER, 0.5, r"calmness: .* shape \(\), expected \(2,\)"),
            (CLASS, np.zeros((2, 4)), r"animal: .* shape \(2, 4\), expected \(2, 3\)"),
            (CLASS, np.zeros(3), r"animal: .* shape \(3,\), expected \(2, 3\)"),
            (CLASS, np.zeros((3, 3)), r"animal: .* shape \(3, 3\), expected \(2, 3\)"),
        ],
    )
    def test_wrong_shape(self, target: Target, raw: object, message: str) -> None:
        with pytest.raises(ModelError, match=message):
            kinds.get(target.kind).encode(target, raw, n=2)

    def test_any_number_of_samples(self) -> None:
        assert kinds.get("classification").encode(CLASS, np.zeros((5, 3))).shape == (5, 3)
        with pytest.raises(ModelError, match=r"shape \(5, 2\), expected \(N, 3\)"):
            kinds.get("classification").encode(CLASS, np.zeros((5, 2)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_values_must_be_finite(self, bad: float) -> None:
        with pytest.raises(ModelError, match="calmness: NaN or infinite predictions for 2 of 3"):
            kinds.get("regression").encode(NUMBER, [bad, 0.5, bad])
        scores = np.zeros((3, 3))
        scores[1, :] = bad
        with pytest.raises(ModelError, match="animal: NaN or infinite predictions for 1 of 3"):
            kinds.get("classification").encode(CLASS, scores)
        with pytest.raises(ModelError, match="NaN or infinite predictions for 1 of 1"):
            kinds.get("regression").encode(NUMBER, bad)

    @pytest.mark.parametrize(
        "raw", [["a", "b"], [None, 0.5], np.array([1j, 2j]), [[0.1, 0.2], [0.3]]]
    )
    def test_values_must_be_numbers(self, raw: object) -> None:
        with pytest.raises(ModelError, match="calmness: predictions are no"):
            kinds.get("regression").encode(NUMBER, raw)


class TestDecode:
    def test_regression(self) -> None:
        frame = pd.DataFrame({"calmness": [0.25, 0.5]})
        values = kinds.get("regression").decode(NUMBER, frame)
        assert values.tolist() == [0.25, 0.5]
        assert values.dtype == np.float64

    def test_largest_score_wins_and_the_first_label_a_tie(self) -> None:
        frame = pd.DataFrame(
            {
                "animal/cat": [0.1, 0.4, -5.0, 0.0],
                "animal/dog": [0.2, 0.4, -1.0, 0.3],
                "animal/emu": [0.7, 0.2, -9.0, 0.3],
            }
        )
        values = kinds.get("classification").decode(CLASS, frame)
        assert values.tolist() == ["emu", "cat", "dog", "dog"]
        assert values.dtype == object

    def test_nothing(self) -> None:
        empty = pd.DataFrame(columns=list(CLASS.columns), dtype=float)
        assert kinds.get("classification").decode(CLASS, empty).tolist() == []

    def test_missing_column(self) -> None:
        with pytest.raises(ModelError, match=r"no prediction column 'animal/emu'. Found: animal/c"):
            kinds.get("classification").decode(
                CLASS, pd.DataFrame({"animal/cat": [1.0], "animal/dog": [2.0]})
            )

    def test_nan_is_never_a_class(self) -> None:
        """NumPy's arg max would call NaN the largest score."""
        frame = pd.DataFrame([[0.1, np.nan, 0.9]], columns=list(CLASS.columns))
        with pytest.raises(ModelError, match="animal: NaN or infinite predictions for 1 of 1"):
            kinds.get("classification").decode(CLASS, frame)


class TestTruth:
    def test_mask_of_numbers(self) -> None:
        column = pd.Series([0.5, np.nan, 0.0])
        mask = kinds.get("regression").truth_mask(NUMBER, column)
        assert mask.tolist() == [True, False, True]

    def test_mask_of_classes(self) -> None:
        column = pd.Series(["cat", None, "cow", "emu"], dtype=object)
        mask = kinds.get("classification").truth_mask(CLASS, column)
        assert mask.tolist() == [True, False, False, True]
        assert mask.dtype == bool
