"""Packages that are not installed. Needs none itself, as it speaks where others cannot be imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: packages of this project, whose modules are never missing on a user's machine
OWN = frozenset({"common", "speechproof", "benchmark_site", "local_math"})

#: package -> what pip calls it, where that differs
PIP_NAMES = {
    "espeakng_loader": "espeakng-loader",
    "sphinxcontrib": "sphinxcontrib-bibtex",
    "yaml": "pyyaml",
}


def advice(error: ModuleNotFoundError, requirements: Path | None) -> str:
    """What to do about a module that is not there; empty if it is our own or Python's.

    Args:
        error: what an import raised
        requirements: list of the packages of a clone; None: the program is installed
    """
    package = (error.name or "").split(".")[0]
    if not package or package in OWN or package in sys.stdlib_module_names:
        return ""
    words = (
        f"-r {os.path.relpath(requirements)}" if requirements else PIP_NAMES.get(package, package)
    )
    return (
        f"error: the package '{package}' is not installed for {sys.executable}; "
        f"what this program needs is installed with: pip install {words}"
    )
