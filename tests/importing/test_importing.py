"""``build.py import`` on good and broken folders."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import audformat
import numpy as np
import pytest
import soundfile

from common import spec
from common.cli.main import main
from common.core.errors import ConfigError, DataError
from common.samples import datasets, importing
from common.samples.importing import conventions
from tests.recordings import recordings

BENCHMARK = spec.load_benchmark()


def sound(path: Path, seconds: float = 0.1) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros(round(16000 * seconds)), 16000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder with four files and a table that uses other people's words."""
    root = tmp_path / "My data (2024)"
    for name in "abcd":
        sound(root / f"{name}.wav")
    (root / "metadata.csv").write_text(
        "file,Emotion,speaker_id,Gender,arousal,valence,note,licence\n"
        "a.wav,joy,01,F,0.2,,x,CC BY 4.0\n"
        "b.wav,angry,01,F,0.4,,,CC BY 4.0\n"
        "c.wav,bored,02,M,,,,CC BY 4.0\n"
        "d.wav,,,,,,,CC BY 4.0\n"
    )
    return root


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def run(path: Path, to: Path, name: str | None = "mine", form: str | None = None, **options):
    return importing.import_dataset(path, name, form, to, benchmark=BENCHMARK, **options)


def load(to: Path, name: str = "mine") -> datasets.Samples:
    benchmark = spec.load_benchmark([to])
    datasets.check(benchmark.datasets[name])
    return datasets.load(benchmark.datasets[name], to, benchmark.targets)


@pytest.mark.parametrize(
    ("options", "found"),
    [((), "embedded"), (("--corpora", "embedded"), "embedded"), (("--corpora", "paper"), "")],
)
def test_corpora_of_noises_and_rooms(folder, to, capsys, options, found):
    assert main(["import", str(folder), "--as", "mine", "--to", str(to), *options]) == 0
    out = capsys.readouterr().out
    dataset = spec.load_benchmark([to]).datasets["mine"]
    assert dataset.corpora == found
    assert ("'corpora: embedded' (--corpora paper" in out) == bool(found)
    command = shlex.split(out.splitlines()[-1].partition("python build.py ")[2])
    assert main(command) == 0
    assert "takes part" in capsys.readouterr().out


def test_an_id_that_differs_in_case_only_is_refused_before_anything_is_written(folder, to):
    run(folder, to, "mine")
    before = (to / "datasets.yaml").read_text("utf-8")
    for options in ({}, {"force": True}):
        with pytest.raises(ConfigError, match="has a dataset 'mine', which differs from 'Mine' in"):
            run(folder, to, "Mine", **options)
    assert (to / "datasets.yaml").read_text("utf-8") == before


def test_messages_name_the_file_once(tmp_path, to):
    (tmp_path / "data").mkdir()
    table = tmp_path / "data" / "metadata.csv"
    table.write_text("")
    with pytest.raises(DataError) as caught:
        run(tmp_path / "data", to)
    assert str(caught.value) == f"{table}: is empty"
    with pytest.raises(ConfigError, match=r"data: holds no db.yaml, so it is no audformat data"):
        run(tmp_path / "data", to, form="audformat")


def test_an_infinite_value_is_no_number(folder, to):
    table = folder / "metadata.csv"
    table.write_text(table.read_text().replace("0.4", "1e400"))
    assert "1 value of arousal that is no number: 1e400" in run(folder, to).faults


def test_unknown_corpora_leave_nothing_behind(folder, to, capsys):
    assert main(["import", str(folder), "--to", str(to), "--corpora", "embeded"]) == 2
    err = capsys.readouterr().err
    assert "--corpora: unknown set of corpora 'embeded'. Did you mean 'embedded'?" in err
    assert not to.exists()


def test_columns_labels_and_licence_are_found(folder, to):
    report = run(folder, to)
    assert report.entry == {
        "id": "mine",
        "version": report.entry["version"],
        "adapter": "folder",
        "path": "../My data (2024)",
        "columns": {
            "arousal": "arousal",
            "emotion": "Emotion",
            "speaker": "speaker_id",
            "sex": "Gender",
        },
        "mapping": {
            "emotion": {"joy": "happiness", "angry": "anger", "bored": "boredom"},
            "sex": {"F": "female", "M": "male"},
        },
        "license": "CC-BY-4.0",
    }
    assert (report.samples, report.files, report.speakers) == (4, 4, 2)
    assert report.duration_s == pytest.approx(0.4)
    assert report.labels == {
        "emotion": {"anger": 1, "boredom": 1, "happiness": 1},
        "sex": {"female": 2, "male": 1},
    }
    assert report.faults == []
    assert report.notes == [
        "emotion: labels that are no class of the target (only tests of expected ranges use such labels): boredom (1)",
        "1 column is not used: note (--columns NAME=COLUMN says what a column holds)",
    ]


