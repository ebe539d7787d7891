"""A badge with the score of a model in a ranking: a small SVG for a README."""

from __future__ import annotations

from fractions import Fraction
from xml.sax.saxutils import escape

from ...core.display import percent

#: average width of a character of the font in pixels; the text is fitted to it exactly
CHARACTER = 6.6
PAD = 8
#: least share -> colour, dark enough for white text (contrast at least 4.5)
COLOURS = ((0.9, "#18692f"), (0.75, "#54660f"), (0.5, "#8a5200"), (0.0, "#a1322a"))
NO_COLOUR = "#5a5a5a"


def badge(name: str, score: Fraction | None, *, chance: Fraction | None, is_chance: bool) -> str:
    """SVG of a badge; the text tells everything that the colour does.

    Args:
        name: what was tested
        score: score of the model in the ranking; None: it is not compared
        chance: score of the best chance model there; None: there is none
        is_chance: whether the model itself does not listen

    >>> drawn = badge("arousal", Fraction(3, 4), chance=Fraction(1, 2), is_chance=False)
    >>> drawn.count("75.0 %, chance 50.0 %")
    3
    """
    message, colour = "not ranked", NO_COLOUR
    if score is not None and is_chance:
        message = f"chance model, {percent(score)}"
    elif score is not None:
        message = percent(score) + ("" if chance is None else f", chance {percent(chance)}")
        colour = next(colour for least, colour in COLOURS if score >= least)
    left, right = (round(len(text) * CHARACTER + 2 * PAD) for text in (name, message))
    title = escape(f"{name}: {message}", {'"': "&quot;"})
    width = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" '
        f'aria-label="{title}">\n<title>{title}</title>\n'
        f'<rect width="{width}" height="20" rx="3" fill="#3a3a3a"/>\n'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{colour}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f"{_text(name, PAD, left - 2 * PAD)}\n{_text(message, left + PAD, right - 2 * PAD)}\n"
        "</g>\n</svg>\n"
    )


def _text(text: str, x: int, length: int) -> str:
    fitted = f' textLength="{length}" lengthAdjust="spacingAndGlyphs"' if length > 0 else ""
    return f'<text x="{x}" y="14"{fitted}>{escape(text)}</text>'
