"""Figures are drawn again only where what they show has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from common import results
from common.core.errors import DataError, OutputError
from common.engine import publish
from common.engine import run as engine_run
from common.figures import drawing


@pytest.fixture
def drawn(mini, monkeypatch) -> list[str]:
    """Cells that were drawn, in order."""
    names: list[str] = []
    original = drawing.draw

    def noted(job):
        names.append(f"{job.cell.target.id}/{job.cell.model.id}/{job.cell.key}")
        return original(job)

    monkeypatch.setattr(drawing, "draw", noted)
    return names


def test_figures_that_lie_there_are_not_drawn_again(mini, drawn) -> None:
    mini.run(models=("loud",))
    before, first = mini.files(), len(drawn)
    assert first == 9 == len(set(drawn))
    mini.run(models=("loud",), force=True)
    assert len(drawn) == first and mini.files() == before


def test_a_figure_that_is_not_what_was_drawn_is_drawn_again(mini, drawn) -> None:
    mini.run(models=("loud",))
    before = mini.files()
    folder = mini.root / "out/extra/media/arousal/loud"
    changed, lost = sorted(folder.rglob("*.png"))[:2]
    changed.write_bytes(b"something else")
    lost.unlink()
    drawn.clear()
    mini.run(models=("loud",), force=True)
    assert len(drawn) == 2 and mini.files() == before


def test_other_predictions_or_another_program_draw_again(mini, drawn, monkeypatch) -> None:
    mini.run(models=("loud",))
    drawn.clear()
    models = mini.catalog / "models.yaml"
    source = mini.catalog / f"{mini.module}.py"
    source.write_text(source.read_text().replace("level * 1.5", "level * 1.4"))
    fresh = mini.root / "catalog" / f"{mini.module}_2.py"
    fresh.write_text(source.read_text())
    models.write_text(models.read_text().replace(f"{mini.module}:", f"{mini.module}_2:"))
    mini.run(models=("loud",))
    assert {name.split("/")[0] for name in drawn} == {"arousal"} and len(drawn) == 5
    drawn.clear()
    monkeypatch.setattr(drawing, "_packages", lambda: ["a new release"])
    mini.run(models=("loud",), force=True)
    assert len(drawn) == 9


def test_figures_of_a_cell_are_begun_before_the_next_one_is_scored(mini, monkeypatch) -> None:
    steps: list[str] = []
    evaluate, begin = engine_run.evaluate, drawing.Drawer.begin
    monkeypatch.setattr(
        engine_run, "evaluate", lambda *args: steps.append("score") or evaluate(*args)
    )
    monkeypatch.setattr(drawing.Drawer, "begin", lambda *args: steps.append("draw") or begin(*args))
    report = mini.run("beside", models=("loud",), targets=("arousal",), workers=2)
    assert not report.errors and steps == ["score", "draw"] * 5
    mini.run("alone", models=("loud",), targets=("arousal",))
    assert mini.files("beside") == mini.files("alone")


def _job(mini, monkeypatch) -> drawing.Job:
    jobs: list[drawing.Job] = []
    monkeypatch.setattr(
        drawing.Drawer,
        "begin",
        lambda self, due: (jobs.append(due) or drawing.Drawn(), "", due.folder),
    )
    mini.run(models=("loud",), tests=("correctness_speaker_ranking",), targets=("arousal",))
    return jobs[0]


def test_source_depends_on_all_that_is_shown_and_on_nothing_else(mini, monkeypatch) -> None:
    job = _job(mini, monkeypatch)
    cell, view = job.cell, job.view
    assert list(view.samples.columns) == ["arousal", "speaker"]
    known = drawing.source(cell, view)
    names = view.samples["speaker"].map(lambda name: "".join(name))  # equal, other objects
    same = replace(view, samples=view.samples.assign(speaker=names))
    assert drawing.source(replace(cell, hash="other"), same) == known
    speakers, truth = view.samples["speaker"].copy(), view.samples["arousal"].copy()
    speakers.iloc[3], truth.iloc[3] = "s9", np.nextafter(truth.iloc[3], 2)
    prediction = view.prediction.copy()
    prediction[0] = np.nextafter(prediction[0], 2)
    rows = [{**view.rows[0], "status": "error"}, *view.rows[1:]]
    others = [
        replace(view, samples=view.samples.assign(speaker=speakers)),
        replace(view, samples=view.samples.assign(arousal=truth)),
        replace(view, predictions={"original": prediction}),
        replace(view, rows=rows),
        replace(view, rows=[{**row, "null": np.zeros(3)} for row in view.rows]),
        replace(view, rows=[{**row, "null": np.ones(3)} for row in view.rows]),
        replace(view, seed=1),
        replace(view, note="a remark"),
    ]
    found = [drawing.source(cell, other) for other in others]
    assert len({known, *found}) == len(others) + 1


def test_a_figure_is_titled_with_the_name_of_its_dataset(mini, monkeypatch) -> None:
    job = _job(mini, monkeypatch)
    titles = set()
    named = replace(
        job, cell=replace(job.cell, dataset=_labelled(job.cell.dataset, "Tones, plain"))
    )
    for each in (job, named):
        for _, figure, _ in drawing._figures(each):
            titles.add(figure.get_suptitle() or figure.axes[0].get_title())
    assert titles == {job.cell.dataset.label or job.cell.dataset.data, "Tones, plain"}
    sources = {drawing.source(each.cell, each.view) for each in (job, named)}
    assert len(sources) == 2


def _labelled(dataset: Any, label: str) -> Any:
    return dataset.model_copy(update={"label": label})


def test_missing_labels_count(mini, monkeypatch) -> None:
    job = _job(mini, monkeypatch)

    def source(speakers: list[object]) -> str:
        column = pd.Series(speakers, dtype=object)
        samples = pd.DataFrame({"speaker": column})
        return drawing.source(job.cell, replace(job.view, samples=samples))

    found = [source(s) for s in (["a", None], ["a", "None"], [None, "a"], ["a", "a"], ["b", "b"])]
    assert len(set(found)) == 5


def test_manifest_notes_what_was_drawn(mini) -> None:
    mini.run(models=("loud",), tests=("correctness_regression",))
    path = mini.root / "out/method-tests/arousal/loud/manifest.json"
    (cell,) = json.loads(path.read_text())["cells"].values()
    (name,) = cell["figures"]
    assert list(cell["drawn"]["files"]) == [name] and len(cell["drawn"]["source"]) == 16


class TestMergedCsv:
    """Writing of result rows as text; must give what tables give."""

    def rows(self, dataset: str, *values: float) -> list[dict[str, object]]:
        return [
            {"dataset": dataset, "value": value, "n": np.int64(3), "reason": 'a, "b"\nc'}
            for value in values
        ]

    def test_equals_the_way_by_tables(self, tmp_path) -> None:
        rows = self.rows("a", 0.1, float("nan"), np.float64(1e-9), np.float32(0.1))
        text = results.merged_csv(tmp_path / "no.csv", {"a": rows}, ["a"])
        assert text == results.to_csv(results.frame(rows))

    def test_keeps_other_datasets_in_order(self, tmp_path) -> None:
        path = tmp_path / "test.csv"
        old = {name: self.rows(name, 0.25) for name in ("c", "gone", "a")}
        path.write_text(results.merged_csv(path, old, ["c", "gone", "a"]))
        text = results.merged_csv(path, {"b": self.rows("b", 1.0), "a": []}, ["a", "b", "c"])
        expected = results.frame(self.rows("b", 1.0) + self.rows("c", 0.25))
        assert text == results.to_csv(expected)

    @pytest.mark.parametrize("broken", ["", "a,b\n1,2\n", "BAD"])
    def test_refuses_what_is_no_result_file(self, tmp_path, broken) -> None:
        path = tmp_path / "test.csv"
        good = results.merged_csv(path, {"a": self.rows("a", 0.25)}, ["a"])
        path.write_text(good.replace("0.25", "much") if broken == "BAD" else broken)
        with pytest.raises(DataError, match=r"test\.csv: cannot be read as result rows"):
            results.merged_csv(path, {}, ["a"])


class _Slow(drawing.Drawing):
    """Figures that are never done before somebody waits for them."""

    waited: ClassVar[list[bool]] = []
    root = Path()

    def is_done(self) -> bool:
        return False

    def result(self, *args: Any) -> list[drawing.Drawn]:
        tables = list(self.root.glob("method-tests/*/loud/*.csv"))
        manifests = [json.loads(path.read_text()) for path in self.root.rglob("manifest.json")]
        self.waited.append(not tables and not any(found["cells"] for found in manifests))
        return super().result(*args)


def test_no_cell_is_noted_before_its_figures_are_drawn(mini, monkeypatch) -> None:
    mini.run("plain", cache="c", models=("loud",))
    _Slow.root = mini.root / "out"
    _Slow.waited.clear()
    monkeypatch.setattr(publish, "Drawing", _Slow)
    mini.run(models=("loud",))
    assert _Slow.waited[0] and len(_Slow.waited) == 2
    assert mini.files("out") == mini.files("plain")


def test_cells_without_figures_survive_a_fault_in_drawing(mini, monkeypatch) -> None:
    def broken(job: drawing.Job) -> dict[str, str]:
        raise OutputError("no space left")

    draw = drawing.draw
    monkeypatch.setattr(drawing, "draw", broken)
    with pytest.raises(OutputError, match="no space left"):
        mini.run(models=("loud",))
    monkeypatch.setattr(drawing, "draw", draw)
    rest = mini.run(models=("loud",))
    assert rest.calls == 0 and rest.computed > 0
    mini.run("fresh", cache="other", models=("loud",))
    assert mini.files("out") == mini.files("fresh")
