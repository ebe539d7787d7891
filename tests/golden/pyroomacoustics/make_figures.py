"""The response of a room as pyroomacoustics simulates it.

Run with an interpreter that has pyroomacoustics 0.10.1 (MIT licence)::

    python tests/golden/pyroomacoustics/make_figures.py

It needs nothing of this repository and writes ``figures.npz`` beside itself: ``response``, from the
direct sound on, in 16-bit steps of its largest value, at 16000 Hz.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyroomacoustics

RATE = 16000
SIZE_M, SOURCE_M, MICROPHONE_M = (6.2, 5.1, 2.9), (2.6, 2.4, 1.4), (1.6, 2.4, 1.4)
DECAY_S = 0.4


def main() -> None:
    """Write ``figures.npz``."""
    absorption, order = pyroomacoustics.inverse_sabine(DECAY_S, SIZE_M)
    room = pyroomacoustics.ShoeBox(
        SIZE_M,
        fs=RATE,
        materials=pyroomacoustics.Material(absorption),
        max_order=min(order, 60),
    )
    room.add_source(SOURCE_M)
    room.add_microphone(MICROPHONE_M)
    room.compute_rir()
    taps = np.asarray(room.rir[0][0])
    taps = taps[np.abs(taps).argmax() :]
    steps = np.rint(taps / np.abs(taps).max() * 32767).astype(np.int16)
    np.savez_compressed(Path(__file__).with_name("figures.npz"), response=steps)


if __name__ == "__main__":
    main()
