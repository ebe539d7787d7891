"""AMR narrow band, the speech codec of mobile phones, through FFmpeg in PyAV.

Encoder: libopencore, which wheels of PyAV before 19 hold. Decoder: the one of FFmpeg itself,
which is what its program uses, so that the output equals that of the program bit by bit.

Samples become 16-bit integers by one rule, here and nowhere else: multiplied by 32768, rounded
half to even, limited to the range. One step less or more at the input may change the decoded
signal by a tenth of full scale.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ..core.errors import MissingDependency
from .basics import padded

#: the only sampling rate of the codec
RATE = 8000
#: samples by which the decoded signal is late
DELAY = 40
#: samples per frame
FRAME = 160
#: bit rates in bit/s
BIT_RATES = (4750, 5150, 5900, 6700, 7400, 7950, 10200, 12200)
ENCODER = "libopencore_amrnb"
DECODER = "amrnb"


def missing() -> str:
    """Why the codec cannot be used and what to install; empty if it can."""
    return str(_error()) if _fault() else ""


@cache
def _fault() -> str:
    try:
        import av
    except ImportError:
        return "PyAV is not installed"
    try:
        av.codec.Codec(ENCODER, "w")
        av.codec.Codec(DECODER, "r")
    except ValueError:  # the base of PyAV's error for an unknown codec
        return f"PyAV {av.__version__} has no encoder for AMR narrow band"
    return ""


def _error() -> MissingDependency:
    return MissingDependency(_fault(), "pip install 'av>=15,<19'")


def to_int16(signal: np.ndarray) -> np.ndarray:
    """16-bit samples of a signal in [-1, 1]: the one rule.

    >>> to_int16(np.array([-1.0, 0.5, 1.0])).tolist()
    [-32768, 16384, 32767]
    """
    return np.clip(np.rint(np.asarray(signal, np.float64) * 32768), -32768, 32767).astype(np.int16)


def coded(samples: np.ndarray, bit_rate: int) -> np.ndarray:
    """What the codec makes of 16-bit samples.

    Args:
        samples: int16, shape (N,), at 8000 Hz
        bit_rate: one of :data:`BIT_RATES`

    Returns:
        int16, whole frames, :data:`DELAY` samples late, shape (ceil(N / 160) x 160,)

    Raises:
        MissingDependency: if there is no encoder
    """
    if _fault():
        raise _error()
    import av

    frame: Any = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
    encoder: Any = av.codec.CodecContext.create(ENCODER, "w")
    encoder.bit_rate = bit_rate
    encoder.format = "s16"
    decoder: Any = av.codec.CodecContext.create(DECODER, "r")
    for codec in (encoder, decoder, frame):
        codec.sample_rate = RATE
    for codec in (encoder, decoder):
        codec.layout = "mono"
    encoder.time_base = frame.time_base = Fraction(1, RATE)
    frame.pts = 0
    packets = [*encoder.encode(frame), *encoder.encode(None)]
    # one packet may hold many frames: the decoder takes one after the other
    parts = decoder.decode(av.Packet(b"".join(map(bytes, packets))))
    decoded = b"".join(bytes(part.planes[0]) for part in parts)
    return to_int16(np.frombuffer(decoded, np.float32))


def round_trip(signal: np.ndarray, bit_rate: int) -> np.ndarray:
    """Signal behind the codec, neither late nor longer.

    Args:
        signal: shape (channels, samples), in [-1, 1], at 8000 Hz
        bit_rate: in bit/s

    Returns:
        float64, shape (channels, samples)

    Raises:
        MissingDependency: if there is no encoder
    """
    length = signal.shape[1]
    samples = to_int16(padded(signal, 0, DELAY))
    decoded = np.stack([coded(channel, bit_rate) for channel in samples])
    return decoded[:, DELAY : DELAY + length] / 32768
