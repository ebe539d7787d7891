"""Figures of runs as the website has them: WebP, made of the PNG files of the run."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from common.pages import figure_files

NAME = "arousal/mine/fairness_sex/visualization_a b.png"
SHOWN = "arousal/mine/fairness_sex/visualization_a b.webp"


def draw(path: Path, seed: int) -> np.ndarray:
    """A figure with a palette; its pixels, shape (height, width, 3)."""
    codes = np.random.default_rng(seed).integers(0, 7, (30, 40)).astype(np.uint8)
    image = Image.fromarray(codes, "P")
    image.putpalette([value for n in range(7) for value in (n * 30, 255 - n * 20, n)])
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
    return np.asarray(image.convert("RGB"))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    return tmp_path / "media", tmp_path / "site", tmp_path / "cache"


def below(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_pixels_are_the_same_and_everything_else_is_copied(folders) -> None:
    media, site, cache = folders
    pixels = draw(media / NAME, 0)
    draw(media / "scenes" / "mine" / "a.png", 1)
    (media / "alt.json").write_text("{}")
    figure_files.serve(media, site, cache, 2)
    assert below(site) == {SHOWN, "scenes/mine/a.png", "alt.json"}
    with Image.open(site / SHOWN) as image:
        assert image.format == "WEBP"
        assert np.array_equal(np.asarray(image.convert("RGB")), pixels)
    assert figure_files.drawn(media / SHOWN) == media / NAME
    assert figure_files.drawn(site / SHOWN) == site / SHOWN


def test_a_figure_is_converted_once_and_leaves_nothing_behind(folders, monkeypatch) -> None:
    media, site, cache = folders
    draw(media / NAME, 0)
    draw(media / NAME.replace("a b", "c"), 1)
    converted = []
    original = figure_files.webp
    monkeypatch.setattr(figure_files, "webp", lambda png: converted.append(png) or original(png))
    figure_files.serve(media, site, cache, 2)
    figure_files.serve(media, site, cache, 2)
    assert len(converted) == 2
    pixels = draw(media / NAME, 2)
    (media / NAME.replace("a b", "c")).unlink()
    figure_files.serve(media, site, cache, 2)
    assert len(converted) == 3 and below(site) == {SHOWN} and len(below(cache)) == 1
    with Image.open(site / SHOWN) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), pixels)


def huge(side: int) -> bytes:
    """A small file with more pixels than a figure has."""
    out = io.BytesIO()
    Image.new("1", (side, side)).save(out, "PNG")
    return out.getvalue()


def other() -> bytes:
    """An image in another format, under the name of a figure."""
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, "BMP")
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n cut off", huge(4000), huge(20_000), other()],
    ids=["empty", "cut off", "large", "huge", "another format"],
)
def test_a_damaged_figure_does_not_end_a_build(folders, content: bytes) -> None:
    media, site, cache = folders
    draw(media / NAME, 0)
    (media / NAME).write_bytes(content)
    figure_files.serve(media, site, cache, 1)
    assert (site / SHOWN).read_bytes() == content and not cache.exists()
