"""A small website: a few published results and some own runs, built in its own process."""

from __future__ import annotations

import base64
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from common import results
from common.core import files, paths
from common.core.paths import SAMPLES, Paths
from common.figures.details import file_name
from common.pages.listening import sounds
from common.pages.listening.examples import STATE, wav
from common.pages.listening.loudness import loudness
from common.pages.listening.scenes import picture
from common.pages.listening.sounds import flac
from common.pages.listening.speech import RATE
from common.pages.own import FOLDER as OWN
from common.pages.own import FORMAT
from common.pages.own import INDEX as OWN_INDEX
from common.pages.own.truth import script as truth_script
from common.results import sample_tables, sums
from common.results.manifest import Manifest
from common.results.slices import CONFIRMED, TRIED, Clip, SliceRow, SliceSound, to_csv

sys.path[:0] = [str(paths.DOCS / "_ext"), str(Path(__file__).parent)]

DRIVER = Path(__file__).with_name("driver.py")
#: waits until what a page has heard of is drawn
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
#: text that must never become markup, in any language of the site
HOSTILE = "<script>alert(1)</script> {{ 7*7 }} `x`_ |y| \"&'"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
INDEX = r"""
Small site
==========

.. field-at-a-glance::

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
   method/listen
   method/metrics
"""


#: file -> label, level and duration of a sound that pages play
SOUNDS = {
    "speech.wav": ("Original", 0.2, 4.0),
    "robustness_small_changes/gain.wav": ("Gain", 0.1, 4.0),
    "robustness_small_changes/crop_end.wav": ("Crop end", 0.2, 3.9),
}
ABSENT = "robustness_small_changes/clip.wav"
LISTEN = "Listen\n======\n\n.. listen:: <changes>\n\n" + "".join(
    f"   .. sound:: {file}\n\n      .. plot::\n         :alt: waves\n\n"
    "         from common.figures.audio import plot_file\n"
    f'         plot_file("../extra/media/{file}")\n\n'
    for file in (*SOUNDS, ABSENT)
)
LISTEN += "".join(
    f".. made-of:: {files}\n\n   Made of {files.split('/')[-1]}.\n\n"
    for files in (" ".join(SOUNDS), f"{next(iter(SOUNDS))} {ABSENT}")
)


def write_sounds(folders: Paths) -> None:
    """Sounds of the method page, and one that could not be made."""
    facts: dict[str, Any] = {}
    for file, (label, level, seconds) in SOUNDS.items():
        time = np.arange(round(seconds * RATE)) / RATE
        signal = level * np.sin(2 * np.pi * (300 + 400 * time) * time)[None, :]
        files.write_bytes(folders.media / file, wav(signal))
        lufs = loudness(signal, RATE)
        facts[file] = {"label": label, "lufs": round(lufs, 2), "seconds": seconds}
    content = {"format": 1, "files": facts, "missing": {ABSENT: "no <encoder>"}}
    files.write_text(folders.media / STATE, json.dumps(content))


def write_samples(folders: Paths) -> None:
    """Two samples that a result page plays, and a dataset that may not be played."""
    sound = {"src": f"{SAMPLES}/mine/a.flac", "label": "Original", "lufs": -20, "seconds": 1.0}
    noisy = {"src": f"{SAMPLES}/mine/b.flac", "label": "Noise", "lufs": -14, "seconds": 1.0}
    signal = np.full((1, RATE), 0.1)
    for each in (sound, noisy):
        files.write_bytes(folders.media / str(each["src"]), flac(signal))
    answers = [
        {"model": name, "before": "0.20", "after": after}
        for name, after in (("dice", "0.90"), ("alpha", "0.31"), ("gone", "0.5"))
    ]
    sample = {"sample": f"a.wav {HOSTILE}", "truth": "0.25", "answers": answers}
    condition = {"condition": "noise", "label": "Noise", "reference": "Original"}
    about = {"key": "1", "label": f"Mine {HOSTILE}", "license": "CC-BY-4.0", "silent": ""}
    content = {
        "mine": {
            **about,
            "source": "https://example.org/mine",
            "conditions": [
                {**condition, "samples": [{**sample, "sounds": [sound, noisy]}]},
                {**condition, "label": "Nothing", "samples": []},
            ],
        },
        "elsewhere": {**about, "source": "", "conditions": []},
    }
    text = json.dumps({"format": 2, "datasets": content})
    files.write_text(folders.media / "arousal" / "listen_correctness_regression.json", text)


