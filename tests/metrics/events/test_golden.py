"""Every figure of the other tools for the synthetic scenes of ``tests/golden``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from common.core.errors import DataError
from common.core.paths import REPOSITORY
from tests.golden.sound_events_adapter import Adapter

GOLDEN = REPOSITORY / "tests" / "golden"
COLUMNS = ["filename", "onset", "offset", "event_label"]
#: relative to the larger of 1 and the figure
TOLERANCE = 1e-9
#: a rate over an empty reference: sed_eval divides by 2**-52
UNDEFINED = 1e12


def golden(tool: str) -> dict[str, Any]:
    return json.loads((GOLDEN / tool / "figures.json").read_text("utf-8"))


SCENES = json.loads((GOLDEN / "sound_events" / "scenes.json").read_text("utf-8"))
SED_EVAL, PSDS_EVAL, SCORES = (
    golden(tool) for tool in ("sed_eval", "psds_eval", "sed_scores_eval")
)


def figures(value: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a nested answer with its path."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from figures(each, f"{prefix}/{key}")
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            yield from figures(each, f"{prefix}/{number}")
    elif isinstance(value, str) and value != "NaN":
        yield prefix, value
    else:
        yield prefix, math.nan if value in ("NaN", None) else float(value)


def compare(found: Any, expected: Any, *, undefined: bool = False, leave: tuple[str, ...] = ()):
    """Assert that every expected figure is found; returns how many there are."""
    ours, count = dict(figures(found)), 0
    for path, theirs in figures(expected):
        if path.endswith(leave or ("no such path",)):
            continue
        count += 1
        mine = ours[path]
        if isinstance(theirs, str):
            assert mine == theirs, path
        elif undefined and theirs > UNDEFINED:
            assert not math.isfinite(mine), path
        elif math.isnan(theirs):
            assert math.isnan(mine), path
        else:
            assert abs(mine - theirs) <= TOLERANCE * max(1.0, abs(theirs)), (path, mine, theirs)
    return count


def named(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


# -- sed_eval --------------------------------------------------------------------------------


def of_sed_eval(case: dict[str, Any], **more: Any) -> dict[str, Any]:
    scene = {**SCENES, **SED_EVAL["scenes"]}[case["scene"]]
    options = {**case["options"], **more}
    if options.pop("lengths", False):
        options["lengths"] = scene["durations"]
    rows = (
        [tuple(row) for row in each] for each in (scene["truth"], scene["points"][case["point"]])
    )
    return getattr(Adapter(), case["kind"])(
        *rows, list(scene["durations"]), case["labels"], **options
    )


@named(SED_EVAL["cases"])
def test_all_figures_of_sed_eval_in_its_way(case) -> None:
    """As ``--compatibility sed_eval`` gives them, substitutions and rates over nothing included."""
    way = {"compatibility": "sed_eval"}
    if case["kind"] == "event":
        way["matching"] = case["options"].get("matching", "sed_eval")
    assert compare(of_sed_eval(case, **way), case["figures"]) >= 30


@named(SED_EVAL["cases"])
def test_figures_of_sed_eval_in_our_way(case) -> None:
    """Equal but where documented: rates over nothing, and substitutions where the order decides."""
    leave = ("count/Nsubs", "/error_rate", "/substitution_rate", "/deletion_rate")
    own = ("count/Nfp", "count/Nfn", "/insertion_rate")
    crowded = case["scene"] == "crowded" and case["kind"] == "event"
    expected = dict(case["figures"])
    if crowded:
        compare(of_sed_eval(case)["overall"], expected.pop("overall"), leave=leave + own)
    assert compare(of_sed_eval(case), expected, undefined=True) >= 15


@pytest.mark.parametrize("name", SED_EVAL["lists"])
def test_lists_are_read_as_sed_eval_reads_them(tmp_path, name: str) -> None:
    content = SED_EVAL["lists"][name]
    path = tmp_path / "list.txt"
    path.write_text(content["text"], "utf-8")
    assert [list(row) for row in Adapter().load_events(path)] == content["rows"]


# -- psds_eval -------------------------------------------------------------------------------


def of_psds_eval(case: dict[str, Any], kind: str = "", **more: Any) -> dict[str, Any]:
    scene = {**SCENES, **PSDS_EVAL["scenes"]}[case["scene"]]
    lengths = pd.DataFrame(scene["durations"].items(), columns=["filename", "duration"])
    truth, *points = (
        pd.DataFrame(rows, columns=COLUMNS)
        for rows in (scene["truth"], *(scene["points"][number] for number in case["points"]))
    )
    return getattr(Adapter(), kind or case["kind"])(
        truth, lengths, points, **case["options"], **more
    )


@named([case for case in PSDS_EVAL["cases"] if "figures" in case])
def test_all_figures_of_psds_eval(case) -> None:
    """As ``--compatibility psds_eval-0.5`` gives them."""
    way = {"compatibility": "psds_eval-0.5"} if case["kind"] == "psds" else {}
    assert compare(of_psds_eval(case, **way), case["figures"]) >= 2


@named([case for case in PSDS_EVAL["cases"] if "figures" in case and case["kind"] == "psds"])
def test_psds_in_our_way(case) -> None:
    """The same, but for the score of a single class, which is always 0 there."""
    found = of_psds_eval(case)
    if len(found["classes"]) > 1:
        assert compare(found, case["figures"]) >= 2
    else:
        assert case["figures"]["psds"] == 0 < found["psds"] < 1


@named([case for case in PSDS_EVAL["cases"] if "refused" in case])
def test_what_psds_eval_refuses_is_refused(case) -> None:
    with pytest.raises(DataError, match=r"overlap|intersect"):
        of_psds_eval(case)
    assert 0 <= of_psds_eval(case, overlap="allow")["psds"] <= 1


@named([case for case in PSDS_EVAL["cases"] if case["kind"] == "macro_f"])
def test_a_class_without_a_hit_counts_as_zero_in_our_way(case) -> None:
    theirs = [value for _, value in figures(case["figures"]["per_class"])]
    expected = sum(0.0 if math.isnan(value) else value for value in theirs) / len(theirs)
    assert of_psds_eval(case, "macro_f_zero")["macro_f"] == pytest.approx(expected, abs=1e-9)


# -- sed_scores_eval -------------------------------------------------------------------------


@named(SCORES["cases"])
def test_all_figures_of_sed_scores_eval(case) -> None:
    scene, frame_s = SCENES["frames"], SCENES["frame_s"]
    rows = [
        (file, number * frame_s, (number + 1) * frame_s, *scores)
        for file, table in scene["scores"].items()
        for number, scores in enumerate(table)
    ]
    table = pd.DataFrame(rows, columns=["filename", "onset", "offset", *scene["labels"]])
    truth = [tuple(row) for row in scene["truth"]]
    found = Adapter().scores(
        table,
        truth,
        scene["durations"],
        case["metric"],
        **{"cttc": None, **case["options"]} if case["metric"] == "psds" else case["options"],
    )
    assert compare(found, case["figures"]) == 4
