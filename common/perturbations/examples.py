"""Perturbed examples for the ear: the built-in catalog, and draws that are always the same."""

from __future__ import annotations

import os
from functools import cache

import numpy as np

from ..core.paths import default_cache
from ..core.registry import unknown
from ..core.rng import generator
from ..samples.demo import ensure
from ..spec import load_benchmark
from .library import Library

#: set of recordings that are drawn from with ``demo``: those that the program makes itself
CORPORA = "embedded"
#: what the name of a perturbation may end with besides the type of the noise
SUFFIX = "-noise"


@cache
def library() -> Library:
    """Perturbations of the built-in catalog."""
    return Library(load_benchmark(), default_cache())


def named(noise_type: str) -> str:
    """Id of the perturbation of a type of noise, such as ``babble``.

    >>> named("babble"), named("music"), named("white_noise")
    ('babble-noise', 'music', 'white-noise')
    """
    perturbations = library().benchmark.perturbations
    name = noise_type.replace("_", "-")
    for candidate in (name, f"{name}{SUFFIX}"):
        if candidate in perturbations:
            return candidate
    raise unknown("type of noise", noise_type, perturbations)


def example(name: str, signal: np.ndarray, sampling_rate: int, *, demo: bool = False) -> np.ndarray:
    """Changed signal, the same for every call.

    Args:
        name: id of a perturbation of the built-in catalog
        signal: shape (channels, samples)
        sampling_rate: in Hz
        demo: whether to draw from the first of the recordings that the program makes itself,
            which are made if they are not there, instead of from those of the paper

    Raises:
        DatasetUnavailable: if its recordings are not on this machine
        MissingDependency: if a part of the program that it needs is not installed
    """
    builtin_library = library()
    if demo:
        return shown(builtin_library, name, CORPORA, signal, sampling_rate)
    return builtin_library.apply(name, signal, sampling_rate, generator(builtin_library.seed, name))


def shown(
    library: Library, name: str, corpora: str, signal: np.ndarray, sampling_rate: int
) -> np.ndarray:
    """Changed signal with the first recordings of a set of corpora, the same for every call.

    Args:
        library: perturbations
        name: id of a perturbation
        corpora: set of recordings; perturbations that need none do not care
        signal: shape (channels, samples)
        sampling_rate: in Hz

    Raises:
        DatasetUnavailable: if its recordings are neither here nor made by the program
        MissingDependency: if a part of the program that it needs is not installed
    """
    used = library.variant(name, corpora)
    recordings = library.recordings(used)
    if recordings is not None and recordings.embedded:
        ensure(library.cache, [recordings.database], workers=os.cpu_count() or 1)
    return library.apply(used, signal, sampling_rate, generator(library.seed, name), demo=True)
