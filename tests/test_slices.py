"""``build.py slices``: a planted weakness is confirmed and written, and nothing calls a model."""

from __future__ import annotations

import json
import sys

import pytest

from common.cli.main import main
from common.core.errors import ConfigError, DataError
from common.core.paths import Paths
from common.predictions.attributes import acoustics, f0
from common.reports import slices
from common.reports.slices_text import lines
from common.results.slices import CONFIRMED, SLICE_COLUMNS, TRIED, read, to_csv
from common.spec import load_benchmark
from tests.conftest import DATASETS

#: a model that is wrong where signals are loud
DEAF = """
import numpy as np

class Deaf:
    targets = ["arousal", "emotion"]
    labels = {"emotion": ["anger", "happiness", "neutral", "sadness"]}

    def predict(self, signals, sampling_rate):
        level = np.array([float(np.sqrt(np.mean(np.square(s, dtype=float)))) for s in signals])
        loud = level > 0.3
        scores = np.stack([-abs(level - x) for x in (0.55, 0.4, 0.25, 0.1)], axis=1)
        return {"arousal": np.where(loud, 0.0, np.clip(level * 1.5, 0, 1)), "emotion": scores}

def load(**params):
    return Deaf()
"""


@pytest.fixture
def deaf(mini):
    """Results of a model whose errors are large where signals are loud."""
    mini.write("deaf_model.py", DEAF)
    sys.modules.pop("deaf_model", None)
    mini.write(
        "models.yaml", '- {id: deaf, version: 1.0.0, adapter: python, entry: "deaf_model:load"}\n'
    )
    mini.run(models=("deaf",), tests=("correctness_regression", "correctness_classification"))
    return mini


def _update(mini, **more):
    folders = Paths(mini.root / "out", mini.root / "cache")
    return slices.update(load_benchmark([mini.catalog], allow_code=True), folders, **more)


def test_a_weakness_is_confirmed_with_clips(deaf) -> None:
    report = _update(deaf)
    arousal = next(s for s in report.searched if s.key.target == "arousal")
    confirmed = [row for row in arousal.rows if row.status == CONFIRMED]
    first = confirmed[0]
    assert "level: >=" in first.slice or "emotion: anger" in first.slice
    assert first.difference > 0.3 and first.ci_low > 0 and first.q <= 0.05
    assert first.error - first.elsewhere == pytest.approx(first.difference)
    assert len(first.clips) == 3
    assert [clip.loss for clip in first.clips] == sorted(
        (c.loss for c in first.clips), reverse=True
    )
    assert first.clips[0].prediction == "0.00"
    assert all(not row.clips for row in arousal.rows if row.status == TRIED)


def test_clips_have_the_answers_of_all_models(deaf) -> None:
    extra = "- {id: dice, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n"
    deaf.write("models.yaml", (deaf.catalog / "models.yaml").read_text("utf-8") + extra)
    tests = ("correctness_regression", "correctness_classification")
    deaf.run(models=("deaf", "dice"), tests=tests)
    report = _update(deaf, choice=slices.SearchChoice(models=["deaf"], targets=["arousal"]))
    (searched,) = report.searched
    first = searched.rows[0].clips[0]
    assert [model for model, _ in first.others] == ["dice"]
    assert 0 <= float(first.others[0][1]) <= 1


def test_files_are_read_as_they_were_written_and_written_again_alike(deaf) -> None:
    paths = [searched.path for searched in _update(deaf).searched]
    before = deaf.files()
    again = _update(deaf, workers=2)
    assert [searched.path for searched in again.searched] == paths
    assert deaf.files() == before
    for searched in again.searched:
        rows = read(Paths(deaf.root / "out").slices(*searched.key[:2], searched.key.dataset))
        assert to_csv(rows) == to_csv(searched.rows)
        assert len(rows) > 10


def test_no_model_is_called_and_signals_are_measured_once(deaf, monkeypatch) -> None:
    _update(deaf)
    sys.modules.pop("deaf_model", None)

    def refuse(*signals):
        raise AssertionError("it was measured once")

    monkeypatch.setattr(acoustics, "describe", refuse)
    monkeypatch.setattr(f0, "mean_f0", refuse)
    assert len(_update(deaf).searched) == 2
    assert "deaf_model" not in sys.modules


def test_sounds_of_clips_are_made_where_they_may_be_played(deaf) -> None:
    where = ["--catalog", str(deaf.catalog), "--output", str(deaf.root / "out")]
    where += ["--cache", str(deaf.root / "cache"), "--workers", "1", "--quiet"]
    media = Paths(deaf.root / "out").media / "slices"
    assert main(["slices", *where]) == 0
    assert not list(media.rglob("*.flac"))  # nothing is said of the licence
    deaf.write("datasets.yaml", DATASETS + "  license: CC0-1.0\n")
    assert main(["slices", *where]) == 0
    path = Paths(deaf.root / "out").slices("arousal", "deaf", "tones")
    first = read(path)[0].clips[0]
    assert first.sound is not None
    assert (media.parent / first.sound.src).is_file()
    assert (media.parent / first.sound.picture).read_bytes().startswith(b"\x89PNG")
    stale = media / "tones" / "gone.flac"
    stale.write_bytes(b"")
    before = {name: text for name, text in deaf.files().items() if "gone" not in name}
    assert main(["slices", *where]) == 0
    assert deaf.files() == before


def test_command_tells_and_answers(deaf, capsys) -> None:
    where = ["--catalog", str(deaf.catalog), "--output", str(deaf.root / "out")]
    where += ["--cache", str(deaf.root / "cache"), "--workers", "1"]
    assert main(["slices", *where, "--target", "arousal"]) == 0
    told = capsys.readouterr().out
    assert "arousal, deaf, tones:" in told
    assert "confirmed on the others" in told and "listen:" in told
    assert main(["slices", *where, "--target", "arousal", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    (searched,) = answer["searched"]
    assert searched["key"] == "arousal/deaf/correctness_regression/tones"
    assert searched["slices"][0]["status"] == CONFIRMED
    assert searched["tried"] > len(searched["slices"])


def test_a_search_of_nothing_says_so() -> None:
    (line,) = lines(slices.SlicesReport(), 5)
    assert line.startswith("nothing to search: no chosen model has results of a test")


def test_wrong_names_and_levels_are_refused(deaf) -> None:
    with pytest.raises(ConfigError, match="deaff"):
        _update(deaf, choice=slices.SearchChoice(models=["deaff"]))
    with pytest.raises(ConfigError, match="arousl"):
        _update(deaf, choice=slices.SearchChoice(targets=["arousl"]))
    with pytest.raises(ConfigError, match="between 0 and 1"):
        _update(deaf, level=0)


def test_without_results_the_command_that_makes_them_is_named(mini) -> None:
    with pytest.raises(ConfigError, match="no results in"):
        _update(mini)


def test_a_file_of_something_else_is_refused(tmp_path) -> None:
    path = tmp_path / "slices.csv"
    path.write_text("target,model\na,b\n")
    with pytest.raises(DataError, match="column missing: model_version"):
        read(path)
    text = ",".join(SLICE_COLUMNS) + "\n" + ",".join(["x"] * len(SLICE_COLUMNS)) + "\n"
    path.write_text(text)
    with pytest.raises(DataError, match="cannot be read as slices"):
        read(path)
