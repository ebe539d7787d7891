"""A method page written for the reference suite builds here, without a warning.

It calls the four public functions in plots, draws with audplot, and reads criteria and media from
the places of the interface.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common.core import files, paths
from common.core.paths import Paths, default_cache
from common.figures.style import canvas, save
from common.pages.listening.examples import wav
from common.results.criteria import write_criteria
from common.samples import demo
from common.spec import load_benchmark

RATE = 16000
DRIVER = """
import json, sys
from pathlib import Path
from common.core import paths
from common.pages import site
from common.results import published
from common.core.errors import BenchmarkError
from common.spec import load_benchmark

everything = published.load()
part = everything[everything["test"] == "correctness_classification"].reset_index(drop=True)
published.load = lambda: part.copy()
paths.DOCS = Path(sys.argv[2])
try:
    report = vars(site.build(paths.Paths(output=Path(sys.argv[1])), load_benchmark()))
except BenchmarkError as error:
    report = {"error": str(error)}
print(json.dumps(report))
"""
#: expression of a changed signal -> what it needs that may not be on this machine
CALLS = {
    "noise_transform(signal, sampling_rate, 'white', demo=True)": "",
    "noise_transform(signal, sampling_rate, 'coughing', demo=True)": "demo-sounds",
    "noise_transform(signal, sampling_rate, 'babble', demo=True)": "demo-emotion",
    "low_quality_phone_transform(signal, sampling_rate)": "",
    "ir_transform(signal, sampling_rate, ir_type='position', reference=True, demo=True)": "demo-rooms",
    "ir_transform(signal, sampling_rate, ir_type='location', reference=False, demo=True)": "demo-rooms",
    "spectral_tilt_transform(signal, sampling_rate, '{media}/impulse_response_tilt_up_gain_3.0.wav')": "",
}  # fmt: skip
HEAD = """
Method tests
============

.. plot::
    :context: reset
    :include-source: false

    import audiofile
    import audplot
    import matplotlib.pyplot as plt
    import numpy as np
    from common.robustness_background_noise import noise_transform
    from common.robustness_low_quality_phone import low_quality_phone_transform
    from common.robustness_simulated_recording_condition import ir_transform
    from common.robustness_spectral_tilt import spectral_tilt_transform

    signal, sampling_rate = audiofile.read('extra/media/speech.wav', always_2d=True)
    _, ax = plt.subplots(1, figsize=[4, 1.4])
    audplot.waveform(signal, text='Original', color='#e13b41', ax=ax)

.. raw:: html

    <audio controls src="extra/media/speech.wav"></audio>

.. image:: extra/media/fairness_thresholds/plots/max_ccc.png
    :alt: chance

"""
CALL = """
.. plot::
    :context: close-figs
    :include-source: false

    changed = {call}
    audiofile.write('extra/media/{file}', changed, sampling_rate)
    _, ax = plt.subplots(1, figsize=[4, 1.4])
    audplot.waveform(changed, text='Changed', color='#3277b4', ax=ax)

.. raw:: html

    <audio controls src="extra/media/{file}"></audio>

"""
TABLE = """
.. csv-table:: {test}
    :header-rows: 1
    :widths: 60 20
    :file: method-tests/{target}/{test}.csv

"""
TABLES = [
    ("arousal", "robustness_background_noise"),
    ("emotion", "robustness_background_noise"),
    ("valence", "robustness_spectral_tilt"),
]


@functools.cache
def available() -> list[str]:
    """Calls for which everything is here; what the program makes itself takes too long to make.

    Looked up once: tests in other processes may make it between the page and the look at it.
    """
    away = set(demo.missing(default_cache()))
    return [call for call, needed in CALLS.items() if needed not in away]


def write_docs(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("conf.py", "_ext", "_static", "_templates"):
        (folder / name).symlink_to(paths.DOCS / name)
    page = HEAD
    for number, call in enumerate(available()):
        call = call.format(media="extra/media")
        page += CALL.format(call=call, file=f"example-{number}.wav")
    page += "".join(TABLE.format(target=target, test=test) for target, test in TABLES)
    (folder / "method-tests.rst").write_text(page)
    (folder / "refs.bib").write_text("")
    index = "Start\n=====\n\n.. toctree::\n   :hidden:\n\n   method-tests\n   results/index\n"
    (folder / "index.rst").write_text(index)
    (folder / "results").mkdir()
    shutil.copy(paths.DOCS / "results" / "index.rst", folder / "results")


def write_media(folders: Paths) -> None:
    time = np.arange(RATE) / RATE
    speech = 0.2 * np.sin(2 * np.pi * (150 + 200 * time) * time)[None, :]
    files.write_bytes(folders.media / "speech.wav", wav(speech))
    taps = np.zeros((1, 1024))
    taps[0, 512] = 0.5
    files.write_bytes(folders.media / "impulse_response_tilt_up_gain_3.0.wav", wav(taps))
    figure, _ = canvas("", height=1)
    save(figure, folders.media / "fairness_thresholds" / "plots" / "max_ccc.png")


def build(root: Path, docs: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(root), str(docs)],
        cwd=paths.REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compatible")
    folders = Paths(output=root / "out")
    write_docs(root / "docs")
    write_media(folders)
    write_criteria(load_benchmark(), folders)
    before = (folders.media / "speech.wav").read_bytes()
    report = build(root / "out", root / "docs")
    assert report.get("built"), report
    assert (folders.media / "speech.wav").read_bytes() == before
    return root / "out"


def test_the_page_has_a_plot_of_every_call_and_all_tables(output: Path) -> None:
    html = (output / "build" / "html" / "method-tests.html").read_text("utf-8")
    pictures = re.findall(r'<img[^>]* src="(_images/[^"]+)"', html)
    assert len(pictures) == 1 + len(available()) + 1
    for picture in pictures:
        assert (output / "build" / "html" / picture).stat().st_size > 60
    assert html.count("<caption") == len(TABLES)
    assert "Change CCC Babble Noise" in html
    assert "Change UAR Babble Noise" in html


def test_what_a_plot_writes_stays_out_of_the_results(output: Path) -> None:
    assert not list((output / "extra" / "media").glob("example-*.wav"))
    assert list((output / "build" / "source" / "extra" / "media").glob("example-*.wav"))
