"""A reader's own predictions, scored in the browser as a run scores them."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from benchmark_site import cell_data, own_page
from benchmark_site.content import load

from common.cli.main import main
from common.core import display, paths
from common.core.errors import ModelError
from common.core.paths import Paths
from common.designs.selecting import Selector
from common.engine import run as engine
from common.engine.plan import Filters
from common.engine.scoring import scores_of
from common.figures import drawing
from common.metrics.events.lists import EventList
from common.metrics.events.recordings import SoundEvents
from common.metrics.labels import NO_CLASS
from common.models import prediction_table
from common.models.predictions import PredictionsModel
from common.pages.own import FOLDER, INDEX, update
from common.pages.own.shapes import has_shape
from common.pages.own.truth import STAND_IN, truth
from common.predictions.attributes import Context
from common.reports.rebuild import Rebuilder
from common.results import read_csv
from common.results.keys import CellKey
from common.results.manifest import Manifest
from common.results.rows import rows
from common.samples import datasets
from common.samples.base import Samples
from common.spec import Benchmark, Model, load_benchmark
from common.spec.cell import Cell
from common.spec.kinds.events import Annotation
from common.spec.view import View
from common.uncertainty.simulation import Bounds
from tests.conftest import DATASETS, Mini

SCRIPTS = ("scoring.js", "predictions.js", "own.js")
#: what the page loads when there is something to score
LATER = ("sums.js", "metrics.js", "event_metrics.js", "designs.js", "student.js", "tiers.js")
CELL = ("test", "dataset", "metric", "data", "condition", "label")
#: columns that are texts and counts
SAME = (*CELL[2:], "reference", "n", "status", "reason", "cause", "criterion", "bound")
#: tests of the designs that the suite asks of other data
SHIFTS = {
    "own_shift": """
        title: Shift
        family: fairness
        design: {group_shift: {attribute: sex, min_group: 10, max_group: 100, data: "{sex}"}}
        datasets: [tones]
        regression:
          - {metric: mean_difference, within: 0.05}
          - {metric: relative_difference_per_bin, within: 0.1, bins: 4, min_count: 30}
        classification:
          - {metric: relative_difference_per_class, within: simulated}
        description: A shift.
    """,
    "own_context": """
        title: Context
        family: fairness
        design:
          context_shift:
            attribute: speaker
            context: emotion
            contexts: [anger, sadness]
            min_group: 10
            min_context: 5
            data: "{table}-{speaker}"
        datasets: [tones]
        regression:
          - {metric: mean_shift_difference, within: 0.05}
          - {metric: bin_proportion_shift_difference, within: 0.1, bins: 4, min_count: 20}
        classification:
          - {metric: class_proportion_shift_difference, within: 0.1}
        description: A shift in a context.
    """,
}


class Ran:
    """A miniature benchmark with results, its truths, and a page to score predictions on."""

    def __init__(self, root: Path):
        self.mini = Mini(root)
        self.mini.write("datasets.yaml", DATASETS.rstrip() + "\n  license: CC0-1.0\n")
        for name, text in SHIFTS.items():
            self.mini.write(f"suite/{name}.yaml", text)
        self.benchmark: Benchmark = load_benchmark([self.mini.catalog], allow_code=True)
        chosen = [t.id for t in self.benchmark.tests.values() if t.family == "correctness"]
        self.mini.run(tests=(*chosen, "fairness_sex", *SHIFTS), targets=("arousal", "emotion"))
        self.folders = Paths(root / "out", root / "cache")
        assert update.update(self.benchmark, self.folders) == 2
        self.index = update.read(self.folders.media / FOLDER / INDEX)["files"]
        self.site = root / "site"
        self._write()

    def _write(self) -> None:
        """The page with its scripts and data, without the frame of the website."""
        content = load(self.folders, self.benchmark, [])
        scripts = "".join(f'<script defer src="../_static/{name}"></script>' for name in SCRIPTS)
        body = own_page.page(content).html
        (self.site / "results").mkdir(parents=True)
        (self.site / "results" / "own.html").write_text(
            f'<!doctype html><html data-content_root="../"><title>Own</title>{scripts}{body}</html>'
        )
        (self.site / "_static").mkdir()
        for name in (*SCRIPTS, *LATER):
            shutil.copy(paths.DOCS / "_static" / name, self.site / "_static")
        for target in content.boards:
            path = self.site / cell_data.file_of(target)
            path.parent.mkdir(exist_ok=True)
            path.write_text(cell_data.script(content, target))
        shutil.copytree(self.folders.media / FOLDER, self.site / "extra" / "media" / FOLDER)

    def predictions(self, model: str) -> str:
        """What a model predicted, as a CSV file."""
        rebuild = Rebuilder(self.benchmark, self.folders)
        table: dict[str, dict[str, Any]] = {}
        for entry in self.index:
            manifest = Manifest.read(self.folders.manifest(entry["target"], model))
            for test in entry["tests"] if manifest else ():
                key = CellKey(entry["target"], model, test, entry["dataset"])
                assert manifest is not None
                view = rebuild(key, manifest.cells[f"{test}/{entry['dataset']}"], chance=True).view
                if view.predictions:
                    for file, value in zip(view.samples["file"], view.prediction, strict=True):
                        table.setdefault(file, {})[entry["target"]] = value
        names = sorted({name for values in table.values() for name in values})
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["file", *names])
        for file, values in table.items():
            writer.writerow([file, *(_text(values[name]) for name in names)])
        return out.getvalue()

    def rows(self, target: str, model: str) -> dict[tuple[str, ...], Mapping[str, Any]]:
        """Result rows of a model, by cell."""
        (entry,) = (entry for entry in self.index if entry["target"] == target)
        result = {}
        for test in entry["tests"]:
            for row in read_csv(self.folders.results(target, model, test)).to_dict("records"):
                result[tuple(row[name] for name in CELL)] = row
        return result


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    root = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root))
        patch.setattr(drawing, "draw", lambda job: {})
        yield Ran(root)


@pytest.fixture
def opened(browser: Any, ran: Ran) -> Iterator[Any]:
    """The page, opened from the disk; what went wrong is in ``page.faults``."""
    page = browser.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on(
        "request",
        lambda request: page.faults.append(request.url) if "file:" not in request.url else None,
    )
    page.goto(f"file://{ran.site}/results/own.html")
    for name in LATER:
        page.evaluate("(name) => scoring.script(`_static/${name}`)", name)
    yield page
    page.close()


def give(page: Any, text: str, name: str = "mine.csv") -> None:
    """Choose a file as a reader does."""
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.set_input_files("#own-file", files=[file])
    page.wait_for_function(
        "() => !['', 'is being'].some((text) => text ? document.querySelector('.own-status').textContent.includes(text)"
        " : !document.querySelector('.own-status').textContent)"
    )


def downloaded(page: Any, target: str) -> list[dict[str, str]]:
    section = page.locator(f"section[aria-labelledby='own-{target}']")
    with page.expect_download() as waiting:
        section.get_by_role("button", name="Download all scores").click()
    with Path(waiting.value.path()).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text: Any) -> float:
    return math.nan if text in ("", None) else float(text)


def alike(one: Any, other: Any) -> bool:
    a, b = number(one), number(other)
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-9


# -- what a run says -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "target"), [("loud", "arousal"), ("loud", "emotion"), ("chance-value", "arousal")]
)
def test_predictions_of_a_model_get_the_rows_of_its_run(
    ran: Ran, opened: Any, model: str, target: str
) -> None:
    give(opened, ran.predictions(model))
    assert opened.faults == []
    shown = {tuple(row[name] for name in CELL): row for row in downloaded(opened, target)}
    expected = ran.rows(target, model)
    assert set(shown) == set(expected) and len(shown) > 40
    for key, row in expected.items():
        for name in ("value", "reference_value"):
            assert alike(row[name], shown[key][name]), (key, name, row[name], shown[key][name])
        for name in ("status", "reason", "cause", "criterion", "bound", "reference", "note"):
            assert row[name] == shown[key][name], (key, name, row[name], shown[key][name])
        assert int(row["n"]) == int(shown[key]["n"]), key
    counts = opened.locator(f"section[aria-labelledby='own-{target}'] .verdicts").inner_text()
    for word, status in (("passed", "pass"), ("failed", "fail"), ("skipped", "skip")):
        assert f"{sum(row['status'] == status for row in expected.values())} {word}" in counts


def test_predictions_of_a_model_share_its_score_and_place(ran: Ran, opened: Any) -> None:
    give(opened, ran.predictions("loud"))
    section = opened.locator("section[aria-labelledby='own-arousal']")
    lines = section.locator("table.matrix tbody tr").all_inner_texts()
    table = {line.split("\t")[0].split("\n")[0]: line.split("\t")[1:] for line in lines}
    assert table["Your predictions"] == table["loud"]
    assert table["Your predictions"][0] == "1"
    assert "place 1 of 2" in section.locator(".answer").inner_text()
    assert "How sure this place is cannot be told: " in section.locator(".answer").inner_text()
    assert section.locator("tr.own").count() == 1


def test_ranks_and_p_values_stand_beside_the_place_where_they_can_be_told(
    ran: Ran, opened: Any
) -> None:
    """The miniature benchmark has too few datasets to tell them: test_tiers.py checks their values."""
    opened.evaluate(
        """() => {
            const { judge } = window.tiers;
            window.tiers.judge = (...all) => {
                const judged = judge(...all);
                judged.standings.forEach((standing) => Object.assign(standing, { low: 1, high: 2 }));
                return { ...judged, reason: "", p: () => 0.25 };
            };
        }"""
    )
    give(opened, ran.predictions("loud"))
    section = opened.locator("section[aria-labelledby='own-arousal']")
    text = section.locator(".answer").inner_text()
    assert "any place from 1 to 2 is possible (95 % confidence)" in text
    table = section.locator("table.matrix")
    heads = table.locator("thead th").all_inner_texts()
    assert heads == ["Model", "Place", "Ranks", "Score", "Passed cells", "p, against yours"]
    rows = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
    assert {row[0].split("\n")[0]: (row[2], row[5]) for row in rows}["loud"] == ("1–2", "0.250")
    assert {row[0]: (row[2], row[5]) for row in rows}["Your predictions"] == ("1–2", "–")
    assert opened.faults == []


def test_a_better_file_comes_first_and_a_worse_one_last(ran: Ran, opened: Any) -> None:
    (entry,) = (entry for entry in ran.index if entry["target"] == "arousal")
    files, values = opened.evaluate(
        """async (src) => {
            await scoring.script(src);
            const { samples, truth } = window.truthOf["arousal/tones"];
            return [samples.file, truth];
        }""",
        f"extra/media/{entry['src']}",
    )
    perfect = "\n".join(["file,arousal", *(f"{f},{v}" for f, v in zip(files, values, strict=True))])
    constant = "\n".join(["file,arousal", *(f"{f},0.5" for f in files)])
    for text, place in ((perfect, "1"), (constant, "2")):
        give(opened, text)
        own = opened.locator("tr.own td").first
        own.wait_for()
        opened.wait_for_function(
            "(text) => document.querySelector('tr.own td').textContent === text", arg=place
        )
    assert "without a verdict" in opened.locator(".answer").inner_text()
    assert "constant predictions" in opened.locator(".own-result").inner_text()


# -- any predictions -----------------------------------------------------------------------------------


def hostile(
    kind: str, labels: list[str], n: int, draw: np.random.Generator
) -> dict[str, np.ndarray]:
    """Predictions of many kinds."""
    if kind == "classification":
        pool = np.array(labels, dtype=object)
        return {
            "random": draw.choice(pool, n),
            "two classes": draw.choice(pool[:2], n),
            "constant": np.full(n, pool[0], dtype=object),
            "nearly constant": np.array([pool[1], *[pool[2]] * (n - 1)], dtype=object),
            "other classes": draw.choice(np.array([*labels, NO_CLASS], dtype=object), n),
        }
    return {
        "random": draw.random(n),
        "rounded": np.round(draw.random(n), 1),
        "narrow": 0.5 + 1e-3 * draw.random(n),
        "a little outside": draw.normal(0.5, 0.25, n),
        "constant": np.full(n, 0.5),
        "another scale": 1 + 4 * draw.random(n),
        "nearly constant": np.array([0.9, *[0.2] * (n - 1)]),
    }


RUN = """([truth, predictions]) => truth.tests.map((test) => {
    const chosen = test.rows ?? truth.samples.file.map((_, place) => place);
    const { target } = truth;
    const truths = chosen.map((place) => (target.labels.length ? target.labels[truth.truth[place]] : truth.truth[place]) ?? null);
    try { return designs.rowsOf(test, truth, truths, chosen.map((place) => predictions[place])); }
    catch (error) { return error.message; }
})"""


@pytest.mark.parametrize("target_id", ["arousal", "emotion"])
def test_any_predictions_get_the_rows_of_python(ran: Ran, opened: Any, target_id: str) -> None:
    target, dataset = ran.benchmark.targets[target_id], ran.benchmark.datasets["tones"]
    (entry,) = (entry for entry in ran.index if entry["target"] == target_id)
    tests = [ran.benchmark.tests[name] for name in entry["tests"]]
    assert {test.design_name for test in tests} >= {
        "by_group",
        "group_shift",
        "context_shift",
        "per_unit",
    }
    samples = datasets.load(dataset, ran.folders.cache, ran.benchmark.targets)
    select = Selector(samples, 0, Context(ran.folders.cache, 1))
    bounds = Bounds(ran.folders.cache)
    content = json.loads(json.dumps(truth(target, tests, samples, select, bounds)))
    n = len(content["samples"]["file"])
    draw = np.random.default_rng(21)
    place = {file: number for number, file in enumerate(content["samples"]["file"])}
    for name, predictions in hostile(target.kind, list(target.labels), n, draw).items():
        shown = opened.evaluate(RUN, [content, predictions.tolist()])
        for test, own in zip(tests, shown, strict=True):
            selection = select(test, target)
            chosen = predictions[[place[file] for file in selection.samples["file"]]]
            view = View(
                target,
                selection.samples.reset_index(drop=True),
                {"original": chosen},
                dataset=dataset.id,
                note=selection.note,
                left_out=selection.left_out,
            )
            cell = Cell(target, STAND_IN, test, dataset, "")
            try:
                with np.errstate(all="ignore"):
                    expected = rows(cell, scores_of(cell, view, selection.reason), bounds)
            except ModelError as error:
                assert (
                    isinstance(own, str) and own.split(", from")[0] == str(error).split(", from")[0]
                )
                continue
            assert isinstance(own, list), (name, test.id, own)
            assert len(own) == len(expected)
            for one, other in zip(expected, own, strict=True):
                for column in SAME:
                    assert one[column] == other[column], (name, test.id, column, one, other)
                # numbers in brackets are rounded to two digits, which the last one may decide
                notes = [row["note"].rpartition(")")[2] for row in (one, other)]
                assert notes[0] == notes[1], (name, test.id, notes)
                for column in ("value", "reference_value"):
                    assert alike(one[column], other[column]), (name, test.id, column, one, other)


# -- sound events --------------------------------------------------------------------------------------

RUN_EVENTS = """([truth, predictions]) => {
    const { target } = truth;
    const recording = ([seconds, events]) => ({ seconds, events: events.map(([onset, offset, label]) => ({ onset, offset, label })) });
    return truth.tests.map((test) => {
        const chosen = test.rows ?? truth.samples.file.map((_, place) => place);
        return designs.rowsOf(test, truth, chosen.map((place) => recording(truth.truth[place])), chosen.map((place) => recording(predictions[place])));
    });
}"""


def scenes(ran: Ran) -> tuple[Samples, list[Any]]:
    """Recordings of two devices with events of some classes, one recording without any."""
    draw = np.random.default_rng(8)
    recordings = []
    for number in range(30):
        onset = np.sort(np.round(draw.random(3) * 7, 1)) if number else np.empty(0)
        label = draw.permutation(5)[: len(onset)]
        recordings.append(Annotation(10.0, onset, onset + 1.5, label))
    table = pd.DataFrame(
        {
            "file": [f"{number}.wav" for number in range(30)],
            "start": 0,
            "end": -1,
            "sound-events": pd.Series(recordings, dtype=object),
            "device": ["phone", "recorder"] * 15,
            "place": [None] * 30,
        }
    )
    return Samples(ran.benchmark.datasets["demo-scenes"], table, ran.site, "1"), recordings


def test_lists_of_events_get_the_rows_of_python(ran: Ran, opened: Any) -> None:
    samples, recordings = scenes(ran)
    target = ran.benchmark.targets["sound-events"]
    names = ("event_based", "intersection_based", "segment_based")
    tests = [ran.benchmark.tests[f"events_{name}"] for name in names]
    tests.append(ran.benchmark.tests["fairness_recording_device"])
    select, bounds = Selector(samples, 0, Context(ran.folders.cache, 1)), Bounds(ran.folders.cache)
    content = json.loads(json.dumps(truth(target, tests, samples, select, bounds)))
    draw = np.random.default_rng(9)
    for moved in (0.0, 0.1, 0.6, None):
        lists: list[Any] = []
        for one in recordings:
            off = 0.0 if moved is None else np.round(draw.normal(0, moved, len(one.onset)), 1)
            start = np.clip(one.onset + off, 0, 8.5) if moved is not None else np.empty(0)
            label = (one.label + (draw.random(len(one.label)) < 0.2))[: len(start)]
            lists.append([10.0, [list(row) for row in zip(start, start + 1.5, label, strict=True)]])
        shown = opened.evaluate(RUN_EVENTS, [content, json.loads(json.dumps(lists, default=int))])
        for test, own in zip(tests, shown, strict=True):
            selection = select(test, target)
            parts = [lists[place][1] for place in selection.samples.index]
            columns = [
                np.array([row[column] for part in parts for row in part]) for column in range(3)
            ]
            file = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
            events = EventList(file, columns[2].astype(int), columns[0], columns[1])
            prediction = SoundEvents(target.labels, events, np.full(len(parts), 10.0))
            table = selection.samples.reset_index(drop=True)
            view = View(target, table, {"original": prediction}, left_out=selection.left_out)
            cell = Cell(target, STAND_IN, test, samples.dataset, "")
            with np.errstate(all="ignore"):
                expected = rows(cell, scores_of(cell, view, selection.reason), bounds)
            assert len(expected) == len(own) > 2
            for one_row, other in zip(expected, own, strict=True):
                for column in SAME:
                    assert one_row[column] == other[column], (test.id, column, one_row, other)
                for column in ("value", "reference_value"):
                    assert alike(one_row[column], other[column]), (test.id, column, one_row, other)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a.wav,x,1,Dog", "mine.csv: row 2: column 'onset': expected seconds, found 'x'"),
        ("a.wav,2,1,Dog", "mine.csv: row 2: 2 to 1 s is no event"),
        ("a.wav,0,1,Cat", "mine.csv: row 2: column 'label': unknown label 'Cat'. Known: Alarm, "),
        ("a.wav,0,2,Dog\na.wav,1,3,Dog", "mine.csv: row 3: 1 to 3 s overlaps another event of Dog"),
    ],
)
def test_a_fault_of_an_event_is_told(opened: Any, line: str, told: str) -> None:
    labels = ["Dog", "Alarm"]
    message = opened.evaluate(
        """([text, labels]) => {
            try { predictions.eventLists(predictions.table(text, "mine.csv"), { labels }); }
            catch (error) { return error.message; }
            return "";
        }""",
        [f"file,onset,offset,label\n{line}\n", labels],
    )
    assert message.startswith(told)


def test_recordings_are_found_by_name_and_events_cut_at_their_end(opened: Any) -> None:
    found = opened.evaluate(
        """([text, files]) => {
            const source = predictions.table(text, "mine.csv");
            const lists = predictions.eventLists(source, { labels: ["Dog"] });
            const truth = { samples: { file: files }, truth: files.map(() => [4, []]) };
            return predictions.alignedEvents(source, lists, truth).values;
        }""",
        [
            "file,onset,offset,event_label\nx/a.wav,3,9,Dog\nb,4.05,5,Dog\nc.wav,,,\n",
            ["x/a.wav", "y/b.wav", "z/c.wav", "d.wav"],
        ],
    )
    events = [None if one is None else one["events"] for one in found]
    assert events == [[{"onset": 3, "offset": 4, "label": 0}], [], [], None]


# -- files with faults ---------------------------------------------------------------------------------

BROKEN = {
    "empty": "",
    "no column file": "path,arousal\na,0.5\n",
    "semicolons": "file;arousal\na;0.5\n",
    "a column twice": "file,arousal,arousal\na,1,1\n",
    "a cell too many": "file,arousal\n000.wav,0.5\n001.wav,0.5,0.1\n",
    "a cell too few": 'file,arousal\n"0,\n00.wav",0.5\n001.wav\n',
    "no target": "file,mood\n000.wav,0.5\n",
    "no rows": "file,arousal\n",
    "no number": "file,arousal\n000.wav,0.5\n001.wav,much\n",
    "not finite": "file,arousal\n000.wav,inf\n",
    "another class": "file,emotion\n000.wav,anger\n001.wav,wistful\n",
    "a class is missing": "file,emotion/anger,emotion/happiness\n000.wav,0.5,0.1\n",
    "twice": "file,arousal\n000.wav,0.5\n001.wav,0.5\n000.wav,0.25\n",
    "no time": "file,start,arousal\n000.wav,soon,0.5\n",
    "ends before it starts": "file,start,end,arousal\n000.wav,2.5,0 days 00:00:01,0.5\n",
    "byte order mark and quotes": '\ufefffile,"arousal"\r\n"000.wav","a ""word"""\r\n',
}


