"""Audio that is part of a table or an archive, written as files."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from ....core import files
from ....core.errors import DataError
from ..conventions import AUDIO

#: beginning of a file -> ending of its name
_BEGINNINGS = (
    (re.compile(rb"RIFF....WAVE", re.DOTALL), ".wav"),
    (re.compile(rb"RF64....WAVE", re.DOTALL), ".wav"),
    (re.compile(rb"fLaC"), ".flac"),
    (re.compile(rb"OggS"), ".ogg"),
    (re.compile(rb"ID3|\xff[\xe2-\xff]"), ".mp3"),
    (re.compile(rb"....ftyp", re.DOTALL), ".m4a"),
    (re.compile(rb"FORM....AIF[FC]", re.DOTALL), ".aiff"),
    (re.compile(rb"#!AMR"), ".amr"),
)


def ending(name: str, content: bytes) -> str:
    """Ending of the name of an audio file, from its beginning or else its name; empty if unknown.

    >>> ending("x.bin", b"fLaC..."), ending("x.wav", b"?"), ending("x", b"?")
    ('.flac', '.wav', '')
    """
    for pattern, suffix in _BEGINNINGS:
        if pattern.match(content):
            return suffix
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in AUDIO else ""


def safe(name: str, where: str) -> str:
    """A path inside an archive or a table that stays in the folder it is written to.

    Raises:
        DataError: if it is absolute or leads out of the folder
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name) or "\0" in name:
        raise DataError(f"{where}: '{name}' leads out of the folder; nothing is written")
    return path.as_posix()


def write_audio(folder: Path, name: str, content: bytes, where: str) -> str:
    """Write audio below a folder; returns its path there.

    Args:
        folder: where all audio of the data set is written
        name: path of the file, whose ending is made to fit
        content: the encoded audio
        where: start of messages

    Raises:
        DataError: if the path leads out of the folder, or the content is of no known kind
    """
    file = PurePosixPath(safe(name, where))
    suffix = ending(name, content)
    if not suffix:
        raise DataError(
            f"{where}: '{name}' is no audio of a known kind: {', '.join(sorted(AUDIO))}"
        )
    text = file.as_posix() if file.suffix.lower() == suffix else f"{file.as_posix()}{suffix}"
    if file.suffix.lower() in AUDIO and file.suffix.lower() != suffix:
        text = file.with_suffix(suffix).as_posix()
    files.write_bytes(folder / text, content)
    return text
