"""What a run writes of its datasets: durations, rates, broken and silent ones, labels."""

from __future__ import annotations

import json

import numpy as np
import pytest
import soundfile

from common.cli.main import main
from common.core.paths import Paths
from common.engine.describing import durations
from common.results import dataset_facts
from common.results.dataset_facts import DatasetFacts
from common.samples import audio

#: peak of -60 dBFS, a step of 16 bit more and less
LIMIT = 10 ** (-60 / 20)


def facts(mini, out: str = "out") -> DatasetFacts:
    read = dataset_facts.read("tones", Paths(mini.root / out))
    assert read is not None
    return read


@pytest.fixture
def odd(mini):
    """The tones, and some recordings that are not as they should be."""
    folder = mini.catalog / "tones"
    time = np.arange(8000) / 8000
    tone = np.sin(2 * np.pi * 500 * time)
    extra = {
        "silent.wav": np.zeros(8000),
        "quiet.wav": 0.9 * LIMIT * tone,
        "low.wav": 1.1 * LIMIT * tone,
        "one-side.wav": np.stack([0 * tone, 0.5 * tone], axis=1),
    }
    for name, signal in extra.items():
        soundfile.write(folder / name, signal, 8000, subtype="FLOAT")
    soundfile.write(
        folder / "spoilt.wav", np.where(time > 0.5, np.nan, tone), 8000, subtype="FLOAT"
    )
    (folder / "text.wav").write_text("no audio")
    table = folder / "metadata.csv"
    lines = table.read_text().splitlines()
    empty = "," * lines[0].count(",")
    names = (*extra, "spoilt.wav", "text.wav", "gone.wav")
    table.write_text("\n".join([*lines, *(f"{name}{empty}" for name in names)]) + "\n")
    return mini


def test_broken_and_silent_ones_are_named(odd):
    before = len((odd.catalog / "tones" / "metadata.csv").read_text().splitlines()) - 8
    odd.run()
    found = facts(odd)
    assert (found.samples, found.files) == (before + 7, before + 7)
    assert found.sampling_rates == {8000: 5, 16000: before}
    assert found.channels == {1: before + 4, 2: 1}
    assert (found.silent, found.first_silent) == (2, (("quiet.wav", 0.0), ("silent.wav", 0.0)))
    assert found.broken == 3
    assert found.first_broken == {
        "gone.wav": "no such file",
        "spoilt.wav": "holds NaN or infinite samples, the first at 0.500 s",
        "text.wav": "is no audio file that can be decoded",
    }
    assert sum(found.labels["emotion"].values()) == before
    assert found.speakers and found.numbers["arousal"][0] == before


def test_facts_do_not_depend_on_workers_or_on_who_read_the_audio(odd):
    odd.run("a", cache="a")
    odd.run("b", cache="b", workers=3)
    odd.run("c", cache="c", models=("chance-class",))  # needs no audio
    odd.run("d", cache="a", models=("loud",), targets=("arousal",))  # knows its predictions
    texts = [Paths(odd.root / out).dataset_facts("tones").read_bytes() for out in "abcd"]
    assert texts[0] == texts[1] == texts[2] == texts[3]


def test_signals_that_models_get_are_not_read_again(mini, monkeypatch):
    def refuse(*args):
        raise AssertionError("read a second time")

    monkeypatch.setattr(audio, "peaks", refuse)
    mini.run()
    assert (facts(mini).silent, facts(mini).broken) == (0, 0)
    assert facts(mini).durations.total == pytest.approx(facts(mini).durations.median * 280, rel=0.1)


def test_facts_are_kept_until_the_data_change(mini, monkeypatch):
    mini.run()
    place = Paths(mini.root / "out").dataset_facts("tones")
    first, looked = place.read_bytes(), []
    monkeypatch.setattr(
        audio, "info", lambda path: looked.append(path) or audio.read_info(path, "")
    )
    mini.run(force=True)
    assert (looked, place.read_bytes()) == ([], first)
    soundfile.write(mini.catalog / "tones" / "000.wav", np.zeros(16000), 16000)
    mini.run()
    assert len(looked) == 280
    assert facts(mini).silent == 1
    place.write_text("{", "utf-8")
    mini.run(force=True)
    assert facts(mini).silent == 1


def test_without_its_audio_a_dataset_has_no_facts(mini):
    for path in (mini.catalog / "tones").glob("*.wav"):
        path.unlink()
    mini.run(models=("chance-class",))
    assert dataset_facts.read("tones", Paths(mini.root / "out")) is None


@pytest.mark.parametrize("text", ["[", "[1]", "{}", '{"format": 1}', '{"format": 2}'])
def test_files_that_are_no_facts_are_none(tmp_path, text):
    place = Paths(tmp_path).dataset_facts("x")
    place.parent.mkdir(parents=True)
    place.write_text(text)
    assert dataset_facts.read("x", Paths(tmp_path)) is None


def test_what_is_written_is_read(mini):
    mini.run()
    content = json.loads(Paths(mini.root / "out").dataset_facts("tones").read_text())
    assert content["sampling_rates"] == {"16000": 280}
    assert facts(mini).sampling_rates == {16000: 280}


def test_histograms_have_round_parts_and_count_all():
    seconds = np.linspace(0.3, 11.9, 500)
    found = durations(seconds)
    assert found.edges == tuple(range(12))
    assert sum(found.counts) == 500
    assert found.counts[11] == int((seconds >= 11).sum())
    assert durations(np.array([])) is None
    one = durations(np.array([2.0]))
    assert sum(one.counts) == 1 and one.shortest == one.median == one.longest == 2


def test_the_command_finds_the_same_without_a_model(odd, capsys):
    odd.run()
    where = ["--catalog", str(odd.catalog), "--cache", str(odd.root / "cache2")]
    words = ["describe", *where, "--output", str(odd.root / "alone")]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "3 broken files, 2 silent samples" in said and "tones.json" in said
    run, alone = (
        Paths(odd.root / out).dataset_facts("tones").read_bytes() for out in ("out", "alone")
    )
    assert run == alone
    assert main([*words, "--json"]) == 0
    assert "3 broken files" in json.loads(capsys.readouterr().out)["tones"]


def test_the_command_says_what_it_cannot_look_at(odd, capsys, tmp_path):
    places = ["--output", str(tmp_path / "o"), "--cache", str(tmp_path / "c")]
    assert main(["describe", *places]) == 2
    assert "no catalog of yours has a dataset" in capsys.readouterr().err
    assert main(["describe", "--dataset", "tone", "--catalog", str(odd.catalog), *places]) == 2
    assert "unknown dataset 'tone'. Did you mean 'tones'?" in capsys.readouterr().err
    words = ["describe", "--dataset", "tones", "--dataset", "crema-d"]
    assert main([*words, "--catalog", str(odd.catalog), *places]) == 1
    said = capsys.readouterr()
    assert "error: crema-d: " in said.err and "tones: " in said.out
