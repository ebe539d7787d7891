"""Tests of speech models for correctness, fairness and robustness.

Where the package is installed, it is called ``speechproof``, and these names are for everybody:

* :func:`evaluate <common.reports.evaluating.evaluate>`: all tests that predictions can take on a dataset
* :func:`perturb <common.perturbations.applied.perturb>`: a signal as the robustness tests change it
* :mod:`metrics <common.metrics>`: every metric as a function of arrays
* :mod:`events <common.events>`: segment-, event- and intersection-based scores, and PSDS

Each is imported when it is asked for. Reading order for newcomers: a YAML in ``suite/``,
``engine/run.py``, one module of ``designs/``, one of ``metrics/``.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: name -> module that it stands for or stands in
_PUBLIC = {
    "evaluate": ".reports.evaluating",
    "events": ".events",
    "metrics": ".metrics",
    "perturb": ".perturbations.applied",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    """Import what a public name stands for."""
    if name not in _PUBLIC:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = import_module(_PUBLIC[name], __name__)
    return getattr(module, name, module)


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)
