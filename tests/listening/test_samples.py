"""The samples whose prediction changed most: which ones, what is kept, and what may be played."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from common.core.errors import NotCached
from common.core.paths import SAMPLES, Paths
from common.core.rng import generator
from common.pages.listening import licences, samples
from common.pages.listening.answers import ConditionPair
from common.pages.listening.samples import most_changed
from common.results.keys import CellKey
from common.results.manifest import Manifest
from common.spec import load_benchmark
from common.spec.view import View

RATE = 16000
TEST, DATASET = "robustness_spectral_tilt", "mine"
KEYS = [(f"{letter}.wav", 0, -1) for letter in "abcdefgh"]


def comparison(before: list[Any], after: list[Any]) -> ConditionPair:
    rows = np.repeat(np.arange(len(before))[:, None], 2, axis=1)
    arrays = [np.array(values, dtype=object) for values in (before, after)]
    return ConditionPair("noise", "original", ("original", "noise"), rows, *arrays)


def chosen(kind: str, *found: ConditionPair) -> list[int]:
    return most_changed(kind, found[0].rows, found, KEYS)


# -- which samples ----------------------------------------------------------------------------------


def test_the_largest_changes_come_first_whatever_their_sign() -> None:
    one = comparison([0.5, 0.5, 0.5, 0.5, 0.5], [0.6, 0.2, 0.5, 0.9, 0.45])
    assert chosen("regression", one) == [3, 1, 0]


def test_the_mean_over_models_decides() -> None:
    first = comparison([0.0, 0.0, 0.0, 0.0], [0.5, 0.3, 0.0, 0.1])
    second = comparison([0.0, 0.0, 0.0, 0.0], [0.0, 0.3, 0.0, 0.1])
    assert chosen("regression", first, second) == [1, 0, 3]


def test_what_nothing_changed_for_is_left_out() -> None:
    assert chosen("classification", comparison(["a", "b", "c"], ["a", "b", "c"])) == []
    assert chosen("classification", comparison(["a", "b", "c"], ["a", "x", "c"])) == [1]
    assert chosen("regression", comparison([0.1, float("nan")], [0.1, 0.3])) == []
    assert most_changed("regression", np.empty((0, 2)), [], []) == []


def test_equal_changes_are_chosen_by_the_samples_and_not_by_their_order() -> None:
    before, after = ["a"] * 8, ["b"] * 8
    found = [KEYS[n] for n in chosen("classification", comparison(before, after))]
    turned = most_changed(
        "classification", comparison(before, after).rows, [comparison(before, after)], KEYS[::-1]
    )
    assert found == [KEYS[::-1][n] for n in turned]
    assert found != KEYS[:3]


# -- licences ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("licence", "word"),
    [
        ("CC0-1.0", ""),
        ("CC-BY-4.0", ""),
        ("ODbL-1.0", ""),
        ("", "names no licence"),
        ("unknown", "names no licence"),
        ("restricted", "sign an agreement"),
        ("CC-BY-NC-SA-4.0", "Its licence is CC-BY-NC-SA-4.0"),
        ("CC-BY-ND-4.0", "Its licence is CC-BY-ND-4.0"),
    ],
)
def test_only_free_licences_are_played(licence: str, word: str) -> None:
    dataset = load_benchmark().datasets["emodb"].model_copy(update={"license": licence})
    reason = licences.silent(dataset)
    assert bool(reason) == bool(word)
    assert word in reason


# -- the files --------------------------------------------------------------------------------------


class Mini:
    """A folder of four sounds with the answers of a model and of a chance model."""

    def __init__(self, root: Path, licence: str):
        data = root / "catalog" / DATASET
        data.mkdir(parents=True)
        for name in "abcd":
            draws = generator(1, name)
            soundfile.write(data / f"{name}.wav", 0.1 * draws.standard_normal(RATE), RATE)
        table = pd.DataFrame(
            {"file": [f"{n}.wav" for n in "abcd"], "arousal": [0.1, 0.2, 0.3, 0.4]}
        )
        table.to_csv(data / "metadata.csv", index=False)
        (root / "catalog" / "datasets.yaml").write_text(
            f"- {{id: {DATASET}, version: 1.0.0, label: Mine, adapter: folder, path: {DATASET},"
            f" columns: {{arousal: arousal}}, license: {licence}}}\n"
        )
        self.benchmark = load_benchmark([root / "catalog"])
        self.folders = Paths(output=root / "out", cache=root / "cache")
        self.cells: dict[CellKey, Any] = {}
        self.answer("baseline", [0.5, 0.5, 0.5, 0.5], [0.5, 0.6, 0.7, 0.8])
        self.answer("random-gaussian", [0.5, 0.5, 0.5, 0.5], [1.0, 0.5, 0.5, 0.5])

    def answer(self, model: str, before: list[float], after: list[float], mark: str = "") -> None:
        cell = f"{model}{mark}"
        table = pd.DataFrame({"file": [f"{n}.wav" for n in "abcd"], "start": 0, "end": -1})
        table["arousal"] = [0.1, 0.2, 0.3, 0.4]
        given = {"original": np.array(before), "upward-tilt": np.array(after)}
        self.cells[CellKey("arousal", model, TEST, DATASET)] = (
            SimpleNamespace(conditions={"upward-tilt": "upward-tilt"}),
            View(self.benchmark.targets["arousal"], table, given),
        )
        cells = {f"{TEST}/{DATASET}": {"hash": cell, "status": "done", "figures": {}}}
        manifest = Manifest("arousal", {"id": model}, cells=cells)
        place = self.folders.manifest("arousal", model)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(manifest.to_json())

    def update(self) -> int:
        return samples.update(self.benchmark, self.folders, self.rebuild)

    def rebuild(self, key: CellKey, noted: Mapping[str, Any], *, chance: bool) -> Any:
        assert chance == (key.model != "baseline") and noted["hash"].startswith(key.model)
        if key not in self.cells:
            raise NotCached("no predictions")
        return self.cells[key]

    def entry(self) -> dict[str, Any]:
        path = self.folders.media / "arousal" / f"listen_{TEST}.json"
        found: dict[str, Any] = json.loads(path.read_text())["datasets"][DATASET]
        return found

    def files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.folders.media).as_posix(): path.read_bytes()
            for path in sorted(self.folders.media.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def mini(tmp_path: Path) -> Mini:
    return Mini(tmp_path, "CC0-1.0")


def test_the_most_changed_are_written_with_all_answers(mini: Mini) -> None:
    assert mini.update() == 6  # three samples, each before and after
    (condition,) = mini.entry()["conditions"]
    assert [sample["sample"] for sample in condition["samples"]] == ["d.wav", "c.wav", "b.wav"]
    first = condition["samples"][0]
    assert first["truth"] == "0.40"
    assert {a["model"]: (a["before"], a["after"]) for a in first["answers"]} == {
        "baseline": ("0.50", "0.80"),
        "random-gaussian": ("0.50", "0.50"),
    }
    assert [sound["label"] for sound in first["sounds"]] == ["Original", "Upward tilt"]
    before, after = (mini.folders.media / sound["src"] for sound in first["sounds"])
    original, _ = soundfile.read(mini.folders.output.parent / "catalog" / DATASET / "d.wav")
    assert soundfile.read(before)[0] == pytest.approx(original, abs=1 / 32768)
    assert not np.allclose(soundfile.read(after)[0], original, atol=0.01)


def test_the_same_again_changes_nothing(mini: Mini) -> None:
    mini.update()
    before = mini.files()
    assert mini.update() == 0
    assert mini.files() == before


def test_another_folder_gets_the_same_bytes(mini: Mini, tmp_path: Path) -> None:
    mini.update()
    other = Mini(tmp_path / "other", "CC0-1.0")
    other.update()
    assert other.files() == mini.files()


def test_a_lost_sound_is_made_again(mini: Mini) -> None:
    mini.update()
    before = mini.files()
    next(mini.folders.media.rglob("*.flac")).unlink()
    assert mini.update() == 1
    assert mini.files() == before


def test_what_is_heard_no_more_is_removed(mini: Mini) -> None:
    mini.update()
    mini.answer("baseline", [0.5, 0.5, 0.5, 0.5], [0.9, 0.5, 0.5, 0.5], "again")
    mini.update()
    sounds = [name for name in mini.files() if name.endswith(".flac")]
    assert len(sounds) == 2
    assert all("/a-" in name for name in sounds)
    for model in ("baseline", "random-gaussian"):
        mini.folders.manifest("arousal", model).unlink()
    mini.update()
    assert mini.files() == {}


def test_other_pages_are_waited_for_when_the_samples_are_there(mini: Mini) -> None:
    other = mini.folders.media / SAMPLES / "other.flac"

    def waited() -> list[str]:
        assert mini.entry()["conditions"]
        other.write_bytes(b"made meanwhile")
        return [f"{SAMPLES}/{other.name}"]

    samples.update(mini.benchmark, mini.folders, mini.rebuild, others=waited)
    assert other.is_file()
    mini.update()
    assert not other.exists()


def test_what_may_not_be_played_has_answers_and_a_reason(tmp_path: Path) -> None:
    mini = Mini(tmp_path, "CC-BY-NC-4.0")
    assert mini.update() == 0
    entry = mini.entry()
    assert "CC-BY-NC-4.0" in entry["silent"]
    assert len(entry["conditions"][0]["samples"]) == 3
    assert all(not sample["sounds"] for sample in entry["conditions"][0]["samples"])
    assert not list(mini.folders.media.rglob("*.flac"))


def test_lost_answers_keep_the_others(mini: Mini) -> None:
    lost = mini.cells.pop(key := CellKey("arousal", "random-gaussian", TEST, DATASET))
    mini.update()
    (condition,) = mini.entry()["conditions"]
    assert [a["model"] for a in condition["samples"][0]["answers"]] == ["baseline"]
    mini.cells[key] = lost
    mini.update()  # looks again
    assert len(mini.entry()["conditions"][0]["samples"][0]["answers"]) == 2
