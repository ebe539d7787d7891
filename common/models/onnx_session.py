"""Sessions of onnxruntime: threads, devices and silence."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import spec
from ..core.errors import BrokenFile, MissingDependency, ModelError
from .base import LoadOptions, check_device, one_line, place

logger = logging.getLogger(__name__)

_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
#: severity from which onnxruntime writes to standard error: errors
_ERROR = 3


def _runtime(entry: spec.Model) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingDependency(
            f"{place(entry)}: ONNX models need onnxruntime", "pip install onnxruntime"
        ) from None
    return onnxruntime


def _options(runtime: Any, options: LoadOptions) -> Any:
    settings = runtime.SessionOptions()
    settings.log_severity_level = _ERROR
    settings.intra_op_num_threads = max(1, options.threads)
    settings.inter_op_num_threads = 1
    settings.use_deterministic_compute = True
    return settings


def open_graph(entry: spec.Model, graph: Path, options: LoadOptions) -> Any:
    """Session of onnxruntime for a graph.

    Raises:
        MissingDependency: if onnxruntime, or CUDA where it is asked for, is not installed
        BrokenFile: if the graph cannot be opened
        ModelError: if CUDA is asked for and does not start
    """
    runtime = _runtime(entry)
    chosen = providers(options.device, runtime.get_available_providers())
    try:
        session = runtime.InferenceSession(
            str(graph), sess_options=_options(runtime, options), providers=chosen
        )
    # the runtime has an exception class of its own for every kind of fault
    except Exception as error:
        text = one_line(error).replace(str(graph), graph.name)
        raise BrokenFile(f"{place(entry)}: '{graph.name}' cannot be opened: {text}") from None
    if len(chosen) > 1 and _CUDA not in session.get_providers():
        message = f"{place(entry)}: CUDA is installed but does not start"
        if options.device != "auto":
            raise ModelError(message)
        logger.warning("%s; running on the CPU", message)
    return session


def providers(device: str, available: Sequence[str]) -> list[Any]:
    """Execution providers for a device.

    TensorFloat-32 is off and the choice of convolution algorithms does not depend on
    timing, so that predictions stay close to those of the CPU and can be repeated.

    Args:
        device: ``auto`` (CUDA where present), ``cpu``, ``cuda`` or ``cuda:N``
        available: providers of the installed onnxruntime

    Raises:
        ConfigError: if the device is unknown
        MissingDependency: if CUDA is asked for and onnxruntime comes without

    >>> providers("auto", ["CPUExecutionProvider"])
    ['CPUExecutionProvider']
    """
    number = check_device(device)
    if device == "cpu" or (device == "auto" and _CUDA not in available):
        return [_CPU]
    if _CUDA not in available:
        raise MissingDependency(
            f"device {device}: this onnxruntime has no CUDA", "pip install onnxruntime-gpu"
        )
    settings = {
        "device_id": number,
        "use_tf32": "0",
        "cudnn_conv_algo_search": "HEURISTIC",
    }
    return [(_CUDA, settings), _CPU]


def open_transformed(entry: spec.Model, graph: Path, options: LoadOptions) -> Any:
    """The model as audonnx opens it, with the transform of its folder.

    Raises:
        MissingDependency: if audonnx or a package of the transform is not installed
        ModelError: if the folder cannot be opened
    """
    try:
        import audonnx
    except ImportError:
        raise MissingDependency(
            f"{place(entry)}: the folder has a transform, which needs audonnx",
            "pip install audonnx",
        ) from None
    runtime = _runtime(entry)
    try:
        return audonnx.load(
            str(graph.parent),
            device=providers(options.device, runtime.get_available_providers()),
            session_options=_options(runtime, options),
        )
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"{place(entry)}: the transform needs the package '{error.name}'",
            f"pip install {error.name}",
        ) from None
    # the transform is foreign code
    except Exception as error:
        raise ModelError(f"{place(entry)}: audonnx cannot open it: {one_line(error)}") from None
