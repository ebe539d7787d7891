"""Images with a palette of at most 256 colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

MOST = 256


def with_palette(pixels: np.ndarray) -> Image:
    """Image whose colours are exact if there are few, and else near.

    Colours are put into cubes, the smallest that give no more than 256; each cube has its most
    frequent colour. So areas keep their colour, and only edges of letters and lines change.

    Args:
        pixels: red, green, blue and opacity, which is ignored, shape (height, width, 4), uint8
    """
    import pandas as pd
    from PIL import Image

    height, width, _ = pixels.shape
    flat = np.ascontiguousarray(pixels).view("<u4").ravel() & 0xFFFFFF
    # neighbours are mostly equal: what follows works on runs of them
    starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    lengths = np.diff(starts, append=len(flat))
    # there are few colours: to count them is fifteen times as fast as to sort all runs
    which, used = pd.factorize(flat[starts], sort=True)
    order = np.argsort(-np.bincount(which, weights=lengths), kind="stable")
    colors = used[order, None] >> np.array([0, 8, 16], "<u4") & 255
    first = place = np.arange(len(used))
    size = 1
    while len(first) > MOST:
        size += 1
        cubes = (colors // size) @ np.array([1, 256, 65536], "<u4")
        _, first, place = np.unique(cubes, return_index=True, return_inverse=True)
    index = np.empty(len(used), np.uint8)
    index[order] = place
    image = Image.frombytes("P", (width, height), np.repeat(index[which], lengths).tobytes())
    image.putpalette(colors[first].astype(np.uint8).tobytes())
    return image
