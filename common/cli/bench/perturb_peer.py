"""auglib as a yardstick of :mod:`common.cli.bench.perturb`: its transforms, and ways to use them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...models.base import SampleKey
from ...perturbations import Library
from ...perturbations.filters import tilt_filter
from ...samples import audio

RATE = 16000


def peer(function: str, params: Mapping[str, Any], recordings: Sequence[str], folder: Path) -> Any:
    """The transform of auglib that comes nearest to a perturbation; None if there is none.

    Args:
        function: name of the function of the library
        params: its parameters in the catalog
        recordings: files of its corpus
        folder: where a filter may be written, as auglib reads filters from files
    """
    make = _PEERS.get(function)
    if make is None:
        return None
    if function == "spectral_tilt":
        recordings = [_filter(params, folder)]
    return make(params, list(recordings))


def _filter(params: Mapping[str, Any], folder: Path) -> str:
    import soundfile

    taps = tilt_filter(RATE, params["gain_at_zero"], params["gain_at_end"], params["end_hz"])
    path = folder / f"tilt-{params['gain_at_zero']}-{params['gain_at_end']}.wav"
    soundfile.write(path, taps, RATE, subtype="FLOAT")
    return str(path)


def _any(values: Any, scale: float = 1.0) -> Any:
    from auglib import observe

    values = values if isinstance(values, Sequence) else [values]
    return observe.List([scale * value for value in values], draw=True)


def _file(recordings: list[str]) -> Any:
    from auglib import observe

    return observe.List(recordings, draw=True)


def _tone(params: Any, recordings: list[str]) -> Any:
    from auglib import observe, transform

    frequency = observe.IntUni(params["lowest_hz"], params["highest_hz"])
    return transform.Tone(frequency, snr_db=_any(params["snr_db"]))


def _append(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.AppendValue(_any(params["duration_ms"], 1e-3))


def _prepend(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.PrependValue(_any(params["duration_ms"], 1e-3))


def _crop_beginning(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.Trim(start_pos=_any(params["duration_ms"], 1e-3))


def _crop_end(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.Trim(end_pos=_any(params["duration_ms"], 1e-3))


def _clip(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.ClipByRatio(_any(params["share"]))


def _gain(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.GainStage(_any(params["gain_db"]))


def _highpass(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.HighPass(_any(params["cutoff_hz"]), order=params["order"])


def _lowpass(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.LowPass(_any(params["cutoff_hz"]), order=params["order"])


def _white(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.WhiteNoiseGaussian(snr_db=_any(params["snr_db"]))


def _white_background(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.WhiteNoiseGaussian(snr_db=_any(params["snr_db"]), preserve_level=True)


def _background(params: Any, recordings: list[str]) -> Any:
    from auglib import observe, transform

    return transform.Mix(
        _file(recordings),
        snr_db=_any(params["snr_db"]),
        read_pos_aux=observe.FloatUni(0, 1),
        unit="relative",
        loop_aux=True,
        preserve_level=True,
    )


def _event(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    ratio = _any(params["snr_db"])
    return transform.Mix(_file(recordings), snr_db=ratio, preserve_level=True)


def _babble(params: Any, recordings: list[str]) -> Any:
    from auglib import observe, transform

    return transform.BabbleNoise(
        recordings,
        num_speakers=observe.IntUni(params["fewest"], params["most"]),
        snr_db=_any(params["snr_db"]),
        preserve_level=True,
    )


def _response(params: Any, recordings: list[str]) -> Any:
    from auglib import transform

    return transform.FFTConvolve(_file(recordings), keep_tail=False, preserve_level=True)


#: function of the library -> what makes its peer; the phone needs programs besides auglib
_PEERS: dict[str, Callable[[Any, list[str]], Any]] = {
    "additive_tone": _tone,
    "append_zeros": _append,
    "babble": _babble,
    "background": _background,
    "clip": _clip,
    "crop_beginning": _crop_beginning,
    "crop_end": _crop_end,
    "event": _event,
    "gain": _gain,
    "highpass": _highpass,
    "impulse_response": _response,
    "lowpass": _lowpass,
    "prepend_zeros": _prepend,
    "spectral_tilt": _response,
    "white_background": _white_background,
    "white_noise": _white,
}


def _here(library: Library, name: str, other: Any, files: list[str], folder: str) -> float:
    """Seconds to read files and change them in memory."""
    start = time.perf_counter()
    for file in files:
        (signal,) = audio.load_many("/", file, [(0, -1)], RATE)
        if isinstance(signal, Exception):
            raise signal
        library.perturb(name, signal, RATE, SampleKey("signals", "1.0.0", file, 0, -1))
    return time.perf_counter() - start


def _memory(library: Library, name: str, other: Any, files: list[str], folder: str) -> float:
    """Seconds to read files and change them in memory with auglib."""
    start = time.perf_counter()
    for file in files:
        (signal,) = audio.load_many("/", file, [(0, -1)], RATE)
        other(np.array(signal), RATE)
    return time.perf_counter() - start


def _table(library: Library, name: str, other: Any, files: list[str], folder: str) -> float:
    """Seconds to change a table of files with auglib and to read what it wrote."""
    import audformat
    import auglib

    index = audformat.filewise_index(files)
    start = time.perf_counter()
    changed = auglib.Augment(other, seed=0, num_workers=1).augment(
        pd.Series(0, index), cache_root=folder
    )
    for file in changed.index.get_level_values("file"):
        audio.load_many("/", file, [(0, -1)], RATE)
    seconds = time.perf_counter() - start
    shutil.rmtree(folder, ignore_errors=True)
    return seconds


#: ways to change signals, from files to signals that a model can take
WAYS: dict[str, Callable[[Library, str, Any, list[str], str], float]] = {
    "here": _here,
    "auglib in memory": _memory,
    "auglib with a table of files": _table,
}
