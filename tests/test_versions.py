"""Two versions of a database: the same audio is changed and predicted once, and nothing else is."""

from __future__ import annotations

import ast
import shutil
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import audb
import audformat
import numpy as np
import pandas as pd
import pytest
import soundfile

from common import models
from common.core import paths
from common.core.errors import DataError
from common.engine.plan import Filters
from common.engine.requests import Asking
from common.perturbations.library import Library
from common.predictions.attributes import Context, acoustics, f0_models, segment_f0
from common.predictions.inputs import Request, Source
from common.predictions.predict import Predictor
from common.predictions.store import PredictionStore, parts_of
from common.samples import audb_adapter, datasets
from common.samples.base import Kin, Samples
from common.spec import load_benchmark

#: raised inside of audb and audformat
pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in:pandas.errors.Pandas4Warning"
)
ENTRY = """
- id: {id}
  name: tonesdb
  version: {version}
  adapter: audb
  table: files
  columns: {{emotion: emotion, arousal: arousal, speaker: speaker, sex: sex}}
"""
#: files of a version; the second one has a file of other content, and one under another name
FILES = 280
CHANGED, RENAMED, NEW_NAME = "000.wav", "279.wav", "new.wav"
VERSIONS = {"old": "2.6.0", "new": "2.6.1"}
LISTENING, CHANCE = ("loud",), ("chance-value", "chance-class")
TEST = "robustness_small_changes"
CONDITIONS = 11


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Host of repository ``repo``, which holds both versions of ``tonesdb``."""
    host, tones = tmp_path_factory.mktemp("host"), tmp_path_factory.mktemp("tones")
    (host / "repo").mkdir()
    rng = np.random.default_rng(1)
    rows = {}
    for number in range(FILES):
        level = 0.08 + 0.14 * (number % 4) + rng.uniform(0, 0.04)
        time = np.arange(int(rng.integers(800, 1600))) / 16000
        tone = np.sqrt(2) * level * np.sin(2 * np.pi * 200 * time)
        soundfile.write(tones / f"{number:03d}.wav", tone, 16000)
        label = ("sadness", "neutral", "happiness", "anger")[number % 4]
        rows[f"{number:03d}.wav"] = (label, 1.5 * level, f"s{number % 7}", "female")
    columns = ["emotion", "arousal", "speaker", "sex"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    _publish(host, tones, table, VERSIONS["old"])
    soundfile.write(tones / CHANGED, 0.2 * rng.standard_normal(1600).clip(-1, 1), 16000)
    (tones / RENAMED).rename(tones / NEW_NAME)
    _publish(host, tones, table.rename(index={RENAMED: NEW_NAME}), VERSIONS["new"])
    return host


def _publish(host: Path, tones: Path, table: pd.DataFrame, version: str) -> None:
    db = audformat.Database("tonesdb", usage="unrestricted", license="CC0-1.0", source="here")
    db["files"] = audformat.Table(audformat.filewise_index(list(table.index)))
    for name in table.columns:
        db["files"][name] = audformat.Column()
        db["files"][name].set(table[name].tolist())
    build = host / f"build-{version}"
    shutil.copytree(tones, build)
    db.save(str(build))
    repository = audb.Repository("repo", str(host), "file-system")
    archives = dict.fromkeys(table.index, "all")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(audb.config, "REPOSITORIES", [repository])
        warnings.simplefilter("ignore")  # of pandas, inside of audb
        audb.publish(
            str(build), version, repository, archives=archives, previous_version=None, verbose=False
        )


@pytest.fixture
def versions(mini, host: Path, monkeypatch: pytest.MonkeyPatch):
    """The miniature benchmark with both versions in its catalog."""
    repository = audb.Repository("repo", str(host), "file-system")
    monkeypatch.setattr(audb.config, "REPOSITORIES", [repository])
    monkeypatch.delenv("AUDB_CACHE_ROOT", raising=False)
    declare(mini, "old", "new")
    return mini


def declare(mini, *ids: str) -> None:
    """Write the catalog of datasets in an order."""
    entries = (ENTRY.format(id=name, version=VERSIONS[name]) for name in ids)
    mini.write("datasets.yaml", "".join(entries))


def run(mini, out: str, *names: str, force: bool = False, seen: bool = True, **more):
    """Run two tests on datasets, in the order in which they are named."""
    engine = mini.engine(out, **more)
    tests = ("correctness_regression", TEST)
    filters = Filters(models=(*LISTENING, *CHANCE), datasets=names, tests=tests)
    return engine.run(filters, force=force)


def results(mini, out: str, name: str) -> dict[str, bytes]:
    """What a run wrote about a dataset: rows, sums, facts."""
    rows = {
        path: "\n".join(
            line for line in content.decode().splitlines() if f",{name},{VERSIONS[name]}," in line
        )
        for path, content in mini.files(out).items()
        if path.endswith(".csv") and "method-tests" in path
    }
    other = {
        path: content
        for path, content in mini.files(out).items()
        if name in Path(path).stem.split("--") or Path(path).stem == name
    }
    return {path: text.encode() for path, text in rows.items() if text} | other


def stored(mini, cache: str, name: str) -> dict[str, pd.DataFrame]:
    """Model and condition -> stored predictions on a version."""
    root = mini.root / cache / "predictions"
    folders = sorted(root.glob(f"*/tonesdb-{VERSIONS[name]}/*"))
    return {
        f"{folder.parent.parent.name}/{folder.name}": PredictionStore(folder)
        .table()
        .sort_values("file", ignore_index=True)
        for folder in folders
    }


def assert_same_as_alone(mini, out: str, cache: str, name: str, **more) -> None:
    """Rows, facts and stored predictions on a version are those of a run of it alone."""
    run(mini, "alone", name, cache="cache-alone", **more)
    expected = results(mini, "alone", name)
    assert any(path.endswith(".csv") for path in expected) and any(name in p for p in expected)
    assert results(mini, out, name) == expected
    tables = stored(mini, "cache-alone", name)
    assert len(tables) >= CONDITIONS
    for place, table in stored(mini, cache, name).items():
        pd.testing.assert_frame_equal(table, tables.pop(place), check_exact=True)
    assert not tables


def calls(report) -> dict[tuple[str, str], dict[str, int]]:
    """Model and dataset -> sums over conditions."""
    sums: dict[tuple[str, str], dict[str, int]] = {}
    for one in report.predictions:
        about = sums.setdefault((one["model"], one["dataset"].split()[-1]), {})
        for figure in ("distinct", "stored", "calls", "failed"):
            about[figure] = about.get(figure, 0) + one[figure]
    return sums


def test_the_same_audio_is_predicted_once_and_a_changed_file_again(versions) -> None:
    report = run(versions, "both", "old", "new")
    assert not report.errors and report.calls == report.distinct
    figures = calls(report)
    first, second = (figures["loud", version] for version in VERSIONS.values())
    conditions = first["calls"] // FILES
    assert first["calls"] == conditions * FILES and conditions >= CONDITIONS
    # a file of other content and one under another name, whose changes are drawn anew
    assert second == {"distinct": 2 * conditions, "stored": 0, "calls": 2 * conditions, "failed": 0}
    for name in CHANCE:  # draws of their own
        assert figures[name, "2.6.1"]["calls"] == figures[name, "2.6.0"]["calls"] > 0
    assert_same_as_alone(versions, "both", "cache", "new")


def test_only_models_that_listen_are_asked_ahead(versions, monkeypatch) -> None:
    ahead: dict[str, bool] = {}
    real = Asking.look_ahead

    def look_ahead(self, jobs) -> None:
        real(self, jobs)
        for request in jobs[0][1]:
            ahead[request.name] = ahead.get(request.name, False) or len(request.ahead) > 0

    monkeypatch.setattr(Asking, "look_ahead", look_ahead)
    run(versions, "both", "old", "new")
    assert ahead == {"loud": True, "chance-value": False, "chance-class": False}


def test_the_order_of_versions_changes_nothing(versions) -> None:
    declare(versions, "new", "old")
    report = run(versions, "both", "new", "old", workers=2)
    figures = calls(report)
    assert figures["loud", "2.6.0"]["calls"] * FILES == 2 * figures["loud", "2.6.1"]["calls"]
    assert_same_as_alone(versions, "both", "cache", "old")


def test_a_new_version_takes_what_an_earlier_run_has_predicted(versions) -> None:
    before = calls(run(versions, "first", "old"))["loud", "2.6.0"]
    report = run(versions, "second", "new")
    conditions = before["calls"] // FILES
    assert calls(report)["loud", "2.6.1"] == {
        "distinct": conditions * FILES,
        "stored": conditions * (FILES - 2),
        "calls": 2 * conditions,
        "failed": 0,
    }
    assert_same_as_alone(versions, "second", "cache", "new")


def test_each_version_has_all_of_its_predictions(versions) -> None:
    run(versions, "both", "old", "new")
    for folder in (versions.root / "cache" / "predictions").glob(f"*/tonesdb-{VERSIONS['old']}"):
        shutil.rmtree(folder)
    declare(versions, "new")
    report = run(versions, "both", "new", force=True)
    assert report.computed and not report.calls


#: two models that do not predict the same, and versions that have one target each
APART = """
- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", isolate: false, outputs: {emotion: {}}FAIL}
- {id: level, version: 1.0.0, adapter: python, entry: "MODULE:load", isolate: false, outputs: {arousal: {}}}
"""


def apart(mini, *, fail: str = "") -> None:
    """The older version has labels of emotion only, the newer one of arousal only."""
    failing = f", params: {{fail: {fail}}}" if fail else ""
    mini.write("models.yaml", APART.replace("FAIL", failing))
    path = mini.catalog / "datasets.yaml"
    old, new = path.read_text().split("- id: new")
    text = old.replace("arousal: arousal, ", "") + "- id: new"
    path.write_text(text + new.replace("emotion: emotion, ", ""))


def run_apart(mini, out: str, *names: str, **more):
    filters = Filters(models=("loud", "level"), datasets=names, tests=(TEST,))
    return mini.engine(out, **more).run(filters)


def test_a_signal_is_changed_once_for_models_of_either_version(versions, monkeypatch) -> None:
    apart(versions)
    changed: list[str] = []
    real = Library.perturb

    def perturb(self, name, signal, rate, key):
        changed.append(key.version)
        return real(self, name, signal, rate, key)

    monkeypatch.setattr(Library, "perturb", perturb)
    report = run_apart(versions, "both", "old", "new")
    conditions = CONDITIONS - 1
    assert changed.count("2.6.0") == conditions * FILES
    assert changed.count("2.6.1") == conditions * 2
    assert report.calls == report.distinct == CONDITIONS * (2 * FILES)
    figures = calls(report)
    # heard with the older version, and kept for it
    assert figures["level", "2.6.0"]["calls"] == CONDITIONS * (FILES - 2)
    assert figures["level", "2.6.1"]["calls"] == CONDITIONS * 2
    assert ("loud", "2.6.1") not in figures
    run_apart(versions, "alone", "new", cache="cache-alone")
    run_apart(versions, "alone", "old", cache="cache-alone")
    for name in ("old", "new"):
        expected = results(versions, "alone", name)
        assert expected and results(versions, "both", name) == expected
    for place, table in stored(versions, "cache-alone", "new").items():
        pd.testing.assert_frame_equal(stored(versions, "cache", "new")[place], table)


def test_nothing_is_asked_ahead_about_what_is_stored(versions) -> None:
    """The audio of the older version may be gone; the newer one is heard itself then."""
    apart(versions)
    run_apart(versions, "first", "old")
    figures = calls(run_apart(versions, "both", "old", "new"))
    assert ("level", "2.6.0") not in figures
    assert figures["level", "2.6.1"]["calls"] == CONDITIONS * FILES


def test_a_model_that_is_given_up_ahead_fails_where_it_is_asked(versions) -> None:
    apart(versions)
    path = versions.catalog / "models.yaml"
    failing = "outputs: {arousal: {}}, params: {fail: raise}}"
    path.write_text(path.read_text().replace("outputs: {arousal: {}}}", failing))
    report = run_apart(versions, "both", "old", "new")
    alone = run_apart(versions, "alone", "new", cache="cache-alone")
    errors = {name: text for name, text in report.errors.items() if "/level/" in name}
    assert errors == report.errors != {}
    assert errors == {name: text for name, text in alone.errors.items() if "/level/" in name}
    assert ("level", "2.6.0") not in calls(report)
    assert calls(report)["level", "2.6.1"]["failed"] == CONDITIONS * FILES


def test_what_is_asked_ahead_makes_no_failure_of_the_earlier_version(mini, tmp_path) -> None:
    """Five failures in a row end the questions to a model; those for another version do not count."""
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    samples = datasets.load(benchmark.datasets["tones"], tmp_path / "cache", benchmark.targets)
    source = Source(samples)
    source.add("tones", samples.table)
    source.freeze()
    lengths = [soundfile.info(samples.root / file).frames for file in source.keys["file"]]
    # the shortest come first
    ahead = np.array(lengths) < np.quantile(lengths, 0.3)
    fails = set(source.keys["file"][ahead])
    everything = np.ones(len(ahead), dtype=bool)
    hearing = request(Constant(), "hearing", everything, tmp_path)
    picky = request(Constant(fails), "picky", ~ahead, tmp_path, ahead=ahead)
    Predictor(source, [hearing, picky]).run()
    assert not picky.failed and not hearing.failed
    assert not np.isnan(picky.values[~ahead]).any() and np.isnan(picky.values[ahead]).all()
    assert (picky.wanted == ~ahead).all()
    # without failures, all is predicted
    other = request(Constant(), "other", ~ahead, tmp_path, ahead=ahead)
    more = request(Constant(), "more", everything, tmp_path)
    Predictor(source, [more, other]).run()
    assert not np.isnan(other.values).any() and other.wanted.all()
    # and nothing that nobody else hears
    lonely = request(Constant(), "lonely", ~ahead, tmp_path, ahead=ahead)
    Predictor(source, [lonely]).run()
    assert (lonely.wanted == ~ahead).all() and np.isnan(lonely.values[ahead]).all()


class Constant:
    """A model that fails on some files."""

    targets = ("x",)
    sampling_rate = 16000
    needs_audio = True
    batch_size = group_size = 1
    equal_length = False
    fingerprint = ""

    def __init__(self, fails: Collection[str] = ()):
        self.fails = fails

    def predict(self, batch):
        if batch.keys[0].file in self.fails:
            raise models.ModelError("no luck")
        return {"x": np.full(len(batch.keys), 0.5)}


def request(model: Constant, name: str, chosen: np.ndarray, folder: Path, **more) -> Request:
    store = PredictionStore(folder / name)
    return Request(lambda: model, name, "original", ["x"], chosen.copy(), store, **more)


def test_other_settings_share_nothing(versions) -> None:
    run(versions, "first", "old")
    figures = calls(run(versions, "second", "new", seed=1))["loud", "2.6.1"]
    # the original is the same for every seed
    assert figures["stored"] == FILES - 2


@pytest.mark.parametrize("workers", [1, 2])
def test_failures_are_those_of_the_version_alone(versions, workers: int) -> None:
    """What fails in the other version, or is shared with it, changes nothing."""
    versions.write(
        "models.yaml",
        (versions.catalog / "models.yaml")
        .read_text()
        .replace("isolate: false", "isolate: false, params: {fail: loud}"),
    )
    report = run(versions, "both", "old", "new", workers=workers)
    alone = run(versions, "single", "new", cache="cache-single", workers=workers)
    errors = {name: text for name, text in report.errors.items() if "/new" in name}
    assert errors == alone.errors and "too loud" in "".join(errors.values())
    both, single = calls(report)["loud", "2.6.1"], calls(alone)["loud", "2.6.1"]
    assert both["failed"] == single["failed"] > 5 and both["calls"] < single["calls"]
    assert "not tried" not in "".join(errors.values())
    assert_same_as_alone(versions, "both", "cache", "new", workers=workers)


def test_few_failures_cost_no_predictions(versions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments that failed in one version are tried in the other, and nothing else is."""
    from common.predictions import calls as module

    real = module.predictions

    def predictions(model, batch):
        if batch.keys[0].file in ("003.wav", "140.wav"):
            raise models.ModelError("no luck")
        return real(model, batch)

    monkeypatch.setattr("common.predictions.shards.predictions", predictions)
    report = run(versions, "both", "old", "new")
    first, second = (calls(report)["loud", version] for version in VERSIONS.values())
    conditions = first["calls"] // FILES
    assert second["failed"] == first["failed"] == 2 * conditions
    assert second["calls"] == 4 * conditions
    assert_same_as_alone(versions, "both", "cache", "new")