def told(text: str, folder: Path, benchmark: Benchmark) -> str:
    """What the command line says of a file, without the place of the model in its catalog."""
    path = folder / "mine.csv"
    path.write_bytes(text.encode())
    model = Model(id="own", version="1", adapter="predictions", path=str(path))
    targets = {name: benchmark.targets[name] for name in ("arousal", "emotion")}
    with pytest.raises(ModelError, match=r"mine\.csv|column") as caught:
        PredictionsModel(model, targets)
    return str(caught.value)


@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_is_told_in_the_words_of_the_command_line(
    name: str, ran: Ran, opened: Any, tmp_path: Path
) -> None:
    expected = told(BROKEN[name], tmp_path, ran.benchmark)
    give(opened, BROKEN[name])
    status = opened.locator(".own-status")
    shown = status.inner_text()
    assert opened.faults == []
    assert "wrong" in (status.get_attribute("class") or "")
    # the command line names the entry of the model besides, and offers a mapping
    text = shown.removeprefix("mine.csv: ").partition(". Known:")[0].partition("; the model has")[0]
    assert text in expected, (shown, expected)
    assert "\n" not in shown
    assert opened.locator(".own-result section").count() == 0


#: words of other tools for the classes, and one for a class that the target does not have
WORDS = {"anger": "ang", "happiness": "HAP", "neutral": "neu", "sadness": "sad"}


