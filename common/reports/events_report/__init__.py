"""Scores of sound events as one HTML file that needs nothing else.

Style, figures (SVG) and the script of the operating-point picker stand in the file; it loads
nothing, and all but the picker works without JavaScript. All texts that come from data are
escaped by the template.
"""

from .page import render

__all__ = ["render"]
