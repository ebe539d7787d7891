"""Speech synthesis with espeak-ng, in a process of its own.

``python -m common.samples.demo.espeak_worker`` reads one JSON object per line from standard
input::

    {"id": "a", "voice": "de+f2", "text": "...", "rate": 170, "pitch": 50, "range": 50, "volume": 60}

and writes for each, in the same order, a header line and then ``samples`` little-endian 16 bit
integers to standard output::

    {"id": "a", "sampling_rate": 22050, "samples": 47664}

An utterance that cannot be spoken gives ``{"id": "a", "error": "..."}``.

Licence: espeak-ng is under the GPL, version 3 or later. Nothing else in this program imports
this module or the library: they are talked to through pipes only, are optional, and what they
speak is not covered by their licence.

The same utterance always gives the same bytes. espeak-ng 1.52 seeds its random numbers with
the clock and carries state from one utterance to the next, also over a new initialisation;
hence a fixed seed, and a fresh copy of the just initialised process for each utterance: a
fork, which takes 3 ms, or a new process where the system cannot fork, which takes 100 ms. The
library looks through all its voices to find one, so that utterances of one voice that follow
each other are forked from a copy that has done so.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

ONCE = "--once"
SEED = 1
SYNCHRONOUS = 2
TEXT = 1 | 0x100  # UTF-8, in which [[...]] holds phonemes
PARAMETERS = {"rate": 1, "volume": 2, "pitch": 3, "range": 4}
ON_AUDIO = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Synthesiser:
    """The library, initialised and seeded, good for one utterance.

    Raises:
        RuntimeError: if the library does not start
    """

    def __init__(self) -> None:
        import espeakng_loader

        self._audio: list[bytes] = []
        self._voice = ""
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        self._callback = ON_AUDIO(self._receive)  # kept: the library holds a bare pointer
        self._data = Path(espeakng_loader.get_data_path())
        data = os.fsencode(self._data)
        self.sampling_rate = self._library.espeak_Initialize(SYNCHRONOUS, 0, data, 0)
        if self.sampling_rate <= 0:
            raise RuntimeError(f"espeak-ng does not start with the data in {self._data}")
        self._library.espeak_SetSynthCallback(self._callback)
        self._library.espeak_ng_SetRandSeed(ctypes.c_long(SEED))

    def _receive(self, samples: Any, count: int, _events: Any) -> int:
        if count > 0:
            self._audio.append(ctypes.string_at(samples, 2 * count))
        return 0

    def choose(self, voice: str) -> None:
        """Speak with a voice.

        Raises:
            ValueError: if there is no such voice
        """
        variant = voice.partition("+")[2]  # the library takes no notice of unknown ones
        is_valid = not variant or (self._data / "voices" / "!v" / variant).is_file()
        if not is_valid or self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"unknown voice '{voice}'")
        self._voice = voice

    def speak(self, utterance: Mapping[str, Any]) -> bytes:
        """Audio of one utterance, 16 bit in the byte order of the machine."""
        if utterance["voice"] != self._voice:
            self.choose(utterance["voice"])
        for name, number in PARAMETERS.items():
            self._library.espeak_SetParameter(number, int(utterance[name]), 0)
        text = utterance["text"].encode()
        self._library.espeak_Synth(text, len(text) + 1, 0, 0, 0, TEXT, None, None)
        self._library.espeak_Synchronize()
        audio = b"".join(self._audio)
        if not audio:
            raise ValueError(f"no sound for the text {utterance['text']!r}")
        return audio


def answer(synthesiser: Synthesiser, line: str, out: BinaryIO) -> int:
    """Speak one request and write header and audio to ``out`` in one piece; exit status 0."""
    name = None
    try:
        utterance = json.loads(line)
        name = utterance["id"]
        audio = synthesiser.speak(utterance)
        header = {"sampling_rate": synthesiser.sampling_rate, "samples": len(audio) // 2}
        if sys.byteorder == "big":
            audio = b"".join(audio[i : i + 2][::-1] for i in range(0, len(audio), 2))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        audio, header = b"", {"error": f"{type(error).__name__}: {error}"}
    out.write(json.dumps({"id": name, **header}).encode() + b"\n" + audio)
    out.flush()
    return 0


def _voice(line: str) -> str:
    """Voice of a request, empty if it names none."""
    try:
        voice = json.loads(line)["voice"]
    except (KeyError, TypeError, ValueError):
        return ""  # what is wrong is told where it is answered
    return voice if isinstance(voice, str) else ""


def _forked(work: Callable[[], int]) -> int:
    """Do something in a copy of this process; its exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BrokenPipeError):  # the reader has gone: nobody to tell
            status = work()
        os._exit(status)
    return os.waitpid(child, 0)[1]


def _out() -> BinaryIO:
    """Standard output, which goes on with what is left after a part is written.

    That of Python does not if it is unbuffered, which users set in the environment; a process that is
    stopped and continued while it waits for its reader writes a part.
    """
    return os.fdopen(os.dup(1), "wb")


def _with_voice(synthesiser: Synthesiser, voice: str, lines: Iterable[str]) -> int:
    """Answer requests for one voice, each in a copy of this process."""
    with contextlib.suppress(ValueError):  # each answer tells it
        synthesiser.choose(voice)
    out = _out()
    return int(any(_forked(partial(answer, synthesiser, line, out)) for line in lines))


def _spawned(line: str) -> int:
    """Answer in a new process; its exit status."""
    command = [sys.executable, "-m", f"{__package__}.espeak_worker", ONCE]
    return subprocess.run(command, input=line.encode(), check=False).returncode


def main(arguments: list[str]) -> int:
    """Answer all requests on standard input; 1 as soon as one process fails."""
    synthesiser = Synthesiser()
    if ONCE in arguments:
        for line in sys.stdin:
            answer(synthesiser, line, _out())
        return 0
    if not hasattr(os, "fork"):
        return int(any(_spawned(line) for line in sys.stdin))
    for voice, group in groupby(list(sys.stdin), _voice):
        lines = list(group)
        if _forked(partial(_with_voice, synthesiser, voice, lines)) != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
