"""Pitch of the synthetic speech of ``voices.py`` as Praat finds it.

Run with an interpreter that has praat-parselmouth 0.4.7 (GPL 3; Praat 6.1.38) and SciPy::

    python tests/golden/praat/make_figures.py > tests/golden/praat/figures.json

It needs nothing of this repository but ``tests/golden/praat/voices.py``.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import parselmouth

sys.path.insert(0, str(Path(__file__).parent))

import voices


def main() -> None:
    """Write the pitch of all frames as JSON to standard output; 0 where there is no voice."""
    tracks = []
    for number in range(voices.COUNT):
        sound = parselmouth.Sound(voices.utterance(number), voices.RATE)
        track = sound.to_pitch().selected_array["frequency"]
        tracks.append([round(float(hertz), 4) for hertz in track])
    package = importlib.metadata.version("praat-parselmouth")
    made_by = f"praat-parselmouth {package}, Praat {parselmouth.PRAAT_VERSION}"
    json.dump({"made_by": made_by, "tracks_hz": tracks}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
