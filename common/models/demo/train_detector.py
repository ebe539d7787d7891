"""Trains the embedded detector: ``python -m common.models.demo.train_detector``.

Makes scenes for training by the recipe, which no test uses, writes ``detector.json`` and prints
how well the detector does on the scenes of the tests. Needs scikit-learn; the model does not.
Run it after every change of the recipe or of the features.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ... import spec
from ...core import files, paths, rng
from ...samples.demo import recipes, scenes
from ...samples.demo.corpus import SAMPLING_RATE
from ...spec import kinds
from . import detector

#: scenes of each place with each device that the detector is trained on
EACH = 24
HIDDEN = 40
TRAINING = "training"


def examples(recipe: scenes.Scenes, scene: scenes.Scene) -> tuple[np.ndarray, np.ndarray]:
    """Features and truth of the frames of a scene.

    Returns:
        features; and whether a class is active in the middle of a frame, shape (frames, labels)
    """
    values = detector.features(recipe.render(scene)[None])
    middle = (np.arange(len(values)) + 0.5) * detector.HOP
    truth = np.zeros((len(values), len(recipe.classes)))
    labels = sorted(recipe.classes)
    for event in recipe.plan(scene):
        inside = (middle >= event.onset) & (middle < event.offset)
        truth[inside, labels.index(event.label)] = 1
    return values, truth


def _examples(job: tuple[Path, scenes.Scene]) -> tuple[np.ndarray, np.ndarray]:
    recipe = recipes.load(job[0])
    assert isinstance(recipe, scenes.Scenes)
    return examples(recipe, job[1])


def collect(
    recipe: scenes.Scenes, every: Sequence[scenes.Scene], workers: int
) -> tuple[np.ndarray, np.ndarray]:
    """Frames of all scenes."""
    jobs = [(recipe.origin, scene) for scene in every]
    with ProcessPoolExecutor(workers) as pool:
        parts = list(pool.map(_examples, jobs, chunksize=8))
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def train(target: str, labels: Sequence[str], x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Weights of the network, as they stand in the file."""
    from sklearn.neural_network import MLPClassifier

    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    inputs = np.clip((x - mean) / scale, -detector.LIMIT, detector.LIMIT)
    order = rng.generator(0, "training order").permutation(len(x))
    network = MLPClassifier(
        hidden_layer_sizes=(HIDDEN,),
        alpha=1e-2,
        batch_size=500,
        max_iter=30,
        early_stopping=False,
        random_state=0,
        tol=0,
        n_iter_no_change=1000,
    )
    network.fit(inputs[order].astype(np.float32), y[order].astype(int))
    layers = [
        {"weights": _rounded(weights), "bias": _rounded(bias)}
        for weights, bias in zip(network.coefs_, network.intercepts_, strict=True)
    ]
    return {
        "format": detector.FORMAT,
        "target": target,
        "labels": list(labels),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "layers": layers,
    }


def _rounded(values: np.ndarray) -> Any:
    """Four digits: what the training can resolve."""
    return np.vectorize(lambda value: float(f"{value:.4g}"))(values).tolist()


def the_recipe() -> scenes.Scenes:
    """The recipe of kind ``scenes``."""
    (scene_recipe,) = (recipe for recipe in recipes.choose() if isinstance(recipe, scenes.Scenes))
    return scene_recipe


def the_target(recipe: scenes.Scenes) -> spec.Target:
    """The target of the catalog that has the classes of the recipe."""
    every = spec.load_entries(spec.Target, paths.CATALOG / "targets.yaml").values()
    labels = sorted(recipe.classes)
    (target,) = (t for t in every if kinds.of(t).is_ragged and sorted(t.labels) == labels)
    return target


def report(target: spec.Target, recipe: scenes.Scenes, model: detector.Detector) -> str:
    """Scores on the scenes of the tests, one line each."""
    import pandas as pd

    from ...metrics import METRICS
    from ...spec.kinds.events import Annotation

    kind, every = kinds.get(target.kind), recipe.items()
    raw, rows = [], []
    for scene in every:
        signal = recipe.render(scene)
        raw.append(model.scores(detector.features(signal[None])))
        events = recipe.plan(scene)
        onset = np.array([event.onset for event in events]) / SAMPLING_RATE
        offset = np.array([event.offset for event in events]) / SAMPLING_RATE
        codes = np.array([target.labels.index(event.label) for event in events])
        rows.append(Annotation(len(signal) / SAMPLING_RATE, onset, offset, codes))
    samples = pd.DataFrame({"file": [scene.file for scene in every], target.id: rows})
    frame = pd.DataFrame(kind.encode(target, raw), columns=[target.id])
    prediction = kind.decode(target, frame, samples)
    truth = kind.truth(target, samples[target.id])
    tests = spec.load_tests(paths.SUITE).values()
    uses = [use for test in tests if test.family == "correctness" for use in test.uses(target.kind)]
    lines = []
    for use in uses:
        value = METRICS.get(use.metric).function(truth, prediction, **use.params)
        lines.append(f"{use.metric}: {value}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Train, write, and tell the scores on the scenes of the tests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=detector.WEIGHTS)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    recipe = the_recipe()
    target = the_target(recipe)
    x, y = collect(recipe, recipe.part(TRAINING, EACH), options.workers)
    content = train(target.id, sorted(recipe.classes), x, y)
    files.write_text(options.output, json.dumps(content, separators=(",", ":")) + "\n")
    sys.stdout.write(report(target, recipe, detector.load(str(options.output))))


if __name__ == "__main__":
    main(sys.argv[1:])