#: truth and answers of the samples of the small site, in ten-thousandths
TRUTH = [1000, 5000, 9000, 4000]
ANSWERS = {"alpha": [1500, 4500, 3000, 7000], "dice": [5000] * 4}
AFTER = {"alpha": [9500, 4500, 3500, 7000], "dice": [5000] * 4}


def sample_table() -> dict[str, Any]:
    """Samples behind the cells of a dataset, two of which can be heard; one changed by noise."""
    data = "mine-2.0.0-table"
    lines = [[data, "original", ["(0.75, inf]"], None], [data, "noise", [], "e0"]]
    return {
        "key": "1",
        "label": f"Mine {HOSTILE}",
        "license": "CC-BY-4.0",
        "source": "",
        "kind": "number",
        "total": 4,
        "depth": None,
        "words": [],
        "labels": 0,
        "samples": ["a.wav", "b.wav", f"c {HOSTILE}.wav", "d.wav"],
        "columns": {"speaker": [["s1", HOSTILE], [0, 1, 1, 0]]},
        "truth": TRUTH,
        "answers": ANSWERS,
        "tests": {"correctness_regression": {"samples": None, "lines": lines}},
        "changes": {
            "correctness_regression/noise": {
                "label": "Noise",
                "reference": "Original",
                "before": None,
                "after": AFTER,
            }
        },
        "sounds": [["samples/mine/c.flac", 2.0, -20.0], ["samples/mine/c-noise.flac", 2.0, -14.0]],
        "heard": {"": {"2": 0, "0": 0}, "correctness_regression/noise": {"0": [0, 1]}},
        "unheard": "",
        "mb": 3.0,
    }


def write_tables(folders: Paths) -> None:
    """Samples behind the cells of a dataset, and a dataset that may not be shown."""
    table = sample_table()
    for number, (src, seconds, _) in enumerate(table["sounds"]):
        time = np.arange(round(seconds * RATE)) / RATE
        signal = 0.2 * np.sin(2 * np.pi * (300 + 500 * number) * time)[None, :]
        files.write_bytes(folders.media / src, flac(signal))
        image = (folders.media / src).with_suffix(sample_tables.PICTURE)
        files.write_bytes(image, sounds.picture(signal, RATE))
    path = folders.sample_table("arousal", "mine")
    files.write_text(path, sample_tables.script("arousal", "mine", table))
    tests = ["correctness_regression"]
    closed = {"silent": "Its users sign an agreement.", "tests": ["correctness_consistency"]}
    text = sample_tables.index({"mine": {"silent": "", "tests": tests}, HOSTILE: closed})
    files.write_text(folders.media / "arousal" / sample_tables.INDEX, text)


def write_truths(folders: Paths) -> None:
    """The truth of three samples, which own predictions are scored against."""
    data, src = "mine-2.0.0-table", f"{OWN}/arousal--mine.js"
    criteria = {"ccc": "> 0.5", "pcc": "> 0.5", "mae": "< 0.1"}
    test = {
        **{"id": "correctness_regression", "title": "Regression", "family": "correctness"},
        **{"rows": None, "note": "", "reason": "", "design": "against_truth"},
        "uses": [
            {"metric": name, "label": f"{name} {HOSTILE}", "counts": "", "params": {}}
            for name in criteria
        ],
        "rules": [[name, "original", data, rule, "", "", ""] for name, rule in criteria.items()],
    }
    content = {
        "format": FORMAT,
        "target": {
            **{"id": "arousal", "label": "Arousal", "kind": "regression"},
            **{"labels": [], "range": [0, 1]},
        },
        "dataset": {
            **{"id": "mine", "label": f"Mine {HOSTILE}", "database": "mine", "version": "2.0.0"},
            **{"data": data, "license": "CC0-1.0", "source": ""},
        },
        "samples": {"file": ["a.wav", "b.wav", f"{HOSTILE}.wav"]},
        "truth": [0.1, 0.5, 0.9],
        "tests": [test],
    }
    files.write_text(folders.media / src, truth_script(content))
    entry = {
        **{"key": "1", "src": src, "target": "arousal", "dataset": "mine", "samples": 3},
        **{"timed": False, "example": ["a.wav"], "tests": ["correctness_regression"]},
        "elsewhere": ["robustness_background_noise"],
    }
    index = {"format": FORMAT, "files": [entry], "closed": {"emovo": "Nobody <knows>"}}
    files.write_text(folders.media / OWN / OWN_INDEX, json.dumps(index))


