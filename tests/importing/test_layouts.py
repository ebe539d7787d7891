"""Original downloads of corpora: a miniature of each, the real files that are here, and broken ones."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import scipy.io
import soundfile

from common import spec
from common.cli.main import main
from common.core import paths
from common.core.errors import ConfigError, DataError
from common.samples import datasets, importing
from common.samples.importing import conventions, layouts, reading
from common.samples.importing.formats import matlab
from common.samples.importing.inspection import Inspection
from tests.recordings import recordings

BENCHMARK = spec.load_benchmark()
KNOWN = layouts.known()

#: layout -> path in the download -> text of a table in it
TABLES = {
    "crema-d": {
        "VideoDemographics.csv": '"ActorID","Age","Sex","Race"\n1001,51,"Male","Caucasian"\n'
        '1074,31,"Female","Caucasian"\n',
        "processedResults/summaryTable.csv": '"","FileName","VoiceVote"\n'
        '"1","1001_IEO_HAP_LO","H"\n"2","1074_DFA_ANG_XX","A"\n',
        "processedResults/tabulatedVotes.csv": '"","A","D","F","H","N","S","fileName"\n'
        '"100001",0,0,0,6,4,0,"1001_IEO_HAP_LO"\n"200001",9,0,0,0,1,0,"1001_IEO_HAP_LO"\n'
        '"100002",8,0,0,1,1,0,"1074_DFA_ANG_XX"\n',
    },
    "iemocap": {
        "Session1/dialog/EmoEvaluation/Ses01F_impro01.txt": "% [START_TIME - END_TIME] TURN_NAME"
        " EMOTION [V, A, D]\n\n[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.5000, 2.5000]\n"
        "C-E2:\tNeutral;\t()\nA-E3:\tval 3; act 2; dom  2;\t()\n",
        "Session1/dialog/EmoEvaluation/Attribute/Ses01F_impro01_atr.txt": "of no use\n",
        "Session1/dialog/EmoEvaluation/._Ses01F_impro01.txt": "\0Mac OS X",
        "Session4/dialog/EmoEvaluation/Ses04F_script01_1.txt": "[1.0 - 2.0]\tSes04F_script01_1_M003"
        "\tfru\t[2.0000, 4.0000, 4.0000]\n",
        "Session1/dialog/transcriptions/Ses01F_impro01.txt": "Ses01F_impro01_F000"
        " [006.2901-008.2357]: Excuse me.\n",
        "Session4/dialog/transcriptions/Ses04F_script01_1.txt": "Ses04F_script01_1_M003"
        " [1.0-2.0]: Well.\n",
    },
    "meld": {
        "test_sent_emo.csv": "Sr No.,Utterance,Speaker,Emotion,Dialogue_ID,Utterance_ID\n"
        '1,"Why, numbers?",Mark,surprise,0,0\n',
        "train_sent_emo.csv": "Sr No.,Utterance,Speaker,Emotion,Dialogue_ID,Utterance_ID\n"
        "1,You must’ve,The Interviewer,neutral,0,1\n",
    },
    "msppodcast": {
        "Labels/labels_consensus.csv": "FileName,EmoClass,EmoAct,EmoVal,EmoDom,SpkrID,Gender,Split_Set\n"
        "MSP-PODCAST_0001_0008.wav,N,4.2,4.0,4.4,127,Male,Test1\n"
        "MSP-PODCAST_0002_0033.wav,H,5.0,6.5,5.0,Unknown,Female,Train\n",
    },
    "nemo": {
        "data.tsv": "file_id\temotion\traw_text\tspeaker_id\tgender\tage\n"
        'EB0_surprised_6.wav\tsurprised\t"Dziunia", nie.\t  EB0\tfemale\t27\n'
        "WR0_sadness_14.wav\tsadness\tTen miesiąc.\t  WR0\tmale\t23\n",
    },
    "emozionalmente": {
        "emozionalmente_dataset/metadata/samples.csv": "file_name,emotion_expressed,actor,sentence\n"
        "1616256756877.wav,joy,u1,Ciao\n1614951631538.wav,neutrality,u2,Ciao\n",
        "emozionalmente_dataset/metadata/users.csv": "username,gender,age,mother_tongue\n"
        "u1,female,30,it\nu2,male,41,it\n",
    },
    "speech-accent-archive": {
        "speakers_all.csv": "age,age_onset,birthplace,filename,native_language,sex,speakerid,country,"
        "file_missing?,,,\n27,9,virginia,afrikaans1,afrikaans,female,1,south africa,FALSE,,,\n"
        "30,9,x,dutch18,dutch,famale,18,netherlands,FALSE,,,\n",
    },
    "mozillacommonvoice": {
        "cv-corpus-10.1-2022-07-04/de/validated.tsv": "client_id\tpath\tsentence\tage\tgender\n"
        'c1\tcommon_voice_de_17298952.mp3\t"Ja", sagt sie.\ttwenties\tfemale\n',
        "cv-corpus-10.1-2022-07-04/de/test.tsv": "client_id\tpath\tsentence\tage\tgender\n"
        'c1\tcommon_voice_de_17298952.mp3\t"Ja", sagt sie.\ttwenties\tfemale\n',
        "cv-corpus-10.1-2022-07-04/zh-CN/validated.tsv": "client_id\tpath\tsentence\tage\tgender\n"
        "c2\tcommon_voice_zh-CN_1.mp3\t你好\t\tmale_masculine\n",
        "cv-corpus-10.1-2022-07-04/zh-CN/train.tsv": "client_id\tpath\tsentence\tage\tgender\n"
        "c2\tcommon_voice_zh-CN_1.mp3\t你好\t\tmale_masculine\n",
    },
    "timit": {
        "TIMIT/DOC/PROMPTS.TXT": "; prompts\nShe had your dark suit. (sa1)\nBerry. (sx227)\n",
    },
    "imda-nsc": {
        f"PART1/DATA/CHANNEL{n}/SCRIPT/{n}00010.TXT": f"\ufeff{n}00010001\tWe meet again.\n\twe meet again\n"
        for n in range(3)
    },
    "musan": {"musan/music/fma/ANNOTATIONS": "music-fma-0000 electronica N Airglow\n"},
    "esc-50": {
        "ESC-50-master/meta/esc50.csv": "filename,fold,target,category,esc10,src_file,take\n"
        "1-100032-A-0.wav,1,0,dog,True,100032,A\n2-188822-D-40.wav,2,40,helicopter,True,188822,D\n",
    },
}


def sound(path: Path, sampling_rate: int = 16000) -> None:
    """A tiny recording in the format that its name tells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    signal = 0.1 * np.sin(np.arange(1600))
    if path.suffix == ".mat":
        scipy.io.savemat(path, {"h_air": signal[None, :]})
    elif path.suffix == ".mp4":
        _video(path, signal)
    elif path.suffix == ".WAV":
        soundfile.write(path, signal, sampling_rate, format="NIST", subtype="PCM_16")
    else:
        soundfile.write(path, signal, sampling_rate)


