"""Adapter for programs: ``entry`` is a command line, run in the folder of the catalog.

The program stays running. For each signal it reads one line of JSON and writes one, see
:mod:`common.models.answers`. What it writes to standard error stands in the message if it fails. Parameters: ``send``
(``samples``; ``wav``: the path of a file of 32-bit floats; ``wav16``: of 16-bit integers), ``timeout_s`` for an answer (default:
60), ``start_s`` more for the first one (default: 300), and ``files`` that decide about its predictions, too.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core import leftovers
from ..core.errors import ConfigError, ModelError
from ..core.registry import unknown
from . import answers, notes, sources
from .answers import AnsweringModel
from .base import LoadOptions, code_of_adapter, place
from .footprint import Footprint, size_of
from .outputs import wanted
from .programs import Program

SEND = ("samples", "wav", "wav16")
PARAMS = ("send", "timeout_s", "start_s", "files")
START_S = 300.0
#: stands for the Python that runs this program
PYTHON = "python"
#: it runs what an entry names
code = code_of_adapter


def content(entry: spec.Model, cache: Path | None) -> list[Any]:
    """Hashes of the files that the command line and ``files`` name.

    Of Python files that is their code and that of the modules beside them which they import.
    """
    where, folder = place(entry, "entry"), _folder(entry)
    parts: list[Any] = []
    for word in _words(entry):
        path = folder / word
        if path.is_file() and path.suffix == ".py" and path.stem.isidentifier():
            parts.append([word, sources.digest(path.stem, path.parent, where)])
        elif path.is_file() and not Path(word).is_absolute():
            parts.append([word, notes.content_digest(path, cache, where)])
    for name in _files(entry):
        path, place_of_files = entry.resolve(name), place(entry, "params.files")
        if not path.exists():
            raise ModelError(f"{place_of_files}: no such file or folder: {name}")
        for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
            relative = file.relative_to(path.parent).as_posix()
            parts.append([relative, notes.content_digest(file, cache, place_of_files)])
    return parts


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``."""
    answers.check_params(entry, PARAMS)
    return tuple(wanted(entry, targets))


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look for the program and at the parameters, without running anything."""
    offered(entry, targets, None)
    _command(entry)
    _settings(entry)


def footprint(entry: spec.Model, cache: Path | None) -> Footprint:
    """Size of the ``files`` that the entry names; what the program holds is not known."""
    paths = [entry.resolve(name) for name in _files(entry)]
    files = [p for path in paths for p in ([path] if path.is_file() else path.rglob("*"))]
    where = place(entry, "params.files")
    return Footprint(size_bytes=size_of(filter(Path.is_file, files), where) if files else None)


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> AnsweringModel:
    """The model; the program is started when the first signal comes."""
    check(entry, targets)
    send, start_s, timeout_s = _settings(entry)
    program = Program(_command(entry), _folder(entry), start_s=start_s, timeout_s=timeout_s)
    return AnsweringModel(entry, targets, _Asking(program, send))


class _Asking:
    """Asks a program about signals."""

    def __init__(self, program: Program, send: str):
        self._program, self._send = program, send
        self._folder = Path(tempfile.mkdtemp(prefix=leftovers.prefix()))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def __call__(self, signal: np.ndarray, sampling_rate: int) -> dict[str, Any]:
        if self._send == "samples":
            content = answers.question(signal, sampling_rate)
        else:
            path = self._folder / "signal.wav"
            _write_wav(path, signal, sampling_rate, "FLOAT" if self._send == "wav" else "PCM_16")
            content = {"sampling_rate": sampling_rate, "wav": str(path)}
        text = self._program.ask(json.dumps(content))
        if answers.object_in(text) is None:
            self._program.end()  # its next line may be the answer to this one
        return answers.answer_of(text, "the program")


def _write_wav(path: Path, signal: np.ndarray, sampling_rate: int, subtype: str) -> None:
    import soundfile

    soundfile.write(path, signal[0], sampling_rate, subtype=subtype)


def _folder(entry: spec.Model) -> Path:
    return entry.origin.parent.resolve()


def _words(entry: spec.Model) -> list[str]:
    try:
        words = shlex.split(entry.entry)
    except ValueError as error:
        raise ConfigError(f"{place(entry, 'entry')}: no command line: {error}") from None
    if not words:
        raise ConfigError(
            f"{place(entry, 'entry')}: missing; the adapter command needs a command line such as "
            f"'{PYTHON} my_program.py'"
        )
    if entry.path:
        raise ConfigError(
            f"{place(entry, 'path')}: a command has none; name files in 'entry' or 'params.files'"
        )
    return words


def _command(entry: spec.Model) -> list[str]:
    """Program and arguments.

    Raises:
        ModelError: if there is no such program, or no such Python file
    """
    words, folder, where = _words(entry), _folder(entry), place(entry, "entry")
    if words[0] == PYTHON:
        if len(words) > 1 and words[1].endswith(".py") and not (folder / words[1]).is_file():
            raise ModelError(f"{where}: no such file in the folder of the catalog: {words[1]}")
        return [sys.executable, *words[1:]]
    beside = folder / words[0]
    program = shutil.which(beside) or shutil.which(words[0])
    if program is None:
        reason = "cannot be executed" if beside.is_file() else "was not found"
        raise ModelError(
            f"{where}: '{words[0]}' {reason} (looked in the folder of the catalog and on the PATH)"
        )
    return [program, *words[1:]]


def _files(entry: spec.Model) -> list[str]:
    names = entry.params.get("files", [])
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{place(entry, 'params.files')}: expected a list of files")
    return list(names)


def _settings(entry: spec.Model) -> tuple[str, float, float]:
    send = str(entry.params.get("send", SEND[0]))
    if send not in SEND:
        raise unknown("way to send", send, SEND, place(entry, "params.send"))
    start_s = answers.seconds(entry, "start_s", START_S)
    return send, start_s, answers.seconds(entry, "timeout_s", answers.TIMEOUT_S)
