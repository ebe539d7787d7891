"""Makes the embedded corpus and publishes it with audb into the cache folder.

``<cache>/embedded/repo/<repository>/`` is the repository; ``<repository>.json`` beside it says
from which recipe it was made. Everything is built in a temporary folder beside it and moved at
the end, under a lock; what an interrupted run has left is removed by the next one.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from common import files, paths, provenance
from common.embedded import REPOSITORY, speech, synthesis
from common.errors import DataError, OutputError

RENDER = "common.embedded.render"
#: modules that decide about the content of the corpus, besides the recipe
CODE = ("speech.py", "acoustics.py", "espeak_worker.py", "render.py", "publish.py")
BUILD = ".build-"
SPEAKER = "speaker"

Progress = Callable[[int, int], None]


def host(cache: Path) -> Path:
    """Folder that holds the repository folder."""
    return paths.Paths(cache=cache).embedded / "repo"


def fingerprint(recipe: Path = speech.RECIPE) -> str:
    """Hash of all that decides about the content of the corpus: recipe and code."""
    corpus = speech.load(recipe).model_dump(mode="json")
    code = [Path(__file__).with_name(name) for name in CODE]
    return provenance.digest([corpus, provenance.code_digest(code)])


def ensure_corpus(
    cache: Path,
    *,
    workers: int,
    progress: Progress | None = None,
    recipe: Path = speech.RECIPE,
) -> None:
    """Make and publish the corpus of a recipe unless it is there; see :func:`common.embedded.ensure`."""
    corpus = speech.load(recipe)
    wanted = fingerprint(recipe)
    if _is_published(cache, corpus, wanted):
        return
    synthesis.require(corpus.synthesiser)
    root = host(cache).parent
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _lock(root / ".lock"):
            if _is_published(cache, corpus, wanted):  # another process was faster
                return
            for left in root.glob(f"{BUILD}*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=BUILD, dir=root) as build:
                _make(corpus, Path(build), workers, progress)
                _install(cache, corpus, Path(build), wanted)
    except OSError as error:
        place = error.filename or root
        raise OutputError(f"{place}: cannot be written: {error.strerror or error}") from None


def _lock(path: Path) -> Any:
    import filelock

    return filelock.FileLock(path)


def _marker(cache: Path) -> Path:
    return host(cache) / f"{REPOSITORY}.json"


def _is_published(cache: Path, corpus: speech.Corpus, wanted: str) -> bool:
    try:
        found = json.loads(_marker(cache).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    there = (host(cache) / REPOSITORY / corpus.id).is_dir()
    return bool(there and isinstance(found, dict) and found.get("fingerprint") == wanted)


def _make(corpus: speech.Corpus, build: Path, workers: int, progress: Progress | None) -> None:
    """Render and publish below ``build``."""
    import audb

    utterances = speech.plan(corpus)
    source = build / "source"
    source.mkdir()
    render_all(corpus, source, workers=workers, progress=progress)
    database(corpus, utterances).save(str(source))
    (build / "repo" / REPOSITORY).mkdir(parents=True)
    audb.publish(
        str(source),
        corpus.version,
        audb.Repository(REPOSITORY, str(build / "repo"), "file-system"),
        archives={utterance.file: utterance.speaker.id for utterance in utterances},
        previous_version=None,
        num_workers=workers,
        verbose=False,
    )


def _install(cache: Path, corpus: speech.Corpus, build: Path, wanted: str) -> None:
    """Move the repository to its place; without its marker it does not count."""
    place = host(cache) / REPOSITORY
    _marker(cache).unlink(missing_ok=True)
    if place.exists():
        logging.getLogger(__name__).info("%s: made from an older recipe, replaced", corpus.id)
        place.rename(build / "old")
    # what audb has unpacked belongs to the old content
    shutil.rmtree(paths.Paths(cache=cache).audb / corpus.id, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    (build / "repo" / REPOSITORY).rename(place)
    content = {"fingerprint": wanted, "database": corpus.id, "version": corpus.version}
    files.write_text(_marker(cache), json.dumps(content, indent=1) + "\n")


def render_all(
    corpus: speech.Corpus, folder: Path, *, workers: int, progress: Progress | None = None
) -> None:
    """Write all audio files below ``folder`` with several processes.

    Raises:
        DataError: if one of them fails
    """
    shares = max(1, workers)
    counter = _Counter(len(speech.plan(corpus)), progress)
    with contextlib.ExitStack() as stack:
        started = [_start(corpus, folder, share, shares, stack) for share in range(shares)]
        readers = [threading.Thread(target=counter.read, args=[p.stdout]) for p, _ in started]
        for reader in readers:
            reader.start()
            stack.callback(reader.join)
        for process, _ in started:
            stack.callback(process.terminate)  # ends what is left after a failure or Ctrl-C
        for process, complaint in started:
            if process.wait() != 0:
                raise DataError(f"{corpus.id}: cannot be made: {_last_line(complaint)}")


def _start(
    corpus: speech.Corpus, folder: Path, share: int, shares: int, stack: contextlib.ExitStack
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Process that renders a share, and the file with its complaints."""
    complaint = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    recipe, place = str(corpus.origin.resolve()), str(folder.resolve())
    process = subprocess.Popen(
        [sys.executable, "-m", RENDER, recipe, place, str(share), str(shares)],
        stdout=subprocess.PIPE,
        stderr=complaint,
        cwd=paths.REPOSITORY,
    )
    return stack.enter_context(process), complaint