def _video(path: Path, signal: np.ndarray) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000, layout="mono")
        frame = av.AudioFrame.from_ndarray(signal[None, :].astype(np.float32), "fltp", "mono")
        frame.sample_rate, frame.time_base, frame.pts = 16000, Fraction(1, 16000), 0
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)


def miniature(layout: layouts.Layout, root: Path) -> Path:
    """The examples of a layout, and its tables."""
    for file in layout.examples:
        sound(root / file)
    for name, text in TABLES.get(layout.id, {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def run(path: Path, to: Path, form: str | None = None, **options) -> Inspection:
    options = {"write": "csv", **options}  # a table is easy to compare with
    return importing.import_dataset(path, "mine", form, to, benchmark=BENCHMARK, **options)


def rows(to: Path) -> dict[str, dict[str, str]]:
    """Rows of the table that was written, by file."""
    (table,) = [
        path for path in (to / "mine.csv", *to.glob("mine-audformat/*.csv")) if path.exists()
    ]
    with table.open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


def load(to: Path) -> datasets.Samples:
    benchmark = spec.load_benchmark([to])
    datasets.check(benchmark.datasets["mine"])
    return datasets.load(benchmark.datasets["mine"], to, benchmark.targets)


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def test_every_corpus_of_the_issue_has_a_layout():
    named = """air ased baved cough-speech-sneeze crema-d danish-emotional-speech emodb emovo
        emozionalmente esc-10 esc-50 iemocap imda-nsc mardy meld mozillacommonvoice msppodcast musan nemo
        polish-emotional-speech ravdess savee shemo speech-accent-archive tess timit turev-db urdu"""
    assert sorted(KNOWN) == sorted(named.split())


@pytest.mark.parametrize("layout", KNOWN.values(), ids=KNOWN.keys())
def test_paths_are_those_of_one_layout_only(layout):
    assert layout.examples
    for file in layout.examples:
        assert [other.id for other in KNOWN.values() if other.parts(file) is not None] == [
            layout.id
        ]
    assert layout.obtain or layout.license != "restricted"
    words = conventions.load().synonyms
    for column, names in layout.values.items():
        known = set(words.get(column, ())) | {"calm", "excitement", "contempt", "*", None, ""}
        given = {label for name, label in names.items() if name != "by"}
        assert column not in words or given <= known, column


@pytest.mark.parametrize("layout", KNOWN.values(), ids=KNOWN.keys())
def test_a_citation_is_that_of_the_dataset_of_the_paper(layout):
    entries = [e for e in BENCHMARK.datasets.values() if layout.cite and e.cite == layout.cite]
    assert not layout.cite or entries
    assert f"{{{layout.cite}," in (paths.DOCS / "refs.bib").read_text("utf-8") or not layout.cite


@pytest.mark.parametrize("layout", KNOWN.values(), ids=KNOWN.keys())
def test_a_miniature_of_each_corpus(layout, tmp_path, to):
    root = miniature(layout, tmp_path / "download (copy)")
    report = run(root, to, part="all" if layout.split else "")
    assert report.faults == []
    assert report.entry.get("license", "") == layout.license
    assert report.entry.get("cite", "") == layout.cite
    found = rows(to)
    if layout.matlab is None:
        assert sorted(found) == sorted(layout.examples)
        for file, labels in layout.examples.items():
            assert labels.items() <= found[file].items(), file
    samples = load(to)
    assert len(samples.table) == len(found)
    assert all((samples.root / file).is_file() for file in found)
    for column in ("emotion", "speaker", "sex", "language", "category", "accent", "device", "text"):
        if any(row.get(column) for row in found.values()):
            labels = [row[column].lower() or None for row in found.values()]
            assert [label and label.lower() for label in samples.table[column]] == labels


@pytest.mark.parametrize(
    ("layout", "files", "alias"),
    [
        ("crema-d", ["AudioWAV/1074_DFA_ANG_XX.wav"], "test"),
        (
            "iemocap",
            ["Session4/sentences/wav/Ses04F_script01_1/Ses04F_script01_1_M003.wav"],
            "test",
        ),
        ("msppodcast", ["Audios/MSP-PODCAST_0001_0008.wav"], "test-1"),
        (
            "mozillacommonvoice",
            ["cv-corpus-10.1-2022-07-04/de/clips/common_voice_de_17298952.mp3"],
            "test",
        ),
    ],
)
def test_the_part_of_the_paper_is_taken(layout, files, alias, tmp_path, to):
    report = run(miniature(KNOWN[layout], tmp_path / "x"), to)
    assert list(rows(to)) == files
    assert report.entry["alias"] == alias
    assert (
        f"takes the 1 of 2 samples of '{alias}', as in the paper; --split all takes all"
        in report.notes
    )


def test_another_part_can_be_asked_for(tmp_path, to):
    root = miniature(KNOWN["meld"], tmp_path / "x")
    assert list(rows(to) if run(root, to, part="train") else ()) == list(KNOWN["meld"].examples)[1:]
    with pytest.raises(
        ConfigError, match=r"--split: unknown part of the corpus 'tst'. Did you mean 't"
    ):
        run(root, to, part="tst", force=True)
    with pytest.raises(ConfigError, match=r"--split goes with corpora that have parts"):
        run(miniature(KNOWN["tess"], tmp_path / "y"), to, part="test", force=True)


def test_dimensions_are_scaled_and_ratings_found(tmp_path, to):
    run(miniature(KNOWN["iemocap"], tmp_path / "x"), to, part="all")
    np.testing.assert_allclose(load(to).table["arousal"], [0.375, 0.75])
    report = run(miniature(KNOWN["crema-d"], tmp_path / "y"), to, part="all", force=True)
    assert report.entry["ratings"]["emotion"]["votes"]["happiness"] == "votes_happiness"
    assert "ratings of single raters: emotion" in report.notes
    assert rows(to)["AudioWAV/1001_IEO_HAP_LO.wav"]["votes_happiness"] == "6"


def test_ties_of_raters_have_no_label_and_names_serve_without_votes(tmp_path, to):
    root = miniature(KNOWN["crema-d"], tmp_path / "x")
    table = root / "processedResults" / "summaryTable.csv"
    table.write_text(table.read_text().replace('"H"', '"A:H"'))
    run(root, to, part="all")
    assert [row["emotion"] for row in rows(to).values()] == ["", "anger"]
    table.unlink()
    report = run(root, to, part="all", force=True)
    assert [row["emotion"] for row in rows(to).values()] == ["happiness", "anger"]
    assert "emotion: is that of 'intended', as there is no 'heard'" in report.notes
    assert any("no table with heard: looked for summaryTable" in note for note in report.notes)


def test_channels_of_impulse_responses_become_one_file(tmp_path, to):
    report = run(miniature(KNOWN["air"], tmp_path / "x"), to)
    samples = load(to)
    assert samples.table["file"].tolist() == [
        "data/air_binaural_aula_carolina_1_1_90_3.wav",
        "data/air_binaural_lecture_0_1.wav",
    ]
    assert samples.table["room"].tolist() == ["aula_carolina", "lecture"]
    assert report.entry["path"] == "mine-audio"
    info = soundfile.info(samples.root / samples.table["file"][1])
    assert (info.samplerate, info.channels, info.frames) == (48000, 2, 1600)
    (tmp_path / "x" / "AIR_1_4" / "air_binaural_lecture_1_0_1.mat").unlink()
    before = sorted(path.name for path in to.rglob("*"))
    with pytest.raises(
        DataError, match=r"lecture_0_1\.wav needs 2 channels, found .*lecture_0_0_1\.mat"
    ):
        run(tmp_path / "x", to, force=True)
    assert sorted(path.name for path in to.rglob("*")) == before


def test_channels_have_the_order_of_their_numbers(tmp_path):
    for n in range(2):
        scipy.io.savemat(tmp_path / f"{n}.mat", {"h": np.full((1, 9), n + 0.5)})
    names = [{"file": f"{n}.mat", "side": str(n)} for n in (1, 0)]
    imported = reading.ImportedRows(names, tmp_path)
    how = layouts.MatlabAudio(variable="h", sampling_rate=8000, file="a.wav", channel="side")
    matlab.convert(imported, how, tmp_path / "audio")
    signal, _ = soundfile.read(tmp_path / "audio" / "a.wav")
    assert signal[0].tolist() == [0.5, 1.5]
    assert [row["file"] for row in imported.rows] == ["a.wav"]


def test_a_table_that_is_needed_and_missing_is_named_with_the_place(tmp_path, to):
    root = miniature(KNOWN["meld"], tmp_path / "x")
    for path in root.glob("*.csv"):
        path.unlink()
    with pytest.raises(
        DataError, match=r"named as in 'meld', but its table with emotion, .* is missing; "
    ):
        run(root, to)
    assert not to.exists()


def test_files_that_a_table_does_not_list_are_told(tmp_path, to):
    root = miniature(KNOWN["esc-50"], tmp_path / "x")
    sound(root / "ESC-50-master" / "audio" / "3-1-A-7.wav")
    report = run(root, to)
    assert any(
        "1 audio file is not in ESC-50-master/meta/esc50.csv and is left out" in n
        for n in report.notes
    )
    assert report.samples == 2
    table = root / "ESC-50-master" / "meta" / "esc50.csv"
    table.write_text("filename,category\nother.wav,dog\n")
    with pytest.raises(DataError, match=r"esc50\.csv: lists none of the audio files; the first is"):
        run(root, to, force=True)
    table.write_text("name,category\nother.wav,dog\n")
    with pytest.raises(
        DataError, match=r"esc50\.csv: has no column 'filename', which tells files apart"
    ):
        run(root, to, force=True)


def test_labels_that_contradict_each_other_are_none(tmp_path, to):
    root = miniature(KNOWN["esc-50"], tmp_path / "x")
    table = root / "ESC-50-master" / "meta" / "esc50.csv"
    first = table.read_text().splitlines()[1]
    table.write_text(table.read_text() + first + "\n")
    assert run(root, to).faults == []
    table.write_text(table.read_text() + first.replace("dog", "cat") + "\n")
    report = run(root, to, force=True)
    assert report.faults == [
        "1 key has labels in ESC-50-master/meta/esc50.csv that contradict each other; it gets none:"
        " 1-100032-A-0.wav"
    ]
    assert list(rows(to)) == ["ESC-50-master/audio/2-188822-D-40.wav"]


def test_copies_in_another_folder_are_left_out(tmp_path, to):
    for name in ("Actor_24/03-01-08-02-01-02-24.wav", "all/Actor_24/03-01-08-02-01-02-24.wav"):
        sound(tmp_path / "x" / name)
    notes = run(tmp_path / "x", to).notes
    copy = "all/Actor_24/03-01-08-02-01-02-24.wav"
    assert f"1 audio file is identical to another one; left out: {copy}" in notes
    assert len(rows(to)) == 1
    soundfile.write(
        tmp_path / "x" / "all" / "Actor_24" / "03-01-08-02-01-02-24.wav", np.ones(9), 16000
    )
    assert run(tmp_path / "x", to, force=True).samples == 2


def test_labels_that_nobody_knows_are_faults(tmp_path, to):
    root = miniature(KNOWN["meld"], tmp_path / "x")
    table = root / "train_sent_emo.csv"
    table.write_text(table.read_text().replace("neutral", "non-neutral"))
    report = run(root, to, part="train")
    assert report.faults == [
        "1 value of emotion not in the layout 'meld', so emotion stays empty: non-neutral (1)"
    ]


def test_a_table_in_another_encoding_is_told(tmp_path, to):
    root = miniature(KNOWN["meld"], tmp_path / "x")
    (root / "test_sent_emo.csv").write_bytes(
        (root / "test_sent_emo.csv").read_text().replace("Mark", "Zoë").encode("cp1252")
    )
    with pytest.raises(DataError, match=r"test_sent_emo\.csv: line 2: is not UTF-8 text; say how"):
        run(root, to)
    assert not to.exists()


def test_half_of_the_files_must_follow_and_the_nearest_is_named(tmp_path, to):
    root = tmp_path / "x"
    sound(root / "03a01Fa.wav")
    sound(root / "one.wav")
    assert layouts.detect(["03a01Fa.wav", "one.wav"])[0].id == "emodb"
    sound(root / "two.wav")
    with pytest.raises(
        ConfigError, match=r"nearest is emodb, which 1 of 3 files follow. --guess proposes"
    ):
        run(root, to)
    with pytest.raises(DataError, match=r"no audio file is named as in 'tess'; found 03a01Fa\.wav"):
        run(root, to, "tess")
    assert not to.exists()


def test_songs_and_videos_are_not_taken_for_speech():
    ravdess = KNOWN["ravdess"]
    for name in ("03-02-08-02-01-02-24.wav", "01-01-08-02-01-02-24.mp4"):
        assert ravdess.parts(name) is None
        assert ravdess.is_ignored(name)
    assert not ravdess.is_ignored("Actor_01/03-01-08-02-01-02-24.wav")


def test_a_corpus_that_is_not_here_is_explained(tmp_path, to, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["import", "iemocap", "--to", str(to)]) == 2
    assert (
        "IEMOCAP is never downloaded by import. Fill in the request form" in capsys.readouterr().err
    )
    assert main(["import", "urdu", "--to", str(to)]) == 2
    assert "It is free: https://github.com/siddiquelatif" in capsys.readouterr().err


def test_corpora_are_listed_with_licence_and_how_to_get_them(capsys):
    assert main(["list", "corpora"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(KNOWN)
    assert any("restricted" in line and "sail.usc.edu" in line for line in lines)


# -- layouts of users ---------------------------------------------------------------------------

OWN = r"""
label: Interviews
files: '(?P<speaker>s\d+)/(?P<emotion>\w+)-\d+'
values:
  emotion: {wut: anger, ruhe: neutral}
constants: {language: deu}
license: CC0-1.0
"""


def test_a_layout_of_a_user(tmp_path, to, capsys):
    for name in ("Zoë Müller/s1/wut-1.wav", "Zoë Müller/s2/ruhe-2.wav"):
        sound(tmp_path / "my data" / name)
    (tmp_path / "own.yaml").write_text(OWN)
    words = ["import", str(tmp_path / "my data"), "--as", "mine", "--to", str(to)]
    assert main([*words, "--layout", str(tmp_path / "own.yaml")]) == 0
    assert "emotion: anger 1, neutral 1" in capsys.readouterr().out
    assert load(to).table["speaker"].tolist() == ["s1", "s2"]
    assert (
        main([*words, "--layout", str(tmp_path / "own.yaml"), "--format", "tess", "--force"]) == 2
    )
    assert "--layout cannot be used together with --format" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("files: '(?P<a>'\n", r"own\.yaml: .*is no regular expression"),
        ("label: x\n", r"own\.yaml: files: missing"),
        ("files: x\nlabels: x\n", r"own\.yaml: labels: unknown key. Did you mean 'label'\?"),
        ("files: x\ntables: [{file: y, columns: {}}]\n", r"own\.yaml: tables\[0\]\.key: missing"),
        ("files: x\ncompose: {a: '{b}'}\n", r"own\.yaml: .*compose\.a: no group or column 'b'"),
        ("files: '(?P<a>x)'\nsplit: {by: b}\n", r"own\.yaml: .*split\.by: no group or column 'b'"),
    ],
)
def test_faults_of_a_layout(tmp_path, to, text, fault):
    (tmp_path / "own.yaml").write_text(text)
    sound(tmp_path / "x" / "x.wav")
    with pytest.raises(ConfigError, match=fault):
        run(tmp_path / "x", to, layout=tmp_path / "own.yaml")
    with pytest.raises(ConfigError, match=r"no\.yaml: no such file"):
        run(tmp_path / "x", to, layout=tmp_path / "no.yaml")
    assert not to.exists()


# -- what a folder may hold ---------------------------------------------------------------------


def test_links_that_lead_out_are_never_followed(tmp_path, to):
    root = tmp_path / "x"
    for name in ("03a01Fa.wav", "03a01Nc.wav"):
        sound(root / name)
    sound(tmp_path / "secret" / "03a01Wa.wav")
    (root / "03a01Wa.wav").symlink_to(tmp_path / "secret" / "03a01Wa.wav")
    (root / "more").symlink_to(tmp_path / "secret")
    (root / "03a02Wa.wav").symlink_to(tmp_path / "gone.wav")
    (root / "03a03Wa.wav").symlink_to(root / "03a01Fa.wav")
    (root / "03a04Wa.wav.crdownload").write_bytes(b"")
    sound(root / "._03a05Wa.wav")
    sound(root / "__MACOSX" / "03a06Wa.wav")
    report = run(root, to)
    assert report.samples == 3
    assert not [note for note in report.notes if "is not named" in note]
    assert report.faults == [
        "2 links lead out of the folder and are left out: 03a01Wa.wav, more",
        "1 link leads nowhere: 03a02Wa.wav",
        "1 download is not finished: 03a04Wa.wav.crdownload",
    ]


def test_pointers_of_git_lfs_are_told(tmp_path, to):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "03a01Fa.wav").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
    )
    faults = run(tmp_path / "x", to).faults
    assert faults == [
        "1 audio file is still in Git LFS; 'git lfs pull' fetches the audio: 03a01Fa.wav"
    ]


