"""The HTML report: one file, complete, safe, the same each time."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
import soundfile

from common.cli import main
from common.core import paths

EVIL = "<script>alert(1)</script>&\"'"
VOID = {"meta", "input", "br", "img", "link"}


class Page(HTMLParser):
    """Elements of a page; raises if they are not closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        #: elements ``meta`` that stand for headers, as pairs, and what stands before the first
        self.stated: list[tuple[str, str]] = []
        self.before: list[str] = []
        #: (element, its text) of all styles, and of all scripts that run
        self.inline: list[tuple[str, str]] = []
        self.handlers: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        words = dict(attrs)
        if "http-equiv" in words:
            self.before = self.before or self.tags[:-1]
            self.stated.append((words["http-equiv"], words["content"]))
        if tag == "style" or (tag == "script" and words.get("type") != "application/json"):
            self.inline.append((tag, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.inline and self.open[-1] == self.inline[-1][0]:
            self.inline[-1] = (self.open[-1], self.inline[-1][1] + data)


def report(folder, *words: str) -> str:
    done = folder.run(*words, "--report", "html", "--out", "@report.html")
    assert done.code == main.OK, done.err
    return (folder.path / "report.html").read_text("utf-8")


def test_the_report_is_one_file_that_loads_nothing(folder, scores) -> None:
    scores()
    text = report(folder, "--estimate", "@est.txt", "--scores", "@scores")
    page = Page(text)
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert not re.search(r"url\((?!#)|@import|<link|<img", text)
    assert set(re.findall(r"https?://[^\"' <]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert len(page.ids) == len(set(page.ids))
    targets = {a[1:] for a in page.addresses if a.startswith("#")}
    targets |= set(re.findall(r"url\(#([^)]*)\)", text))
    assert targets <= set(page.ids)


def test_a_browser_runs_and_loads_nothing_but_what_the_report_holds(folder, scores) -> None:
    scores()
    page = Page(report(folder, "--estimate", "@est.txt", "--scores", "@scores"))
    ((header, content),) = page.stated
    assert header == "Content-Security-Policy"
    assert page.before == ["html", "head", "meta"]  # which names the characters
    hashes = {
        tag: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for tag, text in page.inline
    }
    assert [tag for tag, _ in page.inline] == ["style", "script"]
    assert dict(part.split(" ", 1) for part in content.split("; ")) == {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashes['script']}'",
        "style-src": f"'sha256-{hashes['style']}'",
        "style-src-attr": "'unsafe-inline'",
        "img-src": "data:",
        "media-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.handlers == []


def test_the_report_has_all_parts(folder, scores) -> None:
    scores(a={"cat": [0.1] * 10, "dog": [0.9, 0.9] + [0.1] * 8})
    text = report(
        folder, "--estimate", "@est.txt", "--scores", "@scores", "--preset", "dcase-task4-2"
    )
    for part in (
        *("Segment-based", "Event-based", "Intersection-based", "PSD-ROC, dcase-task4-2"),
        *("Confusion matrix with cross triggers", "error rate, class by class", "Timelines"),
        *("Operating point", "F over the threshold", "Recordings with most errors"),
        *("percentage_of_length", "alpha_st 1"),
    ):
        assert part in text, part
    assert text.count("<svg") == len(re.findall(r'<svg role="img" aria-label="[^"]+"', text))
    assert text.count("<svg") == 10


def test_texts_of_data_are_escaped(folder) -> None:
    folder.write("dur.tsv", f"filename\tduration\n{EVIL}.wav\t10\n")
    folder.write("truth.txt", f"{EVIL}.wav\t0\t2\t{EVIL}\n")
    folder.write("est.txt", f"{EVIL}.wav\t0\t2\t{EVIL}\n{EVIL}.wav\t10.2\t10.3\t{EVIL}\n")
    text = report(folder, "--estimate", "@est.txt", "--name", EVIL)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert Page(text).tags.count("script") == 1


def test_the_data_of_the_picker_cannot_end_its_element(folder) -> None:
    label = "</script><b>"
    folder.write("dur.tsv", "filename\tduration\na\t10\n")
    folder.write("truth.txt", f"a\t0\t2\t{label}\n")
    lines = [f"onset\toffset\t{label}", *(f"{at}\t{at + 1}\t0.{at}" for at in range(10))]
    folder.write("scores/a.tsv", "\n".join(lines))
    text = report(folder, "--scores", "@scores")
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    assert json.loads(data)["labels"] == [label]
    assert "<b>" not in text


def test_the_picker_holds_the_figures_of_the_threshold(folder, scores) -> None:
    from common.figures.details.picker import f_at

    rng = np.random.default_rng(3)
    scores(**{n: {k: rng.random(10).round(3).tolist() for k in ("cat", "dog")} for n in "abc"})
    text = report(folder, "--scores", "@scores", "--threshold", "0.437")
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    table = json.loads(data)
    assert table["thresholds"] == sorted(set(table["thresholds"]))
    step = table["thresholds"].index(0.437)
    found = folder.json("--scores", "@scores", "--threshold", "0.437")["systems"][0]["overview"]
    for family in table["families"]:
        micro, macro = f_at(table, family, step)
        short = family.removesuffix("_based")
        assert micro == pytest.approx(found[f"{short} F"]), family
        assert macro == pytest.approx(found[f"{short} F macro"]), family


def test_a_spectrogram_is_shown_where_there_is_audio(folder) -> None:
    for name in "abc":
        path = folder.path / "audio" / f"{name}.wav"
        path.parent.mkdir(exist_ok=True)
        soundfile.write(path, np.sin(np.arange(80_000)) * 0.1, 8000)
    words = ("--estimate", "@est.txt", "--timelines", "2", "--report", "html", "--out", "@r.html")
    assert folder.run(*words, durations="audio").code == main.OK
    text = (folder.path / "r.html").read_text()
    assert text.count("data:image/png;base64,") >= 3  # two spectrograms and the confusion matrix
    assert "kHz" in text


def test_extreme_inputs_have_a_report(folder, scores) -> None:
    folder.write("empty.txt", "")
    Page(report(folder, "--estimate", "@empty.txt", "@est.txt", "--timelines", "0"))
    folder.write("truth.txt", "")
    text = report(folder, "--estimate", "@est.txt", "--event-label-list", "cat", "dog")
    assert "no reference" in text
    scores()
    Page(report(folder, "--scores", "@scores", "--event-label-list", "cat", "dog"))
    many = [f"a.wav\t{at / 10:.1f}\t{at / 10 + 0.05:.2f}\tlabel{at:02d}\n" for at in range(60)]
    folder.write("truth.txt", "".join(many))
    text = report(folder, "--estimate", "@truth.txt")
    assert "24 of 60 classes" in text and "40 of 60" in text


def test_the_report_is_the_same_in_other_processes(folder, scores) -> None:
    scores()
    words = ("--estimate", "@est.txt", "--scores", "@scores")
    here = report(folder, *words)
    program = [sys.executable, str(paths.REPOSITORY / "build.py"), "events", "--report", "html"]
    program += ["--truth", str(folder.path / "truth.txt"), "--out", str(folder.path / "x.html")]
    program += ["--durations", str(folder.path / "dur.tsv")]
    program += [str(folder.path / w[1:]) if w.startswith("@") else w for w in words]
    subprocess.run(program, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert (folder.path / "x.html").read_text("utf-8") == here


@pytest.mark.parametrize("family", ["event_based", "segment_based", "intersection_based"])
def test_one_family_alone_has_a_report(folder, scores, family: str) -> None:
    scores()
    words = ("--estimate", "@est.txt", "--metrics", family)
    Page(report(folder, *words))
    Page(report(folder, *words, "--scores", "@scores"))
    done = folder.run(*words)
    assert done.code == main.OK and "class by class" in done.out


def test_a_report_needs_no_durations_for_events_alone(folder) -> None:
    words = ("--estimate", "@est.txt", "--metrics", "event_based", "--report", "html")
    done = folder.run(*words, "--out", "@report.html", durations=None)
    assert done.code == main.OK, done.err
    text = (folder.path / "report.html").read_text("utf-8")
    assert Page(text).tags.count("svg") >= 3
    assert "in 3 recordings." in text


def test_without_out_the_report_goes_to_build(folder) -> None:
    done = folder.run("--estimate", "@est.txt", "--report", "html")
    path = folder.path / "out" / "build" / "events.html"
    assert f"report: {path}" in done.out
    assert path.is_file()
