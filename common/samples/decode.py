"""Decoders: libsndfile for WAV, FLAC, OGG, Opus and MP3, PyAV (FFmpeg) for the rest.

The content of a file decides about its decoder, not its extension. No external program is
called. Formats that can be entered at any sample are read from there; the others are decoded
from their beginning once, as far as wanted. What is held at once has a limit, so that a small file
of many hours takes no more memory than others.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.errors import AudioError

#: seconds that a file may end early, for headers that are slightly wrong
SLACK_S = 0.1
#: an MP3 file with less than this share of the bytes that its header tells is cut; encoders differ by some frames
CUT = 0.98
#: samples that are decoded at a time
BLOCK = 1 << 18
#: bytes of the longest part of a file that is held at once, as float32 of all channels
LARGEST = 1 << 29
#: lengths from here on mean "unknown" (written by programs that stream)
UNKNOWN = 1 << 40
#: formats of libsndfile whose samples after a jump differ a little from those without one
STATEFUL = ("MP3", "OGG")
#: a WAV data chunk of this size or more means "unknown" too
STREAMED = 0x7FFF0000


class Info(NamedTuple):
    """What the header of an audio file says."""

    duration_s: float
    sampling_rate: int
    channels: int


class Reader(Protocol):
    """An open audio file."""

    sampling_rate: int
    channels: int

    def read(self, start: int, stop: int | None) -> np.ndarray:
        """Samples from ``start`` to before ``stop`` (None: to the end), less if it ends earlier.

        Returns:
            float32, shape (channels, samples)

        Raises:
            AudioError: if they cannot be decoded
        """
        ...

    def forget(self, before: int) -> None:
        """Let go of what lies before a sample, which will not be read again."""
        ...

    def length(self) -> int:
        """Number of samples; of a format without length known only once it was decoded."""
        ...


def longest(channels: int) -> int:
    """Samples of the longest part of a file that is read at once."""
    return LARGEST // (4 * max(1, channels))


def too_long(name: str, channels: int, rate: int) -> AudioError:
    """Error for a part of a file that is longer than :func:`longest`."""
    return AudioError(
        f"{name}: a segment is longer than {longest(channels) / rate:.0f} s, the longest that is read"
        f" ({channels} channel(s) at {rate} Hz); split it into samples with a start and an end"
    )


@contextmanager
def open_audio(path: Path, name: str) -> Iterator[Reader]:
    """Open an audio file.

    Args:
        path: the file
        name: what to call it in messages

    Raises:
        AudioError: if it is missing, empty, truncated or no audio file
    """
    import soundfile

    _check_file(path, name)
    if path.suffix.lower() == ".mp3":  # before the decoder says so on standard error
        _check_whole_mp3(path, name)
    try:
        file = soundfile.SoundFile(str(path))
    except (soundfile.LibsndfileError, RuntimeError) as error:
        if "malformed" in str(error):  # known format, broken content: FFmpeg would guess
            raise AudioError(f"{name}: cannot be decoded: broken or truncated file") from None
        with _open_av(path, name) as reader:
            yield reader
        return
    with file:
        if file.samplerate < 1:
            raise AudioError(f"{name}: states a sampling rate of {file.samplerate} Hz")
        if file.frames >= UNKNOWN:
            with _open_av(path, name) as reader:
                yield reader
            return
        _check_complete(path, name, file)
        if file.format in STATEFUL:
            has_length = file.format != "MP3" or _xing(path) is not None
            expected = file.frames if has_length else None
            blocks = _sndfile_blocks(file, name)
            yield _Sequential(blocks, file.samplerate, file.channels, name, expected)
        else:
            yield _Seekable(file, name)


def read_info(path: Path, name: str) -> Info:
    """Header of an audio file, without decoding it.

    Raises:
        AudioError: as :func:`open_audio`
    """
    with open_audio(path, name) as reader:
        if isinstance(reader, _Sequential):
            samples = reader.expected or reader.counted()
        else:
            samples = reader.length()
        return Info(samples / reader.sampling_rate, reader.sampling_rate, reader.channels)


def _check_file(path: Path, name: str) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        what = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise AudioError(f"{name}: {what}") from None
    if not path.is_file() or not os.access(path, os.R_OK):
        raise AudioError(f"{name}: is not a file that may be read")
    if size == 0:
        raise AudioError(f"{name}: is empty (0 bytes)")


def _check_complete(path: Path, name: str, file: Any) -> None:
    """Refuse files that end before their header says; libsndfile would shorten them silently."""
    if file.format == "OGG":
        if _ogg_is_cut(path):
            raise AudioError(f"{name}: is truncated: the last page is incomplete")
        return
    if file.format == "MP3":
        _check_whole_mp3(path, name)
        return
    match = re.search(r"^\s*data : (\d+) \(should be (\d+)\)", file.extra_info, re.MULTILINE)
    if not match:
        return
    claimed, there = int(match[1]), int(match[2])
    if there >= claimed or claimed >= STREAMED:
        return
    lost = file.frames * (claimed / max(there, 1) - 1) / file.samplerate
    if lost > SLACK_S or not file.frames:
        raise AudioError(f"{name}: is truncated: holds {there} of {claimed} bytes of samples")


def _check_whole_mp3(path: Path, name: str) -> None:
    """Refuse an MP3 file that is shorter than its header says."""
    start, claimed = _xing(path) or (0, 0)
    there = path.stat().st_size - start
    if there < CUT * claimed:
        raise AudioError(f"{name}: is truncated: holds {there} of {claimed} bytes")


def _ogg_is_cut(path: Path) -> bool:
    """Whether the last page of an Ogg file is shorter than its segment table says."""
    largest_page = 27 + 255 + 255 * 255
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - largest_page))
        tail = file.read()
    at = tail.rfind(b"OggS")
    if at < 0 or len(tail) < at + 27:
        return True
    segments = tail[at + 27 : at + 27 + tail[at + 26]]
    return len(segments) < tail[at + 26] or len(tail) < at + 27 + len(segments) + sum(segments)


def _xing(path: Path) -> tuple[int, int] | None:
    """Where the stream of an MP3 file starts, and its bytes by its Xing or Info header (0: not said).

    None without such a header: the length of the file is a guess then.
    """
    with path.open("rb") as file:
        head = file.read(10)
        skip = 0
        if head[:3] == b"ID3" and len(head) == 10:
            skip = 10 + sum((byte & 0x7F) << 7 * (3 - n) for n, byte in enumerate(head[6:10]))
        file.seek(skip)
        start = file.read(256)
    at = max(start.find(b"Xing"), start.find(b"Info"))
    if at < 0:
        return None
    flags = start[at + 7 : at + 8]
    has_frames, has_bytes = (bool(flags and flags[0] & bit) for bit in (1, 2))
    place = at + 8 + 4 * has_frames
    return skip, int.from_bytes(start[place : place + 4], "big") if has_bytes else 0


class _Seekable:
    """libsndfile on a format that can be entered at any sample."""

    def __init__(self, file: Any, name: str):
        self.file = file
        self.name = name
        self.sampling_rate = int(file.samplerate)
        self.channels = int(file.channels)

    def forget(self, before: int) -> None:
        """Nothing is kept."""

    def length(self) -> int:
        return int(self.file.frames)

    def read(self, start: int, stop: int | None) -> np.ndarray:
        import soundfile

        start = min(start, self.length())
        stop = self.length() if stop is None else min(max(start, stop), self.length())
        if stop - start > longest(self.channels):
            raise too_long(self.name, self.channels, self.sampling_rate)
        try:
            self.file.seek(start)
            signal = self.file.read(stop - start, dtype="float32", always_2d=True)
        except (soundfile.LibsndfileError, RuntimeError) as error:
            raise AudioError(f"{self.name}: cannot be decoded: {_reason(error)}") from None
        if len(signal) < stop - start:
            got = (start + len(signal)) / self.sampling_rate
            whole = self.length() / self.sampling_rate
            raise AudioError(f"{self.name}: is truncated: decodes to {got:.2f} of {whole:.2f} s")
        return np.ascontiguousarray(signal.T)


class _Sequential:
    """Blocks of a decoder that starts at the beginning; what was decoded is kept."""

    def __init__(
        self,
        blocks: Iterator[np.ndarray],
        sampling_rate: int,
        channels: int,
        name: str,
        expected: int | None,
    ):
        self.blocks: Iterator[np.ndarray] | None = blocks
        self.sampling_rate = int(sampling_rate)
        self.channels = int(channels)
        self.name = name
        self.expected = expected
        self.kept: list[np.ndarray] = []
        self.starts: list[int] = []
        self.count = 0
        self.first = 0

    def forget(self, before: int) -> None:
        self.first = max(self.first, before)
        gone = max(0, bisect_right(self.starts, self.first) - 1)
        del self.kept[:gone], self.starts[:gone]

    def length(self) -> int:
        return self.count

    def counted(self) -> int:
        """Number of samples, after decoding all without keeping any."""
        self.forget(UNKNOWN)
        self.read(UNKNOWN, None)
        return self.count

    def read(self, start: int, stop: int | None) -> np.ndarray:
        while self.blocks is not None and (stop is None or self.count < stop):
            if self.count - start > longest(self.channels):
                raise too_long(self.name, self.channels, self.sampling_rate)
            block = next(self.blocks, None)
            if block is None:
                self._end()
                break
            if len(block) != self.channels:
                raise AudioError(
                    f"{self.name}: has {self.channels} channels at its beginning, {len(block)} later"
                )
            if self.count + block.shape[1] > self.first:
                self.kept.append(block)
                self.starts.append(self.count)
            self.count += block.shape[1]
        stop = self.count if stop is None else min(stop, self.count)
        if start >= stop:
            return np.zeros((self.channels, 0), dtype=np.float32)
        first = bisect_right(self.starts, start) - 1
        last = bisect_left(self.starts, stop)
        parts = [
            block[:, max(0, start - at) : stop - at]
            for block, at in zip(self.kept[first:last], self.starts[first:last], strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def _end(self) -> None:
        self.blocks = None
        rate = self.sampling_rate
        if self.expected and (self.expected - self.count) / rate > SLACK_S:
            got, whole = self.count / rate, self.expected / rate
            raise AudioError(f"{self.name}: is truncated: decodes to {got:.2f} of {whole:.2f} s")


def _reason(error: Exception) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text.removeprefix("Error : ").rstrip(".")


def _sndfile_blocks(file: Any, name: str) -> Iterator[np.ndarray]:
    import soundfile

    while True:
        try:
            block = file.read(BLOCK, dtype="float32", always_2d=True)
        except (soundfile.LibsndfileError, RuntimeError) as error:
            raise AudioError(f"{name}: cannot be decoded: {_reason(error)}") from None
        if not len(block):
            return
        yield block.T


@contextmanager
def _open_av(path: Path, name: str) -> Iterator[_Sequential]:
    import av

    try:
        container = av.open(str(path))
    except (av.FFmpegError, OSError, ValueError) as error:
        raise AudioError(f"{name}: is no audio file that can be decoded") from error
    with container:
        if not container.streams.audio:
            raise AudioError(f"{name}: holds no audio")
        stream = container.streams.audio[0]
        if not getattr(stream, "rate", 0):  # a stream without a decoder has no such attribute
            raise AudioError(f"{name}: cannot be decoded: unknown codec or sampling rate")
        expected = None
        # other containers only estimate the duration from the bit rate
        if stream.duration and stream.time_base and "mp4" in container.format.name:
            expected = round(stream.duration * stream.time_base * stream.rate)
        blocks = _av_blocks(container, stream, name)
        yield _Sequential(blocks, stream.rate, stream.channels, name, expected)


def _av_blocks(container: Any, stream: Any, name: str) -> Iterator[np.ndarray]:
    import av

    planes = av.AudioResampler(format="fltp", layout=stream.layout, rate=stream.rate)
    try:
        for frame in container.decode(stream):
            frame.pts = None  # gaps in time stamps are not filled
            for part in planes.resample(frame):
                yield part.to_ndarray().astype(np.float32, copy=False)
        for part in planes.resample(None):
            yield part.to_ndarray().astype(np.float32, copy=False)
    except (av.FFmpegError, ValueError) as error:
        raise AudioError(f"{name}: cannot be decoded: {_reason(error)}") from None
