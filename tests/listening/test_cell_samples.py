"""Samples behind cells: what a run writes is what it predicted, bounded, and only where allowed."""

from __future__ import annotations

import shutil
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from common.cli.main import main
from common.core.paths import SAMPLES, TABLES, Paths
from common.pages.listening import answer_kinds, cell_samples, sample_table, sounds
from common.pages.listening.sample_table import SampleTable
from common.reports.rebuild import Rebuilder
from common.results import sample_tables
from common.results.keys import CellKey
from common.results.manifest import Manifest
from common.samples import folder_adapter
from common.spec import load_benchmark
from tests.conftest import DATASETS

TESTS = ("correctness_regression", "correctness_classification", "fairness_sex")
CHANGED = "robustness_spectral_tilt"


class Folder:
    """Results of the miniature benchmark, with a licence."""

    def __init__(self, mini: Any, licence: str):
        mini.write("datasets.yaml", f"{DATASETS.rstrip()}\n  license: {licence}\n")
        mini.run(tests=(*TESTS, CHANGED))
        self.mini = mini
        self.benchmark = load_benchmark([mini.catalog], allow_code=True)
        self.folders = Paths(mini.root / "out", mini.root / "cache")
        self.rebuild = Rebuilder(self.benchmark, self.folders)

    def update(self) -> set[str]:
        return cell_samples.begin(self.benchmark, self.folders, self.rebuild.answered)()

    def table(self, target: str) -> dict[str, Any]:
        return sample_tables.read(self.folders.sample_table(target, "tones"))

    def view(self, target: str, model: str, test: str) -> Any:
        manifest = Manifest.read(self.folders.manifest(target, model))
        assert manifest is not None
        noted = manifest.cells[f"{test}/tones"]
        chance = model != "loud"
        return self.rebuild(CellKey(target, model, test, "tones"), noted, chance=chance).view

    def media(self) -> dict[str, bytes]:
        root = self.folders.media
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture
def free(mini: Any) -> Folder:
    return Folder(mini, "CC0-1.0")


def test_truth_and_answers_are_those_of_the_run(free: Folder) -> None:
    free.update()
    table = free.table("arousal")
    for test in ("correctness_regression", CHANGED):
        view = free.view("arousal", "loud", test)
        places = [table["samples"].index(name) for name in view.samples["file"]]
        answers = [table["answers"]["loud"][place] / 10_000 for place in places]
        assert answers == pytest.approx(np.asarray(view.prediction, float).tolist(), abs=5.1e-5)
        if test == CHANGED:
            changed = table["changes"][f"{CHANGED}/upward-tilt"]["after"]["loud"]
            after = [changed[place] / 10_000 for place in places]
            expected = view.predictions["upward-tilt"].tolist()
            assert after == pytest.approx(expected, abs=5.1e-5)
        truth = [table["truth"][place] / 10_000 for place in places]
        assert truth == pytest.approx(view.truth.tolist(), abs=5.1e-5)
    words = free.table("emotion")
    view = free.view("emotion", "loud", "correctness_classification")
    places = [words["samples"].index(name) for name in view.samples["file"]]
    said = [words["words"][words["answers"]["loud"][place]] for place in places]
    assert said == list(view.prediction)
    assert words["columns"]["sex"][0] == ["female", "male"]


def test_a_line_of_a_group_has_the_samples_of_the_group(free: Folder) -> None:
    free.update()
    table = free.table("emotion")
    lines = {line[1]: line for line in table["tests"]["fairness_sex"]["lines"]}
    view = free.view("emotion", "loud", "fairness_sex")
    for sex in ("female", "male"):
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(lines[sex][3]), dtype=np.uint8))
        inside = {table["samples"][n] for n in np.flatnonzero(bits)}
        assert inside == set(view.samples["file"][view.samples["sex"] == sex])


def test_the_worst_of_a_model_that_listens_can_be_heard(free: Folder) -> None:
    used = free.update()
    table = free.table("arousal")
    truth, answers = table["truth"], table["answers"]["loud"]
    errors = [abs(a - t) for a, t in zip(answers, truth, strict=True)]
    first = max(range(len(errors)), key=lambda n: (errors[n], -n))
    near = [n for n, error in enumerate(errors) if error >= errors[first] - 1]
    assert any(str(n) in table["heard"][""] for n in near)
    pairs = table["heard"][f"{CHANGED}/upward-tilt"]
    before, after = (table["sounds"][place][0] for place in next(iter(pairs.values())))
    assert "/original/" in before and "/upward-tilt/" in after
    assert {before, after} <= used
    assert all((free.folders.media / name).is_file() for name in used)