def test_a_label_with_a_slip_of_the_pen_and_an_unused_column_are_named(tmp_path, to, capsys):
    rows = ["file,emotion,gen,vas"]
    for number, label in enumerate(["anger", "angerr", "unhappiness", "happines", "happines"]):
        sound(tmp_path / "d" / f"{number}.wav")
        rows.append(f"{number}.wav,{label},m,3")
    (tmp_path / "d" / "metadata.csv").write_text("\n".join(rows) + "\n")
    report = run(tmp_path / "d", to)
    assert report.faults == [
        "emotion: 'angerr' (1 sample) is no class; is 'anger' meant?",
        "emotion: 'happines' (2 samples) is no class; is 'happiness' meant?",
    ]
    said = "2 columns are not used: gen, vas (--columns NAME=COLUMN says what a column holds)"
    assert said in report.notes
    named = run(tmp_path / "d", to, "named", columns={"sex": "gen"})
    assert any(note.startswith("1 column is not used: vas") for note in named.notes)
    assert named.entry["mapping"]["sex"] == {"m": "male"}


def test_a_table_without_files_says_which_option_names_them(tmp_path, to, capsys):
    sound(tmp_path / "d" / "1.wav")
    (tmp_path / "d" / "metadata.csv").write_text("which_sound,emotion\n1.wav,anger\n")
    assert main(["import", str(tmp_path / "d"), "--to", str(to)]) == 2
    assert "--columns file=NAME says which one has the paths" in capsys.readouterr().err


@pytest.mark.parametrize("column", ["my-target", "My target", "MY_TARGET"])
def test_a_column_is_known_however_it_is_written(column):
    assert conventions.load().column("my-target", ["file", column]) == column
    assert conventions.load().column("my-target", ["file", "mytargets"]) == ""


@pytest.mark.parametrize("name", ["MSP-Podcast", "msp podcast", "Crema_D"])
def test_a_corpus_is_known_however_it_is_written(tmp_path, to, name, capsys):
    assert main(["import", str(tmp_path / name), "--to", str(to)]) == 2
    assert "is never downloaded by import" in capsys.readouterr().err


def test_the_entry_can_be_loaded_and_keeps_rows_without_labels(folder, to):
    run(folder, to)
    samples = load(to)
    assert samples.table["emotion"].tolist() == ["happiness", "anger", "boredom", None]
    np.testing.assert_array_equal(samples.table["arousal"], [0.2, 0.4, np.nan, np.nan])
    assert samples.root == folder


def test_catalog_and_data_can_move_together_or_stand_apart(folder, to, tmp_path):
    run(folder, to)
    other = tmp_path / "far" / "away" / "catalog"
    assert run(folder, other).entry["path"] == str(folder)
    assert len(load(other).table) == 4
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in (folder, to):
        path.rename(moved / path.name)
    assert len(load(moved / "catalog").table) == 4


def test_the_report_as_text_and_json(folder, to):
    report = run(folder, to)
    assert json.loads(json.dumps(report.to_dict()))["samples"] == 4
    lines = report.text().splitlines()
    version = report.entry["version"]
    assert lines[0] == f"mine {version}: 4 samples in 4 files, 0.00 hours, 2 speakers"
    assert lines[1] == "  emotion: anger 1, boredom 1, happiness 1"
    assert lines[-2] == f"written to {to / 'datasets.yaml'}; use it with --catalog {to}"


def test_the_version_changes_with_the_content_only(folder, to):
    first = run(folder, to).entry["version"]
    assert run(folder, to, force=True).entry["version"] == first
    sound(folder / "a.wav", 0.2)
    second = run(folder, to, force=True).entry["version"]
    text = (folder / "metadata.csv").read_text()
    (folder / "metadata.csv").write_text(text.replace("bored", "sad"))
    third = run(folder, to, force=True).entry["version"]
    assert len({first, second, third}) == 3
    assert first.startswith("1.0.0-")


