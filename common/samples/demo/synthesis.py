"""The program's side of the pipe to the synthesiser process.

:mod:`common.samples.demo.espeak_worker` does the speaking; here are only bytes.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from ...core import paths
from ...core.errors import DataError, MissingDependency

WORKER = "common.samples.demo.espeak_worker"
PACKAGE = "espeakng_loader"


def require(install: str) -> None:
    """Check that the synthesiser is installed, without loading it.

    Args:
        install: what to give to pip, for the message; nothing is needed if empty

    Raises:
        MissingDependency: if it is not
    """
    if install and importlib.util.find_spec(PACKAGE) is None:
        raise MissingDependency(
            "The embedded speech data cannot be made without the synthesiser espeak-ng",
            f"pip install {install}",
        )


def synthesise(requests: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int, np.ndarray]]:
    """Speak utterances in a separate process.

    Args:
        requests: objects as :mod:`common.samples.demo.espeak_worker` wants them

    Yields:
        id, sampling rate in Hz and float64 samples of shape (samples,) of each utterance, in order

    Raises:
        DataError: if the process fails or cannot speak an utterance
    """
    orders = [json.dumps(dict(request)).encode() + b"\n" for request in requests]
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.writelines(orders)  # a file and not a pipe: nobody has to feed it while we read
        stdin.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", paths.imported(WORKER)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=paths.PACKAGE.parent,
        )
        assert process.stdout is not None
        done = 0
        try:
            for answer in _answers(process.stdout):
                done += 1
                yield answer
            status = process.wait()
        finally:
            process.terminate()
            process.stdout.close()
            process.wait()
        if status != 0 or done < len(orders):
            stderr.seek(0)
            last = stderr.read().decode(errors="replace").strip().splitlines()[-1:]
            raise DataError(
                f"espeak-ng: ended with status {status} after {done} of {len(orders)} utterances"
                f"{': ' if last else ''}{''.join(last)}"
            )


def _answers(stream: IO[bytes]) -> Iterator[tuple[str, int, np.ndarray]]:
    while line := stream.readline():
        header = json.loads(line)
        if "error" in header:
            raise DataError(f"espeak-ng: {header['id']}: {header['error']}")
        size = 2 * header["samples"]
        audio = stream.read(size)
        if len(audio) < size:
            raise DataError(f"espeak-ng: {header['id']}: only {len(audio)} of {size} bytes came")
        yield header["id"], header["sampling_rate"], np.frombuffer(audio, "<i2") / 32768.0
