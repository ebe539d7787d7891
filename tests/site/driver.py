"""Builds a small website in a process of its own.

Run as ``python driver.py OUTPUT DOCS STALE TRACE WORKERS SHARED``; sources are parsed once for all sites that
share a folder. Run without arguments, it reads jobs from standard input, one per line, and does each in a
copy of itself, which has imported already what others have written and every build needs.

The published results are cut down to a few tests and models, so that a build takes about two
seconds. Prints the report or the error as JSON; if TRACE is ``site`` or ``pages``, the report
names the modules that made the site or its pages of results.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))

from common.core import closure, paths
from common.core.errors import BenchmarkError
from common.pages import site
from common.results import published
from common.spec import load_benchmark

#: what models and datasets need, and a website must not
RUNTIMES = ("audb", "audformat", "audonnx", "av", "onnxruntime", "sklearn", "torch")
#: what takes the longest to import; nothing of it looks at the environment of a build
HEAVY = (
    "sphinx.application",
    "sphinx.builders.html",
    "sphinx.ext.mathjax",
    "sphinxcontrib.bibtex",
    "matplotlib.pyplot",
    "matplotlib.sphinxext.plot_directive",
)
TARGETS = ("arousal", "emotion")
TESTS = ("correctness_regression", "correctness_classification", "fairness_sex")
MODELS = ("wavlm", "hubert-L", "w2v2-L", "data2vec", "random-gaussian", "random-categorical")


#: modules whose functions ran
SEEN: set[str] = set()


def watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; what runs in it is noted."""

    def note(frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            SEEN.add(frame.f_globals.get("__name__", ""))

    def run(*args: Any, **kwargs: Any) -> Any:
        sys.setprofile(note)
        try:
            return function(*args, **kwargs)
        finally:
            sys.setprofile(None)

    return run


def main(output: str, docs: str, stale: str, trace: str, workers: str, shared: str) -> None:
    """Build and print."""
    closure.SOURCES.keep_in(Path(shared))
    everything = published.load()
    wanted = everything["target"].isin(TARGETS) & everything["test"].isin(TESTS)
    wanted &= everything["model"].isin(MODELS)
    part = everything[wanted].reset_index(drop=True)
    published.load = lambda: part.copy()  # type: ignore[assignment]
    paths.DOCS = Path(docs)
    found = {key: {"reasons": why, "conditions": []} for key, why in json.loads(stale).items()}
    if found:
        site._stale = lambda folders, benchmark, noted: found  # type: ignore[assignment]
    if trace == "site":
        site.render = watched(site.render)
    elif trace == "pages":
        from benchmark_site import content, pages

        content.load, pages.write = watched(content.load), watched(pages.write)
        pages.write_target = watched(pages.write_target)
    try:
        folders = paths.Paths(output=Path(output))
        report = vars(site.build(folders, load_benchmark(), workers=int(workers)))
    except BenchmarkError as error:
        report = {"error": str(error)}
    if trace:
        report["seen"] = sorted(filter(None, SEEN))
    print(json.dumps(report))


def serve() -> None:
    """Do jobs: words for :func:`main`, the environment, and the file that standard output and error go to.

    Prints the exit status of each.
    """
    for name in HEAVY:
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_do(job["words"], job["environment"], job["file"]))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _do(words: list[str], environment: dict[str, str], file: str) -> int:
    status = 1
    with Path(file).open("w", encoding="utf-8") as output:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(output.fileno(), stream.fileno())
    try:
        os.environ.clear()
        os.environ.update(environment)
        main(*words)
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    assert not set(RUNTIMES) & set(sys.modules)
    sys.modules.update(dict.fromkeys(RUNTIMES))  # type: ignore[arg-type]
    if sys.argv[1:]:
        main(*sys.argv[1:])
    else:
        serve()