def test_classes_are_named_as_import_predictions_takes_them(
    ran: Ran, opened: Any, tmp_path: Path
) -> None:
    table = pd.read_csv(io.StringIO(ran.predictions("loud")))[["file", "emotion"]]
    table["emotion"] = table["emotion"].replace(WORDS)
    table.loc[0, "emotion"] = "fru"
    path = tmp_path / "mine.csv"
    path.write_text(table.to_csv(index=False))
    places = ["--to", str(tmp_path / "own"), "--catalog", str(ran.mini.catalog)]
    assert main(["import-predictions", str(path), "--dataset", "tones", *places]) == 0
    catalogs = [ran.mini.catalog, tmp_path / "own"]
    benchmark = load_benchmark(catalogs, allow_code=True)
    folders = Paths(tmp_path / "out", ran.folders.cache)
    tests = ("correctness_classification", "correctness_distribution")
    engine.Engine(benchmark, folders).run(
        Filters(models=("mine",), datasets=("tones",), tests=tests)
    )
    give(opened, path.read_text())
    said = opened.locator(".own-status").inner_text()
    assert "ang = anger" in said and "HAP = happiness" in said and "fru = no class" in said
    shown = {tuple(row[name] for name in CELL): row for row in downloaded(opened, "emotion")}
    for test in tests:
        for row in read_csv(folders.results("emotion", "mine", test)).to_dict("records"):
            own = shown[tuple(row[name] for name in CELL)]
            assert alike(row["value"], own["value"]) and row["status"] == own["status"]
    scores = "file,emotion/ang,emotion/HAP,emotion/neu,emotion/sad\n"
    give(opened, scores + "".join(f"{file},1,0,0,0\n" for file in table["file"]))
    assert "ang = anger" in opened.locator(".own-status").inner_text()
    assert opened.faults == []


