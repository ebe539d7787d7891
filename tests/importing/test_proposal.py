"""``build.py import PATH --guess``: what is proposed can be imported as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.cli.main import main
from common.core.errors import ConfigError
from common.samples.importing.proposal import propose
from tests.importing.test_layouts import load, rows, sound
from tests.recordings import recordings


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def imported(root: Path, to: Path, capsys) -> str:
    """Imports a folder with the layout that is proposed for it; returns the layout."""
    assert main(["import", str(root), "--guess"]) == 0
    text = capsys.readouterr().out
    (root.parent / "own.yaml").write_text(text, encoding="utf-8")
    words = ["import", str(root), "--as", "mine", "--to", str(to)]
    assert main([*words, "--layout", str(root.parent / "own.yaml")]) == 0
    assert "fault" not in capsys.readouterr().out
    return text


def test_words_between_separators(tmp_path, to, capsys):
    for speaker in ("spk1", "spk2", "spk3"):
        for emotion in ("happy", "angry", "neutral"):
            for take in (1, 2):
                sound(tmp_path / "Our data" / f"{speaker}_{emotion}_{take:02d}.wav")
    sound(tmp_path / "Our data" / "readme.wav")
    text = imported(tmp_path / "Our data", to, capsys)
    assert (
        "# 18 of 19 audio files are named like this: spk1_angry_01.wav\n# not so: readme.wav"
        in text
    )
    samples = load(to).table
    assert samples["emotion"].value_counts().to_dict() == {"anger": 6, "happiness": 6, "neutral": 6}
    assert sorted(samples["speaker"].unique()) == ["spk1", "spk2", "spk3"]
    assert rows(to)["spk2_happy_02.wav"]["part3"] == "02"


def test_folders_and_letters_beside_digits(tmp_path, to, capsys):
    for speaker in ("01", "02"):
        sex = "mf"[int(speaker) - 1]
        for emotion in ("sad", "fear", "disgust"):
            for take in "12":
                sound(tmp_path / "x" / f"Actor_{speaker}" / f"{sex}{speaker}{take}-{emotion}.wav")
    imported(tmp_path / "x", to, capsys)
    row = rows(to)["Actor_02/f021-fear.wav"]
    assert (row["emotion"], row["sex"]) == ("fear", "female")
    assert load(to).table["emotion"].nunique() == 3


def test_labels_of_a_table(tmp_path, to, capsys):
    lines = ["clip_name;emotion_label;spk;mood"]
    for n in range(6):
        sound(tmp_path / "x" / "clips" / f"{n:03d}é.wav")
        lines.append(f"{n:03d}é.wav;{('joy', 'sad')[n % 2]};p{n // 2};x")
    (tmp_path / "x" / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = imported(tmp_path / "x", to, capsys)
    assert "# labels.csv also has: mood" in text
    assert load(to).table["emotion"].tolist() == ["happiness", "sadness"] * 3
    assert load(to).table["speaker"].nunique() == 3


def test_folders_of_classes_are_no_speakers(tmp_path, to, capsys):
    for word in ("dog_bark", "rain", "sea_waves", "baby cry"):
        for fold in (1, 2):
            for take in "AB":
                sound(tmp_path / "sounds" / word / f"{fold}-10{fold}7-{take}.wav")
    text = imported(tmp_path / "sounds", to, capsys)
    assert "# 16 of 16 audio files are named like this" in text
    assert "speaker:" not in text and "(?P<speaker>" not in text
    assert "# category: unknown words; if they are emotions, rename the group" in text
    assert rows(to)["dog_bark/1-1017-A.wav"]["category"] == "dog_bark"
    labels = load(to).table["category"].value_counts().to_dict()
    assert labels == {"dog_bark": 4, "rain": 4, "sea_waves": 4, "baby cry": 4}


def test_unknown_words_get_values_and_tables_of_speakers_are_proposed(tmp_path, to, capsys):
    for speaker in ("s1", "s2"):
        for word in ("wut", "ruhe", "angst"):
            for take in (1, 2):
                sound(tmp_path / "x" / speaker / f"{word}_{take}.wav")
    (tmp_path / "x" / "speakers.csv").write_text("id,gender,age,town\ns1,f,30,A\ns2,m,40,B\n")
    text = imported(tmp_path / "x", to, capsys)
    assert "    ruhe: ruhe\n" in text
    assert "speaker: id" in text and "# speakers.csv also has: town" in text
    table = load(to).table
    assert dict(zip(table["speaker"], table["sex"], strict=True)) == {"s1": "female", "s2": "male"}


def test_codes_of_speakers_stay_speakers(tmp_path):
    for speaker in ("DC", "JE", "KLA"):
        for emotion in ("angry", "happy", "sad"):
            for take in "12":
                sound(tmp_path / speaker / f"{emotion}{take}.wav")
    assert "(?P<speaker>" in propose(tmp_path)


def test_without_audio_there_is_nothing_to_guess(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(ConfigError, match=r"holds no audio; endings: \.txt \(1\)"):
        propose(tmp_path)
    with pytest.raises(ConfigError, match=r"--guess: .*a\.txt is no folder"):
        propose(tmp_path / "a.txt")


@pytest.mark.parametrize(("name", "folder"), [("ravdess", "wav"), ("nemo", "samples")])
def test_real_folders(tmp_path, to, capsys, name, folder):
    root = recordings(name, "synthesised names") / folder
    (tmp_path / "x").symlink_to(root)
    assert main(["import", str(root), "--guess"]) == 0
    (tmp_path / "own.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    words = ["import", str(root), "--as", "mine", "--to", str(to)]
    assert main([*words, "--layout", str(tmp_path / "own.yaml")]) == 0
    assert len(load(to).table) == len(list(root.iterdir()))


def test_codes_of_people_and_numbered_classes(tmp_path, capsys):
    """As nEMO and ESC-10 are named: the code of a speaker, not the number of a sentence."""
    nemo = [
        f"{who}_{how}_{n}.wav"
        for who in ("EB0", "KS0")
        for how in ("anger", "fear")
        for n in (1, 2, 3)
    ]
    classes = ("001 - Dog bark", "002 - Rain")
    esc = [f"{name}/{n}-595{n}{n}-A.wav" for name in classes for n in (1, 2, 3)]
    parts = [
        f"{part}/{name}/{n}.wav"
        for part in ("train", "test")
        for name in ("happy", "sad")
        for n in (1, 2)
    ]
    for folder, names in (("nemo", nemo), ("esc", esc), ("hub", parts)):
        for name in names:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(path, np.full(160, 0.1), 16000)
        assert main(["import", str(tmp_path / folder), "--guess"]) == 0
    said = capsys.readouterr().out
    assert "# speaker: 2 different: EB0, KS0\n" in said and "# speaker: a guess" in said
    assert "# category: 2 different: 001 - Dog bark, 002 - Rain\n" in said
    assert "002 - Rain: rain" in said
    assert "# split: 2 different: test, train\n" in said
