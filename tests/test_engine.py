"""The engine on a miniature benchmark."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.cli.main import main
from common.core.errors import ConfigError, MissingDependency
from common.core.paths import Paths
from common.engine.plan import Filters
from common.engine.staleness import stale
from common.figures import drawing
from common.predictions import executing, inputs
from common.results.manifest import Manifest
from common.samples import demo
from common.spec import load_benchmark


def _rows(mini, out="out") -> pd.DataFrame:
    return results.read_all(mini.root / out / "method-tests")


def test_each_distinct_input_is_predicted_once_and_never_again(mini) -> None:
    first = mini.run()
    assert not first.errors and not first.not_run
    # 280 segments; the listening model, one chance model per kind
    assert first.calls == first.distinct == 3 * 280
    # 5 tests of arousal for two models, 4 of emotion for two, 5 each of the targets that only
    # the chance model offers and that the data can tell something of (their consistency)
    assert first.computed == 2 * 5 + 2 * 4 + 2 * 1
    again = mini.run()
    assert (again.calls, again.computed) == (0, 0) and again.current == first.computed
    forced = mini.run(force=True)
    assert forced.calls == 0 and forced.computed == first.computed


def test_rows_hold_what_the_samples_say(mini) -> None:
    mini.run(models=("loud",))
    rows = _rows(mini)
    ccc = rows[(rows.metric == "ccc") & (rows.target == "arousal")].iloc[0]
    assert ccc.value > 0.9 and ccc.n == 280 and ccc.status == "pass" and ccc.criterion == "> 0.5"
    uar = rows[rows.metric == "uar"].iloc[0]
    assert uar.value > 0.6 and uar["data"] == "tones-1.0.0"
    assert set(rows.target) == {"arousal", "emotion"}


def test_results_do_not_depend_on_order_workers_cache_or_subset(mini_with_figures) -> None:
    mini = mini_with_figures
    mini.run("a", cache="cache-a")
    mini.run("b", cache="cache-b", workers=3)
    # in parts, in another order, partly from a warm cache
    for target in ("emotion", "arousal"):
        for test in ("correctness_speaker_ranking", "correctness_consistency"):
            if (target, test) != ("emotion", "correctness_consistency"):
                mini.run("c", cache="cache-c", targets=(target,), tests=(test,), workers=2)
    for model in ("chance-class", "loud", "chance-value"):
        mini.run("c", cache="cache-c", models=(model,))
    expected = mini.files("a")
    assert len(expected) > 20
    assert mini.files("b") == expected
    assert mini.files("c") == expected


def test_a12_chance_models_are_reproducible_and_seeded(mini) -> None:
    models = ("chance-value", "chance-class")
    mini.run("a", cache="cache-a", models=models)
    mini.run("b", cache="cache-b", models=models)
    mini.run("c", cache="cache-a", models=models, seed=1)
    values = [_rows(mini, out).value for out in "abc"]
    assert values[0].equals(values[1])
    assert not values[0].equals(values[2])


def test_a22_predictions_follow_their_segment_not_their_position(mini) -> None:
    mini.run("a", models=("loud",))
    path = mini.catalog / "tones" / "metadata.csv"
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *reversed(lines)]) + "\n")
    report = mini.run("b", models=("loud",))
    assert report.computed > 0
    keys = ["target", "test", "metric", "label"]
    both = _rows(mini, "a").merge(_rows(mini, "b"), on=keys, suffixes=("", "_reversed"))
    assert len(both) == len(_rows(mini, "a"))
    assert np.allclose(both.value, both.value_reversed, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        ("raise", "RuntimeError: out of luck"),
        ("nan", "arousal.*(?:NaN|nan)"),
        ("shape", "arousal.*shape"),
    ],
)
def test_failing_model_gives_error_rows_and_others_complete(mini, fail: str, message: str) -> None:
    mini.write(
        "models.yaml",
        "- {id: chance-value, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n"
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", isolate: false, '
        f"params: {{fail: {fail}}}}}\n",
    )
    report = mini.run(models=("loud", "chance-value"))
    rows = _rows(mini)
    assert set(rows[rows.model == "loud"].status) == {"error"}
    assert rows[rows.model == "loud"].reason.str.contains(message).all()
    assert (
        rows[rows.model == "loud"]
        .reason.str.contains(r"no prediction for (?:280 of 280|210 of 210)")
        .all()
    )
    assert set(rows[rows.model == "loud"].cause) == {"model"}
    assert set(rows[rows.model == "chance-value"].status) <= {"pass", "fail", "skip"}
    assert report.errors and all("loud" in name for name in report.errors)
    # an error is no result: it is tried again
    assert mini.run(models=("loud",)).computed == 0
    mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.1, adapter: python, entry: "MODULE:load", isolate: false}\n',
    )
    assert not mini.run(models=("loud",)).errors
    rows = _rows(mini)
    assert "error" not in set(rows.status)


def test_a_sample_that_fails_is_named_and_spoils_only_cells_that_use_it(mini) -> None:
    (mini.catalog / "tones" / "000.wav").write_bytes(b"")
    report = mini.run(models=("loud",))
    assert set(report.errors)
    rows = _rows(mini)
    assert rows.reason.str.contains(r"no prediction for 1 of 2\d0 samples; first: .*000\.wav").all()
    assert report.calls == 279


def test_audio_that_no_model_can_hear_is_no_fault_of_the_model(mini) -> None:
    (mini.catalog / "tones" / "007.wav").write_bytes(b"no audio")
    mini.write(
        "models.yaml",
        "- {id: loud, version: 1.0.0, adapter: python, entry: 'MODULE:load', isolate: false}\n"
        "- {id: mute, version: 1.0.0, adapter: python, entry: 'MODULE:load', isolate: false, "
        "params: {fail: raise}}\n",
    )
    mini.run(models=("loud", "mute"), tests=("correctness_regression",))
    rows = _rows(mini)
    assert set(rows.status) == {"error"} and set(rows.cause) == {"data"}
    # the other samples of the second model have errors of its own, which count for less
    assert rows.reason.str.contains(r"first: .*007\.wav").all()
    lost = rows.groupby("model").reason.first().str.extract(r"for (\d+) of")[0]
    assert lost.to_dict() == {"loud": "1", "mute": "280"}


def test_model_that_cannot_be_loaded_fails_alone(mini) -> None:
    mini.write(f"{mini.module}.py", "def load(**params):\n    raise OSError('no weights')\n")
    report = mini.run()
    rows = _rows(mini)
    assert set(rows[rows.model == "chance-value"].status) <= {"pass", "fail", "skip"}
    assert any("no weights" in message for message in report.errors.values())


def test_interrupted_run_keeps_what_was_computed(mini, monkeypatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK_S", 1.0)
    original = executing.compute
    done: list[int] = []

    def interrupted(shard, resources):
        if len(done) == 10:
            raise KeyboardInterrupt
        done.append(1)
        return original(shard, resources)

    monkeypatch.setattr(executing, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mini.run(models=("loud",))
    monkeypatch.setattr(executing, "compute", original)
    rest = mini.run(models=("loud",))
    assert 0 < rest.calls < 280
    fresh = mini.run("fresh", cache="other", models=("loud",))
    assert fresh.calls == 280
    assert mini.files("out") == mini.files("fresh")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("datasets.yaml", "version: 1.0.0", "version: 1.0.1"),
        ("models.yaml", "id: loud, version: 1.0.0", "id: loud, version: 2.0.0"),
        ("models.yaml", ':load"', ':load", params: {gain: 0.5}'),
    ],
)
def test_changed_declaration_makes_rows_stale(mini, name: str, old: str, new: str) -> None:
    first = mini.run(models=("loud",))
    path = mini.catalog / name
    path.write_text(path.read_text().replace(old, new))
    second = mini.run(models=("loud",))
    assert second.computed == first.computed and second.calls == 280


def test_changed_criterion_recomputes_its_test_without_predicting(mini) -> None:
    text = (
        "title: Own\nfamily: correctness\ndesign: against_truth\n"
        "regression: [{metric: mae, below: %s}]\n"
    )
    mini.write("suite/own.yaml", text % 0.9)
    first = mini.run(models=("loud",))
    mini.write("suite/own.yaml", text % 0.0001)
    second = mini.run(models=("loud",))
    assert (second.computed, second.calls) == (1, 0)
    assert second.current == first.computed - 1
    own = _rows(mini).query("test == 'own'")
    assert list(own.status) == ["fail"]
    (mini.catalog / "suite" / "own.yaml").unlink()
    mini.run(models=("loud",))
    assert "own" not in set(_rows(mini).test)


def test_damaged_result_file_is_written_anew(mini) -> None:
    mini.run(models=("loud",))
    expected = mini.files()
    path = mini.root / "out/method-tests/arousal/loud/correctness_regression.csv"
    path.write_text("rubbish")
    (mini.root / "out/method-tests/emotion/loud/manifest.json").write_text("{")
    report = mini.run(models=("loud",))
    assert report.calls == 0
    assert mini.files() == expected


def test_unavailable_dataset_is_not_run_and_no_failure(mini) -> None:
    mini.write(
        "datasets.yaml",
        "- {id: gone, version: 1.0.0, adapter: audb, table: files, "
        "columns: {emotion: emotion, arousal: arousal}}\n",
    )
    engine = mini.engine()
    report = engine.run(Filters(models=["chance-value"], datasets=["gone"], targets=["arousal"]))
    assert not report.errors and report.not_run
    manifest = Manifest.read(engine.folders.manifest("arousal", "chance-value"))
    assert manifest is not None
    assert all(r.startswith("dataset unavailable: ") for r in manifest.not_run.values())
    assert _rows(mini).empty


def test_group_that_is_too_small_is_skipped_with_counts(mini) -> None:
    path = mini.catalog / "tones" / "metadata.csv"
    path.write_text(path.read_text().replace(",s6,", ",s5,").replace(",s4,", ",s5,"))
    mini.run(models=("loud",), tests=("correctness_speaker_average",))
    rows = _rows(mini)
    assert set(rows.status) == {"skip"}
    assert rows.reason.str.contains(r"5 of 5 speakers .* at least 6 needed").all()


def test_unknown_ids_are_refused_with_the_nearest(mini) -> None:
    with pytest.raises(ConfigError, match=r"--model: unknown model 'lout'\. Did you mean 'loud'"):
        mini.engine().run(Filters(models=["lout"]))


def test_without_the_synthesiser_its_data_are_not_run_and_all_else_is(mini, monkeypatch) -> None:
    def absent(*arguments, **options):
        raise MissingDependency("the embedded data need a synthesiser", "pip install it")

    monkeypatch.setattr(demo, "ensure", absent)
    engine = mini.engine()
    name = next(d.id for d in engine.benchmark.datasets.values() if d.embedded)
    tests = [test for test in engine.benchmark.tests if test.startswith("correctness")]
    report = engine.run(Filters(models=["loud"], datasets=[name, "tones"], tests=tests))
    assert report.computed == 9 and not report.errors
    assert set(report.not_run.values()) == {
        "the embedded data need a synthesiser. Install it with: pip install it"
    }


def test_cell_whose_figure_was_not_drawn_is_not_done(mini, monkeypatch) -> None:
    original, drawn = drawing.draw, []

    def interrupted(*arguments):
        if len(drawn) == 3:
            raise KeyboardInterrupt
        drawn.append(1)
        return original(*arguments)

    monkeypatch.setattr(drawing, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mini.run(models=("loud",))
    monkeypatch.setattr(drawing, "draw", original)
    report = mini.run(models=("loud",))
    assert (report.computed, report.current, report.calls) == (9, 0, 0)
    mini.run("fresh", models=("loud",))
    assert mini.files("out") == mini.files("fresh")


def test_a_model_that_changes_its_input_harms_no_other(mini) -> None:
    mini.run("alone", models=("loud",), cache="alone")
    rude = mini.catalog / f"rude_{mini.module}.py"
    text = (mini.catalog / f"{mini.module}.py").read_text()
    rude.write_text(text.replace("CALLS.append(len(signals))", "[s.fill(0) for s in signals]"))
    path = mini.catalog / "models.yaml"
    entry = f'- {{id: rude, version: 1.0.0, adapter: python, entry: "{rude.stem}:load"}}\n'
    path.write_text(entry + path.read_text())
    mini.run("both", models=("rude", "loud"), cache="both")
    keep = _rows(mini, "both").query("model == 'loud'").reset_index(drop=True)
    assert keep.equals(_rows(mini, "alone"))


def test_a_metric_that_raises_is_an_error_of_its_cell(mini) -> None:
    mini.write(
        "suite/own.yaml",
        "title: Own\nfamily: correctness\ndesign: against_truth\n"
        "regression: [{metric: jensen_shannon_distance, below: 0.2, bins: ten}]\n",
    )
    report = mini.run(models=("loud",))
    own = _rows(mini).query("test == 'own'")
    assert set(own.status) == {"error"} and own.reason.str.contains("scoring raised").all()
    assert report.computed == 9


def _level(value: float, *, scale: str = "") -> str:
    outputs = f", outputs: {{arousal: {scale}}}" if scale else ""
    return f"""
    - {{id: seven, version: 1.0.0, adapter: python, entry: "MODULE:load", isolate: false, params: {{value: {value}}}{outputs}}}
    """


@pytest.fixture
def seven(mini):
    """Warnings of a run of a model that always returns the same number."""

    def run(value: float, out: str, *, scale: str = "") -> list[str]:
        mini.write("models.yaml", _level(value, scale=scale))
        mini.write(
            f"{mini.module}.py",
            """
            class Seven:
                targets = ["arousal"]
                def __init__(self, value):
                    self.value = value
                def predict(self, signals, sampling_rate):
                    return {"arousal": [self.value + len(s[0]) * 1e-9 for s in signals]}
            def load(value):
                return Seven(value)
            """,
        )
        report = mini.run(out, models=("seven",))
        assert not report.errors and report.computed
        return report.warnings

    return run


def test_numbers_far_outside_of_their_range_are_told_and_scored(seven) -> None:
    (text,) = seven(7.0, "a")
    assert text == (
        "model 'seven': arousal: the value 7, expected 0 to 1; 'outputs: {arousal: {scale: [MIN, MAX]}}' in "
        "its entry says what they range over, such as [1, 7], or [0, 1] if they are meant as they are"
    )
    assert seven(1.4, "b") == []
    assert seven(7.0, "c", scale="{scale: [1, 7]}") == []
    assert seven(7.0, "d", scale="{scale: [0, 1]}") == []
    (text,) = seven(7.0, "e", scale="{scale: [1, 3]}")
    assert "the value 3 where its entry has the scale 1 to 3, expected 0 to 1;" in text


def test_a_sample_without_a_prediction_is_named_once(mini) -> None:
    table = "file,arousal\n" + "".join(f"{n:03d}.wav,0.{n:03d}\n" for n in range(200))
    mini.write("part.csv", table)
    mini.write("models.yaml", "- {id: part, version: 1.0.0, adapter: predictions, path: part.csv}")
    report = mini.run(models=("part",), tests=("correctness_regression",))
    (message,) = report.errors.values()
    assert message == (
        "no prediction for 80 of 280 samples; first: 200.wav: model 'part': part.csv: no row"
    )
    assert report.calls > report.distinct == 280


def _mutations(content: dict, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Places in a manifest, one for each kind, with values of another kind."""
    for key, value in content.items():
        yield from (((*path, key), wrong) for wrong in ([], {"y": []}))
        if isinstance(value, dict) and value:
            inner = value if path or key == "model" else dict([next(iter(value.items()))])
            yield from _mutations(inner, (*path, key))


def test_a_manifest_of_another_shape_is_as_none(mini, capsys) -> None:
    """Whoever sends results may have put anything there."""
    mini.run(models=("loud",), targets=("arousal",))
    expected = mini.files("out")
    path = mini.root / "out" / "method-tests" / "arousal" / "loud" / "manifest.json"
    whole = json.loads(path.read_text())
    benchmark, folders = (
        load_benchmark([mini.catalog]),
        Paths(mini.root / "out", mini.root / "cache"),
    )
    places = ["--output", str(folders.output), "--cache", str(folders.cache)]
    unread = 0
    for place, wrong in _mutations(whole):
        content = copy.deepcopy(whole)
        part = content
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = wrong
        path.write_text(json.dumps(content))
        unread += Manifest.read(path) is None
        assert main(["summary", "--catalog", str(mini.catalog), *places]) in (0, 2), place
        stale(benchmark, folders)
        assert capsys.readouterr().err.count("\n") <= 1, place
    assert unread > 25
    path.write_text(json.dumps({**whole, "cells": {"x": []}}))
    assert mini.run(models=("loud",), targets=("arousal",)).calls == 0
    assert mini.files("out") == expected
