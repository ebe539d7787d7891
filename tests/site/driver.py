"""Builds a small website in a process of its own: ``python driver.py OUTPUT DOCS``.

The published results are cut down to a few tests and models, so that a build takes about two
seconds. Prints the report or the error as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from common.core import paths
from common.core.errors import BenchmarkError
from common.pages import site
from common.results import published
from common.spec import load_benchmark

#: what models and datasets need, and a website must not
RUNTIMES = ("audb", "audformat", "audonnx", "av", "onnxruntime", "sklearn", "torch")
TARGETS = ("arousal", "emotion")
TESTS = ("correctness_regression", "correctness_classification", "fairness_sex")
MODELS = ("wavlm", "hubert-L", "w2v2-L", "data2vec", "random-gaussian", "random-categorical")


def main(output: str, docs: str, stale: str) -> None:
    """Build and print."""
    assert not set(RUNTIMES) & set(sys.modules)
    sys.modules.update(dict.fromkeys(RUNTIMES))  # type: ignore[arg-type]
    everything = published.load()
    wanted = everything["target"].isin(TARGETS) & everything["test"].isin(TESTS)
    wanted &= everything["model"].isin(MODELS)
    part = everything[wanted].reset_index(drop=True)
    published.load = lambda: part.copy()  # type: ignore[assignment]
    paths.DOCS = Path(docs)
    found = {key: {"reasons": why, "conditions": []} for key, why in json.loads(stale).items()}
    if found:
        site._stale = lambda folders, benchmark: found  # type: ignore[assignment]
    try:
        report = vars(site.build(paths.Paths(output=Path(output)), load_benchmark()))
    except BenchmarkError as error:
        report = {"error": str(error)}
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
