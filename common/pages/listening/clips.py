"""The samples of slices in which a model is worse, as sound files and spectrograms for pages.

They lie in ``extra/media/slices/``. What may not be played has none (:mod:`common.pages.listening.licences`).
"""

from __future__ import annotations

import logging
from pathlib import Path

from ...core import files, provenance
from ...core.errors import BenchmarkError
from ...core.mirror import names_below
from ...core.paths import SLICES, Paths
from ...results import slices
from ...results.slices import SliceSound
from ...samples import audio, datasets
from ...samples.base import Samples
from . import licences
from .loudness import loudness
from .scenes import picture
from .sounds import LONGEST_S, RATE, flac

logger = logging.getLogger(__name__)


class ClipMaker:
    """Makes the sound of a sample where it is not there yet.

    Args:
        folders: where to write
    """

    def __init__(self, folders: Paths):
        self._folders = folders

    def __call__(self, samples: Samples, file: str, start: int, end: int) -> SliceSound | None:
        """The sound of a segment; None if it may not be played or is not here."""
        dataset = samples.dataset
        if licences.silent(dataset):
            return None
        identity = [dataset.database, dataset.version, samples.media_fingerprint]
        key = provenance.digest([*identity, file, start, end, RATE, LONGEST_S])
        src = f"{SLICES}/{dataset.database}/{Path(file).stem[:40]}-{key}.flac"
        path = self._folders.media / src
        try:
            if not path.is_file():
                root = datasets.media(samples, [file])
                signal = audio.load(Path(root) / file, start, end, RATE)
                files.write_bytes(path, flac(signal[:, : round(LONGEST_S * RATE)]))
            signal, _ = audio.read(path)
            image = path.with_suffix(".png")
            if not image.is_file():
                files.write_bytes(image, picture(signal, RATE))
        except BenchmarkError as error:
            logger.info("%s: %s is not played: %s", dataset.id, file, error)
            return None
        seconds = round(signal.shape[1] / RATE, 3)
        drawn = str(Path(src).with_suffix(".png").as_posix())
        return SliceSound(src, seconds, round(loudness(signal, RATE), 2), drawn)


def folder(folders: Paths) -> Path:
    """Where sounds of slices and their pictures are."""
    return folders.media / SLICES


def made(folders: Paths) -> list[str]:
    """Names of all sounds of slices and of their pictures."""
    return [name for name in names_below(folder(folders)) if name.endswith((".flac", ".png"))]


def prune(folders: Paths) -> None:
    """Remove sounds that no slice has any more."""
    used = {
        (folders.media / clip.sound.src).with_suffix("")
        for path in folders.method_tests.glob(f"*/*/{SLICES}/*.csv")
        for row in slices.read(path)
        for clip in row.clips
        if clip.sound is not None
    }
    for path in (folder(folders) / name for name in made(folders)):
        if path.with_suffix("") not in used:
            path.unlink()
