"""How long perturbing takes, beside the same changes with auglib.

1,000 files of 3 s are written once. Then every perturbation of the catalog is made of every file
as in a run: decoded once, changed in memory, given to a model, which here does nothing. Noises
and impulse responses are synthesised in place of the datasets that the catalog names.

auglib (https://audeering.github.io/auglib/) is optional. The changes that it can make on this
machine are made with both, one signal after the other in one process, on the same signals and
noises: first in memory, then as auglib is used with a table of files, which writes its results
to disk, from where a model would read them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...core import rng
from ...core.errors import BenchmarkError
from ...perturbations import Library
from ...perturbations.library import CORPUS
from ...spec import Benchmark, load_benchmark
from .usage import Stopwatch

RATE = 16000
FILES, SECONDS = 1000, 3.0
#: signals that are changed with both
COMPARED = 60
#: recordings of a corpus without names; lengths of noises, of single sounds, of responses
RECORDINGS, NOISE_S, EVENT_S, IMPULSE_S = 12, 20.0, 1.0, 0.5
#: seconds for all changes of all files on two cores, and how much faster than auglib
LIMITS = {"all variants": 60.0, "times as fast as auglib": 3.0}


def bench_perturb(workers: int, *, files: int = FILES, compared: int = COMPARED) -> dict[str, Any]:
    """Seconds of all changes of many files, and of those that auglib can make.

    Args:
        workers: processes
        files: number of files of 3 s
        compared: number of signals that are changed with auglib as well
    """
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        benchmark = _benchmark(folder, files)
        library = Library(benchmark, folder / "cache")
        # variants are the same changes with other recordings
        named = [name for name, p in benchmark.perturbations.items() if not p.variant_of]
        usable = [name for name in named if not library.prepare(name)]
        figures["perturbations"] = len(usable)
        for missing in sorted(set(named) - set(usable)):
            figures[f"not run: {missing}"] = library.missing(missing)
        figures["files of 3 s"] = files
        with Stopwatch() as watch:
            _run(benchmark, library, folder, usable, workers)
        figures["all variants"] = watch.wall_s
        figures["all variants: processor time"] = watch.processor_s
        return figures | _side_by_side(library, folder, usable, compared)


def signal_of(*keys: object, seconds: float = SECONDS) -> np.ndarray:
    """Noise with the spectrum and the pauses of speech, float32, shape (samples,)."""
    generator = rng.generator(0, "benchmark of perturbations", *keys)
    size = round(seconds * RATE)
    frequency = np.fft.rfftfreq(size, 1 / RATE)
    spectrum = np.fft.rfft(generator.standard_normal(size)) / (1 + (frequency / 500) ** 2)
    pauses = np.sin(np.pi * 2 * np.arange(size) / RATE) ** 2
    signal = np.fft.irfft(spectrum, size) * pauses
    return (0.5 * signal / np.abs(signal).max()).astype(np.float32)


def write(path: Path, signal: np.ndarray) -> None:
    """Write a signal to a file whose folder need not be there."""
    import soundfile

    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, signal, RATE)


def _benchmark(folder: Path, files: int) -> Benchmark:
    """The benchmark with synthesised recordings in place of those that perturbations name."""
    declared = load_benchmark()
    corpora: dict[str, dict[str, list[tuple[str, str]]]] = {}
    lengths: dict[str, float] = {}
    for entry in (p for p in declared.perturbations.values() if not p.variant_of):
        content = entry.params.get(CORPUS)
        if content is not None:
            lines = corpora.setdefault(content["dataset"], {})
            lengths[content["dataset"]] = EVENT_S if entry.function == "event" else NOISE_S
            where = content.get("where", {})
            named = content.get("files") or [
                f"{'-'.join(where.values())}/{n:02d}.wav" for n in range(RECORDINGS)
            ]
            for file in named:
                lines[file] = [*lines.get(file, []), *where.items()]
    text = []
    for name, lines in corpora.items():
        columns = sorted({column for pairs in lines.values() for column, _ in pairs})
        table = [",".join(["file", *columns])]
        for file, pairs in lines.items():
            seconds = lengths[name] if pairs else IMPULSE_S
            signal = signal_of(name, file, seconds=seconds)
            if not pairs:
                signal = signal * np.exp(-np.arange(len(signal)) / (0.1 * RATE))
            write(folder / name / file, signal)
            table.append(",".join([file, *(dict(pairs).get(column, "") for column in columns)]))
        (folder / name / "metadata.csv").write_text("\n".join(table) + "\n", "utf-8")
        text.append(f"- {{id: {name}, version: 1.0.0, adapter: folder, path: {name}}}\n")
    signals = [f"{n:04d}.wav" for n in range(files)]
    for file in signals:
        write(folder / "signals" / file, signal_of(file))
    (folder / "signals" / "metadata.csv").write_text("\n".join(["file", *signals]) + "\n", "utf-8")
    text.append("- {id: signals, version: 1.0.0, adapter: folder, path: signals}\n")
    (folder / "datasets.yaml").write_text("".join(text), "utf-8")
    return load_benchmark([folder])


class _Idle:
    """A model that listens to nothing but wants to hear everything."""

    targets: tuple[str, ...] = ("none",)
    sampling_rate, needs_audio, batch_size, equal_length = RATE, True, 1, False
    group_size = 1
    fingerprint = ""

    def predict(self, batch: Any) -> dict[str, np.ndarray]:
        return {"none": np.zeros(len(batch))}


def _run(
    benchmark: Benchmark, library: Library, folder: Path, names: list[str], workers: int
) -> None:
    """All perturbations of all files through the machinery of a run."""
    from ...predictions.inputs import Request, Source
    from ...predictions.perturbing import Perturbing
    from ...predictions.predict import Predictor
    from ...predictions.store import PredictionStore
    from ...samples import datasets

    samples = datasets.load(benchmark.datasets["signals"], folder / "cache", benchmark.targets)
    source = Source(samples)
    source.add("signals", samples.table)
    source.freeze()
    model = _Idle()
    requests = [
        Request(
            model=lambda: model,
            name="idle",
            condition=name,
            columns=["none"],
            wanted=np.ones(len(source.keys), dtype=bool),
            store=PredictionStore(folder / "predictions" / name),
        )
        for name in names
    ]
    perturbing = Perturbing(library, workers)
    try:
        Predictor(source, requests, workers=workers, perturbing=perturbing).run()
    finally:
        perturbing.close()
    failed = [reason for request in requests for reason in request.failed.values()]
    if failed:
        raise BenchmarkError(f"bench perturb: {failed[0]}")


def _side_by_side(library: Library, folder: Path, names: list[str], count: int) -> dict[str, Any]:
    """The changes that auglib can make here, with it and without it."""
    try:
        import auglib
    except ImportError:
        return {"auglib": "not installed: pip install auglib"}
    from .perturb_peer import WAYS, peer

    files = [str(folder / "signals" / f"{n:04d}.wav") for n in range(count)]
    figures: dict[str, Any] = {"auglib": auglib.__version__, "signals with both": count}
    sums = dict.fromkeys(WAYS, 0.0)
    for name in names:
        entry = library.entry(name)
        recordings = _recordings(folder, entry.params.get(CORPUS))
        other = peer(entry.function, entry.params, recordings, folder)
        if other is None:
            figures[f"{name}: auglib"] = "not possible without other programs"
            continue
        for way, measure in WAYS.items():
            seconds = measure(library, name, other, files, str(folder / "auglib"))
            sums[way] += seconds
            figures[f"{name}: {way}, ms per signal"] = round(1000 * seconds / count, 3)
    here, memory, table = sums.values()
    figures |= {f"all that auglib can do: {way}": seconds for way, seconds in sums.items()}
    figures["times as fast as auglib in memory"] = round(memory / here, 2)
    figures["times as fast as auglib"] = round(table / here, 2)
    return figures


def _recordings(folder: Path, corpus: Mapping[str, Any] | None) -> list[str]:
    if corpus is None:
        return []
    root = folder / corpus["dataset"]
    if corpus.get("files"):
        return [str(root / file) for file in corpus["files"]]
    named = root / "-".join(corpus.get("where", {}).values())
    return [str(path) for path in sorted(named.glob("*.wav"))]
