"""Random numbers keyed by what they are for.

No module calls a global ``seed()`` and nothing is random at import. A draw depends on its
keys only: not on order, on the subset of tests that runs, on workers or on caches.
"""

from __future__ import annotations

import hashlib

import numpy as np

DEFAULT_SEED = 0


def digest(*keys: object) -> bytes:
    """SHA-256 of the keys; types and borders between keys count."""
    text = hashlib.sha256()
    for key in keys:
        part = f"{type(key).__name__}:{key!r}".encode()
        text.update(len(part).to_bytes(8, "little"))
        text.update(part)
    return text.digest()


def generator(seed: int, *keys: object) -> np.random.Generator:
    """Random generator for one purpose.

    Args:
        seed: the run's seed
        keys: strings and integers that name the purpose,
            for example dataset, file, start and perturbation

    >>> a, b = generator(0, "babble", "a.wav", 0), generator(0, "babble", "a.wav", 0)
    >>> a.integers(100) == b.integers(100)
    np.True_
    """
    key = digest(int(seed), *keys)
    words = np.frombuffer(key, "<u4")
    # numpy takes an integer apart in these words, which takes longer than all else here; without zeros at the end
    entropy = words if words[-1] else int.from_bytes(key, "little")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))
