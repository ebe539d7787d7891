"""Imports as audformat databases: what others load, and the same rows as those of the CSV file."""

from __future__ import annotations

from pathlib import Path

import audformat
import numpy as np
import pandas as pd
import pytest

from common import spec
from common.cli.main import main
from common.core.errors import ConfigError, DataError
from common.core.paths import Paths
from common.engine.run import Engine
from common.samples import datasets, importing
from common.samples.importing import database
from common.samples.importing.inspection import Inspection
from tests.importing.test_layouts import KNOWN, miniature, sound

BENCHMARK = spec.load_benchmark()
pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in:pandas.errors.Pandas4Warning"
)


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def run(path: Path, to: Path, name: str = "mine", **options) -> Inspection:
    return importing.import_dataset(path, name, None, to, benchmark=BENCHMARK, **options)


def load(to: Path, name: str = "mine") -> datasets.Samples:
    benchmark = spec.load_benchmark([to])
    datasets.check(benchmark.datasets[name])
    return datasets.load(benchmark.datasets[name], to, benchmark.targets)


@pytest.fixture
def interviews(tmp_path: Path) -> Path:
    """Segments with names that need care, ratings of three raters, and a speaker without facts."""
    root = tmp_path / "inter views"
    for name in ("ä b.wav", 'q"uo,te.wav', "c.wav"):
        sound(root / name)
    lines = [
        "path;start;end;Label;arousal;arousal_1;arousal_2;spk;gender;age;lang;note",
        "ä b.wav;0;0.05;joy;0.25;0.2;0.3;01;F;30;de;naïve",
        "ä b.wav;0.05;;angry;0.1;;0.1;01;F;30;de;",
        'q"uo,te.wav;0;0.033333333;;;;;02;M;;en;007',
        "c.wav;;;bored;1;1;1;;;;xx-unknown;",
    ]
    (root / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


@pytest.mark.parametrize("layout", KNOWN.values(), ids=KNOWN.keys())
def test_every_corpus_has_the_rows_of_its_csv_file(layout, tmp_path, to):
    root = miniature(layout, tmp_path / "download (copy)")
    options = {"part": "all" if layout.split else ""}
    plain = run(root, to, "plain", write="csv", **options)
    report = run(root, to, **options)
    assert (plain.entry["adapter"], report.entry["adapter"]) == ("folder", "audformat")
    assert report.entry["version"] == plain.entry["version"]
    one, other = load(to, "plain"), load(to)
    pd.testing.assert_frame_equal(one.table, other.table)
    names = [path.name for path in to.iterdir()]
    assert "mine.csv" not in names
    audio = ["mine-audio", "plain-audio"] if layout.matlab else []
    assert sorted(names) == sorted(["datasets.yaml", "mine-audformat", "plain.csv", *audio])
    if layout.matlab is None:
        assert one.root == other.root == root
    db = audformat.Database.load(str(to / "mine-audformat"))
    assert db.license == layout.license
    assert (db.usage == "restricted") == (layout.license == "restricted")
    assert (to / "mine-audformat" / db.meta["audio"]).resolve() == other.root
    (table,) = db.tables.values()
    assert table.files.tolist() == one.table["file"].tolist()
    language = layout.constants.get("language")
    assert not language or db.languages == [language]


def test_header_schemes_raters_and_times(interviews, to):
    report = run(interviews, to)
    assert report.faults == []
    db = audformat.Database.load(str(to / "mine-audformat"))
    assert (db.name, db.usage, list(db.tables)) == ("mine", "other", ["segments"])
    assert db.languages == ["deu", "eng"]
    assert db.schemes["emotion"].labels == [*BENCHMARK.targets["emotion"].labels, "boredom"]
    arousal = db.schemes["arousal"]
    assert (arousal.dtype, arousal.minimum, arousal.maximum) == ("float", 0, 1)
    assert db.schemes["speaker"].labels == {
        "01": {"sex": "female", "age": "30", "language": "de"},
        "02": {"sex": "male", "language": "en"},
    }
    assert db["segments"].columns["arousal_1"].rater_id == "1"
    assert {name: rater.type for name, rater in db.raters.items()} == {"1": "human", "2": "human"}
    media = db.media["audio"]
    assert (media.format, media.sampling_rate, media.channels) == ("wav", 16000, 1)
    frame = db["segments"].df
    assert frame.index.get_level_values("end")[2] == pd.Timedelta(33333333, "ns")
    assert frame["note"].tolist()[2] == "007"
    table = load(to).table
    assert table["emotion"].tolist() == ["happiness", "anger", None, "boredom"]
    assert table["end"].tolist() == [50_000_000, -1, 33_333_333, -1]
    np.testing.assert_array_equal(table["ratings of arousal: arousal_1"], [0.2, np.nan, np.nan, 1])


def test_votes_are_ratings(tmp_path, to):
    run(miniature(KNOWN["crema-d"], tmp_path / "x"), to, part="all")
    db = audformat.Database.load(str(to / "mine-audformat"))
    assert db.raters["votes"].type == "vote"
    assert db["files"].columns["votes_happiness"].rater_id == "votes"


def test_audformat_publishes_what_was_written(interviews, to, tmp_path, monkeypatch):
    """With its audio in the folder a database can be published, and is loaded by audb."""
    import audb

    run(interviews, to)
    folder = to / "mine-audformat"
    for path in interviews.glob("*.wav"):
        (folder / path.name).write_bytes(path.read_bytes())
    (tmp_path / "host" / "repository").mkdir(parents=True)
    repository = audb.Repository("repository", str(tmp_path / "host"), "file-system")
    monkeypatch.setattr(audb.config, "REPOSITORIES", [repository])
    audb.publish(str(folder), "1.0.0", repository, verbose=False)
    cache = str(tmp_path / "cache")
    db = audb.load("mine", version="1.0.0", full_path=False, verbose=False, cache_root=cache)
    expected = audformat.Database.load(str(folder))["segments"].df
    pd.testing.assert_frame_equal(db["segments"].df, expected)


def test_two_imports_are_equal_and_the_catalog_can_move(interviews, to, tmp_path):
    def content() -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in (to / "mine-audformat").iterdir()}

    run(interviews, to)
    first = content()
    catalog = to / "datasets.yaml"
    catalog.write_text(catalog.read_text("utf-8") + "  license: none\n  cite: mine\n", "utf-8")
    notes = run(interviews, to, force=True).notes
    lost = "warning: the entry that was replaced had more: license: 'none', cite: 'mine'"
    assert [note for note in notes if "replaced" in note] == [lost]
    assert content() == first
    assert not any("replaced" in note for note in run(interviews, to, force=True).notes)
    assert sorted(first) == ["db.segments.csv", "db.yaml"]
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in (interviews, to):
        path.rename(moved / path.name)
    assert load(moved / "catalog").root == moved / "inter views"


