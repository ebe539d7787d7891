"""What a figure is: a function from aligned arrays to matplotlib figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from common.registry import Registry
from common.view import View

#: (view, design options, title) -> {suffix of the file name: figure}; suffix "" for a single one
Draw = Callable[[View, Any, str], dict[str, Figure]]

FIGURES: Registry[Draw] = Registry("figure")
