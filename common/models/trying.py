"""One file through one model: what it answers, and how long that takes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import spec
from ..core.errors import ModelError
from ..spec import kinds
from .base import Batch, SampleKey
from .outside import far_outside, warning
from .timing import call_times, real_time_factor

#: events that are shown
MOST = 20


@dataclass(frozen=True)
class Trial:
    """What came of it.

    Args:
        model: id and version
        file: name of the file
        outputs: target -> number, class -> score, or list of events
        duration_s: length of the recording
        load_s: time to load the model
        first_s: time of the first call
        latency_s: median time of a later call
        warnings: outputs that are hardly meant so
    """

    model: str
    file: str
    outputs: dict[str, Any]
    duration_s: float
    load_s: float
    first_s: float
    latency_s: float
    warnings: list[str] = field(default_factory=list)

    @property
    def real_time_factor(self) -> float:
        """Time of a call per time of the recording."""
        return real_time_factor(self.latency_s, self.duration_s)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**vars(self), "real_time_factor": self.real_time_factor}

    def text(self) -> str:
        """For people."""
        lines = [f"{self.model} on {self.file} ({self.duration_s:.2f} s)"]
        lines += [f"  {target}: {_shown(value)}" for target, value in self.outputs.items()]
        lines.append(
            f"  loaded in {self.load_s:.2f} s, first call {1000 * self.first_s:.1f} ms, later ones "
            f"{1000 * self.latency_s:.1f} ms; real-time factor {self.real_time_factor:.4f}"
        )
        lines += [f"  warning: {text}" for text in self.warnings]
        return "\n".join(lines)


def try_file(
    entry: spec.Model,
    targets: Mapping[str, spec.Target],
    file: Path,
    *,
    repetitions: int,
    seed: int,
    device: str = "auto",
    cache: Path | None = None,
) -> Trial:
    """Predict one file.

    Args:
        entry: catalog entry
        targets: all targets of the suite
        file: a recording; for a model without audio its name is looked up
        repetitions: number of timed calls after the first one
        seed: seed of chance models
        device: ``auto``, ``cpu`` or ``cuda``
        cache: cache folder of the program

    Raises:
        AudioError: if the file cannot be decoded
        ModelError: if the model fails
    """
    from . import load

    begin = time.perf_counter()
    model = load(entry, targets, seed=seed, device=device, cache=cache)
    load_s = time.perf_counter() - begin
    signals, duration_s = [], 0.0
    if model.needs_audio:
        from ..samples import audio

        signals = [audio.load(file, 0, -1, model.sampling_rate)]
        duration_s = signals[0].shape[-1] / model.sampling_rate
    name = file.name if model.needs_audio else file.as_posix()
    batch = Batch([SampleKey("", "", name, 0, -1)], signals, model.sampling_rate)
    times = call_times(model, batch, repetitions=repetitions)
    outputs = {name: _plain(targets[name], times.answer[name]) for name in model.targets}
    spans = [
        (targets[n], far_outside(np.asarray(v), targets[n]))
        for n, v in outputs.items()
        if isinstance(v, float)
    ]
    texts = [warning(entry, target, span) for target, span in spans if span is not None]
    return Trial(
        *(f"{entry.id} {entry.version}", file.name, outputs, duration_s, load_s),
        *(times.first_s, times.latency_s, list(filter(None, texts))),
    )


def _plain(target: spec.Target, values: np.ndarray) -> Any:
    """Values of one signal: a number, a score for each class, or events."""
    kind = kinds.of(target)
    if kind.is_number:
        if np.isnan(values[0]):
            raise ModelError(f"target '{target.id}': no prediction for this file")
        return float(values[0])
    if kind.has_classes:
        return dict(zip(target.labels, map(float, values[0]), strict=True))
    arrays = values.ravel()[0]
    if "onset" in arrays:
        events = zip(arrays["onset"], arrays["offset"], arrays["label"], strict=True)
        return [[float(a), float(b), target.labels[int(label)]] for a, b, label in events]
    return {"frames": len(arrays["scores"]), "largest": float(arrays["scores"].max(initial=0))}


def _shown(value: Any) -> str:
    """Outputs as a line; the class with the largest score first.

    >>> _shown({"sadness": 0.25, "anger": 0.75}), _shown(0.5)
    ('anger (anger 0.75, sadness 0.25)', '0.5')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict) and "frames" not in value:
        ranked = sorted(value, key=lambda name: -value[name])
        scores = ", ".join(f"{name} {value[name]:.4g}" for name in ranked)
        return f"{ranked[0]} ({scores})"
    if isinstance(value, dict):
        return f"{value['frames']} frames, largest score {value['largest']:.4g}"
    shown = [f"{label} {onset:.2f}-{offset:.2f} s" for onset, offset, label in value[:MOST]]
    return f"{len(value)} events: {', '.join(shown)}" if value else "no events"