def test_audio_is_not_decoded_again_to_describe_a_version(versions, monkeypatch) -> None:
    from common.samples import audio

    run(versions, "alone", "new", cache="cache-alone")
    read: list[str] = []
    real = audio.peaks
    monkeypatch.setattr(
        audio, "peaks", lambda root, file, s: read.append(file) or real(root, file, s)
    )
    run(versions, "both", "old", "new")
    assert not read
    path = Path("extra", "datasets")
    names = [p for p in versions.files("both") if p.endswith("new.json")]
    assert names, path
    for name in names:
        assert versions.files("both")[name] == versions.files("alone")[name]


def loaded(mini, *names: str) -> Iterator[Samples]:
    """Samples of datasets, each with what is of the same audio in those before."""
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    for name in names:
        samples = datasets.load(
            benchmark.datasets[name], mini.root / "cache", benchmark.targets, download=False
        )
        yield replace(samples, kin=datasets.kin(samples, benchmark.datasets.values()))


@pytest.mark.parametrize("what", ["pitch", "acoustics"])
def test_attributes_of_the_same_audio_are_computed_once(versions, monkeypatch, what: str) -> None:
    def values(samples: Samples, cache: str) -> dict[str, np.ndarray]:
        context = Context(versions.root / cache)
        if what == "acoustics":
            return acoustics.measured(samples, context)
        every = np.ones(len(samples.table), dtype=bool)
        return {
            "pitch": segment_f0.segment_f0(
                f0_models.method("autocorrelation"), samples, every, context
            )
        }

    heard: list[int] = []
    for owner in (f0_models.Autocorrelation, acoustics.Acoustics):
        monkeypatch.setattr(owner, "predict", counting(owner.predict, heard))
    old, new = loaded(versions, "old", "new")
    values(old, "cache")
    passes = 2 if what == "acoustics" else 1
    assert sum(heard) == passes * FILES
    both = values(new, "cache")
    assert sum(heard) == passes * (FILES + 2)
    alone = values(replace(new, kin=()), "cache-alone")
    assert sum(heard) == passes * (2 * FILES + 2)
    for name, column in both.items():
        np.testing.assert_array_equal(column, alone[name])


