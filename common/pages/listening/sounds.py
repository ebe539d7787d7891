"""Samples as sound files for pages, unchanged or perturbed, each with its picture if one is asked for.

They lie in ``extra/media/samples/``, shared by all targets and pages: the name of a file says what is
in it, so a file that is there need not be made again.
"""

from __future__ import annotations

import functools
import io
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure, files, paths, provenance
from ...core.errors import AudioError
from ...core.paths import Paths
from ...figures.audio import FLOOR_DB, mono, spectrogram
from ...models.base import SampleKey
from ...perturbations.library import Library
from ...results.sample_tables import PICTURE
from ...samples import audio, datasets
from ...samples.base import Samples
from ...spec import Benchmark, Dataset
from ...spec.view import ORIGINAL
from .loudness import loudness

#: file, start and end in ns
Key = tuple[str, int, int]

#: seconds of a sample that are played, and sampling rate
LONGEST_S = 12.0
RATE = 16000
#: size of the picture of a sound in pixels, and how much of it is the waveform
WIDTH, HEIGHT, WAVE = 400, 132, 40
#: colour of the waveform
WAVE_COLOR = (252, 226, 150)


class SoundMaker:
    """Makes sound files where they are not there yet; several threads may ask for them.

    Args:
        benchmark: catalog
        folders: where to write, and the cache
        library: makes perturbed signals
        download: whether recordings may be fetched from remote repositories

    Attributes:
        written: number of sounds that were made
    """

    def __init__(self, benchmark: Benchmark, folders: Paths, library: Library, *, download: bool):
        self.benchmark = benchmark
        self.folders = folders
        self.library = library
        self.code = closure.code_of(type(self))
        self.download = download
        self.written = 0
        self._samples: dict[str, Samples] = {}
        self._lock = threading.Lock()

    def __call__(
        self, dataset: Dataset, key: Key, used: str, *, drawn: bool = False
    ) -> dict[str, Any]:
        """File, length and loudness of a sample in a condition.

        Args:
            dataset: where it belongs
            key: which sample
            used: id of the perturbation, or ``original``
            drawn: whether it has a picture, which lies beside it

        Raises:
            BenchmarkError: if the recording is not here or cannot be changed so
        """
        plain = used == ORIGINAL
        identity = [dataset.database, dataset.version, *key, RATE, LONGEST_S, self.code]
        identity += [] if plain else [self.library.seed, self.library.digest(used)]
        slug = f"{Path(key[0]).stem[:40]}-{provenance.digest(identity)}.flac"
        src = f"{paths.SAMPLES}/{dataset.database}/{'original' if plain else used}/{slug}"
        path = self.folders.media / src
        if not path.is_file():
            self._make(path, dataset, key, used)
        try:
            signal, _ = audio.read(path)
        except AudioError as error:
            files.set_aside(path, error)
            self._make(path, dataset, key, used)
            signal, _ = audio.read(path)
        if drawn and not path.with_suffix(PICTURE).is_file():
            files.write_bytes(path.with_suffix(PICTURE), picture(signal, RATE))
        seconds = round(signal.shape[1] / RATE, 3)
        return {"src": src, "seconds": seconds, "lufs": round(loudness(signal, RATE), 2)}

    def _make(self, path: Path, dataset: Dataset, key: Key, used: str) -> None:
        signal = self._signal(dataset, key)
        if used != ORIGINAL:
            name = SampleKey(dataset.database, dataset.version, *key, used)
            signal = self.library.perturb(used, signal, RATE, name)
        files.write_bytes(path, flac(signal[:, : round(LONGEST_S * RATE)]))
        with self._lock:
            self.written += 1

    def _signal(self, dataset: Dataset, key: Key) -> np.ndarray:
        with self._lock:
            if dataset.id not in self._samples:
                self._samples[dataset.id] = datasets.load(
                    dataset, self.folders.cache, self.benchmark.targets, download=self.download
                )
        file, start, end = key
        root = datasets.media(self._samples[dataset.id], [file])
        return audio.load(Path(root) / file, start, end, RATE)


def prune(media: Path, used: Iterable[str]) -> None:
    """Remove the sounds of samples, and their pictures, that no page has any more."""
    needed = {media / src for src in used}
    folder = media / paths.SAMPLES
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in needed:
            path.unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def flac(signal: np.ndarray) -> bytes:
    """FLAC file of 16 bit; the same bytes for the same signal."""
    import soundfile

    buffer = io.BytesIO()
    whole = np.clip(np.rint(np.asarray(signal, dtype=float) * 32768), -32768, 32767)
    soundfile.write(buffer, whole.astype(np.int16).T, RATE, format="FLAC", subtype="PCM_16")
    return buffer.getvalue()


def picture(signal: np.ndarray, sampling_rate: int) -> bytes:
    """Waveform above spectrogram without axes or margins, so that a place in it is a time: WebP.

    The waveform is scaled to its largest amplitude, the spectrogram to its largest level; low
    frequencies are at the bottom.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
    """
    from PIL import Image

    wave = mono(signal)
    levels = spectrogram(wave, sampling_rate).levels_db[::-1]
    shades = ((levels / -FLOOR_DB + 1) * 255).round().astype(np.uint8)
    size = (WIDTH, HEIGHT - WAVE)
    small = np.asarray(Image.fromarray(shades).resize(size, Image.Resampling.BOX))
    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.paste(Image.fromarray(_shades()[small]), (0, WAVE))
    image.paste(Image.fromarray(waveform(wave, WIDTH, WAVE)), (0, 0))
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=40, method=2)
    return buffer.getvalue()


@functools.cache
def _shades() -> np.ndarray:
    """Colours of levels, shape (256, 3)."""
    from matplotlib import colormaps

    colors = colormaps["magma"](np.arange(256))[:, :3]
    return np.asarray((colors * 255).round().astype(np.uint8))


def waveform(wave: np.ndarray, width: int, height: int) -> np.ndarray:
    """Range of the amplitudes in each column as an image, shape (height, width, 3).

    >>> waveform(np.array([0.0, 0.0, 1.0, -1.0]), 2, 5)[:, :, 0].tolist()
    [[0, 252], [0, 252], [252, 252], [0, 252], [0, 252]]
    """
    edges = np.linspace(0, len(wave), width + 1).astype(int)
    starts = np.minimum(edges[:-1], len(wave) - 1)
    top = max(float(np.abs(wave).max()), 1e-3)
    middle = (height - 1) / 2
    high = np.rint(middle * (1 - np.maximum.reduceat(wave, starts) / top))
    low = np.rint(middle * (1 - np.minimum.reduceat(wave, starts) / top))
    rows = np.arange(height)[:, None]
    inside = (rows >= high[None, :]) & (rows <= low[None, :])
    image = np.zeros((height, width, 3), dtype=np.uint8)
    image[inside] = WAVE_COLOR
    return image