def test_samples_without_a_row_are_told_with_the_first(ran: Ran, opened: Any) -> None:
    text = ran.predictions("loud")
    head, *lines = text.splitlines()
    give(opened, "\n".join([head, *lines[5:]]))
    reasons = {row["reason"] for row in downloaded(opened, "arousal") if row["status"] == "error"}
    assert any(
        reason.startswith("mine.csv: no row for 5 of 280 samples; first: ") for reason in reasons
    )
    give(opened, f"{head}\nelsewhere.wav,0.5,anger\n")
    assert "no row for 280 of 280 samples" in opened.locator(".own-status").inner_text()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "280 lines read; "),
        (["no.wav,0.5,anger"], "281 lines read, of which 1 line belongs to no sample here "),
        (["no.wav,0,anger", "a.wav,1,sadness"], "282 lines read, of which 2 lines belong to no "),
    ],
)
def test_lines_of_no_sample_are_counted(ran: Ran, opened: Any, lines: list[str], told: str) -> None:
    head, *known = ran.predictions("loud").splitlines()
    assert head == "file,arousal,emotion"
    give(opened, "\n".join([head, *known, *lines]))
    said = opened.locator(".own-status").inner_text()
    assert said.startswith(f"mine.csv: {told}")
    assert ("(the first: row 282, no.wav)" in said) == bool(lines)