def test_the_same_again_changes_nothing_and_rebuilds_nothing(
    free: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = free.update()
    before = free.media()
    monkeypatch.setattr(free, "rebuild", SimpleNamespace(answered=None))
    assert free.update() == used
    assert free.media() == before


def test_a_lost_sound_is_made_again(free: Folder) -> None:
    used = free.update()
    before = free.media()
    (free.folders.media / min(used)).unlink()
    free.update()
    assert free.media() == before


def test_the_index_says_where_a_model_can_be_better_on_a_sample(free: Folder) -> None:
    """In all tests of annotated samples; without annotations, in those that change a sound."""
    free.update()
    index = sample_tables.read_index(free.folders.media / "arousal" / sample_tables.INDEX)
    assert (
        index["tones"]["compared"] == index["tones"]["tests"] and CHANGED in index["tones"]["tests"]
    )
    table = free.table("arousal")
    assert cell_samples._compared(table) == set(table["tests"])
    assert cell_samples._compared({**table, "truth": None}) == {CHANGED}
    assert cell_samples._compared({}) == set()


def test_nothing_is_written_of_samples_that_may_not_be_published(mini: Any) -> None:
    closed = Folder(mini, "restricted")
    assert closed.update() == set()
    names = set(closed.media())
    assert not [name for name in names if name.startswith(("tables", "samples"))]
    index = sample_tables.read_index(closed.folders.media / "arousal" / sample_tables.INDEX)
    assert "sign an agreement" in index["tones"]["silent"]


def test_a_table_that_may_not_be_published_any_more_is_removed(free: Folder, mini: Any) -> None:
    free.update()
    mini.write("datasets.yaml", f"{DATASETS.rstrip()}\n  license: CC-BY-NC-4.0\n")
    free.benchmark = load_benchmark([mini.catalog], allow_code=True)
    free.update()
    assert not list(free.folders.media.rglob("*.js"))


def test_a_table_keeps_the_worst_of_every_list(
    free: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    free.update()
    everything = free.table("arousal")
    monkeypatch.setattr(sample_table, "MOST_SAMPLES", 40)
    free.folders.sample_table("arousal", "tones").unlink()
    free.update()
    table = free.table("arousal")
    assert 20 < len(table["samples"]) <= 40 and table["total"] == everything["total"]
    errors = {
        name: abs(a - t)
        for name, a, t in zip(
            everything["samples"], everything["answers"]["loud"], everything["truth"], strict=True
        )
    }
    worst = sorted(errors, key=lambda name: -errors[name])[: table["depth"] - 1]
    assert table["depth"] > 1
    assert {errors[name] for name in worst} <= {errors[name] for name in table["samples"]}


def test_a_word_that_is_no_label_has_no_error(free: Folder) -> None:
    view = free.view("emotion", "loud", "correctness_classification")
    view.samples.loc[0, "emotion"] = "boredom"
    cell = free.benchmark.tests["correctness_classification"]
    answered = sample_table.AnsweredCell(_Cell(cell), view, [])  # type: ignore[arg-type]
    target, dataset = free.benchmark.targets["emotion"], free.benchmark.datasets["tones"]
    table = SampleTable(target, dataset, {cell.id: {"loud": answered}}, {"loud"})
    loss = table.loss("loud")
    place = table.places(view)[0]
    assert np.isnan(loss[place]) and np.isnan(loss).sum() == 1


class _Cell:
    """As much of a cell as a table needs."""

    def __init__(self, test: Any):
        self.test, self.conditions = test, {"original": "original"}


def test_a_picture_shows_the_sound() -> None:
    """A low tone in the first half and a high one in the second half, with a loud end."""
    import io

    from PIL import Image

    time = np.arange(16000) / 16000
    tone = np.where(time < 0.5, np.sin(2 * np.pi * 1000 * time), np.sin(2 * np.pi * 6000 * time))
    signal = (tone * np.where(time < 0.75, 0.1, 1.0))[None, :]
    image = Image.open(io.BytesIO(sounds.picture(signal, 16000))).convert("L")
    assert image.size == (sounds.WIDTH, sounds.HEIGHT)
    levels = np.asarray(image, dtype=float)
    heat = levels[sounds.WAVE :]
    rows = len(heat)
    loud = heat[:, int(0.85 * sounds.WIDTH)].argmax()
    assert abs(loud - rows * (1 - 6000 / 8000)) < 4
    soft = heat[:, int(0.25 * sounds.WIDTH)].argmax()
    assert abs(soft - rows * (1 - 1000 / 8000)) < 4
    wave = levels[: sounds.WAVE] > 100
    heights = wave.sum(axis=0)
    assert heights[: int(0.7 * sounds.WIDTH)].max() < 10 < heights[-20:].min()


def test_several_threads_make_the_same_tables(
    free: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there is no room for all; what was begun for nothing belongs to no table."""

    def make(workers: int) -> tuple[set[str], dict[str, bytes]]:
        used = cell_samples.begin(
            free.benchmark, free.folders, free.rebuild.answered, workers=workers
        )()
        content = {n: d for n, d in free.media().items() if n in used or n.startswith(TABLES)}
        for folder in (SAMPLES, TABLES):
            shutil.rmtree(free.folders.media / folder)
        return used, content

    every = make(1)
    assert make(3) == every
    monkeypatch.setattr(answer_kinds.NumberAnswers, "most_mb", 0.05)
    monkeypatch.setattr(answer_kinds.WordAnswers, "most_mb", 0.05)
    few = make(1)
    assert make(4) == few
    assert set() < few[0] < every[0]
    assert few[0] < set(few[1])


def test_a_damaged_sound_is_made_again(free: Folder, caplog: pytest.LogCaptureFixture) -> None:
    """And it does not take the others with it."""
    used = free.update()
    before = free.media()
    sound = next(free.folders.media / name for name in sorted(used) if name.endswith(".flac"))
    sound.write_bytes(sound.read_bytes()[: sound.stat().st_size // 2])
    shutil.rmtree(free.folders.media / TABLES)
    assert free.update() == used
    after = free.media()
    assert {name: after[name] for name in before} == before
    assert "it is set aside and made again" in caplog.text


def test_it_is_told_how_many_tables_are_there(free: Folder) -> None:
    told: list[tuple[int, int]] = []
    cell_samples.begin(
        free.benchmark,
        free.folders,
        free.rebuild.answered,
        progress=lambda done, total: told.append((done, total)),
    )()
    tables = len(list((free.folders.media / TABLES).rglob("*.js")))
    assert tables > 1
    assert told == [(done, tables) for done in range(tables)]


def test_sounds_may_have_more_room_or_less(
    free: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The environment says how much; tables are made again, and no score."""
    names = ["--catalog", "--output", "--cache"]
    places = [free.mini.catalog, free.mini.root / "out", free.mini.root / "cache"]
    chosen = [f"--test={test}" for test in (*TESTS, CHANGED)]
    models = [f"--model={name}" for name in ("loud", "chance-value", "chance-class")]
    paths = (str(text) for pair in zip(names, places, strict=True) for text in pair)
    command = ["run", "--quiet", *paths, *chosen, *models, "--dataset=tones"]
    results = {p: p.read_bytes() for p in free.folders.method_tests.rglob("*.csv")}
    heard = {}
    for room in ("", "0.05", "0.2"):
        monkeypatch.setenv("SPEECHPROOF_SOUNDS_MB", room)
        assert main(command) == 0
        table = free.table("arousal")
        assert table["mb"] == float(room or 3)
        heard[room] = len(table["sounds"])
    assert 0 < heard["0.05"] < heard["0.2"] < heard[""]
    assert results == {p: p.read_bytes() for p in free.folders.method_tests.rglob("*.csv")}
    capsys.readouterr()
    for room in ("0", "-1", "much", "nan", "inf"):
        monkeypatch.setenv("SPEECHPROOF_SOUNDS_MB", room)
        assert main(command) == 2
        expected = f"SPEECHPROOF_SOUNDS_MB: expected a positive number of MB, found '{room}'"
        assert expected in capsys.readouterr().err


def test_datasets_that_may_be_played_are_shared_among_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The largest one costs nothing, as it may not be played."""
    cells = {"large": 9, "one": 2, "two": 2}
    groups: list[Any] = [
        SimpleNamespace(
            dataset=SimpleNamespace(
                id=name, license="restricted" if name == "large" else "CC0-1.0"
            ),
            cells={"test": dict.fromkeys(map(str, range(count)))},
        )
        for name, count in cells.items()
    ]
    shares = []

    def tables(share: list[Any], progress: Any = None) -> dict[tuple[str, str], Any]:
        shares.append({group.dataset.id for group in share} - {"large"})
        return {}

    monkeypatch.setattr(
        cell_samples.processes,
        "beside",
        lambda workers, work: (lambda result: lambda: result)(work()),
    )
    maker: Any = SimpleNamespace(tables=tables, workers=0)
    cell_samples._outcomes(maker, groups, 2, lambda done, total: None)
    assert sorted(map(sorted, shares)) == [["one"], ["two"]]


def test_a_run_loads_each_table_once(mini: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mini.write("datasets.yaml", f"{DATASETS.rstrip()}\n  license: CC0-1.0\n")
    loaded = []
    load = folder_adapter.load

    def counted(dataset: Any, *args: Any, **options: Any) -> Any:
        loaded.append(dataset.id)
        return load(dataset, *args, **options)

    monkeypatch.setattr(folder_adapter, "load", counted)
    where = [f"--catalog={mini.catalog}", f"--output={mini.root / 'out'}"]
    where += [f"--cache={mini.root / 'cache'}", "--workers=1", "--allow-code", "--model=loud"]
    only = ["--dataset=tones", "--test=correctness_regression", f"--test={CHANGED}"]
    assert main(["run", *where, *only]) == 0
    assert loaded == ["tones"]
    assert list((mini.root / "out/extra/media" / TABLES).rglob("tones.js"))