def slice_row(name: str, status: str, **more: Any) -> SliceRow:
    """A slice of a model; other values by name."""
    values: dict[str, Any] = {
        **{"target": "arousal", "model": "alpha", "model_version": "1.0.0", "dataset": "mine"},
        **{"test": "correctness_regression", "slice": name, "status": status},
        **{"loss": "absolute error", "n": 40, "speakers": 6, "error": 0.31, "elsewhere": 0.12},
        **{"difference": 0.19, "ci_low": 0.1, "ci_high": 0.28, "q": 0.004, "found_n": 38},
        **{"found_speakers": 6, "found_difference": 0.2, "found_q": 0.01, "level": 0.05},
        **{"cell": "1", "clips": ()},
    }
    return SliceRow(**{**values, **more})


def write_slices(folders: Paths, model: str) -> None:
    """A slice that is confirmed, with a sound and a sample that may not be played, and others."""
    sound = SliceSound(f"{SAMPLES}/mine/a.flac", 1.0, -20.0)
    clips = (
        Clip(
            f"a {HOSTILE}.wav",
            0,
            1_500_000_000,
            0.5,
            "0.25",
            "0.75",
            sound,
            (("dice", "0.33"), ("gone", "0.1")),
        ),
        Clip("b.wav", 0, -1, 0.4, "0.25", "0.65"),
    )
    rows = [
        slice_row(f"sex: {HOSTILE}", CONFIRMED, clips=clips),
        slice_row("F0: >= 200 Hz", "not confirmed", q=0.4, difference=-0.01),
        slice_row("length: < 1 s", TRIED, q=math.nan),
    ]
    files.write_text(folders.slices("arousal", model, "mine"), to_csv(rows))


def event_details() -> dict[str, Any]:
    """Details of sound events, as a run writes them, with hostile names and undefined values."""
    rows = [
        {"label": "all (micro)", "f": [0.5, 0.25, 0.75], "p": [0.5, 0.2, 0.8],
         "r": [0.5, 0.3, 0.7], "er": [1.0, 0.6, 1.4], "tp": 1, "fp": 1, "fn": 1, "ref": 2},
        {"label": HOSTILE, "f": [0.5, 0.25, 0.75], "p": [None] * 3, "r": [0.5, 0.3, 0.7],
         "er": [1.0, 0.6, 1.4], "tp": 1, "fp": 1, "fn": 1, "ref": 2},
        {"label": "bell", "f": [None] * 3, "p": [None] * 3, "r": [None] * 3, "er": [None] * 3,
         "tp": 0, "fp": 0, "fn": 0, "ref": 0},
    ]  # fmt: skip
    picker = {
        "thresholds": [0.1, 0.5, 0.9],
        "counts": [[2, [2, 1, 0], [2, 1, 0]], [0, [0, 0, 0], [1, 0, 0]]],
        "start": 1,
        "scored": True,
        "errors": [2, 1, 2],
    }
    family = {"params": {"t_collar": 0.2}, "rows": rows, "errors": None, "picker": picker}
    curve = [0.0, 0.25, 0.5]
    roc = {
        "psds": 0.3, "areas": [0.4, None], "dtc": 0.1, "gtc": 0.1, "cttc": 0.3, "alpha_ct": 0.5,
        "alpha_st": 1.0, "max_efpr": 100, "unit": "hour", "x": [0, 50, 100], "mean": curve,
        "std": curve, "etpr": curve, "classes": {HOSTILE: curve}, "told": [0, 2],
    }  # fmt: skip
    scene = {
        "file": f"a.wav {HOSTILE}", "start_ns": 0, "seconds": 2.0, "whole": True,
        "truth": [[0.5, 1.0, 0, True], [1.5, 1.75, 0, False]], "estimate": [[0.5, 1.25, 0, True]],
    }  # fmt: skip
    return {
        "format": 1,
        "data": "mine-2.0.0-table",
        "dataset": "mine",
        "labels": [HOSTILE, "bell"],
        "files": ["a.wav"],
        "families": {"event": family},
        "rocs": {"psds_2": roc},
        "confusion": {"dtc": 0.5, "gtc": 0.5, "cttc": 0.3, "counts": [[1, 2, 1], [0, 0, 0]]},
        "scenes": [scene, {**scene, "file": "unheard.wav"}],
    }


