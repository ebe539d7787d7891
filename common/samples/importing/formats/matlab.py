"""Audio in MATLAB files, such as measured impulse responses, written as WAV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....core.errors import DataError
from ..layouts import MatlabAudio
from ..reading import ImportedRows, Row
from .writing import safe


def convert(imported: ImportedRows, matlab: MatlabAudio, audio: Path) -> None:
    """Write the audio of all rows; rows of one file become its channels.

    Args:
        imported: rows with the paths of MATLAB files, which get those of WAV files
        matlab: what the layout says about the files
        audio: folder to write to

    Raises:
        DataError: if a file cannot be read, holds no such signal, or a channel is missing
    """
    groups: dict[str, list[Row]] = {}
    for row in imported.rows:
        groups.setdefault(safe(matlab.file.format(**row), str(imported.root)), []).append(row)
    most = max(len(rows) for rows in groups.values())
    for file, rows in groups.items():
        rows.sort(key=lambda row: row[matlab.channel])
        if len(rows) != most:
            names = ", ".join(row["file"] for row in rows)
            raise DataError(f"{imported.root}: {file} needs {most} channels, found {names}")
        signals = [_signal(imported.root / row["file"], matlab.variable) for row in rows]
        if len({len(signal) for signal in signals}) > 1:
            raise DataError(f"{imported.root}: the channels of {file} differ in length")
        _write(audio / file, np.stack(signals, axis=1), matlab.sampling_rate)
    imported.rows = [{**rows[0], "file": file} for file, rows in groups.items()]
    imported.root = audio


def _signal(path: Path, variable: str) -> np.ndarray:
    import scipy.io

    try:
        content = scipy.io.loadmat(path, variable_names=[variable])
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise DataError(f"{path}: is no MATLAB file that can be read: {error}") from None
    if variable not in content:
        raise DataError(f"{path}: has no variable '{variable}'")
    signal = np.asarray(content[variable], dtype=np.float32).squeeze()
    if signal.ndim != 1 or not len(signal):
        raise DataError(f"{path}: '{variable}' has shape {signal.shape}, expected one channel")
    return signal


def _write(path: Path, signal: np.ndarray, sampling_rate: int) -> None:
    import soundfile

    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, signal, sampling_rate, subtype="FLOAT")