# -- real files ---------------------------------------------------------------------------------


def _labels(folder: Path, column: str) -> dict[str, str]:
    with (folder / "metadata.csv").open(encoding="utf-8", newline="") as file:
        return {row["file"]: row[column] for row in csv.DictReader(file)}


def test_real_files_of_esc_10(to):
    folder = recordings("esc-10", "the miniature of it")
    report = run(folder, to, "esc-10")
    assert report.faults == []
    assert {file: row["category"] for file, row in rows(to).items()} == _labels(folder, "category")


@pytest.mark.parametrize(
    ("folder", "layout"),
    [
        ("cough-speech-sneeze", "cough-speech-sneeze"),
        ("crema-d", "crema-d"),
        ("emodb", "emodb"),
        ("esc-50", "esc-50"),
        ("musan", "musan"),
        ("nemo", "nemo"),
    ],
)
def test_real_names_are_those_of_the_layout(folder, layout):
    root = recordings("audb-examples", "the miniatures")
    names = [p.relative_to(root).as_posix() for p in (root / folder).rglob("*") if p.is_file()]
    assert names
    assert layouts.detect(names)[0].id == layout


def test_real_tables_of_crema_d(tmp_path, to):
    tables = recordings("labels", "the miniature of it") / "crema-d"
    with (tables / "voice-votes.csv").open(encoding="utf-8", newline="") as file:
        votes = list(csv.DictReader(file))
    test = [
        row for row in votes if row["split_audb"] == "test" and "MTI_SAD_XX" not in row["file"]
    ][:40]
    root = tmp_path / "x"
    for row in test:
        sound(root / "AudioWAV" / Path(row["file"]).name)
    for name in ("VideoDemographics.csv", "summaryTable.csv", "tabulatedVotes.csv"):
        (root / name).write_bytes((tables / name).read_bytes())
    run(root, to)
    found = rows(to)
    assert len(found) == len(test)
    for row in test:
        mine = found[f"AudioWAV/{Path(row['file']).name}"]
        assert (mine["speaker"], mine["sex"].lower()) == (row["speaker"], row["sex"])
        assert [mine[f"votes_{e}"] for e in ("anger", "sadness")] == [
            row["votes_anger"],
            row["votes_sadness"],
        ]


