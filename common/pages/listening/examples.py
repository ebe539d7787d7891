"""The sound files of the method pages: one sentence in every condition of the suite.

They lie in ``extra/media/`` under the names of the interface; ``examples.json`` beside them says
what each was made from, how long and how loud it is, and why others could not be made. A file
that is there and was made from what is there now is left alone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...core import closure, files, paths, provenance
from ...core.documents import parse_json
from ...core.errors import BenchmarkError
from ...engine.plan import conditions
from ...perturbations.examples import shown
from ...perturbations.filters import tilt_filter
from ...perturbations.library import Library
from ...samples import demo
from ...samples.demo import publish, recipes
from ...spec import Benchmark
from . import speech
from .loudness import loudness
from .speech import RATE, SPEECH, ExampleSettings, settings, speak

STATE = "examples.json"
FORMAT = 1
#: modules that decide about the sentences

Make = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Example:
    """One file.

    Args:
        file: its name below ``extra/media/``
        label: what it is called
        key: hash of all that decides about it
        make: makes the signal, shape (channels, samples)
    """

    file: str
    label: str
    key: str
    make: Make


@dataclass
class ExamplesReport:
    """What was done.

    Args:
        made: files that were written
        current: files that were up to date
        missing: file -> why it cannot be made
        removed: files that nothing belongs to any more
    """

    made: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)


def update(benchmark: Benchmark, folders: paths.Paths) -> ExamplesReport:
    """Make the examples that are missing or stale.

    Args:
        benchmark: catalog and suite; each test with perturbations gets its examples
        folders: where to write, and the cache with the recordings that are used

    Raises:
        OutputError: if a file cannot be written
    """
    index = read(folders.media)
    report, state = ExamplesReport(), {}
    _prepare(benchmark, folders)
    for example in planned(benchmark, folders):
        path = folders.media / example.file
        entry = index["files"].get(example.file, {})
        if entry.get("key") == example.key and entry.get("sha256") == _digest(path):
            report.current.append(example.file)
            state[example.file] = {**entry, "label": example.label}
            continue
        try:
            signal = example.make()
        except BenchmarkError as error:
            report.missing[example.file] = str(error)
            path.unlink(missing_ok=True)
            continue
        files.write_bytes(path, wav(signal), only_changed=True)
        report.made.append(example.file)
        state[example.file] = {
            "label": example.label,
            "key": example.key,
            "sha256": _digest(path),
            "seconds": signal.shape[1] / RATE,
            "lufs": round(loudness(signal, RATE), 2),
        }
    for name in sorted({*index["files"], *index["missing"]} - {*state, *report.missing}):
        (folders.media / name).unlink(missing_ok=True)
        report.removed.append(name)
    content = {"format": FORMAT, "files": state, "missing": report.missing}
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    files.write_text(folders.media / STATE, text, only_changed=True)
    return report


def read(media: Path) -> dict[str, Any]:
    """Content of ``examples.json``; of one that is not there or of another format, nothing."""
    try:
        content: dict[str, Any] = parse_json((media / STATE).read_text("utf-8"))
    except (OSError, ValueError):
        content = {}
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return {"files": {}, "missing": {}}
    return content


def planned(benchmark: Benchmark, folders: paths.Paths) -> Iterator[Example]:
    """All examples, the sentences first."""
    chosen = settings()
    library = Library(benchmark, folders.cache)
    spoken = _Once(lambda: speak(chosen))
    said = chosen.model_dump(mode="json", include={"seed", "speech"})
    text = provenance.digest([said, closure.code_of(speak)])
    yield Example(SPEECH, "Original", text, spoken)
    yield from _recorded(chosen)
    yield from _responses(chosen, library)
    for test in benchmark.tests.values():
        for condition, name in _conditions(benchmark, test.id).items():
            variant = library.variant(name, chosen.corpora)
            yield Example(
                chosen.file(test.id, condition),
                library.entry(name).label or name,
                provenance.digest([text, library.digest(variant)]),
                _Changed(library, name, chosen.corpora, spoken),
            )


def _prepare(benchmark: Benchmark, folders: paths.Paths) -> None:
    """Make the embedded recordings that are drawn from; what they are decides about the keys."""
    library, corpora = Library(benchmark, folders.cache), settings().corpora
    used = {name for test in benchmark.tests for name in _conditions(benchmark, test).values()}
    recordings = [library.recordings(library.variant(name, corpora)) for name in sorted(used)]
    for database in sorted({data.database for data in recordings if data and data.embedded}):
        # the examples that want it will say why it is not there
        with contextlib.suppress(BenchmarkError):
            demo.ensure(folders.cache, [database], workers=os.cpu_count() or 1)


def _conditions(benchmark: Benchmark, test: str) -> dict[str, str]:
    """Condition -> perturbation, for all targets of a test."""
    perturbations: dict[str, str] = {}
    for target in benchmark.targets.values():
        if benchmark.tests[test].uses(target.kind):
            perturbations.update(conditions(benchmark.tests[test], target))
    return perturbations


def _recorded(chosen: ExampleSettings) -> Iterator[Example]:
    """One utterance as each device records it."""
    (recipe,) = recipes.choose([chosen.recordings.recipe])
    made_from = publish.fingerprint(recipe)
    for file, utterance in speech.recorded(chosen).items():
        device = str(utterance.labels["device"])
        key = provenance.digest([made_from, utterance.file])
        yield Example(
            file, device.capitalize(), key, functools.partial(speech.record, chosen, file)
        )


def _responses(chosen: ExampleSettings, library: Library) -> Iterator[Example]:
    """Filters of spectral tilts as files, centre at half of the length."""
    for file, name in chosen.impulse_responses.items():
        entry = library.entry(name)

        def make(params: Any = entry.params) -> np.ndarray:
            return np.array(tilt_filter(RATE, **params), dtype=np.float32)[None, :]

        yield Example(file, entry.label or name, library.digest(name), make)


class _Once:
    """A signal that is made when it is first needed; a failure is raised every time."""

    def __init__(self, make: Make):
        self._make = make
        self._signal: np.ndarray | None = None
        self._error: BenchmarkError | None = None

    def __call__(self) -> np.ndarray:
        if self._error is not None:
            raise self._error
        if self._signal is None:
            try:
                self._signal = self._make()
            except BenchmarkError as error:
                self._error = error
                raise
        return self._signal


@dataclass(frozen=True)
class _Changed:
    """The sentences in a condition, as the public functions change them with ``demo=True``."""

    library: Library
    name: str
    corpora: str
    spoken: Make

    def __call__(self) -> np.ndarray:
        return shown(self.library, self.name, self.corpora, self.spoken(), RATE)


def wav(signal: np.ndarray) -> bytes:
    """WAV file of 16 bit, rounded to the nearest; the same bytes for the same signal."""
    import soundfile

    buffer = io.BytesIO()
    whole = np.clip(np.rint(np.asarray(signal, dtype=float) * 32768), -32768, 32767)
    soundfile.write(buffer, whole.astype(np.int16).T, RATE, format="WAV", subtype="PCM_16")
    return buffer.getvalue()


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
