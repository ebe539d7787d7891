"""Makes one share of the audio files of embedded corpora, in a process of its own.

``python -m common.samples.demo.render SHARE SHARES RECIPE FOLDER [RECIPE FOLDER ...]`` writes every
``SHARES``-th file of each recipe, beginning with number ``SHARE``, below its folder. It tells each
file on standard output, and the end of a recipe by an empty line. A file depends on its own
utterance only, so the number of shares does not change any byte.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from ...core.errors import BenchmarkError
from . import acoustics, recipes
from .corpus import SAMPLING_RATE, CorpusRecipe


def render(recipe: CorpusRecipe, items: Iterable[Any], folder: Path) -> None:
    """Make and write the audio of some items of a recipe."""
    for file, sound in recipe.rendered(items):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(flac(acoustics.pcm16(sound)))
        sys.stdout.write(f"{file}\n")
        sys.stdout.flush()


def flac(samples: np.ndarray) -> bytes:
    """FLAC file with 16 bit samples of shape (samples,)."""
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, SAMPLING_RATE, format="FLAC", subtype="PCM_16")
    return buffer.getvalue()


def main(arguments: list[str]) -> int:
    """Exit status 0, or 1 with one line on standard error."""
    share, shares, *jobs = arguments
    try:
        for path, folder in zip(jobs[::2], jobs[1::2], strict=True):
            recipe = recipes.load(Path(path))
            render(recipe, recipe.items()[int(share) :: int(shares)], Path(folder))
            sys.stdout.write("\n")
            sys.stdout.flush()
    except (BenchmarkError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