def test_lines_of_other_conditions_and_recordings_with_short_names_are_of_use(opened: Any) -> None:
    found = opened.evaluate(
        """([text, events]) => {
            const source = predictions.table(text, "mine.csv");
            const truth = { dataset: { database: "d", version: "1" }, samples: { file: ["a.wav"] } };
            const own = predictions.aligned(source, predictions.index(source), [0, 1, 2], truth);
            const listed = predictions.table(events, "mine.csv");
            const lists = predictions.eventLists(listed, { labels: ["Dog"] });
            const long = { samples: { file: ["x/a.wav"] }, truth: [[4, []]] };
            const cut = predictions.alignedEvents(listed, lists, long);
            return [predictions.strangers(source, [own]), predictions.strangers(listed, [cut])];
        }""",
        [
            "file,condition,arousal\na.wav,original,1\na.wav,gain,1\nb.wav,,1\n",
            "file,onset,offset,label\na,1,2,Dog\nb,1,2,Dog\nb,3,4,Dog\n",
        ],
    )
    assert found == [[{"line": 4, "name": "b.wav"}], [{"line": n, "name": "b"} for n in (3, 4)]]


def test_rows_are_read_as_the_command_line_reads_them(opened: Any, tmp_path: Path) -> None:
    text = 'file,a,"b ""c"""\r\n"x,y","1\n2",\r\n\r\nz,,"q"\nw,"",last'
    (tmp_path / "t.csv").write_bytes(text.encode())
    table = prediction_table.read(tmp_path / "t.csv", "here")
    shown = opened.evaluate("(text) => predictions.table(text, 't.csv')", text)
    assert shown["names"] == list(table.columns)
    assert shown["rows"] == table.to_numpy().tolist()


