"""Sums of each speaker as scripts, with which pages compute scores of other populations.

``sums/<target>.js`` says which tests and datasets have sums and what is said of speakers;
``sums/<target>/<board>--<test>--<dataset>.js`` has them. A page loads both only when a reader
sets the share of a group of speakers, or compares models. Speakers are numbers here: their
names stay in the result files. No metric is computed here: the browser compares each score with
what follows from its sums before it uses them.
``docs/reference/result_files.rst`` describes the layout.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from benchmark_site.cell_data import as_script, places_of
from benchmark_site.content import Board, Content
from benchmark_site.memory import Inputs, Memory, digest
from benchmark_site.page import slug
from common.core import files
from common.core.paths import SUMS
from common.metrics import METRICS
from common.reports.summary.outcomes import CELL
from common.results import sums
from common.results.population import ScoreKey, groups_named, sources

FOLDER = "sums"
#: a trait with more values names speakers rather than groups
MOST_GROUPS = 20
#: what a score is found by, and the place of the state and of the value in it
Places = Mapping[ScoreKey, tuple[int, int]]


def index_of(target: str) -> str:
    """Script that lists the sums of a target, below the top of the site."""
    return f"{FOLDER}/{slug(target)}.js"


def has_sums(content: Content, target: str) -> bool:
    """Whether sums of speakers were kept for a target."""
    return any(
        f"{target}/{model.id}/{SUMS}" in content.folders
        for board in content.boards[target]
        if not board.published
        for model in board.models
    )


def write(content: Content, site: Path, memory: Memory, inputs: Inputs) -> None:
    """Write the scripts of all targets where something in them changed.

    Args:
        content: what the pages show
        site: folder of the finished site
        memory: what the scripts were made from last time
        inputs: what they are made from
    """
    names = set()
    for target in content.boards:
        if not has_sums(content, target):
            continue
        entries = []
        for board in content.boards[target]:
            if not board.published:
                entries += list(_files(content, board, site, memory, inputs))
        text = as_script("sumsOfTarget", target, [entry for entry in entries if entry])
        files.write_text(site / index_of(target), text, only_changed=True)
        names |= {index_of(target), *(entry["file"] for entry in entries if entry)}
    for path in sorted((site / FOLDER).rglob("*.js")):
        if path.relative_to(site).as_posix() not in names:
            path.unlink()


def _files(
    content: Content, board: Board, site: Path, memory: Memory, inputs: Inputs
) -> Iterable[dict[str, Any] | None]:
    """What the index says of each file of a board; None: nothing follows from its sums."""
    table = board.table
    places = places_of(table)
    for test, dataset in table[["test", "dataset"]].drop_duplicates().itertuples(index=False):
        name = "--".join(map(slug, (board.name, test, dataset)))
        file = f"{FOLDER}/{slug(board.target)}/{name}.js"
        cells = [[*cell, place] for cell, place in places.items() if cell[:2] == (test, dataset)]
        key = digest([inputs.of_sums(board.target, test), cells])
        entry = memory.recall(file, key)
        if entry is None or (entry and not (site / file).exists()):
            part = table[(table["test"] == test) & (table["dataset"] == dataset)]
            content_of_file = of_dataset(content, board, part, places)
            entry = {}
            if content_of_file:
                text = as_script("speakerSums", file, content_of_file)
                files.write_text(site / file, text, only_changed=True)
                traits = {
                    trait: values["groups"] for trait, values in content_of_file["traits"].items()
                }
                entry = {**{"file": file, "board": board.name, "test": test}, "traits": traits}
            memory.keep(file, key, entry)
        yield entry or None


def of_dataset(
    content: Content, board: Board, rows: pd.DataFrame, places: Mapping[tuple[Hashable, ...], int]
) -> dict[str, Any]:
    """Sums of all models of a board on the dataset of a test; empty: there are none.

    Args:
        content: what the pages show
        board: the board
        rows: its rows of one test and dataset
        places: place of each cell of the board
    """
    test, dataset = rows.iloc[0][["test", "dataset"]]
    tables = {}
    for model in dict.fromkeys(rows["model"].tolist()):
        path = content.paths.sums(board.target, model, test, dataset)
        if path.exists():
            tables[model] = sums.read(path)
    tables = {model: table for model, table in tables.items() if len(table)}
    if not tables:
        return {}
    whole = pd.concat(tables.values())
    speakers = sorted(whole["speaker"].dropna().unique())
    if len(speakers) < 2:
        return {}
    number = {name: place for place, name in enumerate(speakers)}
    models = {}
    for model, table in tables.items():
        states, keys = _states(table, number)
        cells = _cells(rows[rows["model"] == model], keys, places)
        if cells:
            models[model] = {"states": states, "cells": cells}
    first = whole.dropna(subset="speaker").drop_duplicates("speaker").set_index("speaker")
    return {"speakers": len(speakers), "traits": _traits(first.loc[speakers]), "models": models}


def _traits(speakers: pd.DataFrame) -> dict[str, Any]:
    """What is said of speakers: names of groups, and the group of each speaker or -1."""
    traits = {}
    for column in speakers:
        if not str(column).startswith(sums.ABOUT):
            continue
        groups = sorted(speakers[column].dropna().astype(str).unique())
        if 1 < len(groups) <= MOST_GROUPS:
            place = {name: code for code, name in enumerate(groups)}
            codes = [place.get(value, -1) for value in speakers[column].tolist()]
            traits[str(column).removeprefix(sums.ABOUT)] = {"groups": groups, "codes": codes}
    return traits


def _states(table: pd.DataFrame, number: Mapping[str, int]) -> tuple[list[dict[str, Any]], Places]:
    """Sums of each state, and which state and value a score is."""
    states: list[dict[str, Any]] = []
    keys: dict[ScoreKey, tuple[int, int]] = {}
    for (metric, state, params), part in table.groupby(["metric", "state", "given"], sort=False):
        names = json.loads(part["keys"].iloc[0])
        for place, (group, label) in enumerate(names):
            keys[str(metric), str(state), group, label] = (len(states), place)
        low, high = METRICS.get(str(metric)).bounds
        states.append(
            {
                "metric": metric,
                "params": json.loads(str(params)),
                "bounds": [None if math.isinf(end) else end for end in (low, high)],
                # the last one stands for all samples whose speaker is not known
                "speakers": [number.get(name, len(number)) for name in part["speaker"]],
                "samples": part["samples"].tolist(),
                "sums": [[_short(value) for value in line] for line in part["sums"]],
            }
        )
    return states, keys


def _short(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)


def _cells(
    rows: pd.DataFrame,
    keys: Places,
    places: Mapping[tuple[Hashable, ...], int],
) -> dict[str, list[int]]:
    """Place of a cell -> state and value of its score, and of what that is compared with."""
    cells: dict[str, list[int]] = {}
    groups = groups_named(rows["data"])
    for row in rows[rows["value"].notna()].to_dict("records"):
        for parts in sources(row, groups[row["data"]]):
            if all(key in keys for key in parts):
                place = places[tuple(row[name] for name in CELL)]
                cells[str(place)] = [number for key in parts for number in keys[key]]
                break
    return cells