def counting(function: Callable, heard: list[int]) -> Callable:
    def predict(self, batch):
        heard.append(len(batch))
        return function(self, batch)

    return predict


def test_kin_is_what_audb_says_is_the_same(versions) -> None:
    old, new = loaded(versions, "old", "new")
    assert old.kin == ()  # nothing of the other version was loaded then
    (kin,) = new.kin
    assert (kin.version, kin.media_fingerprint) == ("2.6.0", old.media_fingerprint)
    assert kin.files == set(new.table["file"]) - {CHANGED, NEW_NAME}
    (again, _) = loaded(versions, "old", "new")
    assert again.kin[0].files == set(old.table["file"]) - {CHANGED, RENAMED}


def test_only_versions_of_the_same_database_are_kin(versions) -> None:
    old, new = loaded(versions, "old", "new")
    entry = old.dataset
    others = {
        "itself": new.dataset,
        "another database": entry.model_copy(update={"name": "other"}),
        "another adapter": entry.model_copy(update={"adapter": "audformat"}),
        "embedded": entry.model_copy(update={"embedded": True}),
        "never loaded": entry.model_copy(update={"version": "0.9.0"}),
    }
    for why, other in others.items():
        assert datasets.kin(new, [other]) == (), why
    assert len(datasets.kin(new, [entry, entry.model_copy(update={"id": "part"})])) == 1