def write_events(folders: Paths, model: str) -> None:
    """Details of sound events in a test of a model, and one recording that plays."""
    found = event_details()
    place = folders.figures("arousal", model, "correctness_regression")
    files.write_text(place / "events_mine.json", json.dumps(found))
    files.write_text(place / "events_broken.json", "{")
    scene, other = found["scenes"]
    calm = {**other, "truth": scene["truth"][:1]}
    alone = {**found, "families": {}, "rocs": {}, "confusion": None, "scenes": [calm, scene]}
    place = folders.figures("arousal", model, "correctness_speaker_ranking")
    files.write_text(place / file_name(found["data"]), json.dumps(alone))
    sound = {"src": "scenes/mine/a.flac", "picture": "scenes/mine/a.png"}
    time = np.arange(2 * RATE) / RATE
    signal = 0.2 * np.sin(2 * np.pi * 500 * time)[None, :]
    files.write_bytes(folders.media / sound["src"], flac(signal))
    files.write_bytes(folders.media / sound["picture"], picture(signal, RATE))
    entry = {
        "license": "CC0-1.0",
        "silent": "",
        "scenes": {f"{found['scenes'][0]['file']}@0": sound},
    }
    text = json.dumps({"format": 1, "datasets": {"mine": entry}})
    files.write_text(folders.media / "arousal" / "scenes.json", text)


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


def write_sums(folders: Paths, model: str, *errors: float) -> None:
    """Sums of four speakers behind a mean error of 0.3."""
    sexes = ("female", "female", "male", "male")
    speakers = pd.DataFrame({"speaker": list("abcd"), "speaker_sex": sexes})
    each = np.array([[30.0, 30 * error] for error in errors])
    state = sums.StateSums("mae", "original", each, np.full(4, 30), (("", ""),), {})
    path = folders.sums("arousal", model, "correctness_regression", "mine")
    sums.write(path, sums.table_of([state], speakers))


def write_model(folders: Paths, model: str, label: str, *, chance: bool = False) -> None:
    """Result files, manifest and a figure of one own model."""
    table = results.frame(rows_of(model))
    for test, part in table.groupby("test"):
        files.write_text(folders.results("arousal", model, str(test)), results.to_csv(part))
    facts = {"id": model, "version": "1.0.0", "label": label, "license": "MIT", "chance": chance}
    away = {"correctness_regression/far-away": "dataset unavailable: 'far-away' is not here"}
    manifest = Manifest("arousal", facts, not_run=away)
    files.write_text(folders.manifest("arousal", model), manifest.to_json())
    folder = folders.figures("arousal", model, "correctness_regression")
    files.write_bytes(folder / "visualization_mine.png", PIXEL)
    files.write_text(folder / "alt.json", json.dumps({"visualization_mine.png": "rising dots"}))


