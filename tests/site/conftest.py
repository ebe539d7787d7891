"""A small website: a few published results and some own runs, built in its own process."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common import paths, results
from common.manifest import Manifest
from common.paths import Paths

sys.path.insert(0, str(paths.DOCS / "_ext"))

DRIVER = Path(__file__).with_name("driver.py")
#: text that must never become markup, in any language of the site
HOSTILE = "<script>alert(1)</script> {{ 7*7 }} `x`_ |y| \"&'"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
INDEX = r"""
Small site
==========

.. best-models::

Inline :math:`t_i` and a formula:

.. math::

   \text{CCC} = \frac{2 \sum_i (p_i - \mu_p)(t_i - \mu_t)}{\sqrt{n}}

.. csv-table:: Criteria
   :file: method-tests/arousal/correctness_regression.csv
   :header-rows: 1

.. toctree::
   :hidden:

   results/index
   method/correctness_regression
"""


def row(target: str, model: str, test: str, dataset: str, **more: Any) -> dict[str, Any]:
    """A result row with what most rows have in common."""
    nan = float("nan")
    return {
        "target": target,
        "model": model,
        "model_version": "1.0.0",
        "test": test,
        "dataset": dataset,
        "dataset_version": "2.0.0",
        "data": f"{dataset}-2.0.0-table",
        "condition": "original",
        "value": nan,
        "reference_value": nan,
        "ci_low": nan,
        "ci_high": nan,
        "n": 120,
        "criterion": "> 0.5",
        "status": "pass",
        **more,
    }


def rows_of(model: str) -> list[dict[str, Any]]:
    """Rows of one own model: two passed, one failed, one skipped, one error."""
    test, data = "correctness_regression", "mine"
    return [
        row("arousal", model, test, data, metric="ccc", value=0.5004, n=1200),
        row("arousal", model, test, data, metric="pcc", value=0.7512345678901234),
        row("arousal", model, test, data, metric="mae", value=0.3, criterion="< 0.1", status="fail"),
        row("arousal", model, "correctness_speaker_ranking", data, metric="spearmans_rho",
            status="skip", reason="2 speakers with 10 samples, 6 needed"),
        row("arousal", model, "correctness_consistency", HOSTILE, metric=HOSTILE, label=HOSTILE,
            status="error", reason=HOSTILE),
    ]  # fmt: skip


def write_model(folders: Paths, model: str, label: str, *, chance: bool = False) -> None:
    """Result files, manifest and a figure of one own model."""
    table = results.frame(rows_of(model))
    for test, part in table.groupby("test"):
        results.write_text(folders.results("arousal", model, str(test)), results.to_csv(part))
    facts = {"id": model, "version": "1.0.0", "label": label, "license": "MIT", "chance": chance}
    away = {"correctness_regression/far-away": "dataset unavailable: 'far-away' is not here"}
    manifest = Manifest("arousal", facts, not_run=away)
    results.write_text(folders.manifest("arousal", model), manifest.to_json())
    folder = folders.figures("arousal", model, "correctness_regression")
    results.write_bytes(folder / "visualization_mine.png", PIXEL)
    results.write_text(folder / "alt.json", json.dumps({"visualization_mine.png": "rising dots"}))


class Site:
    """A site in a temporary folder."""

    hostile = HOSTILE

    def __init__(self, root: Path, docs: Path):
        self.root, self.docs = root, docs
        self.folders = Paths(output=root)
        self.html = self.folders.html

    def add_model(self, model: str) -> None:
        """Results of one more own model."""
        write_model(self.folders, model, f"Model {model} {HOSTILE}")

    def result_file(self, model: str) -> Path:
        """A result file of an own model."""
        return self.folders.results("arousal", model, "correctness_regression")

    def build(self, seed: int = 0) -> dict[str, Any]:
        """Build in a fresh process with that hash seed."""
        done = subprocess.run(
            [sys.executable, str(DRIVER), str(self.root), str(self.docs)],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return report

    def page(self, name: str) -> str:
        """HTML of a page."""
        return (self.html / f"{name}.html").read_text("utf-8")

    def files(self) -> dict[str, bytes]:
        """Content of all files of the site."""
        return {
            path.relative_to(self.html).as_posix(): path.read_bytes()
            for path in sorted(self.html.rglob("*"))
            if path.is_file()
        }


def write_docs(folder: Path) -> Path:
    """Prose pages of the small site; settings, templates and style are the real ones."""
    folder.mkdir()
    for name in ("conf.py", "_ext", "_static", "_templates"):
        (folder / name).symlink_to(paths.DOCS / name)
    (folder / "index.rst").write_text(INDEX)
    (folder / "refs.bib").write_text("")
    (folder / "method").mkdir()
    (folder / "method" / "correctness_regression.rst").write_text(
        "Regression\n==========\n\nText.\n"
    )
    return folder


@pytest.fixture(scope="session")
def new_site(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Site]:
    """Function that makes a site with own models; nothing is built yet."""

    def make(*models: str) -> Site:
        root = tmp_path_factory.mktemp("site")
        site = Site(root / "out", write_docs(root / "docs"))
        for model in models:
            site.add_model(model)
        write_model(site.folders, "dice", "Dice", chance=True)
        return site

    return make


@pytest.fixture(scope="session")
def small(new_site: Callable[..., Site]) -> Site:
    """The small site with one own model, built; not to be changed."""
    site = new_site("alpha")
    report = site.build(seed=1)
    assert report.get("built"), report
    return site