def test_all_rows_of_crema_d_are_in_the_parts_of_audb():
    tables = recordings("labels", "the miniature of it") / "crema-d"
    split = KNOWN["crema-d"].split
    with (tables / "voice-votes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert split.part(row["speaker"]) == row["split_audb"]


def test_real_tables_of_meld(tmp_path, to):
    tables = recordings("labels", "the miniature of it") / "meld"
    root = tmp_path / "x"
    for n in range(5):
        sound(root / "output_repeated_splits_test" / f"dia{n}_utt0.wav")
    for path in tables.glob("*.csv"):
        (root / path.name).write_bytes(path.read_bytes())
    assert run(root, to).faults == []
    assert rows(to)["output_repeated_splits_test/dia0_utt0.wav"]["emotion"] == "surprise"


def user_layout(folder: Path, text: str) -> Path:
    """A layout of a user, and one file that follows it."""
    sound(folder / "data" / "s1_wut.wav")
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("files: '(s\\d+'", r"own\.yaml: files: '\(s\\d\+' is no regular expression: missing \)"),
        (
            "files: 'a'\nignore: ['b', '[']",
            r"own\.yaml: ignore\[1\]: '\[' is no regular expression: unter",
        ),
        (
            "files: 'a'\ntables: [{file: '*.csv', key: {stem: id}, columns: {sex: sex}}]",
            r"own\.yaml: tables\[0\]\.file: '\*\.csv' is no regular expression: nothing to repeat",
        ),
        (
            "files: 'a'\ntables: [{file: 'b', key: {stem: id}, columns: {sex: sex}, where: {x: '('}}]",
            r"own\.yaml: tables\[0\]\.where\.x: '\(' is no regular expression",
        ),
    ],
)
def test_faults_of_expressions_are_one_line(tmp_path, to, capsys, text, message):
    layout = user_layout(tmp_path, text)
    words = ["import", str(tmp_path / "data"), "--as", "mine", "--to", str(to)]
    assert main([*words, "--layout", str(layout)]) == 2
    err = capsys.readouterr().err
    assert re.search(message, err) and err.count("\n") == 1 and "{'" not in err
    assert not to.exists()


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (
            "values: {emotion: {wut: angerr}}",
            r"values\.emotion\.wut: unknown label 'angerr'. Did you mean 'anger'\?",
        ),
        (
            "values: {emotion: {wut: Neutrall}}",
            r"unknown label 'Neutrall'. Did you mean 'neutral'\?",
        ),
        (
            "constants: {sex: femal}",
            r"constants\.sex: unknown label 'femal'. Did you mean 'female'\?",
        ),
    ],
)
def test_typing_errors_in_labels_are_errors(tmp_path, to, rest, message):
    files = "files: '(?P<speaker>s\\d)_(?P<emotion>\\w+)'\n"
    layout = user_layout(tmp_path, files + rest)
    with pytest.raises(ConfigError, match=message):
        run(tmp_path / "data", to, layout=layout)
    assert not to.exists()
    for label in ("happy", "Anger", "longing"):  # another word, another case, no class at all
        layout.write_text(files + f"values: {{emotion: {{wut: {label}}}}}")
        assert run(tmp_path / "data", to, layout=layout, force=True).faults == []


def test_names_that_no_copy_confirmed_are_said_to_be(tmp_path, to, capsys):
    unsure = {layout.id for layout in KNOWN.values() if layout.unconfirmed}
    assert unsure == {"danish-emotional-speech", "polish-emotional-speech", "imda-nsc"}
    for layout in KNOWN.values():
        assert ("NOT VERIFIED" in layout.origin.read_text("utf-8")) == (layout.id in unsure)
    assert main(["list", "corpora"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("not compared with a real copy: names of files" in line for line in lines) == 3
    report = run(miniature(KNOWN["polish-emotional-speech"], tmp_path / "x"), to)
    assert "not compared with a real copy: names of files; look at the labels" in report.notes