def test_what_an_import_wrote_can_be_imported(interviews, to, tmp_path):
    run(interviews, to)
    report = run(to / "mine-audformat", tmp_path / "other", "again")
    assert report.faults == []
    assert f"its header names another folder for the audio: {interviews}" in report.notes
    before, after = load(to).table, load(tmp_path / "other", "again").table
    pd.testing.assert_frame_equal(before[list(after)], after)


def test_where_rows_lie_decides_about_the_default(interviews, to, tmp_path):
    root = tmp_path / "plain"
    sound(root / "a.wav")
    (root / "metadata.csv").write_text("file,emotion,arousal\na.wav,joy,0.5\n")
    assert run(root, to).entry["adapter"] == "folder"
    assert not (to / "mine-audformat").exists()
    before = load(to).table
    assert run(root, to, force=True, write="audformat").entry["adapter"] == "audformat"
    pd.testing.assert_frame_equal(load(to).table, before)
    assert (root / "metadata.csv").is_file()
    assert run(interviews, to, "csv", write="csv").entry["adapter"] == "folder"
    with pytest.raises(ConfigError, match=r"--write csv: the data are an audformat database"):
        run(to / "mine-audformat", to, "no", write="csv")
    with pytest.raises(ConfigError, match=r"--write: unknown form 'audfromat'. Did you mean 'aud"):
        run(root, to, "no", write="audfromat")