def test_adapters_without_checksums_have_no_kin(mini) -> None:
    benchmark = load_benchmark([mini.catalog], allow_code=True)
    entry = benchmark.datasets["tones"]
    samples = datasets.load(entry, mini.root / "cache", benchmark.targets)
    assert datasets.kin(samples, [entry.model_copy(update={"version": "2.0.0"})]) == ()


def test_another_version_that_cannot_be_read_is_no_fault_of_this_one(
    versions, monkeypatch, caplog
) -> None:
    old, new = loaded(versions, "old", "new")

    def broken(samples: Samples, other) -> Kin:
        raise DataError(f"{other.id}: cannot be loaded")

    monkeypatch.setattr(audb_adapter, "kin", broken)
    assert datasets.kin(new, [old.dataset]) == ()
    assert "new: not compared with 2.6.0: old: cannot be loaded" in caplog.text


@pytest.mark.parametrize("name", models.ADAPTERS)
def test_models_that_listen_do_not_look_at_keys(name: str) -> None:
    """What they say of a signal is taken for the same signal of another version."""
    path = paths.PACKAGE / "models" / f"{name}.py"
    tree = ast.parse(path.read_text("utf-8"))
    deaf = any(
        isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DEAF"
        for node in tree.body
    )
    looks = any(
        isinstance(node, ast.Attribute)
        and node.attr == "keys"
        and isinstance(node.value, ast.Name)
        and node.value.id == "batch"
        for node in ast.walk(tree)
    )
    assert deaf or not looks


def test_predictions_of_another_version_need_the_audio_of_this_one(versions, monkeypatch) -> None:
    """As without the other version: what is not there is not run, whatever could be taken over."""
    from common.core.errors import DatasetUnavailable

    run(versions, "first", "old")
    real = datasets.media

    def media(samples: Samples, files=None) -> Path:
        if samples.dataset.version == "2.6.1":
            raise DatasetUnavailable("its audio is not here")
        return real(samples, files)

    monkeypatch.setattr(datasets, "media", media)
    report = run(versions, "second", "new")
    assert not report.computed and "its audio is not here" in "".join(report.not_run.values())
    folders = (versions.root / "cache" / "predictions").glob("*/tonesdb-2.6.1/*")
    assert not any(parts_of(folder) for folder in folders)
