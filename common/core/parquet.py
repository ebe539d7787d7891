"""Reading parquet files in the thread that asks.

The default reader of pyarrow reads ahead in threads of its own. What these still hold when Python
ends is released without Python, which aborts the process: about one command in ten that ended soon
after reading ended with signal 6. Small files are read in half of the processor time without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow


def table(source: Path | bytes, columns: list[str] | None = None) -> pyarrow.Table:
    """Content of a file, or of its bytes.

    Args:
        source: the file, or what it holds
        columns: columns that are read; None: all

    Raises:
        OSError: if it cannot be read
        ValueError: if it is no parquet file
    """
    import pyarrow
    import pyarrow.parquet

    place = pyarrow.BufferReader(source) if isinstance(source, bytes) else source
    with pyarrow.parquet.ParquetFile(place) as file:
        return file.read(columns, use_threads=False)


def frame(source: Path | bytes) -> pd.DataFrame:
    """As :func:`table`, with the index and the types that pandas noted in the file."""
    return table(source).to_pandas(use_threads=False)
