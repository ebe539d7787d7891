"""What a model hears instead of a signal: spectra of frames, declared in its entry."""

from __future__ import annotations

from typing import Literal

import pydantic

from .criterion import Record

Axis = Literal["batch", "channel", "bins", "frames"]
Statistic = Literal["mean", "std", "min", "max", "median"]
#: logarithm of a type whose entry does not name one
LOGARITHMS = {"spectrogram": "none", "log-mel": "db", "mfcc": "db"}


class FrontEnd(Record):
    """How a signal becomes features; defaults are those of librosa.

    Args:
        type: spectrogram, log-mel or mfcc
        n_fft: samples of a Fourier transform
        hop_length: samples from frame to frame
        win_length: samples of the window, in the middle of a frame; None: ``n_fft``
        window: its shape, periodic
        center: whether the signal is padded so that frame n has its middle at n hops
        pad_mode: with what
        power: exponent of the magnitudes: 1 amplitude, 2 power
        n_mels: number of mel bands
        fmin: lowest frequency of the bands in Hz
        fmax: highest one; None: half of the sampling rate
        mel: formula of the mel scale
        norm: whether bands have the same area (slaney) or the same height (none)
        log: none, natural, log10 or db (20 / ``power`` times the logarithm to base 10); None: db,
            for a spectrogram none
        floor: smaller values are raised to this before the logarithm
        offset: is added to values before
        top_db: with db: values are at most so far below the largest of the signal; None: no limit
        n_mfcc: number of cepstral coefficients
        lifter: of the coefficients; 0: none
        deltas: how often the change over nine frames is appended, 0 to 2
        normalize: per bin of a signal, over its frames: none, mean, or mean and standard deviation
        mean: is subtracted from all values afterwards
        std: all values are divided by it
        frames: number of frames of the input; more are cut off, missing ones filled
        fill: with this value
        side: whether this happens at the end or at both ends
        pool: statistics over frames, one after the other, instead of frames
        layout: axes of the input in their order
    """

    type: Literal["spectrogram", "log-mel", "mfcc"]
    n_fft: int = pydantic.Field(gt=1, le=2**20)
    hop_length: int = pydantic.Field(gt=0)
    win_length: int | None = pydantic.Field(default=None, gt=0)
    window: Literal["hann", "hamming", "ones"] = "hann"
    center: bool = True
    pad_mode: Literal["constant", "reflect"] = "constant"
    power: float = pydantic.Field(default=2.0, gt=0)
    n_mels: int | None = pydantic.Field(default=None, gt=0, le=10_000)
    fmin: float = pydantic.Field(default=0.0, ge=0)
    fmax: float | None = pydantic.Field(default=None, gt=0)
    mel: Literal["slaney", "htk"] = "slaney"
    norm: Literal["slaney", "none"] = "slaney"
    log: Literal["none", "natural", "log10", "db"] | None = None
    floor: float = pydantic.Field(default=1e-10, gt=0)
    offset: float = 0.0
    top_db: float | None = pydantic.Field(default=80.0, ge=0)
    n_mfcc: int | None = pydantic.Field(default=None, gt=0)
    lifter: float = pydantic.Field(default=0.0, ge=0)
    deltas: int = pydantic.Field(default=0, ge=0, le=2)
    normalize: Literal["none", "mean", "mean-std"] = "none"
    mean: float = 0.0
    std: float = pydantic.Field(default=1.0, gt=0)
    frames: int | None = pydantic.Field(default=None, gt=0)
    fill: float = 0.0
    side: Literal["end", "both"] = "end"
    pool: tuple[Statistic, ...] = ()
    layout: tuple[Axis, ...] = ("batch", "bins", "frames")

    @pydantic.model_validator(mode="after")
    def _complete(self) -> FrontEnd:
        if self.win_length is not None and self.win_length > self.n_fft:
            raise ValueError(f"win_length {self.win_length} is more than n_fft {self.n_fft}")
        if self.type != "spectrogram" and self.n_mels is None:
            raise ValueError(f"type {self.type} needs n_mels")
        if self.type == "mfcc" and (self.n_mfcc is None or self.n_mfcc > (self.n_mels or 0)):
            raise ValueError("type mfcc needs n_mfcc, at most n_mels")
        if self.fmax is not None and self.fmax <= self.fmin:
            raise ValueError(f"fmax {self.fmax:g} is not above fmin {self.fmin:g}")
        if len(set(self.layout)) < len(self.layout) or {"bins", "frames"} - set(self.layout):
            raise ValueError("layout needs bins and frames, and each axis once")
        if self.pool and (self.frames or "layout" in self.model_fields_set):
            raise ValueError("with pool there are no frames: leave out frames and layout")
        return self

    @property
    def logarithm(self) -> str:
        """Kind of the logarithm."""
        return self.log or LOGARITHMS[self.type]

    @property
    def bins(self) -> int:
        """Number of values of a frame."""
        sizes = {"spectrogram": self.n_fft // 2 + 1, "log-mel": self.n_mels, "mfcc": self.n_mfcc}
        return int(sizes[self.type] or 0) * (1 + self.deltas)

    @property
    def one_size(self) -> bool:
        """Whether features of signals of different lengths have the same shape."""
        return self.frames is not None or bool(self.pool)
