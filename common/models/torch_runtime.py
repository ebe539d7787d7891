"""Runtimes that are optional: whether they are there, and settings of PyTorch during a call."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import spec
from ..core.errors import MissingDependency
from .base import LoadOptions, check_device, place

#: modules whose package is called otherwise
_PACKAGES = {"skops.io": "skops", "sklearn": "scikit-learn"}

#: on a GPU a process makes one call after the other, as settings of cuDNN hold for all of its threads. More
#: at a time would not be faster: to start the parts of a network takes the interpreter (wav2vec 2.0, base, on an
#: H200: 10.4 ms per signal with one thread, 9.3 with four, 15.3 with sixteen, what is done before included)
_gpu = threading.Lock()


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
def inference(torch: Any, device: Any, threads: int, *, cudnn: bool = True) -> Iterator[None]:
    """Settings of a call: no gradients, and what a run repeats to the last digit.

    TensorFloat-32 is off and cuDNN does not choose by timing, as with ONNX Runtime.

    Args:
        torch: the package
        device: where the network runs
        threads: of one call on the CPU
        cudnn: whether a GPU uses cuDNN, which plans the convolutions of each length of signals anew
    """
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    if device.type == "cpu":
        with torch.inference_mode():
            yield
        return
    exact = torch.backends.cudnn.flags(
        enabled=cudnn, benchmark=False, deterministic=True, allow_tf32=False
    )
    with _gpu, exact, torch.inference_mode():
        yield
