from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.figures.palette import MOST, with_palette


def pixels(colors: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Image of colours, shape (height * width, 3), that are opaque."""
    opaque = np.full((len(colors), 1), 255)
    return np.hstack([colors, opaque]).astype(np.uint8).reshape(*shape, 4)


def test_up_to_256_colours_are_exact() -> None:
    generator = np.random.default_rng(0)
    known = generator.integers(256, size=(MOST, 3))
    image = pixels(known[generator.integers(MOST, size=2000)], (40, 50))
    image[0, 0, :3] = image[-1, -1, :3] = 255, 0, 255
    found = with_palette(image)
    assert found.mode == "P" and found.size == (50, 40)
    few = pixels(known[np.arange(2000) % MOST], (40, 50))
    assert np.array_equal(np.asarray(with_palette(few).convert("RGB")), few[..., :3])


@given(st.integers(1, 12), st.integers(1, 4000), st.integers(0, 2**32 - 1))
def test_never_more_than_256_and_every_area_keeps_its_colour(
    areas: int, others: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    # no two areas that one cube could hold
    flat = generator.choice(4**3, size=areas, replace=False)
    flat = np.stack([flat // 16, flat // 4 % 4, flat % 4], axis=1) * 64 + 20
    colors = np.vstack([np.repeat(flat, 5000, axis=0), generator.integers(256, size=(others, 3))])
    found = with_palette(pixels(colors, (1, len(colors))))
    assert len(found.getcolors(MOST)) <= MOST
    shown = np.asarray(found.convert("RGB"))[0].astype(int)
    assert np.array_equal(shown[: 5000 * areas], colors[: 5000 * areas])
    assert np.abs(shown - colors).max() < 64


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(3, None)])
def test_opacity_is_ignored_and_views_are_images(order: slice) -> None:
    image = pixels(np.random.default_rng(1).integers(256, size=(5000, 3)), (50, 100))
    part = image[order]
    clear = part.copy()
    clear[..., 3] = 0
    one, other = with_palette(part), with_palette(clear)
    assert one.tobytes() == other.tobytes() and one.getpalette() == other.getpalette()
