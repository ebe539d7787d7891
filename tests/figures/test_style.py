from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from common.core import paths
from common.core.errors import OutputError
from common.figures import style
from common.spec import read_yaml


def luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_colors_of_the_specification() -> None:
    found = style.colors(
        [
            "anger",
            "boredom",
            "disgust",
            "fear",
            "frustration",
            "happiness",
            "neutral",
            "sadness",
            "surprise",
        ]
    )
    assert list(found.values()) == [
        "#d62728",
        "#7f7f7f",
        "#2ca02c",
        "#ff7f0e",
        "#17becf",
        "#e377c2",
        "#8c564b",
        "#1f77b4",
        "#9467bd",
    ]
    assert (style.ORIGINAL_INPUT, style.PREDICTION, style.TRUTH) == (
        "#e13b41",
        "#3277b4",
        "#828282",
    )
    assert (style.PASS, style.FAIL) == ("#2E8B57", "#DC143C")


def test_unknown_labels_get_different_colors_in_any_order() -> None:
    labels = [f"label {n}" for n in range(7)]
    found = style.colors(labels)
    assert len(set(found.values())) == 7
    assert style.colors(reversed(labels)) == found
    assert len(style.colors(f"label {n}" for n in range(30))) == 30


def test_colors_stand_out_from_white() -> None:
    content = read_yaml(paths.PACKAGE / "figures" / "colors.yaml")
    roles = [style.TRUTH, style.PREDICTION, style.ORIGINAL_INPUT, style.PASS, style.FAIL]
    for color in [*content["labels"].values(), *content["cycle"], *roles]:
        # all but the palest ones reach the 3:1 of WCAG 1.4.11; these have an edge or a text
        assert 1.05 / (luminance(color) + 0.05) > 2.1, color


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("emodb-1.2.0-test", ["emodb-1.2.0-test"]),
        (
            "crema-d-1.2.0-emotion.categories.test.gold_standard",
            ["crema-d-", "1.2.0-emotion.categories.test.gold_standard"],
        ),
        ("a" * 50, ["a" * 50]),
        ("a" * 60, ["a" * 50, "a" * 10]),
        ("two\nlines", ["two", "lines"]),
        ("", [""]),
    ],
)
def test_break_title(title: str, lines: list[str]) -> None:
    assert style.break_title(title).split("\n") == (lines if title else [""])


def test_break_title_keeps_every_character_of_a_very_long_one() -> None:
    title = "-".join(["part"] * 60)
    broken = style.break_title(title)
    assert max(map(len, broken.split("\n"))) <= 50
    assert broken.replace("\n", "") == title


def test_shorten_keeps_the_ends() -> None:
    assert style.shorten("x" * 20) == "x" * 20
    assert style.shorten("abcdefghij" * 3, 9) == "abcd…ghij"
    assert len(style.shorten("abcdefghij" * 3, 10)) == 10


def test_settings_of_the_caller_come_back_after_an_error() -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 31}):
        with pytest.raises(RuntimeError, match="stop"), style.applied():
            assert mpl.rcParams["font.size"] == style.RC["font.size"]
            raise RuntimeError("stop")
        assert mpl.rcParams["font.size"] == 31


def test_png_is_a_palette_image_without_software_or_date() -> None:
    with style.applied():
        drawing, _ = style.canvas("title")
        data = style.encode(drawing)
    image = Image.open(io.BytesIO(data))
    assert image.mode == "P"
    assert image.size == (691, 518)
    assert set(image.info) <= {"dpi"}
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_the_palette_changes_no_colour_visibly() -> None:
    with style.applied():
        drawing, (axes,) = style.canvas("many colours")
        levels = np.random.default_rng(0).random((40, 40))
        axes.imshow(levels, cmap="viridis", aspect="auto")
        axes.scatter([20], [20], s=30, color=style.FAIL, linewidths=0)
        image = Image.open(io.BytesIO(style.encode(drawing))).convert("RGB")
    drawn = np.asarray(drawing.canvas.buffer_rgba())[..., :3].astype(int)  # type: ignore[attr-defined]
    assert np.abs(np.asarray(image) - drawn).max() <= 12


def test_labels_in_other_scripts_and_dollars_are_drawn_without_warning() -> None:
    with style.applied():
        drawing, (axes,) = style.canvas("价格 $5_{x$")
        axes.set_xlabel("$\\frac{")
    assert style.encode(drawing).startswith(b"\x89PNG")


def test_save_writes_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "figure.png"
    drawing, _ = style.canvas("title")
    size = style.save(drawing, path)
    before = path.stat().st_mtime_ns
    assert size == len(path.read_bytes())
    assert [item.name for item in path.parent.iterdir()] == ["figure.png"]
    drawing, _ = style.canvas("title")
    style.save(drawing, path)
    assert path.stat().st_mtime_ns == before


def test_save_says_why_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drawing, _ = style.canvas("title")
    with pytest.raises(OutputError, match=r"figure\.png: cannot be written"):
        style.save(drawing, tmp_path / "file" / "figure.png")
