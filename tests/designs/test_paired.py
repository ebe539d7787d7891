from __future__ import annotations

import numpy as np
import pandas as pd
import pydantic
import pytest

from common.core.rng import generator
from common.designs import DESIGNS, View
from common.spec import MetricUse, Target

DESIGN = DESIGNS.get("paired")
NUMBER = Target(id="calmness", label="Calmness", kind="regression", range=(0, 1))
SIMULATED = DESIGN(pairs=[["near", "far"], ["room", "hall"]], limit=5)
DEVICES = DESIGN(
    column="device",
    reference="headset",
    match=["speaker", "text"],
    criterion="recording-condition",
    limit=5000,
)
USE = MetricUse.model_validate({"metric": "percentage_unchanged", "above": 0.5, "tolerance": 0.05})


def draws(seed: int = 0):
    return lambda *keys: generator(seed, "test", "dataset", *keys)


def recordings(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Table of (device, speaker, text)."""
    table = pd.DataFrame(rows, columns=["device", "speaker", "text"], dtype=object)
    table.insert(0, "file", [f"{n}.wav" for n in range(len(rows))])
    table.insert(1, "start", 0)
    table.insert(2, "end", -1)
    return table


TABLE = recordings(
    ("headset", "s1", "hi"),
    ("headset", "s2", "hi"),
    ("headset", "s1", "yes"),
    ("boundary", "s1", "yes"),
    ("boundary", "s2", "hi"),
    ("boundary", "s3", "hi"),
    ("mobile", "s1", "hi"),
)


class TestOptions:
    @pytest.mark.parametrize(
        "content",
        [
            {},
            {"pairs": [["a", "b"]], "column": "device"},
            {"column": "device", "match": ["text"]},
            {"match": ["text"], "criterion": "x"},
        ],
    )
    def test_either_perturbations_or_recordings(self, content: dict) -> None:
        with pytest.raises(pydantic.ValidationError, match="needs either pairs, or column"):
            DESIGN(limit=5, **content)

    @pytest.mark.parametrize("pair", [["original", "a"], ["a", "a"]])
    def test_two_perturbations(self, pair: list[str]) -> None:
        with pytest.raises(pydantic.ValidationError, match="expected two different perturbations"):
            DESIGN(pairs=[pair], limit=5)

    def test_needs_no_annotation(self) -> None:
        assert list(SIMULATED.needs(NUMBER)) == []
        assert list(DEVICES.needs(NUMBER)) == ["device", "speaker", "text"]

    def test_conditions(self) -> None:
        names = ["near", "far", "room", "hall"]
        assert SIMULATED.conditions(NUMBER) == dict(zip(names, names, strict=True))
        assert DEVICES.conditions(NUMBER) == {}

    def test_names_of_criteria(self) -> None:
        label = "Percentage Unchanged Predictions"
        assert DEVICES.criterion_names(NUMBER, label) == [f"{label} Recording Condition"]
        assert SIMULATED.criterion_names(NUMBER, label) == [f"{label} Far", f"{label} Hall"]


class TestRecordings:
    def test_partners(self) -> None:
        found = {device: pair.tolist() for device, pair in DEVICES.partners(TABLE).items()}
        assert found == {"boundary": [[1, 4], [2, 3]], "mobile": [[0, 6]]}

    def test_only_rows_with_a_partner_are_used(self) -> None:
        selection = DEVICES.select(NUMBER, TABLE)
        assert selection.samples.index.tolist() == [0, 1, 2, 3, 4, 6]
        assert (selection.reason, selection.note) == ("", "")

    def test_a37_an_utterance_that_was_read_twice_is_in_no_pair(self) -> None:
        twice = pd.concat([TABLE, recordings(("boundary", "s1", "yes"))], ignore_index=True)
        selection = DEVICES.select(NUMBER, twice)
        assert selection.samples.index.tolist() == [0, 1, 4, 6]
        assert selection.note == "2 recordings of repeated utterances left out"

    def test_rows_without_speaker_or_text_take_no_part(self) -> None:
        table = TABLE.copy()
        table.loc[1, "speaker"] = None
        table.loc[3, "text"] = None
        assert DEVICES.select(NUMBER, table).samples.index.tolist() == [0, 6]

    def test_nothing_to_compare(self) -> None:
        for table in (TABLE[:3], TABLE[:0]):
            selection = DEVICES.select(NUMBER, table)
            assert selection.samples.empty
            assert selection.reason == (
                "no two recordings with equal speaker, text and different device"
            )
            assert DEVICES.draw(NUMBER, selection, draws()).samples.empty

    def test_a37_at_most_so_many_pairs(self) -> None:
        rows = [(device, f"s{n}", "hi") for device in ("headset", "mobile") for n in range(50)]
        table = recordings(*rows)
        options = DEVICES.model_copy(update={"limit": 20})
        selection = options.select(NUMBER, table)
        chosen = options.draw(NUMBER, selection, draws()).samples
        assert len(chosen) == 40
        (pairs,) = options.partners(chosen).values()
        assert len(pairs) == 20
        speakers = chosen["speaker"].to_numpy()
        assert (speakers[pairs[:, 0]] == speakers[pairs[:, 1]]).all()
        again = options.draw(NUMBER, selection, draws()).samples
        assert again.index.equals(chosen.index)
        other = options.draw(NUMBER, selection, draws(1)).samples
        assert not other.index.equals(chosen.index)

    def test_draw_does_not_depend_on_the_order_of_rows(self) -> None:
        rows = [(device, f"s{n}", "hi") for device in ("headset", "mobile") for n in range(30)]
        table = recordings(*rows)
        options = DEVICES.model_copy(update={"limit": 7})
        files = []
        for order in (table, table.iloc[::-1].reset_index(drop=True)):
            selection = options.select(NUMBER, order)
            chosen = options.draw(NUMBER, selection, draws()).samples
            files.append(sorted(chosen["file"]))
        assert files[0] == files[1] and len(files[0]) == 14

    def view(self) -> View:
        samples = DEVICES.select(NUMBER, TABLE).samples.reset_index(drop=True)
        predictions = np.array([0.1, 0.2, 0.3, 0.31, 0.9, 0.12])
        return View(NUMBER, samples, {"original": predictions}, note="a remark")

    def test_scores(self) -> None:
        boundary, mobile = DEVICES.scores(self.view(), [USE])
        assert (boundary.value, boundary.n, mobile.value, mobile.n) == (0.5, 2, 1, 1)
        assert (boundary.condition, boundary.reference) == ("boundary", "headset")
        assert (boundary.data, mobile.data) == ("headset-boundary", "headset-mobile")
        assert boundary.note == "a remark"

    def test_reference_of_a_dataset_with_other_devices(self) -> None:
        table = TABLE.replace({"headset": "zoom", "boundary": "array"})[:6]
        (score,) = DEVICES.scores(
            View(
                NUMBER,
                DEVICES.select(NUMBER, table).samples.reset_index(drop=True),
                {"original": np.array([0.2, 0.3, 0.31, 0.9])},
            ),
            [USE],
        )
        assert (score.reference, score.condition, score.value) == ("array", "zoom", 0.5)

    def test_shown_as_conditions(self) -> None:
        shown = DEVICES.shown(self.view())
        assert list(shown.predictions) == ["headset", "boundary", "mobile"]
        assert shown.samples["file"].tolist() == ["0.wav", "1.wav", "2.wav"]
        assert shown.predictions["headset"].tolist() == [0.1, 0.2, 0.3]
        assert np.isnan(shown.predictions["boundary"]).tolist() == [True, False, False]
        assert shown.predictions["boundary"][1:].tolist() == [0.9, 0.31]
        assert shown.predictions["mobile"][0] == 0.12

    def test_shown_labels(self) -> None:
        view = self.view()
        labels = np.array(list("abcdef"), dtype=object)
        shown = DEVICES.shown(View(view.target, view.samples, {"original": labels}))
        assert shown.predictions["boundary"].dtype == object
        assert pd.isna(shown.predictions["boundary"][0])
        assert shown.predictions["boundary"][1:].tolist() == ["e", "d"]


class TestSimulated:
    def view(self, missing: dict[str, str] | None = None, **predictions: list[float]) -> View:
        samples = pd.DataFrame({"file": ["a", "b"], "start": 0, "end": -1})
        values = {name: np.array(value) for name, value in predictions.items()}
        return View(NUMBER, samples, values, missing=missing or {})

    def test_all_samples_up_to_the_limit(self) -> None:
        table = recordings(*(("x", f"s{n}", "hi") for n in range(12)))
        selection = SIMULATED.select(NUMBER, table)
        assert len(selection.samples) == 12
        chosen = SIMULATED.draw(NUMBER, selection, draws()).samples
        assert len(chosen) == 5 and chosen.index.is_monotonic_increasing
        assert SIMULATED.select(NUMBER, table[:0]).reason == "no samples"

    def test_a21_both_versions_are_compared_and_the_original_is_noted(self) -> None:
        given = self.view(
            original=[0.1, 0.1], near=[0.2, 0.5], far=[0.2, 0.1], room=[0.3, 0.3], hall=[0.3, 0.3]
        )
        position, room = SIMULATED.scores(given, [USE])
        assert (position.value, position.condition, position.reference) == (0.5, "far", "near")
        assert position.note == "against the original: 0.500"
        assert (room.value, room.condition, room.reference) == (1.0, "hall", "room")
        assert room.note == "against the original: 0.000"

    @pytest.mark.parametrize("name", ["near", "far"])
    def test_a_pair_that_was_not_run(self, name: str) -> None:
        given = self.view({name: "not here"}, original=[0, 0], room=[0, 0], hall=[0, 0])
        position, room = SIMULATED.scores(given, [USE])
        assert np.isnan(position.value)
        assert (position.condition, position.reference) == ("far", "near")
        assert position.reason == "condition not run: not here"
        assert room.value == 1
        assert SIMULATED.shown(given) is given
