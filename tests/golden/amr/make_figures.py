"""What FFmpeg, as a program, makes of a synthetic voice with the codec AMR narrow band.

Run with an interpreter that has imageio-ffmpeg 0.8.1 (BSD licence; the FFmpeg 9.0.2 that it brings
is under the GPL 3, and its encoder libopencore under Apache 2) and numpy::

    python tests/golden/amr/make_figures.py

It needs nothing of this repository and writes ``figures.npz`` beside itself: ``voice``, and per bit
rate what comes out of the decoder, all 16-bit samples at 8000 Hz.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np

RATE = 8000
BIT_RATES = (4750, 5150, 5900, 6700, 7400, 7950, 10200, 12200)
SECONDS = 0.8


def voice() -> np.ndarray:
    """Harmonics of a falling pitch whose balance moves, a hiss, and silence; 16 bits."""
    draw = random.Random(8)
    time_s = np.arange(int(SECONDS * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(190 - 90 * time_s) / RATE
    tone = np.zeros(len(time_s))
    for k in range(1, 15):
        bright = np.exp(-(((k * 150 - 700 - 900 * np.sin(6 * time_s)) / 500) ** 2))
        tone += (0.05 + bright) * np.sin(k * phase) / np.sqrt(k)
    hiss = np.array([draw.random() - 0.5 for _ in time_s])
    signal = np.where(time_s < 0.5, tone / np.abs(tone).max(), 0.3 * hiss * (time_s < 0.65))
    return np.rint(0.5 * 32767 * signal).astype(np.int16)


def coded(samples: np.ndarray, bit_rate: int) -> np.ndarray:
    """The samples behind encoder and decoder."""
    program = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error"]
    form = ["-f", "s16le", "-ar", str(RATE), "-ac", "1"]
    encode = [*program, *form, "-i", "-", "-c:a", "libopencore_amrnb", "-b:a", str(bit_rate)]
    stream = _run([*encode, "-f", "amr", "-"], samples.tobytes())
    decoded = _run([*program, "-c:a", "amrnb", "-f", "amr", "-i", "-", *form, "-"], stream)
    return np.frombuffer(decoded, np.int16)


def _run(command: list[str], given: bytes) -> bytes:
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def main() -> None:
    """Write ``figures.npz``."""
    samples = voice()
    rates = {f"rate_{bit_rate}": coded(samples, bit_rate) for bit_rate in BIT_RATES}
    np.savez_compressed(Path(__file__).with_name("figures.npz"), voice=samples, **rates)


if __name__ == "__main__":
    main()