def test_text_can_be_pasted_and_a_file_to_fill_in_saved(ran: Ran, opened: Any) -> None:
    with opened.expect_download() as waiting:
        opened.get_by_role("button", name="File to fill in: emotion/tones").click()
    text = Path(waiting.value.path()).read_text("utf-8")
    assert text.startswith("file,dataset,emotion\n") and len(text.splitlines()) == 281
    opened.get_by_text("Or paste").click()
    opened.get_by_label("Text of a CSV file").fill(text)
    opened.get_by_role("button", name="Score the text").click()
    opened.locator(".own-result section").wait_for()
    assert opened.locator("tr.own").count() == 1
    assert opened.faults == []


# -- which truths may be published ---------------------------------------------------------------------


def test_truths_that_may_not_be_passed_on_stay_here(ran: Ran, tmp_path: Path) -> None:
    closed = ran.benchmark.datasets["tones"].model_copy(update={"license": "restricted"})
    benchmark = ran.benchmark.model_copy(
        update={"datasets": {**ran.benchmark.datasets, "tones": closed}}
    )
    shutil.copytree(ran.folders.output, tmp_path / "out")
    folders = Paths(tmp_path / "out", ran.folders.cache)
    assert update.update(benchmark, folders) == 0
    index = update.read(folders.media / FOLDER / INDEX)
    assert index["files"] == [] and index["closed"] == {"tones": "Its users sign an agreement"}
    assert [path.name for path in (folders.media / FOLDER).iterdir()] == [INDEX]
    html = own_page.page(load(folders, benchmark, [])).html
    assert "no annotations that predictions could be scored against" in html


