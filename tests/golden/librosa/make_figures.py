"""Spectrograms, mel bands and cepstral coefficients as librosa computes them.

Run with an interpreter that has librosa 0.11.0 (ISC licence)::

    python tests/golden/librosa/make_figures.py

It needs nothing of this repository but ``cases.json`` beside itself, whose fields are those of the front ends of
catalog entries, and writes ``figures.npz``: the signal, and one array for each case.
"""

from __future__ import annotations

import json
from pathlib import Path

import librosa
import numpy as np

FOLDER = Path(__file__).parent
RATE = 16000


def signal() -> np.ndarray:
    """A rising tone with vibrato, noise, and a silent end; 16-bit steps."""
    time = np.arange(4800) / RATE
    tone = np.sin(2 * np.pi * (300 * time + 2500 * time**2) + np.sin(2 * np.pi * 6 * time))
    noise = np.random.default_rng(7).standard_normal(len(time))
    mixed = (0.4 * tone + 0.02 * noise) * (time < 0.26)
    return np.rint(mixed * 32767).astype(np.int16)


def features(y: np.ndarray, case: dict) -> np.ndarray:
    """One case by functions of librosa."""
    power = case.get("power", 2.0)
    magnitudes = np.abs(
        librosa.stft(
            y,
            n_fft=case["n_fft"],
            hop_length=case["hop_length"],
            win_length=case.get("win_length"),
            window=case.get("window", "hann"),
            center=case.get("center", True),
            pad_mode=case.get("pad_mode", "constant"),
        )
    )
    values = magnitudes**power
    if case["type"] != "spectrogram":
        norm = case.get("norm", "slaney")
        bands = librosa.filters.mel(
            sr=RATE,
            n_fft=case["n_fft"],
            n_mels=case["n_mels"],
            fmin=case.get("fmin", 0.0),
            fmax=case.get("fmax"),
            htk=case.get("mel") == "htk",
            norm=None if norm == "none" else norm,
            dtype=np.float64,
        )
        values = bands @ values
    log = case.get("log", "none" if case["type"] == "spectrogram" else "db")
    if log == "db":
        to_db = librosa.power_to_db if power == 2 else librosa.amplitude_to_db
        floor, top = case.get("floor", 1e-10), case.get("top_db", 80.0)
        values = to_db(values, ref=1.0, amin=floor, top_db=top)
    elif log != "none":
        function = np.log if log == "natural" else np.log10
        values = function(np.maximum(values + case.get("offset", 0.0), case.get("floor", 1e-10)))
    if case["type"] == "mfcc":
        values = librosa.feature.mfcc(S=values, n_mfcc=case["n_mfcc"], lifter=case.get("lifter", 0))
    changes = [librosa.feature.delta(values, order=n + 1) for n in range(case.get("deltas", 0))]
    return np.concatenate([values, *changes])


def main() -> None:
    """Write ``figures.npz``."""
    steps = signal()
    y = steps.astype(np.float64) / 32768
    cases = json.loads((FOLDER / "cases.json").read_text("utf-8"))
    arrays = {name: features(y, case) for name, case in cases.items()}
    np.savez_compressed(FOLDER / "figures.npz", signal=steps, **arrays)


if __name__ == "__main__":
    main()
