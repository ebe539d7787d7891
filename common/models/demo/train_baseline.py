"""Trains the baseline model: ``python -m common.models.demo.train_baseline``.

Makes the corpus if it is not there, trains on its training speakers, writes
``baseline.json`` and prints the scores on the test speakers. Needs scikit-learn; the model
itself does not. Run it after every change of the recipe or of the features.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ... import spec
from ...core import files, paths, rng
from ...metrics import classification, regression
from ...samples import demo
from ...samples.demo import acted, recipes
from . import baseline, features

TRAIN, TEST = "train", "test"
RIDGE = 100.0
INVERSE_PENALTY = 0.03


def read(cache: Path, recipe: acted.Acted, split: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Labels and features of one split, in the order of its table."""
    import audb
    import soundfile

    audb.config.REPOSITORIES = [demo.repository(cache)]
    root = str(paths.Paths(cache=cache).audb)
    db = audb.load(recipe.id, version=recipe.version, cache_root=root, num_workers=2, verbose=False)
    table = db[f"{recipe.category}.{split}"].get()
    signals = (soundfile.read(file, dtype="float32", always_2d=True)[0].T for file in table.index)
    return table, np.stack([features.extract(signal) for signal in signals])


def train(
    recipe: acted.Acted, labels: tuple[str, ...], table: pd.DataFrame, values: np.ndarray
) -> dict[str, Any]:
    """Weights from labels and features.

    Args:
        recipe: names category and dimensions
        labels: labels of the category that the model knows
        table: labels, one row per file
        values: features, shape (files, features)

    Returns:
        content of ``baseline.json``
    """
    from sklearn.linear_model import LogisticRegression, Ridge

    mean, scale = np.nanmean(values, axis=0), np.nanstd(values, axis=0) + 1e-6
    x = baseline.standardise(values, mean, scale)
    dimensions = {}
    for name in recipe.dimensions:
        ridge = Ridge(alpha=RIDGE).fit(x, table[name].to_numpy(dtype=float))
        dimensions[name] = _part(ridge.coef_, ridge.intercept_)
    category = table[recipe.category].to_numpy(dtype=object)
    mask = np.isin(category, labels)
    numbers = [labels.index(label) for label in category[mask]]
    model = LogisticRegression(C=INVERSE_PENALTY, class_weight="balanced", max_iter=5000, tol=1e-8)
    model.fit(x[mask], numbers)
    part = {"labels": list(labels), **_part(model.coef_, model.intercept_)}
    return {
        "format": baseline.FORMAT,
        "reference": _rounded(reference()),
        "trained_on": f"{recipe.id}-{recipe.version}-{recipe.category}.{TRAIN}",
        "features": list(features.NAMES),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "dimensions": dimensions,
        "category": {recipe.category: part},
    }


def _part(weights: np.ndarray, bias: np.ndarray | float) -> dict[str, Any]:
    return {"weights": _rounded(weights), "bias": _rounded(np.asarray(bias))}


def _rounded(values: np.ndarray) -> Any:
    """Six digits: what the training can resolve, and the same on every machine."""
    return np.vectorize(lambda value: float(f"{value:.6g}"))(values).tolist()


def reference() -> np.ndarray:
    """Features of a fixed signal: they tell whether the weights fit the features of today."""
    time = np.arange(features.SAMPLING_RATE) / features.SAMPLING_RATE
    numbers = np.arange(1, 25)[:, None]
    voice = (np.sin(2 * np.pi * numbers * (120 * time + 20 * time**2)) / numbers).sum(axis=0)
    noise = rng.generator(0, "reference").standard_normal(len(time))
    signal = 0.1 * voice * np.sin(2 * np.pi * 2 * time) ** 2 + 0.001 * noise
    return features.extract(signal[None])


def scores(recipe: acted.Acted, table: pd.DataFrame, values: dict[str, np.ndarray]) -> str:
    """Scores on labelled files, one line per target.

    Args:
        recipe: names category and dimensions
        table: labels, one row per file
        values: predictions of all targets, aligned with ``table``
    """
    lines = []
    for name in recipe.dimensions:
        truth = table[name].to_numpy(dtype=float)
        ccc, mae = regression.ccc(truth, values[name]), regression.mae(truth, values[name])
        lines.append(f"{name}: CCC {ccc:.3f}, MAE {mae:.3f}, n {len(truth)}")
    truth = table[recipe.category].to_numpy(dtype=object)
    labels = category_labels(recipe)
    mask = np.isin(truth, labels)
    prediction = np.array(labels, dtype=object)[values[recipe.category].argmax(axis=1)]
    uar = classification.uar(truth[mask], prediction[mask], labels=labels)
    lines.append(f"{recipe.category}: UAR {uar:.3f}, n {mask.sum()}")
    return "\n".join(lines) + "\n"


def training_recipe() -> acted.Acted:
    """Recipe of the corpus that the model is trained on."""
    recipe = recipes.load(acted.RECIPE)
    assert isinstance(recipe, acted.Acted)
    return recipe


def category_labels(recipe: acted.Acted) -> tuple[str, ...]:
    """Labels of the category that the suite asks for."""
    path = paths.CATALOG / "targets.yaml"
    return spec.load_entries(spec.Target, path)[recipe.category].labels


def main(arguments: list[str]) -> None:
    """Train, write, and tell the scores on the test speakers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, default=paths.default_cache())
    parser.add_argument("--output", type=Path, default=baseline.WEIGHTS)
    options = parser.parse_args(arguments)
    recipe = training_recipe()
    demo.ensure(options.cache, [recipe.id], workers=2)
    content = train(recipe, category_labels(recipe), *read(options.cache, recipe, TRAIN))
    files.write_text(options.output, json.dumps(content, indent=1) + "\n")
    table, values = read(options.cache, recipe, TEST)
    model = baseline.load(str(options.output))
    sys.stdout.write(scores(recipe, table, model.from_features(values)))


if __name__ == "__main__":
    main(sys.argv[1:])