class _Counter:
    """Counts finished files of several processes and tells about it."""

    def __init__(self, total: int, progress: Progress | None):
        self.total, self.progress, self.done = total, progress, 0
        self.lock = threading.Lock()

    def read(self, stream: IO[bytes]) -> None:
        for _ in stream:
            with self.lock:
                self.done += 1
                if self.progress is not None:
                    self.progress(self.done, self.total)


def _last_line(complaint: IO[bytes]) -> str:
    complaint.seek(0)
    lines = complaint.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "the process was killed"


def database(corpus: speech.Corpus, utterances: Sequence[speech.Utterance]) -> Any:
    """Labels of the corpus as an ``audformat.Database``, one table per split."""
    import audformat

    define = audformat.define
    db = audformat.Database(
        corpus.id,
        source=corpus.source,
        usage=define.Usage.UNRESTRICTED,
        languages=sorted({speaker.language for speaker in corpus.speakers}),
        description=corpus.description,
        license=corpus.license,
    )
    db.media["speech"] = audformat.Media(
        sampling_rate=16000, channels=1, bit_depth=16, format="flac"
    )
    db.schemes[corpus.category] = audformat.Scheme(labels=list(corpus.categories))
    for name in corpus.dimensions:
        db.schemes[name] = audformat.Scheme(define.DataType.FLOAT, minimum=0, maximum=1)
    labels = {s.id: {"sex": s.sex, "language": s.language, "age": s.age} for s in corpus.speakers}
    db.schemes[SPEAKER] = audformat.Scheme(labels=labels)
    for split in corpus.counts:
        db.splits[split] = audformat.Split(type=split)
        rows = [utterance for utterance in utterances if utterance.speaker.split == split]
        index = audformat.filewise_index([row.file for row in rows])
        table = audformat.Table(index, split_id=split, media_id="speech")
        db[f"{corpus.category}.{split}"] = table
        for name, values in _columns(corpus, rows).items():
            table[name] = audformat.Column(scheme_id=name)
            table[name].set(values)
    return db


def _columns(corpus: speech.Corpus, rows: Sequence[speech.Utterance]) -> dict[str, list[Any]]:
    """Column -> values of the label table of some utterances."""
    return {
        corpus.category: [row.category for row in rows],
        **{name: [row.dimensions[name] for row in rows] for name in corpus.dimensions},
        SPEAKER: [row.speaker.id for row in rows],
    }
