"""Every registered figure with every kind of data."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from common.core.errors import ConfigError, DataError
from common.figures import ALTS, FIGURES, alt, save
from common.figures.style import encode
from common.spec.view import View

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("figure_views", HERE / "conftest.py")
assert spec and spec.loader
views = importlib.util.module_from_spec(spec)
spec.loader.exec_module(views)

KINDS = {
    "changes_overview": ("regression", "classification"),
    "confusion": ("classification",),
    "confusion_by_group": ("classification",),
    "confusion_shift": ("classification",),
    "distributions": ("regression",),
    "class_counts": ("classification",),
    "histogram_by_group": ("regression", "classification"),
    "histogram_by_context": ("regression", "classification"),
    "expected_ranges": ("regression",),
    "null_distributions": ("regression",),
    "scatter": ("regression",),
    "scatter_by_group": ("regression",),
    "shift_2d": ("regression",),
    "unit_averages": ("regression", "classification"),
    "unit_ranks": ("regression", "classification"),
}
CASES = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]


def situations(kind: str) -> dict[str, View]:
    """Data that a figure must survive without a warning."""
    normal = views.build(kind, 60)
    if kind == "regression":
        return {
            "one sample": views.build(kind, 1),
            "no samples": views.build(kind, 0),
            "constant truth": views.replace(normal, truth=0.3),
            "both constant": views.replace(normal, truth=0.3, prediction=0.3),
            "no truth, out of range": views.replace(normal, truth=np.nan, prediction=7.5),
        }
    return {
        "one sample": views.build(kind, 1),
        "no samples": views.build(kind, 0),
        "constant prediction": views.replace(normal, prediction="neutral"),
        "two classes": views.build(kind, 40, labels=2),
        "no truth, unknown class": views.replace(normal, truth=None, prediction="bored"),
    }


def digests() -> dict[str, str]:
    """SHA-256 of figures of a normal view that use all ways of drawing."""
    found = {}
    for name, kind in CASES:
        if name.endswith(("_by_group", "_by_context")) or (name[:5], kind[0]) == ("unit_", "c"):
            continue
        drawings = FIGURES.get(name)(views.build(kind, 60), views.OPTIONS, views.TITLE)
        found[f"{name} {kind}"] = hashlib.sha256(encode(next(iter(drawings.values())))).hexdigest()
    return found


def test_every_figure_is_in_these_tests() -> None:
    assert set(FIGURES.names()) == set(KINDS)
    assert set(ALTS.names()) == set(KINDS)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_draws_any_data_without_warning(name: str, kind: str) -> None:
    for situation, view in situations(kind).items():
        drawings = FIGURES.get(name)(view, views.OPTIONS, views.TITLE)
        for drawing in list(drawings.values())[:1]:
            assert encode(drawing).startswith(b"\x89PNG"), situation
        assert set(ALTS.get(name)(view, views.OPTIONS)) == set(drawings), situation


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_draws_many_samples_small(name: str, kind: str, tmp_path: Path) -> None:
    view = views.build(kind, 5000, speakers=40)
    drawings = FIGURES.get(name)(view, views.OPTIONS, views.TITLE)
    suffix, drawing = next(iter(drawings.items()))
    size = save(drawing, tmp_path / "figure.png")
    assert size == (tmp_path / "figure.png").stat().st_size
    assert size < 60_000
    assert drawing.get_size_inches()[0] == 4.8
    assert "nan" not in alt(name, view, views.OPTIONS, suffix)


def test_equal_bytes_in_another_process_with_another_hash_seed() -> None:
    code = (
        "import importlib.util as u, json, sys; import common.figures; "
        "heavy = [name for name in ('matplotlib', 'seaborn') if name in sys.modules]; "
        f"s = u.spec_from_file_location('t', {str(Path(__file__).resolve())!r}); "
        "m = u.module_from_spec(s); sys.modules['t'] = m; s.loader.exec_module(m); "
        "print(json.dumps([heavy, m.digests()]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4321", "PYTHONPATH": str(HERE.parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    heavy, there = json.loads(done.stdout)
    assert there == digests()
    assert heavy == [], "importing the figures loads nothing heavy, so that a check is quick"


def test_equal_bytes_whatever_the_callers_settings_are() -> None:
    import matplotlib as mpl

    view = views.build("regression", 30)

    def draw() -> bytes:
        return encode(FIGURES.get("scatter")(view, {}, "data")[""])

    before = draw()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "figure.dpi": 30}):
        assert draw() == before
        assert mpl.rcParams["font.size"] == 30


def test_equal_bytes_from_several_threads() -> None:
    view = views.build("classification", 30)
    found: list[bytes] = []

    def draw() -> None:
        found.append(encode(FIGURES.get("confusion")(view, {}, "data")[""]))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_unknown_names_are_named() -> None:
    view = views.build("classification", 5)
    with pytest.raises(ConfigError, match=r"unknown figure 'confusio'\. Did you mean 'confusion'"):
        alt("confusio", view, {})
    with pytest.raises(DataError, match=r"figure 'confusion': no suffix 'male' here\. Known: ''"):
        alt("confusion", view, {}, "male")
