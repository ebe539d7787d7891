"""Versions that may move a number."""

from __future__ import annotations

import importlib.metadata
import platform

#: packages whose version may move a number
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "soundfile",
    "audresample",
    "av",
    "onnxruntime",
    "onnxruntime-gpu",
    "torch",
    "transformers",
    "skops",
    "scikit-learn",
    "matplotlib",
)


def environment() -> dict[str, str]:
    """Versions of Python and of the packages that decide about numbers."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