def test_names(folder, to):
    assert run(folder, to, None).id == "My-data-2024-"
    with pytest.raises(ConfigError, match=r"--as a b: an id holds letters"):
        run(folder, to, "a b")
    with pytest.raises(ConfigError, match=r"^--as CON: this id is the name of a device on Windows"):
        run(folder, to, "CON")
    with pytest.raises(ConfigError, match=r"no: no such folder"):
        run(folder / "no", to)
    with pytest.raises(ConfigError, match=r"unknown format 'foldr'\. Did you mean 'folder'\?"):
        run(folder, to, form="foldr")
    with pytest.raises(
        ConfigError, match=r"holds 4 audio files .*neither metadata\.csv nor db\.yaml"
    ):
        run(to.parent, to)
    builtin = next(iter(BENCHMARK.datasets))
    assert (
        f"takes the place of the built-in dataset '{builtin}'" in run(folder, to, builtin).notes[-2]
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("metadata.csv", "file,emotion\n", "has no rows"),
        ("other.csv", "file,emotion\n", "has no rows"),
        ("other.csv", "path,emotion\n", "has no rows"),
        ("other.tsv", "file\temotion\n", "has no rows"),
        ("other.csv", "file,emotion\n,anger\n", "line 2: file: missing"),
        ("metadata.csv", "file,emotion,emotion\na,b,c\n", "column 'emotion' appears twice"),
    ],
)
def test_faults_of_rows_name_the_table_and_no_entry_that_was_not_written(
    tmp_path, to, capsys, name, text, message
):
    table = tmp_path / "data" / name
    table.parent.mkdir()
    table.write_text(text)
    path = table.parent if name == "metadata.csv" else table
    assert main(["import", str(path), "--as", "mine", "--to", str(to)]) == 2
    assert capsys.readouterr().err == f"error: {table}: {message}\n"
    assert not to.exists()


@pytest.mark.parametrize("form", ["", "csv"])
def test_a_table_is_imported_under_its_own_name(tmp_path, to, form):
    sound(tmp_path / "a.wav")
    table = tmp_path / "mine.csv"
    table.write_text("path,label\na.wav,anger\n")
    text = table.read_text()
    assert run(table, to, None, write=form).faults == []
    assert load(to).table["emotion"].tolist() == ["anger"]
    assert table.read_text() == text
    written = {path.name for path in to.iterdir()}
    assert written == {"datasets.yaml", "mine-rows.csv" if form else "mine-audformat"}


def test_an_existing_id_is_replaced_only_by_force(folder, to):
    to.mkdir()
    catalog = to / "datasets.yaml"
    catalog.write_text(
        "# mine\n"
        "  - id: first   # one\n"
        "    version: '1'\n"
        "    adapter: folder\n"
        "    path: ../first\n"
        "\n"
        "  # two\n"
        "  - {id: second, version: '1', adapter: folder, path: x}  # flow\n"
        "# the end\n"
    )
    before = catalog.read_text()
    with pytest.raises(ConfigError, match=r"has a dataset 'second' already; --force replaces it"):
        run(folder, to, "second")
    assert catalog.read_text() == before
    run(folder, to, "third")
    assert catalog.read_text().startswith(before)
    for name in ("first", "second", "third"):
        run(folder, to, name, force=True)
        assert list(spec.load_entries(spec.Dataset, catalog)) == ["first", "second", "third"]
        assert len(load(to, name).table) == 4
    text = catalog.read_text()
    assert [line for line in text.splitlines() if "#" in line] == [
        "# mine",
        "  # two",
        "    license: CC-BY-4.0  # flow",
        "# the end",
    ]


