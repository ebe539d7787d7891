"""Levels of perturbations and what can be wrong with them."""

from __future__ import annotations

import numpy as np
import pydantic
import pytest

from common.core.errors import ConfigError
from common.models.base import SampleKey
from common.perturbations import Library, faults
from common.perturbations.levels import rms_db
from common.perturbations.severity import levels
from common.spec import Perturbation, Severity, load_benchmark

KEY = SampleKey("tones", "1.0.0", "a.wav", 0, -1)


def entry(**severity) -> Perturbation:
    given = {"axis": "Ratio", "unit": "dB", "levels": [30, 10, 0], "params": "snr_db", **severity}
    return Perturbation(
        id="hiss", label="Hiss", function="white_background", params={"snr_db": 20}, severity=given
    )


class TestRecord:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"levels": [3]}, "needs two levels or more"),
            ({"levels": [3, 1, 2]}, "neither rise nor fall"),
            ({"levels": [3, 3]}, "neither rise nor fall"),
            ({"params": {}}, "names no parameter"),
            ({"params": {"snr_db": [3, 2]}}, r"params\.snr_db: 2 values for 3 levels"),
            ({"levels": "many"}, "levels"),
            ({"steps": 3}, "Extra inputs"),
        ],
    )
    def test_refuses(self, given, message) -> None:
        with pytest.raises(pydantic.ValidationError, match=message):
            entry(**given)

    def test_fault_of_a_catalog_names_file_and_place(self, tmp_path) -> None:
        (tmp_path / "perturbations.yaml").write_text(
            "- {id: hiss, label: Hiss, function: white_background, params: {snr_db: 3},\n"
            "   severity: {axis: Ratio, levels: [1, 2, 1], params: snr_db}}\n"
        )
        with pytest.raises(ConfigError, match=r"perturbations\.yaml: .*severity.*rise nor fall"):
            load_benchmark([tmp_path])


class TestLevels:
    def test_no_axis_no_levels(self) -> None:
        assert levels(entry().model_copy(update={"severity": None})) == []

    def test_of_several_parameters_and_of_parts_of_one(self) -> None:
        made = Perturbation(
            id="room",
            label="Room",
            function="impulse_response",
            params={"corpus": {"dataset": "air", "files": ["a"]}, "channel": 0},
            severity=Severity(
                axis="Time",
                levels=(0.2, 0.4),
                params={"corpus": ({"files": ["b"]}, {"files": ["a"]}), "channel": (1, 0)},
            ),
        )
        first, second = levels(made)
        assert first.entry.params == {"corpus": {"dataset": "air", "files": ["b"]}, "channel": 1}
        assert (first.name, second.name) == ("room--0.2", "room")

    def test_every_perturbation_of_the_catalog_but_the_bases_has_an_axis(self) -> None:
        found = load_benchmark().perturbations.values()
        assert {p.id for p in found if p.severity is None} == {
            *("base-position", "base-room"),
            *("base-position-embedded", "base-room-embedded"),
        }
        assert all(p.severity.axis and len(p.severity.levels) > 2 for p in found if p.severity)

    def test_draws_are_those_of_the_perturbation_at_all_levels(self, tmp_path) -> None:
        known = load_benchmark()
        made = levels(entry())
        extended = {**known.perturbations, **{level.name: level.entry for level in made}}
        library = Library(known.model_copy(update={"perturbations": extended}), tmp_path)
        signal = np.random.default_rng(0).normal(0, 0.05, (1, 16000)).astype(np.float32)
        noises = []
        for level in made:
            changed = library.perturb(level.name, signal, 16000, KEY)
            gain = (changed @ signal.T).item() / (signal @ signal.T).item()
            noise = changed / gain - signal
            noise -= signal * ((noise @ signal.T).item() / (signal @ signal.T).item())
            noises.append(noise / np.linalg.norm(noise))
        for other in noises[1:]:
            assert (noises[0] @ other.T).item() > 0.999

    def test_asked_ratio_is_met_at_each_level(self, tmp_path) -> None:
        known = load_benchmark()
        made = levels(known.perturbations["white-noise"])
        extended = {**known.perturbations, **{level.name: level.entry for level in made}}
        library = Library(known.model_copy(update={"perturbations": extended}), tmp_path)
        tone = np.sin(np.arange(32000) * 0.3, dtype=np.float32)[None] * np.float32(0.1)
        for level in made:
            changed = library.perturb(level.name, tone, 16000, KEY)
            gain = (changed @ tone.T).item() / (tone @ tone.T).item()
            ratio = rms_db(tone * gain) - rms_db(changed - tone * gain)
            assert ratio.item() == pytest.approx(level.level, abs=0.1)


class TestFaults:
    def test_unknown_parameter(self) -> None:
        (found, *_) = faults(load_benchmark(), entry(params="snr"))
        assert "hiss.severity, level 30: unknown parameter" in found
        assert "Did you mean 'snr_db'" in found

    def test_value_that_does_not_fit(self) -> None:
        values = {"snr_db": (30, "ten", 0)}
        (found,) = faults(load_benchmark(), entry(params=values))
        assert found.endswith(
            "hiss.severity, level 10.snr_db: expected a number or several to draw from, found 'ten'"
        )

    def test_variant_has_the_levels_of_what_it_stands_for(self) -> None:
        known = load_benchmark()
        base = known.perturbations["music"]
        variant = known.perturbations["music-embedded"]
        assert base.severity is not None and not list(faults(known, variant))
        other = base.severity.model_copy(update={"levels": (40.0, 30.0, 20.0, 10.0, 5.0, 1.0)})
        (found,) = faults(known, variant.model_copy(update={"severity": other}))
        assert found.endswith("music-embedded.severity: other levels than those of 'music'")
