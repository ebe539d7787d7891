"""One perturbation of one signal, for who trains or listens."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..core.errors import ConfigError
from ..core.rng import DEFAULT_SEED, generator
from ..samples.demo import ensure
from .examples import CORPORA, library
from .library import CORPUS, faults


def perturb(
    signal: np.ndarray,
    sampling_rate: int,
    name: str,
    *,
    seed: int = DEFAULT_SEED,
    corpora: str = CORPORA,
    **params: Any,
) -> np.ndarray:
    """Signal as a robustness test changes it.

    Args:
        signal: shape (samples,) or (channels, samples), in [-1, 1]
        sampling_rate: in Hz
        name: id of a perturbation of the catalog, such as ``babble-noise`` or ``low-quality-phone``;
            ``speechproof list perturbations`` names them
        seed: of the draws (which noise, which part of it, which of several values): one for each
            signal makes each change another one
        corpora: recordings that noises and rooms are drawn from: those that the program makes itself on
            first use (``embedded``), or ``paper``, which must be on this machine
        params: parameters that differ from those of the catalog, such as ``snr_db=10``

    Returns:
        float32, as many dimensions as ``signal``; the number of samples may differ

    Raises:
        ConfigError: for an unknown perturbation or parameter, a sampling rate that is no positive whole
            number, or a signal of another shape, or of integers, which have another full scale
        DatasetUnavailable: if its recordings are not on this machine
        MissingDependency: if a part of the program that it needs is not installed

    >>> signal = np.sin(np.arange(16000) / 20) / 10
    >>> perturb(signal, 16000, "white-noise", snr_db=10).shape
    (16000,)
    >>> bool(np.allclose(perturb(signal, 16000, "gain", gain_db=-6) / 10 ** (-6 / 20), signal))
    True
    """
    _check(signal, sampling_rate)
    array = np.asarray(signal, dtype=np.float32)
    if array.ndim not in (1, 2) or array.shape[-1] == 0:
        raise ConfigError(
            f"signal: expected (samples,) or (channels, samples), found {array.shape}"
        )
    builtin = library()
    used = builtin.variant(builtin.entry(name).id, corpora)
    entry = builtin.entry(used)
    if CORPUS in params:
        raise ConfigError(f"{name}: recordings are chosen with 'corpora', not with '{CORPUS}'")
    changed = entry.model_copy(update={"params": {**entry.params, **params}})
    for fault in faults(builtin.benchmark, changed):
        raise ConfigError(fault.removeprefix(f"{entry.origin}: "))
    recordings = builtin.recordings(used)
    if recordings is not None and recordings.embedded:
        ensure(builtin.cache, [recordings.database], workers=os.cpu_count() or 1)
    out = builtin.apply(
        used, np.atleast_2d(array), sampling_rate, generator(seed, name), params=params
    )
    return out if array.ndim == 2 else out[0]


def _check(signal: object, sampling_rate: Any) -> None:
    """Refuse what is no signal in [-1, 1], or no sampling rate."""
    kind = np.asarray(signal).dtype
    if not np.issubdtype(kind, np.floating):
        signed = np.issubdtype(kind, np.signedinteger)
        hint = f"; divide by {np.iinfo(kind).max + 1}" if signed else ""
        raise ConfigError(f"signal: expected floats in [-1, 1], found {kind}{hint}")
    whole = isinstance(sampling_rate, int | np.integer) and not isinstance(sampling_rate, bool)
    if not whole or sampling_rate <= 0:
        raise ConfigError(
            f"sampling_rate: expected a positive whole number in Hz, found {sampling_rate!r:.40}"
        )