@pytest.mark.parametrize("text", ["[{id: a, version: '1', adapter: folder, path: x}]", "a: b", "["])
def test_a_catalog_that_cannot_be_extended_stays_as_it_is(folder, to, text):
    to.mkdir()
    (to / "datasets.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"datasets\.yaml"):
        run(folder, to, force=True)
    assert (to / "datasets.yaml").read_text() == text


def test_one_value_outside_is_not_several(folder, to):
    (folder / "metadata.csv").write_text("file,arousal\na.wav,3\nb.wav,0.5\nc.wav,0.1\n")
    assert run(folder, to).faults == [
        "arousal: 1 value outside [0, 1], 3; add 'scale: [min, max]' to the entry"
    ]


def test_all_faults_of_the_data_are_listed(folder, to):
    sound(folder / "long.wav", 1)
    (folder / "b.wav").unlink()
    (folder / "c.wav").write_bytes(b"")
    (folder / "d.wav").write_text("no audio at all")
    (folder / "metadata.csv").write_text(
        "file,start,end,emotion,arousal,speaker,sex\n"
        "a.wav,,,anger,3,s1,male\n"
        "b.wav,,,anger,5,s1,female\n"
        "c.wav,,,rage,1,s1,male\n"
        "d.wav,,,anger,high,s2,male\n"
        "long.wav,0.5,1.05,anger,0.5,s2,male\n"
        "long.wav,0.5,1.5,anger,,s2,male\n"
        "long.wav,2,,anger,,s2,male\n"
    )
    report = run(folder, to)
    assert report.faults == [
        "1 audio file does not exist: b.wav",
        "1 audio file is empty (0 bytes): c.wav",
        "1 audio file is no audio file that can be decoded: d.wav",
        "2 segments beyond the end of the file: long.wav from 0.5 s, long.wav from 2 s",
        "1 value of arousal that is no number: high",
        "arousal: 2 values outside [0, 1], from 3 to 5; add 'scale: [min, max]' to the entry",
        "1 speaker with more than one sex: s1",
    ]
    assert "rage (1)" in report.notes[0]
    assert report.duration_s == pytest.approx(1.1)
    with pytest.raises(
        DataError, match=r"arousal = '3' lies outside|arousal = 'high' is no number"
    ):
        load(to)


def test_a_table_that_cannot_be_used_leaves_no_entry(folder, to):
    (folder / "metadata.csv").write_text("file,emotion\na.wav,anger\na.wav,anger\n")
    with pytest.raises(DataError, match=r"row 2 \(a\.wav\): the same segment as row 1"):
        run(folder, to)
    (folder / "metadata.csv").write_text("name,emotion\na.wav,anger\n")
    with pytest.raises(DataError, match="unknown column 'file'"):
        run(folder, to)
    assert not (to / "datasets.yaml").exists()


def test_without_labels(tmp_path, to):
    sound(tmp_path / "data" / "a.wav")
    (tmp_path / "data" / "metadata.csv").write_text("file,foo\na.wav,\n")
    report = run(tmp_path / "data" / "metadata.csv", to)
    assert "columns" not in report.entry
    assert report.notes == ["has no labels of a target; serves tests that need none"]
    assert load(to).table["file"].tolist() == ["a.wav"]


@pytest.mark.filterwarnings("ignore:The inplace keyword in:pandas.errors.Pandas4Warning")
def test_audformat(tmp_path, to):
    root = tmp_path / "data"
    db = audformat.Database("db", source="here", usage="unrestricted", license="CC0-1.0")
    db.schemes["who"] = audformat.Scheme(labels={"s1": {"gender": "f"}, "s2": {"gender": "m"}})
    db.schemes["emotion"] = audformat.Scheme(labels=["joy", "anger"])
    files = [f"{n}.wav" for n in range(4)]
    for file in files:
        sound(root / file)
    for name, part in (("train", files[:3]), ("test", files[3:]), ("files", files)):
        db[name] = audformat.Table(audformat.filewise_index(part))
    for name, values in (("train", ["joy", "anger", None]), ("test", ["joy"])):
        db[name]["emotion"] = audformat.Column(scheme_id="emotion")
        db[name]["emotion"].set(values)
    db["files"]["speaker"] = audformat.Column(scheme_id="who")
    db["files"]["speaker"].set(["s1", "s1", "s2", "s2"])
    db.save(str(root))
    report = run(root, to)
    assert report.entry["adapter"] == "audformat"
    assert report.entry["table"] == "test"
    assert report.entry["columns"] == {
        "emotion": "emotion",
        "speaker": {"table": "files", "column": "speaker"},
        "sex": {"table": "files", "column": "speaker", "map": "gender"},
    }
    assert report.entry["mapping"] == {"emotion": {"joy": "happiness"}, "sex": {"m": "male"}}
    assert report.entry["license"] == "CC0-1.0"
    assert report.notes == ["1 table could be used too, with an entry of its own: train"]
    samples = load(to)
    assert samples.table[["emotion", "speaker", "sex"]].to_numpy().tolist() == [
        ["happiness", "s2", "male"]
    ]
    (root / "db.yaml").write_text("broken: [")
    with pytest.raises(DataError, match=r"db\.yaml, line 2, column 1: not valid YAML"):
        run(root, to, "other")


def test_an_original_download(tmp_path, to):
    root = tmp_path / "wav"
    for name in ("03a01Fa.wav", "03a01Wb.WAV", "sub/08b09Nd.wav", "unknown.wav"):
        sound(root / name)
    (root / "notes.txt").write_text("no audio")
    report = run(root, to)
    assert report.entry["adapter"] == "audformat"
    assert (report.entry["license"], report.entry["alias"]) == ("CC0-1.0", "all")
    assert report.notes == [
        "1 audio file is not named as in 'emodb': unknown.wav",
        "expected 535 audio files, found 3: not the complete emodb?",
        "expected 10 different values of speaker, found 2: not the complete emodb?",
        "expected 231 audio files in the part 'test', found 0: not the complete emodb?",
        "holds nothing of the part 'test', which the paper used: all is taken",
    ]
    samples = load(to)
    assert samples.root == root
    columns = ["file", "emotion", "speaker", "sex", "language"]
    assert samples.table[columns].to_numpy().tolist() == [
        ["03a01Fa.wav", "happiness", "03", "male", "deu"],
        ["03a01Wb.WAV", "anger", "03", "male", "deu"],
        ["sub/08b09Nd.wav", "neutral", "08", "female", "deu"],
    ]
    assert samples.dataset.data == f"mine-{report.entry['version']}-all"


def test_a_failed_import_leaves_the_table_of_the_catalog_as_it_was(tmp_path, to, monkeypatch):
    root = tmp_path / "wav"
    sound(root / "03a01Fa.wav")

    def fail(*args):
        raise DataError("told by a test")

    monkeypatch.setattr(importing, "inspect", fail)
    with pytest.raises(DataError, match="told by a test"):
        run(root, to)
    assert not to.exists()
    to.mkdir()
    (to / "mine.csv").write_text("mine")
    (to / "mine-audformat").mkdir()
    (to / "mine-audformat" / "db.yaml").write_text("mine")
    with pytest.raises(DataError, match="told by a test"):
        run(root, to)
    assert (to / "mine.csv").read_text() == "mine"
    assert (to / "mine-audformat" / "db.yaml").read_text() == "mine"
    assert sorted(path.name for path in to.iterdir()) == ["mine-audformat", "mine.csv"]


#: layout of names -> licence in the README, folder, and per file what its name means
DOWNLOADS = {
    "emodb": (
        "CC0-1.0",
        "wav",
        {
            "03a01Fa.flac": ("03", "male", "deu", "happiness"),
            "08b02Wc.flac": ("08", "female", "deu", "anger"),
            "16a05Nb.flac": ("16", "female", "deu", "neutral"),
            "10b09Td.flac": ("10", "male", "deu", "sadness"),
        },
    ),
    "ravdess": (
        "CC BY-NC-SA 4.0",
        "wav",
        {
            "03-01-01-01-01-01-01.flac": ("01", "male", "eng", "neutral"),
            "03-01-05-02-02-01-02.flac": ("02", "female", "eng", "anger"),
            "03-01-08-01-01-02-24.flac": ("24", "female", "eng", "surprise"),
        },
    ),
    "nemo": (
        "CC BY-NC-SA 4.0",
        "samples",
        {
            "EB0_anger_1.flac": ("EB0", "female", "pol", "anger"),
            "SB1_surprised_90.flac": ("SB1", "male", "pol", "surprise"),
        },
    ),
}


@pytest.fixture(params=DOWNLOADS)
def download(request, tmp_path: Path) -> Path:
    """A synthesised folder with the names, the table and the README of a public collection."""
    licence, folder, files = DOWNLOADS[request.param]
    root = tmp_path / request.param
    lines = ["file,speaker,sex,age,language,emotion,arousal,valence,dominance,transcript,take"]
    for name, (speaker, sex, language, emotion) in files.items():
        sound(root / folder / name)
        lines.append(f"{folder}/{name},{speaker},{sex},,{language},{emotion},,,,Words,a")
    (root / "metadata.csv").write_text("\n".join(lines) + "\n")
    (root / "README.md").write_text(f"# Speech\n\n* Made here; licence {licence} (attribution).\n")
    return root


def imported(root: Path, to: Path) -> tuple[int, int, str]:
    """Imports a folder, of which nothing may be missing: samples, speakers and licence."""
    report = run(root, to)
    assert report.faults == []
    assert len(load(to).table) == report.samples
    return report.samples, report.speakers, report.entry.get("license", "")


def same_labels(root: Path, folder: str, to: Path, part: str) -> None:
    """Labels from the names of the files are those of the table."""
    run(root / folder, to, "names", part=part)
    run(root, to, "table")
    names, table = load(to, "names").table, load(to, "table").table
    table["file"] = table["file"].str.rpartition("/")[2]
    keys = ["emotion", "speaker", "language"] + (["sex"] if "sex" in names else [])
    both = names.merge(table, on="file", suffixes=("", "_t"))
    assert len(both) == len(names) == len(table)
    for key in keys:
        assert (both[key] == both[f"{key}_t"]).all(), key


def test_synthesised_downloads(download, to):
    licence, folder, files = DOWNLOADS[download.name]
    words = licence.replace("CC BY", "CC-BY").replace(" ", "-")
    speakers = {speaker for speaker, *_ in files.values()}
    assert imported(download, to) == (len(files), len(speakers), words)
    same_labels(download, folder, to, "" if download.name == "nemo" else "all")


@pytest.mark.parametrize(
    ("name", "samples", "speakers", "license_"),
    [
        ("emodb", 365, 10, "CC0-1.0"),
        ("ravdess", 120, 8, "CC-BY-NC-SA-4.0"),
        ("nemo", 126, 3, "CC-BY-NC-SA-4.0"),
        ("esc-10", 120, 0, ""),
        ("coughs", 9, 9, "CC-BY-2.0"),
        ("music", 5, 0, ""),
        ("languages", 23, 5, ""),
        ("multi-microphone", 12, 1, ""),
        ("impulse-responses", 23, 0, ""),
    ],
)
def test_real_folders(to, name, samples, speakers, license_):
    folder = recordings(name, "synthesised downloads")
    assert imported(folder, to) == (samples, speakers, license_)


@pytest.mark.parametrize(
    ("name", "folder", "part"),
    [("emodb", "wav", "all"), ("ravdess", "wav", "all"), ("nemo", "samples", "")],
)
def test_real_downloads_get_the_labels_of_their_metadata(to, name, folder, part):
    same_labels(recordings(name, "synthesised downloads"), folder, to, part)


def test_faults_of_data_are_an_exit_code_and_name_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, to = tmp_path / "data", tmp_path / "catalog"
    folder.mkdir()
    noise = np.random.default_rng(0).normal(size=64000) / 10
    for name in ("a.wav", "c.flac"):
        soundfile.write(folder / name, noise, 16000)
    whole = (folder / "c.flac").read_bytes()
    (folder / "c.flac").write_bytes(whole[: len(whole) // 2])
    table = folder / "metadata.csv"
    words = ["import", str(folder), "--to", str(to)]
    table.write_text("file,emotion\na.wav,anger\na.wav,sadness\n")
    assert main(words) == 2
    said = capsys.readouterr().err
    assert (
        f"{table}: row 2 (a.wav): the same segment as row 1, with emotion 'anger' and 'sadness'"
        in said
    )
    table.write_text("file,emotion\na.wav,anger\n../c.flac,sadness\n")
    assert main(words) == 2
    assert f"{table}: '../c.flac' leads out of the database" in capsys.readouterr().err
    assert not (to / "datasets.yaml").exists()
    table.write_text("file,emotion\na.wav,anger\nc.flac,sadness\n")
    assert main(words) == 1
    assert (
        "fault: 1 audio file is truncated or damaged: the end cannot be read"
        in capsys.readouterr().out
    )
    assert (to / "datasets.yaml").exists()
    table.write_text("file,emotion\na.wav,anger\n")
    assert main([*words, "--force"]) == 0
