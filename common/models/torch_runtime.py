"""Runtimes that are optional: whether they are there, and settings of PyTorch during a call."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import spec
from ..core.errors import MissingDependency
from .base import LoadOptions, check_device, place

#: modules whose package is called otherwise
_PACKAGES = {"skops.io": "skops", "sklearn": "scikit-learn"}


def runtime(entry: spec.Model, names: Sequence[str] = ("torch",)) -> list[Any]:
    """Modules that a model needs.

    Raises:
        MissingDependency: if one is not installed, with the command for all that are missing
    """
    modules, missing = [], []
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except ImportError:
            missing.append(_PACKAGES.get(name, name))
    if missing:
        raise MissingDependency(
            f"{place(entry)}: models of the adapter {entry.adapter} need {' and '.join(missing)}",
            f"pip install {' '.join(missing)}",
        )
    return modules


def device_of(entry: spec.Model, torch: Any, options: LoadOptions) -> Any:
    """Device on which a model runs.

    Args:
        entry: catalog entry
        torch: the package
        options: ``device`` is ``auto`` (CUDA where present), ``cpu``, ``cuda`` or ``cuda:N``

    Raises:
        ConfigError: if the device is unknown
        MissingDependency: if CUDA is asked for and torch finds none
    """
    number = check_device(options.device)
    if options.device == "cpu" or (options.device == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available() or int(number) >= torch.cuda.device_count():
        raise MissingDependency(
            f"{place(entry)}: device {options.device}: torch finds no such device",
            "the torch for your CUDA, see https://pytorch.org/get-started/locally",
        )
    return torch.device(f"cuda:{number}")


@contextmanager
def inference(torch: Any, threads: int) -> Iterator[None]:
    """Settings of a call: no gradients, and what a run repeats to the last digit.

    TensorFloat-32 is off and cuDNN does not choose by timing, as with ONNX Runtime.

    Args:
        torch: the package
        threads: of one call on the CPU
    """
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    exact = torch.backends.cudnn.flags(
        enabled=True, benchmark=False, deterministic=True, allow_tf32=False
    )
    with torch.inference_mode(), exact:
        yield