class Builder:
    """Builds websites in processes that begin with what every build imports.

    Args:
        shared: what follows from the code and the fonts of this machine, the same for all sites
    """

    def __init__(self, shared: Path):
        self.shared = shared
        self._output = shared / "output.txt"
        self._process: Any = None

    def build(self, *words: str, seed: int, fresh: bool, **environment: str) -> str:
        """Standard output of a build that succeeds; one with a hash seed or ``fresh`` imports all itself."""
        own = {"PYTHONHASHSEED": str(seed), "MPLCONFIGDIR": str(self.shared / "matplotlib")}
        settings = {**os.environ, **own, **environment}
        words = (*words, str(self.shared))
        if seed or fresh:
            command = [sys.executable, str(DRIVER), *words]
            done = subprocess.run(
                command, env=settings, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return done.stdout
        if self._process is None:
            self.shared.mkdir(exist_ok=True)
            self._process = subprocess.Popen(
                [sys.executable, str(DRIVER)],
                env=settings,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        job = {"words": words, "environment": settings, "file": str(self._output)}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        status, said = self._process.stdout.readline(), self._output.read_text("utf-8")
        assert status == "0\n", said
        return said

    def close(self) -> None:
        """End the process that others begin as a copy of."""
        if self._process is not None:
            self._process.communicate()


class Site:
    """A site in a temporary folder.

    Args:
        root: output folder
        docs: prose pages
        builder: builds it
    """

    hostile = HOSTILE

    def __init__(self, root: Path, docs: Path, builder: Builder):
        self.root, self.docs, self.builder = root, docs, builder
        self.folders = Paths(output=root)
        self.html = self.folders.html

    def add_model(self, model: str) -> None:
        """Results of one more own model."""
        write_model(self.folders, model, f"Model {model} {HOSTILE}")

    def result_file(self, model: str) -> Path:
        """A result file of an own model."""
        return self.folders.results("arousal", model, "correctness_regression")

    def build(
        self,
        seed: int = 0,
        stale: dict[str, list[str]] | None = None,
        trace: str = "",
        workers: int = 1,
    ) -> dict[str, Any]:
        """Build in another process with that hash seed; ``stale`` has reasons by cell."""
        found = json.dumps(stale or {})
        words = (str(self.root), str(self.docs), found, trace, str(workers))
        cache = str(self.cache)
        said = self.builder.build(*words, seed=seed, fresh=bool(trace), XDG_CACHE_HOME=cache)
        report: dict[str, Any] = json.loads(said.splitlines()[-1])
        return report

    @property
    def cache(self) -> Path:
        """Folder of the user's caches."""
        return self.root.with_name(f"{self.root.name}-cache")

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
    (folder / "results").mkdir()
    shutil.copy(paths.DOCS / "results" / "index.rst", folder / "results")
    (folder / "refs.bib").write_text("")
    (folder / "method").mkdir()
    (folder / "method" / "correctness_regression.rst").write_text(
        "Regression\n==========\n\nFrom -0.15 to -0.00 on 2026-11-22.\n\n``x = -1`` is code.\n\n"
        "``iemocap-dimensions`` or ``demo-emotion``.\n\n"
        ".. list-table::\n\n   * - -0.05\n     - 10\\ :sup:`-3`\n"
    )
    (folder / "method" / "listen.rst").write_text(LISTEN)
    (folder / "method" / "metrics.rst").write_text("Metrics\n=======\n\n.. metric-uses::\n")
    return folder


@pytest.fixture(scope="session")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    """What builds the websites of this session."""
    made = Builder(tmp_path_factory.getbasetemp() / "builder")
    yield made
    made.close()


@pytest.fixture(scope="session")
def new_site(tmp_path_factory: pytest.TempPathFactory, builder: Builder) -> Callable[..., Site]:
    """Function that makes a site with own models; nothing is built yet."""

    def make(*models: str) -> Site:
        root = tmp_path_factory.mktemp("site")
        site = Site(root / "out", write_docs(root / "docs"), builder)
        for model in models:
            site.add_model(model)
        write_model(site.folders, "dice", "Dice", chance=True)
        write_sums(site.folders, "dice", 0.1, 0.2, 0.45, 0.45)
        write_sounds(site.folders)
        write_samples(site.folders)
        write_tables(site.folders)
        write_truths(site.folders)
        for model in models:
            write_events(site.folders, model)
            write_slices(site.folders, model)
            write_sums(site.folders, model, 0.05, 0.15, 0.45, 0.55)
        return site

    return make


@pytest.fixture(scope="session")
def small(new_site: Callable[..., Site]) -> Site:
    """The small site with one own model, built; not to be changed."""
    site = new_site("alpha")
    report = site.build(seed=1)
    assert report.get("built"), report
    return site


# -- a browser ------------------------------------------------------------------------------------

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOCAL = re.compile("(file|data):")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window; a test that wants it is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def visit(browser: Any, small: Site) -> Callable[..., Any]:
    """Function that opens a page; what went wrong on it is in ``page.faults``."""
    contexts: dict[str, Any] = {}

    def open_page(name: str, width: int = 1280, **options: Any) -> Any:
        key = repr((width, options))
        if key not in contexts:
            contexts[key] = browser.new_context(viewport={"width": width, "height": 900}, **options)
        page = contexts[key].new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda message: note(page, message.type == "error", message.text))
        page.on("request", lambda request: note(page, not LOCAL.match(request.url), request.url))
        page.on("requestfailed", lambda request: page.faults.append(request.url))
        page.goto(f"file://{small.html}/{name}.html")
        if options.get("java_script_enabled", True):
            page.wait_for_function(LAID_OUT)
        return page

    return open_page


#: whether each table that is not folded has been laid out, which those far below are when the browser has time
LAID_OUT = """() => [...document.querySelectorAll(".scroll:not(.laid-out)")]
    .every((box) => box.closest("details:not([open])"))"""


def note(page: Any, wrong: bool, what: str) -> None:
    """Keep what went wrong on a page."""
    if wrong:
        page.faults.append(what)
