"""Sound and spectrogram of the recordings whose events result pages show.

The details of a test name some recordings of each dataset, see :mod:`common.figures.details`.
Their sounds and pictures lie in ``extra/media/scenes/``, shared by all models and tests;
``extra/media/<target>/scenes.json`` says which belong to a recording, or why there is no sound.
"""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure, files, paths, provenance
from ...core.documents import parse_json
from ...core.errors import BenchmarkError
from ...core.paths import Paths
from ...figures.audio import FLOOR_DB, mono, spectrogram
from ...figures.details import PREFIX
from ...results.manifest import Manifest
from ...samples import audio, datasets
from ...spec import Benchmark, Dataset
from . import licences
from .sounds import RATE, flac

logger = logging.getLogger(__name__)

FORMAT = 1
FILE = "scenes.json"
#: colours of a picture, and rows of frequencies that are drawn as one
LEVELS, ROWS = 64, 3

#: file, start in ns and length in s of what is shown of a recording
Wanted = tuple[str, int, float]


def update(benchmark: Benchmark, folders: Paths, *, download: bool = False) -> int:
    """Bring the sounds and pictures of all targets up to date; returns how many were written.

    Args:
        benchmark: catalog
        folders: where results are, where to write, and the cache
        download: whether recordings may be fetched from remote repositories

    Raises:
        OutputError: if a file cannot be written
    """
    maker = _Maker(benchmark, folders, download)
    sources: set[str] = set()
    for target in benchmark.targets.values():
        path = folders.media / target.id / FILE
        old = read(path)
        entries = {
            name: maker.entry(benchmark.datasets[name], scenes, old.get(name, {}))
            for name, scenes in _wanted(benchmark, folders, target.id).items()
        }
        if entries:
            content = {"format": FORMAT, "datasets": entries}
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            files.write_text(path, text, only_changed=True)
            sources |= _sources(entries)
        else:
            path.unlink(missing_ok=True)
    for path in sorted((folders.media / paths.SCENES).rglob("*")):
        if path.is_file() and path.relative_to(folders.media).as_posix() not in sources:
            path.unlink()
    return maker.written


def read(path: Path) -> dict[str, Any]:
    """What an index says of each dataset; nothing if there is none or it is of another format."""
    try:
        content = parse_json(path.read_text("utf-8"))
        return dict(content["datasets"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _sources(entries: Mapping[str, Any]) -> set[str]:
    return {
        str(scene[kind])
        for entry in entries.values()
        for scene in entry["scenes"].values()
        for kind in ("src", "picture")
    }


def _wanted(benchmark: Benchmark, folders: Paths, target: str) -> dict[str, set[Wanted]]:
    """Recordings of each dataset that the details of a target show."""
    excerpts: dict[str, set[Wanted]] = {}
    for model in benchmark.models:
        manifest = Manifest.read(folders.manifest(target, model))
        for key, cell in (manifest.cells if manifest else {}).items():
            test, _, dataset = key.partition("/")
            for name in cell.get("details", ()):
                path = folders.figures(target, model, test) / name
                if dataset not in benchmark.datasets or not name.startswith(PREFIX):
                    continue
                try:
                    scenes = parse_json(path.read_text("utf-8"))["scenes"]
                    file_excerpts = {(s["file"], s["start_ns"], s["seconds"]) for s in scenes}
                except (OSError, ValueError, KeyError, TypeError):
                    continue  # the next run writes the file anew
                excerpts.setdefault(dataset, set()).update(file_excerpts)
    return dict(sorted(excerpts.items()))


class _Maker:
    """Makes sounds and pictures."""

    def __init__(self, benchmark: Benchmark, folders: Paths, download: bool):
        self.benchmark = benchmark
        self.folders = folders
        self.download = download
        self.written = 0
        self.code = closure.code_of(type(self))

    def entry(
        self, dataset: Dataset, excerpts: set[Wanted], old: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What a page says about a dataset; the old entry if nothing has changed."""
        about = [dataset.license, dataset.label, dataset.source, dataset.version]
        key = provenance.digest([FORMAT, self.code, about, sorted(excerpts)])
        there = all((self.folders.media / src).is_file() for src in _sources({"": old or _NONE}))
        if old.get("key") == key and there:
            return dict(old)
        entry: dict[str, Any] = {
            "key": key,
            "license": dataset.license,
            "source": dataset.source,
            "silent": licences.silent(dataset),
            "scenes": {},
        }
        if entry["silent"]:
            return entry
        try:
            samples = datasets.load(
                dataset, self.folders.cache, self.benchmark.targets, download=self.download
            )
            names = sorted({file for file, _, _ in excerpts})
            root = Path(datasets.media(samples, names))
            for scene in sorted(excerpts):
                entry["scenes"][f"{scene[0]}@{scene[1]}"] = self._scene(dataset, root, scene)
        except BenchmarkError as error:
            logger.info("%s: scenes are not played: %s", dataset.id, error)
            return {**entry, "key": "", "silent": f"The sounds cannot be had here: {error}"}
        return entry

    def _scene(self, dataset: Dataset, root: Path, scene: Wanted) -> dict[str, str]:
        file, start, seconds = scene
        end = start + round(seconds * 1e9)
        identity = [dataset.database, dataset.version, file, start, end, RATE, self.code]
        slug = f"{Path(file).stem[:40]}-{provenance.digest(identity)}"
        place = f"{paths.SCENES}/{dataset.database}/{slug}"
        entry = {"src": f"{place}.flac", "picture": f"{place}.png"}
        if not all((self.folders.media / name).is_file() for name in entry.values()):
            signal = audio.load(root / file, start, end, RATE)
            files.write_bytes(self.folders.media / entry["src"], flac(signal))
            files.write_bytes(self.folders.media / entry["picture"], picture(signal, RATE))
            self.written += 2
        return entry


_NONE: Mapping[str, Any] = {"scenes": {}}


def picture(signal: np.ndarray, sampling_rate: int) -> bytes:
    """Spectrogram without axes or margins, so that a place in it is a time: a PNG file.

    Args:
        signal: shape (channels, samples)
        sampling_rate: in Hz
    """
    from matplotlib import colormaps
    from PIL import Image

    levels = spectrogram(mono(signal), sampling_rate).levels_db[1:]
    rows = len(levels) // ROWS * ROWS
    levels = levels[:rows].reshape(-1, ROWS, levels.shape[1]).max(axis=1)[::-1]
    index = np.clip((levels / -FLOOR_DB + 1) * LEVELS, 0, LEVELS - 1).astype(np.uint8)
    colors = (colormaps["magma"](np.linspace(0, 1, LEVELS))[:, :3] * 255).round().astype(np.uint8)
    image = Image.fromarray(index, mode="P")
    image.putpalette(colors.tobytes())
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
