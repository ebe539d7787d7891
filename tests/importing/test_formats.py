"""Tables with any names, Kaldi, Hugging Face and WebDataset: good ones and broken ones."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
import soundfile

from common import spec
from common.cli.main import main
from common.core.errors import ConfigError, DataError
from common.samples import importing
from common.samples.importing import table_files
from common.samples.importing.inspection import Inspection
from common.samples.importing.kept import kept
from tests.importing.test_layouts import load, rows, sound

BENCHMARK = spec.load_benchmark()


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def run(path: Path, to: Path, form: str | None = None, **options) -> Inspection:
    options = {"write": "csv", **options}  # a table is easy to compare with
    return importing.import_dataset(path, "mine", form, to, benchmark=BENCHMARK, **options)


def nothing_is_left(to: Path) -> bool:
    return not to.exists()


def encoded(kind: str = "WAV") -> bytes:
    """A tiny recording as bytes."""
    file = io.BytesIO()
    soundfile.write(file, 0.1 * np.sin(np.arange(1600)), 16000, format=kind)
    return file.getvalue()


# -- tables -------------------------------------------------------------------------------------

HEADER = ["Path", "Label", "who", "note"]
CELLS = [["a b.wav", "joy", "p1", "é"], ["ü/c.wav", "angry", "p2", ""]]


def table(root: Path, ending: str) -> Path:
    """The same table in one of the formats."""
    for row in CELLS:
        sound(root / row[0])
    path = root / f"metadata{ending}"
    objects = [dict(zip(HEADER, row, strict=True)) for row in CELLS]
    if ending == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(objects), path)
    elif ending == ".jsonl":
        path.write_text("\n".join(map(json.dumps, objects)) + "\n", encoding="utf-8")
    else:
        sign = "\t" if ending == ".tsv" else ";"
        path.write_text("\n".join(map(sign.join, [HEADER, *CELLS])) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".jsonl"])
def test_tables_with_any_names(ending, tmp_path, to, capsys):
    root = table(tmp_path / "Наши данные 1", ending).parent
    words = ["import", str(root), "--as", "mine", "--to", str(to)]
    assert main([*words, "--columns", "emotion=Label", "--columns", "speaker=who"]) == 0
    assert "fault" not in capsys.readouterr().out
    samples = load(to).table
    assert samples["file"].tolist() == ["a b.wav", "ü/c.wav"]
    assert samples["emotion"].tolist() == ["happiness", "anger"]
    assert samples["speaker"].tolist() == ["p1", "p2"]
    assert rows(to)["a b.wav"]["note"] == "é"
    assert (
        run(root / f"metadata{ending}", to, columns={"emotion": "Label"}, force=True).samples == 2
    )


def test_a_column_with_a_general_name_is_known_by_its_labels(tmp_path, to):
    for name in "ab":
        sound(tmp_path / "x" / f"{name}.wav")
    table = tmp_path / "x" / "metadata.csv"
    table.write_text("path,label\na.wav,joy\nb.wav,sad\n")
    assert run(tmp_path / "x", to).entry["columns"] == {"emotion": "label"}
    table.write_text("path,label\na.wav,dog\nb.wav,cat\n")
    assert "columns" not in run(tmp_path / "x", to, force=True).entry


def test_columns_that_are_not_there_are_told(tmp_path, to, capsys):
    root = table(tmp_path / "x", ".csv").parent
    with pytest.raises(
        ConfigError, match=r"--columns emotion: unknown column 'Labl'. Did you mean 'Label'\?"
    ):
        run(root, to, columns={"emotion": "Labl"})
    with pytest.raises(ConfigError, match=r"--columns file: unknown column 'x'"):
        run(root, to, columns={"file": "x"})
    assert main(["import", str(root), "--columns", "emotion", "--to", str(to)]) == 2
    assert (
        "--columns emotion: expected NAME=COLUMN, such as emotion=label" in capsys.readouterr().err
    )
    assert main(["import", str(root), "--columns", "a=b,a=c", "--to", str(to)]) == 2
    assert "--columns: 'a' is given twice" in capsys.readouterr().err
    assert nothing_is_left(to)


def test_a_table_that_stays_where_it_is_can_have_columns_too(tmp_path, to):
    sound(tmp_path / "x" / "a.wav")
    (tmp_path / "x" / "metadata.csv").write_text("file,mood\na.wav,joy\n")
    report = run(tmp_path / "x", to, columns={"emotion": "mood"})
    assert report.entry["columns"] == {"emotion": "mood"}
    assert "table" not in report.entry
    assert load(to).table["emotion"].tolist() == ["happiness"]


def test_options_that_mean_nothing_are_refused(tmp_path, to):
    sound(tmp_path / "x" / "03a01Fa.wav")
    for options, fault in (
        ({"columns": {"emotion": "x"}}, r"--columns goes with tables, not with 'emodb'"),
        ({"encoding": "cp1252"}, r"--encoding goes with tables, not with 'emodb'"),
    ):
        with pytest.raises(ConfigError, match=fault):
            run(tmp_path / "x", to, **options)


def test_segments_of_a_table(tmp_path, to):
    sound(tmp_path / "x" / "long.wav")
    (tmp_path / "x" / "metadata.csv").write_text(
        "audio,begin,stop,emotion\nlong.wav,0.01,0.05,sad\nlong.wav,0.05,,sad\n"
    )
    run(tmp_path / "x", to)
    assert load(to).table[["start", "end"]].to_numpy().tolist() == [
        [10_000_000, 50_000_000],
        [50_000_000, -1],
    ]


def test_other_encodings(tmp_path, to, capsys):
    path = table(tmp_path / "x", ".csv")
    text = path.read_text(encoding="utf-8")
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(
        DataError, match=r"metadata\.csv: line 2: is not UTF-8 text; say how it is encoded"
    ):
        run(path.parent, to)
    assert nothing_is_left(to)
    run(path.parent, to, encoding="cp1252", columns={"emotion": "Label"})
    assert rows(to)["ü/c.wav"]["Label"] == "angry"
    with pytest.raises(ConfigError, match=r"unknown encoding 'cp0'"):
        run(path.parent, to, encoding="cp0", force=True)
    path.write_bytes(text.encode("utf-16"))
    run(path.parent, to, force=True)
    assert rows(to)["a b.wav"]["note"] == "é"


def test_files_in_other_folders_and_with_other_signs_are_found(tmp_path, to):
    sound(tmp_path / "x" / "audio" / "Zoe\u0308.wav")
    sound(tmp_path / "x" / "audio" / "b.wav")
    (tmp_path / "x" / "metadata.csv").write_text(
        "path,emotion\nZo\u00eb.wav,sad\nb,sad\n", encoding="utf-8"
    )
    report = run(tmp_path / "x", to)
    assert report.faults == []
    assert report.notes[0].startswith("2 files lie in another folder; found by name")
    sound(tmp_path / "x" / "more" / "b.wav")
    with pytest.raises(DataError, match=r"line 3: 'b' is ambiguous: audio/b\.wav or more/b\.wav"):
        run(tmp_path / "x", to, force=True)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("path,emotion\n../a.wav,sad\n", r"line 2: '\.\./a\.wav' leads out of "),
        ("path,emotion\n/etc/passwd,sad\n", r"line 2: '/etc/passwd' lies outside of "),
        (
            "path,emotion\na.wav,sad\na.wav,joy\n",
            r"line 3 and line 2: a\.wav has two labels in 'emotion': 'sad' and 'joy'",
        ),
        (
            "path,emotion\na.wav,sad\nb.wav\n",
            r"line 3: 1 field, expected 2; the file may be cut off",
        ),
        ("path,path\na.wav,sad\n", r"column 'path' appears twice"),
        ("path,emotion\n,sad\n", r"line 2: file: missing"),
        ("path,emotion\n", r"has no rows"),
    ],
)
def test_tables_that_cannot_be_used_leave_nothing(text, fault, tmp_path, to):
    sound(tmp_path / "x" / "a.wav")
    (tmp_path / "x" / "metadata.csv").write_text(text)
    with pytest.raises(DataError, match=fault):
        run(tmp_path / "x", to)
    assert nothing_is_left(to)


def test_rows_that_stand_there_twice_are_taken_once(tmp_path, to):
    sound(tmp_path / "x" / "a.wav")
    (tmp_path / "x" / "metadata.csv").write_text("path,emotion\na.wav,sad\na.wav,sad\n")
    assert run(tmp_path / "x", to).notes[0] == "1 row left out, as an equal row comes before: a.wav"


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        (
            "metadata.jsonl",
            '{"file": "a.wav"}\n{"file"',
            r"metadata\.jsonl: line 2: is not valid JSON",
        ),
        ("metadata.jsonl", '["a.wav"]\n', r"line 1: expected names and values, found \['a\.wav'\]"),
        ("metadata.json", '{"file": "a.wav"}', r"holds no list of objects with names and values"),
        ("metadata.parquet", "PAR1", r"metadata\.parquet: cannot be read"),
    ],
)
def test_broken_tables_of_other_formats(name, text, fault, tmp_path, to):
    sound(tmp_path / "x" / "a.wav")
    (tmp_path / "x" / name).write_text(text)
    with pytest.raises(DataError, match=fault):
        run(tmp_path / "x", to)
    assert nothing_is_left(to)


def test_what_is_no_data_is_told(tmp_path, to):
    (tmp_path / "a.zip").write_bytes(b"PK")
    sound(tmp_path / "a.wav")
    (tmp_path / "a.docx").write_bytes(b"PK")
    for name, fault in (
        ("a.zip", r"a\.zip: is an archive; unpack it"),
        ("a.wav", r"a\.wav: is one audio file; import its folder"),
        ("a.docx", r"a\.docx: is no table. Tables end in \.csv"),
    ):
        with pytest.raises(ConfigError, match=fault):
            run(tmp_path / name, to)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"empty: is an empty folder"):
        run(tmp_path / "empty", to)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "a.wav").symlink_to(tmp_path / "a.wav")
    with pytest.raises(ConfigError, match=r"linked: holds no audio.*leads out of"):
        run(tmp_path / "linked", to)
    with pytest.raises(DataError, match=r"empty: holds none of metadata\.csv, metadata\.tsv"):
        run(tmp_path / "empty", to, "table")
    assert nothing_is_left(to)


def test_folders_that_are_links_to_another_disk_are_used_and_told(tmp_path, to):
    sound(tmp_path / "disk" / "a.wav")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "audio").symlink_to(tmp_path / "disk")
    (tmp_path / "linked").symlink_to(tmp_path / "x")
    (tmp_path / "x" / "metadata.csv").write_text("file,emotion\naudio/a.wav,sad\n")
    report = run(tmp_path / "linked", to)
    assert report.faults == [] and report.duration_s > 0
    assert "1 folder is a link to another place: audio" in report.notes


def test_links_of_a_table_that_lead_out_are_told(tmp_path, to):
    sound(tmp_path / "a.wav")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.wav").symlink_to(tmp_path / "a.wav")
    (tmp_path / "x" / "metadata.csv").write_text("file,emotion\na.wav,sad\n")
    assert run(tmp_path / "x", to).faults == [
        "1 audio file leads out of the folder through a link: a.wav"
    ]


def test_text_of_values():
    assert table_files.to_csv([{"a": "1"}, {"b": "2"}]) == "a,b\n1,\n,2\n"


# -- Kaldi --------------------------------------------------------------------------------------


@pytest.fixture
def kaldi(tmp_path: Path) -> Path:
    """A data folder as recipes write it, below the folder in which they run."""
    for name in ("r1", "r2"):
        sound(tmp_path / "egs" / "downloads" / f"{name}.flac")
    folder = tmp_path / "egs" / "data" / "test"
    folder.mkdir(parents=True)
    (folder / "wav.scp").write_text("r1 downloads/r1.flac\nr2 downloads/r2.flac\n")
    (folder / "segments").write_text("u1 r1 0.00 0.05\nu2 r1 0.05 -1\nu3 r2 0.0 0.1\n")
    (folder / "utt2spk").write_text("u1 s1\nu2 s1\nu3 s2\n")
    (folder / "spk2gender").write_text("s1 f\ns2 m\n")
    (folder / "text").write_text("u1 guten Tag\nu2 schön\nu3 ja\n", encoding="utf-8")
    (folder / "utt2emo").write_text("u1\tang\nu2\tneutral\n")
    (folder / "utt2dur").write_text("u1 0.05\n")
    return folder


def test_a_folder_of_kaldi(kaldi, to):
    report = run(kaldi, to)
    assert report.faults == []
    assert "1 utterance has nothing in utt2emo: u3" in report.notes
    samples = load(to)
    assert samples.root == kaldi.parents[1] / "downloads"
    columns = ["file", "start", "end", "speaker", "sex", "text", "emotion"]
    assert samples.table[columns].to_numpy().tolist() == [
        ["r1.flac", 0, 50_000_000, "s1", "female", "guten Tag", "anger"],
        ["r1.flac", 50_000_000, -1, "s1", "female", "schön", "neutral"],
        ["r2.flac", 0, 100_000_000, "s2", "male", "ja", None],
    ]


def test_without_segments_each_line_is_a_file_wherever_it_lies(kaldi, to, tmp_path):
    (kaldi / "segments").unlink()
    for name in ("utt2spk", "spk2gender", "text", "utt2emo"):
        (kaldi / name).unlink()
    sound(tmp_path / "far" / "r3.wav")
    (kaldi / "wav.scp").write_text(
        f"r1 {tmp_path}/egs/downloads/r1.flac\nr3 {tmp_path}/far/r3.wav\n"
    )
    run(kaldi, to)
    assert load(to).table["file"].tolist() == ["egs/downloads/r1.flac", "far/r3.wav"]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        (
            "wav.scp",
            "r1 sph2pipe -f wav x.sph |\n",
            r"wav\.scp: r1: is a command \(sph2pipe .*only paths are read",
        ),
        (
            "wav.scp",
            "r1 no/r1.flac\n",
            r"wav\.scp: r1: no file no/r1\.flac; looked in .*data/test, .*egs",
        ),
        ("wav.scp", "r1\n", r"wav\.scp: r1: has no path"),
        ("wav.scp", "", r"wav\.scp: is empty"),
        (
            "wav.scp",
            "r1 a.wav\nr1 b.wav\n",
            r"wav\.scp: line 2: 'r1' has two values: 'a\.wav' and 'b\.wav'",
        ),
        ("segments", "u1 r9 0 1\n", r"segments: u1: recording 'r9' is not in wav\.scp"),
        ("segments", "u1 r1 0\n", r"segments: u1: expected recording, start and end, found 'r1 0'"),
        ("utt2spk", "u1 s1\nu1 s2\n", r"utt2spk: line 2: 'u1' has two values"),
    ],
)
def test_broken_folders_of_kaldi(kaldi, to, name, text, fault):
    (kaldi / name).write_text(text)
    with pytest.raises(DataError, match=fault):
        run(kaldi, to)
    assert nothing_is_left(to)


# -- Hugging Face -------------------------------------------------------------------------------

FEATURES = {
    "audio": {"_type": "Audio"},
    "label": {"_type": "ClassLabel", "names": ["anger", "neutral"]},
}
META = {b"huggingface": json.dumps({"info": {"features": FEATURES}}).encode()}
AUDIO = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])


def arrow_table(*audio: dict[str, object]) -> pyarrow.Table:
    """A table as ``datasets`` makes it."""
    numbers = [n % 2 for n in range(len(audio))]
    columns = {
        "audio": pyarrow.array(audio, AUDIO),
        "label": numbers,
        "speaker_id": ["p"] * len(audio),
    }
    return pyarrow.table(columns).replace_schema_metadata(META)


def saved(folder: Path, content: pyarrow.Table) -> None:
    """As ``save_to_disk`` does."""
    folder.mkdir(parents=True)
    with (
        pyarrow.OSFile(str(folder / "data-00000-of-00001.arrow"), "wb") as file,
        pyarrow.ipc.new_stream(file, content.schema) as writer,
    ):
        writer.write_table(content)
    (folder / "state.json").write_text("{}")
    (folder / "dataset_info.json").write_text("{}")


def test_datasets_on_disk(tmp_path, to):
    saved(
        tmp_path / "x",
        arrow_table(
            {"bytes": encoded(), "path": "a.wav"}, {"bytes": encoded("FLAC"), "path": None}
        ),
    )
    (tmp_path / "x" / "cache-1.arrow").write_bytes(b"of no use")
    (tmp_path / "x" / "dataset_info.json").write_text('{"license": "cc0-1.0", "version": {}}')
    report = run(tmp_path / "x", to, columns={"emotion": "label"})
    assert report.entry["license"] == "cc0-1.0"
    assert report.faults == []
    samples = load(to)
    assert samples.root == to / "mine-audio"
    assert samples.table["file"].tolist() == ["000000-a.wav", "000001-audio.flac"]
    assert samples.table["emotion"].tolist() == ["anger", "neutral"]
    assert samples.table["speaker"].tolist() == ["p", "p"]
    assert soundfile.info(samples.root / "000001-audio.flac").frames == 1600
    assert report.entry["path"] == "mine-audio"


@pytest.mark.parametrize(
    "about",
    [
        b"[" * 100_000,
        b'{"info": {"features": [1]}}',
        b'{"info": {"features": {"label": {"_type": "ClassLabel", "names": 1}}}}',
    ],
)
def test_names_of_classes_that_cannot_be_read_are_none(tmp_path, to, about):
    content = arrow_table({"bytes": encoded(), "path": "a.wav"})
    saved(tmp_path / "x", content.replace_schema_metadata({b"huggingface": about}))
    run(tmp_path / "x", to, columns={"emotion": "label"})
    assert load(to).table["emotion"].tolist() == ["0"]


def test_parts_of_datasets(tmp_path, to):
    for part in ("train", "test"):
        saved(tmp_path / "x" / part, arrow_table({"bytes": encoded(), "path": f"{part}.wav"}))
    (tmp_path / "x" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    report = run(tmp_path / "x", to)
    assert list(rows(to)) == ["test/000000-test.wav"]
    assert report.notes[0] == "takes the part 'test' of test, train; --split all takes all"
    run(tmp_path / "x", to, part="all", force=True)
    assert [row["split"] for row in rows(to).values()] == ["test", "train"]
    with pytest.raises(ConfigError, match=r"--split: unknown part 'dev'"):
        run(tmp_path / "x", to, part="dev", force=True)


def test_parquet_of_the_hub_with_audio(tmp_path, to):
    folder = tmp_path / "x" / "data"
    folder.mkdir(parents=True)
    content = arrow_table({"bytes": encoded("OGG"), "path": "dir/é.ogg"})
    pyarrow.parquet.write_table(content, folder / "test-00000-of-00001.parquet")
    run(tmp_path / "x", to)
    assert list(rows(to)) == ["test/000000-é.ogg"]
    assert run(folder / "test-00000-of-00001.parquet", to, force=True).samples == 1


def test_audio_that_is_missing_unknown_or_elsewhere(tmp_path, to):
    sound(tmp_path / "secret.wav")
    saved(
        tmp_path / "x",
        arrow_table(
            {"bytes": encoded(), "path": "a.wav"},
            {"bytes": None, "path": str(tmp_path / "secret.wav")},
            {"bytes": None, "path": "../secret.wav"},
            {"bytes": None, "path": "sub/b.wav"},
        ),
    )
    sound(tmp_path / "x" / "sub" / "b.wav")
    report = run(tmp_path / "x", to)
    assert list(rows(to)) == ["000000-a.wav", "000001-b.wav"]
    assert (
        len([fault for fault in report.faults if "row has no audio and is left out" in fault]) == 2
    )
    saved(tmp_path / "y", arrow_table({"bytes": b"what", "path": "a.bin"}))
    before = sorted(path.name for path in to.rglob("*"))
    with pytest.raises(DataError, match=r"row 1: '000000-a\.bin' is no audio of a known kind"):
        run(tmp_path / "y", to, force=True)
    assert sorted(path.name for path in to.rglob("*")) == before


def test_broken_arrow_files(tmp_path, to):
    saved(tmp_path / "x", arrow_table(*[{"bytes": encoded(), "path": "a.wav"}] * 3))
    path = tmp_path / "x" / "data-00000-of-00001.arrow"
    path.write_bytes(path.read_bytes()[:4000])
    with pytest.raises(DataError, match=r"\.arrow: cannot be read \(partial download\?\)"):
        run(tmp_path / "x", to)
    path.unlink()
    with pytest.raises(DataError, match=r"holds no Arrow or parquet file"):
        run(tmp_path / "x", to)
    saved(tmp_path / "y", pyarrow.table({"text": ["a"]}))
    with pytest.raises(DataError, match=r"no column holds audio \(bytes and path\): text"):
        run(tmp_path / "y", to)
    assert nothing_is_left(to)


# -- WebDataset ---------------------------------------------------------------------------------


def shard(path: Path, members: dict[str, bytes], links: dict[str, str] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return path


def test_shards(tmp_path, to):
    for n in range(2):
        members = {
            "u1.wav": encoded(),
            "u1.json": b'{"speaker": "p1", "emotion": "sad", "list": [1]}',
            "u1.txt": "schön".encode(),
            "sub/u.2.flac": encoded("FLAC"),
            "sub/u.cls": b"joy",
            "u3.json": b"{}",
        }
        shard(tmp_path / "x" / f"test-{n:06d}.tar", members)
    report = run(tmp_path / "x", to)
    assert report.faults == [
        "2 samples have no audio and are left out: test-000000.tar/u3, test-000001.tar/u3"
    ]
    samples = load(to).table
    assert samples["file"].tolist() == [
        f"test-{n:06d}/{name}" for n in range(2) for name in ("u1.wav", "sub/u.2.flac")
    ]
    assert samples["text"].tolist() == ["schön", None] * 2
    assert samples["emotion"].tolist() == ["sadness", None] * 2
    run(tmp_path / "x", to, columns={"emotion": "cls"}, force=True)
    assert load(to).table["emotion"].tolist() == [None, "happiness"] * 2
    assert run(tmp_path / "x" / "test-000001.tar", to, force=True).samples == 2


@pytest.mark.parametrize(
    "name", ["../out.wav", "/path/to/out.wav", "a/../../out.wav", "..\\out.wav", "C:\\out.wav"]
)
def test_paths_that_lead_out_of_an_archive_are_refused(name, tmp_path, to):
    path = shard(tmp_path / "x" / "a.tar", {"ok.wav": encoded(), name: encoded()})
    with pytest.raises(
        DataError, match=r"a\.tar: '.*' leads out of the folder; nothing is written"
    ):
        run(path, to)
    assert nothing_is_left(to)
    assert not list(tmp_path.rglob("out.wav"))


def test_broken_shards(tmp_path, to):
    good = {"u1.wav": encoded(), "u1.json": b"{}"}
    path = shard(tmp_path / "a.tar", good)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(DataError, match=r"a\.tar: .*partial download\?"):
        run(path, to)
    for members, links, fault in (
        ({**good, "u1.json": b"{"}, {}, r"a\.tar: u1\.json: is not valid JSON"),
        (
            {**good, "u1.json": b'{"emotion": "sad", "emotion": "joy"}'},
            {},
            r"a\.tar: u1\.json: .*the key 'emotion' appears twice",
        ),
        ({**good, "u1.json": b"[" * 100_000}, {}, r"a\.tar: u1\.json: is not valid JSON: lists"),
        ({**good, "u1.json": b"[1]"}, {}, r"u1\.json: expected names and values, found \[1\]"),
        ({**good, "u1.txt": b"\xff"}, {}, r"u1\.txt: is not UTF-8 text"),
        ({**good, "u1.flac": encoded("FLAC")}, {}, r"u1\.flac: sample 'u1' has two audio files"),
        ({**good, "u2.wav": b"?"}, {"u3.wav": "/etc/passwd"}, r"'u3\.wav' is a link or a device"),
        ({"u1.json": b"{}"}, {}, r"no sample in 1 tar file has audio"),
    ):
        with pytest.raises(DataError, match=fault):
            run(shard(path, members, links), to)
        assert nothing_is_left(to)


# -- nothing half-imported ----------------------------------------------------------------------


def test_what_was_there_stays_if_an_import_fails(tmp_path, to, monkeypatch):
    path = shard(tmp_path / "a.tar", {"u1.wav": encoded(), "u1.cls": b"sad"})
    run(path, to)
    files = {p.relative_to(to): p.read_bytes() for p in to.rglob("*") if p.is_file()}
    assert len(files) == 3

    def fail(*args: object) -> None:
        raise DataError("told by a test")

    monkeypatch.setattr(importing, "inspect", fail)
    shard(path, {"u9.wav": encoded("FLAC")})
    with pytest.raises(DataError, match="told by a test"):
        run(path, to, force=True)
    assert {p.relative_to(to): p.read_bytes() for p in to.rglob("*") if p.is_file()} == files


def test_an_interrupted_import_leaves_nothing(tmp_path):
    place = tmp_path / "new" / "x"
    with pytest.raises(KeyboardInterrupt), kept(place):
        place.mkdir(parents=True)
        (place / "a").write_text("a")
        raise KeyboardInterrupt
    assert not (tmp_path / "new").exists()


def test_tables_in_the_folders_of_parts(tmp_path, to):
    """An AudioFolder of Hugging Face: each part has a table of its own, which names files of its own."""
    root = tmp_path / "x"
    for name in ("train/sub/1.wav", "train/2.wav", "test/1.wav"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(encoded())
    (root / "train" / "metadata.csv").write_text(
        "file_name,emotion\nsub/1.wav,anger\n2.wav,sadness\n"
    )
    (root / "test" / "metadata.csv").write_text("file_name,emotion\n1.wav,neutral\n")
    report = run(root, to)
    assert "takes the part 'test' of test, train; --split all takes all" in report.notes
    assert (report.faults, report.samples) == ([], 1)
    with pytest.raises(ConfigError, match=r"--split: unknown part 'dev'.*Known: all, test, train"):
        run(root, to, force=True, part="dev")
    assert run(root, to, force=True, part="train").samples == 2
    assert run(root, to, force=True, part="all").faults == []
    samples = load(to)
    assert samples.root == root
    assert samples.table["file"].tolist() == ["test/1.wav", "train/sub/1.wav", "train/2.wav"]
    assert samples.table["emotion"].tolist() == ["neutral", "anger", "sadness"]
    (table,) = (path.read_text() for path in to.rglob("*.csv"))
    assert "train/2.wav,sadness,train" in table and "test/1.wav,neutral,test" in table
    (root / "test" / "metadata.csv").write_text("file_name,emotion\n../train/2.wav,neutral\n")
    with pytest.raises(
        DataError, match=r"test/metadata.csv: line 2: 'test/../train/2.wav' leads out of"
    ):
        run(root, to, force=True)