def test_truths_are_made_again_only_where_something_changed(ran: Ran, monkeypatch: Any) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("made again")

    monkeypatch.setattr(datasets, "load", refuse)
    assert update.update(ran.benchmark, ran.folders) == 0


def test_a_test_that_changes_signals_has_no_shape() -> None:
    tests = load_benchmark().tests.values()
    assert {test.family for test in tests if not has_shape(test)} == {"robustness"}
    assert all(has_shape(test) for test in tests if test.family != "robustness")


# -- the page on the website ---------------------------------------------------------------------------

PAGE = "results/own"
TEXT = 'file,arousal\na.wav,0.2\nb.wav,0.5\n"{}.wav",0.7\n'


def scored(visit: Callable[..., Any], small: Any, width: int, **options: Any) -> Any:
    page = visit(PAGE, width, **options)
    give(page, TEXT.format(small.hostile.replace('"', '""')))
    page.locator(".own-result section").wait_for()
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_no_fault_that_axe_knows(visit: Any, small: Any, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for page in (
        visit(PAGE, width, color_scheme=scheme),
        scored(visit, small, width, color_scheme=scheme),
    ):
        assert page.faults == []
        faults = axe.Axe().run(page).response["violations"]
        shown = [(fault["id"], [node["html"] for node in fault["nodes"]][:3]) for fault in faults]
        assert not shown
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.close()


def test_names_of_data_are_text_and_never_markup(visit: Any, small: Any) -> None:
    page = scored(visit, small, 1280)
    assert (
        small.hostile
        in page.locator(".own-result table.scores tbody th[scope=row]").first.inner_text()
    )
    table = page.locator("tr.own td").all_inner_texts()
    assert table[2] == "2 of 3"
    page.close()


def test_a_file_can_be_dropped(visit: Any, small: Any) -> None:
    page = visit(PAGE)
    page.evaluate(
        """(text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "dropped.csv"));
            const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
            document.querySelector(".own-drop").dispatchEvent(event);
        }""",
        TEXT.format(small.hostile.replace('"', '""')),
    )
    page.locator(".own-result section").wait_for()
    assert page.locator(".own-status").inner_text().startswith("dropped.csv: 3 lines read")
    assert page.locator(".own-status").get_attribute("role") == "status"
    page.close()


def test_a_file_that_was_mended_can_be_chosen_again(visit: Any, small: Any, tmp_path: Path) -> None:
    page, file = visit(PAGE), tmp_path / "mine.csv"
    for text, told in (("no,table\n", "has no column"), (TEXT, "3 lines read")):
        file.write_text(text.format(small.hostile.replace('"', '""')), "utf-8")
        with page.expect_file_chooser() as waiting:
            page.locator("#own-file").click()
        assert page.locator("#own-file").input_value() == ""  # so that the same name is a change
        waiting.value.set_files(file)
        page.locator(".own-status", has_text=told).wait_for()
    page.close()


def test_the_keyboard_reaches_the_file_first(visit: Any) -> None:
    page = visit(PAGE)
    page.locator(".own-drop input").focus()
    assert page.evaluate("document.activeElement.labels[0].textContent").startswith("Choose a CSV")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.close()


def test_the_page_says_what_it_needs_without_scripts(visit: Any) -> None:
    page = visit(PAGE, java_script_enabled=False)
    text = page.locator("article").inner_text()
    assert "Nothing is uploaded" in text and "needs JavaScript" in text
    assert "EMOVO (nobody <knows>)" in text
    page.close()


def test_other_pages_lead_here(small: Any) -> None:
    for name in ("index", "results/index", "results/arousal/index"):
        assert 'own.html"' in small.page(name), name
    assert 'own.html"' not in small.page("results/emotion/index")


def test_bins_have_the_signs_of_other_pages(visit: Any) -> None:
    page = visit(PAGE)
    texts = ["(-inf, 0.25]", "(0.75, inf]", "(-inf, -0.5]", "information, inf", "-0.5"]
    assert page.evaluate("texts => texts.map(scoring.tidy)", texts) == [
        display.tidy(t) for t in texts
    ]
    page.close()


def test_data_have_names_here_as_in_other_tables(visit: Any, small: Any) -> None:
    page = scored(visit, small, 1280)
    text = page.locator(".own-result table.scores tbody th[scope=row]").nth(1).inner_text()
    assert text.split("\n")[1:] == [f"Mine {small.hostile}", "2.0.0-table"]
    page.close()


def test_half_a_file_is_told_to_be_half(visit: Any) -> None:
    page = visit(PAGE)
    give(page, "file,arousal\na.wav,0.2\n")
    page.locator(".own-result section").wait_for()
    text = page.locator(".own-result .answer").inner_text()
    assert text.startswith("No cell could be scored: mine.csv: no row for 2 of 3 samples"), text
    # a table of one reason says no more than the sentence
    assert page.locator(".own-result table").count() == 0
    page.close()
