r"""Level, signal-to-noise ratio, length, speaking rate and spectral tilt of each segment.

All from one pass over the signal at 16 kHz, each segment once; kept in the cache beside the F0.
They describe a recording well enough to divide samples into groups, no more.

* ``level_db``: root mean square of the whole segment, dB relative to full scale.
* ``snr_db``: mean power of the louder half of the frames (20 ms) over that of the quietest tenth.
  It is an estimate without knowledge of speech or noise: pauses count as noise.
* ``length_s``: length of the segment.
* ``syllables_per_s``: peaks of the intensity that rise 2 dB above the dips beside them and lie
  less than 25 dB below the loudest, per second, after de Jong and Wempe (2009), who also ask for
  voicing.
* ``tilt_db_per_octave``: slope of a straight line through the levels of third-octave bands from
  100 Hz to 5 kHz; pink noise has 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure
from ...core.errors import DataError
from ...models.base import Batch
from ...samples import datasets
from ...samples.base import Samples
from ...spec.view import ORIGINAL
from ..inputs import Request, Source
from ..predict import Predictor
from ..relatives import relatives
from ..store import PredictionStore
from .base import Context
from .f0_models import RATE_HZ, method
from .segment_f0 import FOLDER, folder_name, segment_f0

#: columns of the store
COLUMNS = ("level_db", "snr_db", "length_s", "syllables_per_s", "tilt_db_per_octave")
#: column of the F0, which has a store of its own
F0 = "f0_hz"
#: units of all of them
UNITS = {
    F0: "Hz",
    "level_db": "dB",
    "snr_db": "dB",
    "length_s": "s",
    "syllables_per_s": "per s",
    "tilt_db_per_octave": "dB per octave",
}
#: what is quieter counts as so quiet, dB relative to full scale
SILENCE_DB = -120.0
#: length of a frame and time between two, in samples
FRAME, STEP = 320, 160
#: frames that are averaged before peaks are looked for: 50 ms
SMOOTH = 5
#: a peak of the intensity rises so far above the dips beside it
DIP_DB = 2.0
#: and lies less than this below the loudest
RANGE_DB = 25.0


def describe(signal: np.ndarray) -> np.ndarray:
    """All of :data:`COLUMNS` of one signal; finite whatever the signal is.

    Args:
        signal: 16 kHz, shape (samples,)

    >>> tone = np.sin(2 * np.pi * 200 * np.arange(16000) / 16000)
    >>> describe(0.1 * tone).round(2)[:4].tolist()
    [-23.01, 0.0, 1.0, 0.0]
    """
    signal = np.asarray(signal, dtype=np.float64)
    seconds = len(signal) / RATE_HZ
    power = _powers(signal)
    return np.array(
        [
            float(_db(np.mean(signal**2))) if len(signal) else SILENCE_DB,
            _snr(power),
            seconds,
            _nuclei(power) / seconds if seconds else 0.0,
            _tilt(signal),
        ]
    )


def _db(power: np.ndarray | np.floating) -> np.ndarray:
    return np.asarray(10 * np.log10(np.maximum(power, 10 ** (SILENCE_DB / 10))))


def _powers(signal: np.ndarray) -> np.ndarray:
    """Mean power of each frame; of a shorter signal that of the whole."""
    if len(signal) < FRAME:
        return np.array([np.mean(signal**2) if len(signal) else 0.0])
    sums = np.concatenate([[0.0], np.cumsum(signal**2)])
    starts = np.arange(0, len(signal) - FRAME + 1, STEP)
    return np.maximum(sums[starts + FRAME] - sums[starts], 0) / FRAME


def _snr(power: np.ndarray) -> float:
    ordered = np.sort(power)
    quiet = ordered[: max(1, len(ordered) // 10)]
    return float(_db(ordered[len(ordered) // 2 :].mean()) - _db(quiet.mean()))


def _nuclei(power: np.ndarray) -> int:
    from scipy.signal import find_peaks

    # with the ends repeated, a sound that begins at once has no dip before it and is no peak
    level = _db(
        np.convolve(np.pad(power, SMOOTH // 2, "edge"), np.full(SMOOTH, 1 / SMOOTH), "valid")
    )
    least = max(float(level.max()) - RANGE_DB, SILENCE_DB + DIP_DB)
    peaks, _ = find_peaks(level, height=least, prominence=DIP_DB, distance=SMOOTH)
    return len(peaks)


@lru_cache(maxsize=1)
def _bands() -> tuple[np.ndarray, np.ndarray]:
    """Centres of third-octave bands in octaves, and their edges in Hz."""
    number = np.arange(-10, 8)  # 99 Hz to 5 kHz
    octaves = number / 3
    edges = 1000 * 2.0 ** (np.append(number, number[-1] + 1) / 3 - 1 / 6)
    return octaves, edges


def _tilt(signal: np.ndarray) -> float:
    if len(signal) < FRAME:
        return 0.0
    spectrum = np.abs(np.fft.rfft(signal)) ** 2
    octaves, edges = _bands()
    places = np.searchsorted(np.fft.rfftfreq(len(signal), 1 / RATE_HZ), edges)
    sums = np.concatenate([[0.0], np.cumsum(spectrum)])
    power = (sums[places[1:]] - sums[places[:-1]]) / len(signal) ** 2
    there = power > power.max(initial=0) * 1e-12
    if there.sum() < 2:
        return 0.0
    return float(np.polyfit(octaves[there], _db(power[there]), 1)[0])


class Acoustics:
    """These measures as a model that predicts all of :data:`COLUMNS`."""

    targets: tuple[str, ...] = COLUMNS
    sampling_rate = RATE_HZ
    needs_audio = True
    batch_size = 16
    equal_length = False
    group_size = 1
    fingerprint = "acoustics 1"

    def predict(self, batch: Batch) -> dict[str, np.ndarray]:
        """One value per signal of each column."""
        values = np.array([describe(signal[0]) for signal in batch.signals])
        return dict(zip(COLUMNS, values.reshape(-1, len(COLUMNS)).T, strict=True))


def _described(samples: Samples) -> dict[str, Any]:
    """What decides about the measures of the segments of a database."""
    dataset = samples.dataset
    return {
        "attribute": "acoustics",
        "columns": list(COLUMNS),
        "code": closure.code_of(Acoustics, datasets.module(dataset)),
        "sampling_rate": RATE_HZ,
        "database": dataset.database,
        "database_version": dataset.version,
        "data": samples.media_fingerprint,
    }


def _stored(described: Mapping[str, Any], cache: Path) -> PredictionStore:
    return PredictionStore(cache / FOLDER / "acoustics" / folder_name(described), described)


def measured(samples: Samples, context: Context) -> dict[str, np.ndarray]:
    """F0 and all of :data:`COLUMNS` of every row of a sample table; NaN: no voiced frame.

    Raises:
        DatasetUnavailable: if the audio is not here and may not be fetched
        DataError: if a file cannot be decoded
    """
    source = Source(samples)
    source.add(samples.dataset.id, samples.table, samples.kin)
    source.freeze()
    ids = source.ids(samples.dataset.id, samples.table.index)
    every = np.ones(len(source.keys), dtype=bool)
    stored, described = partial(_stored, cache=context.cache), _described(samples)
    request = Request(
        Acoustics,
        "acoustics",
        ORIGINAL,
        list(COLUMNS),
        every,
        stored(described),
        relatives=relatives(source.overlaps, described, stored),
    )
    Predictor(
        source,
        [request],
        workers=context.workers,
        progress=context.progress,
        cache=context.cache,
    ).run()
    if request.failed:
        raise DataError(
            f"{len(request.failed)} of {len(every)} samples not measured; first: {request.first_failure}"
        )
    rows = np.ones(len(samples.table), dtype=bool)
    f0 = segment_f0(method("autocorrelation"), samples, rows, context)
    columns = dict(zip(COLUMNS, request.values[ids].T, strict=True))
    return {F0: np.where(f0 > 0, f0, np.nan), **columns}