def test_another_form_takes_the_place_of_the_first(interviews, to):
    for form, names in (("audformat", ["mine-audformat"]), ("csv", ["mine.csv"])):
        run(interviews, to, force=True, write=form)
        assert sorted(path.name for path in to.iterdir()) == sorted(["datasets.yaml", *names])


def test_folders_of_others_are_not_written_over(interviews, to):
    folder = to / "mine-audformat"
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"mine-audformat: already exists and holds no db.yaml"):
        run(interviews, to)
    assert (folder / "thesis.txt").read_text() == "mine"
    interviews.rename(to / "self-audio")
    with pytest.raises(ConfigError, match=r"self-audio: lies where the import would write"):
        run(to / "self-audio", to, "self")
    assert (to / "self-audio" / "c.wav").is_file()


def test_faulty_values_stay_faults(tmp_path, to):
    root = tmp_path / "x"
    sound(root / "a.wav")
    (root / "metadata.csv").write_text("path,arousal,valence\na.wav,high,3\n")
    report = run(root, to)
    assert any("1 value of arousal that is no number: high" in fault for fault in report.faults)
    with pytest.raises(DataError, match=r"arousal = 'high' is no number"):
        load(to)


def test_values_that_would_be_read_otherwise_are_refused(interviews, to, monkeypatch, capsys):
    def spoilt(values):
        return [None if pd.isna(value) else str(value)[:2] for value in values]

    monkeypatch.setattr(database, "_texts", spoilt)
    assert main(["import", str(interviews), "--as", "mine", "--to", str(to)]) == 2
    err = capsys.readouterr().err
    assert "read again as" in err and "--write csv" in err and err.count("\n") == 1
    assert not to.exists()


def test_an_entry_names_its_audio_rightly(interviews, to):
    run(interviews, to)
    catalog = to / "datasets.yaml"
    text = catalog.read_text()
    catalog.write_text(text.replace("audio: ../inter views", "audio: ../gone"))
    entry = spec.load_benchmark([to]).datasets["mine"]
    assert "gone does not exist" in datasets.availability(entry, to)
    catalog.write_text(text.replace("adapter: audformat", "adapter: folder"))
    with pytest.raises(ConfigError, match=r"mine.audio: goes with adapter audformat only"):
        datasets.check(spec.load_benchmark([to]).datasets["mine"])


def test_results_are_the_same_bytes(tmp_path):
    """Rows of a run on the database and on the CSV file."""
    results = []
    for form in ("csv", "audformat"):
        to = tmp_path / form / "catalog"
        run(miniature(KNOWN["ravdess"], tmp_path / "data"), to, part="all", write=form)
        (to / "models.yaml").write_text(
            "- {id: mine, version: '1', adapter: predictions, path: p.csv, outputs: {emotion: {}}}\n"
        )
        files = load(to).table["file"]
        lines = [f"{file},{label}" for file, label in zip(files, ("anger", "neutral"), strict=True)]
        (to / "p.csv").write_text("\n".join(["file,emotion", *lines]) + "\n")
        folders = Paths(output=tmp_path / form / "out", cache=tmp_path / form / "cache")
        report = Engine(spec.load_benchmark([to]), folders).run(spec_filters(["mine"]), force=True)
        assert report.computed > 0
        files = sorted(folders.method_tests.rglob("emotion/mine/*.csv"))
        results.append({path.name: path.read_bytes() for path in files})
    assert results[0] == results[1]
    assert results[0]


def spec_filters(names):
    from common.engine.plan import Filters

    return Filters(models=names, targets=[], tests=[], datasets=["mine"])
