"""Targets, entries and signals that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import audformat
import numpy as np
import pandas as pd
import pytest

from common import spec
from common.spec import Dataset, Target


@pytest.fixture
def targets() -> dict[str, Target]:
    """One regression and one classification target, with names of no real one."""
    return {
        "energy": Target(id="energy", label="Energy", kind="regression", range=(0, 1)),
        "mood": Target(id="mood", label="Mood", kind="classification", labels=("good", "bad")),
    }


@pytest.fixture
def entry(tmp_path: Path) -> Callable[..., Dataset]:
    """Make an entry as if it stood in ``<tmp_path>/catalog/datasets.yaml``."""

    def make(**content: Any) -> Dataset:
        content = {"id": "mine", "version": "1.0.0", "adapter": "folder", **content}
        origin = tmp_path / "catalog" / "datasets.yaml"
        return spec.parse(Dataset, content, origin, content["id"], builtin=False)

    return make


@pytest.fixture
def speech() -> np.ndarray:
    """Two seconds of a sweep with noise at 16 kHz, float32, shape (1, 32000)."""
    rng = np.random.default_rng(0)
    t = np.arange(32000) / 16000
    signal = 0.4 * np.sin(2 * np.pi * (200 + 300 * t) * t) + 0.01 * rng.standard_normal(len(t))
    return signal[None].astype(np.float32)


@pytest.fixture(scope="session")
def database() -> Callable[[], audformat.Database]:
    """Make a small database in audformat."""
    return make_database


@pytest.fixture
def db_columns() -> dict[str, Any]:
    """Columns of an entry on table ``words`` of it, by all ways to get at labels."""
    return {
        "mood": "mood",
        "energy": "energy",
        "speaker": {"table": "files", "column": "person"},
        "sex": {"table": "files", "column": "person", "map": "sex"},
        "floor": {"table": "files", "column": "room", "map": "floor"},
    }


def make_database() -> audformat.Database:
    """Two files, a segmented and a filewise table, speakers in a misc table, rooms in a dict."""
    db = audformat.Database("minidb", usage="unrestricted", license="CC0-1.0", source="here")
    db.misc_tables["people"] = audformat.MiscTable(
        pd.Index([1, 2, 3], name="person", dtype="Int64")
    )
    db.misc_tables["people"]["sex"] = audformat.Column()
    db.misc_tables["people"]["sex"].set(["female", "male", None])
    db.schemes["mood"] = audformat.Scheme(labels=["fine", "bad", "odd"])
    db.schemes["energy"] = audformat.Scheme("float", minimum=0, maximum=1)
    db.schemes["person"] = audformat.Scheme("int", labels="people")
    db.schemes["room"] = audformat.Scheme(labels={"r1": {"floor": "wood"}, "r2": {}})
    times = [pd.Timedelta(f"{ms}ms") for ms in (0, 50)], [pd.Timedelta("50ms"), pd.NaT]
    words = audformat.segmented_index(["a.wav", "a.wav"], *times)
    db["words"] = audformat.Table(words)
    db["words"]["mood"] = audformat.Column(scheme_id="mood")
    db["words"]["mood"].set(["fine", None])
    db["words"]["energy"] = audformat.Column(scheme_id="energy")
    db["words"]["energy"].set([0.25, np.nan])
    db["files"] = audformat.Table(audformat.filewise_index(["a.wav", "b.wav"]))
    for name, values in {"person": [2, 3], "room": ["r1", "r2"], "mood": ["bad", "odd"]}.items():
        db["files"][name] = audformat.Column(scheme_id=name)
        db["files"][name].set(values)
    db["files"]["note"] = audformat.Column()
    db["files"]["note"].set(["x", "y"])
    return db
